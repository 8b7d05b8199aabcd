"""A model under examination: its element names, source locations, initial poses and kinematic trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.api.functions.state import mj_resetData, mj_resetDataKeyframe
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.doctor.actuation import Servo, servos_of
from conjoint.schema.enums import mjtGeom, mjtJoint
from conjoint.spec import Spec
from conjoint.spec.element import TOP, Place, bodies
from conjoint.spec.filename import base_name, default_name

INFINITE = (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_HFIELD)
"""Geom types without a finite shape of their own, which cannot move."""


@dataclass
class Subject:
    """A model, data that checks may change, and the specification from which the model was compiled.

    Attributes:
        model: the model.
        spec: the specification, which contains the source locations of elements; None for a compiled model.
        urdf: True if the model was written in URDF.
        file: name of the model file, without folders; "" if it is unknown.
    """

    model: MjModel
    spec: Spec | None = None
    urdf: bool = False
    file: str = ""

    def __post_init__(self) -> None:
        self.data = MjData(self.model)
        self._places = dict(_places(self.spec)) if self.spec is not None else {}

    def place(self, kind: str, name: str) -> str:
        """Return the file and line of an element; "" if they are unknown."""
        place = self._places.get((kind, name))
        return base_name(place.at().rpartition(":")[0]) if place is not None else ""

    def label(self, kind: str, index: int) -> str:
        """Return kind, name and source location of an element, with the body of an unnamed geom or joint."""
        model = self.model
        name = getattr(model, kind)(index).name
        place = self.place(kind, name)
        text = f"{kind} '{name}'" if name else f"{kind} {index}"
        if kind in ("geom", "joint") and not (name and place):
            body = (model.geom_bodyid if kind == "geom" else model.jnt_bodyid)[index]
            above = model.body(body).name
            place = self.place("body", above)
            text += f" of '{above}'" if above else ""
        return text + (f" ({place})" if place else "")

    @cached_property
    def starts(self) -> list[tuple[str, int | None]]:
        """Names and keyframe ids of the initial poses; the id of the reference pose is None."""
        keys = [(self.label("key", k).replace("key", "keyframe", 1), k) for k in range(self.model.nkey)]
        return [("the reference pose", None), *keys]

    def begin(self, key: int | None = None) -> MjData:
        """Set the data to an initial pose, run forward dynamics, and return the data."""
        if key is None:
            mj_resetData(self.model, self.data)
        else:
            mj_resetDataKeyframe(self.model, self.data, key)
        mj_forward(self.model, self.data)
        return self.data

    @cached_property
    def servos(self) -> list[Servo]:
        """Actuators that act on a single joint."""
        return servos_of(self.model)

    @cached_property
    def floating(self) -> list[int]:
        """Bodies with a free joint."""
        model = self.model
        return [int(model.jnt_bodyid[j]) for j in range(model.njnt) if model.jnt_type[j] == mjtJoint.mjJNT_FREE]

    @cached_property
    def hinges(self) -> list[int]:
        """Hinge and slide joints, which have one degree of freedom."""
        kinds = (mjtJoint.mjJNT_HINGE, mjtJoint.mjJNT_SLIDE)
        return [j for j in range(self.model.njnt) if self.model.jnt_type[j] in kinds]

    @cached_property
    def collides(self) -> np.ndarray:
        """Mask of geoms that may have contacts with others."""
        return (self.model.geom_contype != 0) | (self.model.geom_conaffinity != 0)

    @cached_property
    def moves(self) -> np.ndarray:
        """Mask of bodies that are not fixed to the world."""
        return self.model.body_weldid != 0

    def below(self, body: int) -> np.ndarray:
        """Return a mask of a body and its descendants."""
        marked = np.zeros(self.model.nbody, bool)
        marked[body] = True
        for k in range(body + 1, self.model.nbody):
            marked[k] = marked[self.model.body_parentid[k]]
        return marked


def _places(spec: Spec) -> Iterator[tuple[tuple[str, str], Place]]:
    """Yield the types, names and source locations of elements."""
    for body in bodies(spec.worldbody):
        yield from _place("body", body)
        for joint in body.joints:
            yield from _place("joint", joint)
        for geom in body.geoms:
            yield from _place("geom", geom)
    for kind, plural in TOP.items():
        for element in getattr(spec, plural, ()):
            yield from _place(kind, element)


def _place(kind: str, element: Any) -> Iterator[tuple[tuple[str, str], Place]]:
    """Yield kind, name and source location of an element, if it has a name or a file."""
    place = element.place
    file = element.__dict__.get("file")
    name = element.__dict__.get("name") or (default_name(file) if isinstance(file, str) and file else "")
    # elements that a program created have no attributes
    if place is not None and name and place.attributes:
        yield (kind, name), place
