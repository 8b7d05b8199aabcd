"""Fields of newer versions, as attributes of `MjModel`, `MjData` and the views of their elements.

The fields are computed on access, and their arrays are read-only. `api.objects.struct` imports this module when a
program first uses an attribute that a class does not have, so other programs do not load it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.struct import describe
from conjoint.api.objects.views import VIEW_CLASSES, ElementView, Slice, dofs_of, listed, made_part, row_of
from conjoint.compat import data_fields, model_fields
from conjoint.compat.field_rows import Made

SIZES_OF_WORLDS = frozenset({"nefc", "nisland", *(size.field.name for size in data_fields.SIZES)})
"""Names of sizes that may change in each step."""


def complete(cls: type) -> bool:
    """Add the fields of newer versions to a class. Return False if there are none for this class.

    Args:
        cls: class of models or worlds, or of views of their elements.
    """
    if issubclass(cls, MjModel):
        _complete_models()
    elif issubclass(cls, MjData):
        _complete_worlds()
    elif issubclass(cls, ElementView):
        _complete_views(cls)
    else:
        return False
    return True


def _complete_models() -> None:
    for made in (*model_fields.SIZES, *model_fields.ARRAYS):
        _add(MjModel, made, lambda m: m.__getattribute__)
    for name in model_fields.STRUCTURE:
        setattr(MjModel, name, _structure_member(name))
    for made in model_fields.FLAGS:
        setattr(MjModel, made.field.name, _flag_member(made))
    flags = {made.field.name for made in model_fields.FLAGS}
    MjModel.add_newer({*flags, *model_fields.STRUCTURE}, settable=flags)


def _complete_worlds() -> None:
    for made in (*data_fields.SIZES, *data_fields.FLAGS, *data_fields.ARRAYS):
        _add(MjData, made, _sizes_of_world)


def _add(cls: Any, made: Made, sizes: Callable[[Any], Callable[[str], int]]) -> None:
    """Add a field to a class. `sizes` maps an object to the function that returns the object's sizes by name."""
    setattr(cls, made.field.name, property(lambda owner: made.read(owner, sizes(owner)), doc=describe(made.field)))
    cls.add_newer({made.field.name})


def _sizes_of_world(d: Any) -> Callable[[str], int]:
    return lambda name: getattr(d if name in SIZES_OF_WORLDS else d.model, name)


def _structure_member(name: str) -> property:
    def read(m: Any) -> np.ndarray:
        view = model_fields.structure(m, name).view()
        view.flags.writeable = False
        return view

    return property(read, doc=f"See `MjData.{name}`.")


def _flag_member(made: Made) -> property:
    """Return the property for a flag: the value that a program has set, or the value computed from the model."""
    name = made.field.name
    key = f"_{name}"

    def read(m: Any) -> bool:
        return bool(m.__dict__[key] if key in m.__dict__ else made.read(m, m.__getattribute__))

    def write(m: Any, value: Any) -> None:
        # steps do not read the flag but the fields from which it is computed
        m.__dict__[key] = bool(value)

    return property(read, _count_gravcomp if name == "flg_gravcomp" else write, doc=made.field.meaning)


def _count_gravcomp(m: Any, value: Any) -> None:
    """Turn gravity compensation on or off by setting the number of compensated bodies, which steps read."""
    count = max(1, int(np.count_nonzero(m.body_gravcomp))) if value else 0
    m.memory.view("ngravcomp")[...] = m.__dict__["ngravcomp"] = count


def _complete_views(cls: type[ElementView]) -> None:
    """Add the newer fields with one row per element to a view class, under names without the element type's prefix."""
    element, in_worlds = VIEW_CLASSES[cls]
    rows = [made.field for made in (data_fields.ARRAYS if in_worlds else model_fields.ARRAYS)]
    found: dict[str, Slice] = {
        row.name.removeprefix(element.prefix): row_of(row.name)
        for row in rows
        if row.shape[:1] == (element.size,) and row.name.startswith((element.prefix, "x"))
    }
    if element.title == "Joint":
        found |= {row.name[4:]: dofs_of(row.name) for row in rows if row.name.startswith("dof_")}
    if element.title == "Tendon" and not in_worlds:
        found |= {
            "J_colind": listed("ten_J_colind", "ten_J_rowadr", "ten_J_rownnz"),
            "J_rownnz": row_of("ten_J_rownnz"),
        }
    for name in found.keys() - dir(cls):
        setattr(cls, name, made_part(found[name]))
