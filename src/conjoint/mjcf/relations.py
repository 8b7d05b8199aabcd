"""Readers of elements that refer to other elements: contact, equality, tendon, actuator and sensor."""

from typing import Any

from conjoint.mjcf.actuators import TRANSMISSIONS, actuator_values, inherited_input
from conjoint.mjcf.document import Node
from conjoint.mjcf.elements import ElementReader, read_plugin
from conjoint.mjcf.sensors import sensor_values
from conjoint.mjcf.shortcut_defaults import with_own_parameters
from conjoint.schema.enums import mjtEq, mjtObj, mjtWrap
from conjoint.schema.mjcf.table import Element as Row
from conjoint.schema.semantics import EDITION_4
from conjoint.spec import DefaultsClass, Element

WRAPS = {
    "joint": mjtWrap.mjWRAP_JOINT,
    "site": mjtWrap.mjWRAP_SITE,
    "geom": mjtWrap.mjWRAP_SPHERE,
    "pulley": mjtWrap.mjWRAP_PULLEY,
}
"""Types of path elements, by tag. For a geom, the compiler determines the final type."""

EQUALITY_DATA = (0.0, 1.0) + (0.0,) * 8 + (1.0,)
"""Default parameters of an equality constraint: coefficients of the polynomial x, and a torque scale of one."""
STRAIN_DATA = (0.0,) * 10 + (1.0,)
"""Default parameters of a strain constraint. The first three parameters select the cell."""


def read_contact(reader: ElementReader, node: Node, row: Row) -> None:
    """Read the contact section: pairs and excludes."""
    for child, inner in reader.children(node, row):
        elements = reader.spec.pairs if inner.kind == "pair" else reader.spec.excludes
        elements.append(reader.element(child, inner))


def read_equality(reader: ElementReader, node: Node, row: Row) -> None:
    """Read the equality section: type, objects and parameters, as in mjsEquality."""
    for child, inner in reader.children(node, row):
        equality = reader.element(child, inner)
        try:
            values = _equality(child.tag, equality)
        except ValueError as error:
            reader.problems.add(f"<{child.tag}>: {error}", child)
            continue
        equality.__dict__.update(values, type=int(mjtEq["mjEQ_" + child.tag.upper()]))
        reader.spec.equalities.append(equality)


def _equality(tag: str, equality: Element) -> dict[str, Any]:
    """Return the objects and parameters of an equality constraint with the tag `tag`.

    Raises:
        ValueError: a required attribute is missing, or attributes contradict each other.
    """
    written = {name: equality.__dict__[name] for name in equality.written}
    if tag in ("connect", "weld"):
        return _bodies_or_sites(tag, written)
    values: dict[str, Any] = {"objtype": 0, "name1": written.get(tag + "1", ""), "name2": written.get(tag + "2", "")}
    data = list(EQUALITY_DATA)
    if tag == "flex":
        values["name1"] = written.get("flex", "")
    if tag == "flexstrain":
        cell = tuple(map(float, equality.__dict__.get("cell", (0, 0, 0))))
        return {**values, "name1": equality.__dict__.get("flex", ""), "data": (*cell, *STRAIN_DATA[3:])}
    polynomial = written.get("polycoef", ())
    data[: len(polynomial)] = polynomial
    return {**values, "data": tuple(data)}


def _bodies_or_sites(tag: str, written: dict[str, Any]) -> dict[str, Any]:
    """Return the objects of a connect or weld constraint: either bodies with points in them, or two sites."""
    sites = {name for name in ("site1", "site2") if name in written}
    points = {name for name in ("body1", "body2", "anchor", "relpose") if name in written}
    if sites and points:
        raise ValueError("sites cannot be combined with bodies, anchor or relpose: give one or the other")
    data = list(EQUALITY_DATA)
    data[-1] = written.get("torquescale", 1.0)
    if sites:
        if len(sites) < 2:
            raise ValueError("both site1 and site2 must be given")
        if tag == "connect":
            data = [0.0] * len(data)
        names = (written["site1"], written["site2"])
        return {"objtype": int(mjtObj.mjOBJ_SITE), "name1": names[0], "name2": names[1], "data": tuple(data)}
    if "body1" not in written or (tag == "connect" and "anchor" not in written):
        needed = "body1 and anchor" if tag == "connect" else "body1"
        raise ValueError(f"{needed} or both site1 and site2 must be given")
    data[:3] = written.get("anchor", (0.0, 0.0, 0.0))
    if tag == "weld":
        data[3:10] = written.get("relpose", (0.0,) * 7)
    names = (written["body1"], written.get("body2", ""))
    return {"objtype": int(mjtObj.mjOBJ_BODY), "name1": names[0], "name2": names[1], "data": tuple(data)}


def read_tendon(reader: ElementReader, node: Node, row: Row) -> None:
    """Read the tendon section: paths of spatial tendons, and terms of fixed tendons."""
    for child, inner in reader.children(node, row):
        tendon = reader.element(child, inner)
        tendon.wraps = []
        for item, item_row in reader.children(child, inner):
            wrap = reader.element(item, item_row)
            wrap.type = int(WRAPS[item.tag])
            if wrap.prm is None:
                wrap.prm = 0.0
            tendon.wraps.append(wrap)
        reader.spec.tendons.append(tendon)


def read_actuators(reader: ElementReader, node: Node, row: Row) -> None:
    """Read the actuator section. Shortcuts are converted to general actuators."""
    for child, inner in reader.children(node, row):
        classname = reader.class_of(child, "main")
        owner = reader.spec.classes[classname]
        base = owner.of("actuator")
        values = reader.fill(reader.values(child, inner), inner, base)
        values.pop("class", None)
        actuator: Any = Element("actuator", base, child)
        actuator.__dict__.update(read_shortcut(reader, child, values, owner))
        actuator.written = frozenset(values)
        actuator.classname = classname
        actuator.plugin = read_plugin(reader, child, inner, values) if child.tag == "plugin" else None
        reader.spec.actuators.append(actuator)
        if not any(name in values for name in TRANSMISSIONS):
            reader.problems.about(actuator, "the target is missing: add the attribute joint, tendon, site or body")


def read_shortcut(reader: ElementReader, node: Node, values: dict[str, Any], owner: DefaultsClass) -> dict[str, Any]:
    """Return the values of the general actuator for the shortcut `node`, whose defaults class is `owner`."""
    base, written = owner.of("actuator"), values
    said = values.get("ctrlspec", inherited_input(node.tag, values, base))
    newer = reader.spec.edition == EDITION_4
    try:
        if newer:
            written, base = with_own_parameters(node.tag, values, owner)
        found = actuator_values(node.tag, written, {**base, "ctrlspec": said})
        found["ctrlspec"] = said
        if newer and node.tag == "intvelocity" and "actlimited" not in values:
            # the range determines whether the activation is clamped
            found["actlimited"] = base["actlimited"]
        return found
    except ValueError as error:
        reader.problems.add(f"<{node.tag}>: {error}", node)
        return values


def read_sensors(reader: ElementReader, node: Node, row: Row) -> None:
    """Read the sensor section: type, data type and objects of each sensor."""
    for child, inner in reader.children(node, row):
        sensor = reader.element(child, inner)
        try:
            sensor.__dict__.update(sensor_values(child.tag, sensor))
        except ValueError as error:
            reader.problems.add(f"<{child.tag}>: {error}", child)
        sensor.plugin = read_plugin(reader, child, inner, sensor.__dict__) if child.tag == "plugin" else None
        reader.spec.sensors.append(sensor)
