"""Conversion of equality constraints, actuators and sensors back to tags and attributes.

This is the inverse of `relations`, `actuators` and `sensors`, which combine several attributes into one value.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from conjoint.mjcf.actuators import TRANSMISSIONS
from conjoint.mjcf.flexcomp import AXES, NODES, TRILINEAR, box_corners, node_name
from conjoint.mjcf.written import ALWAYS, written_values
from conjoint.schema.enums import mjtEq, mjtGain, mjtObj, mjtSensor, mjtWrap
from conjoint.schema.kinds import SLIDE
from conjoint.schema.mjcf.actuator import CHARTS
from conjoint.schema.mjcf.deformable import FLEXCOMP_TYPES
from conjoint.schema.mjcf.grammar import MUJOCO, defaults
from conjoint.schema.mjcf.sensor import CONTACT_DATA, RAY_DATA, SENSOR_TYPES, sensor_type
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Body, Element, Spec
from conjoint.spec.element import ATTACHED
from conjoint.spec.rotation import IDENTITY

Written = tuple[str, dict[str, Any]]
"""Tag of an element, and the values of its attributes by name."""

CHART_WORDS = {number: word for word, number in CHARTS.items()}
_OBJECT_WORDS = {number: word for word, number in OBJECT_TYPES.items()}
_SENSOR_TAGS = {sensor_type(tag): tag for tag in SENSOR_TYPES}
_TRANSMISSION_WORDS = {int(number): word for word, number in TRANSMISSIONS.items()}


def unread_wrap(wrap: Element) -> str:
    """Return the tag of an element in a tendon path."""
    tags = {mjtWrap.mjWRAP_JOINT: "joint", mjtWrap.mjWRAP_SITE: "site", mjtWrap.mjWRAP_PULLEY: "pulley"}
    return tags.get(mjtWrap(wrap.type), "geom")


def unread_equality(equality: Element) -> Written:
    """Return the tag and attributes of an equality constraint."""
    kind, data = mjtEq(equality.type), tuple(map(float, equality.data))
    name1, name2 = equality.name1, equality.__dict__.get("name2", "")
    if kind == mjtEq.mjEQ_FLEX:
        return "flex", {"flex": name1}
    if kind == mjtEq.mjEQ_FLEXSTRAIN:
        return "flexstrain", {"flex": name1, **({"cell": tuple(map(int, data[:3]))} if any(data[:3]) else {})}
    if kind in (mjtEq.mjEQ_JOINT, mjtEq.mjEQ_TENDON):
        tag = "joint" if kind == mjtEq.mjEQ_JOINT else "tendon"
        return tag, {tag + "1": name1, **({tag + "2": name2} if name2 else {}), "polycoef": data[:5]}
    weld = kind == mjtEq.mjEQ_WELD
    torque = {"torquescale": data[10]}
    if equality.objtype == mjtObj.mjOBJ_SITE:
        sites = {"site1": name1, "site2": name2}
        return ("weld", {**sites, **torque}) if weld else ("connect", sites)
    values = {"body1": name1, **({"body2": name2} if name2 else {}), "anchor": data[:3]}
    return ("weld", {**values, "relpose": data[3:10], **torque}) if weld else ("connect", values)


def unread_actuator(actuator: Element) -> Written:
    """Return the tag and attributes of an actuator, which is written as a general actuator."""
    values: dict[str, Any] = {}
    if actuator.__dict__.get("target"):
        values[_TRANSMISSION_WORDS[int(actuator.trntype)]] = actuator.target
    if actuator.gaintype == mjtGain.mjGAIN_SO3 and actuator.ctrlspec:
        values["input"] = CHART_WORDS[int(actuator.ctrlspec)]
    plugin = actuator.__dict__.get("plugin")
    if plugin is not None:
        named = {"plugin": plugin.plugin_name, "instance": plugin.name}
        return "plugin", {**values, **{name: value for name, value in named.items() if value}}
    return "general", values


def unread_sensor(sensor: Element) -> Written:
    """Return the tag and attributes of a sensor."""
    kind = int(sensor.type)
    if kind == mjtSensor.mjSENS_PLUGIN:
        plugin = sensor.plugin
        named = {
            "plugin": plugin.plugin_name,
            "instance": plugin.name,
            **_object(sensor, "obj"),
            **_object(sensor, "ref"),
        }
        return "plugin", {name: value for name, value in named.items() if value}
    if kind == mjtSensor.mjSENS_USER:
        return "user", _object(sensor, "obj")
    if kind == mjtSensor.mjSENS_TACTILE:
        return "tactile", {"mesh": sensor.objname, "geom": sensor.refname}
    if kind == mjtSensor.mjSENS_CONTACT:
        return "contact", _contact(sensor)
    if kind == mjtSensor.mjSENS_RANGEFINDER:
        bits = int(sensor.intprm[0])
        data = {"data": tuple(word for i, word in enumerate(RAY_DATA) if bits >> i & 1)} if bits > 1 else {}
        return "rangefinder", {_word(sensor.__dict__["objtype"]): sensor.__dict__.get("objname", ""), **data}
    tag = _SENSOR_TAGS[kind]
    attached = SENSOR_TYPES[tag][0].split()
    if attached == ["pair"]:
        return tag, {_OBJECT_WORDS[int(sensor.objtype)] + "1": sensor.objname,
                     _OBJECT_WORDS[int(sensor.reftype)] + "2": sensor.refname}  # fmt: skip
    if "object" in attached:
        if "site" in attached:
            enclosed = {"enclosed": "true"} if sensor.intprm[0] else {}
            return tag, {**_object(sensor, "obj"), "site": sensor.refname, **enclosed}
        return tag, {**_object(sensor, "obj"), **_object(sensor, "ref")}
    names = (sensor.__dict__.get("objname", ""), sensor.__dict__.get("refname", ""))
    return tag, dict(zip(attached, names, strict=False))


def _object(sensor: Element, prefix: str) -> dict[str, Any]:
    """Return the type and name of a sensor's object, or an empty dict if it has none."""
    name = sensor.__dict__.get(prefix + "name", "")
    return {prefix + "type": _word(sensor.__dict__[prefix + "type"]), prefix + "name": name} if name else {}


def _word(objtype: Any) -> str:
    """Return the keyword for an object type, given as a number or a keyword."""
    return objtype if isinstance(objtype, str) else _OBJECT_WORDS[int(objtype)]


def _contact(sensor: Element) -> dict[str, Any]:
    """Return the attributes of a contact sensor: matching criteria, and reported data."""
    values: dict[str, Any] = {}
    for prefix, side in (("obj", "1"), ("ref", "2")):
        name = sensor.__dict__.get(prefix + "name", "")
        if name:
            word = _word(sensor.__dict__[prefix + "type"])
            values["site" if word == "site" else word.replace("xbody", "subtree") + side] = name
    bits, reduce, number = map(int, sensor.intprm[:3])
    if number != 1:
        values["num"] = number
    if bits != 1:
        values["data"] = tuple(name for i, name in enumerate(CONTACT_DATA) if bits >> i & 1)
    if reduce:
        values["reduce"] = reduce
    return values


NEAR = 1e-12
"""Relative tolerance within which numbers count as equal."""
_BODY = MUJOCO.children["worldbody"].children["body"]
_SAME = ("name", "group", "radius", "material", "rgba", "flatskin", "dim", "texcoord")
"""Attributes of a flex that are copied unchanged to the macro."""


@dataclass
class Macro:
    """A flexcomp macro and the elements to which it expands.

    Attributes:
        flex: the flex that the macro creates.
        bodies: bodies of the nodes that are not pinned.
        element: values of the macro itself.
        pinned: indices of the pinned nodes.
    """

    flex: Element
    bodies: list[Body]
    element: Element
    pinned: tuple[int, ...]


def find_macros(spec: Spec) -> list[Macro]:
    """Find flexcomp macros that can replace the last flexes of `spec`, a model in canonical form.

    The reader numbers flexes of macros after all other flexes, in the order of the tree. So if one flex is written as a
    macro, all following flexes must be macros, too.
    """
    first = next((i for i, flex in enumerate(spec.flexes) if any(flex.__dict__.get("node", ()))), len(spec.flexes))
    flexes = spec.flexes[first:]
    if not flexes:
        return []
    found = []
    for parent, inherited in _with_classes(spec):
        joint = spec.classes[inherited].of("joint")
        owned = [flex for flex in flexes if parent.name and set(flex.vertbody) == {parent.name}]
        macros = [macro for flex in owned if (macro := _macro(flex, parent, joint))]
        found += sorted(macros, key=lambda macro: parent.bodies.index(macro.bodies[0]))
    ordered = [id(macro.flex) for macro in found] == [id(flex) for flex in flexes]
    return found if ordered else []


def _with_classes(spec: Spec) -> Iterator[tuple[Body, str]]:
    """Yield the bodies in the order of the file, each with the defaults class of its contents."""
    left = [(spec.worldbody, "main")]
    while left:
        body, inherited = left.pop()
        named = body.__dict__.get("childclass")
        inherited = named if named in spec.classes else inherited
        yield body, inherited
        left += [(child, inherited) for child in reversed(body.bodies)]


def _macro(flex: Element, parent: Body, joint: Mapping[str, Any]) -> Macro | None:
    """Return the macro inside `parent` that expands to `flex`, or None. `joint` contains the default joint values."""
    points = np.array(flex.vert, float).reshape(-1, 3)
    if flex.elemtexcoord or (flex.texcoord and not flex.material) or len(flex.nodebody) != NODES or not flex.name:
        return None
    corners, places = box_corners(points)
    pinned = tuple(i for i, name in enumerate(flex.nodebody) if name == parent.name)
    names = [node_name(flex.name, corner) for i, corner in enumerate(corners) if i not in pinned]
    first = next((i for i, body in enumerate(parent.bodies) if body.name in names), 0)
    bodies = parent.bodies[first : first + len(names)]
    expected = np.zeros((NODES, 3))
    expected[list(pinned)] = places[list(pinned)]
    free = np.delete(places, pinned, axis=0)
    if (
        not bodies
        or [body.name for body in bodies] != names
        or [name for name in flex.nodebody if name != parent.name] != names
        or not _near(_nodes(flex), expected, points)
        or not _near(np.array([body.pos for body in bodies]), free, points)
        or (inertial := bodies[0].inertial) is None
        or not all(_slides(body, inertial, joint) for body in bodies)
    ):
        return None
    return Macro(flex, bodies, _element(flex, inertial), pinned)


def _nodes(flex: Element) -> np.ndarray:
    """Return the positions of the nodes in the frames of their bodies."""
    nodes = flex.__dict__.get("node", ())
    return np.reshape(nodes, (-1, 3)) if nodes else np.zeros((NODES, 3))


def _near(found: np.ndarray, expected: np.ndarray, points: np.ndarray) -> bool:
    """Return True if all points agree, up to rounding."""
    return bool((np.abs(found - expected) <= NEAR * np.abs(points).max()).all())


def _slides(body: Body, first: Element, joint: Mapping[str, Any]) -> bool:
    """Return True if the macro could create this body, with the mass of `first` and three default joints."""
    if body.__dict__.get("frame") is not None or body.__dict__.get("plugin") is not None:
        return False
    # the body must contain only joints
    attached = [name for name in ATTACHED.values() if getattr(body, name)]
    said = written_values(_BODY, body.__dict__, defaults("body"))
    if attached != ["joints"] or body.bodies or body.__dict__.get("frames") or not said.keys() <= {"name", "pos"}:
        return False
    axes = tuple(tuple(one.axis) for one in body.joints)
    made = {**joint, "type": SLIDE, "pos": (0.0, 0.0, 0.0)}
    row = _BODY.children["joint"]
    changed = {name for one in body.joints for name in written_values(row, one.__dict__, made, ALWAYS["joint"])}
    if axes != AXES or not changed <= {"pos", "axis"} or any(any(one.pos) for one in body.joints):
        return False
    # the inertia must be that of a small box at the origin of the body
    point = body.inertial
    if point is None or any(point.ipos) or tuple(point.iquat) != IDENTITY:
        return False
    masses = np.array([[one.mass, *one.inertia] for one in (point, first)])
    return bool((np.ptp(masses[:, 1:]) <= NEAR * masses[0, 1]) and np.ptp(masses[:, 0]) <= NEAR * masses[0, 0])


def _element(flex: Element, inertial: Element) -> Element:
    """Return the macro element that describes `flex`."""
    values = {name: flex.__dict__[name] for name in _SAME}
    size = sqrt(1.5 * inertial.inertia[0] / inertial.mass)
    values |= {"type": FLEXCOMP_TYPES["direct"], "dof": TRILINEAR, "mass": NODES * inertial.mass, "inertiabox": size}
    values |= {"point": flex.vert, "element": flex.elem}
    return Element("flexcomp", values, flex.place)
