"""Computation of trajectories, with controls and outputs at each step, in the lanes of a batch or in single worlds.

After a step with a warning, a trajectory stops: the rest of its outputs repeat that step.
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
"""Array that records after each step, and a function that returns the current value."""

LEAST_BLOCKS = 2
"""Minimum number of blocks for which a batch is faster than single worlds."""


# ---- many worlds


def roll_together(
    step: Callable[[np.ndarray], None],
    controls: np.ndarray,
    given: Sequence[np.ndarray],
    outputs: Sequence[Output],
    worlds: np.ndarray,
    stopped: Callable[[], np.ndarray],
) -> None:
    """Step some worlds side by side.

    Args:
        step: takes a step of at least the given worlds, those that have not stopped.
        controls: shape (count, nstep, n), one trajectory for each of `worlds`.
        given: components of a control: columns for all worlds, shape (nworld, ...).
        outputs: arrays of shape (count, nstep, ...); the functions return a row for every world.
        worlds: numbers of the worlds.
        stopped: returns for every world whether it has a warning.
    """
    count, nstep = controls.shape[:2]
    moving, nworld = np.arange(count), len(stopped())
    for k in range(nstep):
        # a slice avoids an index lookup for each row
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
    """Return True if trajectories should run in lanes: there are many of one model, without Python callbacks."""
    many = len(work.models) == 1 and work.count >= LEAST_BLOCKS * default_width("float64")
    return many and jit_enabled() and not installed.active and not work.models[0].plans.current.single


def roll_out(work: Work, nthread: int) -> None:
    """Compute all trajectories in lanes."""
    with _lent(work.models[0], work.count, nthread) as batch:
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
    """Return the state components in `spec`, in order: a row for each world."""
    found = [getattr(batch, field.name) for bit, field in STATE_FIELDS.items() if spec & bit]
    return [array.reshape(len(array), -1) for array in found]


_kept: list[tuple[tuple[Any, ...], np.ndarray, Batch]] = []
"""Cache of at most one batch of an earlier call: its settings, the contents of its model, and the batch."""


@contextmanager
def _lent(model: MjModel, count: int, nthread: int) -> Iterator[Batch]:
    """Yield a batch of the current model; reuse an equal one from the last call, which saves the time of some steps."""
    contents, key = model.memory.bytes, (count, nthread, installed.current)
    # remove it from the cache, because other threads may call this, too
    found = []
    with contextlib.suppress(IndexError):
        found.append(_kept.pop())
    alike = [batch for was, before, batch in found if was == key and np.array_equal(before, contents)]
    before = contents.copy()
    batch = alike[0] if alike else Batch(model, count, nthread=nthread, keep=["sensordata"])
    yield batch
    _kept[:] = [(key, before, batch)]


def forget() -> None:
    """Drop the cached batch and its threads."""
    _kept.clear()


# ---- single worlds


def roll_alone(
    m: MjModel, d: MjData, controls: np.ndarray, given: Sequence[np.ndarray], outputs: Sequence[Output]
) -> None:
    """Step a single world.

    Args:
        m: the model.
        d: the world.
        controls: shape (nstep, n).
        given: components of a control, in the world.
        outputs: arrays of shape (nstep, ...).
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
    """Compute all trajectories in single worlds, one thread per world."""
    size = chunk_size or max(1, work.count // (10 * len(work.worlds)))
    chunks = (range(first, min(first + size, work.count)) for first in range(0, work.count, size))
    pool.map(partial(_trajectories, work), chunks, work.worlds)


def _trajectories(work: Work, d: MjData, chunk: range) -> None:
    """Compute some trajectories in one world."""
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
    """Reset the world to the initial state of a trajectory, independent of earlier calls."""
    data = d.world.data
    for part in state_parts(d, USER & ~work.control_spec, "rollout"):
        part[...] = 0
    kept = [field.name for bit, field in STATE_FIELDS.items() if work.control_spec & bit]
    write(data, ((name, value) for name, value in initial_values(m.plans.current) if name not in kept))
    scatter(work.initial_state[index], state_parts(d, FULLPHYSICS, "rollout"))
    d.qacc_warmstart[...] = 0 if work.initial_warmstart is None else work.initial_warmstart[index]
    for name in ("warning.number", "warning.lastinfo", "warning_reported"):
        data.view(name)[...] = 0
