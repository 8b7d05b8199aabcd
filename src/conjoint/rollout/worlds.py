"""Trajectories in single worlds, one after the other: each is what `mj_step` makes of it, bit for bit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from conjoint.api.functions.functions import mj_step
from conjoint.api.functions.state import STATE_FIELDS, state_parts
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang.warn import Told, held_warnings, warn
from conjoint.rollout.arguments import FULLPHYSICS, USER, Work, scatter
from conjoint.runtime.reset import initial_values, write


def share_out(work: Work, pool: ThreadPoolExecutor | None, chunk_size: int | None) -> None:
    """Let every thread of a pool take trajectories until none are left; without one, the caller computes all."""
    worlds = work.worlds
    if pool is None:
        go(work, worlds[0], Shared(iter([range(work.count)])))
        return
    size = chunk_size or max(1, work.count // (10 * len(worlds)))
    chunks = Shared(range(first, min(first + size, work.count)) for first in range(0, work.count, size))
    futures = [pool.submit(_go_silently, work, world, chunks) for world in worlds]
    try:
        # what one thread has to say is told when all have ended
        outcomes = [future.result() for future in futures]
    except BaseException:
        # nobody works on the worlds any more when the caller goes on
        chunks.ended = True
        wait(futures)
        raise
    for text, category in [each for told, _ in outcomes for each in told]:
        warn(text, category)
    errors = [error for _, error in outcomes if error is not None]
    if errors:
        raise errors[0]


def _go_silently(work: Work, d: MjData, chunks: Shared) -> tuple[list[Told], BaseException | None]:
    """Compute trajectories in a thread of the pool; its warnings, and what ended it."""
    with held_warnings() as told:
        try:
            go(work, d, chunks)
        except BaseException as error:
            return told, error
    return told, None


class Shared(Iterator[range]):
    """Chunks of which each thread takes the next.

    Attributes:
        ended: whether the threads shall leave what they do.
    """

    def __init__(self, chunks: Iterator[range]):
        self._chunks, self._lock = chunks, threading.Lock()
        self.ended = False

    def __next__(self) -> range:
        with self._lock:
            return next(self._chunks)


def go(work: Work, d: MjData, chunks: Shared) -> None:
    """Compute trajectories in world `d`, as many as `chunks` gives."""
    for chunk in chunks:
        for index in chunk:
            _trajectory(work, work.models[index if len(work.models) > 1 else 0], d, index, chunks)


def _trajectory(work: Work, m: MjModel, d: MjData, index: int, chunks: Shared) -> None:
    """One trajectory from its first to its last step, or to the first with a warning."""
    _begin(work, m, d, index)
    physics, readings = state_parts(d, FULLPHYSICS, "rollout"), d.sensordata
    controls = state_parts(d, work.control_spec, "rollout") if work.control is not None else []
    warnings = d.world.data.view("warning.number")
    states, sensors = work.state[index], work.sensordata[index]
    for step in range(len(states)):
        if work.control is not None:
            scatter(work.control[index, step], controls)
        mj_step(m, d)
        np.concatenate(physics, out=states[step])
        sensors[step] = readings
        if chunks.ended:
            break
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
