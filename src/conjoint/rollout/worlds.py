"""Trajectories in single worlds, one after the other: each is what `mj_step` makes of it, bit for bit."""

from __future__ import annotations

from functools import partial

import numpy as np

from conjoint.api.functions.functions import mj_step
from conjoint.api.functions.state import STATE_FIELDS, state_parts
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang.threads.caller import heed
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.rollout.arguments import FULLPHYSICS, USER, Work, scatter
from conjoint.runtime.reset import initial_values, write


def roll_out_alone(work: Work, pool: ThreadPool, chunk_size: int | None) -> None:
    """Compute all trajectories, with a thread for each of the worlds."""
    size = chunk_size or max(1, work.count // (10 * len(work.worlds)))
    chunks = (range(first, min(first + size, work.count)) for first in range(0, work.count, size))
    pool.map(partial(_trajectories, work), chunks, work.worlds)


def _trajectories(work: Work, d: MjData, chunk: range) -> None:
    """Some trajectories, in a world."""
    for index in chunk:
        _trajectory(work, work.models[index if len(work.models) > 1 else 0], d, index)


def _trajectory(work: Work, m: MjModel, d: MjData, index: int) -> None:
    """One trajectory from its first to its last step, or to the first with a warning."""
    _begin(work, m, d, index)
    physics, readings = state_parts(d, FULLPHYSICS, "rollout"), d.sensordata
    controls = state_parts(d, work.control_spec, "rollout") if work.control is not None else []
    warnings = d.world.data.view("warning.number")
    states, sensors = work.state[index], work.sensordata[index]
    for step in range(len(states)):
        heed()
        if work.control is not None:
            scatter(work.control[index, step], controls)
        mj_step(m, d)
        np.concatenate(physics, out=states[step])
        sensors[step] = readings
        if warnings.any():
            states[step + 1 :], sensors[step + 1 :] = states[step], sensors[step]
            break


def _begin(work: Work, m: MjModel, d: MjData, index: int) -> None:
    """Put the world into the initial state of a trajectory, whatever happened in it before."""
    data = d.world.data
    for part in state_parts(d, USER & ~work.control_spec, "rollout"):
        part[...] = 0
    kept = [field.name for bit, field in STATE_FIELDS.items() if work.control_spec & bit]
    write(data, ((name, value) for name, value in initial_values(m.plans.current) if name not in kept))
    scatter(work.initial_state[index], state_parts(d, FULLPHYSICS, "rollout"))
    d.qacc_warmstart[...] = 0 if work.initial_warmstart is None else work.initial_warmstart[index]
    for name in ("warning.number", "warning.lastinfo", "warning_reported"):
        data.view(name)[...] = 0
