"""What a rollout records, and the controls that it applies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conjoint.api.functions.state import STATE_FIELDS, own_components
from conjoint.compat.batch.fields import STATE, check_bound
from conjoint.compat.batch.results import Results
from conjoint.schema.enums import mjtState

Item = str | int
"""What is recorded: a field by its name, or a part of the state by its bits (mjtState)."""


def components(function: str, spec: int) -> list[str]:
    """Fields of the state that bits name, in order.

    Raises:
        ValueError: they name others.
    """
    try:
        own = own_components(function, int(spec)) if spec >= 0 else -1
    except (TypeError, ValueError, RuntimeError):
        own = -1
    names = [field.name for bit, field in STATE_FIELDS.items() if own & bit] if own >= 0 else []
    if own < 0 or not STATE.keys() >= set(names):
        raise ValueError(f"{function}: {spec} is no sum of components of the state of a batch (mjtState)")
    return names


class Records:
    """Arrays into which a rollout writes after each step.

    Args:
        results: what the batch holds of its simulations.
        record: what is recorded.
        nsim, nstep: numbers of simulations and steps.
        out: arrays of the program, for some of it.

    Attributes:
        arrays: shape (nsim, nstep, ...), by what they record.

    Raises:
        ValueError: there is no such field, or an array has another shape or type.
    """

    def __init__(
        self, results: Results, record: Sequence[Item], nsim: int, nstep: int, out: Mapping[Item, np.ndarray] | None
    ):
        self._results, self.arrays = results, dict[Item, np.ndarray]()
        self._parts: list[tuple[np.ndarray, list[str]]] = []
        if isinstance(record, str | int):
            raise ValueError(f"record must be a list of names of fields or bits of mjtState, not {record!r}")
        for item in record:
            shape, dtype, names = self._wanted(item)
            given = (out or {}).get(item)
            array = np.zeros((nsim, nstep, *shape), dtype) if given is None else given
            if not isinstance(array, np.ndarray) or array.shape != (nsim, nstep, *shape) or array.dtype != dtype:
                raise ValueError(f"out[{item!r}] must be an array of {dtype}, of shape {(nsim, nstep, *shape)}")
            self.arrays[item] = array
            self._parts.append((array, names))

    def _wanted(self, item: Any) -> tuple[tuple[int, ...], np.dtype, list[str]]:
        """Shape of what is recorded of one simulation, its type, and the fields that it consists of."""
        if isinstance(item, str):
            if item not in STATE:
                check_bound(item, self._results.template)
                self._results.bind(item)
            return *self._results.shape(item), [item]
        names = components("rollout", item)
        size = sum(self._results.places[name].stop - self._results.places[name].start for name in names)
        return (size,), np.dtype(np.float64), names

    def take(self, step: int, moving: np.ndarray, sims: np.ndarray) -> None:
        """Record a step of the simulations that still move; what the others have is repeated."""
        still = np.ones(len(sims), bool)
        still[moving] = False
        for array, names in self._parts:
            if still.any() and step:
                array[still, step] = array[still, step - 1]
            rows = [self._field(name)[sims[moving]] for name in names]
            # no -1: there may be no row to find the number of columns from
            found = [x.reshape(len(moving), math.prod(x.shape[1:])) for x in rows]
            if found:
                array[moving, step] = np.concatenate(found, axis=1).reshape(len(moving), *array.shape[2:])

    def _field(self, name: str) -> np.ndarray:
        """A field of all simulations."""
        return self._results.component(name) if name in STATE else self._results.bound[name]


class Controls:
    """What is applied before each step.

    Args:
        results: what the batch holds of its simulations.
        control: shape (nsim or 1, nstep or 1, ncontrol); None: nothing.
        spec: what a control consists of, bits of mjtState; None: `ctrl`.
        nsim, nstep: numbers of simulations and steps.

    Raises:
        ValueError: the shape is another one, or the bits name more than inputs.
    """

    def __init__(self, results: Results, control: npt.ArrayLike | None, spec: int | None, nsim: int, nstep: int):
        names = ["ctrl"] if spec is None else components("control_spec", spec)
        inputs = {f.name for bit, f in STATE_FIELDS.items() if bit & int(mjtState.mjSTATE_USER)}
        if not inputs >= set(names):
            raise ValueError(f"control_spec must be bits of mjSTATE_USER, not {spec}")
        self._columns = [results.state[:, results.places[name]] for name in names]
        width = sum(column.shape[1] for column in self._columns)
        self._values: np.ndarray | None = None
        if control is not None:
            given = np.asarray(control, np.float64)
            full = (nsim, nstep, width)
            try:
                self._values = np.broadcast_to(given, full)
            except ValueError:
                raise ValueError(f"control must have shape {full}, not {given.shape}") from None

    def apply(self, step: int, moving: np.ndarray, sims: np.ndarray) -> None:
        """Put the controls of a step into the states of the simulations that still move."""
        if self._values is None:
            return
        first = 0
        for column in self._columns:
            end = first + column.shape[1]
            column[sims[moving]] = self._values[moving, step, first:end]
            first = end
