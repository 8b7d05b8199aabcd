"""Arguments of rollouts, with MuJoCo's rules for their shapes."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conjoint.api.functions.state import state_size
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.schema.enums import mjtState
from conjoint.schema.newer_names import official_bits, own_bits
from conjoint.schema.version import STANDS_FOR

FULLPHYSICS = int(mjtState.mjSTATE_FULLPHYSICS | mjtState.mjSTATE_HISTORY | mjtState.mjSTATE_PLASTIC)
USER = int(mjtState.mjSTATE_USER)
CTRL = int(mjtState.mjSTATE_CTRL)

Models = MjModel | Sequence[MjModel]
Worlds = MjData | Sequence[MjData]


@dataclass(frozen=True, slots=True)
class Work:
    """Complete arguments of a rollout (see `Rollout.rollout`)."""

    models: list[MjModel]
    worlds: list[MjData]
    control_spec: int
    initial_state: np.ndarray
    control: np.ndarray | None
    initial_warmstart: np.ndarray | None
    state: np.ndarray
    sensordata: np.ndarray

    @property
    def count(self) -> int:
        """Number of trajectories."""
        return len(self.initial_state)

    @property
    def controls(self) -> np.ndarray:
        """Controls, shape (count, nstep, n), where n is 0 if there are no controls."""
        return np.zeros((*self.state.shape[:2], 0)) if self.control is None else self.control


def own_spec(spec: int) -> int:
    """Convert `control_spec` to bits of `schema.enums`. The default value has the same bit in all MuJoCo versions.

    Raises:
        ValueError: `spec` contains components that are not inputs.
    """
    own = own_bits("state", spec) if STANDS_FOR.moved and spec != CTRL else spec
    if own & ~USER or (STANDS_FOR.moved and spec != CTRL and official_bits("state", own) != spec):
        raise ValueError("control_spec can only contain bits in mjSTATE_USER")
    return own


def scatter(numbers: np.ndarray, parts: Sequence[np.ndarray], rows: Any = ...) -> None:
    """Split an array along its last dimension, and write the parts to the given rows of several arrays."""
    start = 0
    for part in parts:
        width = part.shape[-1]
        part[rows] = numbers[..., start : start + width]
        start += width


def _room(shape: tuple[int, ...]) -> np.ndarray:
    """Return a new, uninitialized array for an output.

    Raises:
        ValueError: there is not enough memory.
    """
    try:
        return np.empty(shape)
    except (MemoryError, ValueError):
        raise ValueError(f"no memory for outputs of shape {shape}: nbatch, nstep, numbers") from None


def shapes(m: MjModel, control_spec: int) -> dict[str, tuple[int, int]]:
    """Return the number of dimensions of each array argument, and its length along the last dimension.

    The first dimension is the trajectory. If there are three dimensions, the second is the step.
    """
    nstate = state_size(m, FULLPHYSICS)
    return {
        "initial_state": (2, nstate),
        "control": (3, state_size(m, control_spec)),
        "initial_warmstart": (2, m.nv),
        "state": (3, nstate),
        "sensordata": (3, m.nsensordata),
    }


OUTPUTS = ("state", "sensordata")


def completed(
    models: list[MjModel], control_spec: int, nstep: int | None, given: Mapping[str, Any]
) -> dict[str, np.ndarray | None]:
    """Return complete arrays: inputs are broadcast, and missing outputs are allocated."""
    if given["initial_state"] is None:
        raise ValueError("initial_state must be given: states of mjSTATE_FULLPHYSICS (mj_getState)")
    wanted = shapes(models[0], control_spec)
    arrays = {name: _array(name, given[name], *shape) for name, shape in wanted.items()}
    there = {name: array for name, array in arrays.items() if array is not None}
    nbatch = _length(0, {name: array.shape[0] for name, array in there.items()}, len(models))
    nstep = _length(
        1, {name: array.shape[1] for name, array in there.items() if array.ndim == 3}, 1 if nstep is None else nstep
    )
    if len(models) not in (1, nbatch):
        raise ValueError(f"nbatch inferred as {nbatch} but model is length {len(models)}")
    for name, array in there.items():
        full = (*(nbatch, nstep)[: array.ndim - 1], array.shape[-1])
        if name in OUTPUTS and array.shape != full:
            raise ValueError(f"{name} must have shape {full}, got {array.shape}")
        arrays[name] = array if name in OUTPUTS else np.broadcast_to(array, full)
    made = {name: _room((nbatch, nstep, wanted[name][1])) for name in OUTPUTS if arrays[name] is None}
    return arrays | made


def as_they_are(models: list[MjModel], control_spec: int, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arrays unchanged, after only those checks that prevent memory access outside the arrays.

    Raises:
        ValueError: an array is missing, or its shape is not complete.
    """
    for name, ndim in (("initial_state", 2), ("state", 3)):
        if np.ndim(given[name]) != ndim:
            raise ValueError(f"skip_checks: {name} {INCOMPLETE}")
    nbatch, nstep = np.shape(given["state"])[:2]
    for name, (ndim, last) in shapes(models[0], control_spec).items():
        array, full = given[name], (*(nbatch, nstep)[: ndim - 1], last)
        if array is None and name in ("control", "initial_warmstart"):
            continue
        if np.shape(array) != full or not isinstance(array, np.ndarray) or array.dtype != np.float64:
            raise ValueError(f"skip_checks: {name} {INCOMPLETE}; here it has the shape {full} and type float64")
    if 1 < len(models) < nbatch:
        raise ValueError(f"skip_checks: nbatch is {nbatch} but model is length {len(models)}")
    return given


INCOMPLETE = "must be a complete array, because skip_checks neither creates nor repeats arrays"


def _array(name: str, value: npt.ArrayLike | None, ndim: int, last: int) -> np.ndarray | None:
    """Return an argument as a float64 array. Missing leading dimensions are added, and the last length is checked."""
    if value is None:
        return None
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        # for example, rows have different lengths
        raise ValueError(f"{name} must be a numpy array or float, not {reprlib.repr(value)}") from None
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be a numpy array or float")
    if array.ndim > ndim:
        raise ValueError(f"{name} can have at most {ndim} dimensions")
    full = np.ascontiguousarray(array, np.float64).reshape((1,) * (ndim - array.ndim) + array.shape)
    if full.shape[-1] != last:
        raise ValueError(f"trailing dimension of {name} must be {last}, got {full.shape[-1]}")
    return full


def _length(dimension: int, lengths: dict[str, int], default: int) -> int:
    """Return the length of a broadcast dimension. Raises ValueError unless all lengths other than 1 are equal."""
    found = default
    for name, length in lengths.items():
        if length != 1:
            if found not in (1, length) or (found == 0 and length != 0):
                raise ValueError(f"dimension {dimension} inferred as {found} but {name} has {length}")
            found = length
    return found
