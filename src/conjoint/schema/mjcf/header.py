"""Grammar of compiler, option, size, visual and statistic: settings of the whole model."""

from dataclasses import replace
from typing import Any

from conjoint.lang.memory.layout import COMPONENTS, Field
from conjoint.schema.enums import MjEnum, mjtDisableBit, mjtEnableBit
from conjoint.schema.mjcf.shared import SOLIMP, SOLREF
from conjoint.schema.mjcf.table import Attribute, choice, element, flag, integer, real, text, tristate, upto, word
from conjoint.schema.newer_names import NOT_BUILT
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS, VISUAL_FIELDS
from conjoint.schema.sizes import SIZE_FIELDS

LENGTH_RANGE = element(
    "lengthrange",
    "Settings of the search for the shortest and longest length of actuators. Muscles need this range to scale "
    "their force-length curve. The compiler pulls and pushes each actuator in a damped simulation and records both "
    "extremes. Change these numbers if that search is slow or does not settle; set `mode` to `none` to skip it.",
    choice(
        "mode", "none muscle muscleuser all", "muscle",
        "Actuators whose range is computed: none, muscles, muscles and actuators of the type `user`, or all.",
    ),
    flag("useexisting", True, "Keep a given range (first number below the second) and skip the search."),
    flag("uselimit", False, "Copy the limits of the joint or tendon, if it has limits, and skip the search."),
    real(
        "accel", 20.0, "Norm of the joint acceleration that the force of the search causes.",
        unit="m/s^2 or rad/s^2",
    ),
    real("maxforce", 0.0, "Maximum force of the search; 0 means no limit.", unit="N or N m"),
    real("timeconst", 1.0, "Time constant with which velocities decay during the search.", unit="s"),
    real("timestep", 0.01, "Timestep of the search; 0: the timestep of the model.", unit="s"),
    real("inttotal", 10.0, "Duration of the search, for each actuator and direction.", unit="s"),
    real("interval", 2.0, "Time at the end of the search in which lengths are recorded.", unit="s"),
    real(
        "tolrange", 0.05,
        "Largest variation of the length within `interval`, relative to the range; larger variations are an error.",
    ),
    kind="lengthrange", once=True,
)  # fmt: skip

COMPILER = element(
    "compiler",
    "Settings of the reader and the compiler: units of angles, folders of files, and how masses are derived. They "
    "apply to the whole model and have no effect after it is compiled. Most files need only `angle` and a folder.",
    flag(
        "autolimits", True,
        "Infer `limited`, `ctrllimited`, `forcelimited` and `actlimited` from the presence of their ranges.",
    ),
    real("boundmass", 0.0, "Lower bound of the mass of every body, to repair models with massless bodies.", unit="kg"),
    real("boundinertia", 0.0, "Lower bound of the principal inertias of every body.", unit="kg m^2"),
    real(
        "settotalmass", -1.0,
        "Total mass: all masses and inertias are scaled to this total, after everything else. Negative: no scaling.",
        unit="kg",
    ),
    flag(
        "balanceinertia", False,
        "Replace principal inertias that violate A + B >= C by their mean, instead of reporting an error.",
    ),
    flag("strippath", False, "Remove folders from file names, to load models from another machine. URDF: true."),
    choice(
        "coordinate", {"local": 0, "global": 1}, "local",
        "Frame of positions and orientations. `global` was removed from the format and raises an error.",
    ),
    choice(
        "angle", {"radian": 0, "degree": 1}, "degree",
        "Unit of angles in this file. The compiled model uses radians. URDF files always use radians.", lands="degree",
    ),
    flag(
        "fitaabb", False,
        "Fit primitives to the bounding box of a mesh, instead of the box with the same inertia.",
    ),
    word(
        "eulerseq",
        "Axes of the three rotations of `euler`. Lower case: axes that rotate with the frame; upper case: fixed axes.",
        default="xyz",
    ),
    text("meshdir", "Folder of mesh and height field files, absolute or relative to the model file."),
    text("texturedir", "Folder of texture files, absolute or relative to the model file."),
    text("assetdir",
         "Folder of mesh, height field and texture files; `meshdir` and `texturedir` take precedence.", lands=""),
    flag(
        "discardvisual", False,
        "Remove elements that only affect rendering: materials, textures, geoms that cannot collide, unused meshes. "
        "URDF: true.",
    ),
    flag("usethread", True, "Compile with several threads."),
    flag(
        "fusestatic", False,
        "Merge bodies without joints into their parents, which makes steps faster. Referenced bodies stay. URDF: true.",
    ),
    tristate(
        "inertiafromgeom",
        "Infer masses and inertias from geoms: never, always, or (`auto`) for bodies without `inertial`.",
    ),
    integer("inertiagrouprange", (0, 5), "First and last group of the geoms from which masses are inferred.", 2),
    flag(
        "alignfree", False,
        "Rotate and move the frame of free bodies without children to their principal axes, which is faster and "
        "more stable.",
    ),
    flag("saveinertial", False, "Write an `inertial` element for every body when the model is saved."),
    choice(
        "conflict", "warning merge error", "warning",
        "Reaction if an attached model has other global settings: keep the parent's settings with or without a "
        "warning, or stop.",
    ),
    choice(
        "passthrough", "none textures", "none",
        "Assets that are not embedded: the compiled model contains the path of the file and no data.",
    ),
    LENGTH_RANGE,
    kind="compiler",
)  # fmt: skip


def _flags(bits: type[MjEnum], prefix: str, unread: frozenset[str]) -> dict[str, int]:
    """Return the bits of flags, by flag name in files."""
    names = {bit.name.removeprefix(prefix).lower(): int(bit) for bit in bits if bit.name.startswith(prefix)}
    return {name: bit for name, bit in names.items() if prefix + name.upper() not in unread}


ENABLE_FLAGS = _flags(mjtEnableBit, "mjENBL_", NOT_BUILT)
"""Features that are off by default, with their bits in `opt.enableflags`."""
DISABLE_FLAGS = _flags(mjtDisableBit, "mjDSBL_", frozenset({"mjDSBL_ISLAND", "mjDSBL_MULTICCD"}))
"""Features that are on by default, with their bits in `opt.disableflags`.

`island` and `multiccd` are missing, because they are off by default with the semantics of 3.3.5.
"""

ON_BY_DEFAULT_4 = {"island": int(mjtDisableBit.mjDSBL_ISLAND)}
"""Flags that are on by default with the semantics of MuJoCo 4.0, with their bits in `opt.disableflags`."""

FLAG_MEANINGS = {
    "constraint": "Constraint forces of every type; without them bodies pass through each other.",
    "equality": "Equality constraints: `connect`, `weld` and the others.",
    "frictionloss": "Dry friction of joints and tendons (`frictionloss`).",
    "limit": "Limits of joints and tendons.",
    "contact": "Collision detection and contact forces.",
    "passive": "Passive forces: springs, dampers, fluid forces, gravity compensation and `mjcb_passive`.",
    "gravity": "Gravity; if disabled, gravity is ignored, but the value of `gravity` does not change.",
    "clampctrl": "Clamping of controls to `ctrlrange`.",
    "warmstart": "Start of the solver from the last solution. Disable it if successive states are unrelated.",
    "filterparent": "Filter that ignores contacts between a body and its parent.",
    "actuation": "Actuator forces and activation dynamics.",
    "refsafe": "Lower bound of 2 timesteps for the time constant in `solref`, which keeps hard constraints stable.",
    "sensor": "Computation of sensors; if disabled, `sensordata` does not change.",
    "midphase": "Search in bounding volumes before pairs of geoms are tested. Disable it only to compare results.",
    "eulerdamp": "Implicit joint damping in the Euler integrator, which is stable for large damping.",
    "autoreset": "Reset of the state after invalid or huge numbers; each reset is reported as a warning.",
    "nativeccd": "Convex collision detection by GJK and EPA; if disabled, by the older method MPR.",
    "spring": "Springs of joints, tendons and flexes.",
    "damper": "Dampers of joints, tendons and flexes.",
    "override": "Contact parameters `o_margin`, `o_solref`, `o_solimp`, `o_friction` for all contacts.",
    "energy": "Potential and kinetic energy in `mjData.energy`. A drift shows how accurate a simulation is.",
    "fwdinv": "Comparison of forward with inverse dynamics in each step; `solver_fwdinv` contains the differences.",
    "invdiscrete": "Inverse dynamics that interprets `qacc` as the change in velocity over a timestep, not as a "
    "derivative.",
    "multiccd": "Up to four additional contacts where flat faces of convex geoms meet, so that stacked geoms wobble "
    "less.",
    "island": "Search for islands: groups of bodies that are not connected by constraints. Each island is solved "
    "separately.",
    "sleep": "Sleep of trees that are at rest. Steps skip them until something wakes them up.",
    "diagexact": "Constraint impedance from the exact diagonal of J M^-1 J^T instead of its usual approximation.",
}
"""Descriptions of flags, by flag name in files."""

_BOOLEANS = ("orthographic", "ellipsoidinertia", "bvactive")
"""Settings that are integers in a model, and true or false in a file."""


def _settings(prefix: str, names: str = "") -> tuple[Attribute, ...]:
    """Declare attributes for the fields of a model whose names start with `prefix`: all fields, or only `names`."""
    fields = (row for row in (*OPTION_FIELDS, *STATISTIC_FIELDS, *VISUAL_FIELDS) if row.name.startswith(prefix))
    rows = {row.name.removeprefix(prefix): row for row in fields}
    return tuple(_setting(name, rows[name]) for name in names.split() or rows)


def _setting(name: str, row: Field) -> Attribute:
    """Declare the attribute for a field of a model."""
    meaning = f"{row.meaning[0].upper()}{row.meaning[1:]}."
    count = COMPONENTS[row.kind] * (int(row.shape[0]) if row.shape else 1)
    if row.kind == "int" and name in _BOOLEANS:
        return flag(name, bool(row.default), meaning)
    if row.kind == "int":
        return integer(name, row.default, meaning, unit=row.unit)
    default: Any = row.default
    if count > 1 and not isinstance(default, tuple):
        default = (default,) * count
    return real(name, tuple(map(float, default)) if count > 1 else float(default), meaning, count, unit=row.unit)


_OVERRIDE = "of all contacts if the flag `override` is enabled"
OPTION = element(
    "option",
    "Options of the simulation, `opt` of a compiled model. They choose timestep, integrator, solver and medium, and "
    "programs may change them between steps. Begin with `timestep` and `integrator`, which determine speed and "
    "stability.",
    _settings("opt.", "timestep apirate impratio gravity wind magnetic density viscosity o_margin"),
    upto("o_solref", SOLREF, f"Time constant (s) and damping ratio {_OVERRIDE}; see `solref` of `geom`."),
    upto("o_solimp", SOLIMP, f"Impedance {_OVERRIDE}; see `solimp` of `geom`."),
    upto(
        "o_friction", (1.0, 1.0, 0.005, 0.0001, 0.0001),
        f"Two sliding, one torsional and two rolling friction coefficients {_OVERRIDE}.",
    ),
    choice(
        "integrator", "Euler RK4 implicit implicitfast", "Euler",
        "Numerical integrator: semi-implicit `Euler`; `RK4` for smooth motion with little energy drift; `implicit` "
        "in all velocities; `implicitfast` without Coriolis terms, for stiff servos and fluids.",
    ),
    choice(
        "cone", "pyramidal elliptic", "pyramidal",
        "Friction cone: an exact `elliptic` cone, or a `pyramidal` approximation that is faster to solve.",
    ),
    choice(
        "jacobian", "dense sparse auto", "auto",
        "Storage of constraint Jacobians; `auto` is dense for up to 60 degrees of freedom. The results are the same.",
    ),
    choice(
        "solver", "PGS CG Newton complementarity diagonal", "Newton",
        "Constraint solver: `Newton` for most models, `CG` for very large models, `PGS` for a few fast sweeps. "
        "`complementarity` makes contacts hard; `diagonal` solves each row separately. MuJoCo does not have the "
        "last two.",
    ),
    _settings("opt.", "iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance"),
    _settings("opt.", "ccd_iterations ccd_tolerance sleep_tolerance sdf_iterations sdf_initpoints"),
    integer(
        "actuatorgroupdisable", (), "Groups of actuators, 0 to 30, that exert no force and whose activations do not "
                                    "change.",
        None, most=31, lands="",
    ),
    element(
        "flag",
        "Switches that turn parts of a step on or off. Use them to find the cause of an effect (without contacts? "
        "without gravity?), to save time, or to enable optional features such as `energy` and `sleep`. They become the "
        "bits of `opt.disableflags` and `opt.enableflags`.",
        tuple(
            choice(name, "disable enable", None, FLAG_MEANINGS[name], implied=on, lands="")
            for on, names in ((1, DISABLE_FLAGS), (0, ENABLE_FLAGS)) for name in names
        ),
        once=True,
    ),
    kind="option",
)  # fmt: skip

SIZE = element(
    "size",
    "Sizes that the elements of a model do not determine: memory for contacts, user data, space for keyframes. Most "
    "models need none of them, because memory grows as a simulation needs it.",
    word(
        "memory", "Memory for contacts, constraints and temporaries, in bytes or with a letter K M G T P E. "
                  "Negative: automatic. In Conjoint it is an initial value, because memory grows.",
                  default="-1", lands="",
    ),
    integer(
        "njmax", -1,
        "Number of constraint rows to reserve memory for, in files for versions before 2.3. Negative: automatic.",
    ),
    integer(
        "nconmax", -1,
        "Maximum number of contacts, in files for versions before 2.3; more are discarded. Negative: no limit.",
    ),
    integer("nstack", -1, "Number of reals on the stack, in files for versions before 2.3. Negative: automatic."),
    integer("nuserdata", 0, "Length of `mjData.userdata`, an array for programs."),
    integer("nkey", 0, "Minimum number of keyframes, so that there is space for snapshots of programs and viewers."),
    tuple(
        integer(
            row.name, -1,
            f"Length of `user` of every {row.meaning.rpartition(' ')[2]}. Negative: the length of the longest list.",
        )
        for row in SIZE_FIELDS if row.name.startswith("nuser_")
    ),
    kind="size",
)  # fmt: skip

STATISTIC = element(
    "statistic",
    "Statistics of the model, `stat` of a compiled model, which replace those that the compiler computes. They "
    "determine the size of decoration in viewers and the initial view of the free camera, so setting two numbers "
    "here often frames a model better than twenty visual settings.",
    tuple(
        replace(row, default=None, meaning=f"{row.meaning} If absent, the compiler computes it.")
        for row in _settings("stat.")
    ),
    kind="statistic",
)  # fmt: skip

VISUAL = element(
    "visual",
    "Settings of rendering and viewers for the whole model, `vis` of a compiled model. They never change the physics. "
    "A file of these settings makes a theme that several models `include`.",
    element(
        "global",
        "Settings of the free camera and of images: the initial view of a viewer, and the size of the offscreen image.",
        _settings("vis.global.", "cameraid orthographic fovy ipd azimuth elevation linewidth glow"),
        _settings("vis.global.", "offwidth offheight realtime ellipsoidinertia bvactive"),
        kind="global", once=True,
    ),
    element(
        "quality",
        "Rendering quality: resolution of shadows, smooth edges, and the number of faces of round shapes. Lower "
        "these numbers if drawing is slow. Collisions use the exact shapes.",
        _settings("vis.quality."), kind="quality", once=True,
    ),
    element(
        "headlight",
        "Light that moves with the camera and shines where it looks, without shadows. It lights a model that has no "
        "lights; make it darker where lights of the model should set the mood.",
        _settings("vis.headlight."), kind="headlight", once=True,
    ),
    element(
        "map",
        "Scale factors from quantities of the model to lengths and forces in a viewer: the strength of the mouse, "
        "the length of force arrows, fog, clipping planes, shadows.",
        _settings("vis.map."), kind="map", once=True,
    ),
    element(
        "scale",
        "Sizes of decoration such as arrows, axes and contact points, relative to `meansize` of `statistic`. Change "
        "one of them if a single kind of decoration is too large or too small.",
        _settings("vis.scale."), kind="scale", once=True,
    ),
    element(
        "rgba",
        "Colors of decoration, fog and haze as red, green, blue and opacity, each 0 to 1. An opacity of 0 hides the "
        "decoration.",
        _settings("vis.rgba."), kind="rgba", once=True,
    ),
)  # fmt: skip
