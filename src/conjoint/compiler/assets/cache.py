"""What was made of assets lately, so that loading a model again does not read and process their files again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

Made = TypeVar("Made")

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
