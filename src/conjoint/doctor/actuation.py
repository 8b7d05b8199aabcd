"""Servos and motors that act on a single joint: their gains and their largest forces."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain, mjtJoint, mjtTrn


@dataclass(frozen=True)
class Servo:
    """An actuator on a hinge or slide joint.

    Attributes:
        actuator, joint, dof: ids of the actuator, its joint and the joint's dof.
        kp: position gain at the joint (N m/rad or N/m).
        kv: velocity gain at the joint (N m s/rad or N s/m).
        most: largest force at the joint (N m or N); infinite without a limit.
    """

    actuator: int
    joint: int
    dof: int
    kp: float
    kv: float
    most: float


def servos_of(model: MjModel) -> list[Servo]:
    """Return the actuators with a fixed gain that act on a hinge or slide joint; muscles have no fixed gain."""
    servos = []
    for u in range(model.nu):
        if model.actuator_trntype[u] not in (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT):
            continue
        joint = int(model.actuator_trnid[u, 0])
        if model.jnt_type[joint] not in (mjtJoint.mjJNT_HINGE, mjtJoint.mjJNT_SLIDE):
            continue
        if model.actuator_gaintype[u] != mjtGain.mjGAIN_FIXED:
            continue
        gear = float(model.actuator_gear[u, 0])
        affine = model.actuator_biastype[u] == mjtBias.mjBIAS_AFFINE
        kp, kv = (-float(model.actuator_biasprm[u, k]) * gear**2 if affine else 0.0 for k in (1, 2))
        servos.append(Servo(u, joint, int(model.jnt_dofadr[joint]), kp, kv, _most(model, u, joint) * abs(gear)))
    return servos


def _most(model: MjModel, actuator: int, joint: int) -> float:
    """Return the largest force of an actuator, before multiplication by its gear ratio."""
    limits = [math.inf]
    gear = abs(float(model.actuator_gear[actuator, 0]))
    if model.actuator_forcelimited[actuator]:
        limits.append(float(np.abs(model.actuator_forcerange[actuator]).max()))
    if model.jnt_actfrclimited[joint] and gear > 0:
        limits.append(float(np.abs(model.jnt_actfrcrange[joint]).max()) / gear)
    plain = (
        model.actuator_biastype[actuator] == mjtBias.mjBIAS_NONE
        and model.actuator_dyntype[actuator] == mjtDyn.mjDYN_NONE
    )
    if plain and model.actuator_ctrllimited[actuator]:
        gain = abs(float(model.actuator_gainprm[actuator, 0]))
        limits.append(gain * float(np.abs(model.actuator_ctrlrange[actuator]).max()))
    return min(limits)


def damping_of(model: MjModel, servo: Servo) -> float:
    """Return the damping ratio of a servo with its joint: 1 is critical damping, 0 oscillates forever.

    The ratio is infinite without a position gain or with dry friction.
    """
    if servo.kp <= 0:
        return math.inf
    # dry friction stops small oscillations
    if model.dof_frictionloss[servo.dof] > 0:
        return math.inf
    inertia = 1 / max(float(model.dof_invweight0[servo.dof]), 1e-12)
    return (servo.kv + float(model.dof_damping[servo.dof])) / (2 * math.sqrt(servo.kp * inertia))
