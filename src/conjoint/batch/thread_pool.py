"""Threads that wait for work: a batch hands each its share of a step in a microsecond."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence

from conjoint.batch.pipeline import Share
from conjoint.lang.threads.sibling_thread import SiblingThread


class Crew:
    """Threads that stay from call to call; they end when the crew is closed or nobody holds it any more.

    A thread waits awake for a while, then it sleeps; it holds on to nothing but the place where its work is written.
    """

    def __init__(self) -> None:
        self._threads: list[SiblingThread] = []
        self._process = os.getpid()
        weakref.finalize(self, _dismiss, self._threads)

    def run(self, shares: Sequence[Share]) -> None:
        """Do the first share in the caller's thread, each of the others in a thread of its own, and wait for all.

        What stages ask for is done by the caller, when all threads have stopped; then those go on that have to.

        Raises:
            Exception: what that raised, after all other shares have ended; the first of them where several did.
            KeyboardInterrupt: the user wants no more; all shares have ended.
        """
        if len(shares) == 1:
            return _alone(shares[0])
        errors: list[BaseException] = []
        interrupts: list[BaseException] = []
        left = list(zip(shares, [None, *self._started(len(shares) - 1)], strict=True))
        while left:
            try:
                answers = _answers(left)
            except KeyboardInterrupt as interrupt:
                # what was answered is lost: shares go on from where they stopped, and say it again
                interrupts.append(interrupt)
                continue
            left = [
                pair for pair, answer in zip(left, answers, strict=True) if answer and _goes_on(pair[0], answer, errors)
            ]
        if errors or interrupts:
            raise (errors + interrupts)[0]

    def _started(self, count: int) -> list[SiblingThread]:
        """So many threads, in the order in which they were started."""
        if self._process != os.getpid():
            # a fork has only the thread that made it
            self._threads.clear()
            self._process = os.getpid()
        while len(self._threads) < count:
            self._threads.append(SiblingThread())
            threading.Thread(target=self._threads[-1].serve, name="conjoint batch", daemon=True).start()
        return self._threads[:count]

    def close(self) -> None:
        """End the threads; another `run` starts new ones."""
        _dismiss(self._threads)


def _alone(share: Share) -> None:
    """Do a share in the caller's thread."""
    interrupt: KeyboardInterrupt | None = None
    while True:
        try:
            answer = share.transfer.go_on()
        except KeyboardInterrupt as found:
            # what was answered is lost: the share goes on from where it stopped, and says it again
            interrupt = found
            continue
        if not answer:
            break
        share.attend(answer)
    if interrupt:
        raise interrupt


def _answers(left: Sequence[tuple[Share, SiblingThread | None]]) -> list[int]:
    """Let shares go on, each in its thread, the caller's being None; what they answer when all have stopped."""
    answers: list[int | None] = []
    asked: list[SiblingThread] = []
    interrupts: list[BaseException] = []
    try:
        for share, sibling in left:
            if sibling is not None:
                sibling.ask(*share.transfer.arguments)
                asked.append(sibling)
        answers += [share.transfer.go_on() for share, sibling in left if sibling is None]
    finally:
        # they work on memory that the caller's errors would let go
        answers += [sibling.answer(interrupts) for sibling in asked]
    if interrupts:
        raise interrupts[0]
    # a thread that has not woken up is not waited for
    return [share.transfer.go_on() if a is None else a for (share, _), a in zip(left, answers, strict=True)]


def _goes_on(share: Share, answer: int, errors: list[BaseException]) -> bool:
    """Do what a stage of a share asks for; False if that failed."""
    try:
        share.attend(answer)
    except BaseException as error:  # the caller raises it
        errors.append(error)
        return False
    return True


def _dismiss(threads: list[SiblingThread]) -> None:
    for sibling in threads:
        sibling.end()
    threads.clear()
