"""The URDF grammar, as far as a model can represent it, with one row per element and attribute.

Other elements and attributes are ignored, because URDF files contain data of many programs (Modeling chapter, URDF
extensions).
"""

from conjoint.schema.mjcf.header import COMPILER, OPTION, SIZE
from conjoint.schema.mjcf.table import choice, element, real, text, word

JOINT_TYPES = "revolute continuous prismatic fixed floating planar spherical"

_NAME = word("name", "Name by which other elements and programs refer to it.", required=True)
_ORIGIN = element(
    "origin", "Frame of the element around, relative to its link; of joints, relative to the parent link.",
    real("xyz", (0.0, 0.0, 0.0), "Position of the frame.", 3, unit="m"),
    real("rpy", (0.0, 0.0, 0.0), "Roll, pitch and yaw, about fixed x, y and z axes.", 3, unit="rad"),
    once=True,
)  # fmt: skip
_MATERIAL = element(
    "material", "Color of a visible shape, given here or by the name of a material of the robot.",
    text("name", "Name of the material."),
    element(
        "color", "Color and opacity of the material, as four numbers in `rgba`.",
        real("rgba", None, "Red, green, blue and opacity, each 0 to 1.", 4, required=True), once=True,
    ),
    once=True,
)  # fmt: skip
_RADIUS = real("radius", None, "Radius of the shape.", unit="m", required=True)
_LENGTH = real("length", None, "Whole length along z, without the caps of a capsule.", unit="m", required=True)
_GEOMETRY = element(
    "geometry", "Shape of a link: one of the elements inside. Only the first counts.",
    element(
        "box", "Box with its center at the origin of the shape.",
        real("size", None, "Lengths of its edges along x, y, z.", 3, unit="m", required=True), once=True,
    ),
    element(
        "cylinder", "Cylinder along the z axis, with its center at the origin of the shape.",
        _RADIUS, _LENGTH, once=True,
    ),
    element("sphere", "Sphere with its center at the origin of the shape.", _RADIUS, once=True),
    element(
        "capsule", "Capsule along the z axis: a cylinder with half spheres at both ends.",
        _RADIUS, _LENGTH, once=True,
    ),
    element(
        "mesh", "Triangle mesh from a file. As collision shape, its convex hull counts.",
        text("filename", "File, which may be a `package://` or `file://` address.", required=True),
        real("scale", (1.0, 1.0, 1.0), "Factors along x, y and z; files in millimeters need 0.001.", 3),
        once=True,
    ),
    once=True,
)  # fmt: skip


def _moment(name: str):
    return real(
        name, None, f"Element {name[1:]} of the inertia matrix about the center of mass, in the frame of `origin`.",
        unit="kg m^2", required=True,
    )  # fmt: skip


LINK = element(
    "link",
    "Rigid body of the robot, which becomes a `body`. Links without a joint that moves are merged into their parents, "
    "unless `fusestatic` is false.",
    _NAME,
    element(
        "inertial", "Mass and inertia of the link. Without it they come from the shapes.", _ORIGIN,
        element("mass", "Mass of the link, as measured or from CAD.", real(
            "value", None,
            "Mass; cannot be negative.", unit="kg", required=True,
        ), once=True),
        element(
            "inertia", "Inertia matrix of the link about its center of mass; it must be positive definite.",
            *map(_moment, ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")), once=True,
        ),
        once=True,
    ),
    element(
        "visual", "Shape that is drawn and does not collide. It is dropped unless `discardvisual` is false.",
        text("name", "Name of the shape."), _ORIGIN, _GEOMETRY, _MATERIAL,
    ),
    element(
        "collision", "Shape that collides, and gives mass to links without `inertial`.",
        text("name", "Name of the shape."), _ORIGIN, _GEOMETRY,
    ),
)  # fmt: skip

_BY_TYPE = "N or N m"
JOINT = element(
    "joint", "Connection of two links, which becomes the joint of the child's body.", _NAME,
    choice(
        "type", JOINT_TYPES, None,
        "Motion: a hinge with (`revolute`) or without limits (`continuous`), a slide (`prismatic`), none, free "
        "(`floating`), two slides and a hinge (`planar`), a ball.",
        required=True,
    ),
    element(
        "parent", "Link that carries the joint, nearer to the base of the robot.",
        word("link", "Name of the link.", required=True), once=True,
    ),
    element(
        "child", "Link that the joint moves. A link is the child of one joint only.",
        word("link", "Name of the link.", required=True), once=True,
    ),
    _ORIGIN,
    element(
        "axis", "Axis of a hinge or slide; without it, x.",
        real("xyz", None, "Direction in the frame of the child link; it is normalized.", 3, required=True), once=True,
    ),
    element(
        "dynamics", "Forces that resist the motion of the joint: damping and dry friction.",
        real("damping", 0.0, "Damping: force per velocity.", unit="N s/m or N m s/rad"),
        real("friction", 0.0, "Dry friction: largest force that opposes motion.", unit=_BY_TYPE),
        once=True,
    ),
    element(
        "limit", "Limits of position and of actuator force; others are ignored.",
        real("lower", 0.0, "Least position of the joint.", unit="m or rad"),
        real("upper", 0.0, "Largest position of the joint.", unit="m or rad"),
        real("effort", 0.0, "Largest force of all actuators on this joint.", unit=_BY_TYPE),
        once=True,
    ),
    element(
        "mimic",
        "Coupling to another joint: position = multiplier times that of the other joint + offset. It becomes an "
        "equality.",
        word("joint", "Name of the other joint.", required=True),
        real("multiplier", 1.0, "Factor of the other joint's position."),
        real("offset", 0.0, "Position where that of the other joint is zero.", unit="m or rad"),
        once=True,
    ),
)  # fmt: skip

UNREAD = {
    "transmission": "no actuators are made: add them to the model",
    "ros2_control": "no actuators are made: add them to the model",
    "safety_controller": "soft limits have no effect",
}
"""Elements that are not read, as in MuJoCo, each with the consequence for the user."""

ROBOT = element(
    "robot",
    "Root of a URDF file. The robot stands fixed in the world; actuators and sensors of other programs are not read. "
    "Settings of MJCF go into the element `mujoco`.",
    text("name", "Name of the model."),
    element(
        "mujoco", "Settings that URDF does not have, as in MJCF: folders of files, `fusestatic`, options.",
        COMPILER, OPTION, SIZE, once=True,
    ),
    element(
        "material",
        "Color that visual shapes refer to by its name, so that it is written "
        "once.", text("name", "Name of the material."),
        _MATERIAL.children["color"],
    ),
    LINK, JOINT,
)  # fmt: skip
