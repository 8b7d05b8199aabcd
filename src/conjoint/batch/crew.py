"""Threads that wait for work: a batch hands each its share of a step in microseconds."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue

Job = Callable[[], None]
Answers = SimpleQueue[BaseException | None]
Tasks = SimpleQueue[tuple[Job, Answers] | None]
"""What a thread waits for: a job and where to say how it went, or None, which ends it."""


class Crew:
    """Threads that stay from call to call; they end when the crew is closed or nobody holds it any more.

    A thread sleeps until it has a job, and holds on to nothing of the crew's. Jobs should spend their time in machine
    code, which runs without the interpreter's lock.
    """

    def __init__(self) -> None:
        self._tasks: list[Tasks] = []
        self._process = os.getpid()
        weakref.finalize(self, _dismiss, self._tasks)

    def run(self, jobs: Sequence[Job]) -> None:
        """Run the first job in the caller's thread, each of the others in a thread of its own, and wait for all.

        Raises:
            Exception: what a job raised, after all have ended; the first of them where several did.
        """
        own, *others = jobs
        tasks = self._started(len(others))
        answers: Answers = SimpleQueue()
        for task, job in zip(tasks, others, strict=False):
            task.put((job, answers))
        try:
            # its machine code lets go of the interpreter, and the others begin
            own()
        finally:
            errors = [answers.get() for _ in others]
        for error in errors:
            if error is not None:
                raise error

    def _started(self, count: int) -> list[Tasks]:
        """At least so many threads, in the order in which they were started."""
        if self._process != os.getpid():
            # a fork has only the thread that made it
            self._tasks.clear()
            self._process = os.getpid()
        while len(self._tasks) < count:
            task: Tasks = SimpleQueue()
            threading.Thread(target=_serve, args=(task,), name="conjoint batch", daemon=True).start()
            self._tasks.append(task)
        return self._tasks

    def close(self) -> None:
        """End the threads; another `run` starts new ones."""
        _dismiss(self._tasks)


def _dismiss(tasks: list[Tasks]) -> None:
    for task in tasks:
        task.put(None)
    tasks.clear()


def _serve(tasks: Tasks) -> None:
    """Do what comes, until None comes."""
    for job, answers in iter(tasks.get, None):
        answers.put(_outcome(job))
        # hold nothing while waiting
        del job, answers


def _outcome(job: Job) -> BaseException | None:
    try:
        job()
    except BaseException as error:  # the caller raises it
        return error
    return None
