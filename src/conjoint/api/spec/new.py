"""New elements, and the values that they start from."""

from collections.abc import Mapping
from typing import Any

from conjoint.mjcf.relations import EQUALITY_DATA
from conjoint.spec import Body, Element
from conjoint.spec.lists import PARTS

CLASSED = ("actuator", "equality", "pair", "tendon", "mesh", "texture", "material")
"""Kinds that are not attached to bodies and have defaults."""

INITIAL: dict[str, dict[str, Any]] = {
    "actuator": {"trntype": 1000, "target": "", "plugin": None},
    "sensor": {
        "type": 0, "objtype": 0, "objname": "", "reftype": 0, "refname": "", "intprm": (0, 0, 0), "plugin": None,
    },
    "equality": {"type": 0, "objtype": 0, "name1": "", "name2": "", "data": EQUALITY_DATA},
    "plugin": {"plugin_name": "", "active": 0},
}  # fmt: skip
"""Values of new elements that a file always says."""


def new_element(kind: str, base: Mapping[str, Any], classname: str) -> Any:
    """A new element, starting from the values of a defaults class."""
    element = Body(base) if kind == "body" else Element(kind, base)
    values = element.__dict__
    for name, value in INITIAL.get(kind, {}).items():
        # a defaults class that a user changed may have other values
        if kind not in CLASSED or name not in base:
            values[name] = value
    parts = PARTS.get(kind)
    if parts:
        values[parts] = []
    elif kind == "plugin":
        values["config"] = {}
    values["classname"] = classname
    return element
