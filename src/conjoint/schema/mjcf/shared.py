"""Attributes that many elements share."""

from conjoint.schema.kinds import OBJECTS
from conjoint.schema.mjcf.table import choice, integer, real, upto, word

SOLREF = (0.02, 1.0)
"""Default time constant (s) and damping ratio of a constraint: Computation chapter, solver parameters."""
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
"""Default impedance d0, dwidth, width, midpoint, power of a constraint."""
GRAY = (0.5, 0.5, 0.5, 1.0)
"""Default color of geoms and other objects."""

GEOM_TYPES = "plane hfield sphere capsule ellipsoid cylinder box mesh sdf"
CAMLIGHT_MODES = "fixed track trackcom targetbody targetbodycom"
OBJECT_TYPES = {kind.name.removeprefix("mjOBJ_").lower(): int(kind) for kind in OBJECTS}
"""Types of objects that tuples and sensors refer to, with their numbers in mjtObj."""


NAME = word("name", "Name by which programs and other elements refer to this one. Names are unique within a type.")
CLASS = word(
    "class", "Defaults class that gives values to attributes that are absent here; it overrides `childclass` of the "
             "enclosing bodies.",
    lands="",
)  # fmt: skip
GROUP = integer("group", 0, "Group number, 0 to 5, by which viewers show and hide elements.")
USER = real(
    "user", (), "Numbers for programs; the engine ignores them. Their count is set by `size`, or by the longest list.",
    None, lands="userdata",
)  # fmt: skip

ORIENTATION = (
    real(
        "quat", (1.0, 0.0, 0.0, 0.0),
        "Orientation as a quaternion (w, x, y, z), relative to the enclosing frame. It is normalized.", 4,
    ),
    real(
        "axisangle", None, "Orientation as a rotation: an axis (x, y, z), which is normalized, and an angle.", 4,
        unit="angle", lands="alt",
    ),
    real(
        "xyaxes", None,
        "Orientation as the directions of the x and y axes. Y is made orthogonal to x, and z is their cross product.",
        6, lands="alt",
    ),
    real(
        "zaxis", None,
        "Orientation as the direction of the z axis, which the smallest rotation moves from (0, 0, 1).", 3, lands="alt",
    ),
    real(
        "euler", None, "Orientation as three rotations about the axes that `compiler/eulerseq` lists.", 3,
        unit="angle", lands="alt",
    ),
)  # fmt: skip
POSITION = real(
    "pos",
    (0.0, 0.0, 0.0),
    "Position of the origin, in the frame of the parent body or frame.",
    3,
    unit="m",
)
FRAME = (POSITION, *ORIENTATION)


def solver(suffix: str = "", lands: str = "", what: str = "the constraint") -> tuple:
    """Declare the attributes solref and solimp for a constraint of an element, which their descriptions call `what`."""
    return (
        upto(
            "solref" + suffix, SOLREF,
            f"Time constant (s) and damping ratio of {what}. Two negative numbers are stiffness and damping instead.",
            lands="solref" + lands,
        ),
        upto(
            "solimp" + suffix, SOLIMP,
            f"Impedance of {what}: d0, dmax, width (m or rad), midpoint, power. Values near 1 give hard constraints.",
            lands="solimp" + lands,
        ),
    )  # fmt: skip


CONTACT = (
    integer(
        "contype", 1, "32-bit mask. Two shapes may collide if this mask and the other's `conaffinity` share a bit."
    ),
    integer("conaffinity", 1,
            "Bit mask that is compared with `contype` of the other geom; a match in either direction suffices."),
    integer(
        "condim", 3,
        "Dimension of the contact. 1: frictionless; 3: sliding friction; 4: sliding and torsional; 6: sliding, "
        "torsional and rolling. The larger value of the two geoms is used.",
    ),
    integer(
        "priority", 0,
        "Priority for contact parameters: the geom with the larger number determines them. If equal, parameters are "
        "combined.",
    ),
    upto(
        "friction", (1.0, 0.005, 0.0001),
        "Friction coefficients: sliding (no unit), torsional (m) and rolling (m). The larger values of the two "
        "geoms are used.",
    ),
    real("solmix", 1.0, "Weight with which `solref` and `solimp` of two geoms of equal priority are averaged."),
    *solver(what="contacts"),
    real(
        "margin", 0.0,
        "Distance below which a contact is listed. The larger margin of the two geoms is used; in edition 4.0, the sum "
        "of both margins.",
        unit="m",
    ),
    real(
        "gap", 0.0,
        "Contacts at distances between `margin - gap` and `margin` are listed but produce no force. In edition 4.0, "
        "this zone is between `margin` and `margin + gap`.",
        unit="m",
    ),
)  # fmt: skip

INTERPOLATIONS = "zoh linear cubic"
"""Interpolation methods for a history: the last sample before a time, linear, cubic."""
HISTORY = (
    integer("nsample", 0, "Number of samples in the history of this element; 0 means no history."),
    choice("interp", INTERPOLATIONS, "zoh", "Interpolation between samples: `zoh` uses the previous sample."),
    real("delay", 0.0, "Delay of the samples in use; at most `nsample` timesteps.", unit="s"),
)

MATERIAL = word("material", "Material that determines texture, reflections and color. It affects rendering only.")
RGBA = real(
    "rgba", GRAY, "Color and opacity, each 0 to 1. Any value but the default overrides the color of the material.", 4
)

CAMLIGHT_MODE = choice(
    "mode", CAMLIGHT_MODES, "fixed",
    "Motion: `fixed` to the body; `track` its position or `trackcom` its subtree's center of mass, with constant "
    "orientation; `targetbody` and `targetbodycom` rotate towards `target`.",
)  # fmt: skip
TARGET = word("target", "Body that the modes `targetbody` and `targetbodycom` look at.", lands="targetbody")
