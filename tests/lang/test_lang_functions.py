"""Elementary functions in every compiled variant agree with the same functions at higher precision."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.lang import (
    Field,
    abs,
    atan2,
    clip,
    cos,
    exp,
    floor,
    fma,
    isbad,
    kernel,
    log,
    maximum,
    minimum,
    pow,
    sign,
    sin,
    sincos,
    sqrt,
    where,
)
from realisations import NAMES, Bench, precision

ULPS = 4
"""Largest allowed error of a function, in units in the last place of the result."""

UNARY = ("sin", "cos", "sine", "cosine", "exp", "log", "sqrt", "floor", "abs", "sign", "bad")
BINARY = ("atan2", "pow", "minimum", "maximum", "clip", "where", "fma")
BENCH = Bench(
    (Field("n", "int"),),
    [Field(name, "real", ("n",)) for name in ("x", "y", *UNARY, *BINARY)],
    {"n": 64},
)


@kernel
def all_functions(m, d):
    """Compute every function of x, or of x and y."""
    for i in range(m.n):
        x, y = d.x[i], d.y[i]
        d.sin[i] = sin(x)
        d.cos[i] = cos(x)
        sine, cosine = sincos(x)
        d.sine[i] = sine
        d.cosine[i] = cosine
        d.exp[i] = exp(x)
        d.log[i] = log(x)
        d.sqrt[i] = sqrt(x)
        d.floor[i] = floor(x)
        d.abs[i] = abs(x)
        d.sign[i] = sign(x)
        d.bad[i] = where(isbad(x), 1.0, 0.0)
        d.atan2[i] = atan2(x, y)
        d.pow[i] = pow(x, y)
        d.minimum[i] = minimum(x, y)
        d.maximum[i] = maximum(x, y)
        d.clip[i] = clip(x, -1.0, y)
        d.where[i] = where((x < y) & (x > -1.0), x, y)
        d.fma[i] = fma(x, y, -x)


def results(
    name: str, x: np.ndarray, y: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Return x and y in the precision of a compiled variant, and the results of every function."""
    dtype = np.dtype(precision(name))
    worlds = 16
    y = np.zeros_like(x) if y is None else y
    with np.errstate(over="ignore"):
        x, y = (np.resize(np.asarray(v, np.float64), (worlds, 64)).astype(dtype) for v in (x, y))
    found = BENCH.run(all_functions, name, {"x": x, "y": y})
    return x, y, found


def errors(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return the errors in ulp relative to the rounded `expected` (long double); infinite if only one value is special."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(found.dtype)
        same = (rounded == found) | (np.isnan(rounded) & np.isnan(found))
        ulp = np.spacing(np.abs(np.where(np.isfinite(rounded), rounded, 1)))
        distance = np.abs(found.astype(np.longdouble) - expected) / ulp
        # if the expected value rounds to infinity, the largest finite number is accepted as well
        return np.where(same, 0, np.where(np.isnan(distance) | ~np.isfinite(rounded), np.inf, distance)).astype(float)


def assert_close(function: str, found: np.ndarray, expected: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    wrong = errors(found, expected)
    worst = np.unravel_index(wrong.argmax(), wrong.shape)
    assert wrong.max() <= ULPS, (
        f"{function}({x[worst]!r}, {y[worst]!r}) = {found[worst]!r}, not {expected[worst]!r}: {wrong.max():.3g} ulp"
    )


def spread(low: float, high: float, seed: int, signs: bool = True) -> np.ndarray:
    """Return 1024 random numbers whose magnitudes are spread evenly over the decades of [low, high]."""
    generator = np.random.default_rng(seed)
    magnitudes = np.exp(generator.uniform(np.log(low), np.log(high), 1024))
    return magnitudes * generator.choice([-1.0, 1.0], 1024) if signs else magnitudes


def longdouble_log(x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.log(x.astype(np.longdouble))


@pytest.mark.parametrize("name", NAMES)
def test_functions_are_accurate_on_their_ranges(name: str) -> None:
    """Functions are accurate for magnitudes from 1e-20 up to the overflow of exp."""
    single = precision(name) == "float32"
    x, y, found = results(name, spread(1e-20, 80 if single else 700, 0), spread(1e-10, 1e3, 1))
    long, other = x.astype(np.longdouble), y.astype(np.longdouble)
    expected = {
        "sin": np.sin(long), "cos": np.cos(long), "sine": np.sin(long), "cosine": np.cos(long), "exp": np.exp(long),
        "floor": np.floor(long), "abs": np.abs(long), "sign": np.sign(long), "bad": np.zeros_like(long),
        "atan2": np.arctan2(long, other), "minimum": np.minimum(long, other), "maximum": np.maximum(long, other),
        "clip": np.minimum(np.maximum(long, -1), other), "where": np.where((x < y) & (x > -1), long, other),
    }  # fmt: skip
    for function, value in expected.items():
        assert_close(function, found[function], value, x, y)


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_positive_numbers_are_accurate(name: str) -> None:
    """Logarithms, roots and powers are accurate from the smallest subnormal to the largest number."""
    single = precision(name) == "float32"
    low, high = (1e-45, 3e38) if single else (5e-324, 1.7e308)
    x, y, found = results(name, spread(low, high, 2, signs=False), spread(1e-3, 1, 3))
    long, other = x.astype(np.longdouble), y.astype(np.longdouble)
    assert (x < np.finfo(x.dtype).tiny).any()
    assert_close("log", found["log"], longdouble_log(x), x, y)
    assert_close("sqrt", found["sqrt"], np.sqrt(long), x, y)
    assert_close("pow", found["pow"], np.power(long, other), x, y)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_near_one_lose_nothing(name: str) -> None:
    """Logarithms and powers stay accurate near one, where they are prone to cancellation."""
    single = precision(name) == "float32"
    x, y, found = results(name, 1 + spread(1e-7 if single else 1e-15, 0.5, 4), spread(0.1, 30, 5))
    long, other = x.astype(np.longdouble), y.astype(np.longdouble)
    assert_close("log", found["log"], longdouble_log(x), x, y)
    assert_close("pow", found["pow"], np.power(long, other), x, y)


@pytest.mark.parametrize("name", NAMES)
def test_angles_of_many_turns(name: str) -> None:
    """Sine and cosine are accurate for angles of many turns, as long as neighboring numbers differ by less than a turn."""
    x, y, found = results(name, spread(1e2, 2e6 if precision(name) == "float32" else 1e15, 6))
    # the C library reduces arguments exactly; long double has more digits, but the same argument
    assert_close("sin", found["sin"], np.sin(x.astype(np.longdouble)), x, y)
    assert_close("cos", found["cos"], np.cos(x.astype(np.longdouble)), x, y)


@pytest.mark.parametrize("name", NAMES)
def test_sine_and_cosine_are_mostly_the_nearest_numbers(name: str) -> None:
    """Sine and cosine round as in the C library, so that poses are bit-identical to MuJoCo's."""
    angles = np.random.default_rng(11).uniform(-2 * np.pi, 2 * np.pi, 1024)
    x, _, found = results(name, angles)
    for function, exact in (("sin", np.sin), ("cos", np.cos)):
        nearest = exact(x.astype(np.longdouble)).astype(x.dtype)
        assert np.mean(found[function] != nearest) <= 0.01


@pytest.mark.parametrize("name", NAMES)
def test_multiples_of_half_pi(name: str) -> None:
    """Sine and cosine are accurate at multiples of half pi, where the argument reduction cancels most."""
    multiples = np.arange(-512, 512) * np.pi / 2
    x, y, found = results(name, multiples)
    assert_close("sin", found["sin"], np.sin(x.astype(np.longdouble)), x, y)
    assert_close("cos", found["cos"], np.cos(x.astype(np.longdouble)), x, y)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "plain"])
def test_angles_beyond_all_turns_stay_rotations(name: str) -> None:
    """For angles so large that neighboring numbers are more than a turn apart, sine is 0 and cosine is 1."""
    _, _, found = results(name, spread(1e16, 1e38, 7))
    assert (found["sin"] == 0).all()
    assert (found["cos"] == 1).all()


SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.0, -2.0, 1e300, -1e300, 5e-324, -5e-324, 1e38]
)


@pytest.mark.parametrize("name", NAMES)
def test_special_values(name: str) -> None:
    """Functions of zeros, infinities, NaN and extreme numbers, and of all pairs of them, equal those of the C library."""
    x, y = (v.ravel() for v in np.meshgrid(SPECIAL, SPECIAL))
    x, y, found = results(name, x, y)
    long, other = x.astype(np.longdouble), y.astype(np.longdouble)
    with np.errstate(all="ignore"):
        turned = np.where(np.abs(x) < 1e6, x, np.where(np.isfinite(x), 0, np.nan)).astype(np.longdouble)
        power = np.where((x >= 0) | (y == 0) | np.isnan(x), np.power(np.abs(long), other), np.nan)
        expected = {
            "exp": np.exp(long), "log": longdouble_log(x), "sqrt": np.sqrt(long), "floor": np.floor(long),
            "abs": np.abs(long), "sign": np.where(np.isnan(x), 0, np.sign(long)), "bad": ~(np.abs(x) <= 1e10),
            "atan2": np.arctan2(long, other), "pow": power,
            "minimum": np.where(x < y, x, y), "maximum": np.where(x > y, x, y),
        }  # fmt: skip
        if name != "plain":
            expected |= {"sin": np.sin(turned), "cos": np.cos(turned)}
    for function, value in expected.items():
        assert_close(function, found[function], np.asarray(value, np.longdouble), x, y)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "plain"])
def test_lanes_and_single_worlds_compute_the_same_bits(name: str) -> None:
    """Functions have no branches, so that lanes and single worlds compute bit-identical results."""
    partner = {"world": "8 x float64", "view float64": "8 x float64", "view float32": "16 x float32"}.get(name, name)
    x, y = spread(1e-6, 50, 8), spread(1e-3, 10, 9)
    ours, theirs = results(name, x, y)[2], results(partner, x, y)[2]
    for function in ("sin", "cos", "exp", "log", "atan2", "pow", "sqrt"):
        np.testing.assert_array_equal(ours[function], theirs[function], function)
