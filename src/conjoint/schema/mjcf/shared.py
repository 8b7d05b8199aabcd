"""Attributes that many elements share."""

from conjoint.schema.kinds import OBJECTS
from conjoint.schema.mjcf.table import choice, integer, real, upto, word

SOLREF = (0.02, 1.0)
"""Time constant (s) and damping ratio of a constraint: Computation chapter, solver parameters."""
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
"""Impedance d0, dwidth, width, midpoint, power of a constraint."""
GREY = (0.5, 0.5, 0.5, 1.0)
"""Default color."""

GEOM_TYPES = "plane hfield sphere capsule ellipsoid cylinder box mesh sdf"
CAMLIGHT_MODES = "fixed track trackcom targetbody targetbodycom"
OBJECT_TYPES = {kind.name.removeprefix("mjOBJ_").lower(): int(kind) for kind in OBJECTS}
"""Objects that a tuple or a sensor may refer to, numbered as mjtObj."""


NAME = word("name", "Name, for references.")
CLASS = word("class", "Defaults class of attributes that are not written.", lands="")
GROUP = integer("group", 0, "Group, for visualization and inertia inference.")
USER = real("user", (), "User parameters.", None, lands="userdata")

ORIENTATION = (
    real("quat", (1.0, 0.0, 0.0, 0.0), "Unit quaternion (w, x, y, z).", 4),
    real("axisangle", None, "Rotation axis and angle.", 4, unit="angle", lands="alt"),
    real("xyaxes", None, "X and Y axes; Y is made orthogonal to X, Z is their cross product.", 6, lands="alt"),
    real("zaxis", None, "Z axis; the frame is turned by the smallest rotation that reaches it.", 3, lands="alt"),
    real("euler", None, "Euler angles, in the sequence `compiler/eulerseq`.", 3, unit="angle", lands="alt"),
)
POSITION = real("pos", (0.0, 0.0, 0.0), "Position of the frame.", 3, unit="m")
FRAME = (POSITION, *ORIENTATION)


def solver(suffix: str = "", lands: str = "") -> tuple:
    """Declare solref and solimp of one constraint of an element."""
    return (
        upto(
            "solref" + suffix, SOLREF, "Constraint reference: time constant and damping ratio.", lands="solref" + lands
        ),
        upto("solimp" + suffix, SOLIMP, "Constraint impedance.", lands="solimp" + lands),
    )


CONTACT = (
    integer("contype", 1, "Bits of the contact type."),
    integer("conaffinity", 1, "Bits of the types it collides with."),
    integer("condim", 3, "Dimensions of the contact: 1, 3, 4 or 6."),
    integer("priority", 0, "The geom of higher priority decides the contact parameters."),
    upto("friction", (1.0, 0.005, 0.0001), "Sliding, torsional and rolling friction."),
    real("solmix", 1.0, "Weight of this geom in mixing solver parameters."),
    *solver(),
    real("margin", 0.0, "Distance below which a contact is made.", unit="m"),
    real("gap", 0.0, "Contacts closer than margin-gap produce force.", unit="m"),
)

INTERPOLATIONS = "zoh linear cubic"
"""Interpolations of a history: the last sample before, linear, cubic."""
HISTORY = (
    integer("nsample", 0, "Samples of the history; 0: none."),
    choice("interp", INTERPOLATIONS, "zoh", "How the history is read between its samples."),
    real("delay", 0.0, "Delay, which needs a history.", unit="s"),
)

MATERIAL = word("material", "Material, for rendering.")
RGBA = real("rgba", GREY, "Colour, instead of a material.", 4)

CAMLIGHT_MODE = choice("mode", CAMLIGHT_MODES, "fixed", "How it follows its body or looks at another.")
TARGET = word("target", "Body to look at.", lands="targetbody")
