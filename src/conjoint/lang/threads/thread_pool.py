"""Scheduler for all computations on many worlds: threads that wait for work, and methods that divide work among them.

It uses these terms:

* A *worker* is a thread; a `ThreadPool` has as many workers as its calls have needed at once. The caller's thread
  works, too.
* A *workspace* is memory for the work of one thread: a block, an `MjData`, a pipeline of derivatives.
* A *task* is a unit of work: one or several worlds. The next free thread takes it.

Work in Python, with calls to machine code that are long enough, uses `map`:

    pool = ThreadPool("conjoint derivatives")
    found = pool.map(lambda workspace, world: workspace.derivative_at(world), range(nworld), workspaces)

Work in machine code alone, such as the step of a batch, uses `run`, which starts it without the Python interpreter.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from ..calls.compiled import routine
from ..calls.fast_call import machine_call
from ..routines.worker_code import ANSWER, FUNCTION, HELD_UP, PHASE, ROW_WORDS, SLOT, STOPPED, Phase, work_together
from ..warn import held_warnings, warn
from .caller import Work, heed
from .worker import TURNS, Worker

Result = TypeVar("Result")
Workspace = TypeVar("Workspace")
Task = TypeVar("Task")

PAUSE = 0.2
"""Seconds between checks for interrupts while a caller waits, on systems where waiting blocks interrupts (Windows)."""


class Share(Protocol):
    """Part of the work that one thread does in a call to machine code.

    Attributes:
        transfer: object with `arguments` (a function of machine code and its three arguments) and `go_on`, which calls
            this function. The call begins or resumes the work, and returns 0, or a status for `attend`.
    """

    @property
    def transfer(self) -> Any: ...

    def attend(self, answer: int) -> None:
        """Handle the request of a stage with status `answer`, so that the machine code can resume."""


class ThreadPool:
    """Workers that persist between calls; they end when the pool is closed or no longer referenced.

    They start when a call first needs them, and again in a forked child. A pool serves one caller at a time. If several
    threads of a program use it, they must hold a lock during a call. A part of the work may use another pool.

    Args:
        name: name of its threads.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._workers: list[Worker] = []
        self._process = os.getpid()
        self._shares: Sequence[Share] = ()
        self._memory = np.zeros(0, np.int64)
        weakref.finalize(self, _end_all, self._workers)

    def workers(self, count: int) -> list[Worker]:
        """Return `count` workers, in the order in which they started; start missing ones."""
        if self._process != os.getpid():
            # a forked child has only the thread that forked
            self._workers.clear()
            self._process = os.getpid()
        while len(self._workers) < count:
            self._workers.append(Worker(self._name))
        return self._workers[:count]

    def close(self) -> None:
        """End the threads. A later call starts new ones."""
        self._shares = ()
        _end_all(self._workers)

    # ---- Python functions

    def map(
        self, do: Callable[[Workspace, Task], Result], tasks: Iterable[Task], workspaces: Sequence[Workspace]
    ) -> list[Result]:
        """Do every task once, with one thread per workspace. Each free thread takes the next task.

        The caller issues the warnings of the threads at the end.

        Args:
            do: function that does a task in a workspace, and calls `heed` often if that takes long.
            tasks: tasks to do.
            workspaces: at least one workspace; the caller's thread uses the first.

        Returns:
            The results of `do`, in the order of the tasks.

        Raises:
            BaseException: as in `do_all`; tasks that have not begun by then are skipped.
        """
        every = list(tasks)
        found: list[Any] = [None] * len(every)
        # several threads may advance the iterator of a range at the same time
        left = iter(range(len(every)))

        def part(workspace: Workspace) -> None:
            for number in left:
                heed()
                found[number] = do(workspace, every[number])

        def silent_part(workspace: Workspace) -> list[Warning]:
            with held_warnings() as reported:
                part(workspace)
            return reported

        chosen = workspaces[: max(1, len(every))]
        if len(chosen) == 1:
            self.do_all([functools.partial(part, chosen[0])])
            return found
        for reported in self.do_all([functools.partial(silent_part, workspace) for workspace in chosen]):
            for warning in reported:
                warn(warning)
        return found

    def do_all(self, parts: Sequence[Callable[[], Result]]) -> list[Result]:
        """Do the first part in this thread and each further part in a worker, and wait until all parts have ended.

        Args:
            parts: functions that call `heed` often.

        Returns:
            The results of the functions, in their order.

        Raises:
            BaseException: the first exception that ended a part, or an interrupt of the caller; all parts have ended.
        """
        work, workers = Work(), list[Worker]()
        given = [_Part(work, part) for part in parts[1:]]
        try:
            workers += self.workers(len(given))
            for worker, part in zip(workers, given, strict=True):
                worker.submit(part)
            first = work.do(parts[0])
            for part in given:
                while not part.ended.wait(PAUSE):
                    work.heed()
        except BaseException as error:
            work.error = work.error or error
        if work.error is not None:
            _wait_for(given, workers)
            raise work.error from None
        return [first, *(part.result for part in given)]

    # ---- machine code

    def run(self, shares: Sequence[Share]) -> None:
        """Do the first share in the caller's thread and each further share in a worker, and wait until all are done.

        A table with one row per share stores their progress. Machine code starts the workers, does the caller's share
        and waits, without the Python interpreter. When all threads have stopped, the caller handles the requests of
        stages, and the shares that made these requests continue.

        An interrupt may come between any two bytecodes. It is recorded, and the loop continues: machine code finds in
        the table which shares have been started, and which have stopped. A share whose request was not handled
        continues from where it stopped, and makes the request again.

        Raises:
            Exception: the first exception raised while handling a request, after all other shares have ended.
            KeyboardInterrupt: the user interrupted the call; all shares have ended.
        """
        if len(shares) == 1:
            return _run_alone(shares[0])
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
        """Write the table that describes these shares to machine code, and start the threads that they need."""
        self._shares = ()
        workers = self.workers(len(shares) - 1)
        self._memory = np.zeros(ROW_WORDS * len(shares), np.int64)
        self._words = self._memory.data
        arguments = routine(work_together), int(self._memory.ctypes.data), len(shares), TURNS
        self._machine = functools.partial(machine_call(), *arguments)
        for k, share in enumerate(shares):
            self._words[ROW_WORDS * k + SLOT] = workers[k - 1].address if k else 0
            self._write_work(k, share)
        self._shares = shares

    def _write_work(self, k: int, share: Share) -> None:
        """Write the function and arguments of share k."""
        first = ROW_WORDS * k + FUNCTION
        for i, word in enumerate(share.transfer.arguments):
            self._words[first + i] = word

    def _work_together(self) -> int:
        """Continue the shares until all have stopped. Return STOPPED or ANSWERED.

        A thread is woken up before the table records it. If an interrupt comes in between, the thread is woken up
        twice, and sleeps again after the second time.
        """
        while (found := self._machine()) == HELD_UP:
            for k in range(1, len(self._shares)):
                place = ROW_WORDS * k + PHASE
                if self._words[place] == Phase.ASLEEP:
                    self._workers[k - 1].wake()
                    self._words[place] = Phase.ASKED
                elif self._words[place] in (Phase.LATE, Phase.ENGAGED):
                    self._workers[k - 1].wait()
        return found

    def _attend(self, errors: list[BaseException]) -> None:
        """Handle the requests of stages that stopped shares of the work; an error ends the share that caused it."""
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


def _run_alone(share: Share) -> None:
    """Run a single share of work, in the caller's thread, until it is complete."""
    interrupt: KeyboardInterrupt | None = None
    while True:
        try:
            answer = share.transfer.go_on()
        except KeyboardInterrupt as found:
            # the status is lost, but the share continues from where it stopped, and returns the status again
            interrupt = found
            continue
        if not answer:
            break
        share.attend(answer)
    if interrupt:
        raise interrupt


class _Part:
    """A part of the work, which a worker does only once even if it is called several times.

    Attributes:
        ended: event that is set when the part is done, or has raised an error (`Work.error`).
        result: result of the part.
    """

    def __init__(self, work: Work, do: Callable[[], Any]):
        self._work, self._do, self.ended = work, do, threading.Event()
        self.result: Any = None

    def __call__(self) -> None:
        if self.ended.is_set():
            return
        with contextlib.suppress(BaseException):
            self.result = self._work.do(self._do)
        self.ended.set()


def _wait_for(parts: Sequence[_Part], workers: Sequence[Worker]) -> None:
    """Wait until parts have ended, even if more interrupts come, because the parts use memory of the caller."""
    for part, worker in zip(parts, workers, strict=False):
        while not part.ended.is_set():
            try:
                # an interrupt may have come before the worker received the part
                worker.submit(part)
                part.ended.wait()
            except KeyboardInterrupt:
                continue


def _end_all(workers: list[Worker]) -> None:
    for worker in workers:
        worker.end()
    workers.clear()
