"""Attributes as they are written: those that differ from the defaults class, in the order of the official writer."""

from collections.abc import Iterable, Mapping
from typing import Any

from conjoint.mjcf.markup import format_value
from conjoint.schema.mjcf.table import Attribute
from conjoint.schema.mjcf.table import Element as Row
from conjoint.schema.version import STANDS_FOR

LEADING = {
    "geom": ("size", "pos", "quat", "type", "contype", "conaffinity", "condim", "group", "priority"),
    "joint": (
        "pos", "axis", "type", "group", "ref", "springref", "solreflimit", "solimplimit", "solreffriction",
        "solimpfriction", "stiffness",
    ),
    "site": ("pos", "quat", "size", "group", "type"),
    "flex": ("radius", "material", "rgba", "flatskin", "dim"),
    "camera": ("target", "pos", "quat"),
    "light": ("target", "pos", "dir"),
    "mesh": ("content_type", "file", "vertex", "normal", "texcoord", "face"),
    "texture": ("file", "builtin", "mark"),
    "hfield": ("size",),
    "inertial": ("pos", "quat"),
    "compiler": ("angle", "meshdir", "texturedir"),
    "pair": ("geom1", "geom2", "condim", "margin", "gap", "solref", "solimp", "solreffriction"),
    "tendon": (
        "group", "limited", "range", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin",
        "stiffness", "damping", "frictionloss", "springlength", "material",
    ),
    "actuator": (
        "slidersite", "refsite", "group", "lengthrange", "ctrllimited", "ctrlrange", "forcelimited", "forcerange",
        "actlimited", "actrange",
    ),
}  # fmt: skip
"""Attributes that come first, after name and class, by kind of element; the others are in the order of the grammar."""

OBJECTS_FIRST = ("sensor", "texture")
"""Kinds whose names come after what they are of."""
LAST = ("mode", "user")
"""Attributes that come last."""
WHOLE = ("gear", "dynprm", "o_solref", "o_solimp", "o_friction")
"""Lists that are written to the end, even if the numbers there are those of the defaults class."""

ALWAYS = {
    "joint": ("pos", "axis"), "site": ("pos",), "camera": ("pos",), "light": ("pos", "dir"),
    "texture": ("type", "colorspace"), "compiler": ("angle",),
}  # fmt: skip
"""Attributes that are written even if they are as in the defaults class."""

OF_NEWER = ("texture", "compiler")
"""Kinds of which that is so in newer versions."""


def always(kind: str) -> tuple[str, ...]:
    """Attributes that are written for elements of a kind, in the version that is stood in for."""
    return ALWAYS.get(kind, ()) if kind in OF_NEWER or not STANDS_FOR.moved else ()


def plain(value: Any) -> Any:
    """Tuples and numbers of Python for what may be lists or arrays of NumPy."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(value) if isinstance(value, list) else value


def written_values(
    row: Row,
    values: Mapping[str, Any],
    base: Mapping[str, Any],
    always: Iterable[str] = (),
    whole: Iterable[str] = WHOLE,
) -> dict[str, Any]:
    """Values of the attributes of `row` that must be written, by attribute.

    Args:
        row: the element's row.
        values: the element's values, by the name they land on; None is not written.
        base: what they are if nothing is written.
        always: attributes to write in any case.
        whole: lists to write to the end.
    """
    found = {}
    for name, attribute in row.attributes.items():
        lands = attribute.lands
        value = values.get(lands) if lands and not lands.endswith("alt") else None
        if value is None or name == "childclass":
            continue
        known = base.get(lands, attribute.default)
        optional = name not in always and not attribute.required
        # most values are shared with the class
        if optional and value is known:
            continue
        value = plain(value)
        if optional and (value == known or value == ()):
            continue
        if attribute.fill == "default" and isinstance(known, tuple) and name not in whole:
            value = _shortened(value, known)
        found[name] = value
    return found


def _shortened(value: tuple, known: tuple) -> tuple:
    """`value` without numbers at its end that are as in `known`, which the reader takes them from."""
    count = max((i + 1 for i, pair in enumerate(zip(value, known, strict=False)) if pair[0] != pair[1]), default=1)
    return value[:count]


def in_order(row: Row, values: Mapping[str, Any], more: Iterable[str] = ()) -> list[str]:
    """Attributes in the order in which they are written: name and class, `more`, where it is, then the others."""
    named = ("name", "class", *more)
    if row.kind in OBJECTS_FIRST:
        named = (*more, "type", "colorspace", "name", "class")
    first = (*named, *LEADING.get(row.kind, ()))
    rest = (name for name in values if name not in first and name not in LAST)
    return [name for name in dict.fromkeys((*first, *rest, *LAST)) if name in values]


def as_text(attribute: Attribute, value: Any) -> str:
    """Text of a value, of any sequence type."""
    return format_value(attribute, plain(value))
