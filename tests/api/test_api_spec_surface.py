"""The interface of editable models equals MuJoCo's: classes, attributes, arguments, values and errors."""

from __future__ import annotations

import inspect
import math
import re
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint

CONTAINERS = {"MjByteVec", "MjCharVec", "MjDoubleVec", "MjFloatVec", "MjIntVec", "MjStringVec"}
"""MuJoCo's container types, which Conjoint replaces by arrays and lists."""

OPAQUE = {"MjsElement"}
"""Types of MuJoCo that have no attributes and no counterpart in Conjoint."""

IN_BODY = ("body", "geom", "joint", "site", "camera", "light", "frame")
IN_MODEL = (
    "actuator", "sensor", "tendon", "equality", "pair", "exclude", "key", "numeric", "text", "tuple", "mesh", "hfield",
    "texture", "material", "skin", "flex", "plugin",
)  # fmt: skip


def objects(M: Any) -> dict[str, Any]:
    """Return a new object of every class of editable models, by name."""
    spec = M.MjSpec()
    found = {"spec": spec, "world": spec.worldbody, "default": spec.default, "alt": spec.worldbody.alt}
    for name in ("compiler", "option", "stat", "visual"):
        found[name] = getattr(spec, name)
    for name in ("global_", "quality", "headlight", "map", "scale", "rgba"):
        found["visual." + name] = getattr(spec.visual, name)
    body = spec.worldbody.add_body()
    found |= {kind: getattr(body, "add_" + kind)() for kind in IN_BODY if kind != "body"}
    found |= {kind: getattr(spec, "add_" + kind)() for kind in IN_MODEL}
    found |= {"default." + name: getattr(spec.default, name) for name in dir(spec.default) if _classed(name)}
    return {**found, "body": body, "wrap": found["tendon"].wrap_site("x"), "free": body.add_freejoint()}


def _classed(name: str) -> bool:
    return name in IN_BODY or name in IN_MODEL


NEWER = {"default.texture"}
"""Attributes that exist only in versions after MuJoCo 3.3.5."""

OBJECTS = sorted(objects(conjoint).keys() - NEWER)

CLASSES = sorted(name for name in vars(mujoco._specs) if name.startswith("Mjs") and name not in CONTAINERS | OPAQUE) + [
    "MjSpec"
]


@pytest.mark.parametrize("name", CLASSES)
def test_classes_and_their_attributes(name):
    official, own = getattr(mujoco, name), getattr(conjoint, name)
    wanted = {attribute for attribute in dir(official) if attribute[0] != "_"} | {"__eq__"}
    assert wanted - set(dir(own)) == set()
    for attribute in wanted:
        method, kept = getattr(official, attribute), inspect.getattr_static(own, attribute, None)
        assert callable(method) == (kept is not None and not isinstance(kept, property)), attribute


@pytest.mark.parametrize("name", CLASSES)
def test_arguments_have_the_official_names(name):
    for attribute in dir(getattr(mujoco, name)):
        method = getattr(getattr(mujoco, name), attribute)
        text = (method.__doc__ or "").split("\n")[0]
        if attribute[0] == "_" or not text.startswith(attribute + "(") or "*args" in text:
            continue
        given = set(re.findall(r"[(,] (?:\*\*)?(\w+)(?=:|\))", text)) - {"self"}
        named = {argument for argument in given if not re.fullmatch(r"arg\d", argument)}
        known = inspect.signature(getattr(getattr(conjoint, name), attribute)).parameters
        rest = {argument for argument, kind in known.items() if kind.kind is kind.VAR_KEYWORD}
        assert named - set(known) - ({"kwargs"} if rest else set()) == set(), attribute


def shown(value: Any) -> Any:
    """Return a value in a form that can be compared between both packages."""
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.tolist()
    if type(value).__name__.startswith("mjt"):
        return type(value).__name__, int(value)
    if type(value).__name__ in CONTAINERS - {"MjByteVec"}:
        return "list", list(value)
    if isinstance(value, list) and not any(hasattr(one, "signature") for one in value):
        return "list", list(value)
    if isinstance(value, (bool, int, float, str, dict)) or value is None:
        return type(value).__name__, value
    return None


def same(official: Any, own: Any) -> bool:
    """Return True if two recorded values are equivalent; an array may represent a list."""
    if official is None or own is None:
        return official is own or own is None
    if official[0] == "list":
        numbers = [number for number in official[1] if number != "\0"]
        return list(own[1]) == numbers or [*own[1]] == ["".join(map(str, numbers))]
    return official[0] == own[0] and bool(np.all(equal(official[1], own[1])))


def equal(official: Any, own: Any) -> Any:
    if isinstance(official, float) or (isinstance(official, list) and official and isinstance(official[0], float)):
        return np.array_equal(official, own, equal_nan=True)
    return official == own


DIFFERENT = {
    # in MuJoCo, reading the ids of elements of defaults classes crashes
    "id", "signature",
    # MuJoCo returns an object, Conjoint None: the world has no parent
    "parent",
    # MuJoCo returns opaque bytes and 13 characters with a null; Conjoint returns plain bytes and a string
    "data", "gridlayout",
}  # fmt: skip


UNSAFE = {"frame", "plugin", "parent", "classname"}
"""Attributes that crash MuJoCo if they are read from the elements of a defaults class."""


@pytest.mark.parametrize("name", OBJECTS)
def test_new_elements_have_the_official_values(name):
    every = objects(mujoco), objects(conjoint)
    official, own = (found[name] for found in every)
    different = {}
    for attribute in sorted(set(dir(official)) - DIFFERENT - (UNSAFE if name.startswith("default.") else set())):
        if attribute[0] == "_" or callable(getattr(type(official), attribute, None)):
            continue
        if attribute in UNREADABLE:
            continue
        found = shown(getattr(official, attribute)), shown(getattr(own, attribute))
        if not same(*found):
            different[attribute] = found
    # here a given range limits actuator forces, as documented and as in newer versions
    assert different == ({"actfrclimited": (("int", 0), ("int", 2))} if name.split(".")[-1] == "tendon" else {})


VALUES = [
    0.3, 1, 2.5, 10**12, math.nan, True, "", "x", None, [1, 2, 3], [0.1, 0.2, 0.3, 0.4], [], ("a", "b"), [1] * 6,
    np.array([1, 2, 3]), np.int64(3), {"a": "b"},
]  # fmt: skip

UNREADABLE = {"copy_during_attach"}
"""Attributes that can be set but not read."""

LENIENT = {
    # here these accept a fixed number of files, any true or false value, or keep the name of the root class
    ("texture", "cubefiles"), ("compiler", "eulerseq"), ("spec", "override_assets"), ("default", "name"),
    # here these accept three coefficients, as in newer versions
    *((kind, name) for kind in ("free", "joint", "tendon") for name in ("stiffness", "damping")),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in OBJECTS if not name.startswith("default.")])
def test_values_that_are_set_are_read_back_or_refused(name):
    different = {}
    packages = (mujoco, conjoint)
    every = objects(mujoco)
    official = every[name]
    for attribute in sorted(set(dir(official)) - DIFFERENT - UNREADABLE - {"info", "classname", "frame", "plugin"}):
        kind = inspect.getattr_static(type(official), attribute, None)
        if attribute[0] == "_" or not isinstance(kind, property) or kind.fset is None:
            continue
        if shown(getattr(official, attribute)) is None:
            continue
        if (name, attribute) in LENIENT:
            continue
        pairs = [objects(M) for M in packages]
        for value in VALUES:
            results = [put(found[name], attribute, value) for found in pairs]
            if isinstance(results[0], type) or isinstance(results[1], type):
                # here a string is neither a list of strings nor an empty list
                words = isinstance(value, str) and results[0] == ("list", list(value))
                agree = results[0] == results[1] or (words and results[1] is TypeError)
            else:
                agree = same(*results)
            if not agree:
                different[attribute, str(value)] = results
    assert different == {}


def put(handle: Any, attribute: str, value: Any) -> Any:
    """Set an attribute and return the value read back, or the class of the error that was raised."""
    try:
        setattr(handle, attribute, value)
    except Exception as error:
        # MuJoCo raises RuntimeError if it cannot create a container
        return TypeError if isinstance(error, RuntimeError) else type(error)
    return shown(getattr(handle, attribute))
