"""Threads that wait for work: a batch hands each its share of a step in a microsecond."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Sequence

import numpy as np

from conjoint.batch.pipeline import Share
from conjoint.lang.calls.compiled import routine
from conjoint.lang.calls.fast_call import machine_call
from conjoint.lang.routines.sibling_thread_code import (
    ANSWER,
    FUNCTION,
    HELD_UP,
    PHASE,
    ROW_WORDS,
    SLOT,
    STOPPED,
    Phase,
    work_together,
)
from conjoint.lang.threads.sibling_thread import TURNS, SiblingThread


class Crew:
    """Threads that stay from call to call; they end when the crew is closed or nobody holds it any more.

    A thread waits awake for a while, then it sleeps; it holds on to nothing but the place where its work is written.
    All that shares have come to stands in a table, a row for each: machine code hands the work over, does the caller's
    share and waits, without the interpreter.
    """

    def __init__(self) -> None:
        self._threads: list[SiblingThread] = []
        self._process = os.getpid()
        self._shares: Sequence[Share] = ()
        self._memory = np.zeros(0, np.int64)
        weakref.finalize(self, _dismiss, self._threads)

    def run(self, shares: Sequence[Share]) -> None:
        """Do the first share in the caller's thread, each of the others in a thread of its own, and wait for all.

        What stages ask for is done by the caller, when all threads have stopped; then those go on that have to.

        An interrupt may come between any two bytecodes. It is noted, and the loop goes on: machine code finds in the
        table which shares are asked for, and which have stopped. A share whose answer was not attended to goes on from
        where it stopped, and answers again.

        Raises:
            Exception: what that raised, after all other shares have ended; the first of them where several did.
            KeyboardInterrupt: the user wants no more; all shares have ended.
        """
        if len(shares) == 1:
            return _alone(shares[0])
        if shares is not self._shares or self._process != os.getpid():
            self._write(shares)
        errors: list[BaseException] = []
        interrupts: list[BaseException] = []
        for k in range(len(shares)):
            self._words[ROW_WORDS * k + PHASE] = Phase.TO_DO
        while True:
            try:
                if self._work_together() == STOPPED:
                    break
                self._attend(errors)
            except KeyboardInterrupt as interrupt:
                interrupts.append(interrupt)
        if errors or interrupts:
            raise (errors + interrupts)[0]

    def _write(self, shares: Sequence[Share]) -> None:
        """Write the table for some shares, and start the threads that they need."""
        self._shares = ()
        threads = self._started(len(shares) - 1)
        self._memory = np.zeros(ROW_WORDS * len(shares), np.int64)
        self._words = self._memory.data
        arguments = routine(work_together), int(self._memory.ctypes.data), len(shares), TURNS
        self._machine = functools.partial(machine_call(), *arguments)
        for k, share in enumerate(shares):
            self._words[ROW_WORDS * k + SLOT] = threads[k - 1].address if k else 0
            self._write_work(k, share)
        self._shares = shares

    def _write_work(self, k: int, share: Share) -> None:
        """Write what share k runs."""
        first = ROW_WORDS * k + FUNCTION
        for i, word in enumerate(share.transfer.arguments):
            self._words[first + i] = word

    def _work_together(self) -> int:
        """Let shares go on until all have stopped: STOPPED or ANSWERED.

        A thread is woken up before its row says so. If an interrupt comes in between, it is woken up twice, and goes
        back to sleep the second time.
        """
        while (found := self._machine()) == HELD_UP:
            for k in range(1, len(self._shares)):
                place = ROW_WORDS * k + PHASE
                if self._words[place] == Phase.ASLEEP:
                    self._threads[k - 1].wake()
                    self._words[place] = Phase.ASKED
                elif self._words[place] in (Phase.LATE, Phase.ENGAGED):
                    self._threads[k - 1].wait()
        return found

    def _attend(self, errors: list[BaseException]) -> None:
        """Do what stages of shares ask for; errors end their shares."""
        words = self._words
        for k, share in enumerate(self._shares):
            first = ROW_WORDS * k
            if answer := words[first + ANSWER]:
                words[first + PHASE] = Phase.TO_DO
                try:
                    share.attend(answer)
                    self._write_work(k, share)
                except BaseException as error:  # the caller raises it
                    words[first + PHASE], words[first + ANSWER] = Phase.STOPPED, 0
                    errors.append(error)

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
        self._shares = ()
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


def _dismiss(threads: list[SiblingThread]) -> None:
    for sibling in threads:
        sibling.end()
    threads.clear()
