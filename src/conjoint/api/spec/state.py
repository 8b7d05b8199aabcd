"""Carrying a state from one compiled version of an editable model to the next."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.joints import NQ, NV

COMPONENTS = tuple(row for row in DATA_ROWS if row.component)
"""What a state consists of: all that users or steps write, and that is not computed from the rest."""

Place = tuple[int, int]
"""Where the numbers of an element start, and how many there are."""


def carry_state(m: MjModel, d: MjData, before: Mapping[Any, int], model: MjModel, after: Mapping[Any, int]) -> MjData:
    """Data of `model` with the state that `d` has for the elements that both models have.

    Args:
        m, d: the model before, and a state of it.
        before, after: ids of the elements in the two models.
        model: the model after.
    """
    data = MjData(model)
    shared = [(element, before.get(element, -1), new) for element, new in after.items()]
    for row in COMPONENTS:
        if not row.shape:
            setattr(data, row.name, getattr(d, row.name))
            continue
        here, there = getattr(d, row.name), getattr(data, row.name)
        size = row.shape[0]
        if size not in OWNERS:
            # of no element
            count = min(len(here), len(there))
            there[:count] = here[:count]
            continue
        kinds, place, whole = OWNERS[size]
        for element, old, new in shared:
            if element.kind in kinds and old >= 0 and new >= 0:
                (start, had), (goal, has) = place(m, element.kind, old), place(model, element.kind, new)
                count = min(had, has)
                if had == has or not whole:
                    there[goal : goal + count] = here[start : start + count]
    return data


def _joint(address: str, counts: Sequence[int]) -> Callable[[MjModel, str, int], Place]:
    """Place of the numbers of joints."""
    return lambda m, _, i: (int(getattr(m, address)[i]), counts[int(m.jnt_type[i])])


def _one(m: MjModel, _: str, i: int) -> Place:
    """Place of elements that have one entry each."""
    return i, 1


def _activations(m: MjModel, _: str, i: int) -> Place:
    return int(m.actuator_actadr[i]), int(m.actuator_actnum[i])


def _mocap(m: MjModel, _: str, i: int) -> Place:
    number = int(m.body_mocapid[i])
    return max(number, 0), int(number >= 0)


def _plugin(m: MjModel, kind: str, i: int) -> Place:
    """Place of the states of the instance of a plugin that an element is or uses."""
    instance = i if kind == "plugin" else int(getattr(m, kind + "_plugin")[i])
    return (int(m.plugin_stateadr[instance]), int(m.plugin_statenum[instance])) if instance >= 0 else (0, 0)


OWNERS = {
    "nq": (("joint",), _joint("jnt_qposadr", NQ), True),
    "nv": (("joint",), _joint("jnt_dofadr", NV), True),
    "na": (("actuator",), _activations, False),
    "nu": (("actuator",), _one, True),
    "nbody": (("body",), _one, True),
    "neq": (("equality",), _one, True),
    "nmocap": (("body",), _mocap, True),
    "npluginstate": (("plugin", "body", "geom", "actuator", "sensor"), _plugin, True),
}
"""By size of a component: kinds of its elements, where their numbers are, and whether all of them must fit."""
