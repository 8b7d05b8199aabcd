"""Muscles: activation dynamics, and forces that depend on length and velocity (Modeling chapter, "Muscles").

A length L is scaled so that the actuator's length range corresponds to the parameter `range`. L = 1 is the length of
maximum force. The curves of Millard et al. (2013) are approximated by quadratic pieces.
"""

from conjoint.lang import abs, clip, formula, kernel, maximum, where
from conjoint.physics.actuation.forces import actuator_bias, actuator_disabled, actuator_gain, actuator_input
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtDyn, mjtGain


@kernel
def muscle_actuation(m, d):
    """Compute act_dot and actuator_force of actuators with muscle dynamics, gain or bias, before force limits.

    This is a stage of mj_fwdActuation.
    """
    if m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        return
    for u in range(m.nactuator):
        dynamic = m.actuator_dyntype[u] == mjtDyn.mjDYN_MUSCLE and m.actuator_actadr[u] >= 0
        active = m.actuator_gaintype[u] == mjtGain.mjGAIN_MUSCLE
        passive = m.actuator_biastype[u] == mjtBias.mjBIAS_MUSCLE
        if dynamic:
            # the activation is a filter that rises faster than it falls
            a = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
            d.act_dot[a] = muscle_dynamics(d.ctrl_used[m.actuator_ctrladr[u]], d.act[a], m.actuator_dynprm, 10 * u)
        if (dynamic or active or passive) and not actuator_disabled(m, u):
            gain = actuator_gain(m, d, u)
            bias = actuator_bias(m, d, u)
            if active:
                gain = muscle_gain(m, d, u)
            if passive:
                bias = muscle_bias(m, d, u)
            d.actuator_force[m.actuator_outadr[u]] = gain * actuator_input(m, d, u) + bias


@kernel
def muscle_dynamics(ctrl, act, prm, g):
    """Return the activation rate of a muscle whose parameters start at prm[g] (mju_muscleDynamics)."""
    bounded = 0.5 + 1.5 * clip(act, 0.0, 1.0)
    difference = clip(ctrl, 0.0, 1.0) - act
    rise = prm[g] * bounded
    fall = prm[g + 1] / bounded
    width = prm[g + 2]
    if width >= mjMINVAL:
        step = smooth_step(difference / width + 0.5)
        return difference / maximum(mjMINVAL, fall + (rise - fall) * step)
    # one division per side, because at rest each side has its own derivative
    return where(difference > 0.0, difference / maximum(mjMINVAL, rise), difference / maximum(mjMINVAL, fall))


@formula("real", "real")
def smooth_step(x):
    """Return a smooth step from 0 at x <= 0 to 1 at x >= 1 (mju_sigmoid)."""
    x = clip(x, 0.0, 1.0)
    return x * x * x * (x * (6.0 * x - 15.0) + 10.0)


@kernel
def peak_force(prm, g, acc0):
    """Return the peak active force of a muscle: a parameter, or computed from the acceleration that it causes."""
    return where(prm[g + 2] >= 0.0, prm[g + 2], prm[g + 3] / maximum(mjMINVAL, acc0))


@kernel
def best_length(ends, a, prm, g):
    """Return L0, the length of maximum force of a muscle whose length range starts at ends[a]."""
    return (ends[a + 1] - ends[a]) / maximum(mjMINVAL, prm[g + 1] - prm[g])


@kernel
def scaled_length(length, ends, a, prm, g):
    """Return the scaled length L of a muscle, whose unit is L0."""
    return prm[g] + (length - ends[a]) / maximum(mjMINVAL, best_length(ends, a, prm, g))


@kernel
def muscle_gain(m, d, u):
    """Return the active force of muscle u at activation 1."""
    o = m.actuator_outadr[u]
    length, velocity = d.actuator_length[o], d.actuator_velocity[o]
    return active_force(
        length,
        velocity,
        m.actuator_lengthrange,
        2 * o,
        m.actuator_acc0[o],
        m.actuator_gainprm,
        10 * u,
    )


@kernel
def active_force(length, velocity, ends, a, acc0, prm, g):
    """Return the force at activation 1 of a muscle whose parameters start at prm[g] (mju_muscleGain)."""
    length = scaled_length(length, ends, a, prm, g)
    velocity = velocity / maximum(mjMINVAL, best_length(ends, a, prm, g) * prm[g + 6])
    force = peak_force(prm, g, acc0)
    return -force * force_of_length(length, prm[g + 4], prm[g + 5]) * force_of_velocity(velocity, prm[g + 8])


@kernel
def sigmoid(x):
    """Return the smooth step from 0 to 1 (mju_sigmoid), or NaN if x is NaN."""
    return where(x == x, smooth_step(x), x)


@kernel
def muscle_gain_slope(m, d, u):
    """Return the derivative of the active force of muscle u at activation 1 with respect to its velocity."""
    o = m.actuator_outadr[u]
    g = 10 * u
    prm = m.actuator_gainprm
    length = scaled_length(d.actuator_length[o], m.actuator_lengthrange, 2 * o, prm, g)
    unit = maximum(mjMINVAL, best_length(m.actuator_lengthrange, 2 * o, prm, g) * prm[g + 6])
    force = peak_force(prm, g, m.actuator_acc0[o]) * force_of_length(length, prm[g + 4], prm[g + 5])
    return -force * slope_of_velocity(d.actuator_velocity[o] / unit, prm[g + 8]) / unit


@kernel
def force_of_length(length, lmin, lmax):
    """Return the force-length curve: a bump over [lmin, lmax], equal to 1 at length 1, with two parabolas per flank."""
    width = where(length <= 1.0, 1.0 - lmin, lmax - 1.0)
    # distance from the peak as a fraction of the flank; the parabolas meet at its middle
    x = abs(length - 1.0) / maximum(mjMINVAL, width)
    bump = where(x <= 0.5, 1.0 - 2.0 * x * x, 2.0 * (1.0 - x) * (1.0 - x))
    return where((length >= lmin) & (length <= lmax), bump, 0.0)


@kernel
def force_of_velocity(velocity, fvmax):
    """Return the force-velocity curve: 0 at maximum shortening speed, 1 at rest, `fvmax` for fast lengthening."""
    top = fvmax - 1.0
    shortening = 1.0 + maximum(-1.0, velocity)
    missing = maximum(0.0, top - velocity)
    lengthening = fvmax - missing * missing / maximum(mjMINVAL, top)
    return where(velocity <= 0.0, shortening * shortening, lengthening)


@kernel
def slope_of_velocity(velocity, fvmax):
    """Return the derivative of `force_of_velocity`."""
    top = fvmax - 1.0
    shortening = maximum(0.0, 1.0 + velocity)
    lengthening = maximum(0.0, top - velocity) / maximum(mjMINVAL, top)
    return 2.0 * where(velocity <= 0.0, shortening, lengthening)


@kernel
def muscle_bias(m, d, u):
    """Return the passive force of muscle u."""
    o = m.actuator_outadr[u]
    ends, acc0 = m.actuator_lengthrange, m.actuator_acc0[o]
    return passive_force(d.actuator_length[o], ends, 2 * o, acc0, m.actuator_biasprm, 10 * u)


@kernel
def passive_force(length, ends, a, acc0, prm, g):
    """Return the passive force of a muscle beyond L0: quadratic up to half its range, then linear (mju_muscleBias)."""
    half = 0.5 * (prm[g + 5] - 1.0)
    stretch = (scaled_length(length, ends, a, prm, g) - 1.0) / maximum(mjMINVAL, half)
    bent = clip(stretch, 0.0, 1.0)
    return bent * (stretch - 0.5 * bent) * (-peak_force(prm, g, acc0) * prm[g + 7])
