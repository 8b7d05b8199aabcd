"""Floating-point functions that kernels and formulas may use, in all compiled variants.

The elementary transcendental functions are polynomials evaluated without branches, so that lanes and single worlds
give bit-identical results. Argument reduction and coefficients follow Muller, Elementary Functions (3rd ed., ch. 5,
11); minimax coefficients of sine and cosine are those published with fdlibm (Sun Microsystems 1993). Errors stay within
4 ulp, and special values are those of the C library (tests/lang/test_lang_functions.py).
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .formula import Primitive, Symbol, formula
from .tile import Tile, columns
from .values import Value

MAXIMUM_VALUE = 1e10
"""Magnitude beyond which the simulation state counts as divergent (mjMAXVAL)."""


class _Where(Primitive):
    """where(condition, a, b): a in the lanes where the condition holds, else b. Both are reals, integers or values."""

    def __init__(self) -> None:
        super().__init__("where", "condition a b", lambda condition, a, b: a if condition else b)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        condition, a, b = self.arguments(args, keywords)
        if isinstance(condition, Tile):
            return columns(self, condition, a, b)
        if isinstance(a, (Value, tuple)):
            parts = [self.function(condition, x, y) for x, y in zip(a, b, strict=True)]
            return Value(a.kind, parts) if isinstance(a, Value) else tuple(parts)
        return self.function(condition, a, b)


class _Joined(Primitive):
    """Reduction that combines the conditions in all lanes, or in all columns of a tile, into one condition."""

    def __init__(self, join: Callable[..., bool], doc: str):
        super().__init__(join.__name__, "condition", bool, "bool", doc)
        self.join = join

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        (condition,) = self.arguments(args, keywords)
        return self.join(condition.parts) if isinstance(condition, Tile) else self.function(condition)


class _OfParts(Primitive):
    """A floating-point primitive that also accepts values, and is applied to each of their components."""

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        (x,) = self.arguments(args, keywords)
        return Value(x.kind, [self(part) for part in x]) if isinstance(x, Value) else super().__call__(x)


OF_VALUES = _Where, _OfParts
"""Types of primitives that also accept values."""


def _guarded(function: Any) -> Any:
    """Return a function of Python's `math` module with the IEEE result in cases where `math` raises an error."""

    def plain(x: float) -> float:
        try:
            return np.float64(function(x))
        except ValueError:
            return np.float64(math.nan)
        except OverflowError:
            return np.float64(math.inf)

    return plain


where = _Where()
any = _Joined(builtins.any, "Return True if the condition holds in any lane, or for a tile in any column.")
all = _Joined(builtins.all, "Return True if the condition holds in every lane, or for a tile in every column.")
logical_not = Primitive(
    "logical_not", "condition", lambda c: not c, "bool", "Return the opposite condition, lane by lane."
)
lanes_max = Primitive("lanes_max", "n", lambda n: n, "bool", "Return the largest value of an integer over the lanes.")
minimum = Primitive(
    "minimum",
    "a b",
    lambda a, b: a if a < b else b,
    "real",
    "Return the smaller of two numbers; the second if either is NaN.",
)
maximum = Primitive(
    "maximum",
    "a b",
    lambda a, b: a if a > b else b,
    "real",
    "Return the larger of two numbers; the second if either is NaN.",
)
abs = Primitive("abs", "x", builtins.abs, "real", "Return the magnitude of x.")
sqrt = Primitive(
    "sqrt", "x", _guarded(math.sqrt), "real", "Return the square root of x, correctly rounded; NaN if x is negative."
)
floor = Primitive(
    "floor", "x", lambda x: np.float64(np.floor(x)), "real", "Return the largest integer not above x, as a real."
)
isbad = Primitive(
    "isbad",
    "x",
    lambda x: not -MAXIMUM_VALUE <= x <= MAXIMUM_VALUE,
    "bool",
    "Return True if x is NaN or exceeds mjMAXVAL in magnitude.",
)

stop_gradient = _OfParts("stop_gradient", "x", lambda x: x, "real", "Return x, which derivatives treat as a constant.")
change = _OfParts("change", "x", lambda x: 0.0, "real", "Return zero with the tangents of x, which changes as x does.")

fma = Primitive("fma", "a b c", lambda a, b, c: _exact_fma(a, b, c), "real", "Return a*b + c, rounded once.")
_exponent_power = Primitive(
    "exponent_power", "k", lambda k: np.float64(math.ldexp(1.0, int(k))), "real", "Return 2**k for an integer k."
)
_mantissa = Primitive("mantissa", "x", lambda x: 2.0 * math.frexp(x)[0], "real", "Return the mantissa of x, in [1, 2).")
_exponent = Primitive(
    "exponent", "x", lambda x: np.float64(math.frexp(x)[1] - 1), "real", "Return the exponent e of x = m 2**e."
)
_negative = Primitive(
    "negative", "x", lambda x: math.copysign(1.0, x) < 0, "bool", "Return True if the sign bit of x is set, as in -0.0."
)


def _exact_fma(a: float, b: float, c: float) -> float:
    from fractions import Fraction

    if not math.isfinite(a * b + c):
        return a * b + c
    return float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)))


def _is_symbol(*args: Any) -> bool:
    return builtins.any(isinstance(a, Symbol) for a in args)


def _split(x: Any, constant: tuple[float, ...]) -> tuple[float, ...]:
    """Return the sum of the doubles in `constant` as a sum of three numbers that have the precision of x."""
    if x.base != "float32":
        return constant
    from fractions import Fraction

    rest = sum(Fraction(part) for part in constant)
    parts = []
    for _ in range(3):
        parts.append(float(np.float32(float(rest))))
        rest -= Fraction(parts[-1])
    return tuple(parts)


@formula("real", "real")
def sign(x):
    """Return the sign of x: -1, 0 or 1."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


@formula("real", "real", "real", "real")
def clip(x, low, high):
    """Return x limited to [low, high]."""
    return minimum(maximum(x, low), high)


TWO_OVER_PI = 0.6366197723675814
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
"""Pi/2 as an unevaluated sum of three doubles."""
SINE = tuple((-1.0) ** n / math.factorial(2 * n + 1) for n in range(8, 1, -1))
"""Coefficients of the series of sin x / x, from the term in x**16 to x**4. The next term is 1e-19 at pi/4."""
MINUS_SIXTH = (-0.16666666666666666, -9.25185853854297e-18)
"""Coefficient of x**2 in the series of sin x / x, as an unevaluated sum of two doubles."""
COSINE = tuple((-1.0) ** n / math.factorial(2 * n) for n in range(9, 1, -1))
"""Coefficients of the series of cos x, from the term in x**18 to x**4."""


def _polynomial(x, coefficients):
    """Evaluate a polynomial by Horner's rule, with coefficients from the highest power down."""
    value = coefficients[0]
    for c in coefficients[1:]:
        value = fma(value, x, c) if _is_symbol(x) else value * x + c
    return value


@formula(("real", "real"), "real", exact=True)
def sincos(x):
    """Return (sin x, cos x), x in radians.

    The result is (0, 1) if |x| >= 2**50 (float32: 2**21), where floats are too far apart.
    """
    if not _is_symbol(x):
        return (_guarded(math.sin)(x), _guarded(math.cos)(x))
    # infinity times zero gives NaN, the result for infinite x
    x = where(abs(x) < (2.0**21 if x.base == "float32" else 2.0**50), x, x * 0.0)
    # subtract the nearest multiple of pi/2
    k = floor(x * TWO_OVER_PI + 0.5)
    first, second, third = _split(x, HALF_PI)
    r = fma(-k, first, x)
    # near a multiple of pi/2 the first parts cancel: compute the product and the difference with their exact errors
    product = k * second
    head = r - product
    change = head - r
    tail = fma(-k, third, (r - (head - change)) - (product + change) - fma(k, second, -product))
    # sine and cosine on [-pi/4, pi/4], by their series, with corrections for the rounding errors of the largest terms
    terms = 4 if x.base == "float32" else len(COSINE)
    z = head * head
    z_lost = fma(head, head, -z)
    cube = z * head
    cube_lost = fma(z, head, -cube) + z_lost * head
    sixth, sixth_lost = _split(x, MINUS_SIXTH)[:2]
    second_term = sixth * cube
    second_lost = fma(sixth, cube, -second_term) + (sixth_lost * cube + sixth * cube_lost)
    half = 0.5 * z
    w = 1.0 - half
    s = head + second_term
    small = cube * z * _polynomial(z, SINE[1 - terms :]) + tail * w + second_lost
    small_cosine = z * z * _polynomial(z, COSINE[-terms:]) - tail * s - 0.5 * z_lost
    s = s + (((head - s) + second_term) + small)
    c = w + (((1.0 - w) - half) + small_cosine)
    # select and negate according to the quadrant
    quadrant = k - 4.0 * floor(k * 0.25)
    odd = (quadrant == 1.0) | (quadrant == 3.0)
    sine = where(odd, c, s)
    cosine = where(odd, s, c)
    return (where(quadrant >= 2.0, -sine, sine), where((quadrant == 1.0) | (quadrant == 2.0), -cosine, cosine))


@formula("real", "real")
def sin(x):
    """Return the sine, x in radians."""
    return sincos(x)[0]


@formula("real", "real")
def cos(x):
    """Return the cosine, x in radians."""
    return sincos(x)[1]


ARCTANGENT_STEP = (0.0, 0.4636476090008061, 0.7853981633974483)


@formula("real", "real", "real", exact=True)
def atan2(y, x):
    """Return the angle of the vector (x, y) in radians, in [-pi, pi]."""
    if not _is_symbol(y, x):
        return np.float64(math.atan2(y, x))
    ax = abs(x)
    ay = abs(y)
    steep = ay > ax
    high = where(steep, ay, ax)
    low = where(steep, ax, ay)
    # t = low/high in [0, 1] = tan(step + rest): three steps keep |tan(rest)| below 1/4
    t = where((low == high) & (high > 0.0), 1.0, low / where(high == 0.0, 1.0, high))
    middle = (t > 0.25) & (t <= 0.75)
    top = t > 0.75
    # tangent of the difference from the step; the tangents of the steps are 1 and 1/2
    num = where(top, t - 1.0, where(middle, 2.0 * t - 1.0, t))
    den = where(top, t + 1.0, where(middle, 2.0 + t, 1.0))
    r = num / den
    z = r * r
    tail = r * z * _polynomial(z, ARCTANGENT)
    step = where(top, ARCTANGENT_STEP[2], where(middle, ARCTANGENT_STEP[1], 0.0))
    step_tail = where(top, 3.061616997868383e-17, where(middle, 2.2698777452961687e-17, 0.0))
    angle = step + (r + (tail + step_tail))
    angle = where(steep, 1.5707963267948966 - (angle - 6.123233995736766e-17), angle)
    angle = where(_negative(x), 3.141592653589793 - (angle - 1.2246467991473532e-16), angle)
    return where(_negative(y), -angle, angle)


ARCTANGENT = tuple((-1.0) ** n / (2 * n + 1) for n in range(14, 0, -1))
"""Taylor coefficients of (atan(r)/r - 1) / r**2 in r**2. For r below 1/4 the first neglected term is 2**-63."""

LN2 = (0.6931471805599453, 2.3190468138462996e-17, 5.707708438416212e-34)
INVERSE_FACTORIALS = tuple(1.0 / math.factorial(n) for n in range(13, 1, -1))


def _exp_sum(hi, lo):
    """Return exp(hi + lo) for |lo| << |hi|."""
    # clamp to the arguments at which the result over- or underflows, so that the scale stays representable
    low, high = (-104.0, 89.0) if hi.base == "float32" else (-746.0, 710.0)
    hi = maximum(minimum(hi, high), low)
    ln2, ln2_tail, _ = _split(hi, LN2)
    k = floor(hi * (1.0 / LN2[0]) + 0.5)
    r = fma(-k, ln2, hi)
    tail = fma(-k, ln2_tail, lo)
    x = r + tail
    rest = (r - x) + tail
    p = 1.0 + (x + (x * x * _polynomial(x, INVERSE_FACTORIALS) + rest))
    # scale in two halves: 2**k alone may over- or underflow
    half = floor(k * 0.5)
    return p * _exponent_power(half) * _exponent_power(k - half)


@formula("real", "real", exact=True)
def exp(x):
    """Return the exponential of x."""
    if not _is_symbol(x):
        return _guarded(math.exp)(x)
    return where(x == x, _exp_sum(x, 0.0), x)


LOGARITHM = tuple(2.0 / (2 * n + 1) for n in range(11, 0, -1))
"""Taylor coefficients of (2 atanh(s) - 2 s) / s**3 in s**2. For |s| <= 0.172 the error is 2**-60."""


TWO_THIRDS = (0.6666666666666666, 3.700743415417188e-17, 0.0)


def _log_sum(x):
    """Return the natural logarithm of a positive finite x as an unevaluated sum (hi, lo)."""
    # subnormal numbers have leading zeros in the mantissa: scale them to read their exponents
    smallest, bits = (2.0**-126, 24) if x.base == "float32" else (2.0**-1022, 53)
    tiny = x < smallest
    x = where(tiny, x * 2.0**bits, x)
    m = _mantissa(x)
    e = _exponent(x) - where(tiny, float(bits), 0.0)
    # m in [sqrt(1/2), sqrt(2))
    big = m > 1.4142135623730951
    m = where(big, 0.5 * m, m)
    e = where(big, e + 1.0, e)
    # (m - 1)/(m + 1) as the sum s + ds; log m is twice its atanh
    f = m - 1.0
    g = m + 1.0
    g_tail = m - (g - 1.0)
    s = f / g
    ds = (fma(-s, g, f) - s * g_tail) / g
    z = s * s
    # sum of e ln2, 2 s and the rest, as head and tail
    ln2, ln2_tail, _ = _split(x, LN2)
    a = e * ln2
    a_tail = fma(e, ln2, -a) + e * ln2_tail
    b = 2.0 * s
    # the cubic term is large enough to need a tail of its own
    c = z * s * _polynomial(z, LOGARITHM[:-1]) * z
    cube = z * s
    cube_tail = fma(z, s, -cube) + fma(s, s, -z) * s + 3.0 * z * ds
    third, third_tail, _ = _split(x, TWO_THIRDS)
    d = cube * third
    d_tail = fma(cube, third, -d) + cube * third_tail + cube_tail * third
    hi = a + b
    hi_tail = where(abs(a) >= abs(b), b - (hi - a), a - (hi - b))
    top = hi + d
    top_tail = where(abs(hi) >= abs(d), d - (top - hi), hi - (top - d))
    lo = top_tail + (hi_tail + (a_tail + (2.0 * ds + (d_tail + c))))
    return top, lo


@formula("real", "real", exact=True)
def log(x):
    """Return the natural logarithm; -inf at zero, NaN below."""
    if not _is_symbol(x):
        return np.float64(-math.inf) if x == 0 else _guarded(math.log)(x)
    hi, lo = _log_sum(where((x > 0.0) & (x < math.inf), x, 1.0))
    return where(x > 0.0, where(x < math.inf, hi + lo, x), where(x == 0.0, -math.inf, math.nan))


@formula("real", "real", "real", exact=True)
def pow(x, y):
    """Return x**y for x >= 0; NaN below zero, even for whole y, but 1 for y = 0."""
    if not _is_symbol(x, y):
        try:
            return np.float64(math.pow(builtins.abs(x), y) if not x < 0 or y == 0 else math.nan)
        except (ValueError, OverflowError):
            return np.float64(math.inf)
    finite = x < math.inf
    hi, lo = _log_sum(where((x > 0.0) & finite, x, 1.0))
    hi = where(finite, hi, x)
    top = y * hi
    # `_exp_sum` clamps |top|; pass on the rounding error of top and the low part
    tail = where(abs(top) < 1e4, fma(y, hi, -top) + y * lo, 0.0)
    power = where(top == top, _exp_sum(top, tail), top)
    power = where(x == 0.0, where(y > 0.0, 0.0, where(y < 0.0, math.inf, y)), power)
    return where((y == 0.0) | (x == 1.0), 1.0, where(x >= 0.0, power, math.nan))
