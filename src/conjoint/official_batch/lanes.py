"""Simulations side by side in the lanes of a batch."""

from __future__ import annotations

import numpy as np

from conjoint.batch import Batch
from conjoint.batch.arrays import READABLE
from conjoint.batch.batch import worlds_of
from conjoint.batch.varied_models import VARIABLE
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.official_batch.fields import STATE
from conjoint.official_batch.models import Models
from conjoint.official_batch.results import Results
from conjoint.official_batch.worlds import COUNTERS
from conjoint.runtime.user import installed
from conjoint.schema.enums import mjtStage

LEAST = 16
"""Simulations from which on they run here if nothing else is asked for: two blocks of lanes or more."""


class Lanes:
    """A batch in which simulations run.

    Args:
        results: what is held of the simulations.
        models: their models.
        nthread: threads.
        wanted: False: simulations never run here; True: they do where they can; None: where it pays, too.
    """

    def __init__(self, results: Results, models: Models, nthread: int, wanted: bool | None):
        self.results, self.models, self.nthread = results, models, nthread
        self._wanted = jit_enabled() and (results.nsim >= LEAST if wanted is None else wanted)
        self._batch: Batch | None = None
        self._made_for: tuple[object, ...] = ()

    def can(self) -> bool:
        """Whether simulations run here now: one model, but for what worlds of a batch may have of their own."""
        models = self.models
        if not self._wanted or models.given is not None or installed.active or models.model.plans.current.single:
            return False
        return (
            models.expanded.keys() <= VARIABLE
            and self.results.bound.keys() <= READABLE.keys()
            and models.follows(worlds_of(self._current()).varied.sources)
        )

    def _current(self) -> Batch:
        """The batch, made anew when other fields are expanded than when it was made."""
        names, key = [*self.models.expanded], (*self.models.expanded, installed.current)
        if self._batch is None or self._made_for != key:
            self._batch = Batch(self.models.model, self.results.nsim, nthread=self.nthread, vary=names)
            self._made_for = key
        return self._batch

    def reset(self, sims: np.ndarray) -> None:
        """Simulations begin anew: what stages kept for their next steps is forgotten."""
        if self._batch is not None:
            self._batch.reset(worlds=sims)

    def step(self, sims: np.ndarray, nstep: int, stage: int) -> None:
        """Take steps, and then compute the stages up to one (mjtStage)."""
        self._run(sims, [("mj_step", nstep), *_forward(stage)])

    def forward(self, sims: np.ndarray, stage: int) -> None:
        """Compute the stages of forward dynamics up to one."""
        self._run(sims, _forward(stage))

    def _run(self, sims: np.ndarray, functions: list[tuple[str, int]]) -> None:
        """Run functions one after the other, each so many times, on some simulations."""
        results, worlds = self.results, worlds_of(self._current())
        results.succeed(sims)
        if not len(sims):
            return
        every = len(sims) == results.nsim
        # a slice moves rows without looking up their numbers
        rows = slice(None) if every else sims
        with worlds.turn.held:
            for name, values in self.models.expanded.items():
                worlds.varied.lend(name)[...] = values
            for name in results.bound:
                if name not in worlds.arrays.lasting and name not in worlds.arrays.results:
                    worlds.keep(name)
            state = {name: worlds.live(name) for name in STATE}
            counters = [worlds.arrays.lasting[name] for name in COUNTERS]
            for name, values in state.items():
                values[rows] = results.component(name)[rows]
            for column, values in enumerate(counters):
                values[rows] = results.warning[rows, :, column]
            for name, times in functions:
                if every:
                    worlds.run(name, times)
                else:
                    for _ in range(times):
                        worlds.run_some(name, sims)
            for name, values in state.items():
                results.component(name)[rows] = values[rows]
            for column, values in enumerate(counters):
                results.warning[rows, :, column] = values[rows]
            for name, shown in results.bound.items():
                found = worlds.arrays.results.get(name)
                values = worlds.arrays.lasting[name] if found is None else found
                shown[rows] = values[rows].reshape(-1, *shown.shape[1:])

    def close(self) -> None:
        """End the threads."""
        if self._batch is not None:
            self._batch.close()


def _forward(stage: int) -> list[tuple[str, int]]:
    """The function that computes the stages up to one, or more than it."""
    if stage == mjtStage.mjSTAGE_NONE:
        return []
    return [("mj_forward" if stage == mjtStage.mjSTAGE_ACC else "mj_step1", 1)]
