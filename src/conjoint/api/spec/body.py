"""Handles of bodies and frames, with methods that add, list and attach their contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Any

from conjoint.api.spec.attach import attach_body, attach_frame, body_to_frame
from conjoint.api.spec.base import Attached, ElementHandle, MjsDefault, Oriented, Plugged
from conjoint.api.spec.elements import CLASSES, MjsCamera, MjsGeom, MjsJoint, MjsLight, MjsSite
from conjoint.api.spec.field_types import Field
from conjoint.api.spec.flex import make_flex
from conjoint.api.spec.handle import EditableModel, InertialOrientation, MjsOrientation, part, with_members
from conjoint.api.spec.new import new_element
from conjoint.lang.text import is_text, sought
from conjoint.schema.enums import mjtObj
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec import Element
from conjoint.spec.element import LISTS, frames_of


def _kind_of(number: Any) -> str:
    """Return the name of an element type, such as "geom". Raises TypeError if `number` is not an mjtObj."""
    try:
        return mjtObj(number).name.removeprefix("mjOBJ_").lower()
    except ValueError:
        raise TypeError(f"find_all: the kind should be an mjtObj or its name, not {number!r}") from None


INERTIAL = {
    "mass": 0.0, "ipos": None, "iquat": (1.0, 0.0, 0.0, 0.0), "inertia": (0.0,) * 3, "fullinertia": None, "ialt": None,
}  # fmt: skip
"""Attributes of a body that XML stores in the element `inertial`, with their defaults."""

FREEJOINT = ("align", "group", "name")
"""Keyword arguments of `MjsBody.add_freejoint`."""

FLEX_OPTIONS = (
    "count", "cellcount", "spacing", "scale", "radius", "mass", "inertiabox", "equality", "elastic2d", "pos", "quat",
    "origin", "file", "mesh",
)  # fmt: skip
"""Keyword arguments of `MjsBody.make_flex` that are passed as options."""


@with_members("body")
class MjsBody(Oriented, Attached, Plugged, ElementHandle):
    """Body with its elements and child bodies.

    The mass, inertia and inertial frame are inferred from the geoms of the body unless `ipos` is set.

    Attributes:
        inner_class: the childclass of the body, or of the enclosing frame or body if it has none, at the time when the
            handle was created.
    """

    def __init__(self, spec: EditableModel, values: dict[str, Any], element: Any = None, parent: Any = None):
        super().__init__(spec, values, element, parent)
        around = "main" if parent is None else parent.inner_class
        self.__dict__["inner_class"] = values.get("childclass") or values.get("classname") or around

    # --- elements of the body ---

    def add_body(self, default: MjsDefault | None = None, **options: Any) -> MjsBody:
        """Add a child body, whose attributes are passed as keyword arguments.

        Args:
            default: defaults class for the contents of the child body (`childclass`); None for the class of this body.
            options: attributes by name: `name`, `pos`, `quat` and all other attributes of `MjsBody`.

        Returns:
            The handle of the element.
        """
        return self._add("body", default, options)

    def add_geom(self, default: MjsDefault | None = None, **options: Any) -> MjsGeom:
        """Add a geom. Values that are not passed come from `default`, or from the childclass of the body.

        Args:
            default: defaults class with the initial values; None for the childclass of the body.
            options: attributes by name: `type`, `size`, `pos` and all other attributes of `MjsGeom`.

        Returns:
            The handle of the element.
        """
        return self._add("geom", default, options)

    def add_joint(self, default: MjsDefault | None = None, **options: Any) -> MjsJoint:
        """Add a joint.

        Args:
            default, options: as in `add_geom`. Options are `name`, `type`, `axis`, `range` and all other attributes of
                `MjsJoint`.
        """
        return self._add("joint", default, options)

    def add_freejoint(self, **options: Any) -> MjsJoint:
        """Add a free joint, which does not use a defaults class.

        Args:
            options: `name`, `group`, and `align`: whether to move the body's frame to its center of mass
                (mjtAlignFree).
        """
        for name in options:
            if name not in FREEJOINT:
                raise TypeError(f"Invalid {name} keyword argument. Valid options are: {', '.join(FREEJOINT)}.")
        element = new_element("joint", defaults("joint"), "main")
        element.__dict__.update(type=0, align=2, frame=None)
        return self._append("joint", element, options)

    def add_site(self, default: MjsDefault | None = None, **options: Any) -> MjsSite:
        """Add a site.

        Args:
            default, options: as in `add_geom`. Options are `name`, `pos`, `size` and all other attributes of `MjsSite`.
        """
        return self._add("site", default, options)

    def add_camera(self, default: MjsDefault | None = None, **options: Any) -> MjsCamera:
        """Add a camera.

        Args:
            default, options: as in `add_geom`. Options are `name`, `pos`, `quat`, `fovy` and all other attributes of
                `MjsCamera`.
        """
        return self._add("camera", default, options)

    def add_light(self, default: MjsDefault | None = None, **options: Any) -> MjsLight:
        """Add a light.

        Args:
            default, options: as in `add_geom`. Options are `name`, `pos`, `dir` and all other attributes of `MjsLight`.
        """
        return self._add("light", default, options)

    def add_frame(self, default: MjsFrame | None = None, **options: Any) -> MjsFrame:
        """Add a frame, optionally inside another frame.

        Args:
            default: the enclosing frame, which belongs to the same body; None for the body itself.
            options: attributes by name: `name`, `pos`, `quat` and all other attributes of `MjsFrame`.

        Returns:
            The handle of the element.
        """
        if default is not None and not isinstance(default, MjsFrame):
            raise TypeError(f"add_frame: default should be an MjsFrame, not {default!r}")
        element = new_element("frame", defaults("frame"), "main")
        element.frame = None if default is None else default.element
        return self._append("frame", element, options)

    def _add(self, kind: str, default: MjsDefault | None, options: Mapping[str, Any]) -> Any:
        """Add an element of type `kind` with initial values from a defaults class, and return its handle."""
        if default is not None and not isinstance(default, MjsDefault):
            raise TypeError(f"add_{kind}: default should be an MjsDefault, not {default!r}")
        self.spec.exposed_defaults.store()
        classname = self.childclass if default is None else default.name
        classes = self.spec.spec.classes
        base = defaults("body") if kind == "body" else classes[classname if classname in classes else "main"].of(kind)
        element = new_element(kind, base, classname)
        element.__dict__["frame"] = None
        if kind == "body":
            element.__dict__["childclass"] = "" if classname == self.childclass == "main" else classname
        return self._append(kind, element, options)

    def _append(self, kind: str, element: Element, options: Mapping[str, Any]) -> Any:
        """Set the attributes of a new element, add it to the body, and return its handle."""
        return self.spec.insert(element, self.element.__dict__.setdefault(LISTS[kind], []), options, self)

    def members(self, kind: str) -> list[Any]:
        """Return the handles of the body's elements of type `kind`."""
        elements = frames_of(self.element) if kind == "frame" else getattr(self.element, LISTS[kind])
        return [self.spec.handle(element, self) for element in elements]

    def find_all(self, kind: Any) -> list[Any]:
        """Return all elements of a type (mjtObj or its name) in this body and its descendants, but not the body itself.

        Args:
            kind: a member of mjtObj, or a name such as "geom".
        """
        name = sought(kind) if is_text(kind) else _kind_of(kind)
        if name not in LISTS:
            raise ValueError(f"body.find_all supports the types: {', '.join(LISTS)}.")
        below = list(self.below())
        return below[1:] if name == "body" else [member for body in below for member in body.members(name)]

    def find_child(self, name: str) -> MjsBody | None:
        """Return this body or the descendant that is called `name`, or None if there is no such body."""
        wanted = sought(name)
        return next((body for body in self.below() if body.name == wanted), None)

    def below(self) -> Iterator[MjsBody]:
        """Yield this body and its descendants, parents first."""
        left = [self]
        while left:
            body = left.pop()
            yield body
            left += reversed(body.members("body"))

    # --- attributes of the body ---

    @part
    def ialt(self) -> MjsOrientation:
        """Return the orientation of the inertial frame in representations other than `iquat`."""
        return InertialOrientation(self)

    def heavy(self) -> None:
        """Record a change in mass or inertia. Afterwards, the body itself stores these values, not its `inertial`."""
        self.spec.massive[id(self.element)] = self
        inertial = self.element.inertial
        self.values.setdefault("explicitinertial", int(inertial is not None))
        for name in INERTIAL:
            if name not in self.values:
                self.values[name] = INERTIAL[name] if inertial is None else inertial.__dict__[name]

    def _get(self, field: Field) -> Any:
        inertial = self.element.inertial
        if field.name == "childclass":
            return self.inner_class
        if field.name == "explicitinertial":
            return self.values.get("explicitinertial", inertial is not None)
        if field.name not in INERTIAL or field.name in self.values:
            return super()._get(field)
        return INERTIAL[field.name] if inertial is None else inertial.__dict__[field.name]

    def _put(self, field: Field, stored: Any) -> None:
        if field.name in INERTIAL:
            self.heavy()
        if field.name == "childclass":
            self.__dict__["inner_class"] = stored
        super()._put(field, stored)

    def make_inertial(self) -> None:
        """Create the `inertial` element from the body's values, or remove it if no inertial value is set."""
        values = {name: self.values[name] for name in INERTIAL}
        if values["ipos"] is None and not (values["mass"] or any(values["inertia"]) or values["fullinertia"]):
            self.element.inertial = None
            return
        inertial = Element("inertial", {**defaults("inertial"), **values}, self.element.place)
        inertial.frame = None
        self.element.inertial = inertial

    # --- attachment ---

    def attach_frame(self, frame: MjsFrame, prefix: str | None = None, suffix: str | None = None) -> MjsFrame:
        """Attach the contents of another model's frame, and the elements that refer to them, under new names.

        Args:
            frame: the frame, whose contents both models share from then on.
            prefix, suffix: strings that are added to all names.

        Returns:
            The frame in this body that contains the attached elements.
        """
        return attach_frame(frame, self, prefix, suffix)

    def make_flex(
        self,
        name: str,
        type: str | None = None,
        dim: int = 3,
        dof: str | None = None,
        *,
        rigid: bool = False,
        flatskin: bool = False,
        **options: Any,
    ) -> Any:
        """Add the output of the macro flexcomp: one body per vertex, the flex, and the constraint on its edges.

        Joints do not use a defaults class.

        Args:
            name: name of the flex, and prefix of the names of its bodies.
            type: shape: grid, box, cylinder, ellipsoid, square, disc or circle; mesh or gmsh if `file` is passed. None
                means grid.
            dim: dimension of the flex elements.
            dof: degrees of freedom of the vertices: full, radial or trilinear; None means full.
            rigid: whether all vertices belong to this body.
            flatskin: whether the flex is drawn with flat shading.
            options: `count`, `spacing`, `scale`, `radius`, `mass`, `inertiabox`, `pos`, `quat`, `origin` and `file` as
                in flexcomp. `mesh` is a mesh of the model that defines the shape. `equality` is 1 to constrain edge
                lengths, 3 to constrain the strain. `elastic2d` is 0 to 3.

        Returns:
            The handle of the flex, an `MjsFlex`.

        Raises:
            ValueError: the options contradict each other, or are not implemented.
            TypeError: an option does not exist.
        """
        for option in options:
            if option not in FLEX_OPTIONS:
                raise TypeError(f"Invalid {option} keyword argument. Valid options are: {', '.join(FLEX_OPTIONS)}.")
        given = {"name": name, "type": type, "dim": dim, "dof": dof, "rigid": bool(rigid), "flatskin": bool(flatskin)}
        return make_flex(self, {**given, **options})

    def to_frame(self) -> MjsFrame:
        """Replace the body by a frame of its parent that has the same contents."""
        return body_to_frame(self)


@with_members("frame")
class MjsFrame(Oriented, ElementHandle):
    """Frame of a body, to which poses of elements may be relative."""

    parent = Attached.parent
    frame = Attached.frame
    set_frame = Attached.set_frame

    def _get(self, field: Field) -> Any:
        if field.name != "childclass":
            return super()._get(field)
        inherited = self.values.get("classname", "main")
        return self.values.get("childclass") or (inherited if inherited != "main" else "")

    # --- elements of the frame ---

    def add_body(self, default: MjsDefault | None = None, **options: Any) -> MjsBody:
        """Add a body to the frame. Arguments are those of `MjsBody.add_body`."""
        return self._add("body", default, options)

    def add_geom(self, default: MjsDefault | None = None, **options: Any) -> MjsGeom:
        """Add a geom to the frame. Arguments are those of `MjsBody.add_geom`."""
        return self._add("geom", default, options)

    def add_joint(self, default: MjsDefault | None = None, **options: Any) -> MjsJoint:
        """Add a joint to the frame. Arguments are those of `MjsBody.add_joint`."""
        return self._add("joint", default, options)

    def add_site(self, default: MjsDefault | None = None, **options: Any) -> MjsSite:
        """Add a site, whose pose is relative to the frame. Arguments are those of `MjsBody.add_site`."""
        return self._add("site", default, options)

    def add_camera(self, default: MjsDefault | None = None, **options: Any) -> MjsCamera:
        """Add a camera, whose pose is relative to the frame. Arguments are those of `MjsBody.add_camera`."""
        return self._add("camera", default, options)

    def add_light(self, default: MjsDefault | None = None, **options: Any) -> MjsLight:
        """Add a light, whose pose is relative to the frame. Arguments are those of `MjsBody.add_light`."""
        return self._add("light", default, options)

    def add_frame(self, default: MjsFrame | None = None, **options: Any) -> MjsFrame:
        """Add a frame inside this one, or inside `default`, another frame of the body."""
        return self.above.add_frame(self if default is None else default, **options)

    def _add(self, kind: str, default: MjsDefault | None, options: Mapping[str, Any]) -> Any:
        """Add an element of type `kind` to the body, move it into the frame, and return its handle."""
        added = getattr(self.above, "add_" + kind)(default, **options)
        added.set_frame(self)
        return added

    def attach_body(self, body: MjsBody, prefix: str | None = None, suffix: str | None = None) -> MjsBody:
        """Attach another model's body, and the elements that refer to it, to the frame.

        Args:
            body: the body, which both models share from then on, including its changes.
            prefix, suffix: strings that are added to all names.

        Returns:
            `body`.
        """
        return attach_body(body, self.above, self.element, prefix, suffix)


def _list_member(kind: str) -> property:
    return property(lambda body: body.members(kind), doc=f"List of the handles of its {LISTS[kind]}.")


def _first(kind: str) -> Any:
    def first(self: MjsBody) -> Any:
        """Return the body's first element of the type in the method's name, or None if there is none."""
        return next(iter(self.members(kind)), None)

    return first


def _next(kind: str) -> Any:
    def after(self: MjsBody, element: Any) -> Any:
        """Return the element after `element`, or None after the last. Raises ValueError if it is not in the body."""
        members = self.members(kind)
        place = next((i for i, member in enumerate(members) if member is element), None)
        if place is None:
            raise ValueError(f"{element!r} is not in {self!r}")
        return members[place + 1] if place + 1 < len(members) else None

    return after


for _kind, _name in LISTS.items():
    setattr(MjsBody, _name, _list_member(_kind))
    setattr(MjsBody, "first_" + _kind, _first(_kind))
    setattr(MjsBody, "next_" + _kind, _next(_kind))


HANDLES: dict[str, type[ElementHandle]] = {"body": MjsBody, "frame": MjsFrame, **CLASSES}
"""Handle class of each element type."""

MjStruct: Any = reduce(or_, HANDLES.values())
"""Union of the handle classes of all element types."""
