"""URDF's <mimic>: a joint that follows another becomes an equality constraint of the two."""

from collections.abc import Iterable

from conjoint.mjcf.document import Node
from conjoint.mjcf.relations import EQUALITY_DATA
from conjoint.mjcf.urdf_nodes import UrdfNodes
from conjoint.schema.enums import mjtEq
from conjoint.schema.kinds import HINGE, SLIDE
from conjoint.schema.urdf import JOINT
from conjoint.spec import Body, Spec

MIMIC = JOINT.children["mimic"]


def read_mimics(urdf: UrdfNodes, joints: Iterable[Node], bodies: Iterable[Body]) -> None:
    """Couple every joint that has a <mimic>: position = multiplier * that of the other + offset.

    Both joints must have one degree of freedom; where they do not, a warning says so.
    """
    known = {joint.name: joint.type for body in bodies for joint in body.joints}
    for node in joints:
        mimic = urdf.one(node, "mimic", False)
        if mimic is None:
            continue
        values, name = urdf.values(mimic, MIMIC), node.attributes.get("name", "")
        other = values.get("joint")
        if other is None:
            # a problem that has been told
            continue
        wrong = next((joint for joint in (name, other) if known.get(joint) not in (HINGE, SLIDE)), None)
        if wrong is not None:
            reason = f"'{wrong}' is no revolute, continuous or prismatic joint"
            urdf.problems.warn(f"<mimic> of the joint '{name}' has no effect: {reason}", mimic)
        elif other == name:
            urdf.problems.add(f"<mimic>: the joint '{name}' cannot follow itself", mimic, "joint")
        else:
            _couple(urdf.spec, mimic, name, other, (values.get("offset", 0.0), values.get("multiplier", 1.0)))


def _couple(spec: Spec, node: Node, name: str, other: str, polynomial: tuple[float, float]) -> None:
    """Let one joint be a linear function of another."""
    data = (*polynomial, *EQUALITY_DATA[2:])
    given = {"type": int(mjtEq.mjEQ_JOINT), "objtype": 0, "name1": name, "name2": other, "data": data}
    spec.equalities.append(spec.element("equality", given, node))
