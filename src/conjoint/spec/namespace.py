"""Which attributes name other elements, and how names change when elements are attached elsewhere."""

from collections.abc import Iterator
from typing import NamedTuple

from conjoint.schema.enums import mjtEq, mjtWrap
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec.element import Element
from conjoint.spec.lists import PARTS

ASSETS = frozenset({"material", "texture", "mesh", "hfield"})
"""Kinds that bodies share: attaching within one model does not rename them."""

_WORDS = {number: word for word, number in OBJECT_TYPES.items()}

_FIXED = {
    "geom": (("material", "material"), ("meshname", "mesh"), ("hfieldname", "hfield")),
    "site": (("material", "material"),),
    "camera": (("targetbody", "body"),),
    "light": (("targetbody", "body"), ("texture", "texture")),
    "material": (("texture", "texture"),),
    "layer": (("texture", "texture"),),
    "pair": (("geomname1", "geom"), ("geomname2", "geom")),
    "exclude": (("bodyname1", "body"), ("bodyname2", "body")),
    "tendon": (("material", "material"),),
    "skin": (("material", "material"),),
    "bone": (("bodyname", "body"),),
    "flex": (("material", "material"),),
    "mesh": (("material", "material"),),
}
"""Attributes that name an element of a fixed kind, by kind of the element that has them."""

_TYPED = {"sensor": (("objname", "objtype"), ("refname", "reftype")), "tupleelement": (("objname", "objtype"),)}
"""Attributes that name an element whose kind is the value of another attribute."""

_TRANSMISSIONS = ("joint", "joint", "site", "tendon", "site", "body")
"""What an actuator acts on, by mjtTrn."""

_WRAPS = {int(mjtWrap.mjWRAP_JOINT): "joint", int(mjtWrap.mjWRAP_SITE): "site"}
"""What a path goes through, by mjtWrap; a geom otherwise."""

_EQUALITIES = {
    int(mjtEq.mjEQ_JOINT): "joint",
    int(mjtEq.mjEQ_TENDON): "tendon",
    int(mjtEq.mjEQ_FLEX): "flex",
    int(mjtEq.mjEQ_FLEXSTRAIN): "flex",
}
"""What an equality constraint acts on, by mjtEq; others have an `objtype`."""


class Reference(NamedTuple):
    """One name in `element.<attribute>`, of an element of `kind`."""

    element: Element
    attribute: str
    kind: str
    name: str


BODY_LISTS = {"flex": ("vertbody", "nodebody")}
"""Attributes that are lists of names of bodies, by kind of the element that has them; the world is called as it is."""


def references(element: Element) -> Iterator[Reference]:
    """Names of other elements in `element` and in what it consists of: wraps, layers, members, bones."""
    for attribute, kind in _named(element):
        name = element.__dict__.get(attribute)
        if name:
            yield Reference(element, attribute, kind, name)
    for attribute in BODY_LISTS.get(element.kind, ()):
        for name in dict.fromkeys(element.__dict__.get(attribute, ())):
            if name != "world":
                yield Reference(element, attribute, "body", name)
    for part in element.__dict__.get(PARTS.get(element.kind, ""), ()):
        yield from references(part)


def _named(element: Element) -> Iterator[tuple[str, str]]:
    """Attributes of `element` that name others, and the kind of the others."""
    values, kind = element.__dict__, element.kind
    yield from _FIXED.get(kind, ())
    for attribute, typed in _TYPED.get(kind, ()):
        yield attribute, _kind(values.get(typed))
    if kind == "equality":
        target = _EQUALITIES.get(values["type"]) or _kind(values["objtype"])
        yield from (("name1", target), ("name2", target))
    elif kind == "actuator":
        yield from (("target", _TRANSMISSIONS[int(values["trntype"])]), ("refsite", "site"), ("slidersite", "site"))
    elif kind == "wrap":
        yield from (("target", _WRAPS.get(values["type"], "geom")), ("sidesite", "site"))


def _kind(written: int | str | None) -> str:
    """Kind of an object type, given as a number or a word."""
    word = _WORDS.get(written, "") if isinstance(written, int) else written or ""
    return "body" if word == "xbody" else word


class Namespace:
    """A change of names: prefix and suffix.

    Attributes:
        prefix, suffix: what is put before and after a name.
        foreign: the elements come from another model, so that assets change their names too.
        shared: kinds whose names do not change.
    """

    def __init__(self, prefix: str, suffix: str, foreign: bool):
        self.prefix = prefix
        self.suffix = suffix
        self.foreign = foreign
        self.shared = frozenset() if foreign else ASSETS

    def of(self, name: str) -> str:
        """The new name; nothing stays nothing."""
        return f"{self.prefix}{name}{self.suffix}" if name else name
