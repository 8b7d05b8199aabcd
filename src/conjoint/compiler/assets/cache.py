"""What was made of assets: in memory, and in files for later processes, by what it was made of."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from conjoint.lang.objects import disk_cache
from conjoint.lang.objects.source_state import source_state
from conjoint.once import ForkLock, made_once

from .packing import packed, unpacked
from .qhull_file import hull_maker

Made = TypeVar("Made")

MOST_BYTES = 1 << 28
"""Memory that kept results may take; the longest unused go first."""


class Cache:
    """Results by key, of limited size; may be used by several threads. Results must not be changed."""

    def __init__(self, most: int = MOST_BYTES):
        self.most = most
        self.size = 0
        self.kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.lock = ForkLock()

    def get(self, key: Hashable, make: Callable[[], Made], weigh: Callable[[Made], int]) -> Made:
        """The result kept under `key`, or else that of `make()`, which takes `weigh(result)` bytes."""
        with self.lock.held:
            if key in self.kept:
                self.kept.move_to_end(key)
                found: Made = self.kept[key][0]
                return found
        made = make()
        weight = weigh(made)
        if weight <= self.most:
            with self.lock.held:
                self.size += weight - self.kept.pop(key, (None, 0))[1]
                self.kept[key] = (made, weight)
                while self.size > self.most:
                    self.size -= self.kept.popitem(last=False)[1][1]
        return made

    def clear(self) -> None:
        """Keep nothing."""
        with self.lock.held:
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
    data = disk_cache.load(name)
    if data is not None:
        # what is no result is made anew
        with suppress(ValueError):
            found: Made = unpacked(data)
            return found
    made = make()
    disk_cache.store(name, *packed(made))
    return made


def digest(data: bytes) -> str:
    """What tells contents from others."""
    return blake2b(data, digest_size=16).hexdigest()


@made_once
def _makers() -> tuple[object, ...]:
    """What makes results: this package, and those that it calls, which need not be imported to find a result."""
    images, hulls = find_spec("PIL"), hull_maker()
    files = [Path(images.origin).with_name("_version.py")] if images and images.origin else []
    files += [Path(hulls)] if hulls else []
    return source_state(), np.__version__, *(digest(file.read_bytes()) for file in files)
