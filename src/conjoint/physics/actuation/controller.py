"""Actuators with a controller of position, velocity and the integrated position error (XML Reference, actuator/pid).

The activations of such an actuator are the position setpoint, if its rate is limited, and the error integral, if its
gain is not zero.
"""

from conjoint.lang import clip, kernel, where
from conjoint.physics.actuation.forces import actuator_disabled, input_of
from conjoint.schema.enums import mjtDisableBit, mjtDyn, mjtGain
from conjoint.schema.enums_newer import mjtCtrlInput


@kernel
def pid_actuation(m, d):
    """Compute act_dot and actuator_force of actuators with a controller, before force limits.

    This is a stage of mj_fwdActuation.
    """
    if m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        return
    for u in range(m.nactuator):
        if m.actuator_gaintype[u] == mjtGain.mjGAIN_PID:
            control_motion(m, d, u)


@kernel
def control_motion(m, d, u):
    """Compute act_dot and actuator_force of actuator u, which has a controller."""
    length = d.actuator_length[m.actuator_outadr[u]]
    wanted = input_of(m, d, u, mjtCtrlInput.mjINPUT_POS, True)
    pull = 0.0
    if m.actuator_dyntype[u] == mjtDyn.mjDYN_PID and m.actuator_actadr[u] >= 0:
        wanted = slewed_position(m, d, u, wanted)
        pull = integrate_error(m, d, u, wanted - length)
    if not actuator_disabled(m, u):
        speed = input_of(m, d, u, mjtCtrlInput.mjINPUT_VEL, True)
        added = input_of(m, d, u, mjtCtrlInput.mjINPUT_FF, True)
        damping = m.actuator_biasprm[u, 2] * (speed - d.actuator_velocity[m.actuator_outadr[u]])
        servo = -m.actuator_biasprm[u, 1] * (wanted - length) - damping
        d.actuator_force[m.actuator_outadr[u]] = m.actuator_biasprm[u, 0] + servo + pull + added


@kernel
def slewed_position(m, d, u, wanted):
    """Return the rate-limited position setpoint of controller u, and set the rate of its setpoint activation."""
    a = m.actuator_actadr[u]
    fastest = m.actuator_dynprm[u, 1]
    step = fastest * m.opt.timestep
    reached = clip(wanted, d.act[a] - step, d.act[a] + step)
    d.act_dot[a] = where(fastest > 0.0, (reached - d.act[a]) / m.opt.timestep, 0.0)
    return where(fastest > 0.0, reached, wanted)


@kernel
def integrate_error(m, d, u, error):
    """Set the rate of the bounded error integral of controller u, and return the force term of the integral."""
    last = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
    gain, most = m.actuator_gainprm[u, 0], m.actuator_dynprm[u, 0]
    d.act_dot[last] = where(gain != 0.0, bounded_rate(d.act[last], error, most), d.act_dot[last])
    return where(gain != 0.0, gain * d.act[last], 0.0)


@kernel
def bounded_rate(integral, error, most):
    """Return the rate of an error integral: 0 if the integral would exceed `most` in magnitude, else the error.

    If `most` is 0, the integral has no bound.
    """
    full = (most > 0.0) & (((integral >= most) & (error > 0.0)) | ((integral <= -most) & (error < 0.0)))
    return where(full, 0.0, error)
