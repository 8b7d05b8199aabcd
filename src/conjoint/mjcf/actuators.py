"""Conversion of actuator shortcuts (motor, position, ...) to the general actuator (XML Reference, actuator)."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain, mjtTrn
from conjoint.schema.enums_newer import mjtCtrlInput

NPRM = 10
"""Number of parameters of a gain, bias or dynamics."""

CONTROLLED = int(mjtCtrlInput.mjINPUT_POS | mjtCtrlInput.mjINPUT_VEL | mjtCtrlInput.mjINPUT_FF)
"""Inputs that the controller of a DC motor can follow."""

LENGTHS = {
    "motorconst": 2, "nominal": 3, "inductance": 2, "thermal": 6, "saturation": 3, "cogging": 3, "lugre": 5,
    "controller": 6,
}  # fmt: skip
"""Attributes with several numbers, each with its number of values. Missing values at the end are zero."""


def dcmotor_values(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the general actuator that represents a DC motor.

    `gainprm` contains electrical constants, and the controller's gains and maximum voltage. `dynprm` contains time
    constants, thermal constants, bristle parameters and controller limits. `biasprm` contains cogging and friction.

    Args:
        values: attributes as written.
        base: values of the defaults class.

    Raises:
        ValueError: numbers are missing, negative or contradict each other.
    """
    given = {name: (*values.get(name, ()), *(0.0,) * count)[:count] for name, count in LENGTHS.items()}
    gain, dynamics, bias = _known(base)
    signature = values.get("ctrlspec", base["ctrlspec"])
    electric = signature != mjtCtrlInput.mjINPUT_NONE
    if {"resistance", "motorconst", "nominal"} & values.keys() or base["gaintype"] != mjtGain.mjGAIN_DCMOTOR:
        gain[:2] = _constants(values.get("resistance", 0.0), given["motorconst"], given["nominal"])
    _check_positive(gain, electric)
    if "inductance" in values:
        inductance, timeconst = given["inductance"]
        if min(inductance, timeconst) < 0:
            raise ValueError("inductance cannot be negative")
        dynamics[0] = inductance / gain[0] if inductance > 0 else timeconst
    if "thermal" in values:
        *heat, gain[2], gain[3], dynamics[4] = given["thermal"]
        dynamics[2:4] = _heat(*heat)
    if "cogging" in values:
        bias[:3] = given["cogging"]
    if "lugre" in values:
        dynamics[5], dynamics[6], *bias[3:6] = given["lugre"]
    if "controller" in values:
        gain[4], gain[5], gain[6], dynamics[7], dynamics[8], gain[7] = given["controller"]
    if (any(gain[4:7]) or dynamics[7]) and not (signature & CONTROLLED and gain[1] > 0):
        raise ValueError("a controller needs one of the inputs pos, vel and ff, and a positive motorconst")
    result = {
        "gainprm": tuple(gain), "dynprm": tuple(dynamics), "biasprm": tuple(bias),
        "gaintype": mjtGain.mjGAIN_DCMOTOR, "dyntype": mjtDyn.mjDYN_DCMOTOR, "biastype": mjtBias.mjBIAS_DCMOTOR,
        "actearly": 1,
    }  # fmt: skip
    if "saturation" in values:
        torque, current, dynamics[1] = given["saturation"]
        torque = torque or gain[1] * current
        result.update(dynprm=tuple(dynamics), forcerange=(-torque, torque), forcelimited=int(torque > 0))
    return result


def _known(base: dict[str, Any]) -> tuple[list[float], list[float], list[float]]:
    """Return the defaults class's parameters of gain, bias and dynamics, or zeros if the class is not for DC motors."""
    if base["gaintype"] == mjtGain.mjGAIN_DCMOTOR:
        return list(base["gainprm"]), list(base["dynprm"]), list(base["biasprm"])
    return [0.0] * NPRM, [0.0] * NPRM, [0.0] * NPRM


def _constants(resistance: float, constants: Sequence[float], nominal: Sequence[float]) -> tuple[float, float]:
    """Return resistance and motor constant, as given or computed from voltage, stall torque and no-load speed.

    Raises:
        ValueError: a number is negative.
    """
    if resistance < 0 or min(*constants, *nominal) < 0:
        raise ValueError("resistance, motorconst and nominal cannot be negative")
    torque, voltage = constants
    constant = math.sqrt(torque * voltage) if min(torque, voltage) > 0 else max(torque, voltage)
    volts, stall, free = nominal
    if not constant and free:
        constant = volts / free
    if not resistance and stall:
        resistance = constant * volts / stall
    return resistance, constant


def _check_positive(gain: Sequence[float], electric: bool) -> None:
    """Raise ValueError if the resistance or, for a motor with electric input, the motor constant is not positive."""
    if electric and gain[1] <= 0:
        raise ValueError("the motor constant must be positive: give motorconst, or nominal")
    if gain[0] <= 0:
        raise ValueError("the resistance must be positive: give resistance, or nominal")


def _heat(resistance: float, capacitance: float, timeconst: float) -> tuple[float, float]:
    """Return thermal resistance and capacitance.

    The time constant may replace one of them. Both are 0 if nothing is given.

    Raises:
        ValueError: only one of the three numbers is given.
    """
    given = any((resistance, capacitance, timeconst))
    if timeconst > 0 and resistance > 0:
        capacitance = timeconst / resistance
    elif timeconst > 0 and capacitance > 0:
        resistance = timeconst / capacitance
    if given and min(resistance, capacitance) <= 0:
        raise ValueError(
            "thermal: resistance, capacitance and time constant of heat must be positive, two of them given"
        )
    return resistance, capacitance


TRANSMISSIONS = {
    "joint": mjtTrn.mjTRN_JOINT, "jointinparent": mjtTrn.mjTRN_JOINTINPARENT, "tendon": mjtTrn.mjTRN_TENDON,
    "cranksite": mjtTrn.mjTRN_SLIDERCRANK, "site": mjtTrn.mjTRN_SITE, "body": mjtTrn.mjTRN_BODY,
}  # fmt: skip
"""Transmission types, by the attribute that names the target of an actuator."""

SEVERAL_CONTROLS = {"pid": mjtGain.mjGAIN_PID, "orientation": mjtGain.mjGAIN_SO3, "dcmotor": mjtGain.mjGAIN_DCMOTOR}
"""Shortcuts for actuators with selectable controls, and their gain types."""


def actuator_values(tag: str, values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the general actuator that is equivalent to the actuator element `tag`.

    Args:
        tag: tag of the element, such as general, motor or position.
        values: attributes as written.
        base: values of the defaults class.

    Raises:
        ValueError: attributes contradict each other.
    """
    result = {name: value for name, value in values.items() if name in base or name in ("name", "lengthrange")}
    targets = [name for name in TRANSMISSIONS if name in values]
    if len(targets) > 1:
        raise ValueError(f"it has several targets, keep one: {', '.join(targets)}")
    for name in ("cranklength", "slidersite"):
        if targets and name in values and "cranksite" not in values:
            raise ValueError(f"{name} needs cranksite")
    if targets and "refsite" in values and "site" not in values:
        raise ValueError("refsite needs site")
    for name in targets:
        result["trntype"], result["target"] = TRANSMISSIONS[name], values[name]
    shortcut = _SHORTCUTS.get(tag)
    if shortcut is not None:
        result.update(shortcut(values, base))
    return result


def inherited_input(tag: str, values: dict[str, Any], base: dict[str, Any]) -> int:
    """Return the bit mask of controls (`ctrlspec`) that an actuator inherits from its defaults class.

    It is 0 if the class is for actuators of another type.
    """
    gains: dict[str, Any] = {"general": values.get("gaintype", base["gaintype"]), "plugin": base["gaintype"]}
    gain = (SEVERAL_CONTROLS | gains).get(tag)
    return int(base["ctrlspec"]) if gain == base["gaintype"] else 0


def _prm(*leading: float) -> tuple[float, ...]:
    """Return `NPRM` parameters: the numbers `leading`, followed by zeros."""
    return leading + (0.0,) * (NPRM - len(leading))


def _motor(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a motor: force = control."""
    return {
        "gainprm": (1.0, *base["gainprm"][1:]),
        "dyntype": mjtDyn.mjDYN_NONE, "gaintype": mjtGain.mjGAIN_FIXED, "biastype": mjtBias.mjBIAS_NONE,
    }  # fmt: skip


def _servo(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a servo: force = kp (control - length) - kv velocity.

    A positive biasprm[2] is a damping ratio, which the compiler replaces.
    """
    kp = values.get("kp", base["gainprm"][0])
    kv, ratio = values.get("kv"), values.get("dampratio")
    if kv is not None and ratio is not None:
        raise ValueError("kv and dampratio cannot both be given: remove one of them")
    for name in ("kv", "dampratio"):
        if values.get(name) is not None and values[name] < 0:
            raise ValueError(f"{name} cannot be negative")
    bias = list(base["biasprm"])
    bias[1] = -kp
    if kv is not None:
        bias[2] = -kv
    if ratio is not None:
        bias[2] = ratio
    return {
        "gainprm": (kp, *base["gainprm"][1:]),
        "biasprm": tuple(bias),
        "gaintype": mjtGain.mjGAIN_FIXED, "biastype": mjtBias.mjBIAS_AFFINE,
    }  # fmt: skip


def _position(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a position servo, whose control is optionally filtered."""
    result = _servo(values, base)
    timeconst = values.get("timeconst")
    if timeconst is not None:
        if timeconst < 0:
            raise ValueError("timeconst cannot be negative")
        result["dynprm"] = (timeconst, *base["dynprm"][1:])
        result["dyntype"] = mjtDyn.mjDYN_FILTEREXACT if timeconst else mjtDyn.mjDYN_NONE
    if any(values.get("ctrlrange", base["ctrlrange"])) and values.get("inheritrange", base["inheritrange"]) > 0:
        raise ValueError("ctrlrange and inheritrange cannot both be given: remove one of them")
    return result


def _intvelocity(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a position servo whose set point is the integral of the control."""
    result = _servo(values, base)
    result.update(dyntype=mjtDyn.mjDYN_INTEGRATOR, actlimited=values.get("actlimited", 1))
    if any(values.get("actrange", base["actrange"])) and values.get("inheritrange", base["inheritrange"]) > 0:
        raise ValueError("actrange and inheritrange cannot both be given: remove one of them")
    return result


def _velocity(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a velocity servo: force = kv (control - velocity)."""
    kv = values.get("kv", base["gainprm"][0])
    return {
        "gainprm": (kv, *base["gainprm"][1:]),
        "biasprm": _prm(0.0, 0.0, -kv),
        "dyntype": mjtDyn.mjDYN_NONE, "gaintype": mjtGain.mjGAIN_FIXED, "biastype": mjtBias.mjBIAS_AFFINE,
    }  # fmt: skip


def _damper(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a damper: force = -kv velocity control, for controls of at least 0."""
    kv = values.get("kv", 0.0)
    if kv < 0:
        raise ValueError("kv cannot be negative")
    if min(values.get("ctrlrange", base["ctrlrange"])) < 0:
        raise ValueError("ctrlrange cannot be negative")
    return {
        "gainprm": _prm(0.0, 0.0, -kv), "ctrllimited": 1,
        "dyntype": mjtDyn.mjDYN_NONE, "gaintype": mjtGain.mjGAIN_AFFINE, "biastype": mjtBias.mjBIAS_NONE,
    }  # fmt: skip


def _cylinder(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a cylinder: force = area pressure + bias, where the pressure follows the control.

    Of the written bias, only the first number is used.
    """
    area = values.get("area", base["gainprm"][0])
    if values.get("diameter", -1.0) >= 0:
        area = math.pi / 4 * values["diameter"] * values["diameter"]
    return {
        "gainprm": (area, *base["gainprm"][1:]),
        "biasprm": (values.get("bias", base["biasprm"])[0], *base["biasprm"][1:]),
        "dynprm": (values.get("timeconst", base["dynprm"][0]), *base["dynprm"][1:]),
        "dyntype": mjtDyn.mjDYN_FILTER, "gaintype": mjtGain.mjGAIN_FIXED, "biastype": mjtBias.mjBIAS_AFFINE,
    }  # fmt: skip


def _muscle(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a muscle (Computation chapter, Muscles), whose gain and bias have the same parameters.

    Missing values come from the defaults class. If the class has the default of a general actuator, the muscle's
    default is used instead. A negative number means "not written".
    """
    if values.get("tausmooth", 0.0) < 0:
        raise ValueError("tausmooth cannot be negative")
    tau = values.get("timeconst", (-1.0, -1.0))
    dynamics = _own_or(base["dynprm"], _GENERAL_DYNAMICS, MUSCLE_DYNAMICS, tau)
    if "tausmooth" in values:
        dynamics = (*dynamics[:2], values["tausmooth"], *dynamics[3:])
    names = ("force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")
    written = (*values.get("range", (-1.0, -1.0)), *(values.get(name, -1.0) for name in names))
    gain = _own_or(base["gainprm"], _GENERAL_GAIN, MUSCLE_GAIN, written)
    return {
        "dynprm": dynamics,
        "gainprm": gain,
        "biasprm": (*gain[: len(MUSCLE_GAIN)], *base["biasprm"][len(MUSCLE_GAIN) :]),
        "dyntype": mjtDyn.mjDYN_MUSCLE, "gaintype": mjtGain.mjGAIN_MUSCLE, "biastype": mjtBias.mjBIAS_MUSCLE,
    }  # fmt: skip


MUSCLE_DYNAMICS = (0.01, 0.04)
"""Time constants of activation and deactivation, in s."""
MUSCLE_GAIN = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2)
"""Defaults of range (2 numbers), force, scale, lmin, lmax, vmax, fpmax and fvmax."""
_GENERAL_DYNAMICS = _GENERAL_GAIN = _prm(1.0)
"""Default parameters of a general actuator."""


def _own_or(base: tuple, general: tuple, muscle: tuple, written: tuple) -> tuple[float, ...]:
    """Return `base`, with the general actuator's defaults replaced by the muscle's, and then with written values."""
    result = list(base)
    for i, default in enumerate(muscle):
        if result[i] == general[i]:
            result[i] = default
        if written[i] >= 0:
            result[i] = written[i]
    return tuple(result)


def _adhesion(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an adhesion actuator: force = gain control, on the contacts of a body."""
    gain = values.get("gain", base["gainprm"][0])
    if gain < 0:
        raise ValueError("the gain cannot be negative")
    if min(values.get("ctrlrange", base["ctrlrange"])) < 0:
        raise ValueError("ctrlrange cannot be negative")
    return {
        "gainprm": (gain, *base["gainprm"][1:]),
        "ctrllimited": 1, "gaintype": mjtGain.mjGAIN_FIXED, "biastype": mjtBias.mjBIAS_NONE,
    }  # fmt: skip


def _pid(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a PID controller: force = kp (pos - length) + kv (vel - velocity) + ki act.

    A positive biasprm[2] is a damping ratio, which the compiler replaces. Activations are the set point, if its rate is
    limited, and the integral, if its gain is nonzero.
    """
    same = base["gaintype"] == mjtGain.mjGAIN_PID
    result = _servo(
        {"kp": -base["biasprm"][1] if same else 1.0, **values}, base if same else {**base, "biasprm": _prm()}
    )
    known = {"ki": base["gainprm"][0], "imax": base["dynprm"][0], "slewmax": base["dynprm"][1]} if same else {}
    ki, imax, slewmax = (values.get(name, known.get(name, 0.0)) for name in ("ki", "imax", "slewmax"))
    for name, value in (("ki", ki), ("imax", imax), ("slewmax", slewmax)):
        if value < 0:
            raise ValueError(f"{name} cannot be negative")
    stateful = ki > 0 or slewmax > 0
    if any(values.get("ctrlrange", base["ctrlrange"])) and values.get("inheritrange", base["inheritrange"]) > 0:
        raise ValueError("posrange and inheritrange cannot both be given: remove one of them")
    return {
        **result, "gainprm": _prm(ki), "dynprm": _prm(imax, slewmax) if stateful else _prm(),
        "gaintype": mjtGain.mjGAIN_PID, "dyntype": mjtDyn.mjDYN_PID if stateful else mjtDyn.mjDYN_NONE,
    }  # fmt: skip


def _orientation(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an orientation servo: torque = kp (rotation vector to the set point) - kv velocity."""
    same = base["gaintype"] == mjtGain.mjGAIN_SO3
    known = {"kp": base["gainprm"][0]} if same else {"kp": 1.0}
    result = _servo({**known, **values}, base if same else {**base, "biasprm": _prm(), "gainprm": _prm()})
    return {
        **result, "gaintype": mjtGain.mjGAIN_SO3, "biastype": mjtBias.mjBIAS_SO3, "dyntype": mjtDyn.mjDYN_NONE,
        "gear": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    }  # fmt: skip


_SHORTCUTS: dict[str, Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]] = {
    "motor": _motor, "position": _position, "intvelocity": _intvelocity, "velocity": _velocity, "damper": _damper,
    "cylinder": _cylinder, "muscle": _muscle, "adhesion": _adhesion, "pid": _pid, "dcmotor": dcmotor_values,
    "orientation": _orientation,
}  # fmt: skip
