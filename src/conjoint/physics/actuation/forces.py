"""Actuation: activation dynamics, gain, bias, force limits and joint forces (stages 19 and 20)."""

from conjoint.lang import abs, exp, formula, isbad, kernel, maximum, minimum, shared, spatial, vec3, where
from conjoint.physics.actuation.motor_states import next_motor_state
from conjoint.physics.inertia_matrix.factors import solve_M, solve_share
from conjoint.physics.motion.support import applied_wrench, project_wrenches_of_share
from conjoint.physics.passive_flags import acts
from conjoint.physics.transmission.joints import CHUNK, apply_actuator_forces
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtDyn, mjtGain, mjtJoint, mjtTrn, mjtWarning

LAST_GROUP = 30
"""Highest actuator group that `disableactuator` can disable."""


@formula("real", "real", "real", "real")
def within(x, low, high):
    """Return x clamped to a range; NaN stays NaN, so that checks detect it."""
    return minimum(high, maximum(low, x))


@kernel
def fwd_actuation(m, d):
    """Compute act_dot, and actuator_force before force limits, in the first of the two stages of mj_fwdActuation."""
    for o in range(m.nout):
        d.actuator_force[o] = 0.0
    if m.nactuator == 0 or m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        return
    effective_controls(m, d)
    shared(actuate_chunk, m, d, (m.nactuator + CHUNK - 1) // CHUNK)


@kernel
def actuate_chunk(m, d, chunk):
    """Compute act_dot and actuator_force of one chunk of actuators."""
    first = CHUNK * chunk
    end = minimum(m.nactuator, first + CHUNK)
    for u in range(first, end):
        if m.actuator_actadr[u] >= 0:
            activation_rate(m, d, u)
    for u in range(first, end):
        if not actuator_disabled(m, u):
            force = actuator_gain(m, d, u) * actuator_input(m, d, u) + actuator_bias(m, d, u)
            d.actuator_force[m.actuator_outadr[u]] = force


@kernel
def transmit_forces(m, d):
    """Clamp actuator_force and compute qfrc_actuator, in the second stage of mj_fwdActuation."""
    if m.nactuator == 0 or m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        no_actuation(m, d)
        return
    limit_tendon_forces(m, d)
    limit_actuator_forces(m, d)
    apply_actuator_forces(m, d)
    if m.ngravcomp > 0:
        add_actuated_compensation(m, d)
    limit_joint_forces(m, d)


@kernel
def no_actuation(m, d):
    """Set qfrc_actuator to zero, for a model without actuators or with actuation disabled."""
    for i in range(m.nv):
        d.qfrc_actuator[i] = 0.0


@kernel
def effective_controls(m, d):
    """Set ctrl_used to the clamped controls. If a control is bad, set all controls of that world to zero, and warn."""
    bad = False
    for c in range(m.nu):
        control = clamped_control(m, d, c)
        bad = bad | isbad(control)
        d.ctrl_used[c] = control
    if bad:
        reject_controls(m, d)


@kernel
def clamped_control(m, d, c):
    """Return control c as its actuator uses it: delayed if it has a delay, and clamped to its range."""
    control = d.ctrl[c]
    if m.nhistory > 0:
        control = d.ctrl_delayed[c]
    if m.actuator_ctrllimited[c] and (m.opt.disableflags & mjtDisableBit.mjDSBL_CLAMPCTRL) == 0:
        control = within(control, m.actuator_ctrlrange[c, 0], m.actuator_ctrlrange[c, 1])
    return control


@kernel
def reject_controls(m, d):
    """Set all controls to zero, and count a warning with the index of the first bad control."""
    w = mjtWarning.mjWARN_BADCTRL
    for c in range(m.nu - 1, -1, -1):
        if isbad(d.ctrl_used[c]):
            d.warning.lastinfo[w] = c
        d.ctrl_used[c] = 0.0
    d.warning.number[w] += 1


@kernel
def activation_rate(m, d, u):
    """Compute act_dot of the last activation of actuator u, which follows the control."""
    a = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
    kind = m.actuator_dyntype[u]
    c = m.actuator_ctrladr[u]
    if kind == mjtDyn.mjDYN_INTEGRATOR:
        d.act_dot[a] = d.ctrl_used[c]
    elif kind == mjtDyn.mjDYN_FILTER or kind == mjtDyn.mjDYN_FILTEREXACT:
        d.act_dot[a] = (d.ctrl_used[c] - d.act[a]) / maximum(mjMINVAL, m.actuator_dynprm[u, 0])
    else:
        d.act_dot[a] = 0.0


@kernel
def actuator_disabled(m, u):
    """Return True if the group of actuator u is disabled."""
    group = m.actuator_group[u]
    return group >= 0 and group <= LAST_GROUP and ((m.opt.disableactuator >> group) & 1) == 1


@kernel
def actuator_input(m, d, u):
    """Return the input that the gain of actuator u multiplies: its control or its effective activation."""
    if m.actuator_actadr[u] < 0:
        c = m.actuator_ctrladr[u]
        # a motor without controls
        if c < 0:
            return 0.0
        return d.ctrl_used[c]
    return effective_activation(m, d, u)


@kernel
def effective_activation(m, d, u):
    """Return the activation that the gain of actuator u multiplies: after the step if actearly is set, else now."""
    a = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
    if m.actuator_actearly[u]:
        return next_activation(m, d, u, a, d.act_dot[a])
    return d.act[a]


@kernel
def actuator_gain(m, d, u):
    """Return the gain of actuator u: constant, affine in length and velocity, or 1 if a callback computes it."""
    if m.actuator_gaintype[u] == mjtGain.mjGAIN_USER:
        return 1.0
    if m.actuator_gaintype[u] == mjtGain.mjGAIN_AFFINE:
        return affine(m, d, u, m.actuator_gainprm)
    return m.actuator_gainprm[u, 0]


@kernel
def actuator_bias(m, d, u):
    """Return the force of actuator u at zero input: zero, or an affine function of length and velocity."""
    if m.actuator_biastype[u] == mjtBias.mjBIAS_AFFINE:
        return affine(m, d, u, m.actuator_biasprm)
    return 0.0


@kernel
def affine(m, d, u, parameters):
    """Return the value of an affine function of the length and velocity of actuator u.

    Row u of `parameters` begins with the constant and the slopes with respect to length and velocity.
    """
    o = m.actuator_outadr[u]
    slope = parameters[u, 1] * d.actuator_length[o] + parameters[u, 2] * d.actuator_velocity[o]
    return parameters[u, 0] + slope


@kernel
def next_activation(m, d, u, a, rate):
    """Return activation a of actuator u after one timestep at the given rate."""
    h = m.opt.timestep
    act = d.act[a]
    if m.actuator_dyntype[u] == mjtDyn.mjDYN_FILTEREXACT:
        # exact solution for constant control
        tau = maximum(mjMINVAL, m.actuator_dynprm[u, 0])
        act = act + rate * (tau * (1.0 - exp(-h / tau)))
    elif m.actuator_dyntype[u] == mjtDyn.mjDYN_DCMOTOR:
        act = next_motor_state(m, d, u, a, rate)
    else:
        act = act + rate * h
    if m.actuator_actlimited[u]:
        act = within(act, m.actuator_actrange[u, 0], m.actuator_actrange[u, 1])
    return act


@kernel
def limit_actuator_forces(m, d):
    """Clamp actuator forces to forcerange."""
    for u in range(m.nactuator):
        if m.actuator_forcelimited[u] and not has_own_limit(m, u):
            o = m.actuator_outadr[u]
            low, high = m.actuator_forcerange[u, 0], m.actuator_forcerange[u, 1]
            d.actuator_force[o] = within(d.actuator_force[o], low, high)


@kernel
def has_own_limit(m, u):
    """Return True if the force limits of actuator u do not bound its total force.

    Instead, these limits bound the torque due to the current of a DC motor, or the norm of a 3D torque.
    """
    kind = m.actuator_gaintype[u]
    return kind == mjtGain.mjGAIN_DCMOTOR or kind == mjtGain.mjGAIN_SO3


@kernel
def limit_tendon_forces(m, d):
    """Scale down the forces of all actuators on a tendon, so that their sum stays within its actuatorfrcrange."""
    for t in range(m.ntendon):
        d.tendon_actfrc[t] = 0.0
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == mjtTrn.mjTRN_TENDON:
            t = m.actuator_trnid[u, 0]
            d.tendon_actfrc[t] = d.tendon_actfrc[t] + d.actuator_force[m.actuator_outadr[u]]
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == mjtTrn.mjTRN_TENDON and m.tendon_actfrclimited[m.actuator_trnid[u, 0]]:
            t = m.actuator_trnid[u, 0]
            total = d.tendon_actfrc[t]
            low = m.tendon_actfrcrange[t, 0]
            high = m.tendon_actfrcrange[t, 1]
            allowed = where(total < low, low, where(total > high, high, total))
            outside = (total < low) | (total > high)
            o = m.actuator_outadr[u]
            d.actuator_force[o] = d.actuator_force[o] * where(outside, allowed / where(outside, total, 1.0), 1.0)


@kernel
def add_actuated_compensation(m, d):
    """Add gravity compensation to qfrc_actuator at the joints whose actuators must provide it (jnt_actgravcomp)."""
    for i in range(m.nv):
        if m.jnt_actgravcomp[m.dof_jntid[i]]:
            d.qfrc_actuator[i] = d.qfrc_actuator[i] + d.qfrc_gravcomp[i]


@kernel
def limit_joint_forces(m, d):
    """Clamp the sum of actuator forces on each joint to its actuatorfrcrange."""
    for j in range(m.njnt):
        if has_limited_force(m, j):
            i = m.jnt_dofadr[j]
            d.qfrc_actuator[i] = within(d.qfrc_actuator[i], m.jnt_actfrcrange[j, 0], m.jnt_actfrcrange[j, 1])


@kernel
def has_limited_force(m, j):
    """Return True if the sum of actuator forces on joint j has a limit."""
    kind = m.jnt_type[j]
    return m.jnt_actfrclimited[j] and (kind == mjtJoint.mjJNT_SLIDE or kind == mjtJoint.mjJNT_HINGE)


@kernel
def fwd_acceleration(m, d):
    """Compute qfrc_smooth, the sum of all forces except constraint forces, and its acceleration qacc_smooth.

    This is mj_fwdAcceleration.
    """
    shared(accelerate_share, m, d, m.nshare)


@kernel
def accelerate_share(m, d, s):
    """Compute qfrc_smooth and qacc_smooth for the dofs in work share s of the world."""
    forces_of_share(m, d, s)
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        d.qacc_smooth[i] = d.qfrc_smooth[i]
    solve_share(m, d, s, d.qLD, d.qLDiagInv, d.qacc_smooth)


@kernel
def forces_of_share(m, d, s):
    """Compute qfrc_smooth for the dofs in work share s of the world."""
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        d.qfrc_smooth[i] = (d.qfrc_passive[i] - d.qfrc_bias[i]) + (d.qfrc_applied[i] + d.qfrc_actuator[i])
    add_applied_to_share(m, d, s, d.qfrc_smooth)


@kernel
def smooth_forces(m, d):
    """Compute qfrc_smooth, the sum of all forces except constraint forces."""
    shared(forces_of_share, m, d, m.nshare)


@kernel
def smooth_acceleration(m, d):
    """Compute qacc_smooth, the acceleration due to qfrc_smooth."""
    for i in range(m.nv):
        d.qacc_smooth[i] = d.qfrc_smooth[i]
    solve_M(m, d, d.qacc_smooth)


@kernel
def sizes_of(v):
    """Return the absolute values of the components of a vector."""
    return vec3(abs(v.x), abs(v.y), abs(v.z))


@kernel
def add_applied_wrenches(m, d, qfrc):
    """Add the joint forces due to xfrc_applied to a field of nv elements (mj_xfrcAccumulate)."""
    shared(add_applied_to_share, m, d, m.nshare, qfrc)


@kernel
def add_applied_to_share(m, d, s, qfrc):
    """Add the joint forces due to xfrc_applied on the bodies in work share s of the world to a field of nv elements.

    If xfrc_applied is zero for all these bodies, do nothing.
    """
    # NaN is not zero either; six independent sums hide latency
    none = vec3(0.0, 0.0, 0.0)
    sizes = spatial(none, none)
    for b in range(m.share_body[s], m.share_body[s + 1]):
        w = d.xfrc_applied[b]
        sizes = sizes + spatial(sizes_of(w.angular), sizes_of(w.linear))
    both = sizes.angular + sizes.linear
    size = both.x + both.y + both.z
    if acts(size):
        for b in range(m.share_body[s], m.share_body[s + 1]):
            d.body_wrench[b] = applied_wrench(m, d, b)
        project_wrenches_of_share(m, d, s, qfrc, size != 0.0)


@kernel
def has_input(m, u, bit):
    """Return True if actuator u has the control input `bit` (mjtCtrlInput)."""
    return (m.actuator_ctrlspec[u] & bit) != 0


@kernel
def input_of(m, d, u, bit, checked):
    """Return the value of the control input `bit` of actuator u, or 0 if there is none.

    If `checked`, return the control that the actuation stage used and checked, otherwise the control that it would use.
    """
    if not has_input(m, u, bit):
        return 0.0
    c = m.actuator_ctrladr[u]
    below = 1
    while below < bit:
        if has_input(m, u, below):
            c += 1
        below *= 2
    # the user may have changed actuator_ctrlspec
    if c >= m.actuator_ctrladr[u] + m.actuator_ctrlnum[u]:
        return 0.0
    if checked:
        return d.ctrl_used[c]
    return clamped_control(m, d, c)
