"""Simulations that take turns in a few worlds: each is what `mj_step` makes of it, bit for bit."""

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
from conjoint.lang.threads.caller import heed
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.official_batch.fields import INTEGRATION
from conjoint.official_batch.models import Models
from conjoint.official_batch.results import Results
from conjoint.schema.enums import mjtStage
from conjoint.schema.newer_names import official_bits
from conjoint.schema.version import STANDS_FOR

Action = Callable[[MjModel, MjData, int], None]
"""What is done with a simulation: its model, a world that has its state, and which of the call's it is."""

COUNTERS = ("warning.lastinfo", "warning.number")


@dataclass
class Place:
    """Where simulations run one after the other.

    Attributes:
        model: a copy of the model of the batch, which takes the values of each simulation; None: not needed yet.
        data: a world.
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
"""Functions that compute the stages of forward dynamics up to one."""


def compute(m: MjModel, d: MjData, stage: int) -> None:
    """Compute the stages of forward dynamics up to one (mjtStage)."""
    for name in UP_TO[mjtStage(stage)]:
        run(m, d, name)


def stepping(nstep: int, stage: int) -> Action:
    """The action that takes steps, and then computes the stages up to one."""

    def go(m: MjModel, d: MjData, _: int) -> None:
        for _ in range(nstep):
            heed()
            mj_step(m, d)
        compute(m, d, stage)

    return go


class Worlds:
    """Worlds in which simulations run.

    Args:
        results: what is held of the simulations.
        models: their models.
        nthread: threads, that of the caller among them.
        persistent: whether each simulation has a world of its own.
    """

    def __init__(self, results: Results, models: Models, nthread: int, persistent: bool):
        self.results, self.models, self.nthread = results, models, nthread
        self._places = [Place(None, MjData(models.model)) for _ in range(min(nthread, results.nsim))]
        self._own = [MjData(models.model) for _ in range(results.nsim)] if persistent else None
        self._pool = ThreadPool("conjoint batch")
        self._signature = official_bits("state", INTEGRATION) if STANDS_FOR.moved else INTEGRATION

    def of(self, sim: int) -> MjData | None:
        """The world that a simulation has of its own, if it has one."""
        return self._own[sim] if self._own is not None else None

    def run(self, sims: np.ndarray, action: Action, save: bool = True) -> None:
        """Do something with simulations, on all threads.

        A simulation in which an error comes up keeps its state, and counts as failed (`Results.status`). If the caller
        is interrupted, those that have not ended keep their state.

        Args:
            sims: their numbers.
            action: what to do.
            save: whether their state and fields are kept afterwards.
        """
        self.results.succeed(sims)
        if not len(sims):
            return
        tasks = enumerate(np.asarray(sims).tolist())
        self._pool.map(partial(self._run_one, action=action, save=save), tasks, self._places)

    def forget_models(self) -> None:
        """Let go of copies of the model in which an action wrote more than a simulation's own values."""
        for place in self._places:
            place.model = None

    def _run_one(self, place: Place, task: tuple[int, int], action: Action, save: bool) -> None:
        """Run a simulation: which of the call's, and its number. After an error it keeps its state."""
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
        """The model on which a simulation runs."""
        models = self.models
        if models.given is not None:
            return models.of(sim)
        if not models.expanded and not models.derived:
            return models.model
        if place.model is None:
            place.model = copy.copy(models.model)
        return models.written(place.model, sim)

    def load(self, model: MjModel, data: MjData, sim: int) -> None:
        """Put a world into the state of a simulation."""
        mj_setState(model, data, self.results.state[sim], self._signature)
        counters = self.results.warning[sim]
        for column, name in enumerate(COUNTERS):
            data.world.data.view(name)[...] = counters[:, column]

    def store(self, model: MjModel, data: MjData, sim: int) -> None:
        """Keep the state of a world, and fields that are bound, as those of a simulation."""
        mj_getState(model, data, self.results.state[sim], self._signature)
        counters = self.results.warning[sim]
        for column, name in enumerate(COUNTERS):
            counters[:, column] = data.world.data.view(name)
        self.results.take(data, sim)

    def close(self) -> None:
        """End the threads."""
        self._pool.close()
