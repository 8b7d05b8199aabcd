"""Device emulated on the CPU: it runs device kernels as machine code, one thread after another."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conjoint.lang.memory.layout import aligned_bytes
from conjoint.lang.objects.native import compiled_here, host, load_objects

PARAMETERS = (
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_int,
)
"""Parameter types of a device kernel."""

number = ctypes.c_int64(0)
"""Index of the emulated thread that is running."""

HEAD = f"""
define internal i64 @thread_number() {{
  %place = inttoptr i64 {ctypes.addressof(number)} to ptr
  %number = load volatile i64, ptr %place
  ret i64 %number
}}
"""


class HostDevice:
    """Device whose memory consists of NumPy arrays."""

    name, has_float64 = "this processor", True

    def memory(self, nbytes: int) -> np.ndarray:
        return aligned_bytes(nbytes)

    def write(self, memory: np.ndarray, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        for target, row in zip(self._rows(memory, rows, first, pitch), rows, strict=True):
            target[:] = row

    def read(self, memory: np.ndarray, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        for source, row in zip(self._rows(memory, rows, first, pitch), rows, strict=True):
            row[:] = source

    def _rows(self, memory: np.ndarray, rows: np.ndarray, first: int, pitch: int) -> list[np.ndarray]:
        width = rows.shape[1]
        return [memory[(at := first + k * (pitch or width)) : at + width] for k in range(len(rows))]

    def copy(
        self, source: np.ndarray, target: np.ndarray, first: tuple[int, int], pitches: tuple[int, int], count: int,
        width: int,
    ) -> None:  # fmt: skip
        for k in range(count):
            a, b = first[0] + k * pitches[0], first[1] + k * pitches[1]
            target[b : b + width] = source[a : a + width]

    def kernels(self, texts: dict[str, str]) -> dict[str, Any]:
        return {name: made(name, text) for name, text in texts.items()}

    def sequence(self, launches: Sequence[tuple[Any, tuple]], count: int) -> Callable[[], None]:
        def run() -> None:
            for kernel, arguments in launches:
                given = [x.ctypes.data if isinstance(x, np.ndarray) else int(x) for x in arguments]
                for k in range(count):
                    number.value = k
                    kernel(*given)

        return run

    def array(
        self, memory: np.ndarray, first: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype
    ) -> np.ndarray:
        return np.ndarray(shape, dtype, memory, first, strides)


@functools.cache
def made(name: str, text: str) -> Any:
    """Return the machine code of a kernel, compiled without optimization passes because it only runs briefly."""
    text = text.replace("define device_kernel", "define void") + HEAD
    address = load_objects([compiled_here(text, host(), passes=False)], [name])[name]
    return ctypes.CFUNCTYPE(None, *PARAMETERS)(address)
