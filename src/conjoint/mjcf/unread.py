"""Values of equality constraints, actuators and sensors back to the tags and attributes they are written with.

The inverse of `relations`, `actuators` and `sensors`, where the reader turns several attributes into one value.
"""

from typing import Any

from conjoint.mjcf.actuators import TRANSMISSIONS
from conjoint.schema.enums import mjtEq, mjtGain, mjtObj, mjtSensor, mjtWrap
from conjoint.schema.mjcf.actuator import CHARTS
from conjoint.schema.mjcf.sensor import CONTACT_DATA, RAY_DATA, SENSOR_TYPES, sensor_type
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element

Written = tuple[str, dict[str, Any]]
"""Tag, and values by attribute."""

CHART_WORDS = {number: word for word, number in CHARTS.items()}
_OBJECT_WORDS = {number: word for word, number in OBJECT_TYPES.items()}
_SENSOR_TAGS = {sensor_type(tag): tag for tag in SENSOR_TYPES}
_TRANSMISSION_WORDS = {int(number): word for word, number in TRANSMISSIONS.items()}


def unread_wrap(wrap: Element) -> str:
    """Tag of one piece of a tendon."""
    tags = {mjtWrap.mjWRAP_JOINT: "joint", mjtWrap.mjWRAP_SITE: "site", mjtWrap.mjWRAP_PULLEY: "pulley"}
    return tags.get(mjtWrap(wrap.type), "geom")


def unread_equality(equality: Element) -> Written:
    """Tag and attributes of an equality constraint."""
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
    """Tag and attributes of an actuator: a general one."""
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
    """Tag and attributes of a sensor."""
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
    """Type and name of an object, if there is one."""
    name = sensor.__dict__.get(prefix + "name", "")
    return {prefix + "type": _word(sensor.__dict__[prefix + "type"]), prefix + "name": name} if name else {}


def _word(objtype: Any) -> str:
    """Word of an object type, which may be a word already."""
    return objtype if isinstance(objtype, str) else _OBJECT_WORDS[int(objtype)]


def _contact(sensor: Element) -> dict[str, Any]:
    """What a contact sensor matches and reports."""
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
