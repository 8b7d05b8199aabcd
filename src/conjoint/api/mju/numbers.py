"""Functions for numbers, muscles, friction pyramids and strings (API reference, Utility functions)."""

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from conjoint.api.argument_kinds import INT32
from conjoint.api.arguments import OutVector, Size, Vector, checked, require
from conjoint.api.mju.table import Row, define
from conjoint.lang.errors import ArgumentError
from conjoint.lang.language.name import Name
from conjoint.once import made_once
from conjoint.runtime.entry import entry
from conjoint.schema.constants import mjMAXVAL, mjMINVAL
from conjoint.schema.enums import mjtObj, mjtWarning

OBJECT_NAMES = {
    int(kind): kind.name.removeprefix("mjOBJ_").lower()
    for kind in mjtObj
    if kind.name not in ("mjOBJ_UNKNOWN", "mjOBJ_MODEL", "mjOBJ_DEFAULT", "mjNOBJECT")
}
"""Name of each element type, by its number."""

OBJECT_TYPES = {name: kind for kind, name in OBJECT_NAMES.items() if kind < mjtObj.mjNOBJECT}
"""Element types by name. As in MuJoCo, frames and other types that compiled models do not contain are excluded."""

WARNING_TEXTS = {
    mjtWarning.mjWARN_INERTIA: "Inertia matrix is too close to singular at DOF {}. Check model.",
    mjtWarning.mjWARN_CONTACTFULL: "Too many contacts. Either the arena memory is full, or nconmax is specified and is "
    "exceeded. Increase arena memory allocation, or increase/remove nconmax. (ncon = {})",
    mjtWarning.mjWARN_CNSTRFULL: "Insufficient arena memory for the number of constraints generated. Increase arena "
    "memory allocation above {} bytes.",
    mjtWarning.mjWARN_VGEOMFULL: "Pre-allocated visual geom buffer is full. Increase maxgeom above {}.",
    mjtWarning.mjWARN_BADQPOS: "Nan, Inf or huge value in QPOS at DOF {}. The simulation is unstable.",
    mjtWarning.mjWARN_BADQVEL: "Nan, Inf or huge value in QVEL at DOF {}. The simulation is unstable.",
    mjtWarning.mjWARN_BADQACC: "Nan, Inf or huge value in QACC at DOF {}. The simulation is unstable.",
    mjtWarning.mjWARN_BADCTRL: "Nan, Inf or huge value in CTRL at ACTUATOR {}. The simulation is unstable.",
}
"""Warning texts by type, as in MuJoCo, because programs parse them."""

muscle, support = Name("conjoint.physics").actuation.muscle, Name("conjoint.physics").motion.support
muscle_gain = entry(muscle.active_force, "real", "real", "real[2]", "int", "real", "real[9]", "int")
muscle_bias = entry(muscle.passive_force, "real", "real[2]", "int", "real", "real[9]", "int")
sigmoid = entry(muscle.sigmoid, "real")
muscle_dynamics = entry(muscle.muscle_dynamics, "real", "real", "real[3]", "int")
encode_pyramid = entry(support.encode_pyramid, "out real[]", "real[]", "real[]", "int")
decode_pyramid = entry(support.decode_pyramid, "out real[]", "real[]", "int", "real[]", "int")


LEAST, MOST = INT32.span


TABLE: dict[str, Row] = {
    "mju_min": ("real, real -> real", lambda a, b: a if a <= b else b, "Return the smaller of two numbers."),
    "mju_max": ("real, real -> real", lambda a, b: a if a >= b else b, "Return the larger of two numbers."),
    "mju_clip": (
        "real, real, real -> real",
        lambda x, min, max: min if x < min else max if x > max else x,
        "Return x, or the nearer bound if x is outside the bounds.",
    ),
    "mju_sign": ("real -> real", lambda x: float(x > 0.0) - float(x < 0.0), "Return the sign of x: 1, 0 or -1."),
    "mju_isBad": (
        "real -> int",
        lambda x: int(not -mjMAXVAL <= x <= mjMAXVAL),
        "Return 1 if x is NaN or exceeds mjMAXVAL in magnitude, else 0.",
    ),
    "mju_sigmoid": (
        "real -> real",
        lambda x: sigmoid(x),
        "Return a smooth step from 0 at x <= 0 to 1 at x >= 1: 6 x^5 - 15 x^4 + 10 x^3.",
    ),
    # muscles (Computation chapter, Muscle actuators)
    "mju_muscleGain": (
        "real, real, 2, real, 9 -> real",
        lambda len, vel, lengthrange, acc0, prm: muscle_gain(len, vel, lengthrange, 0, acc0, prm, 0),
        """Return the gain of a muscle: minus its peak force times the force-length and force-velocity curves.

        Args:
            len: length of the actuator.
            vel: velocity of the actuator.
            lengthrange: shortest and longest length of the actuator in the model.
            acc0: acceleration that a unit force causes in the reference configuration.
            prm: parameters: range (2), force, scale, lmin, lmax, vmax, fpmax, fvmax.
        """,
    ),
    "mju_muscleBias": (
        "real, 2, real, 9 -> real",
        lambda len, lengthrange, acc0, prm: muscle_bias(len, lengthrange, 0, acc0, prm, 0),
        """Return the passive force of a muscle that is stretched beyond its optimal length.

        Args:
            len, lengthrange, acc0, prm: see `mju_muscleGain`.

        Returns:
            The force, N; negative or zero, because it pulls.
        """,
    ),
    "mju_muscleDynamics": (
        "real, real, 3 -> real",
        lambda ctrl, act, prm: muscle_dynamics(ctrl, act, prm, 0),
        """Return the rate of change of a muscle's activation.

        Args:
            ctrl: control.
            act: activation.
            prm: time constants of activation and deactivation (s), width of the smooth transition between them.
        """,
    ),
    # element types
    "mju_type2Str": (
        "int -> text?",
        lambda type: OBJECT_NAMES.get(type),
        "Return the name of an element type (mjtObj), or None if there is no such type.",
    ),
    "mju_str2Type": (
        "text -> int",
        lambda str: OBJECT_TYPES.get(str, 0),
        "Return the element type (mjtObj) with this name; 0 (mjOBJ_UNKNOWN) if there is none.",
    ),
}

define(TABLE, globals())
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


@made_once
def _generator() -> "np.random.Generator":
    """Return the random generator, which is created on first use because NumPy imports `random` lazily."""
    return np.random.default_rng()


@checked
def mju_round(x: float) -> int:
    """Return the nearest integer, rounding halves up, or -2^31 for NaN and results that do not fit into 32 bits."""
    if not math.isfinite(x):
        return LEAST
    lower = math.floor(x)
    nearest = lower + (x - lower >= 0.5)
    return nearest if LEAST <= nearest <= MOST else LEAST


@checked
def mju_springDamper(pos0: float, vel0: float, Kp: float, Kv: float, dt: float) -> float:
    """Return the position of a unit mass on a spring and a damper after the time dt.

    Args:
        pos0: initial position, relative to the rest position of the spring.
        vel0: initial velocity.
        Kp: stiffness.
        Kv: damping.
        dt: duration (s).
    """
    discriminant = Kv * Kv - 4.0 * Kp
    if discriminant > mjMINVAL:
        # overdamped: two exponentials
        slow, fast = 0.5 * (-Kv + math.sqrt(discriminant)), 0.5 * (-Kv - math.sqrt(discriminant))
        first = (fast * pos0 - vel0) / (fast - slow)
        return first * _exp(slow * dt) + (pos0 - first) * _exp(fast * dt)
    if discriminant >= -mjMINVAL:
        # critically damped
        return (pos0 + (vel0 + 0.5 * Kv * pos0) * dt) * _exp(-0.5 * Kv * dt)
    # underdamped: a decaying oscillation; NaN if the discriminant is NaN
    rate = 0.5 * math.sqrt(-discriminant)
    sine = (vel0 + 0.5 * Kv * pos0) / rate
    angle = rate * dt if math.isfinite(rate * dt) else math.nan
    return _exp(-0.5 * Kv * dt) * (pos0 * math.cos(angle) + sine * math.sin(angle))


def _exp(x: float) -> float:
    """Return e^x, or infinity if the result overflows."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


@checked
def mju_Halton(index: int, base: int) -> float:
    """Return element `index` of the quasi-random Halton sequence with a prime base (Halton 1960).

    Raises:
        FatalError: `base` is 0 or 1, for which the sequence is not defined.
    """
    if base in (0, 1):
        raise ArgumentError(f"mju_Halton: base must be at least 2, not {base}")
    value, digit = 0.0, 1.0 / base
    while index > 0:
        value += digit * (index % base)
        index //= base
        digit /= base
    return value


def mju_standardNormal(num2: object = None) -> float:
    """Return a sample of the standard normal distribution. `num2`, MuJoCo's second sample, is ignored."""
    return _generator().standard_normal()


# pyramidal friction cones; as in MuJoCo's Python bindings, the last element of mu is ignored


@checked(mu="n", pyramid="2 * n", force="n + 1")
def mju_encodePyramid(pyramid: OutVector, force: Vector, mu: Vector) -> None:
    """Compute pyramid := forces along the edges of a friction pyramid that add up to a contact force.

    As in MuJoCo's Python bindings, each array has additional elements for one more direction, which are not used.

    Args:
        pyramid: receives two forces per tangential direction, or the normal force if there is no friction.
        force: normal force, then forces and torques in the tangential directions.
        mu: friction coefficients of the tangential directions.
    """
    require(len(mu) > 0, "mu should have an element for the direction that is left out")
    n = len(mu) - 1
    if n == 0:
        pyramid[0] = force[0]
        return
    encode_pyramid(pyramid, force, mu, n)


@checked(mu="n", pyramid="2 * n", force="n + 1")
def mju_decodePyramid(force: OutVector, pyramid: Vector, mu: Vector) -> None:
    """Compute force := the contact force from forces along the edges of a friction pyramid (see `mju_encodePyramid`).

    Args:
        force: receives the normal force, then forces and torques in the tangential directions.
        pyramid: two forces per tangential direction, or the normal force if there is no friction.
        mu: friction coefficients of the tangential directions.
    """
    require(len(mu) > 0, "mu should have an element for the direction that is left out")
    n = len(mu) - 1
    if n == 0:
        force[0] = pyramid[0]
        return
    decode_pyramid(force, pyramid, 0, mu, n)


@checked
def mju_warningText(warning: int, info: Size) -> str:
    """Return the text of a warning type (mjtWarning), with `info` inserted."""
    text = WARNING_TEXTS.get(warning)  # type: ignore[call-overload]
    return text.format(info) if text else f"Unknown warning type {warning}."


@checked
def mju_writeLog(type: str, msg: str) -> None:
    """Append the current time, a message type and a message to MUJOCO_LOG.TXT in the working directory."""
    with open("MUJOCO_LOG.TXT", "a", encoding="utf-8") as log:
        log.write(f"{time.ctime()}\n{type}: {msg}\n\n")


@checked
def mju_writeNumBytes(nbytes: Size) -> str:
    """Return a number of bytes as text, in the largest of the units K, M, G, T, P, E that gives a whole number."""
    power = 0
    while power < 6 and nbytes >= 1024 and nbytes % 1024 == 0:
        nbytes, power = nbytes // 1024, power + 1
    return f"{nbytes}{' KMGTPE'[power].strip()}"
