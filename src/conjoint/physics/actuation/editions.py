"""Servos for 3D rotations in MuJoCo 4.0, which ignore full turns of the setpoint.

A servo may act on a ball joint, or on a site that only rotates in the frame of another site. The length of the servo is
an angle about its gear axis, at most half a turn in either direction. Among all setpoints that represent the same
orientation, the servo uses the setpoint nearest to its length, and a filter follows the setpoint nearest to its
activation. A full turn is 2 pi times the norm of the gear vector.
"""

from conjoint.lang import dot, floor, kernel, load, maximum, norm, vec3
from conjoint.physics.actuation.forces import actuator_bias, actuator_disabled, actuator_gain, actuator_input
from conjoint.schema.constants import mjMINVAL, mjPI
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtDyn, mjtGain, mjtJoint, mjtTrn

CIRCLE = 2.0 * mjPI


@kernel
def nearest_setpoints_4(m, d):
    """Compute act_dot and actuator_force of servos for 3D rotations, in a late stage of mj_fwdActuation.

    It runs after the forces of all other actuators have been computed.
    """
    if m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        return
    for u in range(m.nactuator):
        if turns_in_space(m, u) and is_of_servos(m, u):
            follow_nearest(m, d, u)


@kernel
def turns_in_space(m, u):
    """Return True if actuator u acts on a ball joint, or on a site relative to another site."""
    kind = m.actuator_trntype[u]
    if kind == mjtTrn.mjTRN_JOINT or kind == mjtTrn.mjTRN_JOINTINPARENT:
        return m.jnt_type[m.actuator_trnid[u, 0]] == mjtJoint.mjJNT_BALL
    return kind == mjtTrn.mjTRN_SITE and m.actuator_trnid[u, 1] >= 0


@kernel
def is_of_servos(m, u):
    """Return True if actuator u has the gain, bias and dynamics types of a servo."""
    if m.actuator_gaintype[u] != mjtGain.mjGAIN_FIXED or m.actuator_biastype[u] != mjtBias.mjBIAS_AFFINE:
        return False
    return m.actuator_dyntype[u] <= mjtDyn.mjDYN_FILTEREXACT


@kernel
def follow_nearest(m, d, u):
    """Compute act_dot and actuator_force of actuator u if it is a servo: its gain equals minus its position bias."""
    o = m.actuator_outadr[u]
    servo = (m.actuator_gainprm[u, 0] == -m.actuator_biasprm[u, 1]) & (m.actuator_gainprm[u, 0] != 0.0)
    gear = load(vec3, m.actuator_gear, (o, 0))
    if m.actuator_trntype[u] == mjtTrn.mjTRN_SITE:
        servo = servo & (dot(gear, gear) == 0.0)
        gear = load(vec3, m.actuator_gear, (o, 3))
    servo = servo & (dot(gear, gear) > 0.0)
    if servo:
        circle = CIRCLE * norm(gear)
        kind = m.actuator_dyntype[u]
        if kind == mjtDyn.mjDYN_FILTER or kind == mjtDyn.mjDYN_FILTEREXACT:
            a = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
            turn = nearest_turn(d.ctrl_used[m.actuator_ctrladr[u]], d.act[a], circle)
            rate = turn / maximum(mjMINVAL, m.actuator_dynprm[u, 0])
            d.act_dot[a] += rate
        if not actuator_disabled(m, u):
            setpoint = actuator_input(m, d, u)
            setpoint = setpoint + nearest_turn(setpoint, d.actuator_length[o], circle)
            d.actuator_force[o] = actuator_gain(m, d, u) * setpoint + actuator_bias(m, d, u)


@kernel
def nearest_turn(x, goal, circle):
    """Return the multiple of a full turn (`circle`) that brings x as near as possible to `goal` when added to x."""
    return -circle * floor((x - goal) / circle + 0.5)
