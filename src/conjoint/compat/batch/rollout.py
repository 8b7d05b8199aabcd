"""Controls that a rollout applies before each step, and values that it records after each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.api.functions.state import STATE_FIELDS, own_components
from conjoint.api.objects.data import MjData
from conjoint.compat.batch.fields import STATE, check_bound
from conjoint.compat.batch.results import Results
from conjoint.schema.enums import mjtState

Item = str | int
"""Item that a rollout records: a field by name, or a part of the state by bits of mjtState."""

INPUTS = frozenset(field.name for bit, field in STATE_FIELDS.items() if bit & int(mjtState.mjSTATE_USER))


def components(function: str, spec: int) -> list[str]:
    """Return the names of the state fields that a bit mask of mjtState selects, in the order of the state.

    Raises:
        ValueError: the mask contains unknown bits.
    """
    try:
        own = own_components(function, int(spec)) if spec >= 0 else 0
    except (TypeError, ValueError, RuntimeError):
        own = 0
    names = [field.name for bit, field in STATE_FIELDS.items() if own & bit]
    if (not own and spec != 0) or not STATE.keys() >= set(names):
        raise ValueError(f"{function}: {spec} is no sum of components of the state of a batch (mjtState)")
    return names


def input_fields(spec: int | None) -> list[str]:
    """Return the names of the fields that a control consists of. `spec` contains bits of mjtState; None selects `ctrl`.

    Raises:
        ValueError: the bits select fields that are not inputs.
    """
    names = ["ctrl"] if spec is None else components("control_spec", spec)
    if not INPUTS.issuperset(names):
        raise ValueError(f"control_spec must be bits of mjSTATE_USER, not {spec}")
    return names


class Record:
    """Array to which a rollout writes after each step.

    Args:
        results: results of the batch.
        item: the recorded item.
        nsim, nstep: numbers of simulations and steps.
        given: array to write to, or None for a new array.

    Attributes:
        array: recorded values, shape (nsim, nstep, ...).

    Raises:
        ValueError: the field does not exist, or the array has a different shape or type.
    """

    def __init__(self, results: Results, item: Any, nsim: int, nstep: int, given: np.ndarray | None):
        self._results = results
        if isinstance(item, str):
            self._names = [item]
            if item not in STATE:
                check_bound(item, results.template)
                results.bind(item)
            one, dtype = results.shape(item)
        else:
            self._names = components("rollout", item)
            one, dtype = (sum(results.size(name) for name in self._names),), np.dtype(np.float64)
        shape = (nsim, nstep, *one)
        self.array = np.zeros(shape, dtype) if given is None else given
        if not isinstance(self.array, np.ndarray) or self.array.shape != shape or self.array.dtype != dtype:
            raise ValueError(f"out[{item!r}] must be an array of {dtype}, of shape {shape}")

    def of_all(self) -> np.ndarray:
        """Return the current values to record for all simulations."""
        rows = [self._results.rows(name) for name in self._names]
        nsim = self._results.nsim
        return np.concatenate([row.reshape(nsim, -1) for row in rows], axis=1).reshape(nsim, *self.array.shape[2:])

    def of_world(self, data: MjData) -> np.ndarray:
        """Return the values to record from the world of one simulation."""
        parts = [data.world.data.view(name) if name in STATE else getattr(data, name) for name in self._names]
        return np.concatenate([np.reshape(part, -1) for part in parts]).reshape(self.array.shape[2:])


def records_of(
    results: Results, record: Sequence[Item], nsim: int, nstep: int, out: Mapping[Item, np.ndarray] | None
) -> dict[Item, Record]:
    """Return a `Record` for each item. Raises ValueError if `record` is not a list of valid items."""
    if isinstance(record, str | int):
        raise ValueError(f"record must be a list of names of fields or bits of mjtState, not {record!r}")
    return {item: Record(results, item, nsim, nstep, (out or {}).get(item)) for item in record}
