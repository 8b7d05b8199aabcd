"""Worker side of a cluster, which steps blocks of worlds; `cluster_worlds` is the driver side.

Messages between processes consist of tuples, dictionaries, numbers, strings and arrays, so that processes with
different versions of this package can still report the mismatch.
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
"""Values of the worlds of a block by field; model rows have the prefix `model.`."""

MOST_MODELS = 8
"""Maximum number of batches that a worker caches. The least recently used batch is dropped first."""


def engine() -> dict[str, str]:
    """Return a description of this engine, with everything that affects the exact results."""
    from importlib.metadata import version

    from conjoint import __version__

    return {
        "conjoint": __version__,
        "source": source_state()[:16],
        "llvmlite": version("llvmlite"),
    }


_batches: OrderedDict[Any, Batch] = OrderedDict()
"""Cache of batches, with one batch for each combination of model and settings."""


def work(
    settings: tuple[Any, ...], load: Callable[[], bytes], state: Rows | None, changes: Rows, job: Mapping[str, Any]
) -> tuple[dict[str, Any], Rows]:
    """Run a job on a block of worlds, continuing from their last state.

    Args:
        settings: digest of the model, precision, names of fields that vary, number of threads, and number of worlds of
            the largest block.
        load: function that returns the pickled model.
        state: fields of the worlds after the last call, from which they continue; None if `changes` contains all of
            them.
        changes: values set since the last call.
        job: `function` and `nstep`, or `ctrl` and `record` of a rollout; names of results to send back (`keep`), and of
            fields to send back if they have changed (`live`).

    Returns:
        The results for the driver, and the fields from which the worlds continue.
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
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always", SimulationWarning)
        if job["ctrl"] is None:
            worlds.run(job["function"], job["nstep"])
        else:
            ctrl = np.zeros((batch.nworld, *job["ctrl"].shape[1:]), job["ctrl"].dtype)
            ctrl[own] = job["ctrl"]
            recorded = batch.rollout(ctrl, job["record"])
    # leave out inputs that other programs added to the cached batch
    after = {name: array for name, array in batch.snapshot(own).items() if name in rows}
    answer = {
        "live": {name: after[name] for name in job["live"] if not same_bits(after[name], rows[name])},
        "results": {name: worlds.arrays.results[name][own].copy() for name in job["keep"]},
        "recorded": {name: rows[own] for name, rows in recorded.items()},
        "warnings": [(str(each.message), each.category, getattr(each.message, "worlds", ())) for each in reported],
    }
    return answer, after


def _batch(settings: tuple[Any, ...], load: Callable[[], bytes]) -> Batch:
    """Return the worker's batch for these settings, created on first use."""
    if settings not in _batches:
        _, precision, vary, nthread, nworld = settings
        _batches[settings] = Batch(pickle.loads(load()), nworld, precision, nthread=nthread, vary=vary)
        while len(_batches) > MOST_MODELS:
            _batches.popitem(last=False)
    _batches.move_to_end(settings)
    return _batches[settings]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Return True if arrays of the same type are bit-identical: signs of zeros are compared, and NaN equals itself."""
    bits = np.dtype(f"u{a.dtype.itemsize}")
    return a.shape == b.shape and np.array_equal(np.ascontiguousarray(a).view(bits), np.ascontiguousarray(b).view(bits))
