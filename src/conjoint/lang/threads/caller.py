"""Work that several threads do for one call. It ends soon after an interrupt of the caller or an error in a thread.

Only the main thread receives signals. Threads that work for it check whether the work has ended (`heed`) between two
pieces of work. A piece takes no longer than one call to machine code: a few tenths of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

LONGEST = 0.2
"""Desired maximum duration (s) of one call to machine code, because interrupts are only handled between calls."""


def fitting(count: int, spent: float) -> int:
    """Return the amount of work for the next call if the last call did the amount `count` in `spent` seconds.

    The result is at most four times `count`, because the first part of the work may differ from later parts.
    """
    return max(1, min(4 * count, int(LONGEST * count / max(spent, 1e-9))))


class Stopped(BaseException):
    """Exception that makes a thread leave its work, because the caller was interrupted or another thread has failed."""


class Work:
    """Work of one call, divided among threads.

    Attributes:
        error: first error that ended the work; None while it runs.
        outer: work that contains this work, because the calling thread is doing a part of it; None if there is none.
    """

    __slots__ = ("error", "outer")

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.outer = _current.work

    def heed(self) -> None:
        """Raise Stopped if this work, or an outer work that contains it, has ended."""
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
    """Thread-local reference to the `Work` that the current thread takes part in; None if there is none."""

    work: Work | None = None


_current = _Current()


def heed() -> None:
    """Raise Stopped if the call that this thread works for was interrupted, or has failed in another thread."""
    if (work := _current.work) is not None:
        work.heed()
