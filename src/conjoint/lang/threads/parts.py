"""Parts of the work of one call, each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, TypeVar

from ..warn import Told, held_warnings, warn
from .caller import Work, heed

Result = TypeVar("Result")
Place = TypeVar("Place")
Task = TypeVar("Task")

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


def share_out(
    pool: ThreadPoolExecutor | None, places: Sequence[Place], tasks: Iterable[Task], do: Callable[[Place, Task], None]
) -> None:
    """Do every task once, in one of several places: whichever is free takes the next one.

    Warnings of the threads are issued by the caller in the end.

    Args:
        pool: a thread for each place but the first, or more; None if there is only that.
        places: what threads work with, each with one of them.
        tasks: what is to be done.
        do: does a task in a place, and calls `heed` if that takes long.

    Raises:
        BaseException: as of `do_all`; tasks that nobody has begun are left out then.
    """
    # several threads may take from the iterator of a list at once
    left = iter(list(tasks))

    def part(place: Place) -> None:
        for task in left:
            heed()
            do(place, task)

    def silent_part(place: Place) -> list[Told]:
        with held_warnings() as told:
            part(place)
        return told

    if len(places) == 1:
        do_all(None, [partial(part, places[0])])
        return
    for told in do_all(pool, [partial(silent_part, place) for place in places]):
        for text, category in told:
            warn(text, category)


def _wait_for(others: Sequence[Future[Any]]) -> None:
    """Wait until parts have ended; more interrupts do not end the waiting, since they use memory of the caller."""
    while True:
        try:
            wait(others)
            return
        except KeyboardInterrupt:
            continue
