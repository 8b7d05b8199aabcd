"""Handle classes of the elements of an editable model, one per type, like MuJoCo's mjs classes."""

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
    """Element of a tendon path. Its attribute `info` is the prefix of error messages about it."""

    info = member(Field("info", "text", missing=""))

    @property
    def type(self) -> mjtWrap:
        """Type of the path element (mjtWrap). For a geom, this is sphere or cylinder."""
        kind = mjtWrap(self.values["type"])
        around = self.target if kind == mjtWrap.mjWRAP_SPHERE else None
        cylinder = around is not None and around.type == mjtGeom.mjGEOM_CYLINDER
        return mjtWrap.mjWRAP_CYLINDER if cylinder else kind

    @property
    def target(self) -> Any:
        """Handle of the site, geom or joint; None for a pulley, or if no element has the name."""
        kind = _TARGETS.get(self.values["type"])
        return None if kind is None else getattr(self.spec, kind)(self.values["target"])

    @property
    def sidesite(self) -> Any:
        """Site that selects the side on which the path wraps around a geom, or None."""
        name = self.values["sidesite"]
        return self.spec.site(name) if name else None

    @property
    def coef(self) -> float:
        """Coefficient by which the joint position is multiplied."""
        return float(self.values["prm"])

    @property
    def divisor(self) -> float:
        """Divisor of the length of the path branch after a pulley."""
        return float(self.values["prm"])


_TARGETS = {
    int(mjtWrap.mjWRAP_SITE): "site", int(mjtWrap.mjWRAP_SPHERE): "geom", int(mjtWrap.mjWRAP_CYLINDER): "geom",
    int(mjtWrap.mjWRAP_JOINT): "joint",
}  # fmt: skip
"""Element type of the target, by type of the path element."""


@with_members("tendon")
class MjsTendon(ElementHandle):
    """Tendon, whose path is built element by element."""

    def default(self) -> MjsDefault:
        """Return the defaults class of the tendon."""
        return self.spec.find_default(self.values.get("classname", "main")) or self.spec.default

    @property
    def path(self) -> tuple[MjsWrap, ...]:
        """Elements of the tendon path, in order."""
        return tuple(self._piece(wrap) for wrap in self.values.get("wraps", ()))

    def _piece(self, wrap: Element) -> MjsWrap:
        """Return the handle of a path element. All calls for the same element return the same object."""
        known = self.spec.handles.get(id(wrap))
        if known is None or known.values is not wrap.__dict__:
            known = self.spec.handles[id(wrap)] = MjsWrap(self.spec, wrap.__dict__)
        return known

    @checked
    def wrap_site(self, name: str) -> MjsWrap:
        """Add a site to the tendon path.

        Args:
            name: name of the site.
        """
        return self._wrap(mjtWrap.mjWRAP_SITE, name)

    @checked
    def wrap_geom(self, name: str, sidesite: str) -> MjsWrap:
        """Add a sphere or cylinder around which the path wraps, optionally on the side of a site.

        Args:
            name: name of the geom.
            sidesite: name of the site, or "" for no site.
        """
        return self._wrap(mjtWrap.mjWRAP_SPHERE, name, sidesite=sidesite)

    @checked
    def wrap_joint(self, name: str, coef: float) -> MjsWrap:
        """Add a joint position, multiplied by `coef`, to the tendon length.

        Args:
            name: name of the joint.
            coef: factor of the joint position: the moment arm of the joint.
        """
        return self._wrap(mjtWrap.mjWRAP_JOINT, name, coef)

    @checked
    def wrap_pulley(self, divisor: float) -> MjsWrap:
        """Add a pulley, after which another branch of the path starts.

        Args:
            divisor: number by which the length of the branch is divided.
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
    """Geom."""


@with_members("joint")
class MjsJoint(Attached, ElementHandle):
    """Joint."""


@with_members("site")
class MjsSite(Oriented, Attached, ElementHandle):
    """Site."""

    def attach_body(self, body: HandleT, prefix: str | None = None, suffix: str | None = None) -> HandleT:
        """Attach a body, and the elements that refer to it, to the site; see `MjsFrame.attach_body`."""
        return attach_body(body, self.above, frame_at(self), prefix, suffix)


@with_members("camera")
class MjsCamera(Oriented, Attached, ElementHandle):
    """Camera."""

    @property
    def proj(self) -> mjtProjection:
        """Projection of the camera. Newer versions have this attribute instead of `orthographic`."""
        return mjtProjection(int(self.orthographic))

    @proj.setter
    def proj(self, value: mjtProjection) -> None:
        if not isinstance(value, mjtProjection):
            raise TypeError(f"MjsCamera: proj should be an mjtProjection, not {value!r}.")
        self.orthographic = int(value)


@with_members("light")
class MjsLight(Attached, ElementHandle):
    """Light."""


@with_members("pair")
class MjsPair(Classed, ElementHandle):
    """Pair of geoms that may collide."""


@with_members("exclude")
class MjsExclude(ElementHandle):
    """Pair of bodies that do not collide."""


@with_members("equality")
class MjsEquality(Classed, ElementHandle):
    """Equality constraint."""


@with_members("numeric")
class MjsNumeric(ElementHandle):
    """Custom array of numbers."""

    def _get(self, field: Field) -> Any:
        return self._size() if field.name == "size" else super()._get(field)

    def _put(self, field: Field, stored: Any) -> None:
        if field.name == "data":
            # an array that was read from a file keeps its size
            self.values["size"] = self._size() or None
        # size 0 means the length of the data
        super()._put(field, stored or None if field.name == "size" else stored)

    def _size(self) -> int:
        """Return the explicit size, or the length of an array that was read from a file, or 0 for other arrays."""
        size: int | None = self.values.get("size")
        place = None if self.element is None else self.element.place
        read = place is not None and not isinstance(place, Info)
        return size if size is not None else len(self.values["data"]) if read else 0


@with_members("text")
class MjsText(ElementHandle):
    """Custom string."""


@with_members("key")
class MjsKey(ElementHandle):
    """Keyframe, whose numbers remain associated with the same elements when the model changes."""

    def _put(self, field: Field, stored: Any) -> None:
        super()._put(field, stored)
        if field.name in VECTORS and self.element is not None:
            keep_layout(self.spec.spec, [self.element], [field.name])

    def _take(self, field: Field, stored: Any) -> None:
        # numbers that were changed in place belong to the same elements as before
        super()._put(field, stored)


@with_members("flex")
class MjsFlex(ElementHandle):
    """Flexible object."""


@with_members("tuple")
class MjsTuple(ElementHandle):
    """Custom tuple: a list of model elements."""

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
"""Attributes of a tuple that are lists with one entry per member."""


def _default_member(kind: str, cls: type[ElementHandle]) -> property:
    initial = INITIAL.get(kind, {}) if kind in CLASSED else {}

    def read(default: Any) -> ElementHandle:
        return cls(default.spec, default.values_of(kind, initial))

    read.__doc__ = f"Default values of elements of the type `{kind}`."
    return part(read)


CLASSES: dict[str, type[ElementHandle]] = {
    "geom": MjsGeom, "joint": MjsJoint, "site": MjsSite, "camera": MjsCamera, "light": MjsLight, "pair": MjsPair,
    "exclude": MjsExclude, "equality": MjsEquality, "tendon": MjsTendon, "actuator": MjsActuator, "sensor": MjsSensor,
    "numeric": MjsNumeric, "text": MjsText, "tuple": MjsTuple, "key": MjsKey, "mesh": MjsMesh, "hfield": MjsHField,
    "texture": MjsTexture, "material": MjsMaterial, "skin": MjsSkin, "flex": MjsFlex, "plugin": MjsPlugin,
}  # fmt: skip
"""Handle class of each element type. The classes for bodies and frames are in `body.py`."""

for _kind in (
    "geom", "joint", "site", "camera", "light", "pair", "equality", "tendon", "actuator", "mesh", "texture", "material",
):  # fmt: skip
    setattr(MjsDefault, _kind, _default_member(_kind, CLASSES[_kind]))
MjsDefault.flex = _default_member("flex", MjsFlex)  # type: ignore[attr-defined]
