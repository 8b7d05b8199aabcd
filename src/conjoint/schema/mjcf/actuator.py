"""actuator: the general one and its shortcuts."""

from dataclasses import replace

from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain
from conjoint.schema.mjcf.asset import CONFIG
from conjoint.schema.mjcf.shared import CLASS, GROUP, HISTORY, NAME, USER
from conjoint.schema.mjcf.table import Attribute, choice, element, flag, integer, real, tristate, upto, word

DYNTYPES = {word: int(mjtDyn["mjDYN_" + word.upper()]) for word in (
    "none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor", "pid",
)}  # fmt: skip
GAINTYPES = {word: int(mjtGain["mjGAIN_" + word.upper()]) for word in (
    "fixed", "affine", "muscle", "user", "dcmotor", "pid", "so3",
)}  # fmt: skip
BIASTYPES = {word: int(mjtBias["mjBIAS_" + word.upper()]) for word in (
    "none", "affine", "muscle", "user", "dcmotor", "so3",
)}  # fmt: skip

_NAMES = (NAME, CLASS, GROUP, USER, *HISTORY)
_CTRLRANGE = real("ctrlrange", (0.0, 0.0), "Range of the control.", 2)
_FORCE = (
    tristate("forcelimited", "Force is clamped."),
    real("forcerange", (0.0, 0.0), "Range of the force.", 2, unit="N or N m"),
)
_GEAR = upto("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), "Scale of length, moment and force.")
_MOTOR = (
    upto(
        "damping",
        (0.0, 0.0, 0.0),
        "Damping of the target: of first, second and third order in its velocity, times gear^2.",
        unit="N s/m or N m s/rad",
    ),
    real("armature", 0.0, "Inertia that the target gets, times gear^2.", unit="kg or kg m^2"),
)
_JOINTS = (
    *_MOTOR,
    real("lengthrange", (0.0, 0.0), "Range of the length.", 2, unit="m or rad"),
    word("joint", "Joint it acts on.", lands=""),
    word("jointinparent", "Joint, with torque in the parent frame.", lands=""),
    word("tendon", "Tendon it acts on.", lands=""),
    word("slidersite", "Slider-crank: site of the slider."),
    word("cranksite", "Slider-crank: site of the crank.", lands=""),
    real("cranklength", 0.0, "Slider-crank: length of the rod.", unit="m"),
)
_SITES = (word("site", "Site it acts on.", lands=""), word("refsite", "Site whose frame the force is in."))
_CTRLLIMITED = tristate("ctrllimited", "Control is clamped.")
_COMMON = (*_NAMES, _CTRLLIMITED, _CTRLRANGE, *_FORCE, _GEAR, *_JOINTS, *_SITES)


def _own(name: str, default, meaning: str, count: int = 1, **more) -> Attribute:
    """Declare a number of a shortcut, which the reader turns into gain, bias and dynamics."""
    return real(name, default, meaning, count, lands="", **more)


def _upto(name: str, count: int, meaning: str, **more) -> Attribute:
    """Declare up to `count` numbers of a shortcut; omitted ones are zero."""
    return upto(name, (0.0,) * count, meaning, lands="", **more)


_KP = _own("kp", None, "Position gain.", implied=1.0)
_KV = _own("kv", None, "Velocity gain.", implied=0.0)
_DAMPRATIO = _own("dampratio", None, "Damping ratio, instead of kv.", implied=0.0)
_INHERITRANGE = real("inheritrange", 0.0, "Take ctrlrange or actrange from the target, times this.")
_TIMECONST = _own("timeconst", None, "Time constant of activation.", unit="s", implied=1.0)
_ACTIVATION = (
    tristate("actlimited", "Activation is clamped."),
    real("actrange", (0.0, 0.0), "Range of the activation.", 2),
    integer("actdim", -1, "Number of activations; -1: by dynamics."),
    choice("dyntype", DYNTYPES, "none", "Activation dynamics."),
    upto("dynprm", (1.0,) + (0.0,) * 9, "Parameters of the dynamics."),
    flag("actearly", False, "Use the next activation for the force."),
)

_WORDS = ("pos", "vel", "ff", "voltage")
SIGNATURES = {
    " ".join(word for i, word in enumerate(_WORDS) if bits >> i & 1): bits for bits in range(1, 1 << len(_WORDS))
} | {"none": 1 << len(_WORDS), "pressure": 2 << len(_WORDS), "expmap": 1, "quat": 2, "": 0}
"""Controls of an actuator (mjtCtrlInput): some of the words, in this order; or a representation of orientations."""
_INPUT = replace(
    choice("input", SIGNATURES, None, "Controls: some of pos, vel, ff and voltage, in this order; or none.",
           lands="ctrlspec"),
    default=0,
)  # fmt: skip
CHARTS = {"expmap": 1, "quat": 2, "": 0}
"""Representations of an orientation (mjtCtrlChart)."""
_VELRANGE = real("velrange", (0.0, 0.0), "Range of the velocity that is asked for.", 2)
_FFRANGE = real("ffrange", (0.0, 0.0), "Range of the force that is added.", 2)

GENERAL = element(
    "general", "General actuator.", *_COMMON,
    _INPUT, _VELRANGE, _FFRANGE, _INHERITRANGE,
    word("body", "Body, for adhesion.", lands=""),
    *_ACTIVATION,
    choice("gaintype", GAINTYPES, "fixed", "Gain."),
    choice("biastype", BIASTYPES, "none", "Bias."),
    upto("gainprm", (1.0,) + (0.0,) * 9, "Parameters of the gain."),
    upto("biasprm", (0.0,) * 10, "Parameters of the bias."),
    kind="actuator",
)  # fmt: skip

ACTUATOR = element(
    "actuator", "Actuators.", GENERAL,
    element("motor", "Force.", *_COMMON, kind="actuator"),
    element(
        "position", "Position servo.", *_COMMON, _INHERITRANGE, _KP, _KV, _DAMPRATIO,
        replace(_TIMECONST, implied=0.0),
        kind="actuator",
    ),
    element("velocity", "Velocity servo.", *_COMMON, replace(_KV, implied=1.0), kind="actuator"),
    element(
        "intvelocity", "Position servo whose control is the velocity of its set point.", *_COMMON,
        tristate("actlimited", "Activation is clamped."),
        real("actrange", (0.0, 0.0), "Range of the activation.", 2),
        _INHERITRANGE, _KP, _KV, _DAMPRATIO, kind="actuator",
    ),
    element("damper", "Active damping.", *(row for row in _COMMON if row is not _CTRLLIMITED), _KV, kind="actuator"),
    element(
        "cylinder", "Pneumatic or hydraulic cylinder.", *_COMMON, _TIMECONST,
        _own("area", None, "Area of the piston.", unit="m^2", implied=1.0),
        _own("diameter", None, "Diameter, instead of area.", unit="m"),
        _own("bias", None, "Bias parameters; the first is used.", 3, implied=(0.0, 0.0, 0.0)),
        kind="actuator",
    ),
    element(
        "muscle", "Muscle.", *_NAMES, _CTRLLIMITED, _CTRLRANGE, *_FORCE, _GEAR, *_JOINTS,
        _own("timeconst", None, "Activation and deactivation time constants.", 2, unit="s", implied=(0.01, 0.04)),
        _own("tausmooth", None, "Width of the smooth transition between them.", implied=0.0),
        _own("range", None, "Operating range of length, in lengths at peak force.", 2, implied=(0.75, 1.05)),
        _own("force", None, "Peak force; negative: from scale.", unit="N", implied=-1.0),
        _own("scale", None, "Peak force is scale / acc0.", implied=200.0),
        _own("lmin", None, "Lower end of the force-length curve.", implied=0.5),
        _own("lmax", None, "Upper end of the force-length curve.", implied=1.6),
        _own("vmax", None, "Shortening velocity at zero force.", implied=1.5),
        _own("fpmax", None, "Passive force at lmax.", implied=1.3),
        _own("fvmax", None, "Force at the greatest lengthening velocity.", implied=1.2),
        kind="actuator",
    ),
    element(
        "pid", "Controller of position, velocity and the integral of the position.", *_COMMON, _INHERITRANGE, _KP, _KV,
        _DAMPRATIO,
        _own("ki", None, "Gain of the integral; 0: none.", implied=0.0),
        _own("imax", None, "Largest integral; 0: any.", implied=0.0),
        _own("slewmax", None, "Greatest rate at which the position that is asked for changes; 0: any.", implied=0.0),
        _INPUT,
        real("posrange", (0.0, 0.0), "Range of the position that is asked for; the same as ctrlrange.", 2,
             lands="ctrlrange"),
        _VELRANGE, _FFRANGE,
        kind="actuator",
    ),
    element(
        "orientation", "Servo of the orientation of a ball joint, or of a site in the frame of another.", *_NAMES,
        _CTRLRANGE, *_FORCE,
        word("joint", "Ball joint.", lands=""),
        *_SITES, _KP, _KV, _DAMPRATIO,
        replace(
            choice("input", CHARTS, None, "How the orientation is given: a rotation vector or a quaternion.",
                   lands="ctrlspec"),
            default=0,
        ),
        kind="actuator",
    ),
    element(
        "dcmotor", "Motor of direct current.",
        *(row for row in _COMMON if row.name not in ("forcelimited", "forcerange")),
        _own("resistance", None, "Resistance.", unit="Ohm", implied=0.0),
        _upto("motorconst", 2, "Torque by current, and voltage by velocity.", unit="N m/A"),
        _upto("nominal", 3, "Voltage, torque when it is held, velocity without load.", unit="V, N m, rad/s"),
        _upto("inductance", 2, "Inductance, or the time constant of the current.", unit="H, s"),
        _upto("thermal", 6, "Resistance, capacitance and time constant of heat; rise of the resistance by the "
              "temperature, where it is as given; that of the surroundings.", unit="K/W, J/K, s, 1/K, C, C"),
        _upto("saturation", 3, "Greatest torque, greatest current, greatest rate of the current.", unit="N m, A, A/s"),
        _upto("cogging", 3, "Amplitude, number of poles and phase of the torque of cogging.", unit="N m, 1, rad"),
        _upto("lugre", 5, "Friction (LuGre): stiffness and damping of bristles, Coulomb and static friction, Stribeck "
              "velocity.", unit="N m/rad, N m s/rad, N m, N m, rad/s"),
        _INPUT,
        _upto("controller", 6, "Gains kp, ki, kd of the controller, greatest rate of what it is asked for, largest "
              "integral, greatest voltage."),
        kind="actuator",
    ),
    element(
        "adhesion", "Contact adhesion.", *_NAMES, _CTRLRANGE, *_FORCE,
        word("body", "Body.", lands="", required=True),
        _own("gain", None, "Gain.", implied=1.0),
        kind="actuator",
    ),
    element(
        "plugin", "Actuator of a plugin.",
        *(row for row in _COMMON if row.name != "refsite"),
        *_ACTIVATION,
        word("plugin", "Name of the plugin.", lands=""),
        word("instance", "Name of the instance.", lands=""),
        CONFIG, kind="actuator",
    ),
)  # fmt: skip
