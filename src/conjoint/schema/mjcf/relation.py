"""contact, equality, tendon and keyframe."""

from conjoint.schema.mjcf.shared import CLASS, GROUP, MATERIAL, NAME, RGBA, USER, solver
from conjoint.schema.mjcf.table import element, flag, integer, real, tristate, upto, word

PAIR = element(
    "pair", "Pair of geoms that may collide, with its own parameters.", NAME, CLASS,
    word("geom1", "First geom.", required=True, lands="geomname1"),
    word("geom2", "Second geom.", required=True, lands="geomname2"),
    integer("condim", 3, "Dimensions of the contact."),
    upto("friction", (1.0, 1.0, 0.005, 0.0001, 0.0001), "Tangential (2), torsional and rolling (2) friction."),
    *solver(),
    upto("solreffriction", (0.0, 0.0), "Constraint reference of friction; 0: that of the normal."),
    real("adhesion", 0.0, "Adhesive force of contacts.", unit="N"),
    real("gap", 0.0, "Contacts closer than margin-gap produce force.", unit="m"),
    real("margin", 0.0, "Distance below which a contact is made.", unit="m"),
    kind="pair",
)  # fmt: skip

CONTACT = element(
    "contact", "Contact pairs.", PAIR,
    element(
        "exclude", "Pair of bodies that do not collide.", NAME,
        word("body1", "First body.", required=True, lands="bodyname1"),
        word("body2", "Second body.", required=True, lands="bodyname2"),
        kind="exclude",
    ),
)  # fmt: skip

_EQUALITY = (NAME, CLASS, flag("active", True, "Is on."), *solver())
_BODIES = (word("body1", "First body.", lands=""), word("body2", "Second body; none: the world.", lands=""))
_SITES = (word("site1", "First site.", lands=""), word("site2", "Second site.", lands=""))

EQUALITY = element(
    "equality", "Equality constraints.",
    element(
        "connect", "Two points coincide.", *_EQUALITY, *_BODIES, *_SITES,
        real("anchor", None, "Point, in the first body.", 3, unit="m", lands=""),
        kind="equality",
    ),
    element(
        "weld", "Two bodies are fixed to each other.", *_EQUALITY, *_BODIES, *_SITES,
        real("anchor", (0.0, 0.0, 0.0), "Point, in the second body.", 3, unit="m", lands=""),
        real(
            "relpose",
            (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            "Position and quaternion of the second body in the first; zero quaternion: as initially.", 7, lands="",
            unit="m",
        ),
        real("torquescale", 1.0, "Weight of rotation.", lands="", unit="m"),
        kind="equality",
    ),
    tuple(
        element(
            kind, f"A {kind} is a quartic function of another.", *_EQUALITY,
            word(f"{kind}1", f"Dependent {kind}.", lands="", required=True),
            word(f"{kind}2", "The other; none: constant.", lands=""),
            upto("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), "Coefficients of the quartic.", lands=""), kind="equality",
        )
        for kind in ("joint", "tendon")
    ),
    element(
        "flex", "Edges of a flex keep their length.", *_EQUALITY,
        word("flex", "Flex.", lands="", required=True),
        kind="equality",
    ),
    element(
        "flexstrain", "A trilinear flex keeps its shape.", *_EQUALITY,
        word("flex", "Flex.", lands="", required=True),
        integer("cell", (0, 0, 0), "Cell of the flex, which here has one.", 3, lands=""),
        kind="equality",
    ),
)  # fmt: skip

_TENDON = (
    NAME, CLASS, GROUP,
    tristate("limited", "Has limits."),
    tristate("actuatorfrclimited", "Actuator force is clamped.", lands="actfrclimited"),
    real("range", (0.0, 0.0), "Limits of the length.", 2, unit="m"),
    real("actuatorfrcrange", (0.0, 0.0), "Range of the actuator force.", 2, lands="actfrcrange", unit="N"),
    *solver("limit", "_limit"),
    *solver("friction", "_friction"),
    real("frictionloss", 0.0, "Dry friction.", unit="N"),
    upto("springlength", (-1.0, -1.0), "Length at rest, or range without force; -1: initial length.", fill="first",
         unit="m"),
    real("margin", 0.0, "Distance at which a limit becomes active.", unit="m"),
    upto("stiffness", (0.0, 0.0, 0.0), "Stiffness of first, second and third order.", unit="N/m"),
    real("springyield", 0.0, "Displacement at which the spring yields; 0: it does not.", unit="m"),
    upto("damping", (0.0, 0.0, 0.0), "Damping of first, second and third order.", unit="N s/m"),
    real("armature", 0.0, "Inertia of motion along the tendon.", unit="kg"),
    USER,
)  # fmt: skip
_SPATIAL = (real("width", 0.003, "Radius, for rendering.", unit="m"), MATERIAL, RGBA)

SPATIAL = element(
    "spatial", "Path through sites, around geoms.", *_TENDON, *_SPATIAL,
    element("site", "Point of the path.", word("site", "Site.", required=True, lands="target"), kind="wrap"),
    element(
        "geom", "Obstacle.",
        word("geom", "Sphere or cylinder.", required=True, lands="target"),
        word("sidesite", "Side to pass on."),
        kind="wrap",
    ),
    element(
        "pulley", "Divides the tendon.",
        real("divisor", None, "Divisor.", required=True, lands="prm"),
        kind="wrap",
    ),
    kind="tendon",
)  # fmt: skip

TENDON = element(
    "tendon", "Tendons.", SPATIAL,
    element(
        "fixed", "Linear combination of joint positions.", *_TENDON,
        element(
            "joint", "Term of the sum.",
            word("joint", "Joint.", required=True, lands="target"),
            real("coef", None, "Coefficient.", required=True, lands="prm"),
            kind="wrap",
        ),
        kind="tendon",
    ),
)  # fmt: skip

KEYFRAME = element(
    "keyframe", "Keyframes.",
    element(
        "key", "State of the model; what is not written is that of the initial configuration.", NAME,
        real("time", 0.0, "Time.", unit="s"),
        real("qpos", (), "Positions.", None, unit="m, rad"),
        real("qvel", (), "Velocities.", None, unit="m/s, rad/s"),
        real("act", (), "Activations.", None),
        real("ctrl", (), "Controls.", None),
        real("mpos", (), "Positions of mocap bodies.", None, unit="m"),
        real("mquat", (), "Orientations of mocap bodies.", None),
        real("plastic", (), "Where springs that yield are at rest.", None, unit="m, rad"),
        kind="key",
    ),
)  # fmt: skip
