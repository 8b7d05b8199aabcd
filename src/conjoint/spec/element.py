"""Elements of the editable model, their lists and frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol, Self

from conjoint.schema.kinds import KINDS


class Place(Protocol):
    """Location of an element in a file, with the element's tag and attributes."""

    tag: str

    @property
    def attributes(self) -> Mapping[str, str]:
        """Attributes as written in the file, by name; empty for elements created by a program."""

    @property
    def line(self) -> int:
        """Line at which the element starts, counted from 1; 0 for elements created by a program."""

    def at(self, attribute: str | None = None) -> str:
        """Return the file, line and column of the element, or of one of its attributes, as text."""


class Element:
    """One element of a model: a geom, a joint, an actuator, ...

    Its values are attributes, with the names of MuJoCo's mjs structs (`geom.size`, `joint.solref_limit`). Values are
    numbers, words or tuples and are never changed in place, so that elements may share them. Angles are in the unit of
    `compiler/angle`.

    Attributes:
        kind: element type: "geom", "joint", "actuator", ...
        place: location of the element in a file; None if it was created by a program.
        written: names of the values that were written for this element, not taken from defaults.
        origin: for an element of a draft, the original element.
    """

    kind: str
    place: Place | None
    written: frozenset[str]
    origin: Any

    def __init__(self, kind: str, values: Mapping[str, Any], place: Place | None = None):
        self.__dict__.update(values, kind=kind, place=place, written=frozenset())

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a value. The grammar defines the names of values."""

        def __setattr__(self, name: str, value: Any) -> None:
            """Set a value. The grammar defines the names of values."""

    def copy(self) -> Self:
        """Return a copy of the element that shares its values."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __repr__(self) -> str:
        name = self.__dict__.get("name", "")
        tag = self.place.tag if self.place else self.kind
        return f"<{tag} name='{name}'>" if name else f"<{tag}>"


class Body(Element):
    """A body, with its elements and child bodies."""

    def __init__(self, values: Mapping[str, Any], place: Place | None = None):
        self.__dict__.update(
            values, kind="body", place=place, written=frozenset(), inertial=None,
            bodies=[], joints=[], geoms=[], sites=[], cameras=[], lights=[],
        )  # fmt: skip


ATTACHED = {kind.name: kind.plural for kind in KINDS if kind.name in ("joint", "geom", "site", "camera", "light")}
"""Types of elements attached to bodies, with the names of their lists in a body."""

BODY_CONTENTS = (*ATTACHED.values(), "bodies")
"""Names of the lists that contain the contents of a body."""

TOP = {kind.name: kind.plural for kind in KINDS if kind.name not in ("body", *ATTACHED)}
"""Types of elements not attached to bodies, with the names of their lists in a Spec."""

PARTS = {"tendon": "wraps", "material": "layers", "tuple": "elements", "skin": "bones"}
"""Types of elements that contain other elements, with the names of the lists that contain them."""


def bodies(body: Body) -> Iterator[Body]:
    """Yield `body` and its descendants, parents first."""
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
    """Return a body that contains only the contents of `frame`, including nested frames."""
    found = Body({"name": "", "frames": [inner for inner in body.__dict__.get("frames", ()) if is_in(inner, frame)]})
    for name in BODY_CONTENTS:
        setattr(found, name, [element for element in getattr(body, name) if is_in(element, frame)])
    return found


LISTS = {
    "body": "bodies",
    "frame": "frames",
    **{kind: ATTACHED[kind] for kind in ("geom", "site", "joint", "light", "camera")},
}
"""Types of elements in bodies, with the names of their lists."""


_contents = itemgetter(*[name for name in LISTS.values() if name != "frames"])


def unlisted(frame: Element) -> Element:
    """Return an unnamed copy of `frame` that its body does not list."""
    copy = frame.copy()
    copy.__dict__.update(name="", childclass="", classname="main", unlisted=True)
    return copy


def frames_of(body: Body) -> list[Element]:
    """Return all frames of a body. A frame precedes the frames inside it."""
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
