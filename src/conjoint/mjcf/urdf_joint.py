"""URDF joints: the joints of a body that stand for one."""

from typing import Any

from conjoint.mjcf.document import Node
from conjoint.mjcf.urdf_nodes import UrdfNodes
from conjoint.schema.kinds import BALL, FREE, HINGE, SLIDE
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec import Body, Element
from conjoint.spec.rotation import quat_from_z, quat_to_mat

REVOLUTE, CONTINUOUS, PRISMATIC, FIXED, FLOATING, PLANAR, SPHERICAL = range(7)
"""Types, numbered as in the grammar."""
TYPES = {REVOLUTE: HINGE, CONTINUOUS: HINGE, PRISMATIC: SLIDE, FLOATING: FREE, SPHERICAL: BALL}


def read_joint(urdf: UrdfNodes, node: Node, row: Row, body: Body) -> None:
    """Add the joints that <joint> `node` stands for to `body`, its child link.

    A planar joint is two slides and a hinge; its limits are those of the first slide.
    """
    values = urdf.values(node, row)
    kind = values.get("type", FIXED)
    found = urdf.one(node, "axis", False)
    axis = urdf.values(found, row.children["axis"]).get("xyz") if found is not None else None
    axis = (1.0, 0.0, 0.0) if axis is None else axis
    if kind == FIXED:
        return
    name = values.get("name", "")
    if kind == PLANAR:
        joints = _planar(urdf, node, name, axis)
    else:
        joints = [_joint(urdf, node, name, TYPES[kind], (0.0, 0.0, 1.0) if kind == FLOATING else axis)]
    body.joints.extend(joints)
    dynamics = urdf.one(node, "dynamics", False)
    if dynamics is not None:
        passive = urdf.values(dynamics, row.children["dynamics"])
        for joint in joints:
            joint.damping, joint.frictionloss = (passive.get("damping", 0.0), 0.0, 0.0), passive.get("friction", 0.0)
    limit = urdf.one(node, "limit", False)
    if limit is not None:
        joints[0].__dict__.update(_limits(urdf.values(limit, row.children["limit"])))


def _limits(values: dict[str, Any]) -> dict[str, Any]:
    """Ranges of position and of actuator force; limits in the wrong order are none, nor is one alone."""
    low, high, effort = values.get("lower", 0.0), values.get("upper", 0.0), abs(values.get("effort", 0.0))
    limits: dict[str, Any] = {"range": (low, high), "actfrcrange": (-effort, effort)}
    return limits if low <= high and {"lower", "upper"} <= values.keys() else {**limits, "limited": 0}


def _planar(urdf: UrdfNodes, node: Node, name: str, axis: tuple) -> list[Element]:
    """Slides along the two directions of the plane, and a hinge about its normal."""
    try:
        mat = quat_to_mat(quat_from_z(axis))
    except ValueError:
        urdf.problems.add("<axis>: the axis is too short", node)
        return [_joint(urdf, node, name, SLIDE, axis)]
    return [
        _joint(urdf, node, name + "_TX", SLIDE, mat[0::3]),
        _joint(urdf, node, name + "_TY", SLIDE, mat[1::3]),
        _joint(urdf, node, name + "_RZ", HINGE, axis),
    ]


def _joint(urdf: UrdfNodes, node: Node, name: str, kind: int, axis: tuple) -> Element:
    """One joint."""
    joint = urdf.spec.element("joint", {"name": name, "type": kind, "axis": axis}, node)
    joint.frame = None
    return joint
