"""Computation of trajectories, with controls and outputs at each step, in lanes of a batch or in single worlds.

A trajectory stops after a step with a warning, and its remaining outputs repeat the outputs of that step.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from conjoint.api.functions.functions import mj_step
from conjoint.api.functions.state import STATE_FIELDS, state_parts
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.batch import Batch, worlds_of
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.memory.realisation import default_width
from conjoint.lang.threads.caller import heed
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.rollout.arguments import FULLPHYSICS, USER, Work, scatter
from conjoint.runtime.reset import initial_values, write
from conjoint.runtime.user import installed

Output = tuple[np.ndarray, Callable[[], np.ndarray]]
"""Output: an array with one entry per step, and a function that returns the current value to store."""

LEAST_BLOCKS = 2
"""Minimum number of blocks of worlds for which a batch is faster than single worlds."""


# ---- lanes of a batch


def roll_together(
    step: Callable[[np.ndarray], None],
    controls: np.ndarray,
    given: Sequence[np.ndarray],
    outputs: Sequence[Output],
    worlds: np.ndarray,
    stopped: Callable[[], np.ndarray],
) -> None:
    """Compute trajectories in several worlds of a batch, side by side.

    Args:
        step: function that steps at least the given worlds, which have not stopped.
        controls: controls, shape (count, nstep, n), with one trajectory per element of `worlds`.
        given: arrays of the components of a control, with one row per world of the batch, shape (nworld, ...).
        outputs: outputs, whose arrays have the shape (count, nstep, ...) and whose functions return one row per world
            of the batch.
        worlds: indices of the worlds in the batch.
        stopped: function that returns, for every world of the batch, whether it has caused a warning.
    """
    count, nstep = controls.shape[:2]
    moving, nworld = np.arange(count), len(stopped())
    for k in range(nstep):
        # if all worlds move, a slice avoids an index lookup for each row
        every = len(moving) == nworld
        rows: Any = slice(None) if every else worlds[moving]
        scatter(controls[:, k] if every else controls[moving, k], given, rows)
        step(worlds if every else worlds[moving])
        for array, read in outputs:
            if k and len(moving) < count:
                array[:, k] = array[:, k - 1]
            array[slice(None) if every else moving, k] = read()[rows]
        if (still := stopped()).any():
            moving = np.flatnonzero(~still[worlds])


def pays(work: Work) -> bool:
    """Return True if trajectories should run in lanes: if there are many, all of one model, and no Python callbacks."""
    many = len(work.models) == 1 and work.count >= LEAST_BLOCKS * default_width("float64")
    return many and jit_enabled() and not installed.active and not work.models[0].plans.current.single


def roll_out(work: Work, nthread: int) -> None:
    """Compute all trajectories of a rollout in the lanes of a batch."""
    with _exposed(work.models[0], work.count, nthread) as batch:
        batch.reset()
        if work.control is None:
            kept = state_parts(work.worlds[0], work.control_spec, "rollout")
            for part, rows in zip(kept, _columns(batch, work.control_spec), strict=True):
                rows[...] = part
        scatter(work.initial_state, _columns(batch, FULLPHYSICS))
        batch.qacc_warmstart = 0 if work.initial_warmstart is None else work.initial_warmstart
        arrays = worlds_of(batch).arrays
        outputs: list[Output] = [
            (work.state, partial(np.concatenate, _columns(batch, FULLPHYSICS), axis=1)),
            (work.sensordata, partial(np.asarray, arrays.results["sensordata"])),
        ]
        roll_together(
            lambda moving: batch.step(),
            work.controls,
            _columns(batch, work.control_spec) if work.control is not None else [],
            outputs,
            np.arange(work.count),
            lambda: np.asarray(arrays.lasting["warning.number"].any(axis=1)),
        )


def _columns(batch: Batch, spec: int) -> list[np.ndarray]:
    """Return the state components that `spec` selects, in order, each with one row per world."""
    found = [getattr(batch, field.name) for bit, field in STATE_FIELDS.items() if spec & bit]
    return [array.reshape(len(array), -1) for array in found]


_kept: list[tuple[tuple[Any, ...], np.ndarray, Batch]] = []
"""Cache with at most one batch of an earlier call: its settings, the contents of its model, and the batch."""


@contextmanager
def _exposed(model: MjModel, count: int, nthread: int) -> Iterator[Batch]:
    """Yield a batch of the model. A matching batch of the last call is reused, which saves the time of a few steps."""
    contents, key = model.memory.bytes, (count, nthread, installed.current)
    # remove the batch from the cache, because other threads may call this function at the same time
    found = []
    with contextlib.suppress(IndexError):
        found.append(_kept.pop())
    alike = [batch for was, before, batch in found if was == key and np.array_equal(before, contents)]
    before = contents.copy()
    batch = alike[0] if alike else Batch(model, count, nthread=nthread, keep=["sensordata"])
    yield batch
    _kept[:] = [(key, before, batch)]


def forget() -> None:
    """Discard the cached batch and its threads."""
    _kept.clear()


# ---- separate worlds


def roll_alone(
    m: MjModel, d: MjData, controls: np.ndarray, given: Sequence[np.ndarray], outputs: Sequence[Output]
) -> None:
    """Compute one trajectory in a single world.

    Args:
        m: the model.
        d: the world.
        controls: controls, shape (nstep, n).
        given: arrays of the world that contain the components of a control.
        outputs: outputs, whose arrays have the shape (nstep, ...).
    """
    warnings = d.world.data.view("warning.number")
    before = warnings.tobytes()
    for k, control in enumerate(controls):
        heed()
        scatter(control, given)
        mj_step(m, d)
        for array, read in outputs:
            array[k] = read()
        if warnings.tobytes() != before:
            for array, _ in outputs:
                array[k + 1 :] = array[k]
            break


def roll_out_alone(work: Work, pool: ThreadPool, chunk_size: int | None) -> None:
    """Compute all trajectories of a rollout in single worlds, with one thread per world."""
    size = chunk_size or max(1, work.count // (10 * len(work.worlds)))
    chunks = (range(first, min(first + size, work.count)) for first in range(0, work.count, size))
    pool.map(partial(_trajectories, work), chunks, work.worlds)


def _trajectories(work: Work, d: MjData, chunk: range) -> None:
    """Compute a chunk of trajectories in one world."""
    for index in chunk:
        m = work.models[index if len(work.models) > 1 else 0]
        _begin(work, m, d, index)
        given = state_parts(d, work.control_spec, "rollout") if work.control is not None else []
        physics, readings = state_parts(d, FULLPHYSICS, "rollout"), d.sensordata
        outputs: list[Output] = [
            (work.state[index], partial(np.concatenate, physics)),
            (work.sensordata[index], partial(np.asarray, readings)),
        ]
        roll_alone(m, d, work.controls[index], given, outputs)


def _begin(work: Work, m: MjModel, d: MjData, index: int) -> None:
    """Reset a world to the initial state of a trajectory, independent of earlier calls."""
    data = d.world.data
    for part in state_parts(d, USER & ~work.control_spec, "rollout"):
        part[...] = 0
    kept = [field.name for bit, field in STATE_FIELDS.items() if work.control_spec & bit]
    write(data, ((name, value) for name, value in initial_values(m.plans.current) if name not in kept))
    scatter(work.initial_state[index], state_parts(d, FULLPHYSICS, "rollout"))
    d.qacc_warmstart[...] = 0 if work.initial_warmstart is None else work.initial_warmstart[index]
    for name in ("warning.number", "warning.lastinfo", "warning_reported"):
        data.view(name)[...] = 0
