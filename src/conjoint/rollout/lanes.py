"""Trajectories side by side in the lanes of a batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from conjoint.api.functions.state import STATE_FIELDS, state_parts
from conjoint.api.objects.model import MjModel
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.memory.realisation import default_width
from conjoint.rollout.arguments import FULLPHYSICS, Work, scatter
from conjoint.runtime.user import installed

LEAST_BLOCKS = 2
"""Blocks of lanes from which on a batch is faster than single worlds."""


def pays(work: Work) -> bool:
    """Whether trajectories run in lanes: many of one model, without functions of Python in the pipeline."""
    many = len(work.models) == 1 and work.count >= LEAST_BLOCKS * default_width("float64")
    return many and jit_enabled() and not installed.active and not work.models[0].plans.current.single


def roll_out(work: Work, nthread: int) -> None:
    """Compute all trajectories; after a step with a warning the outputs of a trajectory stay as they are."""
    with _lent(work.models[0], work.count, nthread) as batch:
        _begin(work, batch)
        state = _columns(batch, FULLPHYSICS)
        controls = _columns(batch, work.control_spec) if work.control is not None else []
        still = np.zeros(work.count, bool)
        for step in range(work.state.shape[1]):
            if work.control is not None:
                scatter(work.control[:, step], controls)
            batch.step()
            np.concatenate(state, axis=1, out=work.state[:, step])
            work.sensordata[:, step] = batch.sensordata
            if still.any():
                for output in (work.state, work.sensordata):
                    output[still, step] = output[still, step - 1]
            still |= getattr(batch, "warning.number").any(axis=1)


def _begin(work: Work, batch: Batch) -> None:
    """Put every world into the initial state of its trajectory, with the inputs that are kept."""
    batch.reset()
    if work.control is None:
        kept = state_parts(work.worlds[0], work.control_spec, "rollout")
        for part, rows in zip(kept, _columns(batch, work.control_spec), strict=True):
            rows[...] = part
    scatter(work.initial_state, _columns(batch, FULLPHYSICS))
    batch.qacc_warmstart = 0 if work.initial_warmstart is None else work.initial_warmstart


def _columns(batch: Batch, spec: int) -> list[np.ndarray]:
    """The components of the state that `spec` names, in order: a row for each world."""
    found = [getattr(batch, field.name) for bit, field in STATE_FIELDS.items() if spec & bit]
    return [array.reshape(len(array), -1) for array in found]


_kept: list[tuple[tuple[Any, ...], np.ndarray, Batch]] = []
"""At most one batch of an earlier call: what it was made for, the contents of its model, and the batch."""


@contextmanager
def _lent(model: MjModel, count: int, nthread: int) -> Iterator[Batch]:
    """A batch of a model as it is now: that of the last call if it was alike, for making one takes some steps' time."""
    contents, key = model.memory.bytes, (count, nthread, installed.current)
    # other threads of the program may be here as well, so it is taken away
    found = []
    with contextlib.suppress(IndexError):
        found.append(_kept.pop())
    alike = [batch for was, before, batch in found if was == key and np.array_equal(before, contents)]
    before = contents.copy()
    batch = alike[0] if alike else Batch(model, count, nthread=nthread, keep=["sensordata"])
    yield batch
    _kept[:] = [(key, before, batch)]


def forget() -> None:
    """Let go of the batch of the last call, and with it of its threads."""
    _kept.clear()
