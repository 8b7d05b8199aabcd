"""Step blocks of worlds in a worker of a cluster; `cluster_worlds` is the driver's side.

All that passes between processes are tuples, dictionaries, numbers, texts and arrays: processes whose versions of this
package differ can still tell each other so.
"""

from __future__ import annotations

import pickle
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conjoint.batch.batch import Batch, worlds_of
from conjoint.lang.errors import SimulationWarning
from conjoint.lang.objects.source_state import source_state

Rows = dict[str, np.ndarray]
"""Numbers of the worlds of a block by name of field; `model.` stands before rows of the model."""

MOST_MODELS = 8
"""Maximum models whose batches a worker caches; the least recently used one is dropped first."""


def engine() -> dict[str, str]:
    """Return what computes here: all on which bits of results depend."""
    from importlib.metadata import version

    from conjoint import __version__

    return {
        "conjoint": __version__,
        "source": source_state()[:16],
        "llvmlite": version("llvmlite"),
    }


_batches: OrderedDict[Any, Batch] = OrderedDict()
"""Batches that this worker has made, one for each model and setting."""


def work(
    settings: tuple[Any, ...], load: Callable[[], bytes], state: Rows | None, changes: Rows, job: Mapping[str, Any]
) -> tuple[dict[str, Any], Rows]:
    """Let a block of worlds go on.

    Args:
        settings: digest of the model, precision, names of fields that vary, threads, and worlds of the largest block.
        load: returns the pickled model.
        state: all that the worlds go on from, as of the last call; None: `changes` has it.
        changes: what has been set since.
        job: `function` and `nstep`, or `ctrl` and `record` of a rollout; names of results to send back (`keep`), and of
            fields that are sent back where they have changed (`live`).

    Returns:
        what is sent to the driver, and all that the worlds go on from.
    """
    rows = {**(state or {}), **changes}
    count = len(next(iter(rows.values())))
    batch = _batch(settings, load)
    own = slice(0, count)
    batch.reset(worlds=slice(count, None))
    batch.restore(rows, worlds=own)
    worlds = worlds_of(batch)
    for name in job["keep"]:
        worlds.keep(name)
    recorded: Rows = {}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", SimulationWarning)
        if job["ctrl"] is None:
            worlds.run(job["function"], job["nstep"])
        else:
            ctrl = np.zeros((batch.nworld, *job["ctrl"].shape[1:]), job["ctrl"].dtype)
            ctrl[own] = job["ctrl"]
            recorded = batch.rollout(ctrl, job["record"])
    # inputs that other programs used are as at the beginning
    after = {name: array for name, array in batch.snapshot(own).items() if name in rows}
    answer = {
        "live": {name: after[name] for name in job["live"] if not same_bits(after[name], rows[name])},
        "results": {name: worlds.arrays.results[name][own].copy() for name in job["keep"]},
        "recorded": {name: rows[own] for name, rows in recorded.items()},
        "warnings": [(str(each.message), each.category, getattr(each.message, "worlds", ())) for each in told],
    }
    return answer, after


def _batch(settings: tuple[Any, ...], load: Callable[[], bytes]) -> Batch:
    """Return the worker's batch of these settings, made when they first come."""
    if settings not in _batches:
        _, precision, vary, nthread, nworld = settings
        _batches[settings] = Batch(pickle.loads(load()), nworld, precision, nthread=nthread, vary=vary)
        while len(_batches) > MOST_MODELS:
            _batches.popitem(last=False)
    _batches.move_to_end(settings)
    return _batches[settings]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Return True if arrays of equal types are equal bit by bit: zeros by their sign, NaN as a number."""
    bits = np.dtype(f"u{a.dtype.itemsize}")
    return a.shape == b.shape and np.array_equal(np.ascontiguousarray(a).view(bits), np.ascontiguousarray(b).view(bits))
