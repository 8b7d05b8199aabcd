"""Fields that `Batch.bind` and `Batch.expand` accept, and selection of simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from conjoint.api.functions.state import STATE_FIELDS
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.compat.data_fields import ARRAYS as NEWER_DATA
from conjoint.lang.memory.layout import Field, Role
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_FIELDS as ROWS_OF_DATA
from conjoint.schema.enums import mjtState
from conjoint.schema.model import MODEL_FIELDS as ROWS_OF_MODEL
from conjoint.spec.problems import suggestion

INTEGRATION = int(mjtState.mjSTATE_INTEGRATION | mjtState.mjSTATE_HISTORY | mjtState.mjSTATE_PLASTIC)

STATE = {field.name: field for bit, field in STATE_FIELDS.items() if bit & INTEGRATION}
"""Fields of the state, in the order of the state vector, by name."""

COUNTS = ("nA", "nJ", "ncon", "ne", "nefc", "nf", "nidof", "nisland", "nl")
"""Counts of a world that `bind` accepts, too."""

ASSETS = ("nmesh", "nskin", "nhfield", "ntex", "nname", "npath", "nbvh", "noct", "ntextdata", "nplugin")
"""Prefixes of the names of model sizes that count assets. All simulations share assets."""

BODY_BOXES = "bvh_aabb"
"""Field with bounding boxes. The boxes of bodies are the only part of an asset field that can be expanded.

The boxes of bodies precede the boxes of meshes.
"""

OPTION = "opt."


def _fixed(field: Field) -> bool:
    """Return True if a field of a world is an array whose size depends only on the model."""
    in_arena = {"nefc", "ncon", "nY", "nisland", "nefmK", "nefmL", "nefmcon", "nefmdof"}
    whole = field.public and bool(field.shape) and "." not in field.name and field.role is not Role.STRUCTURE
    return whole and in_arena.isdisjoint(map(str, field.shape))


_ROWS = (*ROWS_OF_DATA, *(made.field for made in NEWER_DATA))
DATA_FIELDS = frozenset({*STATE, *COUNTS, *(row.name for row in _ROWS if _fixed(row))})
"""Fields of `MjData` that `bind` accepts."""


def _expandable(field: Field) -> bool:
    """Return True if simulations may have individual values of a model field."""
    if field.name.startswith(OPTION) or field.name == BODY_BOXES:
        return True
    shared = any(str(size).startswith(ASSETS) for size in field.shape[:1])
    return field.public and bool(field.shape) and "." not in field.name and not shared


MODEL_FIELDS = frozenset(row.name for row in ROWS_OF_MODEL if _expandable(row))
"""Fields of `MjModel` that `expand` accepts, including options, whose names have the prefix "opt."."""

IN_ARENA = frozenset(row.name for row in ARENA_ROWS if row.public)


def value_of(model: MjModel, name: str) -> np.ndarray:
    """Return the expandable part of a field of the model or its options, as an array."""
    if name.startswith(OPTION):
        value = np.asarray(getattr(model.opt, name.removeprefix(OPTION)))
        return value if value.dtype.kind == "f" else value.astype(np.int32)
    found: np.ndarray = getattr(model, name)
    if name == BODY_BOXES:
        return found[: int(model.mesh_bvhadr[0]) if model.nmesh else len(found)]
    return found


def set_value(model: MjModel, name: str, value: np.ndarray) -> None:
    """Set the values of a field of the model or its options."""
    if name.startswith(OPTION):
        group, member = model.opt, name.removeprefix(OPTION)
        if value.shape:
            getattr(group, member)[...] = value
        else:
            setattr(group, member, value.item())
    else:
        value_of(model, name)[...] = value


def hint(name: str, known: frozenset[str]) -> str:
    """Return a hint for the message about an unknown field name: the method that accepts it, or a similar name."""
    if known is DATA_FIELDS and name in MODEL_FIELDS:
        return f": it is a field of MjModel: use expand({name!r})"
    if known is MODEL_FIELDS and name in DATA_FIELDS:
        return f": it is a field of MjData: use bind({name!r})"
    if OPTION + name in MODEL_FIELDS:
        return f": it is an option: use expand('{OPTION}{name}')"
    return suggestion(name, sorted(known))


def check_bound(name: Any, data: MjData) -> None:
    """Raise ValueError, which gives the reason, if `bind` does not accept a field name."""
    if name in DATA_FIELDS:
        return
    if name in IN_ARENA:
        raise ValueError(f"{name} cannot be bound: it is stored in the arena, and its size changes from step to step")
    if isinstance(getattr(data, str(name), None), int):
        raise ValueError(f"{name} is not one of the MjData scalars bind() accepts: {', '.join(COUNTS)}")
    raise ValueError(f"{name} is no field of MjData that can be bound{hint(str(name), DATA_FIELDS)}")


def check_expanded(name: Any, model: MjModel) -> None:
    """Raise ValueError, which gives the reason, if `expand` does not accept a field name."""
    if name in MODEL_FIELDS:
        return
    if isinstance(getattr(model, str(name), None), np.ndarray):
        raise ValueError(f"{name} cannot be expanded: it is asset data, which all simulations share")
    raise ValueError(f"{name} is no field of MjModel that can be expanded{hint(str(name), MODEL_FIELDS)}")


def only_computed(name: str) -> ValueError:
    """Return the exception for an attempt to write to a computed field."""
    return ValueError(
        f"{name} cannot be set: it is computed by every call; set fields of the state (qpos, ctrl) or expanded ones"
    )


Ids = npt.ArrayLike | None


def chosen(ids: Ids, nsim: int) -> np.ndarray:
    """Return the indices of the selected simulations, in ascending order.

    Args:
        ids: sorted indices without duplicates, a mask of shape (nsim,), or None for all.
        nsim: number of simulations.

    Raises:
        ValueError: `ids` is none of these.
    """
    if ids is None:
        return np.arange(nsim)
    given = np.asarray(ids)
    if given.dtype == bool:
        if given.shape != (nsim,):
            raise ValueError(f"ids: a mask must have shape ({nsim},), not {given.shape}")
        return np.flatnonzero(given)
    if given.ndim != 1:
        raise ValueError(f"ids must be a vector, not of shape {given.shape}")
    if not len(given):
        return np.zeros(0, int)
    if not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"ids must be integers, got {given.dtype}")
    falls = np.flatnonzero(given[1:] <= given[:-1])
    if len(falls):
        first = falls[0]
        raise ValueError(f"ids must be sorted without duplicates: got {given[first]} before {given[first + 1]}")
    for end in (given[0], given[-1]):
        if not 0 <= end < nsim:
            raise ValueError(f"ids must be in [0, {nsim}), got {end}")
    return given.astype(int)


def integers(name: str, given: npt.ArrayLike, shape: tuple[int, ...], least: int, end: int) -> np.ndarray:
    """Check that integers are from `least` to `end` (exclusive), and broadcast them to a shape.

    Raises:
        ValueError: the values are not integers in this range.
    """
    values = np.asarray(given)
    if not np.issubdtype(values.dtype, np.integer):
        raise ValueError(f"{name} must be integers, got {values.dtype}")
    wrong = values[(values < least) | (values >= end)]
    if wrong.size:
        raise ValueError(f"{name} must be in [{least}, {end}), got {wrong.flat[0]}")
    return np.broadcast_to(values.astype(int), shape)


def repeated(name: str, given: npt.ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of numbers broadcast to a shape. Raises ValueError if this is impossible."""
    values = np.asarray(given, np.float64)
    try:
        return np.ascontiguousarray(np.broadcast_to(values, shape))
    except ValueError:
        raise ValueError(f"{name} must have shape {shape}, not {values.shape}") from None
