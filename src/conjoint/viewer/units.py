"""Units of joint positions and of controls, as shown by sliders and plots."""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain, mjtJoint, mjtTrn

LENGTHS = {mjtJoint.mjJNT_HINGE: "rad", mjtJoint.mjJNT_SLIDE: "m"}
"""Units of the positions of joints with one degree of freedom."""

DIRECT = (mjtDyn.mjDYN_NONE, mjtDyn.mjDYN_FILTER, mjtDyn.mjDYN_FILTEREXACT)
"""Types of actuator dynamics whose activation follows the control."""

FORCES = {"rad": "N m", "m": "N"}
"""Units of forces, by the units of the lengths along which they act."""


def joint_unit(m: MjModel, j: int) -> str:
    """Return the unit of a joint position; "" for joints with several degrees of freedom."""
    return LENGTHS.get(mjtJoint(int(m.jnt_type[j])), "")


def length_unit(m: MjModel, u: int) -> str:
    """Return the unit of an actuator's length: rad, m, or "" if it depends on the gear."""
    kind = int(m.actuator_trntype[u])
    if kind in (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT):
        return joint_unit(m, int(m.actuator_trnid[u, 0]))
    return "m" if kind in (mjtTrn.mjTRN_TENDON, mjtTrn.mjTRN_SLIDERCRANK) else ""


def control_unit(m: MjModel, u: int) -> tuple[float, str]:
    """Return the physical value of a control of 1, and its unit; the unit is "" if there is no such value.

    It is a position or a velocity for a servo, and a force for a motor. Gain and gear ratio are included.
    """
    unit, gear, gain = length_unit(m, u), float(m.actuator_gear[u, 0]), float(m.actuator_gainprm[u, 0])
    plain = m.actuator_gaintype[u] == mjtGain.mjGAIN_FIXED and m.actuator_dyntype[u] in DIRECT
    if not unit or not plain or gear == 0 or gain == 0:
        return 1.0, ""
    bias, kind = m.actuator_biasprm[u], m.actuator_biastype[u]
    if kind == mjtBias.mjBIAS_NONE:
        return gear * gain, FORCES[unit]
    if kind == mjtBias.mjBIAS_AFFINE and np.isclose(bias[1], -gain):
        return 1.0 / gear, unit
    if kind == mjtBias.mjBIAS_AFFINE and bias[1] == 0 and np.isclose(bias[2], -gain):
        return 1.0 / gear, f"{unit}/s"
    return 1.0, ""


def span(low: float, high: float) -> str:
    """Return a range as text, such as "±0.4" or "0 to 1"."""
    return f"±{high:.3g}" if np.isclose(low, -high) else f"{low:.3g} to {high:.3g}"


def with_unit(name: str, unit: str, scale: float = 1.0) -> str:
    """Return a name with its unit, if there is one, and the physical value of a number of 1."""
    if not unit:
        return name
    return f"{name} ({unit})" if scale == 1 else f"{name} (x {scale:.3g} {unit})"
