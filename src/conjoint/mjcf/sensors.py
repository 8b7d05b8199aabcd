"""Sensor tags to the values of a sensor."""

from __future__ import annotations

from typing import Any

from conjoint.schema.enums import mjtSensor
from conjoint.schema.mjcf.sensor import SENSOR_TYPES, sensor_type
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element, suggestion

FRAMES = ("body", "xbody", "geom", "site", "camera")
"""Objects that have a frame."""


def sensor_values(tag: str, sensor: Element) -> dict[str, Any]:
    """Type, data and references of the sensor written as `tag`, from what was written in it.

    Raises:
        ValueError: the references do not suit the type.
    """
    written = sensor.__dict__
    written["intprm"] = (0, 0, 0)
    if tag == "user":
        return {"type": int(mjtSensor.mjSENS_USER), **_object(written, "obj", tuple(OBJECT_TYPES))}
    _, what, count, datatype, stage = SENSOR_TYPES[tag]
    values: dict[str, Any] = {
        "type": sensor_type(tag), "dim": count, "datatype": int(datatype), "needstage": int(stage),
    }  # fmt: skip
    attached = what.split()
    if attached == ["pair"]:
        return {**values, **_pair(written)}
    if "object" in attached:
        values.update(_object(written, "obj", FRAMES))
        if "reference" in attached:
            values.update(_object(written, "ref", FRAMES))
        if "site" in attached:
            values.update(reftype=OBJECT_TYPES["site"], refname=written.get("site", ""))
    elif attached:
        values.update(objtype=OBJECT_TYPES[attached[0]], objname=written.get(attached[0], ""))
        if len(attached) > 1:
            values.update(reftype=OBJECT_TYPES[attached[1]], refname=written.get(attached[1], ""))
    return values


def _object(written: dict[str, Any], prefix: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Type number and name of an object; empty if none is named."""
    kind, name = written.get(prefix + "type"), written.get(prefix + "name", "")
    if kind is None and not name:
        return {}
    if kind is None or not name:
        raise ValueError(f"{prefix}type and {prefix}name must be given together")
    if kind not in allowed:
        raise ValueError(f"{prefix}type '{kind}' is not one of {', '.join(allowed)}{suggestion(str(kind), allowed)}")
    return {prefix + "type": OBJECT_TYPES[kind], prefix + "name": name}


def _pair(written: dict[str, Any]) -> dict[str, Any]:
    """The two geoms or bodies whose distance is measured."""
    values: dict[str, Any] = {}
    for number, prefix in (("1", "obj"), ("2", "ref")):
        given = [kind for kind in ("geom", "body") if written.get(kind + number)]
        if len(given) != 1:
            raise ValueError(f"exactly one of geom{number} and body{number} must be given")
        values[prefix + "type"] = OBJECT_TYPES[given[0]]
        values[prefix + "name"] = written[given[0] + number]
    return values
