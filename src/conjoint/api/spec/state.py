"""Transfer of a state between two compiled versions of an editable model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.schema.data import DATA_ROWS, HEAD
from conjoint.schema.enums import mjtJoint
from conjoint.schema.kinds import NQ, NV

COMPONENTS = tuple(row for row in DATA_ROWS if row.component)
"""Fields of the state: all fields that users or steps write and that are not derived."""

Place = tuple[int, int]
"""Range of an element's numbers in a field: start index and count."""

Owner = tuple[tuple[str, ...], Callable[[MjModel, str], list[Place]], bool]
"""Owners of numbers: element types, a function that returns their ranges, and True to copy only equal counts."""

Indices = list[int]


def carry_state(m: MjModel, d: MjData, before: Mapping[Any, int], model: MjModel, after: Mapping[Any, int]) -> MjData:
    """Return a world of `model` with the state of `d` for all elements that both models contain.

    Args:
        m, d: the old model, and a world of it.
        before, after: ids of the elements in the two models.
        model: the new model.
    """
    data = MjData(model)
    both = ((element.kind, before.get(element, -1), new) for element, new in after.items())
    shared = [one for one in both if one[1] >= 0 and one[2] >= 0]
    moves = {size: _moves(OWNERS[size], m, model, shared) for size in OWNERS if m.sizes[size] and model.sizes[size]}
    for row in COMPONENTS:
        if not row.shape:
            setattr(data, row.name, getattr(d, row.name))
            continue
        size = str(row.shape[0])
        if size not in OWNERS:
            # these numbers do not belong to elements
            count = min(m.sizes[size], model.sizes[size])
            if count:
                getattr(data, row.name)[:count] = getattr(d, row.name)[:count]
        elif size in moves:
            old, new = moves[size]
            getattr(data, row.name)[new] = getattr(d, row.name)[old]
    return data


def _moves(owner: Owner, m: MjModel, model: MjModel, shared: Sequence[tuple[str, int, int]]) -> tuple[Indices, Indices]:
    """Return the old and new indices of the numbers that belong to elements of both models.

    Args:
        owner: row of `OWNERS` for the numbers.
        m, model: the old and the new model.
        shared: type, old id and new id of each element that both models contain.
    """
    kinds, places, whole = owner
    old: Indices = []
    new: Indices = []
    for kind in kinds:
        ids = [(i, k) for other, i, k in shared if other == kind]
        if not ids:
            continue
        here, there = places(m, kind), places(model, kind)
        for i, k in ids:
            (start, had), (goal, has) = here[i], there[k]
            count = min(had, has)
            if had == has or not whole:
                old += range(start, start + count)
                new += range(goal, goal + count)
    return old, new


def _places(first: Any, counts: Any) -> list[Place]:
    """Return the ranges with given start addresses and counts. An address of -1 gives an empty range."""
    found = np.where(first < 0, 0, counts)
    return list(zip(np.maximum(first, 0).tolist(), found.tolist(), strict=True))


def _joints(address: str, counts: Sequence[int]) -> Callable[[MjModel, str], list[Place]]:
    """Return the function that returns the ranges of joint coordinates."""
    return lambda m, _: _places(getattr(m, address), [counts[kind] for kind in m.jnt_type.tolist()])


def _ones(size: str) -> Callable[[MjModel, str], list[Place]]:
    """Return the function that returns the ranges of elements with one entry each."""
    return lambda m, _: [(i, 1) for i in range(m.sizes[size])]


def _plugins(m: MjModel, kind: str) -> list[Place]:
    """Return the range of each element's plugin state, which is empty for elements without a plugin."""
    places = [*zip(m.plugin_stateadr.tolist(), m.plugin_statenum.tolist(), strict=True), (0, 0)]
    return places if kind == "plugin" else [places[instance] for instance in getattr(m, kind + "_plugin").tolist()]


def _histories(m: MjModel, kind: str) -> list[Place]:
    """Return the range of each element's history in the state, which is empty for elements without a history."""
    sizes = m.actuator_ctrlnum if kind == "actuator" else m.sensor_dim
    return _places(getattr(m, kind + "_historyadr"), HEAD + getattr(m, kind + "_history")[:, 0] * (1 + sizes))


def _rests(m: MjModel, kind: str) -> list[Place]:
    """Return the range of each spring's plastic rest position, which is empty for springs that do not yield."""
    first = m.jnt_plasticadr if kind == "joint" else m.tendon_plasticadr
    sizes = np.where(m.jnt_type == mjtJoint.mjJNT_BALL, 4, 1) if kind == "joint" else 2
    return _places(first, sizes)


OWNERS: dict[str, Owner] = {
    "nq": (("joint",), _joints("jnt_qposadr", NQ), True),
    "nv": (("joint",), _joints("jnt_dofadr", NV), True),
    "na": (("actuator",), lambda m, _: _places(m.actuator_actadr, m.actuator_actnum), False),
    "nu": (("actuator",), lambda m, _: _places(m.actuator_ctrladr, m.actuator_ctrlnum), True),
    "nhistory": (("actuator", "sensor"), _histories, True),
    "nplastic": (("joint", "tendon"), _rests, True),
    "nbody": (("body",), _ones("nbody"), True),
    "neq": (("equality",), _ones("neq"), True),
    "nmocap": (("body",), lambda m, _: _places(m.body_mocapid, 1), True),
    "npluginstate": (("plugin", "body", "geom", "actuator", "sensor"), _plugins, True),
}
"""Owners of the numbers in a field, by the size that is its first dimension."""
