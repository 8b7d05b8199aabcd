"""The URDF grammar, as far as it has a meaning for a model: one row per element and attribute.

What is not here is ignored, as URDF files carry data of many programs (Modeling chapter, URDF extensions).
"""

from conjoint.schema.mjcf.header import COMPILER, OPTION, SIZE
from conjoint.schema.mjcf.table import choice, element, real, text, word

JOINT_TYPES = "revolute continuous prismatic fixed floating planar spherical"

_NAME = word("name", "Name.", required=True)
_ORIGIN = element(
    "origin", "Frame.",
    real("xyz", (0.0, 0.0, 0.0), "Position.", 3, unit="m"),
    real("rpy", (0.0, 0.0, 0.0), "Roll, pitch and yaw about fixed axes.", 3, unit="rad"),
    once=True,
)  # fmt: skip
_MATERIAL = element(
    "material", "Colour of what is visible.",
    text("name", "Name."),
    element("color", "Colour.", real("rgba", None, "Colour.", 4, required=True), once=True),
    once=True,
)  # fmt: skip
_RADIUS = real("radius", None, "Radius.", unit="m", required=True)
_LENGTH = real("length", None, "Length without caps.", unit="m", required=True)
_GEOMETRY = element(
    "geometry", "Shape: one of these, the first of them if there are several.",
    element("box", "Box.", real("size", None, "Edges.", 3, unit="m", required=True), once=True),
    element("cylinder", "Cylinder along z.", _RADIUS, _LENGTH, once=True),
    element("sphere", "Sphere.", _RADIUS, once=True),
    element("capsule", "Capsule along z.", _RADIUS, _LENGTH, once=True),
    element(
        "mesh", "Mesh.",
        text("filename", "File.", required=True),
        real("scale", (1.0, 1.0, 1.0), "Scale of each axis.", 3),
        once=True,
    ),
    once=True,
)  # fmt: skip


def _moment(name: str):
    return real(name, None, "Element of the inertia matrix.", unit="kg m^2", required=True)


LINK = element(
    "link", "Rigid body.", _NAME,
    element(
        "inertial", "Mass and inertia.", _ORIGIN,
        element("mass", "Mass.", real("value", None, "Mass.", unit="kg", required=True), once=True),
        element("inertia", "Matrix.", *map(_moment, ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")), once=True),
        once=True,
    ),
    element("visual", "What is seen.", text("name", "Name."), _ORIGIN, _GEOMETRY, _MATERIAL),
    element("collision", "What collides.", text("name", "Name."), _ORIGIN, _GEOMETRY),
)  # fmt: skip

JOINT = element(
    "joint", "Connection of two links.", _NAME,
    choice("type", JOINT_TYPES, None, "Type.", required=True),
    element("parent", "Parent link.", word("link", "Name.", required=True), once=True),
    element("child", "Child link.", word("link", "Name.", required=True), once=True),
    _ORIGIN,
    element("axis", "Axis in the child.", real("xyz", None, "Axis.", 3, required=True), once=True),
    element(
        "dynamics", "Passive forces.",
        real("damping", 0.0, "Damping."),
        real("friction", 0.0, "Dry friction."),
        once=True,
    ),
    element(
        "limit", "Limits.",
        real("lower", 0.0, "Least position.", unit="m or rad"),
        real("upper", 0.0, "Greatest position.", unit="m or rad"),
        real("effort", 0.0, "Greatest force of actuators."),
        once=True,
    ),
    element(
        "mimic", "Follows another joint.",
        word("joint", "Name of the other joint.", required=True),
        real("multiplier", 1.0, "Position for each unit of the other's."),
        real("offset", 0.0, "Position where the other's is zero.", unit="m or rad"),
        once=True,
    ),
)  # fmt: skip

UNREAD = {
    "transmission": "no actuators are made: add them to the model",
    "ros2_control": "no actuators are made: add them to the model",
    "safety_controller": "soft limits have no effect",
}
"""Elements that are not read, as in the official reader, and what a user misses for it."""

ROBOT = element(
    "robot", "A model.",
    text("name", "Name of the model."),
    element("mujoco", "Settings that URDF does not have.", COMPILER, OPTION, SIZE, once=True),
    element("material", "Colour that links refer to.", text("name", "Name."), _MATERIAL.children["color"]),
    LINK, JOINT,
)  # fmt: skip
