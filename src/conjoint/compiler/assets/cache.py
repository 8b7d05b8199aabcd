"""What was made of assets: in memory, and in files for later processes, by what it was made of."""

import functools
import os
import pickle
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from hashlib import blake2b
from importlib.util import find_spec
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from conjoint.lang import kept

from .qhull_file import library_file

Made = TypeVar("Made")

ALIGNMENT = 16
"""Bytes of which the places of arrays in a file are multiples."""
MOST_BYTES = 1 << 28
"""Memory that kept results may take; the longest unused go first."""


class Cache:
    """Results by key, of limited size; may be used by several threads. Results must not be changed."""

    def __init__(self, most: int = MOST_BYTES):
        self.most = most
        self.size = 0
        self.kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Made], weigh: Callable[[Made], int]) -> Made:
        """The result kept under `key`, or else that of `make()`, which takes `weigh(result)` bytes."""
        with self.lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                found: Made = self.kept[key][0]
                return found
        made = make()
        weight = weigh(made)
        if weight <= self.most:
            with self.lock:
                self.size += weight - self.kept.pop(key, (None, 0))[1]
                self.kept[key] = (made, weight)
                while self.size > self.most:
                    self.size -= self.kept.popitem(last=False)[1][1]
        return made

    def clear(self) -> None:
        """Keep nothing."""
        with self.lock:
            self.kept.clear()
            self.size = 0


CACHE = Cache()
"""Results of this process."""


def lasting(key: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """What a process has kept under `key`, or else `make()`, which is kept for later ones.

    Args:
        key: everything that the result depends on, by its `repr`; contents of files by their `digest`.
    """
    name = f"{key[0]}-{digest(repr((_makers(), key)).encode())}.asset"
    data = kept.load(name)
    if data is not None:
        found: Made = _opened(data)
        return found
    made = make()
    kept.store(name, *_parts(made))
    return made


def _parts(made: object) -> Iterator[bytes | memoryview]:
    """Everything of a result but its arrays, and these, each with its size before it and room to its alignment."""
    arrays: list[pickle.PickleBuffer] = []
    parts: list[bytes | memoryview] = [pickle.dumps(made, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)]
    parts += [array.raw() for array in arrays]
    for part in parts:
        yield len(part).to_bytes(ALIGNMENT, "little")
        yield part
        yield bytes(-len(part) % ALIGNMENT)


def _opened(data: memoryview) -> Any:
    """The opposite of `_parts`; the arrays stay where they are, and cannot be written to."""
    parts, at = [], 0
    while at < len(data):
        start = at + ALIGNMENT
        end = start + int.from_bytes(data[at:start], "little")
        parts.append(data[start:end])
        at = end + -end % ALIGNMENT
    return pickle.loads(parts[0], buffers=parts[1:])


def digest(data: bytes) -> str:
    """What tells contents from others."""
    return blake2b(data, digest_size=16).hexdigest()


@functools.cache
def _makers() -> tuple[object, ...]:
    """What makes results: this package, and those that it calls, which need not be imported to find a result."""
    others = [os.stat(spec.origin) for name in ("scipy", "PIL") if (spec := find_spec(name)) and spec.origin]
    others.append(os.stat(library_file()))
    return kept.SOURCE_STATE, np.__version__, *((status.st_size, status.st_mtime_ns) for status in others)
