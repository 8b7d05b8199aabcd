"""Impedance, stiffness and damping of a constraint row, computed from `solref` and `solimp`.

See the Modeling chapter, "Solver parameters".
"""

from conjoint.lang import KBIP, abs, clip, formula, kernel, maximum, pow, solref, where
from conjoint.schema.constants import mjMAXIMP, mjMINIMP, mjMINVAL
from conjoint.schema.enums import mjtDisableBit


@formula("solimp", "solimp")
def limited(imp):
    """Return `solimp` in its valid range: impedances and midpoint in [mjMINIMP, mjMAXIMP], power at least 1."""
    dmin, dmax, width, midpoint, power = imp
    dmin, dmax, midpoint = (clip(x, mjMINIMP, mjMAXIMP) for x in (dmin, dmax, midpoint))
    return (dmin, dmax, maximum(0.0, width), midpoint, maximum(1.0, power))


@formula("bool", "real", "real")
def coincide(a, b):
    """Return True if two numbers are equal, which allows the caller to skip a computation.

    Return False for dual numbers, because the derivatives of the skipped result depend on both numbers.
    """
    return a == b


coincide.smooth = lambda a, b: (a + b) != (a + b)


@kernel
def impedance(imp, violation):
    """Return the impedance of a row, and its derivative.

    It is a sigmoid of |violation| / width from dmin to dmax: two power functions that meet at a midpoint.

    Args:
        imp: `solimp` in its valid range: impedances at zero violation and at violations of at least the width, width (m
            or rad), midpoint as a fraction of the width, exponent.
        violation: position minus margin (m or rad).

    Returns:
        impedance in (0, 1) and its derivative with respect to the violation.
    """
    power = imp.power
    # a flat sigmoid has the mean value everywhere
    flat = coincide(imp.dmin, imp.dmax) | (imp.width <= mjMINVAL)
    x = abs(violation) / where(flat, 1.0, imp.width)
    low = x <= imp.midpoint
    base = where(low, x, 1.0 - x)
    room = where(low, imp.midpoint, 1.0 - imp.midpoint)
    # base^power / room^(power - 1), without a power function in the usual case of power 2
    inner = where((x < 1.0) & (x > 0.0), base, 0.5)
    scale = inner / room
    if not coincide(power, 2.0):
        scale = pow(scale, power - 1.0)
    rise = inner * scale
    y = where(low, rise, 1.0 - rise)
    slope = power * scale
    # a straight line has no midpoint
    y = where(power == 1.0, x, y)
    slope = where(power == 1.0, 1.0, slope)
    # beyond the ends the sigmoid is constant
    y = where(x >= 1.0, 1.0, where(x <= 0.0, 0.0, y))
    slope = where((x >= 1.0) | (x <= 0.0), 0.0, slope)
    signed = where(violation < 0.0, -slope, slope)
    span = imp.dmax - imp.dmin
    value = where(flat, 0.5 * (imp.dmin + imp.dmax), imp.dmin + y * span)
    derivative = where(flat, 0.0, signed * span / where(flat, 1.0, imp.width))
    return value, derivative


@kernel
def has_mixed_formats(ref):
    """Return True if `solref` mixes its two formats, because only one of its two numbers is positive."""
    return (ref.timeconst > 0.0) ^ (ref.dampratio > 0.0)


@kernel
def safe_reference(m, ref):
    """Return `solref` with mixed formats replaced by the default, and a time constant of at least two timesteps."""
    ref = where(has_mixed_formats(ref), solref(0.02, 1.0), ref)
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_REFSAFE) == 0:
        longer = maximum(ref.timeconst, 2.0 * m.opt.timestep)
        ref = solref(where(ref.timeconst > 0.0, longer, ref.timeconst), ref.dampratio)
    return ref


@kernel
def stiffness_and_damping(m, ref, dmax):
    """Return stiffness K (1/s^2) and damping B (1/s) of the reference acceleration, from either format of `solref`."""
    ref = safe_reference(m, ref)
    ref0 = ref.timeconst
    ref1 = ref.dampratio
    squared = dmax * dmax
    K = where(
        ref0 > 0.0, 1.0 / maximum(mjMINVAL, squared * ref0 * ref0 * ref1 * ref1), -ref0 / maximum(mjMINVAL, squared)
    )
    B = where(ref1 > 0.0, 2.0 / maximum(mjMINVAL, dmax * ref0), -ref1 / maximum(mjMINVAL, dmax))
    return K, B


@kernel
def row_parameters(m, ref, imp, violation):
    """Return the parameters of a row, as in `efc_KBIP`, at the given violation (position minus margin)."""
    imp = limited(imp)
    K, B = stiffness_and_damping(m, ref, imp.dmax)
    value, derivative = impedance(imp, violation)
    return KBIP(K, B, value, derivative)
