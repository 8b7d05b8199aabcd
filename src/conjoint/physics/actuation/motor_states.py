"""Activations of DC motors, and their integration over a step.

The parameters of a motor determine which activations it has, in this order:

* the setpoint of its controller, if its rate is limited,
* the error integral of the controller,
* the temperature of the winding above ambient,
* the deflection of the bristles that model friction,
* the current.
"""

from conjoint.lang import abs, clip, exp, kernel, maximum, stop_gradient, where
from conjoint.schema.constants import mjMINVAL


@kernel
def count_if(condition):
    """Return 1 if a condition holds, else 0."""
    return where(condition, 1, 0)


@kernel
def has_slew(m, u):
    """Return True if the setpoint of the controller of motor u has a limited rate."""
    return m.actuator_dynprm[u, 7] > 0.0


@kernel
def has_integral(m, u):
    """Return True if the controller of motor u has an integral term."""
    return m.actuator_gainprm[u, 5] != 0.0


@kernel
def has_heat(m, u):
    """Return True if motor u has a winding temperature as an activation."""
    return m.actuator_dynprm[u, 2] > 0.0


@kernel
def has_bristles(m, u):
    """Return True if motor u has friction, modeled by bristles."""
    return m.actuator_dynprm[u, 5] > 0.0


@kernel
def has_current(m, u):
    """Return True if the current of motor u is an activation, because it has a time constant."""
    return m.actuator_dynprm[u, 0] > 0.0


@kernel
def integral_place(m, u):
    """Return the index of the error integral among the activations of motor u, if it has one."""
    return count_if(has_slew(m, u))


@kernel
def heat_place(m, u):
    """Return the index of the winding temperature among the activations of motor u, if it has one."""
    return integral_place(m, u) + count_if(has_integral(m, u))


@kernel
def bristle_place(m, u):
    """Return the index of the bristle deflection among the activations of motor u, if it has one."""
    return heat_place(m, u) + count_if(has_heat(m, u))


@kernel
def current_place(m, u):
    """Return the index of the current among the activations of motor u, if it is one."""
    return bristle_place(m, u) + count_if(has_bristles(m, u))


@kernel
def friction_level(m, u, velocity):
    """Return the friction of motor u in steady slip, which falls from static to Coulomb with velocity (Stribeck)."""
    coulomb, static, width = m.actuator_biasprm[u, 3], m.actuator_biasprm[u, 4], m.actuator_biasprm[u, 5]
    ratio = velocity / where(width > 0.0, width, 1.0)
    return coulomb + where(width > 0.0, (static - coulomb) * exp(-(ratio * ratio)), 0.0)


@kernel
def bristle_decay(m, u, velocity):
    """Return the decay rate of the bristle deflection of motor u.

    Canudas de Wit et al., A new model for control of systems with friction, 1995.
    """
    return m.actuator_dynprm[u, 5] * abs(velocity) / maximum(mjMINVAL, friction_level(m, u, velocity))


@kernel
def span_of_decay(rate, h):
    """Return the integral of exp(-rate t) over a step of duration h."""
    tiny = rate * h < mjMINVAL
    return where(tiny, h, (1.0 - exp(-rate * h)) / where(tiny, 1.0, rate))


@kernel
def next_motor_state(m, d, u, a, rate):
    """Return activation a of motor u one timestep from now, exact for bristles and current at constant velocity."""
    h = m.opt.timestep
    place = a - m.actuator_actadr[u]
    act = d.act[a] + rate * h
    most = m.actuator_dynprm[u, 8]
    if has_current(m, u) and place == current_place(m, u):
        return d.act[a] + rate * current_span(m, u)
    if has_bristles(m, u) and place == bristle_place(m, u):
        # the mean rate of Runge-Kutta does not match the velocity; a disabled motor has rate zero
        velocity = velocity_before(m, d, u)
        decay = bristle_decay(m, u, velocity)
        bent = d.act[a] + (velocity - decay * d.act[a]) * span_of_decay(decay, h)
        return where(rate != 0.0, bent, d.act[a])
    if has_integral(m, u) and place == integral_place(m, u) and most > 0.0:
        # an integral that stays at its bound has a zero derivative with respect to its earlier value
        held = (rate == 0.0) & (abs(stop_gradient(d.act[a])) >= most)
        return where(held, where(act > 0.0, most, -most), clip(act, -most, most))
    return act


@kernel
def velocity_before(m, d, u):
    """Return the velocity of motor u at the start of the step, with the present moment arms."""
    first = m.moment_rowadr[m.actuator_outadr[u]]
    velocity = 0.0
    for k in range(first, first + m.moment_rownnz[m.actuator_outadr[u]]):
        velocity = velocity + d.actuator_moment[k] * d.qvel[m.moment_colind[k]]
    return velocity


@kernel
def current_span(m, u):
    """Return the effective step duration for the current of motor u, by which its rate is multiplied."""
    timeconst = maximum(mjMINVAL, m.actuator_dynprm[u, 0])
    return timeconst * (1.0 - exp(-m.opt.timestep / timeconst))
