"""Work of one call in several threads: it ends soon after the caller is interrupted or one of the threads fails.

Signals reach the main thread only. Threads that work for it look between two pieces of their work (`heed`), which are
as short as calls of machine code: some tenths of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

LONGEST = 0.2
"""Seconds that one call of machine code should take at most: interrupts are heard in between."""


def fitting(count: int, spent: float) -> int:
    """Return the amount of work for the next call if the last one did `count` in `spent` seconds.

    It is no more than four times as much: the first may be unlike the others.
    """
    return max(1, min(4 * count, int(LONGEST * count / max(spent, 1e-9))))


class Stopped(BaseException):
    """A thread leaves its work, because the caller has been interrupted or another thread has failed."""


class Work:
    """Work of one call.

    Attributes:
        error: error that ended it first; None while it runs.
        outer: work that the calling thread does a part of with it.
    """

    __slots__ = ("error", "outer")

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.outer = _current.work

    def heed(self) -> None:
        """Raise Stopped if this work, or one that it is part of, has ended."""
        if self.error is not None:
            raise Stopped
        if self.outer is not None:
            self.outer.heed()

    def do(self, part: Callable[[], Result]) -> Result:
        """Do a part of the work in this thread."""
        before, _current.work = _current.work, self
        try:
            return part()
        except BaseException as error:
            self.error = self.error or error
            raise
        finally:
            _current.work = before


class _Current(threading.local):
    """Work that a thread does a part of."""

    work: Work | None = None


_current = _Current()


def heed() -> None:
    """Raise Stopped if this thread does a part of a work that was interrupted or has failed elsewhere."""
    if (work := _current.work) is not None:
        work.heed()
