"""Orientation servos of a ball joint, or of a site relative to another site (XML Reference, actuator/orientation).

The torque is kp times the rotation vector to the target orientation, minus kv times the angular velocity, in the frame
of the rotating body. There are three outputs, one for each axis of that frame.
"""

from conjoint.lang import integrate_quat, kernel, load, maximum, norm, normalize_quat, put, quat, sub_quat, vec3, where
from conjoint.physics.actuation.forces import actuator_disabled
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtDisableBit, mjtDyn, mjtGain
from conjoint.schema.enums_newer import mjtCtrlChart


@kernel
def orientation_actuation(m, d):
    """Compute act_dot and actuator_force of orientation servos, in the stage of mj_fwdActuation before limits."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        return
    for u in range(m.nactuator):
        # the user may have changed the gain type
        if m.actuator_gaintype[u] == mjtGain.mjGAIN_SO3 and m.actuator_outnum[u] == 3 and has_controls(m, u):
            if m.actuator_dyntype[u] == mjtDyn.mjDYN_INTEGRATOR:
                for k in range(3):
                    d.act_dot[m.actuator_actadr[u] + k] = d.ctrl_used[m.actuator_ctrladr[u] + k]
            if not actuator_disabled(m, u):
                turn_towards(m, d, u)


@kernel
def has_controls(m, u):
    """Return True if servo u has as many controls and activations as its type requires."""
    if m.actuator_dyntype[u] == mjtDyn.mjDYN_INTEGRATOR:
        return m.actuator_ctrlnum[u] == 3 and m.actuator_actnum[u] == 3
    if m.actuator_ctrlspec[u] == mjtCtrlChart.mjCHART_QUAT:
        return m.actuator_ctrlnum[u] == 4
    return m.actuator_ctrlnum[u] >= 3


@kernel
def turn_towards(m, d, u):
    """Compute actuator_force of servo u, and limit its norm."""
    o = m.actuator_outadr[u]
    turned = exponential(load(vec3, d.actuator_length, o))
    error = sub_quat(wanted_orientation(m, d, u), turned)
    velocity = load(vec3, d.actuator_velocity, o)
    torque = error * m.actuator_gainprm[u, 0] + velocity * m.actuator_biasprm[u, 2]
    if m.actuator_forcelimited[u]:
        size = norm(torque)
        most = m.actuator_forcerange[u, 1]
        torque = torque * where(size > most, most / maximum(mjMINVAL, size), 1.0)
    put(d.actuator_force, o, torque)


@kernel
def exponential(turn):
    """Return the quaternion of a rotation vector."""
    return integrate_quat(quat(1.0, 0.0, 0.0, 0.0), turn, 1.0)


@kernel
def wanted_orientation(m, d, u):
    """Return the target orientation of servo u, from its controls or from their time integral."""
    c = m.actuator_ctrladr[u]
    if m.actuator_dyntype[u] == mjtDyn.mjDYN_INTEGRATOR:
        return exponential(load(vec3, d.act, m.actuator_actadr[u]))
    if m.actuator_ctrlspec[u] == mjtCtrlChart.mjCHART_QUAT:
        return normalize_quat(load(quat, d.ctrl_used, c))
    return exponential(load(vec3, d.ctrl_used, c))
