"""Numbers of controls, activations and outputs of an actuator."""

from __future__ import annotations

from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain
from conjoint.schema.enums_newer import mjtCtrlChart, mjtCtrlInput
from conjoint.spec.kinds import Actuator

INPUTS = {
    "pos": int(mjtCtrlInput.mjINPUT_POS), "vel": int(mjtCtrlInput.mjINPUT_VEL), "ff": int(mjtCtrlInput.mjINPUT_FF),
    "voltage": int(mjtCtrlInput.mjINPUT_VOLTAGE),
}  # fmt: skip
"""Bit of each type of control, by keyword, in the order of an actuator's controls."""

OF_GAIN = {
    int(mjtGain.mjGAIN_PID): INPUTS["pos"] | INPUTS["vel"], int(mjtGain.mjGAIN_DCMOTOR): INPUTS["voltage"],
    int(mjtGain.mjGAIN_SO3): int(mjtCtrlChart.mjCHART_EXPMAP),
}  # fmt: skip
"""Default controls (`ctrlspec`) for the gain types that may have several controls."""


def inputs(actuator: Actuator) -> int:
    """Return an actuator's controls as bits of mjtCtrlInput, or 0 for one control of unspecified meaning."""
    return int(actuator.ctrlspec) or OF_GAIN.get(int(actuator.gaintype), 0) or _servo_input(actuator)


def declared(actuator: Actuator) -> int:
    """Return the `ctrlspec` that must be written to a file, or 0 if the other attributes determine the controls."""
    implied = _servo_input(actuator) if int(actuator.gaintype) not in OF_GAIN else 0
    return int(actuator.ctrlspec) if actuator.ctrlspec != implied else 0


def _servo_input(actuator: Actuator) -> int:
    """Return the control of a servo or cylinder, as a bit of mjtCtrlInput, or 0 for all other actuators."""
    kp, (_, position, velocity) = actuator.gainprm[0], actuator.biasprm[:3]
    if actuator.gaintype != mjtGain.mjGAIN_FIXED or actuator.biastype != mjtBias.mjBIAS_AFFINE:
        return 0
    if actuator.dyntype == mjtDyn.mjDYN_FILTER:
        return int(mjtCtrlInput.mjINPUT_PRESSURE)
    if kp > 0 and position == -kp and actuator.dyntype != mjtDyn.mjDYN_INTEGRATOR:
        return INPUTS["pos"]
    return INPUTS["vel"] if kp > 0 and -kp in (position, velocity) else 0


def controls(actuator: Actuator) -> int:
    """Return the number of controls of an actuator."""
    if actuator.gaintype == mjtGain.mjGAIN_SO3:
        return 4 if inputs(actuator) == mjtCtrlChart.mjCHART_QUAT else 3
    if int(actuator.gaintype) not in OF_GAIN:
        return 1
    return sum(bool(inputs(actuator) & bit) for bit in INPUTS.values())


def activations(actuator: Actuator) -> int:
    """Return the number of activation variables of an actuator."""
    if actuator.actdim >= 0:
        return int(actuator.actdim)
    kind, gain, dynamics = int(actuator.dyntype), actuator.gainprm, actuator.dynprm
    if kind == mjtDyn.mjDYN_PID:
        return (dynamics[1] > 0) + (gain[0] != 0)
    if kind == mjtDyn.mjDYN_DCMOTOR:
        # activations of the controller, the winding, the friction and the current
        return (dynamics[7] > 0) + (gain[5] != 0) + (dynamics[2] > 0) + (dynamics[5] > 0) + (dynamics[0] > 0)
    if actuator.gaintype == mjtGain.mjGAIN_SO3:
        return outputs(actuator) * int(kind != mjtDyn.mjDYN_NONE)
    return int(kind != mjtDyn.mjDYN_NONE)


def outputs(actuator: Actuator) -> int:
    """Return the number of outputs of an actuator, each with a length and a force."""
    return 3 if actuator.gaintype == mjtGain.mjGAIN_SO3 else 1
