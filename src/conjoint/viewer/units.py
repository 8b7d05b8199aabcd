"""Units of joints and of controls, as sliders and plots name them."""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain, mjtJoint, mjtTrn

LENGTHS = {mjtJoint.mjJNT_HINGE: "rad", mjtJoint.mjJNT_SLIDE: "m"}
"""Units of the positions of joints with one degree of freedom."""

FORCES = {"rad": "N m", "m": "N"}
"""Units of forces, by those of the lengths along which they act."""


def joint_unit(m: MjModel, j: int) -> str:
    """Return the unit of the position of a joint, "" if it has several degrees of freedom."""
    return LENGTHS.get(mjtJoint(int(m.jnt_type[j])), "")


def length_unit(m: MjModel, u: int) -> str:
    """Return the unit of the length of an actuator: rad, m, or "" where that depends on its gear."""
    kind = int(m.actuator_trntype[u])
    if kind in (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT):
        return joint_unit(m, int(m.actuator_trnid[u, 0]))
    return "m" if kind in (mjtTrn.mjTRN_TENDON, mjtTrn.mjTRN_SLIDERCRANK) else ""


def control_unit(m: MjModel, u: int) -> str:
    """Return the unit of the controls of an actuator, "" for a number without one.

    A servo is told a position or a velocity, a motor a force; a gear ratio or a gain other than 1 makes it a number.
    """
    unit, gear = length_unit(m, u), float(m.actuator_gear[u, 0])
    fixed = m.actuator_gaintype[u] == mjtGain.mjGAIN_FIXED
    integrated = m.actuator_dyntype[u] in (mjtDyn.mjDYN_INTEGRATOR, mjtDyn.mjDYN_MUSCLE, mjtDyn.mjDYN_USER)
    if not unit or not fixed or integrated or abs(gear) != 1:
        return ""
    gain, bias = float(m.actuator_gainprm[u, 0]), m.actuator_biasprm[u]
    if m.actuator_biastype[u] == mjtBias.mjBIAS_AFFINE and gain != 0:
        if np.isclose(bias[1], -gain):
            return unit
        if bias[1] == 0 and np.isclose(bias[2], -gain):
            return f"{unit}/s"
    return FORCES[unit] if m.actuator_biastype[u] == mjtBias.mjBIAS_NONE and gain == 1 else ""


def force_of_control(m: MjModel, u: int) -> str:
    """Return what a control of 1 means for a motor with a gear ratio or a gain, such as "1 is 40 N m"; else ""."""
    unit, plain = length_unit(m, u), m.actuator_gaintype[u] == mjtGain.mjGAIN_FIXED
    filtered = m.actuator_dyntype[u] in (mjtDyn.mjDYN_NONE, mjtDyn.mjDYN_FILTER, mjtDyn.mjDYN_FILTEREXACT)
    if not unit or not plain or not filtered or m.actuator_biastype[u] != mjtBias.mjBIAS_NONE or control_unit(m, u):
        return ""
    return f"1 is {float(m.actuator_gear[u, 0]) * float(m.actuator_gainprm[u, 0]):.4g} {FORCES[unit]}"


def span(low: float, high: float) -> str:
    """Return a range as text, such as "±0.4" or "0 to 1"."""
    return f"±{high:.3g}" if np.isclose(low, -high) else f"{low:.3g} to {high:.3g}"
