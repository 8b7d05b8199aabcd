"""Conversion of a compiled model to a Spec in canonical form, for saving as XML (Modeling chapter, Saving models).

All poses are relative to bodies: frames and alternative forms of orientation are resolved. Angles are in radians unless
the model chose degrees, and all actuators are general actuators. If the compiler inferred a value from settings that
are not saved, the value is written explicitly. Defaults classes keep the values that do not depend on poses. The result
compiles to the same model.
"""

from collections.abc import Mapping
from math import degrees, inf, nextafter, radians
from typing import Any, TypeVar

import numpy as np

from conjoint.compiler import canonical_elements as elements
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.draft import Draft
from conjoint.compiler.inertia import AUTO
from conjoint.runtime.reset import initial_rests
from conjoint.schema.kinds import BALL, HINGE
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec import Body, DefaultsClass, Element, Spec, kinds
from conjoint.spec.element import ATTACHED
from conjoint.spec.filename import forward
from conjoint.spec.keyframes import VECTORS

RESOLVED = {
    "settotalmass": -1.0, "strippath": 0, "fusestatic": 0, "inertiafromgeom": AUTO, "inertiagrouprange": (0, 5),
}  # fmt: skip
"""Neutral values for compiler settings that have already changed the elements, so that they are not applied twice."""

PLACED = (
    "pos", "quat", "alt", "axis", "dir", "fromto", "mass", "meshname", "hfieldname", "springdamper", "inheritrange",
)  # fmt: skip
"""Values that are removed from defaults classes: poses, and values that the compiler converted to other values."""

Setting = TypeVar("Setting", bound=Element)
_BLANK = Element("key", {**defaults("key")})
SAME = ("meshes", "hfields", "textures", "skins", "flexes", "texts", "pairs", "excludes", "sensors")
"""Names of element lists whose elements are saved as in the source."""


def canonical_spec(draft: Draft, m: Arrays, settings: Mapping[int, Mapping[str, Any]]) -> Spec:
    """Return the spec of a compiled model.

    Args:
        draft: source of the model, with later changes by the user; its elements become the elements of the Spec.
        m: the arrays of the model.
        settings: replacements for values of option, statistic and visual groups, by the Python id of the group.
    """
    source, spec = draft.spec, Spec()
    spec.modelname, spec.directory, spec.assets = source.modelname, source.directory, source.assets
    spec.extensions, spec.plugins, spec.memory = source.extensions, source.plugins, source.memory
    spec.edition, spec.chosen = source.edition, source.chosen
    spec.option = _changed(source.option, settings)
    spec.statistic = _changed(source.statistic, settings)
    spec.visual = {name: _changed(group, settings) for name, group in source.visual.items()}
    spec.compiler, spec.size = _compiler(draft), _size(source.size, m)
    spec.classes = _classes(source)
    _tree(draft, m, spec)
    for name in SAME:
        setattr(spec, name, getattr(draft, name))
    spec.materials = [elements.material(material) for material in draft.materials]
    spec.tuples = [group.origin for group in draft.tuples]
    spec.tendons = [elements.tendon(draft, m, tendon) for tendon in draft.tendons]
    spec.equalities = [elements.equality(m, equality) for equality in draft.equalities]
    spec.actuators = [elements.actuator(draft, m, actuator) for actuator in draft.actuators]
    spec.numerics = draft.numerics
    for numeric in spec.numerics:
        numeric.size = len(numeric.data)
    if spec.compiler.degree:
        for joint in draft.joints:
            _to_degrees(joint.__dict__, joint.type, bool(m.jnt_limited[joint.id]))
    spec.keys = [_key(key, i, m) for i, key in enumerate(draft.keys)]
    while spec.keys and spec.keys[-1].__dict__ == _BLANK.__dict__:
        # `nkey` restores empty keyframes at the end
        spec.keys.pop()
    return spec


# --- settings ---


def _changed(element: Setting, settings: Mapping[int, Mapping[str, Any]]) -> Setting:
    """Return a copy of `element` with the values that the user changed."""
    copy = element.copy()
    copy.__dict__.update(settings.get(id(element), {}))
    return copy


def _in_degrees(source: Spec) -> bool:
    """Return True if the model chose degrees as its unit of angles.

    By default, angles are saved in radians, as in MuJoCo.
    """
    return bool(source.compiler.degree) and "degree" in source.compiler.written


def _compiler(draft: Draft) -> kinds.Compiler:
    """Return the compiler settings for the saved model."""
    compiler = draft.spec.compiler.copy()
    compiler.__dict__.update(RESOLVED)
    compiler.degree = int(_in_degrees(draft.spec))
    if not compiler.degree and "eulerseq" not in compiler.written:
        compiler.eulerseq = "xyz"
    for name in ("meshdir", "texturedir"):
        folder = forward(compiler.__dict__[name])
        compiler.__dict__[name] = folder if not folder or folder.endswith("/") else folder + "/"
    for name, quantity in (("boundmass", "mass"), ("boundinertia", "inertia")):
        if any(np.min(getattr(body, quantity)) < compiler.__dict__[name] for body in draft.bodies[1:]):
            # masses were already scaled, or come from models with other bounds
            compiler.__dict__[name] = 0.0
    if any(joint.__dict__.get("align") == 0 for joint in draft.joints):
        # free bodies are already aligned, and others must not be
        compiler.alignfree = 0
    return compiler


def _size(size: kinds.Size, m: Arrays) -> kinds.Size:
    """Return the sizes of the model, including sizes that were inferred from the elements."""
    copy = size.copy()
    copy.nkey = m.nkey
    for name in copy.__dict__:
        if name.startswith("nuser_"):
            copy.__dict__[name] = getattr(m, name) or -1
    return copy


def _classes(source: Spec) -> dict[str, DefaultsClass]:
    """Return the defaults classes in the saved angle unit, without values that are saved with each element."""
    made: dict[str, DefaultsClass] = {}
    for name, found in source.classes.items():
        copy = DefaultsClass(name, made.get(found.parent.name) if found.parent else None)
        degree = source.settings(found).degree
        copy.values = {
            kind: _placeless(kind, values, degree, _in_degrees(source)) for kind, values in found.values.items()
        }
        made[name] = copy
    return made


def _placeless(kind: str, values: dict[str, Any], degree: bool, saved: bool) -> dict[str, Any]:
    """Return a class's values for one element type, without poses, and with angles in the unit of the saved file."""
    blank = defaults(kind)
    values = {**values, **{name: blank[name] for name in PLACED if name in values}}
    if kind == "joint" and saved and not degree:
        _to_degrees(values, values["type"])
    if kind == "joint" and degree and not saved and values["type"] in (HINGE, BALL):
        values["range"] = tuple(map(radians, values["range"]))
        for name in ("ref", "springref", "springyield"):
            values[name] = radians(values[name])
    return values


def _to_degrees(values: dict[str, Any], kind: int, limited: bool = True) -> None:
    """Convert the angles of a joint of type `kind` to degrees.

    Values that are None and infinite limits do not change.
    """
    if kind in (HINGE, BALL):
        if limited and values.get("range") is not None:
            values["range"] = tuple(map(_degrees, values["range"]))
        for name in ("ref", "springref", "springyield"):
            if values.get(name) is not None:
                values[name] = _degrees(values[name])


def _degrees(angle: float) -> float:
    """Return the shortest number of degrees that converts exactly to `angle`, or the closest one."""
    close = degrees(angle)
    below, above = nextafter(close, -inf), nextafter(close, inf)
    near = (round(close, 9), round(close, 12), close, below, above, nextafter(below, -inf), nextafter(above, inf))
    return next((number for number in near if radians(number) == angle), close)


def _key(key: kinds.Key, i: int, m: Arrays) -> Any:
    """Return keyframe number `i` without vectors that equal the initial configuration."""
    mocaps = [body for body in range(m.nbody) if m.body_mocapid[body] >= 0]
    initial = {
        "qpos": m.qpos0.tolist(), "mpos": m.body_pos[mocaps].ravel().tolist(),
        "mquat": m.body_quat[mocaps].ravel().tolist(), "plastic": initial_rests(m.buffer).tolist(),
    }  # fmt: skip
    made = Element("key", {**defaults("key"), "name": key.name, "time": float(m.key_time[i])})
    for name in VECTORS:
        values = getattr(m, "key_" + name)[i].ravel().tolist()
        if values != initial.get(name, [0.0] * len(values)):
            made.__dict__[name] = tuple(values)
    return made


# --- the tree ---


def _tree(draft: Draft, m: Arrays, spec: Spec) -> None:
    """Add the bodies and their elements to the world of `spec`."""
    frames = _Frames(draft)
    for body in draft.bodies:
        body.bodies = []
    for body in draft.bodies[1:]:
        elements.inertial(draft, body, spec.compiler)
    for body in draft.bodies:
        if body.id:
            draft.bodies[body.parentid].bodies.append(body)
            body.frame = frames.of(body.frame)
            elements.stand(body)
        body.frames = [frame for frame in map(frames.of, body.__dict__.get("frames", ())) if frame is not None]
        for name in ATTACHED.values():
            for element in getattr(body, name):
                element.frame = frames.of(element.frame)
    for joint in draft.joints:
        elements.joint(draft, m, joint)
    for geom in draft.geoms:
        elements.geom(geom)
    for camera in draft.cameras:
        elements.camera(camera)
    for element in (*draft.sites, *draft.lights):
        elements.stand(element)
    world: Body = draft.bodies[0]
    spec.worldbody = world


class _Frames:
    """Copies of frames without poses.

    Only frames with a name or a class are copied, because models may be attached to them.
    """

    def __init__(self, draft: Draft):
        self.made: dict[int, Element | None] = {}
        self.known: list[Element] = []

    def of(self, frame: Element | None) -> Any:
        """Return the copy of `frame`, or else of the nearest enclosing frame that was copied; None if there is none."""
        if frame is None:
            return None
        if id(frame) not in self.made:
            outer = self.of(frame.__dict__.get("frame"))
            childclass = frame.__dict__.get("childclass", "")
            made = outer
            if frame.name or childclass:
                made = Element("frame", {**defaults("frame"), "name": frame.name, "childclass": childclass})
                made.frame = outer
            self.made[id(frame)] = made
            # keep a reference, so that no other frame gets its id
            self.known.append(frame)
        return self.made[id(frame)]
