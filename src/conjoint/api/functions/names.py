"""Names of model elements (API reference, Support functions)."""

from __future__ import annotations

import operator

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.names import NAME_ADDRESSES


def mj_name2id(m: MjModel, type: int, name: str) -> int:
    """Id of the element of this type (mjtObj) with this name, -1 if there is none."""
    if not isinstance(name, str):
        raise TypeError(f"mj_name2id: name should be a string, not {name!r}")
    field = NAME_ADDRESSES.get(operator.index(type))
    return m._name_table.ids(field).get(name, -1) if field else -1


def mj_id2name(m: MjModel, type: int, id: int) -> str | None:
    """Name of the element of this type (mjtObj) with this id, None if it has none or does not exist."""
    field, id = NAME_ADDRESSES.get(operator.index(type)), operator.index(id)
    names = m._name_table.names(field) if field else []
    return (names[id] or None) if 0 <= id < len(names) else None
