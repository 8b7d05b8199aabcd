"""Motors of direct current: what the numbers of a data sheet mean for the general actuator (XML Reference, dcmotor)."""

import math
from collections.abc import Sequence
from typing import Any

from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain
from conjoint.schema.enums_newer import mjtCtrlInput

NPRM = 10
"""Parameters of a gain, a bias or a dynamics."""

CONTROLLED = int(mjtCtrlInput.mjINPUT_POS | mjtCtrlInput.mjINPUT_VEL | mjtCtrlInput.mjINPUT_FF)
"""Controls that a controller follows."""

LENGTHS = {
    "motorconst": 2, "nominal": 3, "inductance": 2, "thermal": 6, "saturation": 3, "cogging": 3, "lugre": 5,
    "controller": 6,
}  # fmt: skip
"""Attributes that are several numbers; those that are left out at the end are zero."""


def dcmotor_values(values: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Values of the general actuator that stands for a motor of direct current.

    gainprm: resistance, motor constant, rise of the resistance by temperature, temperature of the resistance, gains kp,
    ki, kd, and greatest voltage of the controller. dynprm: time constant of the current, its greatest rate, resistance
    and capacitance of heat, temperature of the surroundings, stiffness and damping of bristles, greatest rate of what
    is asked for, largest integral. biasprm: amplitude, poles, phase of cogging, Coulomb friction, static friction,
    Stribeck velocity.

    Args:
        values: what was written.
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
    """Parameters of the class, if it has those of such a motor."""
    if base["gaintype"] == mjtGain.mjGAIN_DCMOTOR:
        return list(base["gainprm"]), list(base["dynprm"]), list(base["biasprm"])
    return [0.0] * NPRM, [0.0] * NPRM, [0.0] * NPRM


def _constants(resistance: float, constants: Sequence[float], nominal: Sequence[float]) -> tuple[float, float]:
    """Resistance and motor constant: as given, or from a voltage, the torque at rest and the velocity without load.

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
    """Raise ValueError if the resistance, or the constant of a motor with controls, is not positive."""
    if electric and gain[1] <= 0:
        raise ValueError("the motor constant must be positive: give motorconst, or nominal")
    if gain[0] <= 0:
        raise ValueError("the resistance must be positive: give resistance, or nominal")


def _heat(resistance: float, capacitance: float, timeconst: float) -> tuple[float, float]:
    """Resistance and capacitance of heat, of which two or a time constant are given; both 0: none.

    Raises:
        ValueError: one is given, and the other one is not known.
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
