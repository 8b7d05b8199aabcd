"""Kernels need only one import, `import conjoint.lang as cj`, and may use some built-in functions of Python."""

from __future__ import annotations

import builtins
import math
import re

import numpy as np
import pytest

import conjoint
import conjoint.lang as cj
from conjoint.lang import FatalError, Field, Kernel, kernel
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.language.captured import Captured
from conjoint.lang.memory.realisation import WORLD, lanes
from realisations import DUAL_NAMES, NAMES, Bench, DualBench, precision

pytestmark = pytest.mark.plain

MODEL = (Field("n", "int"), Field("scale", "real", ("n",)))
DATA = (
    Field("x", "real", (8,)), Field("y", "real", (8,)), Field("count", "int", (2,)), Field("out", "real", (24,)),
    Field("whole", "int", (4,)), Field("team", "long", uniform=True),
)  # fmt: skip
BENCH = Bench(MODEL, DATA, {"n": 4})
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -2.5, 0.5]


@cj.record
def Span(low, high):
    """Interval of a line."""


@cj.formula("real", "vec3")
def length(v):
    """Return the length of a vector, with functions of the module `cj`."""
    return cj.sqrt(cj.dot(v, v))


@cj.kernel
def piece(m, d, k):
    d.out[16 + k] = cj.sqrt(cj.abs(d.x[k]))


@cj.kernel
def by_module(m, d):
    span = Span(cj.minimum(d.x[0], d.x[1]), cj.maximum(d.x[0], d.x[1]))
    d.out[0] = cj.where(d.x[2] > 0.0, span.low, span.high)
    d.out[1] = length(cj.vec3(d.x[0], d.x[1], d.x[2]))
    numbers = cj.local(cj.real, 2)
    cj.put(numbers, 0, d.x[3])
    d.out[2] = numbers[0]
    d.out[3] = cj.total(cj.tile(d.x, 0))
    sum = 0.0
    for i in cj.jam(range(m.n)):
        for k in range(4):
            sum = sum + m.scale[i] * d.x[k]
    d.out[4] = sum
    for k in range(0, 8, cj.STRIP):
        cj.put(d.out, 8 + k, cj.strip(d.x, k))
    cj.shared(piece, m, d, 2)


@pytest.mark.parametrize("name", NAMES)
def test_words_by_the_name_of_the_module(name: str) -> None:
    x = np.random.default_rng(1).standard_normal((16, 8)).astype(np.float32).astype(float)
    scale = np.arange(1.0, 5.0)
    found = BENCH.run(by_module, name, {"x": x}, {"scale": scale})["out"]
    low, high = np.minimum(x[:, 0], x[:, 1]), np.maximum(x[:, 0], x[:, 1])
    near = {"rtol": 0.0, "atol": 1e-12 if precision(name) == "float64" else 1e-5}
    np.testing.assert_array_equal(found[:, 0], np.where(x[:, 2] > 0.0, low, high))
    np.testing.assert_allclose(found[:, 1], np.linalg.norm(x[:, :3], axis=1), **near)
    np.testing.assert_array_equal(found[:, 2], x[:, 3])
    if name != "plain":
        # uncompiled kernels compute this too, but add in another order
        np.testing.assert_allclose(found[:, 3], x.sum(1), **near)
    np.testing.assert_allclose(found[:, 4], 10.0 * x[:, :4].sum(1), **near)
    np.testing.assert_array_equal(found[:, 8:16], x)
    np.testing.assert_allclose(found[:, 16:18], np.sqrt(np.abs(x[:, :2])), **near)


# ---- built-in functions of Python


@kernel
def by_python(m, d):
    for i in range(8):
        d.out[i] = min(d.x[i], d.y[i])
        d.out[8 + i] = max(d.x[i], d.y[i], 0.25)
        d.out[16 + i] = abs(d.x[i])
    d.whole[0] = min(d.count[0], d.count[1], 3)
    d.whole[1] = max(d.count[0], d.count[1])
    d.whole[2] = abs(d.count[0]) + min(2, 1)
    d.whole[3] = max(m.n, 5)


@pytest.mark.parametrize("name", NAMES)
def test_min_max_and_abs_are_those_of_python(name: str) -> None:
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    x, y = (np.array([pair[k] for pair in pairs] * 2).reshape(16, 8) for k in (0, 1))
    count = np.arange(-16, 16, dtype=np.int32).reshape(16, 2)
    found = BENCH.run(by_python, name, {"x": x, "y": y, "count": count}, {"scale": np.ones(4)})

    def expected(function, *columns):
        return np.array([function(*map(float, item)) for item in zip(*columns, strict=True)]).reshape(16, 8)

    expect = {
        0: expected(min, x.ravel(), y.ravel()),
        8: expected(lambda a, b: max(a, b, 0.25), x.ravel(), y.ravel()),
        16: np.abs(x),
    }
    for first, values in expect.items():
        np.testing.assert_array_equal(found["out"][:, first : first + 8], values)
        np.testing.assert_array_equal(np.signbit(found["out"][:, first : first + 8]), np.signbit(values))
    a, b = count.T
    np.testing.assert_array_equal(found["whole"].T[:2], [np.minimum(np.minimum(a, b), 3), np.maximum(a, b)])
    np.testing.assert_array_equal(found["whole"].T[2:], [np.abs(a) + 1, np.full(16, 5)])


@pytest.mark.parametrize("name", DUAL_NAMES)
def test_min_and_max_follow_the_value_in_dual_numbers(name: str) -> None:
    """With dual numbers, `min` and `max` select by value, as `if` does; of equal numbers they return the first."""
    bench, state = DualBench(MODEL, DATA, {"n": 4}), {"d.x": np.arange(8.0), "d.y": 6.0 - np.arange(8.0)}
    tangents = {"d.x": np.eye(8), "d.y": -2.0 * np.eye(8)}
    values, changes = bench.run(by_python, name, state, tangents)
    np.testing.assert_array_equal(values["out"][:8], np.minimum(state["d.x"], state["d.y"]))
    slopes = changes["out"].reshape(24, 8)
    np.testing.assert_array_equal(np.diag(slopes[:8]), [1, 1, 1, 1, -2, -2, -2, -2])
    np.testing.assert_array_equal(np.diag(slopes[8:16]), [-2, -2, -2, 1, 1, 1, 1, 1])


# ---- errors

WRONG: dict[Kernel, str] = {}


def refused(sentence: str):
    def declare(function):
        WRONG[kernel(function)] = sentence
        return function

    return declare


@refused("kernels do not use Python's any: write `if c:`, or conjoint.lang.any")
def pythons_any(m, d):
    d.out[0] = 1.0 if any(d.x[0] > 0.0) else 0.0


@refused("kernels do not use Python's all: write conjoint.lang.all")
def pythons_all(m, d):
    d.out[0] = 1.0 if all(d.x[0] > 0.0) else 0.0


@refused("kernels do not use Python's pow: write conjoint.lang.pow")
def pythons_pow(m, d):
    d.out[0] = pow(d.x[0], 2.0)


@refused("kernels do not use modules, such as math, but the language: import conjoint.lang as cj")
def another_module(m, d):
    d.out[0] = math.sqrt(d.x[0])


@refused(
    "kernels do not use modules, such as conjoint, but the language: import conjoint.lang as cj; "
    "import enumerations by name: from conjoint import mjtGeom"
)
def the_package(m, d):
    d.out[0] = conjoint.lang.sqrt(d.x[0])


@refused("conjoint.lang has no squrt: did you mean sqrt?")
def misspelled(m, d):
    d.out[0] = cj.squrt(d.x[0])


@refused("kernels do not use modules, such as conjoint.lang.warn")
def inner_module(m, d):
    d.out[0] = cj.warn.warn(d.x[0])


@refused("kernels do not use conjoint.lang.kernel")
def decorator(m, d):
    d.out[0] = cj.kernel(d.x[0])


@refused("min and max take numbers, not a vec3")
def smaller_vector(m, d):
    v = cj.vec3(0.0, 0.0, 0.0)
    d.out[0] = min(v, v).x


@refused("min takes at least 2 arguments, not 1: b missing")
def smallest_of_an_array(m, d):
    d.out[0] = min(d.x)


@pytest.mark.parametrize("item", WRONG, ids=lambda k: k.__name__)
@pytest.mark.parametrize("realisation", [WORLD, lanes("float64", 8)], ids=lambda r: r.name)
def test_refused(item: Kernel, realisation) -> None:
    with pytest.raises(FatalError, match=re.escape(WRONG[item])):
        stage_module("unit", item, realisation, MODEL, DATA)


# ---- contents of the module


def test_a_star_hides_nothing_of_python() -> None:
    space: dict[str, object] = {}
    exec("from conjoint.lang import *", space)
    given = {name for name in space if not name.startswith("__")}
    assert given == set(cj.__all__)
    assert given.isdisjoint(dir(builtins))
    assert len(cj.__all__) == len(given)


def test_keys_follow_what_the_module_means(monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel
    def rooted(m, d):
        d.out[0] = cj.sqrt(abs(d.x[0]))

    @kernel
    def follows(m, d):
        rooted(m, d)

    before, captured = follows.digest, Captured(follows)
    assert "cj.sqrt" in rooted.names and captured.holds() and captured.equals(Captured(follows))

    @cj.formula("real", "real")
    def other(x):
        return 2.0 * x

    monkeypatch.setattr(cj, "sqrt", other)
    assert not captured.holds()
    assert not captured.equals(Captured(follows))
    for item in (rooted, follows):
        item.forget()
    assert follows.digest != before
    monkeypatch.undo()
    assert captured.holds()
    # a global variable of the kernel's module hides a built-in function of Python
    monkeypatch.setitem(globals(), "abs", other)
    assert not captured.holds()


def test_kernels_know_who_shares() -> None:
    """Fields that a language function needs are added to the kernel that calls it, even if called as `cj.function`."""
    assert "team" in by_module.attributes
