"""Dual pipelines of one model on all threads: machine code lets other threads of Python run."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.pipeline import DualPipeline
from conjoint.lang.system import processors
from conjoint.lang.threads.thread_pool import ThreadPool


class Worker:
    """What one thread takes derivatives with.

    Args:
        m: the model; the worker has a copy of it, which may be written to.
        function: the function that is differentiated.

    Attributes:
        m: the copy.
        d: a world of it.
    """

    def __init__(self, m: MjModel, function: str):
        self.m, self._function = copy.copy(m), function
        # its memory is written to
        self.m.plans.lent.lend_all()
        self.d = MjData(self.m)
        self._pipeline = DualPipeline(self.m, function)

    def values(self) -> DualPipeline:
        """The pipeline, after it has computed all values at the model and the world as they are now."""
        if not self._pipeline.holds(self.m):
            self._pipeline = DualPipeline(self.m, self._function)
        self._pipeline.at(self.d)
        return self._pipeline

    @property
    def pipeline(self) -> DualPipeline:
        """The pipeline as it was last."""
        return self._pipeline


class Workers:
    """As many workers as threads.

    Args:
        m: the model.
        function: the function that is differentiated.
        nthread: threads; by default as many as processors that the process may use.
    """

    def __init__(self, m: MjModel, function: str, nthread: int | None = None):
        self._model, self._function, self.nthread = copy.copy(m), function, nthread or processors()
        self.first = Worker(self._model, function)
        self._workers = [self.first]
        self._pool = ThreadPool("conjoint derivatives")

    def do(self, count: int, work: Callable[[Worker, int], Any]) -> list[Any]:
        """Do `work(worker, i)` for every number i below `count`, each once, in any order, on all threads.

        Returns:
            what the work returned, by number.

        Raises:
            BaseException: what the work raised, or an interrupt; numbers that nobody has begun are left out then.
        """
        if not count:
            return []
        # kernels are made by the first, before others ask for them
        found = [work(self.first, 0)]
        while len(self._workers) < min(self.nthread, count - 1):
            self._workers.append(Worker(self._model, self._function))
        chosen = self._workers[: min(self.nthread, count - 1)] or [self.first]
        return found + self._pool.map(work, range(1, count), chosen)
