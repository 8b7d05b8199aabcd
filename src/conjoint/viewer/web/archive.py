"""Binary format of a recorded motion: arrays and a JSON header in one compressed block, which the player reads."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

STEPS = 65535
"""Number of quantization steps between the smallest and the largest value of a column."""


class Archive:
    """Arrays in one block of bytes, each aligned to four bytes.

    Attributes:
        arrays: type ("f4", "i2", ...), offset in bytes and number of elements of each array.
    """

    def __init__(self) -> None:
        self.arrays: list[tuple[str, int, int]] = []
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, array: np.ndarray, kind: str) -> int:
        """Append an array as little-endian numbers of type `kind`; return its index."""
        data = np.ascontiguousarray(array, f"<{kind}").tobytes()
        self.arrays.append((kind, self._size, array.size))
        padded = data + bytes(-len(data) % 4)
        self._parts.append(padded)
        self._size += len(padded)
        return len(self.arrays) - 1

    def add_columns(self, columns: np.ndarray) -> dict[str, int]:
        """Append columns over time, shape (ncolumn, nframe), as 16-bit differences; return the indices of the arrays.

        A column is stored as its smallest value, the size of a quantization step, and the numbers of steps between
        consecutive frames. These differences are small and often equal, so they compress well.
        """
        low, high = columns.min(axis=1, initial=np.inf), columns.max(axis=1, initial=-np.inf)
        step = np.maximum(high - low, 1e-12) / STEPS
        levels = np.round((columns - low[:, None]) / step[:, None]).astype(np.int64)
        change = np.diff(levels, axis=1, prepend=0).astype(np.uint16)
        # separate low and high bytes, which compresses better
        halves = np.stack([change & 255, change >> 8])
        return {
            "low": self.add(low, "f4"),
            "step": self.add(step, "f4"),
            "change": self.add(halves, "u1"),
        }

    def text(self, header: dict[str, Any]) -> str:
        """Return header and arrays as text: base64 of zlib-compressed data, which begins with the header's length."""
        written = json.dumps({**header, "arrays": self.arrays}, separators=(",", ":")).encode()
        written += b" " * (-len(written) % 4)
        block = len(written).to_bytes(4, "little") + written + b"".join(self._parts)
        return base64.b64encode(zlib.compress(block, 9)).decode()
