"""Copies of parts of a model under new names, and the attributes that refer to other elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from conjoint.schema.enums import mjtEq, mjtWrap
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec.element import ATTACHED, BODY_CONTENTS, PARTS, Body, Element
from conjoint.spec.spec import Spec

ASSETS = frozenset({"material", "texture", "mesh", "hfield"})
"""Types of assets that bodies share. They are not renamed when a part is attached to its own model."""

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
"""Attributes that contain the name of an element of a fixed type, with that type, by type of the referring element."""

_TYPED = {"sensor": (("objname", "objtype"), ("refname", "reftype")), "tupleelement": (("objname", "objtype"),)}
"""Attributes with the name of an element, each with the attribute for its type, by type of the referring element."""

_TRANSMISSIONS = ("joint", "joint", "site", "tendon", "site", "body")
"""Element type of an actuator's target, by mjtTrn."""

_WRAPS = {int(mjtWrap.mjWRAP_JOINT): "joint", int(mjtWrap.mjWRAP_SITE): "site"}
"""Element type of the target of a path element, by mjtWrap. For other mjtWrap types, it is a geom."""

_EQUALITIES = {
    int(mjtEq.mjEQ_JOINT): "joint",
    int(mjtEq.mjEQ_TENDON): "tendon",
    int(mjtEq.mjEQ_FLEX): "flex",
    int(mjtEq.mjEQ_FLEXSTRAIN): "flex",
}
"""Element type of an equality constraint's objects, by mjtEq. For other mjtEq types, it is the attribute `objtype`."""


class Reference(NamedTuple):
    """Reference by name from the attribute `attribute` of `element` to an element of type `kind`."""

    element: Element
    attribute: str
    kind: str
    name: str


BODY_LISTS = {"flex": ("vertbody", "nodebody")}
"""Attributes that are lists of body names, by element type. In these lists, the world is not renamed."""


def references(element: Element) -> Iterator[Reference]:
    """Yield the references in `element` and its parts: path elements, texture layers, tuple members, bones."""
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
    """Yield the attributes of `element` that refer to other elements, with the types of these elements."""
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
    """Return the element type for an object type, given as a number or a word."""
    word = _WORDS.get(written, "") if isinstance(written, int) else written or ""
    return "body" if word == "xbody" else word


class Namespace:
    """Rule that renames elements by a prefix and a suffix.

    Attributes:
        prefix, suffix: strings added before and after a name.
        foreign: whether the elements come from another model, so that assets are renamed, too.
        shared: element types whose names do not change.
    """

    def __init__(self, prefix: str, suffix: str, foreign: bool):
        self.prefix = prefix
        self.suffix = suffix
        self.foreign = foreign
        self.shared = frozenset() if foreign else ASSETS

    def of(self, name: str) -> str:
        """Return the new name of an element. An empty name stays empty."""
        return f"{self.prefix}{name}{self.suffix}" if name else name


KEEP_NAME = ("flex", "skin")
"""Element types that are not renamed, as in MuJoCo's compiler. Elements that refer to them are not copied."""


class Copier:
    """Copier of a part of a tree.

    Attributes:
        copies: copy of every element, by the Python id of the original.
        names: names of the originals, by element type.
        plugins: copies of the plugins that elements use, by the Python id of the original.
        instances: names of plugin instances that are copied, too.
        used: names of plugin instances that copies use.
        known: names of all plugin instances of the source model.
    """

    def __init__(self, namespace: Namespace, source: Spec):
        self.namespace = namespace
        self.settings = source.compiler
        self.copies: dict[int, Element] = {}
        self.frames: dict[int, Element] = {}
        self.names: dict[str, set[str]] = {}
        self.plugins: dict[int, Element] = {}
        self.instances: set[str] = set()
        self.used: set[str] = set()
        self.known = {instance.name for instance in source.plugins}

    def body(self, body: Body, frame: Element | None) -> Body:
        """Return a copy of `body` and its descendants. The copy is inside `frame`."""
        copy: Any = self.element(body)
        copy.__dict__.update(zip(BODY_CONTENTS, ([], [], [], [], [], []), strict=True), frame=frame)
        copy.__dict__.pop("frames", None)
        if body.inertial is not None:
            copy.inertial = self.element(body.inertial)
            copy.inertial.frame = None
        self.contents(body, copy, None)
        return copy

    def contents(self, body: Body, into: Body, frame: Element | None) -> None:
        """Copy the contents of `body` to `into`. Elements without a frame are put into `frame`."""
        for name in ATTACHED.values():
            elements = body.__dict__[name]
            if not elements:
                continue
            copies = [self.element(element) for element in elements]
            for copy in copies:
                inner = copy.__dict__.get("frame")
                copy.frame = frame if inner is None else self.copied_frame(inner, frame)
            into.__dict__[name] += copies
        for child in body.bodies:
            into.bodies.append(self.body(child, self.copied_frame(child.__dict__.get("frame"), frame)))
        frames = body.__dict__.get("frames")
        if frames:
            # copy empty frames, too
            into.__dict__.setdefault("frames", []).extend([self.copied_frame(inner, frame) for inner in frames])

    def copied_frame(self, inner: Element | None, outer: Element | None) -> Element | None:
        """Return a copy of the frame `inner` and of its enclosing frames. The outermost copy is inside `outer`."""
        if inner is None:
            return outer
        copy = self.frames.get(id(inner))
        if copy is None:
            copy = self.frames[id(inner)] = self.element(inner)
            copy.frame = self.copied_frame(inner.frame, outer)
        return copy

    def class_name(self, name: str) -> str:
        """Return the new name of a defaults class. The main class becomes the target's main class."""
        return name if name == "main" or not self.namespace.foreign else self.namespace.of(name)

    def knows(self, reference: Reference) -> bool:
        """Return True if the referenced element was copied."""
        return reference.name in self.names.get(reference.kind, ())

    def element(self, element: Element, inside: bool = True) -> Any:
        """Return a copy of one element under its new name.

        Its references are renamed, too. If it is not `inside` the attached part, only references to copied elements are
        renamed.
        """
        copy = self.copies[id(element)] = element.copy()
        name = element.__dict__.get("name")
        if name and element.kind not in KEEP_NAME:
            self.names.setdefault(element.kind, set()).add(name)
            copy.__dict__["name"] = self.namespace.of(name)
        if self.namespace.foreign:
            copy.__dict__.setdefault("settings", self.settings)
        if self.namespace.foreign or self.instances:
            self._rename_plugin(copy)
        for attribute in ("classname", "childclass"):
            if copy.__dict__.get(attribute):
                copy.__dict__[attribute] = self.class_name(copy.__dict__[attribute])
        parts = PARTS.get(element.kind)
        if parts is not None:
            setattr(copy, parts, [part.copy() for part in element.__dict__.get(parts, ())])
        lists = BODY_LISTS.get(element.kind, ())
        for reference in references(copy):
            shared = reference.kind in self.namespace.shared or reference.attribute in lists
            if not shared and (inside or self.knows(reference)):
                setattr(reference.element, reference.attribute, self.namespace.of(reference.name))
        for attribute in lists:
            # all bodies in the lists are copied, or are the world
            names = (name if name == "world" else self.namespace.of(name) for name in copy.__dict__.get(attribute, ()))
            setattr(copy, attribute, tuple(names))
        return copy

    def _rename_plugin(self, copy: Any) -> None:
        """Make a copied element use the copied plugin instance."""
        use = copy.__dict__.get("plugin")
        if use is not None and (self.namespace.foreign or use.name in self.instances):
            self.used.add(use.name)
            # bodies that shared an instance also share its copy
            renamed: Any = self.plugins.setdefault(id(use), use.copy())
            # formerly shared plugins use an instance of the target
            if use.name in self.known:
                renamed.name = self.namespace.of(use.name)
            copy.plugin = renamed
