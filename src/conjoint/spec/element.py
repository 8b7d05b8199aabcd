"""Elements of the editable model, the lists that hold them, and the frames that they are in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol, Self

from conjoint.schema.kinds import KINDS


class Place(Protocol):
    """Place where an element was written, with its tag and attributes."""

    tag: str

    @property
    def attributes(self) -> Mapping[str, str]:
        """Written attributes, by name; empty if a program made the element."""

    @property
    def line(self) -> int:
        """The line that the element begins in, from 1; 0 if a program made it."""

    def at(self, attribute: str | None = None) -> str:
        """File, line and column of the element or of one of its attributes, as text."""


class Element:
    """One element of a model: a geom, a joint, an actuator ...

    Its values are attributes, with the names of the official package's mjs structs (`geom.size`, `joint.solref_limit`).
    They are numbers, words or tuples and are never changed in place, so that elements may share them. Angles are in the
    unit of `compiler/angle`.

    Attributes:
        kind: "geom", "joint", "actuator", ...
        place: where it was written; None if it was made by a program.
        written: names of the values that were written for this element, not taken from defaults.
        origin: of an element that is compiled, the one that it is a copy of.
    """

    kind: str
    place: Place | None
    written: frozenset[str]
    origin: Any

    def __init__(self, kind: str, values: Mapping[str, Any], place: Place | None = None):
        self.__dict__.update(values, kind=kind, place=place, written=frozenset())

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a value; the grammar defines their names."""

        def __setattr__(self, name: str, value: Any) -> None:
            """Set a value; the grammar defines their names."""

    def copy(self) -> Self:
        """Return a copy that shares the values."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __repr__(self) -> str:
        name = self.__dict__.get("name", "")
        tag = self.place.tag if self.place else self.kind
        return f"<{tag} name='{name}'>" if name else f"<{tag}>"


class Body(Element):
    """A body, with what is attached to it and the bodies below it."""

    def __init__(self, values: Mapping[str, Any], place: Place | None = None):
        self.__dict__.update(
            values, kind="body", place=place, written=frozenset(), inertial=None,
            bodies=[], joints=[], geoms=[], sites=[], cameras=[], lights=[],
        )  # fmt: skip


ATTACHED = {kind.name: kind.plural for kind in KINDS if kind.name in ("joint", "geom", "site", "camera", "light")}
"""Kinds of elements attached to bodies, and the list of a body that holds each."""

BODY_CONTENTS = (*ATTACHED.values(), "bodies")
"""Lists of what is in a body."""

TOP = {kind.name: kind.plural for kind in KINDS if kind.name not in ("body", *ATTACHED)}
"""Kinds of elements not attached to bodies, and the list of a Spec that holds each."""

PARTS = {"tendon": "wraps", "material": "layers", "tuple": "elements", "skin": "bones"}
"""Kinds that consist of other elements, and the list that holds these."""


def bodies(body: Body) -> Iterator[Body]:
    """Yield `body` and all below it, parents first."""
    left = [body]
    while left:
        here = left.pop()
        yield here
        left += reversed(here.bodies)


def is_in(element: Any, frame: Element) -> bool:
    """Return True if `element` is in `frame`, or in a frame inside it."""
    here = element.__dict__.get("frame")
    while here is not None and here is not frame:
        here = here.__dict__.get("frame")
    return here is frame


def within(body: Body, frame: Element) -> Body:
    """Return a body that holds only what is in `frame`, and frames inside it."""
    found = Body({"name": "", "frames": [inner for inner in body.__dict__.get("frames", ()) if is_in(inner, frame)]})
    for name in BODY_CONTENTS:
        setattr(found, name, [element for element in getattr(body, name) if is_in(element, frame)])
    return found


LISTS = {
    "body": "bodies",
    "frame": "frames",
    **{kind: ATTACHED[kind] for kind in ("geom", "site", "joint", "light", "camera")},
}
"""Kinds of elements in bodies, and the list that holds each."""


_contents = itemgetter(*[name for name in LISTS.values() if name != "frames"])


def unlisted(frame: Element) -> Element:
    """Return a frame with the pose of another one, without a name, that its body does not list."""
    copy = frame.copy()
    copy.__dict__.update(name="", childclass="", classname="main", unlisted=True)
    return copy


def frames_of(body: Body) -> list[Element]:
    """Return all frames of a body, outer ones first."""
    values = body.__dict__
    found = list(values.get("frames", ()))
    seen = {id(frame) for frame in found}
    for element in chain.from_iterable(_contents(values)):
        frame = element.__dict__.get("frame")
        if frame is None:
            continue
        around = []
        while frame is not None and id(frame) not in seen:
            seen.add(id(frame))
            if not frame.__dict__.get("unlisted"):
                around.append(frame)
            frame = frame.__dict__.get("frame")
        found += reversed(around)
    return found
