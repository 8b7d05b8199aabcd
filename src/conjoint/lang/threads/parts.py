"""Parts of the work of one call, each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from .caller import Work

Result = TypeVar("Result")

PAUSE = 0.2
"""Seconds that a caller waits without looking for interrupts, where waiting hides them (Windows)."""


def do_all(pool: ThreadPoolExecutor | None, parts: Sequence[Callable[[], Result]]) -> list[Result]:
    """Do the first part in this thread and each of the others in one of the pool, and wait for all.

    Args:
        pool: as many threads as there are other parts, or more; None if there are none.
        parts: functions that call `heed` often.

    Returns:
        what they return, in their order.

    Raises:
        BaseException: the first that ended a part, or an interrupt of the caller; all parts have ended then.
    """
    work, others = Work(), list[Future[Result]]()
    try:
        if pool is not None:
            others += [pool.submit(work.do, part) for part in parts[1:]]
        first = work.do(parts[0])
        while wait(others, PAUSE).not_done:
            work.heed()
    except BaseException as error:
        work.error = work.error or error
        _wait_for(others)
        raise work.error from None
    return [first, *(other.result() for other in others)]


def _wait_for(others: Sequence[Future[Any]]) -> None:
    """Wait until parts have ended; more interrupts do not end the waiting, since they use memory of the caller."""
    while True:
        try:
            wait(others)
            return
        except KeyboardInterrupt:
            continue
