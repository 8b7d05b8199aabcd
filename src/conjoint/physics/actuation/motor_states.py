"""Activations of motors of direct current, and how they move on in a step.

A motor has those that its parameters ask for, in this order: what its controller is led to, if the rate of that is
limited; the integral of the controller; the temperature of the winding above its surroundings; the deflection of the
bristles that stand for friction; the current.
"""

from conjoint.lang import abs, clip, exp, kernel, maximum, stop_gradient, where
from conjoint.schema.constants import mjMINVAL


@kernel
def count_if(condition):
    """1 where a condition holds, else 0."""
    return where(condition, 1, 0)


@kernel
def has_slew(m, u):
    """Whether the rate of what the controller of motor u is led to is limited."""
    return m.actuator_dynprm[u, 7] > 0.0


@kernel
def has_integral(m, u):
    """Whether the controller of motor u has an integral."""
    return m.actuator_gainprm[u, 5] != 0.0


@kernel
def has_heat(m, u):
    """Whether the winding of motor u gets warm."""
    return m.actuator_dynprm[u, 2] > 0.0


@kernel
def has_bristles(m, u):
    """Whether motor u has friction."""
    return m.actuator_dynprm[u, 5] > 0.0


@kernel
def has_current(m, u):
    """Whether the current of motor u takes time."""
    return m.actuator_dynprm[u, 0] > 0.0


@kernel
def integral_place(m, u):
    """Place of the integral among the activations of motor u, if it has one."""
    return count_if(has_slew(m, u))


@kernel
def heat_place(m, u):
    """Place of the temperature."""
    return integral_place(m, u) + count_if(has_integral(m, u))


@kernel
def bristle_place(m, u):
    """Place of the deflection of bristles."""
    return heat_place(m, u) + count_if(has_heat(m, u))


@kernel
def current_place(m, u):
    """Place of the current."""
    return bristle_place(m, u) + count_if(has_bristles(m, u))


@kernel
def friction_level(m, u, velocity):
    """Friction of motor u when it slips steadily: from static to Coulomb friction as it is faster (Stribeck)."""
    coulomb, static, width = m.actuator_biasprm[u, 3], m.actuator_biasprm[u, 4], m.actuator_biasprm[u, 5]
    ratio = velocity / where(width > 0.0, width, 1.0)
    return coulomb + where(width > 0.0, (static - coulomb) * exp(-(ratio * ratio)), 0.0)


@kernel
def bristle_decay(m, u, velocity):
    """How fast the deflection of the bristles of motor u decays (Canudas de Wit et al., A new model for control of
    systems with friction, 1995)."""
    return m.actuator_dynprm[u, 5] * abs(velocity) / maximum(mjMINVAL, friction_level(m, u, velocity))


@kernel
def span_of_decay(rate, h):
    """Integral of exp(-rate t) over a step h."""
    tiny = rate * h < mjMINVAL
    return where(tiny, h, (1.0 - exp(-rate * h)) / where(tiny, 1.0, rate))


@kernel
def next_motor_state(m, d, u, a, rate):
    """Activation a of motor u one timestep from now: exact for bristles and current at the velocity as it is."""
    h = m.opt.timestep
    place = a - m.actuator_actadr[u]
    act = d.act[a] + rate * h
    most = m.actuator_dynprm[u, 8]
    if has_current(m, u) and place == current_place(m, u):
        return d.act[a] + rate * current_span(m, u)
    if has_bristles(m, u) and place == bristle_place(m, u):
        # Runge-Kutta's mean rate is not that of the velocity; of a motor that is switched off there is none
        velocity = velocity_before(m, d, u)
        decay = bristle_decay(m, u, velocity)
        bent = d.act[a] + (velocity - decay * d.act[a]) * span_of_decay(decay, h)
        return where(rate != 0.0, bent, d.act[a])
    if has_integral(m, u) and place == integral_place(m, u) and most > 0.0:
        # the integral that is held at its bound is pushed beyond it: it does not move with what it was
        held = (rate == 0.0) & (abs(stop_gradient(d.act[a])) >= most)
        return where(held, where(act > 0.0, most, -most), clip(act, -most, most))
    return act


@kernel
def velocity_before(m, d, u):
    """Velocity of motor u where the step began, with the moment arms as they are."""
    first = m.moment_rowadr[m.actuator_outadr[u]]
    velocity = 0.0
    for k in range(first, first + m.moment_rownnz[m.actuator_outadr[u]]):
        velocity = velocity + d.actuator_moment[k] * d.qvel[m.moment_colind[k]]
    return velocity


@kernel
def current_span(m, u):
    """What a rate of the current of motor u is multiplied with for its change in a step."""
    timeconst = maximum(mjMINVAL, m.actuator_dynprm[u, 0])
    return timeconst * (1.0 - exp(-m.opt.timestep / timeconst))
