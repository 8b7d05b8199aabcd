"""The URDF grammar, as far as a model can represent it, with one row per element and attribute.

Other elements and attributes are ignored, because URDF files contain data of many programs (Modeling chapter, URDF
extensions).
"""

from conjoint.schema.mjcf.header import COMPILER, OPTION, SIZE
from conjoint.schema.mjcf.table import choice, element, real, text, word

JOINT_TYPES = "revolute continuous prismatic fixed floating planar spherical"

_NAME = word("name", "Name by which other elements and programs refer to it.", required=True)
_ORIGIN = element(
    "origin", "Frame of the enclosing element, relative to its link; for joints, relative to the parent link.",
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
    "geometry", "Shape of a link: the first of the elements inside; others are ignored.",
    element(
        "box", "Box with its center at the origin of the shape.",
        real("size", None, "Lengths of the edges along x, y, z.", 3, unit="m", required=True), once=True,
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
        "mesh", "Triangle mesh from a file. A collision shape is the convex hull of the mesh.",
        text("filename", "File name, which may be a `package://` or `file://` address.", required=True),
        real("scale", (1.0, 1.0, 1.0), "Scale factors along x, y and z; files in millimeters need 0.001.", 3),
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
    "Rigid body of the robot, which becomes a `body`. Links that are rigidly connected to their parents are merged "
    "into them, unless `fusestatic` is false.",
    _NAME,
    element(
        "inertial", "Mass and inertia of the link. If absent, they are computed from the shapes.", _ORIGIN,
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
        "visual", "Shape for pictures, which does not collide. It is discarded unless `discardvisual` is false.",
        text("name", "Name of the shape."), _ORIGIN, _GEOMETRY, _MATERIAL,
    ),
    element(
        "collision", "Shape that collides. Links without `inertial` get their mass from it.",
        text("name", "Name of the shape."), _ORIGIN, _GEOMETRY,
    ),
)  # fmt: skip

_BY_TYPE = "N or N m"
JOINT = element(
    "joint", "Connection of two links, which becomes the joint of the child's body.", _NAME,
    choice(
        "type", JOINT_TYPES, None,
        "Motion of the child. `revolute`: hinge with limits, `continuous`: hinge without limits, `prismatic`: "
        "slide, `fixed`: none, `floating`: free, `planar`: two slides and a hinge, `spherical`: ball.",
        required=True,
    ),
    element(
        "parent", "Link that the joint is attached to, nearer to the base of the robot.",
        word("link", "Name of the link.", required=True), once=True,
    ),
    element(
        "child", "Link that the joint moves. A link is the child of at most one joint.",
        word("link", "Name of the link.", required=True), once=True,
    ),
    _ORIGIN,
    element(
        "axis", "Axis of a hinge or slide; x if absent.",
        real("xyz", None, "Direction in the frame of the child link; it is normalized.", 3, required=True), once=True,
    ),
    element(
        "dynamics", "Forces that oppose the motion of the joint: damping and dry friction.",
        real("damping", 0.0, "Damping: force per velocity.", unit="Damping: force per velocity."),
        real("friction", 0.0, "Dry friction: largest force that opposes motion.", unit=_BY_TYPE),
        once=True,
    ),
    element(
        "limit", "Limits of position and actuator force; other limits are ignored.",
        real("lower", 0.0, "Lower limit of the joint position.", unit="m or rad"),
        real("upper", 0.0, "Upper limit of the joint position.", unit="m or rad"),
        real("effort", 0.0, "Maximum total force of all actuators on this joint.", unit=_BY_TYPE),
        once=True,
    ),
    element(
        "mimic",
        "Coupling to another joint: position = multiplier times the other joint's position + offset. It becomes an "
        "equality constraint.",
        word("joint", "Name of the other joint.", required=True),
        real("multiplier", 1.0, "Factor of the other joint's position."),
        real("offset", 0.0, "Position where that of the other joint is zero.", unit="Position of this joint if the "
                                                                                    "position of the other joint is "
                                                                                    "zero."),
        once=True,
    ),
)  # fmt: skip

UNREAD = {
    "transmission": "actuators are not created: add them to the model",
    "ros2_control": "actuators are not created: add them to the model",
    "safety_controller": "soft limits have no effect",
}
"""Elements that are not read, as in MuJoCo, each with the consequence for the user."""

ROBOT = element(
    "robot",
    "Root of a URDF file. The robot is fixed to the world; actuators and sensors for other programs are ignored. "
    "Settings of MJCF are written in the element `mujoco`.",
    text("name", "Name of the model."),
    element(
        "mujoco", "Settings of MJCF that URDF does not have: asset folders, `fusestatic`, options.",
        COMPILER, OPTION, SIZE, once=True,
    ),
    element(
        "material",
        "Color that visual shapes refer to by its name.", text("name", "Name of the material."),
        _MATERIAL.children["color"],
    ),
    LINK, JOINT,
)  # fmt: skip
