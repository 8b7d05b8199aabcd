"""Conversion of sensor tags to the values of a sensor."""

from collections.abc import Mapping, Sequence
from typing import Any

from conjoint.schema.enums import mjtDataType, mjtSensor
from conjoint.schema.mjcf.sensor import ACC, CONTACT_DATA, POS, RAY_DATA, SENSOR_TYPES, sensor_type
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import Element, suggestion

SIDES = (("obj", ("geom1", "body1", "subtree1", "site")), ("ref", ("geom2", "body2", "subtree2")))
"""Attributes that name the two objects whose contacts a contact sensor reports."""
REFERENCES = (*SIDES[0][1], *SIDES[1][1], "joint", "tendon", "actuator", "body", "geom", "camera", "mesh")
"""Attributes that name the measured object."""


def sensor_values(tag: str, sensor: Element) -> dict[str, Any]:
    """Return the type, data type and references of a sensor with the tag `tag`.

    Raises:
        ValueError: the references do not match the type.
    """
    written = sensor.__dict__
    empty = [name for name in REFERENCES if written.get(name) == ""]
    if empty:
        raise ValueError(f"the name in '{empty[0]}' is empty")
    written["intprm"] = (0, 0, 0)
    if tag in _SPECIAL:
        return _SPECIAL[tag](written)
    what, count, datatype, stage = SENSOR_TYPES[tag]
    values: dict[str, Any] = {
        "type": sensor_type(tag), "dim": count, "datatype": int(datatype), "needstage": int(stage),
    }  # fmt: skip
    attached = what.split()
    if attached == ["pair"]:
        return {**values, **_pair(written)}
    if "object" in attached:
        values.update(_object(written, "obj"))
        if "reference" in attached:
            values.update(_object(written, "ref"))
        if "site" in attached:
            values.update(reftype=OBJECT_TYPES["site"], refname=written.get("site", ""))
        if written.get("enclosed"):
            values.update(intprm=(1, 0, 0), datatype=int(mjtDataType.mjDATATYPE_REAL))
    elif attached:
        values.update(objtype=OBJECT_TYPES[attached[0]], objname=written.get(attached[0], ""))
        if len(attached) > 1:
            values.update(reftype=OBJECT_TYPES[attached[1]], refname=written.get(attached[1], ""))
    return values


def _user(written: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a sensor that a callback computes."""
    return {"type": int(mjtSensor.mjSENS_USER), **_object(written, "obj")}


def _plugin(written: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a plugin sensor. The plugin determines the type and number of its readings."""
    values = {"type": int(mjtSensor.mjSENS_PLUGIN), "datatype": 0, "needstage": int(ACC), "dim": 0}
    return {**values, **_object(written, "obj"), **_object(written, "ref")}


def _tactile(written: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a tactile sensor: contact forces at mesh vertices, which the compiler counts."""
    return {
        "type": int(mjtSensor.mjSENS_TACTILE), "dim": 0, "datatype": 0, "needstage": int(ACC),
        "objtype": OBJECT_TYPES["mesh"], "objname": written.get("mesh", ""),
        "reftype": OBJECT_TYPES["geom"], "refname": written.get("geom", ""),
    }  # fmt: skip


def _contact(written: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a contact sensor, whose `intprm` contains data bits, reduction and number of contacts."""
    values: dict[str, Any] = {"type": int(mjtSensor.mjSENS_CONTACT), "datatype": 0, "needstage": int(ACC)}
    for prefix, names in SIDES:
        given = [name for name in names if written.get(name)]
        if len(given) > 1:
            raise ValueError(f"at most one of {', '.join(names)} can be given")
        for name in given:
            # a subtree is named by its top body, and distinguished from the body by its type
            kind = name.rstrip("12").replace("subtree", "xbody")
            values.update({prefix + "type": OBJECT_TYPES[kind], prefix + "name": written[name]})
    number = written.get("num", 1)
    if number <= 0:
        raise ValueError("num must be positive")
    bits, size = _bits(written.get("data") or ("found",), CONTACT_DATA)
    values.update(intprm=(bits, written.get("reduce", 0), number), dim=size * number)
    return values


def _rangefinder(written: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a rangefinder, whose `intprm` contains the data bits.

    The compiler counts the pixels of a camera.
    """
    given = [name for name in ("site", "camera") if written.get(name)]
    if len(given) != 1:
        raise ValueError("exactly one of site and camera must be given")
    values = {
        "type": int(mjtSensor.mjSENS_RANGEFINDER), "datatype": 1, "needstage": int(POS), "dim": 1,
        "objtype": OBJECT_TYPES[given[0]], "objname": written[given[0]],
    }  # fmt: skip
    data = written.get("data") or ("dist",)
    bits, size = _bits(data, RAY_DATA)
    # a distance alone has its older encoding, unless a program selects a newer version
    return (
        values if bits == 1 and not STANDS_FOR.moved else {**values, "intprm": (bits, 0, 0), "dim": size, "datatype": 0}
    )


def _bits(data: Sequence[str], known: Mapping[str, int]) -> tuple[int, int]:
    """Return the keywords in `data` as bits, and the total number of values that they select.

    Raises:
        ValueError: a keyword is unknown, repeated, or out of order.
    """
    names = list(known)
    for word in data:
        if word not in known:
            raise ValueError(f"data '{word}' is not one of {', '.join(names)}{suggestion(word, names)}")
    places = [names.index(word) for word in data]
    if places != sorted(set(places)):
        raise ValueError(f"data must be different and in this order: {', '.join(names)}")
    return sum(1 << place for place in places), sum(known[word] for word in data)


_SPECIAL = {"rangefinder": _rangefinder, "user": _user, "plugin": _plugin, "tactile": _tactile, "contact": _contact}
"""Functions that return the values of sensors that are not in `SENSOR_TYPES`, by tag."""


def _object(written: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the type number and name of a sensor's object, or an empty dict if none is named."""
    kind, name = written.get(prefix + "type"), written.get(prefix + "name", "")
    if kind is None and not name:
        return {}
    if kind is None or not name:
        raise ValueError(f"{prefix}type and {prefix}name must be given together")
    return {prefix + "type": OBJECT_TYPES[kind], prefix + "name": name}


def _pair(written: dict[str, Any]) -> dict[str, Any]:
    """Return the two geoms or bodies between which a sensor measures the distance."""
    values: dict[str, Any] = {}
    for number, prefix in (("1", "obj"), ("2", "ref")):
        given = [kind for kind in ("geom", "body") if written.get(kind + number)]
        if len(given) != 1:
            raise ValueError(f"exactly one of geom{number} and body{number} must be given")
        values[prefix + "type"] = OBJECT_TYPES[given[0]]
        values[prefix + "name"] = written[given[0] + number]
    return values
