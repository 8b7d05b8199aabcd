"""Elements of the editable model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol


class Place(Protocol):
    """Where an element was written, under which tag, with which attributes."""

    tag: str

    @property
    def attributes(self) -> Mapping[str, str]:
        """What was written, by name; nothing, if the element was made by a program."""

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
    """

    def __init__(self, kind: str, values: Mapping[str, Any], place: Place | None = None):
        self.__dict__.update(values, kind=kind, place=place, written=frozenset())

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Values come from the grammar."""

        def __setattr__(self, name: str, value: Any) -> None:
            """Values come from the grammar."""

    def copy(self) -> Element:
        """A copy that shares the values."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __repr__(self) -> str:
        name = self.__dict__.get("name", "")
        tag = self.place.tag if self.place else self.kind
        return f"<{tag} name='{name}'>" if name else f"<{tag}>"


class Body(Element):
    """A body, with what is attached to it and the bodies below it."""

    inertial: Element | None
    bodies: list[Body]
    joints: list[Element]
    geoms: list[Element]
    sites: list[Element]
    cameras: list[Element]
    lights: list[Element]

    def __init__(self, values: Mapping[str, Any], place: Place | None = None):
        self.__dict__.update(
            values, kind="body", place=place, written=frozenset(), inertial=None,
            bodies=[], joints=[], geoms=[], sites=[], cameras=[], lights=[],
        )  # fmt: skip
