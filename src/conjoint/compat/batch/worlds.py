"""Execution of simulations, either one by one in a few worlds, or side by side in the lanes of a batch.

Simulations that run one by one agree with `mj_step` bit for bit.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from conjoint.api.functions.functions import mj_step, run
from conjoint.api.functions.state import mj_getState, mj_resetData, mj_setState
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch import Batch
from conjoint.batch.arrays import READABLE
from conjoint.batch.batch import worlds_of
from conjoint.batch.varied_models import VARIABLE
from conjoint.compat.batch.fields import INTEGRATION, STATE
from conjoint.compat.batch.models import Models
from conjoint.compat.batch.results import Results
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.threads.caller import heed
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.runtime.user import installed
from conjoint.schema.enums import mjtStage
from conjoint.schema.newer_names import official_bits
from conjoint.schema.version import STANDS_FOR

Action = Callable[[MjModel, MjData, int], None]
"""Function that is called once per simulation.

Its arguments are the simulation's model, a world set to the simulation's initial state, and the simulation's index in
the call.
"""

COUNTERS = ("warning.lastinfo", "warning.number")


@dataclass
class Place:
    """Model and world with which a thread runs simulations one after another.

    Attributes:
        model: copy of the batch's model that receives the values of each simulation; None before its first use.
        data: world in which simulations run.
    """

    model: MjModel | None
    data: MjData


POSITION = ("mj_fwdPosition", "mj_sensorPos", "mj_energyPos")
VELOCITY = ("mj_fwdVelocity", "mj_sensorVel", "mj_energyVel")
UP_TO = {
    mjtStage.mjSTAGE_NONE: (),
    mjtStage.mjSTAGE_POS: POSITION,
    mjtStage.mjSTAGE_VEL: POSITION + VELOCITY,
    mjtStage.mjSTAGE_ACC: ("mj_forward",),
}
"""Names of the functions that compute forward dynamics up to a stage, by stage."""


def compute(m: MjModel, d: MjData, stage: int) -> None:
    """Compute the stages of forward dynamics up to `stage` (mjtStage)."""
    for name in UP_TO[mjtStage(stage)]:
        run(m, d, name)


def stepping(nstep: int, stage: int) -> Action:
    """Return the action that advances a simulation by steps, and then computes the stages up to `stage`."""

    def go(m: MjModel, d: MjData, _: int) -> None:
        for _ in range(nstep):
            heed()
            mj_step(m, d)
        compute(m, d, stage)

    return go


class Worlds:
    """Execution of simulations in separate worlds.

    Args:
        results: results of the simulations.
        models: models of the simulations.
        nthread: number of threads, including the caller's.
        persistent: whether each simulation has its own world.
    """

    def __init__(self, results: Results, models: Models, nthread: int, persistent: bool):
        self.results, self.models, self.nthread = results, models, nthread
        self._places = [Place(None, MjData(models.model)) for _ in range(min(nthread, results.nsim))]
        self._own = [MjData(models.model) for _ in range(results.nsim)] if persistent else None
        self._pool = ThreadPool("conjoint batch")
        self._signature = official_bits("state", INTEGRATION) if STANDS_FOR.moved else INTEGRATION

    def of(self, sim: int) -> MjData | None:
        """Return the persistent world of a simulation, or None if simulations are not persistent."""
        return self._own[sim] if self._own is not None else None

    def run(self, sims: np.ndarray, action: Action, save: bool = True) -> None:
        """Run an action on simulations, on all threads.

        A simulation with an error keeps its state, and is marked as failed (`Results.status`). If the caller is
        interrupted, unfinished simulations keep their state.

        Args:
            sims: indices of the simulations.
            action: function to call for each simulation.
            save: whether to store the simulations' states and fields afterwards.
        """
        self.results.succeed(sims)
        if not len(sims):
            return
        tasks = enumerate(np.asarray(sims).tolist())
        self._pool.map(partial(self._run_one, action=action, save=save), tasks, self._places)

    def forget_models(self) -> None:
        """Discard copies of the model, because an action changed more than the individual values of simulations."""
        for place in self._places:
            place.model = None

    def _run_one(self, place: Place, task: tuple[int, int], action: Action, save: bool) -> None:
        """Run one simulation, given its indices in the call and in the batch. If it fails, it keeps its state."""
        index, sim = task
        data = self._own[sim] if self._own is not None else place.data
        try:
            model = self._model(place, sim)
            self.load(model, data, sim)
            action(model, data, index)
        except Exception as error:
            self.results.fail(sim, error)
            mj_resetData(self.models.model, data)
            return
        if save:
            self.store(model, data, sim)

    def _model(self, place: Place, sim: int) -> MjModel:
        """Return the model on which a simulation runs."""
        models = self.models
        if models.given is not None:
            return models.of(sim)
        if not models.expanded and not models.derived:
            return models.model
        if place.model is None:
            place.model = copy.copy(models.model)
        return models.written(place.model, sim)

    def load(self, model: MjModel, data: MjData, sim: int) -> None:
        """Set a world to the state of a simulation."""
        mj_setState(model, data, self.results.state[sim], self._signature)
        counters = self.results.warning[sim]
        for column, name in enumerate(COUNTERS):
            data.world.data.view(name)[...] = counters[:, column]

    def store(self, model: MjModel, data: MjData, sim: int) -> None:
        """Store the state and the bound fields of a world as the results of a simulation."""
        mj_getState(model, data, self.results.state[sim], self._signature)
        counters = self.results.warning[sim]
        for column, name in enumerate(COUNTERS):
            counters[:, column] = data.world.data.view(name)
        self.results.take(data, sim)

    def close(self) -> None:
        """End the threads."""
        self._pool.close()


LEAST = 16
"""Minimum number of simulations for which lanes are used by default. It is at least two blocks of worlds."""


class Lanes:
    """Execution of simulations in the lanes of a batch.

    Args:
        results: results of the simulations.
        models: models of the simulations.
        nthread: number of threads.
        wanted: False to never use lanes, True to use lanes if possible, None to use lanes only if this is also faster.
    """

    def __init__(self, results: Results, models: Models, nthread: int, wanted: bool | None):
        self.results, self.models, self.nthread = results, models, nthread
        self._wanted = jit_enabled() and (results.nsim >= LEAST if wanted is None else wanted)
        self._batch: Batch | None = None
        self._made_for: tuple[object, ...] = ()

    def can(self) -> bool:
        """Return True if lanes can be used, because models differ only in fields that may vary within a batch."""
        models = self.models
        if not self._wanted or models.given is not None or installed.active or models.model.plans.current.single:
            return False
        return (
            models.expanded.keys() <= VARIABLE
            and self.results.bound.keys() <= READABLE.keys()
            and models.follows(worlds_of(self._current()).varied.sources)
        )

    def _current(self) -> Batch:
        """Return the batch. It is created again if the set of expanded fields has changed."""
        names, key = [*self.models.expanded], (*self.models.expanded, installed.current)
        if self._batch is None or self._made_for != key:
            self._batch = Batch(self.models.model, self.results.nsim, nthread=self.nthread, vary=names)
            self._made_for = key
        return self._batch

    def reset(self, sims: np.ndarray) -> None:
        """Discard values that stages have stored for later steps of some simulations."""
        if self._batch is not None:
            self._batch.reset(worlds=sims)

    def step(self, sims: np.ndarray, nstep: int, stage: int) -> None:
        """Advance simulations by steps, and then compute the stages up to `stage` (mjtStage)."""
        self._run(sims, [("mj_step", nstep), *_forward(stage)])

    def forward(self, sims: np.ndarray, stage: int) -> None:
        """Compute the stages of forward dynamics up to `stage`."""
        self._run(sims, _forward(stage))

    def _run(self, sims: np.ndarray, functions: list[tuple[str, int]]) -> None:
        """Run functions in order, each a given number of times, on some simulations."""
        results, worlds = self.results, worlds_of(self._current())
        results.succeed(sims)
        if not len(sims):
            return
        every = len(sims) == results.nsim
        # if all simulations run, a slice avoids an index lookup for each row
        rows = slice(None) if every else sims
        with worlds.turn.held:
            for name, values in self.models.expanded.items():
                worlds.varied.expose(name)[...] = values
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
    """Return the function that computes at least the stages up to `stage`, and how often it must be called."""
    if stage == mjtStage.mjSTAGE_NONE:
        return []
    return [("mj_forward" if stage == mjtStage.mjSTAGE_ACC else "mj_step1", 1)]
