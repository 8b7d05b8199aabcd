"""Integration in time: semi-implicit Euler with implicit joint damping, and Runge-Kutta of order 4 (stage 25)."""

from dataclasses import dataclass

from conjoint.lang import (
    Group,
    Kernel,
    conj_quat,
    integrate_quat,
    kernel,
    load,
    mul_quat,
    normalize_quat,
    put,
    quat,
    quat_to_velocity,
    shared,
    vec3,
)
from conjoint.physics.actuation.forces import actuator_disabled, next_activation
from conjoint.physics.inertia_matrix.factors import factor_share, solve_share, warn_of_shares
from conjoint.physics.motors import dof_slope
from conjoint.schema.enums import mjtDisableBit, mjtJoint


@kernel
def euler(m, d, dampers):
    """Advance one step with semi-implicit Euler, where damping acts at the end of the step (mj_Euler)."""
    advance_rest(m, d)
    euler_parts(m, d, dampers)


@kernel
def euler_parts(m, d, dampers):
    """Advance velocities and positions of all work shares of the world: the parallel part of `euler`."""
    if implicit_damping(m, d, dampers):
        shared(damp_share, m, d, m.nshare, dampers.slope)
        warn_of_shares(m, d)
    else:
        for i in range(m.share_dof[0], m.share_dof[m.nshare]):
            d.advance_acc[i] = d.qacc[i]
    shared(advance_share, m, d, m.nshare)


@kernel
def linear_slope(m, d, i):
    """Return the damping coefficient of dof i: its damper slope if all dampers are linear and no motor has a damper."""
    return m.dof_damping[i]


@kernel
def curved_slope(m, d, i):
    """Return the total slope of the dampers of dof i at its velocity."""
    return dof_slope(m, i, d.qvel[i])


@kernel
def is_positive(slope):
    """Return True if a linear damper with this slope makes Euler's method implicit."""
    return slope > 0.0


@kernel
def is_slope(slope):
    """Return True if dampers of any order with this total slope make Euler's method implicit."""
    return slope != 0.0


@dataclass(frozen=True)
class Dampers(Group):
    """Kernels for the dampers of a model, which are either all linear or of any order.

    Attributes:
        slope: kernel of (m, d, dof) that returns the derivative of a dof's damping force with respect to velocity.
        counts: kernel of a slope that returns True if the slope makes Euler's method implicit.
    """

    slope: Kernel
    counts: Kernel


LINEAR = Dampers(linear_slope, is_positive)
CURVED = Dampers(curved_slope, is_slope)
DAMPERS = LINEAR, CURVED


@kernel
def damps_implicitly(m):
    """Return True if Euler treats dampers implicitly."""
    return (m.opt.disableflags & (mjtDisableBit.mjDSBL_EULERDAMP | mjtDisableBit.mjDSBL_DAMPER)) == 0


@kernel
def advance_rest(m, d):
    """Advance activations and time by one timestep.

    This precedes the velocities, because some activations depend on the old velocities.
    """
    advance_activation(m, d, d.act_dot)
    d.time = d.time + m.opt.timestep


@kernel
def advance_state(m, d):
    """Advance the state by one timestep: velocities with advance_acc, then positions with the new velocities."""
    advance_rest(m, d)
    shared(advance_share, m, d, m.nshare)


@kernel
def advance_share(m, d, s):
    """Advance the velocities and positions of the joints in work share s of the world by one timestep."""
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        d.qvel[i] = d.qvel[i] + d.advance_acc[i] * m.opt.timestep
    for j in range(m.share_joint[s], m.share_joint[s + 1]):
        move_joint(m, d.qpos, 0, d.qvel, m.opt.timestep, j)


@kernel
def implicit_damping(m, d, dampers):
    """Return True if any dof is damped and Euler treats damping implicitly."""
    damped = m.nv < 0
    if damps_implicitly(m):
        for i in range(m.nv):
            damped = damped | dampers.counts(dampers.slope(m, d, i))
    return damped


@kernel
def sum_forces(m, d, first, end):
    """Set advance_acc to the forces on the dofs [first, end), as the right-hand side for the acceleration."""
    for i in range(first, end):
        d.advance_acc[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i]


@kernel
def damp_share(m, d, s, slope):
    """Solve (M + h diag(damper slopes)) advance_acc = qfrc_smooth + qfrc_constraint for the dofs of work share s."""
    sum_forces(m, d, m.share_dof[s], m.share_dof[s + 1])
    factor_share(m, d, s, d.M, m.opt.timestep, slope, d.qH, d.qHDiagInv)
    solve_share(m, d, s, d.qH, d.qHDiagInv, d.advance_acc)


@kernel
def advance_activation(m, d, rate):
    """Advance activations by one timestep at `rate`, or at rate zero for disabled actuators."""
    if m.na == 0 or m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        return
    for u in range(m.nactuator):
        first = m.actuator_actadr[u]
        if first >= 0:
            for a in range(first, first + m.actuator_actnum[u]):
                if actuator_disabled(m, u):
                    d.act[a] = next_activation(m, d, u, a, 0.0)
                else:
                    d.act[a] = next_activation(m, d, u, a, rate[a])


@kernel
def integrate_pos(m, qpos, qvel, duration):
    """Advance qpos with the velocity qvel for `duration` seconds (mj_integratePos)."""
    for j in range(m.njnt):
        move_joint(m, qpos, 0, qvel, duration, j)


@kernel
def move_joint(m, qpos, first, qvel, duration, j):
    """Advance joint j of the configuration that starts at qpos[first] with the velocity qvel."""
    q = first + m.jnt_qposadr[j]
    i = m.jnt_dofadr[j]
    kind = m.jnt_type[j]
    if kind == mjtJoint.mjJNT_SLIDE or kind == mjtJoint.mjJNT_HINGE:
        qpos[q] = qpos[q] + qvel[i] * duration
    else:
        if kind == mjtJoint.mjJNT_FREE:
            for k in range(3):
                qpos[q + k] = qpos[q + k] + qvel[i + k] * duration
            q += 3
            i += 3
        before = load(quat, qpos, q)
        after = integrate_quat(before, load(vec3, qvel, i), duration)
        put(qpos, q, after)


@kernel
def differentiate_pos(m, qvel, duration, qpos1, qpos2):
    """Set qvel to the velocity that moves qpos1 to qpos2 in `duration` seconds (mj_differentiatePos)."""
    motion_between(m, qvel, duration, qpos1, 0, qpos2, 0)


@kernel
def motion_between(m, qvel, duration, qpos1, first1, qpos2, first2):
    """Set qvel to the velocity that moves the configuration at qpos1[first1] to the one at qpos2[first2]."""
    for j in range(m.njnt):
        q = first1 + m.jnt_qposadr[j]
        p = first2 + m.jnt_qposadr[j]
        i = m.jnt_dofadr[j]
        kind = m.jnt_type[j]
        if kind == mjtJoint.mjJNT_SLIDE or kind == mjtJoint.mjJNT_HINGE:
            qvel[i] = (qpos2[p] - qpos1[q]) / duration
        else:
            if kind == mjtJoint.mjJNT_FREE:
                for k in range(3):
                    qvel[i + k] = (qpos2[p + k] - qpos1[q + k]) / duration
                q += 3
                p += 3
                i += 3
            before = load(quat, qpos1, q)
            after = load(quat, qpos2, p)
            turn = quat_to_velocity(mul_quat(conj_quat(before), after), duration)
            put(qvel, i, turn)


@kernel
def normalize_qpos(m, qpos):
    """Scale the quaternions in qpos to unit length (mj_normalizeQuat)."""
    for j in range(m.njnt):
        kind = m.jnt_type[j]
        if kind == mjtJoint.mjJNT_FREE or kind == mjtJoint.mjJNT_BALL:
            q = m.jnt_qposadr[j]
            if kind == mjtJoint.mjJNT_FREE:
                q += 3
            unit = normalize_quat(load(quat, qpos, q))
            put(qpos, q, unit)


# order of Runge-Kutta stages (mj_RungeKutta): begin, stage 1, forward, stage 2, forward, stage 3, forward, end


@kernel
def rk4_begin(m, d):
    """Save the state, and set the weighted sums of derivatives to zero."""
    d.rk4_time = d.time
    for q in range(m.nq):
        d.rk4_qpos[q] = d.qpos[q]
    for i in range(m.nv):
        d.rk4_qvel[i] = d.qvel[i]
        d.rk4_vel[i] = 0.0
        d.rk4_acc[i] = 0.0
    for a in range(m.na):
        d.rk4_act[a] = d.act[a]
        d.rk4_act_dot[a] = 0.0


@kernel
def rk4_stage1(m, d):
    """Advance half a step from the start with the derivative at the start."""
    rk4_stage(m, d, 1.0 / 6.0, 0.5)


@kernel
def rk4_stage2(m, d):
    """Advance half a step from the start with the first of the two derivatives at the midpoint."""
    rk4_stage(m, d, 1.0 / 3.0, 0.5)


@kernel
def rk4_stage3(m, d):
    """Advance a full step from the start with the second of the two derivatives at the midpoint."""
    rk4_stage(m, d, 1.0 / 3.0, 1.0)


@kernel
def rk4_stage(m, d, weight, fraction):
    """Add the current derivative to the sums, then advance with it from the start for a fraction of the step."""
    accumulate_derivative(m, d, weight)
    h = m.opt.timestep * fraction
    d.time = d.rk4_time + h
    for q in range(m.nq):
        d.qpos[q] = d.rk4_qpos[q]
    for i in range(m.nv):
        d.stage_vel[i] = d.qvel[i]
        d.qvel[i] = d.rk4_qvel[i] + d.qacc[i] * h
    for a in range(m.na):
        d.act[a] = d.rk4_act[a] + d.act_dot[a] * h
    integrate_pos(m, d.qpos, d.stage_vel, h)


@kernel
def accumulate_derivative(m, d, weight):
    """Add the current derivative of the state, times `weight`, to the weighted sums."""
    for i in range(m.nv):
        d.rk4_vel[i] = d.rk4_vel[i] + d.qvel[i] * weight
        d.rk4_acc[i] = d.rk4_acc[i] + d.qacc[i] * weight
    for a in range(m.na):
        d.rk4_act_dot[a] = d.rk4_act_dot[a] + d.act_dot[a] * weight


@kernel
def rk4_end(m, d):
    """Advance one step from the start with the weighted mean of the four derivatives."""
    accumulate_derivative(m, d, 1.0 / 6.0)
    d.time = d.rk4_time
    for q in range(m.nq):
        d.qpos[q] = d.rk4_qpos[q]
    for i in range(m.nv):
        d.qvel[i] = d.rk4_qvel[i]
    for a in range(m.na):
        d.act[a] = d.rk4_act[a]
    advance_activation(m, d, d.rk4_act_dot)
    for i in range(m.nv):
        d.qvel[i] = d.qvel[i] + d.rk4_acc[i] * m.opt.timestep
    integrate_pos(m, d.qpos, d.rk4_vel, m.opt.timestep)
    d.time = d.time + m.opt.timestep
