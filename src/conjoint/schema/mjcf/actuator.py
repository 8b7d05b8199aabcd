"""Grammar of actuator: the general actuator and its shortcuts."""

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
_AUTO = "`auto` does so if a range is specified and `compiler/autolimits` is true."
_CTRLRANGE = real(
    "ctrlrange",
    (0.0, 0.0),
    "Lower and upper limits of the control. Programs and viewers also use them as the range of sliders.",
    2,
)
_FORCE = (
    tristate("forcelimited", f"Clamp the force to `forcerange`; {_AUTO}"),
    real("forcerange", (0.0, 0.0), "Lower and upper limits of the force, before `gear` scales it.", 2, unit="N or N m"),
)
_GEAR = upto(
    "gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "Gear ratio, which scales length, velocity and force. For ball joints, it is an axis (3 numbers). For free joints "
    "and sites, it contains the axes of force and torque (3 + 3).",
)  # fmt: skip
_MOTOR = (
    upto(
        "damping", (0.0, 0.0, 0.0),
        "Damping coefficients a, b, c of the motor's rotor. The force a v + b v|v| + c v^3, multiplied by `gear` "
        "squared, opposes the velocity v of the target.",
        unit="N s/m or N m s/rad",
    ),
    real(
        "armature", 0.0,
        "Rotor inertia. It is multiplied by `gear` squared and added to the inertia of the target.",
        unit="kg or kg m^2",
    ),
)  # fmt: skip
_JOINTS = (
    *_MOTOR,
    real(
        "lengthrange", (0.0, 0.0),
        "Minimum and maximum length. If absent, the compiler computes both for muscles.", 2, unit="m or rad",
    ),
    word("joint", "Joint to act on. For ball and free joints, `gear` is an axis in the child frame.", lands=""),
    word("jointinparent",
         "Joint to act on. For ball and free joints, `gear` is an axis in the parent frame.", lands=""),
    word("tendon", "Tendon to act on.", lands=""),
    word("slidersite", "Slider-crank: site of the pin that joins the slider and the rod. The slider moves along the "
         "site's z axis."),
    word("cranksite", "Acts on a slider-crank: site of the pin that joins the crank and the rod.", lands=""),
    real("cranklength", 0.0, "Slider-crank: length of the rod, positive.", unit="m"),
)  # fmt: skip
_SITES = (
    word("site", "Site to act on; `gear` contains the axes of force and torque in its frame.", lands=""),
    word("refsite", "Reference frame of the pose of `site` and of `gear`."),
)  # fmt: skip
_CTRLLIMITED = tristate("ctrllimited", f"Clamp the control to `ctrlrange`; {_AUTO}")
_COMMON = (*_NAMES, _CTRLLIMITED, _CTRLRANGE, *_FORCE, _GEAR, *_JOINTS, *_SITES)


def _own(name: str, default, meaning: str, count: int = 1, **more) -> Attribute:
    """Declare a numeric attribute of a shortcut. The reader converts it to gain, bias and dynamics."""
    return real(name, default, meaning, count, lands="", **more)


def _upto(name: str, count: int, meaning: str, **more) -> Attribute:
    """Declare an attribute of a shortcut with up to `count` numbers. Omitted numbers are zero."""
    return upto(name, (0.0,) * count, meaning, lands="", **more)


_KP = _own("kp", None, "Position gain: force per position error.", implied=1.0, unit="N/m or N m/rad")
_KV = _own("kv", None, "Velocity gain: force per velocity error.", implied=0.0, unit="N s/m or N m s/rad")
_DAMPRATIO = _own(
    "dampratio", None, "Damping ratio, instead of `kv`: 1 is critical damping for the inertia that the actuator "
                       "moves at `qpos0`.",
    implied=0.0,
)  # fmt: skip
_INHERITRANGE = real(
    "inheritrange", 0.0,
    "If positive, set `ctrlrange` (for integrators, `actrange`) to the range of the target, scaled by this factor "
    "about its midpoint.",
)  # fmt: skip
_TIMECONST = _own(
    "timeconst",
    None,
    "Time constant of the filter from control to activation; 0: no filter.",
    unit="s",
    implied=1.0,
)
_ACTLIMITED = tristate("actlimited", f"Clamp the activation to `actrange`; {_AUTO}")
_ACTRANGE = real("actrange", (0.0, 0.0), "Lower and upper limits of the activation.", 2)
_ACTIVATION = (
    _ACTLIMITED, _ACTRANGE,
    integer("actdim", -1,
            "Number of activations; -1: `dyntype` determines it. More than one activation requires the type `user`."),
    choice(
        "dyntype", DYNTYPES, "none",
        "Dynamics of the activation: none, an integrator, low-pass filters (`filterexact` at any timestep), a muscle, "
        "or `mjcb_act_dyn`.",
    ),
    upto("dynprm", (1.0,) + (0.0,) * 9, "Parameters of the dynamics; the first one is the time constant of filters."),
    flag("actearly", False, "Use the activation of the next step for the force, which removes one step of delay."),
)  # fmt: skip

_WORDS = ("pos", "vel", "ff", "voltage")
SIGNATURES = {
    " ".join(word for i, word in enumerate(_WORDS) if bits >> i & 1): bits for bits in range(1, 1 << len(_WORDS))
} | {"none": 1 << len(_WORDS), "pressure": 2 << len(_WORDS), "expmap": 1, "quat": 2, "": 0}
"""Value of mjtCtrlInput for each combination of control keywords, or for one representation of orientations."""
_INPUT = replace(
    choice(
        "input", SIGNATURES, None,
        "Types of the controls, in this order: position, velocity, added force, voltage. Each is an element of "
        "`ctrl`. If absent, there is one control: the position of `pid`, the voltage of `dcmotor`.",
        lands="ctrlspec",
    ),
    default=0,
)  # fmt: skip
CHARTS = {"expmap": 1, "quat": 2, "": 0}
"""Representations of an orientation (mjtCtrlChart)."""
_VELRANGE = real("velrange", (0.0, 0.0), "Lower and upper limits of the velocity control (`vel` in `input`).", 2)
_FFRANGE = real("ffrange", (0.0, 0.0), "Lower and upper limits of the control of the added force (`ff` in `input`).", 2)

GENERAL = element(
    "general",
    "Actuator with any transmission, gain, bias and dynamics: force = gain times control (or activation) + bias. "
    "The other elements are shortcuts for it; use `general` where none of them suffices.",
    *_COMMON,
    _INPUT, _VELRANGE, _FFRANGE, _INHERITRANGE,
    word("body", "Body to act on, for adhesion: the force acts in its contacts.", lands=""),
    *_ACTIVATION,
    choice(
        "gaintype", GAINTYPES, "fixed",
        "Type of gain: `fixed` is gainprm[0]; `affine` adds gainprm[1] times length and gainprm[2] times velocity; "
        "`user` calls `mjcb_act_gain`.",
    ),
    choice(
        "biastype", BIASTYPES, "none",
        "Type of bias: `none`, or `affine`: biasprm[0] + biasprm[1] times length + biasprm[2] times velocity; "
        "`user` calls `mjcb_act_bias`.",
    ),
    upto("gainprm", (1.0,) + (0.0,) * 9, "Parameters of the gain."),
    upto("biasprm", (0.0,) * 10, "Parameters of the bias."),
    kind="actuator",
)  # fmt: skip

_IMPLICIT = "Use the integrator `implicitfast` for large gains."
ACTUATOR = element(
    "actuator",
    "Actuators: they convert controls (`mjData.ctrl`) to forces at joints, tendons, sites or bodies. Actuators, "
    "and their controls in `ctrl`, appear in the order in which the file lists them.",
    GENERAL,
    element(
        "motor", "Direct drive: the control is the force, or torque. Use it for torque control and learned policies.",
        *_COMMON, kind="actuator",
    ),
    element(
        "position",
        "Position servo: the control is the target length, or angle, held by a spring `kp` and a damper. It suits "
        f'robots with position control; `dampratio="1"` chooses the damping. {_IMPLICIT}',
        *_COMMON, _INHERITRANGE, _KP, _KV, _DAMPRATIO,
        replace(_TIMECONST, implied=0.0),
        kind="actuator",
    ),
    element(
        "velocity",
        "Velocity servo: the control is the target velocity; the force is `kv` times the velocity error. Use it "
        f"for wheels and conveyors. {_IMPLICIT}",
        *_COMMON, replace(_KV, implied=1.0), kind="actuator",
    ),
    element(
        "intvelocity",
        "Position servo whose control is the rate of change of its set point. The set point is stored as an activation "
        "and limited to `actrange`. Unlike `velocity`, this servo holds its position under load.",
        *_COMMON, _ACTLIMITED, _ACTRANGE, _INHERITRANGE, _KP, _KV, _DAMPRATIO, kind="actuator",
    ),
    element(
        "damper",
        "Damper with variable damping: force = -kv times velocity times control. `ctrlrange` is required and cannot "
        "be negative. Use it for brakes and variable dampers.",
        *(row for row in _COMMON if row is not _CTRLLIMITED),
        _own(
            "kv", None, "Damping at a control of 1: force per unit of velocity; cannot be negative.", implied=0.0,
            unit="N s/m or N m s/rad",
        ),
        kind="actuator",
    ),
    element(
        "cylinder",
        "Pneumatic or hydraulic cylinder: the control drives the pressure, an activation with a time constant; the "
        "force is pressure times area.",
        *_COMMON, _TIMECONST,
        _own("area", None, "Area of the piston.", unit="m^2", implied=1.0),
        _own("diameter", None, "Diameter of the piston, instead of `area`.", unit="m"),
        _own(
            "bias", None,
            "Constant added force; the second and third numbers are ignored, as in MuJoCo.",
            3, implied=(0.0, 0.0, 0.0),
        ),
        kind="actuator",
    ),
    element(
        "muscle",
        "Muscle: the control is its excitation, 0 to 1; its force depends on activation, length and velocity. It "
        "usually acts on a spatial tendon. Lengths are scaled by L0, the length of greatest force.",
        *_NAMES, _CTRLLIMITED, _CTRLRANGE, *_FORCE, _GEAR, *_JOINTS,
        _own("timeconst", None, "Time constants of activation and of deactivation.", 2, unit="s", implied=(0.01, 0.04)),
        _own(
            "tausmooth", None,
            "Width, in units of the control, of a smooth transition between the two time constants; 0: no smoothing.",
            implied=0.0,
        ),
        _own(
            "range", None, "Lengths of the muscle, in units of L0, at both ends of `lengthrange`.",
                           2, implied=(0.75, 1.05),
        ),
        _own("force", None, "Peak force; if negative, it is computed from `scale`.", unit="N", implied=-1.0),
        _own(
            "scale", None,
            "Used if `force` is negative: the peak force is then `scale` / `actuator_acc0`, so muscles that move "
            "heavier loads are stronger.", implied=200.0,
        ),
        _own("lmin", None, "Shortest length at which the muscle exerts force, in units of L0.", implied=0.5),
        _own("lmax", None, "Longest length at which the active force is not zero, in units of L0.", implied=1.6),
        _own("vmax", None, "Shortening velocity at which the force is zero, in L0/s.", implied=1.5),
        _own("fpmax", None, "Passive force at the length `lmax`, relative to the peak force.", implied=1.3),
        _own("fvmax", None, "Active force during fast lengthening, relative to the peak force.", implied=1.2),
        kind="actuator",
    ),
    element(
        "pid",
        "Controller with position, velocity and integral gains, and up to three controls (`input`): target "
        "position, target velocity, added force. Use it where a servo must hold a load without steady-state error, or "
        "follow a trajectory.",
        *_COMMON, _INHERITRANGE, _KP, _KV,
        _DAMPRATIO,
        _own(
            "ki", None,
            "Integral gain: force per time integral of the position error. 0: no integral, and no activation for it.",
            implied=0.0,
        ),
        _own("imax", None, "Maximum magnitude of the error integral; 0: no limit.", implied=0.0, unit="m s or rad s"),
        _own(
            "slewmax", None,
            "Maximum rate at which the set point follows the control; 0: no limit.", implied=0.0, unit="m/s or rad/s",
        ),
        _INPUT,
        real(
            "posrange", (0.0, 0.0),
            "Lower and upper limits of the position control; another name for `ctrlrange`.", 2, lands="ctrlrange",
        ),
        _VELRANGE, _FFRANGE,
        kind="actuator",
    ),
    element(
        "orientation",
        "Servo for an orientation in space: the orientation of a ball joint, or of a site in the frame of another. "
        "Its controls are a rotation vector or a quaternion. Unlike three separate position servos, it also works at "
        "large angles.",
        *_NAMES,
        _CTRLRANGE, *_FORCE,
        word("joint", "Ball joint to act on.", lands=""),
        *_SITES, _KP, _KV, _DAMPRATIO,
        replace(
            choice(
                "input", CHARTS, None,
                "Type of control: a rotation vector (`expmap`, three numbers, radians; the default) or a quaternion "
                "(`quat`).",
                lands="ctrlspec",
            ),
            default=0,
        ),
        kind="actuator",
    ),
    element(
        "dcmotor",
        "Electric motor with windings: the control is the voltage, or the inputs of its controller (`input`). Enter "
        "the data sheet values in `nominal`, then model current dynamics, heating, cogging and friction if they "
        "matter.",
        *(row for row in _COMMON if row.name not in ("forcelimited", "forcerange")),
        _own("resistance", None, "Resistance of the winding; 0: computed from `nominal`.", unit="Ohm", implied=0.0),
        _upto(
            "motorconst", 2, "Torque per unit of current, and voltage per unit of velocity; one of them suffices.",
            unit="N m/A, V s/rad",
        ),
        _upto(
            "nominal", 3, "Voltage, stall torque and no-load velocity, from which the resistance and the motor "
                          "constant are computed.",
            unit="V, N m, rad/s",
        ),
        _upto(
            "inductance", 2,
            "Inductance, or the time constant of the current. If given, the current is an activation.", unit="H, s",
        ),
        _upto(
            "thermal", 6,
            "Thermal parameters: thermal resistance, capacitance and time constant (two suffice), relative change "
            "in resistance per degree, its reference temperature, ambient temperature.",
            unit="K/W, J/K, s, 1/K, C, C",
        ),
        _upto("saturation", 3,
              "Maximum torque, current and rate of change of the current; 0: no limit.", unit="N m, A, A/s"),
        _upto("cogging", 3, "Cogging torque: amplitude, number of poles, phase.", unit="N m, 1, rad"),
        _upto(
            "lugre", 5,
            "LuGre friction: stiffness and damping of bristles, Coulomb friction, static friction, Stribeck velocity.",
            unit="N m/rad, N m s/rad, N m, N m, rad/s",
        ),
        _INPUT,
        _upto(
            "controller", 6,
            "Parameters of the controller: gains kp, ki, kd, maximum rate of its set point, maximum of its "
            "integral, maximum voltage.",
        ),
        kind="actuator",
    ),
    element(
        "adhesion",
        "Adhesive force in the contacts of a body: the control times `gain`, shared by all contacts. Use it for "
        "suction cups, magnets and sticky feet. With `margin` and `gap` of the geoms it also acts at a distance.",
        *_NAMES, _CTRLRANGE, *_FORCE,
        word("body", "Body to act on: the force acts in its contacts.", lands="", required=True),
        _own("gain", None, "Force at a control of 1; cannot be negative.", implied=1.0, unit="N"),
        kind="actuator",
    ),
    element(
        "plugin",
        "Actuator whose force a plugin computes. Use it for controllers and motors that no built-in element can "
        "model.",
        *(row for row in _COMMON if row.name != "refsite"),
        *_ACTIVATION,
        word("plugin", "Name of the plugin, to create an instance for this actuator alone.", lands=""),
        word("instance", "Name of an instance in `extension`.", lands=""),
        CONFIG, kind="actuator",
    ),
)  # fmt: skip
