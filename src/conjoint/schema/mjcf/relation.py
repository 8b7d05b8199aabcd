"""Grammar of contact, equality, tendon and keyframe."""

from conjoint.schema.mjcf.shared import CLASS, GROUP, MATERIAL, NAME, RGBA, USER, solver
from conjoint.schema.mjcf.table import element, flag, integer, real, tristate, upto, word

PAIR = element(
    "pair",
    "Pair of geoms that may touch, with contact parameters of its own. Use it where the parameters combined from the "
    "two geoms are unsuitable. Or set `contype` and `conaffinity` of all geoms to 0, and list the few pairs that "
    "matter. Masks, `exclude` and the parent filter do not apply to it.",
    NAME, CLASS,
    word("geom1", "First geom of the pair.", required=True, lands="geomname1"),
    word("geom2", "Second geom of the pair.", required=True, lands="geomname2"),
    integer(
        "condim", 3,
        "Dimension of the contact. 1: frictionless; 3: sliding friction; 4: sliding and torsional; 6: sliding, "
        "torsional and rolling.",
    ),
    upto(
        "friction", (1.0, 1.0, 0.005, 0.0001, 0.0001),
        "Friction coefficients: sliding along both tangents, torsional (m), rolling about both tangents (m).",
    ),
    *solver(what="the normal force"),
    upto("solreffriction", (0.0, 0.0), "Time constant (s) and damping ratio of friction. `0 0` means: use the values "
         "of `solref`."),
    real("adhesion", 0.0, "Maximum tensile force that each contact can exert before it breaks.", unit="N"),
    real(
        "gap", 0.0,
        "Contacts at distances between `margin - gap` and `margin` are listed but produce no force. In edition 4.0, "
        "this zone is between `margin` and `margin + gap`.",
        unit="m",
    ),
    real("margin", 0.0, "Distance below which a contact is listed.", unit="m"),
    kind="pair",
)  # fmt: skip

CONTACT = element(
    "contact",
    "Exceptions to the rules that determine which geoms collide: pairs with parameters of their own, and bodies "
    "that never touch.",
    PAIR,
    element(
        "exclude",
        "Pair of bodies whose geoms never touch each other. Use it for neighbors in a mechanism whose shapes overlap.",
        NAME,
        word("body1", "First body of the pair.", required=True, lands="bodyname1"),
        word("body2", "Second body of the pair.", required=True, lands="bodyname2"),
        kind="exclude",
    ),
)  # fmt: skip

_EQUALITY = (
    NAME, CLASS,
    flag("active", True, "Enforce the constraint from the start; `mjData.eq_active` changes it later."),
    *solver(),
)  # fmt: skip
_BODIES = (
    word("body1", "First body; its alternative is `site1` with `site2`.", lands=""),
    word("body2", "Second body; if absent, the world.", lands=""),
)  # fmt: skip
_SITES = (
    word(
        "site1",
        "Site on the first body, instead of `body1`. The constraint pulls the sites together from any initial pose.",
        lands="",
    ),
    word("site2", "Site on the second body, instead of `body2`.", lands=""),
)  # fmt: skip
_COUPLINGS = {
    "joint": (
        "Position of a hinge or slide as a polynomial of the position of another one: gears, mimicking fingers, or "
        "a joint that is locked (without `joint2`).",
        "Hinge or slide that follows the other one.",
        "Hinge or slide that leads; if absent, the position of the first joint is constant.",
        "at `qpos0`",
    ),
    "tendon": (
        "Length of a tendon as a polynomial of the length of another one: coupled cables, or a rope of constant "
        "length (without `tendon2`).",
        "Tendon that follows the other one.",
        "Tendon that leads; if absent, the length of the first tendon is constant.",
        "in the pose of the file",
    ),
}  # fmt: skip
"""Texts for couplings.

They are descriptions of the element, of the dependent object and of the independent object, and the configuration from
which the positions of the two objects are measured.
"""

_FLEX = word("flex", "Name of the flex.", lands="", required=True)

EQUALITY = element(
    "equality",
    "Equality constraints: connections in addition to the tree of bodies. Loops of a mechanism need them, because a "
    "tree has none. They are soft like contacts; `solref` and `solimp` make them harder.",
    element(
        "connect",
        "Ball joint between two bodies: a point of one coincides with a point of the other. Use it to close loops such "
        "as four-bar linkages.",
        *_EQUALITY, *_BODIES, *_SITES,
        real("anchor", None, "Common point in the frame of `body1`, required with `body1`.", 3, unit="m", lands=""),
        kind="equality",
    ),
    element(
        "weld",
        "Two bodies with a constant relative pose. Use it to hold and release objects (`eq_active`), and to move a "
        "body with a mocap body. Bodies that are never separated should be one body.",
        *_EQUALITY, *_BODIES, *_SITES,
        real("anchor", (0.0, 0.0, 0.0), "Point of the weld in the frame of `body2`.", 3, unit="m", lands=""),
        real(
            "relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            "Position and quaternion of `body2` in the frame of `body1`. The quaternion 0 0 0 0 means the pose of "
            "the file.",
            7, lands="", unit="m",
        ),
        real(
            "torquescale", 1.0,
            "Weight of rotation relative to translation, like the size of a patch of glue; 0: only the points "
            "coincide.",
            lands="", unit="m",
        ),
        kind="equality",
    ),
    tuple(
        element(
            kind, meaning, *_EQUALITY,
            word(f"{kind}1", dependent, lands="", required=True),
            word(f"{kind}2", independent, lands=""),
            upto(
                "polycoef", (0.0, 1.0, 0.0, 0.0, 0.0),
                "Coefficients a0 to a4 of y = a0 + a1 x + ... + a4 x^4, where y and x are measured relative to "
                f"their values {origin}.",
                lands="",
            ),
            kind="equality",
        )
        for kind, (meaning, dependent, independent, origin) in _COUPLINGS.items()
    ),
    element(
        "flex",
        "Constant lengths of all edges of a flex, for ropes and cloth that hardly stretch. It adds a constraint for "
        "each edge.",
        *_EQUALITY, _FLEX, kind="equality",
    ),
    element(
        "flexstrain", "Constant shape of a trilinear flex, which moves and rotates, but hardly deforms.",
        *_EQUALITY, _FLEX,
        integer("cell", (0, 0, 0), "Cell of the flex. There is one, so it is 0 0 0.", 3, lands=""),
        kind="equality",
    ),
)  # fmt: skip

_TENDON = (
    NAME, CLASS, GROUP,
    tristate("limited", "Enforce `range`; `auto` enforces it if a range is given and `compiler/autolimits` is true."),
    tristate(
        "actuatorfrclimited",
        "Clamp the total actuator force to `actuatorfrcrange`; `auto` does so if this range is given.",
        lands="actfrclimited",
    ),
    real("range", (0.0, 0.0), "Lower and upper limits of the length.", 2, unit="m"),
    real(
        "actuatorfrcrange", (0.0, 0.0), "Lower and upper limits of the total force of all actuators on this tendon.", 2,
        lands="actfrcrange", unit="N",
    ),
    *solver("limit", "_limit", "the limit"),
    *solver("friction", "_friction", "dry friction"),
    real("frictionloss", 0.0, "Dry friction: largest force that opposes changes in length.", unit="N"),
    upto(
        "springlength", (-1.0, -1.0),
        "Length at which the spring exerts no force, or two lengths between which it exerts none. -1: the length at "
        "`qpos_spring`.",
        fill="first", unit="m",
    ),
    real("margin", 0.0, "Distance from a limit at which its constraint becomes active.", unit="m"),
    upto(
        "stiffness", (0.0, 0.0, 0.0),
        "Spring stiffness a, b, c: the force at an elongation x is a x + b x^2 + c x^3.", unit="N/m",
    ),
    real(
        "springyield", 0.0,
        "Elongation beyond which the spring yields, so that its rest length changes permanently. 0 means never.",
        unit="m",
    ),
    upto(
        "damping", (0.0, 0.0, 0.0), "Damping a, b, c: the force against a velocity v is a v + b v|v| + c v^3.",
        unit="N s/m",
    ),
    real("armature", 0.0, "Inertia that resists changes in length, such as the inertia of a winch.", unit="kg"),
    USER,
)  # fmt: skip
_SPATIAL = (real("width", 0.003, "Radius of the drawn tube.", unit="m"), MATERIAL, RGBA)

SPATIAL = element(
    "spatial",
    "Cable or muscle path: the shortest line through sites and around geoms. Use it for cable drives, muscles, "
    "ropes and springs between points. It pulls the bodies of its sites, and with a spring or an actuator it can "
    "also push them.",
    *_TENDON, *_SPATIAL,
    element(
        "site", "Point that the path runs through. A path begins and ends with a site.",
        word("site", "Name of the site.", required=True, lands="target"), kind="wrap",
    ),
    element(
        "geom",
        "Obstacle that the path wraps around if it blocks the straight line: a joint, a bone, a drum. Two obstacles "
        "need a site between them.",
        word("geom", "Sphere or cylinder; a cylinder is treated as infinitely long.", required=True, lands="target"),
        word("sidesite",
             "Site on the side where the path should pass. If it is inside the geom, the path runs through the geom."),
        kind="wrap",
    ),
    element(
        "pulley",
        "Start of a new branch of the path, whose length is divided. Use it for pulleys that split or multiply a "
        "force.",
        real(
            "divisor", None,
            "Number that divides the length of this branch; 2 for each of two equal "
            "branches.", required=True, lands="prm",
        ),
        kind="wrap",
    ),
    kind="tendon",
)  # fmt: skip

TENDON = element(
    "tendon",
    "Tendons: lengths that depend on several joints. They have limits, springs, friction, actuators and sensors, and "
    "couple joints.",
    SPATIAL,
    element(
        "fixed",
        "Weighted sum of joint positions, as the length of a tendon. Use it to couple or drive several joints at "
        "once: differentials, grippers with two fingers, gears.",
        *_TENDON,
        element(
            "joint", "One joint in the sum of a fixed tendon.",
            word("joint", "Name of a hinge or slide.", required=True, lands="target"),
            real("coef", None, "Factor that multiplies the joint position (m, or rad).", required=True, lands="prm"),
            kind="wrap",
        ),
        kind="tendon",
    ),
)  # fmt: skip

KEYFRAME = element(
    "keyframe", "Stored states of the model. Viewers and `mj_resetDataKeyframe` start from them.",
    element(
        "key",
        "A stored state: a home pose, the start of an episode, a goal. Numbers that are absent, also at the end of "
        "a list that is too short, have their initial values.",
        NAME,
        real("time", 0.0, "Time of the state.", unit="s"),
        real("qpos", (), "Positions, as `mjData.qpos`. If absent: `qpos0`. Angles are radians.", None, unit="m, rad"),
        real("qvel", (), "Velocities, as `mjData.qvel`. If absent: 0.", None, unit="m/s, rad/s"),
        real("act", (), "Activations of actuators, as `mjData.act`. If absent: 0.", None),
        real("ctrl", (), "Controls of actuators, as `mjData.ctrl`. If absent: 0.", None),
        real("mpos", (), "Positions of mocap bodies. If absent: the positions in the file.", None, unit="m"),
        real("mquat", (), "Orientations (w, x, y, z) of mocap bodies. If absent: the orientations in the file.", None),
        real(
            "plastic", (),
            "Rest positions of springs that yield. If absent: the initial rest positions.", None, unit="m, rad",
        ),
        kind="key",
    ),
)  # fmt: skip
