"""Handles of the elements of an editable model, by type: the official package's mjs classes."""

from collections.abc import Iterable
from typing import Any

from conjoint.api.arguments import checked
from conjoint.api.spec.assets import MjsHField, MjsMaterial, MjsMesh, MjsSkin, MjsTexture
from conjoint.api.spec.attach import HandleT, attach_body, frame_at
from conjoint.api.spec.base import Attached, Classed, ElementHandle, Info, MjsDefault, MjsPlugin, Oriented, Plugged
from conjoint.api.spec.field_types import Field
from conjoint.api.spec.fields import fields
from conjoint.api.spec.handle import Handle, member, part, with_members
from conjoint.api.spec.new import CLASSED, INITIAL
from conjoint.api.spec.relations import MjsActuator, MjsSensor
from conjoint.lang.errors import ModelError
from conjoint.lang.text import as_text
from conjoint.schema.enums import mjtGeom, mjtWrap
from conjoint.schema.enums_newer import mjtProjection
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element
from conjoint.spec.keyframes import VECTORS, keep_layout


class MjsWrap(Handle):
    """One piece of the path of a tendon; `info` is the prefix of messages about it."""

    info = member(Field("info", "text", missing=""))

    @property
    def type(self) -> mjtWrap:
        """Type of the wrap object; for a geom, sphere or cylinder."""
        kind = mjtWrap(self.values["type"])
        around = self.target if kind == mjtWrap.mjWRAP_SPHERE else None
        cylinder = around is not None and around.type == mjtGeom.mjGEOM_CYLINDER
        return mjtWrap.mjWRAP_CYLINDER if cylinder else kind

    @property
    def target(self) -> Any:
        """The site, geom or joint; None for a pulley or a name that does not exist."""
        kind = _TARGETS.get(self.values["type"])
        return None if kind is None else getattr(self.spec, kind)(self.values["target"])

    @property
    def sidesite(self) -> Any:
        """The site that selects the side of a geom; None if none is named."""
        name = self.values["sidesite"]
        return self.spec.site(name) if name else None

    @property
    def coef(self) -> float:
        """Coefficient of the joint position."""
        return float(self.values["prm"])

    @property
    def divisor(self) -> float:
        """Divisor of the length of the branch after a pulley."""
        return float(self.values["prm"])


_TARGETS = {
    int(mjtWrap.mjWRAP_SITE): "site", int(mjtWrap.mjWRAP_SPHERE): "geom", int(mjtWrap.mjWRAP_CYLINDER): "geom",
    int(mjtWrap.mjWRAP_JOINT): "joint",
}  # fmt: skip
"""Element kinds of the targets of path pieces."""


@with_members("tendon")
class MjsTendon(ElementHandle):
    """A tendon; its path is built piece by piece."""

    def default(self) -> MjsDefault:
        """Return the defaults class."""
        return self.spec.find_default(self.values.get("classname", "main")) or self.spec.default

    @property
    def path(self) -> tuple[MjsWrap, ...]:
        """The pieces of its path, in order."""
        return tuple(self._piece(wrap) for wrap in self.values.get("wraps", ()))

    def _piece(self, wrap: Element) -> MjsWrap:
        """Return the handle of a piece, the same object each time."""
        known = self.spec.handles.get(id(wrap))
        if known is None or known.values is not wrap.__dict__:
            known = self.spec.handles[id(wrap)] = MjsWrap(self.spec, wrap.__dict__)
        return known

    @checked
    def wrap_site(self, name: str) -> MjsWrap:
        """Add a site to the path.

        Args:
            name: name of the site.
        """
        return self._wrap(mjtWrap.mjWRAP_SITE, name)

    @checked
    def wrap_geom(self, name: str, sidesite: str) -> MjsWrap:
        """Add a sphere or cylinder that the path wraps around, on the side of a site if one is named.

        Args:
            name: name of the geom.
            sidesite: name of the site; "": none.
        """
        return self._wrap(mjtWrap.mjWRAP_SPHERE, name, sidesite=sidesite)

    @checked
    def wrap_joint(self, name: str, coef: float) -> MjsWrap:
        """Add a joint position, times `coef`.

        Args:
            name: name of the joint.
            coef: moment arm, the factor of its position.
        """
        return self._wrap(mjtWrap.mjWRAP_JOINT, name, coef)

    @checked
    def wrap_pulley(self, divisor: float) -> MjsWrap:
        """Start another branch, with divided length.

        Args:
            divisor: divisor of the length of the branch.
        """
        return self._wrap(mjtWrap.mjWRAP_PULLEY, "", divisor)

    def _wrap(self, kind: mjtWrap, target: str, number: float = 0.0, sidesite: str = "") -> MjsWrap:
        values = {
            "type": int(kind), "prm": float(number), "target": as_text(target, "MjsTendon: what it goes through"),
            "sidesite": as_text(sidesite, "MjsTendon: sidesite"),
        }  # fmt: skip
        wrap = Element("wrap", {**defaults("wrap"), **values})
        self.values.setdefault("wraps", []).append(wrap)
        return self._piece(wrap)


@with_members("geom")
class MjsGeom(Oriented, Attached, Plugged, ElementHandle):
    """A geom."""


@with_members("joint")
class MjsJoint(Attached, ElementHandle):
    """A joint."""


@with_members("site")
class MjsSite(Oriented, Attached, ElementHandle):
    """A site."""

    def attach_body(self, body: HandleT, prefix: str | None = None, suffix: str | None = None) -> HandleT:
        """Attach a body, and what refers to it, to the site; see `MjsFrame.attach_body`."""
        return attach_body(body, self.above, frame_at(self), prefix, suffix)


@with_members("camera")
class MjsCamera(Oriented, Attached, ElementHandle):
    """A camera."""

    @property
    def proj(self) -> mjtProjection:
        """Projection; newer versions have it instead of `orthographic`."""
        return mjtProjection(int(self.orthographic))

    @proj.setter
    def proj(self, value: mjtProjection) -> None:
        if not isinstance(value, mjtProjection):
            raise TypeError(f"MjsCamera: proj should be an mjtProjection, not {value!r}.")
        self.orthographic = int(value)


@with_members("light")
class MjsLight(Attached, ElementHandle):
    """A light."""


@with_members("pair")
class MjsPair(Classed, ElementHandle):
    """A pair of geoms that may collide."""


@with_members("exclude")
class MjsExclude(ElementHandle):
    """A pair of bodies that do not collide."""


@with_members("equality")
class MjsEquality(Classed, ElementHandle):
    """An equality constraint."""


@with_members("numeric")
class MjsNumeric(ElementHandle):
    """An array of numbers."""

    def _get(self, field: Field) -> Any:
        return self._size() if field.name == "size" else super()._get(field)

    def _put(self, field: Field, stored: Any) -> None:
        if field.name == "data":
            # an array from a file keeps its size
            self.values["size"] = self._size() or None
        # size 0 means the length of the data
        super()._put(field, stored or None if field.name == "size" else stored)

    def _size(self) -> int:
        """Return the size if it is given, or if the array was read from a file; else 0."""
        size: int | None = self.values.get("size")
        place = None if self.element is None else self.element.place
        read = place is not None and not isinstance(place, Info)
        return size if size is not None else len(self.values["data"]) if read else 0


@with_members("text")
class MjsText(ElementHandle):
    """A custom string."""


@with_members("key")
class MjsKey(ElementHandle):
    """A keyframe; its numbers stay with their elements when the model changes."""

    def _put(self, field: Field, stored: Any) -> None:
        super()._put(field, stored)
        if field.name in VECTORS and self.element is not None:
            keep_layout(self.spec.spec, [self.element], [field.name])

    def _take(self, field: Field, stored: Any) -> None:
        # numbers changed in place belong to the same elements as before
        super()._put(field, stored)


@with_members("flex")
class MjsFlex(ElementHandle):
    """A flexible object."""


@with_members("tuple")
class MjsTuple(ElementHandle):
    """A list of elements of the model."""

    def _get(self, field: Field) -> Any:
        if field.name == "name":
            return super()._get(field)
        if field.name in self.values:
            return self.values[field.name]
        members = self.values.get("elements", ())
        if field.name == "objtype":
            return tuple(OBJECT_TYPES.get(member.objtype, 0) for member in members)
        return tuple(getattr(member, "prm" if field.name == "objprm" else field.name) for member in members)

    def _put(self, field: Field, stored: Any) -> None:
        values = {name: self._get(fields("tuple")[name]) for name in TUPLE_LISTS}
        values[field.name] = stored
        self.values.update(values)
        words = {number: word for word, number in OBJECT_TYPES.items()}
        rows = zip(values["objtype"], values["objname"], (*values["objprm"], *(0.0,) * 10**4), strict=False)
        self.values["elements"] = [
            Element("tupleelement", {"objtype": words.get(int(kind), "unknown"), "objname": name, "prm": number})
            for kind, name, number in rows
        ]


def check_tuples(tuples: Iterable[Element]) -> None:
    """Raise ModelError if the lists of a tuple have different lengths."""
    for element in tuples:
        lengths = {name: len(element.__dict__[name]) for name in TUPLE_LISTS if name in element.__dict__}
        if len(set(lengths.values())) > 1:
            said = ", ".join(f"{count} in {name}" for name, count in lengths.items())
            raise ModelError(f"{element!r}: the lists have different lengths: {said}")


TUPLE_LISTS = ("objtype", "objname", "objprm")
"""Lists of a tuple with one entry per member."""


def _default_member(kind: str, cls: type[ElementHandle]) -> property:
    initial = INITIAL.get(kind, {}) if kind in CLASSED else {}

    def read(default: Any) -> ElementHandle:
        return cls(default.spec, default.values_of(kind, initial))

    read.__doc__ = f"Values of kind {kind}."
    return part(read)


CLASSES: dict[str, type[ElementHandle]] = {
    "geom": MjsGeom, "joint": MjsJoint, "site": MjsSite, "camera": MjsCamera, "light": MjsLight, "pair": MjsPair,
    "exclude": MjsExclude, "equality": MjsEquality, "tendon": MjsTendon, "actuator": MjsActuator, "sensor": MjsSensor,
    "numeric": MjsNumeric, "text": MjsText, "tuple": MjsTuple, "key": MjsKey, "mesh": MjsMesh, "hfield": MjsHField,
    "texture": MjsTexture, "material": MjsMaterial, "skin": MjsSkin, "flex": MjsFlex, "plugin": MjsPlugin,
}  # fmt: skip
"""Class of the handles of each type; bodies and frames are in `body.py`."""

for _kind in (
    "geom", "joint", "site", "camera", "light", "pair", "equality", "tendon", "actuator", "mesh", "texture", "material",
):  # fmt: skip
    setattr(MjsDefault, _kind, _default_member(_kind, CLASSES[_kind]))
MjsDefault.flex = _default_member("flex", MjsFlex)  # type: ignore[attr-defined]
