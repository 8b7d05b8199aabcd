"""Checks of the state and acceleration for divergence, with automatic reset (stages 1 and 23)."""

from conjoint.lang import any, isbad, kernel, logical_not, spatial, vec3, where
from conjoint.schema.constants import mjNWARNING
from conjoint.schema.enums import mjtDisableBit, mjtWarning


@kernel
def check_state(m, d):
    """Check positions, then velocities: first stage of a step; `auto_reset` must follow."""
    d.was_reset = 0
    check_field(m, d, d.qpos, m.nq, mjtWarning.mjWARN_BADQPOS)
    check_field(m, d, d.qvel, m.nv, mjtWarning.mjWARN_BADQVEL)


@kernel
def check_pos(m, d):
    """Warn of a position that is not finite or beyond 1e10 (mj_checkPos); `auto_reset` must follow."""
    d.was_reset = 0
    check_field(m, d, d.qpos, m.nq, mjtWarning.mjWARN_BADQPOS)


@kernel
def check_vel(m, d):
    """Warn of a velocity that is not finite or beyond 1e10 (mj_checkVel); `auto_reset` must follow."""
    d.was_reset = 0
    check_field(m, d, d.qvel, m.nv, mjtWarning.mjWARN_BADQVEL)


@kernel
def check_acc(m, d):
    """Warn of an acceleration that is not finite or beyond 1e10 (mj_checkAcc); `auto_reset` must follow.

    Where `was_reset` is not zero after that, the step goes on from forward dynamics of the initial state.
    """
    d.was_reset = 0
    check_field(m, d, d.qacc, m.nv, mjtWarning.mjWARN_BADQACC)


@kernel
def check_field(m, d, field, count, kind):
    """Warn where a number in a field of reals is bad; mark those worlds in `was_reset` with the kind of warning."""
    bad = 0.0
    for i in range(count):
        bad = where(isbad(field[i]), 1.0, bad)
    if any(bad > 0.0):
        # a world that is about to be reset has nothing more to complain about
        warn = (bad > 0.0) & (d.was_reset == 0)
        # twice without a reset, as the official engine counts
        d.warning.number[kind] = d.warning.number[kind] + where(warn, 2, 0)
        for i in range(count - 1, -1, -1):
            d.warning.lastinfo[kind] = where(warn & isbad(field[i]), i, d.warning.lastinfo[kind])
        if (m.opt.disableflags & mjtDisableBit.mjDSBL_AUTORESET) == 0:
            d.was_reset = where(warn, kind + 1, d.was_reset)


@kernel
def auto_reset(m, d):
    """Reset the worlds marked in `was_reset`; of their warnings, the cause remains, counted once."""
    if any(d.was_reset > 0):
        for w in range(mjNWARNING):
            cause = d.was_reset == w + 1
            other = (d.was_reset > 0) & logical_not(cause)
            d.warning.number[w] = where(cause, 1, where(other, 0, d.warning.number[w]))
            d.warning.lastinfo[w] = where(other, 0, d.warning.lastinfo[w])
        reset_where(m, d, where(d.was_reset > 0, 1.0, 0.0))


@kernel
def reset(m, d):
    """Return to the initial state: qpos0, at rest, no inputs, no contacts, no warnings (mj_resetData)."""
    for w in range(mjNWARNING):
        d.warning.number[w] = 0
        d.warning.lastinfo[w] = 0
    reset_where(m, d, 1.0)


@kernel
def reset_where(m, d, chosen):
    """Reset the worlds where the real `chosen` is 1, all but their warnings."""
    reset_state(m, d, chosen)
    reset_inputs(m, d, chosen)
    reset_results(m, d, chosen)


@kernel
def reset_state(m, d, chosen):
    """Time, positions, velocities, activations, and what follows from them."""
    away = chosen > 0.0
    d.time = where(away, 0.0, d.time)
    for i in range(m.nq):
        d.qpos[i] = where(away, m.qpos0[i], d.qpos[i])
    for i in range(m.nv):
        d.qvel[i] = where(away, 0.0, d.qvel[i])
        d.qacc[i] = where(away, 0.0, d.qacc[i])
        d.qacc_warmstart[i] = where(away, 0.0, d.qacc_warmstart[i])
    for i in range(m.na):
        d.act[i] = where(away, 0.0, d.act[i])
        d.act_dot[i] = where(away, 0.0, d.act_dot[i])
    for i in range(m.npluginstate):
        d.plugin_state[i] = where(away, 0.0, d.plugin_state[i])


@kernel
def reset_inputs(m, d, chosen):
    """Controls, applied forces, motion capture, active equalities, user data."""
    away = chosen > 0.0
    none = vec3(0.0, 0.0, 0.0)
    for i in range(m.nu):
        d.ctrl[i] = where(away, 0.0, d.ctrl[i])
    for i in range(m.nv):
        d.qfrc_applied[i] = where(away, 0.0, d.qfrc_applied[i])
    for b in range(m.nbody):
        d.xfrc_applied[b] = where(away, spatial(none, none), d.xfrc_applied[b])
        k = m.body_mocapid[b]
        if k >= 0:
            d.mocap_pos[k] = where(away, m.body_pos[b], d.mocap_pos[k])
            d.mocap_quat[k] = where(away, m.body_quat[b], d.mocap_quat[k])
    for i in range(m.neq):
        d.eq_active[i] = where(away, m.eq_active0[i], d.eq_active[i])
    for i in range(m.nuserdata):
        d.userdata[i] = where(away, 0.0, d.userdata[i])


@kernel
def reset_results(m, d, chosen):
    """What may be read before it is computed again."""
    away = chosen > 0.0
    d.ncon = where(away, 0, d.ncon)
    d.ne = where(away, 0, d.ne)
    d.nf = where(away, 0, d.nf)
    d.nl = where(away, 0, d.nl)
    d.nefc = where(away, 0, d.nefc)
    d.nJ = where(away, 0, d.nJ)
    d.nA = where(away, 0, d.nA)
    d.nisland = where(away, 0, d.nisland)
    d.nidof = where(away, 0, d.nidof)
    for k in range(2):
        d.energy[k] = where(away, 0.0, d.energy[k])
        d.solver_fwdinv[k] = where(away, 0.0, d.solver_fwdinv[k])
    for i in range(m.nv):
        d.qfrc_constraint[i] = where(away, 0.0, d.qfrc_constraint[i])
    for i in range(m.nsensordata):
        d.sensordata[i] = where(away, 0.0, d.sensordata[i])
