"""Derivatives of joint, tendon and actuator forces with respect to velocities (qDeriv)."""

from conjoint.lang import any, kernel, load, norm, vec3, where
from conjoint.physics.actuation.dcmotor import dcmotor_slope
from conjoint.physics.actuation.forces import (
    actuator_disabled,
    clamped_control,
    effective_activation,
    has_limited_force,
    has_own_limit,
)
from conjoint.physics.actuation.muscle import muscle_gain_slope
from conjoint.physics.motors import dof_slope, tendon_slope
from conjoint.physics.passive_flags import has_dampers
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtGain, mjtTrn

EPSILON = 1e-12
"""Relative tolerance for the norm of a torque at its limit: rounding may make the norm smaller than the limit."""


@kernel
def damper_derivative(m, d):
    """Initialize qDeriv with the derivatives of the damping forces of joints and tendons.

    The forces include the damping of actuators that drive the joints and tendons. All other elements are zero.
    """
    for a in range(m.nD):
        d.qDeriv[a] = 0.0
    if not has_dampers(m):
        return
    for i in range(m.nv):
        d.qDeriv[m.D_rowadr[i] + m.D_diag[i]] = -dof_slope(m, i, d.qvel[i])
    for t in range(m.ntendon):
        # MuJoCo 3.3.5 leaves out negative damping, which drives a tendon
        damping = where(m.tendon_damping[t] > 0.0, m.tendon_damping[t], 0.0)
        slope = tendon_slope(m, t, damping, d.ten_velocity[t])
        damped = slope != 0.0
        if any(damped):
            count = m.ten_J_rownnz[t]
            for k in range(count):
                d.moment_arms[k] = d.ten_J[t, m.ten_J_colind[t, k]]
            add_outer(m, d, damped, -slope, m.ten_J_colind, t * m.nv, count)


@kernel
def actuator_derivative(m, d):
    """Add the derivatives of actuator forces with respect to velocities; the derivative is zero at a force limit.

    MuJoCo has accounted for limits since version 4.0.0; version 3.3.5 differentiates the forces before their limits.
    """
    if m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        return
    for u in range(m.nactuator):
        depends = depends_on_velocity(m, u)
        if any(depends) and not actuator_disabled(m, u):
            # ^ True rather than `not`, which would use only the values of dual numbers, not their directions
            free = depends & (is_saturated(m, d, u) ^ True)
            slope = velocity_slope(m, d, u)
            for o in range(m.actuator_outadr[u], m.actuator_outadr[u] + m.actuator_outnum[u]):
                first = m.moment_rowadr[o]
                count = m.moment_rownnz[o]
                for k in range(count):
                    d.moment_arms[k] = d.actuator_moment[first + k]
                add_outer(m, d, free, slope, m.moment_colind, first, count)


@kernel
def depends_on_velocity(m, u):
    """Return True if the gain or bias of actuator u depends on velocity."""
    bias = (m.actuator_biastype[u] == mjtBias.mjBIAS_AFFINE) & (m.actuator_biasprm[u, 2] != 0.0)
    gain = (m.actuator_gaintype[u] == mjtGain.mjGAIN_AFFINE) & (m.actuator_gainprm[u, 2] != 0.0)
    motor = (m.actuator_biastype[u] == mjtBias.mjBIAS_DCMOTOR) | (m.actuator_biastype[u] == mjtBias.mjBIAS_SO3)
    return bias | gain | motor | (m.actuator_gaintype[u] == mjtGain.mjGAIN_MUSCLE)


@kernel
def is_saturated(m, d, u):
    """Return True if actuator u is at its force limit, or at the limit of the total force on its tendon or joint."""
    force = d.actuator_force[m.actuator_outadr[u]]
    # False, also in every direction of dual numbers
    saturated = force < force
    if m.actuator_forcelimited[u] and m.actuator_gaintype[u] == mjtGain.mjGAIN_SO3 and m.actuator_outnum[u] == 3:
        torque = norm(load(vec3, d.actuator_force, m.actuator_outadr[u]))
        saturated = torque >= m.actuator_forcerange[u, 1] * (1.0 - EPSILON)
    elif m.actuator_forcelimited[u] and not has_own_limit(m, u):
        saturated = is_outside(force, m.actuator_forcerange[u, 0], m.actuator_forcerange[u, 1])
    kind = m.actuator_trntype[u]
    target = m.actuator_trnid[u, 0]
    if kind == mjtTrn.mjTRN_TENDON:
        if m.tendon_actfrclimited[target]:
            low, high = m.tendon_actfrcrange[target, 0], m.tendon_actfrcrange[target, 1]
            saturated = saturated | is_outside(d.tendon_actfrc[target], low, high)
    elif (kind == mjtTrn.mjTRN_JOINT or kind == mjtTrn.mjTRN_JOINTINPARENT) and has_limited_force(m, target):
        low, high = m.jnt_actfrcrange[target, 0], m.jnt_actfrcrange[target, 1]
        saturated = saturated | is_outside(d.qfrc_actuator[m.jnt_dofadr[target]], low, high)
    return saturated


@kernel
def is_outside(x, low, high):
    """Return True if x is at an end of the range or outside."""
    return (x <= low) | (x >= high)


@kernel
def velocity_slope(m, d, u):
    """Return the derivative of the force of actuator u with respect to its velocity."""
    slope = 0.0
    if m.actuator_gaintype[u] == mjtGain.mjGAIN_AFFINE:
        slope = gained_input(m, d, u) * m.actuator_gainprm[u, 2]
    elif m.actuator_gaintype[u] == mjtGain.mjGAIN_MUSCLE:
        slope = gained_input(m, d, u) * muscle_gain_slope(m, d, u)
    elif m.actuator_gaintype[u] == mjtGain.mjGAIN_DCMOTOR:
        slope = dcmotor_slope(m, d, u)
    if m.actuator_biastype[u] == mjtBias.mjBIAS_AFFINE or m.actuator_biastype[u] == mjtBias.mjBIAS_SO3:
        slope = slope + m.actuator_biasprm[u, 2]
    return slope


@kernel
def gained_input(m, d, u):
    """Return the control or activation that the gain of actuator u multiplies.

    It is computed here, because inverse dynamics does not set ctrl_used.
    """
    if m.actuator_actadr[u] < 0:
        return clamped_control(m, d, m.actuator_ctrladr[u])
    return effective_activation(m, d, u)


@kernel
def add_outer(m, d, chosen, scale, columns, first, count):
    """Add `scale` times the outer product of `moment_arms` with itself to qDeriv, in the worlds where `chosen` is true.

    The dofs of the `count` arms, in ascending order, start at columns[first].
    """
    for k in range(count):
        i = columns[first + k]
        force = d.moment_arms[k] * scale
        a = m.D_rowadr[i]
        end = a + m.D_rownnz[i]
        for n in range(count):
            j = columns[first + n]
            while a < end and m.D_colind[a] < j:
                a += 1
            if a < end and m.D_colind[a] == j:
                d.qDeriv[a] = where(chosen, d.qDeriv[a] + force * d.moment_arms[n], d.qDeriv[a])
