"""Handles of the elements of an editable model, by kind: the official package's mjs classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conjoint.api import spec_shapes
from conjoint.api.spec_fields import ORIENTATIONS, Field, fields
from conjoint.api.spec_handle import Handle, Lent, MjsOrientation, with_members
from conjoint.mjcf.actuators import actuator_values
from conjoint.schema.enums import mjtMeshInertia, mjtSensor, mjtWrap
from conjoint.schema.mjcf import defaults
from conjoint.schema.mjcf.asset import CUBE_FACES
from conjoint.schema.mjcf.sensor import CONTACT_DATA, SENSOR_TYPES, sensor_type
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Body, DefaultsClass, Element, suggestion

if TYPE_CHECKING:
    from conjoint.api.spec import MjSpec
    from conjoint.api.spec_body import MjsBody, MjsFrame


class Info:
    """Where an element comes from, in the words of the program that made it."""

    def __init__(self, tag: str, text: str):
        self.tag = tag
        self.text = text

    def at(self, attribute: str | None = None) -> str:
        """The words."""
        return self.text


class ElementHandle(Handle):
    """An element with a name.

    Attributes:
        _element: the element; None for the values of a defaults class.
    """

    __slots__ = ("_element", "_parent")

    def __init__(self, spec: MjSpec, values: dict[str, Any], element: Any = None, parent: Any = None):
        super().__init__(spec, values)
        object.__setattr__(self, "_element", element)
        object.__setattr__(self, "_parent", parent)

    @property
    def _lender(self) -> Lent:
        # values of defaults classes are stored more often: before elements are made from them
        return self._spec._lent_defaults if self._element is None else self._spec._lent

    @property
    def name(self) -> str:
        """Name, unique among elements of the kind; '' if there is none."""
        name: str = self._values.get("name") or ""
        return name

    @name.setter
    def name(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"{type(self).__name__}: name should be a string, not {value!r}.")
        self._values["name"] = value
        self._spec._renamed(self)

    @property
    def id(self) -> int:
        """Id in the compiled model; -1 for what is attached to bodies, before the model is compiled."""
        return self._spec._id(self)

    @property
    def info(self) -> str:
        """What messages about this element start with."""
        text: str = self._values.get("info", "")
        return text

    @info.setter
    def info(self, value: str) -> None:
        self._values["info"] = value
        if self._element is not None:
            self._element.place = Info(self._kind, value)

    @property
    def signature(self) -> int:
        """A number that tells kinds and elements apart."""
        return hash((self._kind, id(self._values)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}'>" if self.name else f"<{type(self).__name__}>"

    def _set(self, options: Mapping[str, Any]) -> None:
        """Set the values given as keywords."""
        known = fields(self._kind)
        for name, value in options.items():
            field = known.get(name)
            if field is not None:
                self._put(field, field.stored(value))
            elif name in ("info", "vertid", "vertweight") and hasattr(type(self), name):
                setattr(self, name, value)
            elif name == "plugin" and hasattr(type(self), "plugin"):
                self.plugin = value
            elif not self._orient(name, value, options):
                raise TypeError(self._unknown(name))

    def _orient(self, name: str, value: Any, options: Mapping[str, Any]) -> bool:
        """Set one form of orientation, if `name` is one."""
        own = name in ORIENTATIONS and hasattr(type(self), "alt")
        if not own and not (self._kind == "body" and name[:1] == "i" and name[1:] in ORIENTATIONS):
            return False
        prefix = "" if own else "i"
        forms = [prefix + form for form in ORIENTATIONS]
        if sum(form in options for form in forms) > 1:
            raise ValueError(f"Only one of: {', '.join(forms[:-1])}, or {forms[-1]} can be set.")
        field = ORIENTATIONS[name if own else name[1:]]
        alt = getattr(self, prefix + "alt")
        self._values[prefix + "alt"] = (field.name, field.stored(value))
        alt._changed()
        return True

    def _unknown(self, name: str) -> str:
        """Message about a keyword that is not known."""
        known = list(fields(self._kind))
        known += [form for form in ORIENTATIONS if hasattr(type(self), "alt")]
        known += [option for option in ("plugin", "info") if hasattr(type(self), option)]
        hint = suggestion(name, known).lstrip("; ").capitalize()
        return f"Invalid {name} keyword argument. {hint + ' ' if hint else ''}Valid options are: {', '.join(known)}."


class Plugged:
    """Mixin: an element that may use a plugin."""

    __slots__ = ()

    @property
    def plugin(self: Any) -> MjsPlugin:
        """The plugin in use, or one without a name."""
        if self._values.get("plugin") is None:
            self._values["plugin"] = Element("plugin", {"name": "", "plugin_name": "", "config": {}, "active": 0})
            self._spec._idle.append(self)
        handle: MjsPlugin = self._spec._handle(self._values["plugin"])
        return handle

    @plugin.setter
    def plugin(self: Any, value: MjsPlugin) -> None:
        if not isinstance(value, MjsPlugin):
            raise TypeError(f"{type(self).__name__}: plugin should be an MjsPlugin, not {value!r}.")
        used = value._element.copy()
        if used.name:
            # the settings are those of the instance
            used.config = {}
        self._values["plugin"] = used


class Classed:
    """Mixin: an element that starts from a defaults class."""

    __slots__ = ()

    @property
    def classname(self: Any) -> MjsDefault:
        """The defaults class; setting it does not change the values."""
        found = self._spec.find_default(self._values.get("classname", "main"))
        return found if found is not None else self._spec.default

    @classname.setter
    def classname(self: Any, value: MjsDefault) -> None:
        if not isinstance(value, MjsDefault):
            raise TypeError(f"{type(self).__name__}: classname should be an MjsDefault, not {value!r}.")
        self._values["classname"] = value.name


class Attached(Classed):
    """Mixin: what is attached to bodies."""

    __slots__ = ()

    @property
    def parent(self: Any) -> MjsBody:
        """The body."""
        body: MjsBody = self._parent
        return body

    @property
    def frame(self: Any) -> MjsFrame | None:
        """The frame of the body that the pose refers to; None: the body itself."""
        frame = self._values.get("frame")
        return None if frame is None else self._spec._handle(frame, self._parent)

    def set_frame(self: Any, frame: MjsFrame) -> None:
        """Put it in a frame of its body."""
        if frame is not None and frame._parent is not self._parent:
            raise ValueError(f"{self!r}: the frame {frame!r} is not a frame of its parent {self._parent!r}")
        self._values["frame"] = None if frame is None else frame._element


class Oriented:
    """Mixin: an element with an orientation."""

    __slots__ = ()

    @property
    def alt(self: Any) -> MjsOrientation:
        """The orientation in other forms than `quat`."""
        return MjsOrientation(self._spec, self._values)


@with_members("geom")
class MjsGeom(Oriented, Attached, Plugged, ElementHandle):
    """A geom."""

    __slots__ = ()


@with_members("joint")
class MjsJoint(Attached, ElementHandle):
    """A joint."""

    __slots__ = ()


@with_members("site")
class MjsSite(Oriented, Attached, ElementHandle):
    """A site."""

    __slots__ = ()

    def attach_body(self, body: MjsBody, prefix: str | None = None, suffix: str | None = None) -> MjsBody:
        """Attach a body, and what refers to it, to the site; see `MjsFrame.attach_body`."""
        from conjoint.api.spec_attach import attach_body, frame_at

        return attach_body(body, self._parent, frame_at(self), prefix, suffix)


@with_members("camera")
class MjsCamera(Oriented, Attached, ElementHandle):
    """A camera."""

    __slots__ = ()


@with_members("light")
class MjsLight(Attached, ElementHandle):
    """A light."""

    __slots__ = ()


@with_members("pair")
class MjsPair(Classed, ElementHandle):
    """A pair of geoms that may collide."""

    __slots__ = ()


@with_members("exclude")
class MjsExclude(ElementHandle):
    """A pair of bodies that do not collide."""

    __slots__ = ()


@with_members("equality")
class MjsEquality(Classed, ElementHandle):
    """An equality constraint."""

    __slots__ = ()


@with_members("numeric")
class MjsNumeric(ElementHandle):
    """An array of numbers."""

    __slots__ = ()

    def _put(self, field: Field, stored: Any) -> None:
        # size 0 stands for as many as there are
        super()._put(field, stored or None if field.name == "size" else stored)


@with_members("text")
class MjsText(ElementHandle):
    """A text."""

    __slots__ = ()


@with_members("key")
class MjsKey(ElementHandle):
    """A keyframe."""

    __slots__ = ()


@with_members("hfield")
class MjsHField(ElementHandle):
    """A height field; the rows of `userdata` go from front to back, those of a file from back to front."""

    __slots__ = ()

    def _get(self, field: Field) -> Any:
        if field.name == "userdata" and field.name in self._values and "rows" not in self._values:
            return _flipped(self._values["userdata"], self._values["nrow"])
        return super()._get(_ROWS if field.name == "userdata" else field)

    def _put(self, field: Field, stored: Any) -> None:
        super()._put(_ROWS if field.name == "userdata" else field, stored)


_ROWS = Field("rows", "reals")
"""Heights as users give them."""


def _flipped(heights: Sequence[float], nrow: int) -> tuple[float, ...]:
    """Rows in the opposite order; as they are if they have different lengths, which the compiler will report."""
    if nrow < 1 or len(heights) % nrow:
        return tuple(heights)
    width = len(heights) // nrow
    return tuple(x for row in reversed(range(nrow)) for x in heights[row * width : (row + 1) * width])


def complete_hfield(values: dict[str, Any]) -> None:
    """Put the rows that a user gave in the order of a file."""
    if "rows" in values:
        values["userdata"] = _flipped(values["rows"], values["nrow"])


@with_members("mesh")
class MjsMesh(Classed, Plugged, ElementHandle):
    """A mesh: from a file, from numbers, or of a simple shape."""

    __slots__ = ()

    def make_cone(self, nedge: int, radius: float) -> None:
        """Make it a cone; see `spec_shapes.cone`."""
        self._make(spec_shapes.cone(nedge, radius))

    def make_hemisphere(self, resolution: int) -> None:
        """Make it a half sphere; see `spec_shapes.hemisphere`."""
        self._make(spec_shapes.hemisphere(resolution))

    def make_sphere(self, subdivision: int) -> None:
        """Make it a sphere; see `spec_shapes.sphere`."""
        self._make(spec_shapes.sphere(subdivision))

    def make_supertorus(self, resolution: int, radius: float, s: float, t: float) -> None:
        """Make it a torus; see `spec_shapes.supertorus`."""
        self._make(spec_shapes.supertorus(resolution, radius, s, t))

    def make_supersphere(self, resolution: int, e: float, n: float) -> None:
        """Make it a sphere with exponents; see `spec_shapes.supersphere`."""
        self._make(spec_shapes.supersphere(resolution, e, n))

    def make_plate(self, resolution: Sequence[int] = (0, 0)) -> None:
        """Make it a square of points for tactile sensors; see `spec_shapes.plate`."""
        vertices, faces, frames = spec_shapes.plate((resolution[0], resolution[1]))
        self._make((vertices, faces))
        self.usernormal = frames
        self.inertia = mjtMeshInertia.mjMESH_INERTIA_SHELL

    def make_wedge(self, resolution: Sequence[int] = (0, 0), fov: Sequence[float] = (0, 0), gamma: float = 0) -> None:
        """Make it a part of a sphere for tactile sensors; see `spec_shapes.wedge`."""
        vertices, frames = spec_shapes.wedge((resolution[0], resolution[1]), (fov[0], fov[1]), gamma)
        self._make((vertices, []))
        self.usernormal = frames

    def _make(self, shape: spec_shapes.Shape) -> None:
        """Take vertices and faces."""
        for name, values in zip(("uservert", "userface"), shape, strict=True):
            setattr(self, name, values)


@with_members("skin")
class MjsSkin(ElementHandle):
    """A skin; its bones are given by lists, one entry per bone."""

    __slots__ = ()

    @property
    def vertid(self) -> list[list[int]]:
        """Vertices of each bone."""
        found: list[list[int]] = self._values.get("vertid", [])
        return found

    @vertid.setter
    def vertid(self, value: Sequence[Sequence[int]]) -> None:
        self._values["vertid"] = [[int(x) for x in row] for row in value]

    @property
    def vertweight(self) -> list[list[float]]:
        """Weights of the vertices of each bone."""
        found: list[list[float]] = self._values.get("vertweight", [])
        return found

    @vertweight.setter
    def vertweight(self, value: Sequence[Sequence[float]]) -> None:
        self._values["vertweight"] = [[float(x) for x in row] for row in value]


@with_members("flex")
class MjsFlex(ElementHandle):
    """A flexible object."""

    __slots__ = ()


@with_members("tuple")
class MjsTuple(ElementHandle):
    """A list of elements of the model."""

    __slots__ = ()

    def _get(self, field: Field) -> Any:
        if field.name == "name":
            return super()._get(field)
        if field.name in self._values:
            return self._values[field.name]
        members = self._values.get("elements", ())
        if field.name == "objtype":
            return tuple(OBJECT_TYPES.get(member.objtype, 0) for member in members)
        return tuple(getattr(member, "prm" if field.name == "objprm" else field.name) for member in members)

    def _put(self, field: Field, stored: Any) -> None:
        values = {name: self._get(fields("tuple")[name]) for name in ("objtype", "objname", "objprm")}
        values[field.name] = stored
        self._values.update(values)
        words = {number: word for word, number in OBJECT_TYPES.items()}
        rows = zip(values["objtype"], values["objname"], (*values["objprm"], *(0.0,) * 10**4), strict=False)
        self._values["elements"] = [
            Element("tupleelement", {"objtype": words.get(int(kind), "unknown"), "objname": name, "prm": number})
            for kind, name, number in rows
        ]


@with_members("texture")
class MjsTexture(ElementHandle):
    """A texture."""

    __slots__ = ()

    def _get(self, field: Field) -> Any:
        if field.name == "cubefiles":
            return tuple(self._values["file" + face] for face in CUBE_FACES)
        return super()._get(field)

    def _put(self, field: Field, stored: Any) -> None:
        if field.name == "cubefiles":
            self._values.update({"file" + face: name for face, name in zip(CUBE_FACES, stored, strict=False)})
        else:
            super()._put(field, stored)


@with_members("material")
class MjsMaterial(Classed, ElementHandle):
    """A material; `textures` are names of textures by role."""

    __slots__ = ()

    def _get(self, field: Field) -> Any:
        if field.name != "textures":
            return super()._get(field)
        names = [""] * field.size
        names[_RGB] = self._values["texture"]
        for layer in self._values.get("layers", ()):
            names[layer.role] = layer.texture
        return tuple(names)

    def _put(self, field: Field, stored: Any) -> None:
        if field.name != "textures":
            super()._put(field, stored)
            return
        used = {role: name for role, name in enumerate(stored) if name}
        alone = set(used) <= {_RGB}
        self._values["texture"] = used.get(_RGB, "") if alone else ""
        layers = {} if alone else used
        self._values["layers"] = [Element("layer", {"role": role, "texture": name}) for role, name in layers.items()]


_RGB = 1
"""mjTEXROLE_RGB."""


@with_members("plugin")
class MjsPlugin(ElementHandle):
    """An instance of a plugin."""

    __slots__ = ()

    @property
    def config(self) -> dict[str, str]:
        """Settings by key."""
        config: dict[str, str] = self._values.setdefault("config", {})
        return config

    @config.setter
    def config(self, value: Mapping[str, str]) -> None:
        self._values["config"] = dict(value)


class MjsWrap(Handle):
    """One piece of the path of a tendon."""

    __slots__ = ()

    @property
    def info(self) -> str:
        """What messages about this piece start with."""
        text: str = self._values.get("info", "")
        return text


@with_members("tendon")
class MjsTendon(ElementHandle):
    """A tendon; its path is made piece by piece."""

    __slots__ = ()

    def default(self) -> MjsDefault:
        """The defaults class."""
        found: MjsDefault = self._spec.find_default(self._values.get("classname", "main")) or self._spec.default
        return found

    def wrap_site(self, name: str) -> MjsWrap:
        """Go through a site."""
        return self._wrap(mjtWrap.mjWRAP_SITE, name)

    def wrap_geom(self, name: str, sidesite: str) -> MjsWrap:
        """Go around a sphere or cylinder, on the side of a site if one is named."""
        return self._wrap(mjtWrap.mjWRAP_SPHERE, name, sidesite=sidesite)

    def wrap_joint(self, name: str, coef: float) -> MjsWrap:
        """Add a joint position, times `coef`."""
        return self._wrap(mjtWrap.mjWRAP_JOINT, name, coef)

    def wrap_pulley(self, divisor: float) -> MjsWrap:
        """Start another branch, whose length is divided."""
        return self._wrap(mjtWrap.mjWRAP_PULLEY, "", divisor)

    def _wrap(self, kind: mjtWrap, target: str, number: float = 0.0, sidesite: str = "") -> MjsWrap:
        values = {"type": int(kind), "target": target, "prm": float(number), "sidesite": sidesite}
        wrap = Element("wrap", {**defaults("wrap"), **values})
        self._values.setdefault("wraps", []).append(wrap)
        return MjsWrap(self._spec, wrap.__dict__)


@with_members("actuator")
class MjsActuator(Classed, Plugged, ElementHandle):
    """An actuator."""

    __slots__ = ()

    def set_to_motor(self) -> None:
        """Force = control."""
        self._shortcut("motor", {})

    def set_to_position(
        self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: bool = False
    ) -> None:
        """Position servo; `kv` or `dampratio` damps it, `timeconst` filters its control."""
        options = _servo(kp, kv, dampratio)
        self._shortcut("position", {**options, **({"timeconst": timeconst} if timeconst != -1 else {})})
        self.inheritrange = inheritrange

    def set_to_intvelocity(
        self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: bool = False
    ) -> None:
        """Position servo whose set point is the integral of the control."""
        self._shortcut("intvelocity", _servo(kp, kv, dampratio))
        if timeconst != -1:
            self.dynprm[0] = timeconst
        self.inheritrange = inheritrange

    def set_to_velocity(self, kv: float) -> None:
        """Force = kv (control - velocity)."""
        self._shortcut("velocity", {"kv": float(kv)})

    def set_to_damper(self, kv: float) -> None:
        """Force = -kv velocity control."""
        self._shortcut("damper", {"kv": float(kv)})

    def set_to_cylinder(self, timeconst: float, bias: float, area: float, diameter: float = -1) -> None:
        """Force = area pressure + bias; the pressure follows the control."""
        biases = (float(bias), *self.biasprm[1:3].tolist())
        options: dict[str, Any] = {"timeconst": float(timeconst), "bias": biases, "area": float(area)}
        self._shortcut("cylinder", {**options, **({"diameter": float(diameter)} if diameter >= 0 else {})})

    def set_to_muscle(
        self,
        timeconst: Any = (-1, -1),
        tausmooth: float = 0,
        range: Any = (-1, -1),
        force: float = -1,
        scale: float = -1,
        lmin: float = -1,
        lmax: float = -1,
        vmax: float = -1,
        fpmax: float = -1,
        fvmax: float = -1,
    ) -> None:
        """Muscle; negative numbers leave what is there, or the muscle's defaults."""
        both = (timeconst, timeconst) if isinstance(timeconst, (int, float)) else tuple(timeconst)
        self._shortcut("muscle", {
            "timeconst": both, "tausmooth": float(tausmooth), "range": tuple(range), "force": force, "scale": scale,
            "lmin": lmin, "lmax": lmax, "vmax": vmax, "fpmax": fpmax, "fvmax": fvmax,
        })  # fmt: skip

    def set_to_adhesion(self, gain: float) -> None:
        """Force = gain control, on the contacts of a body."""
        self._shortcut("adhesion", {"gain": float(gain)})

    def _shortcut(self, tag: str, options: dict[str, Any]) -> None:
        """Take the values that the shortcut stands for, starting from those that are there."""
        self._spec._store()
        known = fields("actuator")
        for name, value in actuator_values(tag, options, self._values).items():
            if name in known:
                setattr(self, name, value)


def _servo(kp: float, kv: float, dampratio: float) -> dict[str, Any]:
    """Options of a servo that are given; -1 stands for none."""
    given = {"kv": float(kv), "dampratio": float(dampratio)}
    return {"kp": float(kp), **{name: value for name, value in given.items() if value != -1}}


_SENSORS = {
    sensor_type(tag): (count, int(datatype), int(stage)) for tag, (_, _, count, datatype, stage) in SENSOR_TYPES.items()
}
"""Numbers, kind of data and stage of the sensors that measure a fixed set of numbers."""

_ACC = 3
"""mjSTAGE_ACC."""


@with_members("sensor")
class MjsSensor(Plugged, ElementHandle):
    """A sensor; dimension, kind of data and stage follow from its type, except for user sensors."""

    __slots__ = ()

    def get_data_size(self) -> int:
        """How many numbers it gives."""
        self._spec._store()
        return int(self._values["dim"])


def complete_sensor(values: dict[str, Any]) -> None:
    """Set what follows from the type of a sensor."""
    kind = values["type"]
    if kind in _SENSORS:
        values["dim"], values["datatype"], values["needstage"] = _SENSORS[kind]
    elif kind == mjtSensor.mjSENS_CONTACT:
        bits, _, number = values["intprm"]
        size = sum(count for i, count in enumerate(CONTACT_DATA.values()) if bits >> i & 1)
        values.update(dim=size * max(number, 0), datatype=0, needstage=_ACC)


class MjsDefault(Handle):
    """A defaults class: values that elements start from, as `default.geom`, `default.joint` ..."""

    __slots__ = ("_class",)

    def __init__(self, spec: MjSpec, defaults_class: DefaultsClass):
        super().__init__(spec, defaults_class.__dict__)
        object.__setattr__(self, "_class", defaults_class)

    @property
    def name(self) -> str:
        """Name of the class."""
        return self._class.name

    @name.setter
    def name(self, value: str) -> None:
        classes = self._spec._spec.classes
        if value in classes:
            raise ValueError(f"there is another defaults class '{value}'")
        renamed = {value if key == self._class.name else key: found for key, found in classes.items()}
        self._class.name = value
        classes.clear()
        classes.update(renamed)

    def _of(self, kind: str) -> dict[str, Any]:
        """Values of `kind`, which no other class shares."""
        own = self._class.__dict__.setdefault("own", set())
        if kind not in own:
            own.add(kind)
            self._class.values[kind] = dict(self._class.of(kind))
        return self._class.values[kind]

    def __repr__(self) -> str:
        return f"<MjsDefault '{self.name}'>"


def _default_member(kind: str, cls: type[ElementHandle]) -> property:
    return property(lambda default: cls(default._spec, default._of(kind)), doc=f"Values of kind {kind}.")


CLASSES: dict[str, type[ElementHandle]] = {
    "geom": MjsGeom, "joint": MjsJoint, "site": MjsSite, "camera": MjsCamera, "light": MjsLight, "pair": MjsPair,
    "exclude": MjsExclude, "equality": MjsEquality, "tendon": MjsTendon, "actuator": MjsActuator, "sensor": MjsSensor,
    "numeric": MjsNumeric, "text": MjsText, "tuple": MjsTuple, "key": MjsKey, "mesh": MjsMesh, "hfield": MjsHField,
    "texture": MjsTexture, "material": MjsMaterial, "skin": MjsSkin, "flex": MjsFlex, "plugin": MjsPlugin,
}  # fmt: skip
"""Class of the handles of each kind; that of bodies and frames is in `spec_body`."""

for _kind in ("geom", "joint", "site", "camera", "light", "pair", "equality", "tendon", "actuator", "mesh", "material"):
    setattr(MjsDefault, _kind, _default_member(_kind, CLASSES[_kind]))
MjsDefault.flex = _default_member("flex", MjsFlex)  # type: ignore[attr-defined]

INITIAL: dict[str, dict[str, Any]] = {
    "actuator": {"trntype": 1000, "target": "", "plugin": None},
    "sensor": {
        "type": 0, "objtype": 0, "objname": "", "reftype": 0, "refname": "", "intprm": (0, 0, 0), "plugin": None,
    },
    "equality": {"type": 0, "objtype": 0, "name1": "", "name2": "", "data": (0.0, 1.0) + (0.0,) * 8 + (1.0,)},
    "plugin": {"plugin_name": "", "active": 0},
}  # fmt: skip
"""Values of new elements that a file always says."""

LISTS_OF = {"tendon": "wraps", "tuple": "elements", "material": "layers", "skin": "bones"}
"""Lists that an element consists of."""


def new_element(kind: str, base: Mapping[str, Any], classname: str) -> Any:
    """A new element, starting from the values of a defaults class."""
    element = Body(base) if kind == "body" else Element(kind, base)
    values = element.__dict__
    initial = INITIAL.get(kind)
    if initial:
        values.update(initial)
    parts = LISTS_OF.get(kind)
    if parts:
        values[parts] = []
    elif kind == "plugin":
        values["config"] = {}
    values["classname"] = classname
    return element
