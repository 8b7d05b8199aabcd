"""Keyword arguments work for kernels, formulas, records, language functions and groups, compiled and uncompiled."""

from __future__ import annotations

import re

import numpy as np
import pytest

from conjoint.lang import (
    FatalError,
    Field,
    Kernel,
    clip,
    dot,
    formula,
    group,
    kernel,
    local,
    maximum,
    put,
    real,
    record,
    shared,
    tile,
    total,
    vec3,
    where,
)
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.language.kernel_error import KernelError
from conjoint.lang.memory.realisation import WORLD, lanes
from realisations import DUAL_NAMES, NAMES, Bench, DualBench

pytestmark = pytest.mark.plain

MODEL = (Field("n", "int"),)
DATA = (Field("x", "real", (8,)), Field("out", "real", (12,)), Field("team", "long", uniform=True))
BENCH = Bench(MODEL, DATA, {"n": 8})


@formula("real", "real", "vec3")
def pushed(gain, v):
    """Return the first component of a vector times a gain."""
    return gain * v[0]


@record
def Span(low, high):
    """Interval of a line."""


@group
def Pair(first, second):
    """Group of two numbers."""


@kernel
def apart(first, second, margin):
    return first - 2.0 * second - 4.0 * margin


@kernel
def work(m, d, k, gain):
    d.out[10 + k] = gain * d.x[k]


@kernel
def by_keyword(m, d):
    x, y, z = d.x[0], d.x[1], d.x[2]
    d.out[0] = apart(x, margin=z, second=y)
    d.out[1] = apart(margin=z, second=y, first=x)
    d.out[2] = clip(x, high=0.25, low=-0.25)
    d.out[3] = dot(vec3(z=z, x=x, y=y), b=vec3(1.0, 2.0, z=3.0))
    d.out[4] = pushed(v=vec3(x, y, z), gain=3.0)
    span = Span(high=x, low=y)
    d.out[5] = span.high - 2.0 * span.low
    d.out[6] = where(x > y, b=y, a=x) + maximum(b=x, a=y)
    pair = Pair(second=x, first=y)
    d.out[7] = pair.second - 2.0 * pair.first
    numbers = local(count=1, kind=real)
    put(numbers, x=x, at=0)
    d.out[8] = numbers[0]
    d.out[9] = total(tile(d.x, at=0)) - total(t=tile(d.x, 0, apart=1)) + x
    shared(work, m, d, 2, 0.5)


@kernel
def by_position(m, d):
    x, y, z = d.x[0], d.x[1], d.x[2]
    d.out[0] = apart(x, y, z)
    d.out[1] = apart(x, y, z)
    d.out[2] = clip(x, -0.25, 0.25)
    d.out[3] = dot(vec3(x, y, z), vec3(1.0, 2.0, 3.0))
    d.out[4] = pushed(3.0, vec3(x, y, z))
    d.out[5] = x - 2.0 * y
    d.out[6] = where(x > y, x, y) + maximum(y, x)
    d.out[7] = x - 2.0 * y
    d.out[8] = x
    d.out[9] = x
    d.out[10] = 0.5 * x
    d.out[11] = 0.5 * y


def state() -> np.ndarray:
    return np.random.default_rng(2).standard_normal((16, 8)).astype(np.float32).astype(float)


@pytest.mark.parametrize("name", NAMES)
def test_keywords_mean_what_positions_do(name: str) -> None:
    found, expected = (BENCH.run(item, name, {"x": state()})["out"] for item in (by_keyword, by_position))
    assert expected.any(0).all()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", DUAL_NAMES)
def test_keywords_in_dual_numbers(name: str) -> None:
    bench, tangents = DualBench(MODEL, DATA, {"n": 8}), {"d.x": np.eye(8)}
    found, expected = (bench.run(item, name, {"d.x": state()[0]}, tangents) for item in (by_keyword, by_position))
    np.testing.assert_array_equal(found[0]["out"], expected[0]["out"])
    np.testing.assert_array_equal(found[1]["out"], expected[1]["out"])


WRONG: dict[Kernel, str] = {}


def refused(sentence: str):
    def declare(function):
        WRONG[kernel(function)] = sentence
        return function

    return declare


@refused("apart has no parameter margins: did you mean margin?")
def misspelled(m, d):
    d.out[0] = apart(d.x[0], d.x[1], margins=0.0)


@refused("apart has no parameter q: it has first, second, margin")
def foreign(m, d):
    d.out[0] = apart(d.x[0], d.x[1], q=0.0)


@refused("apart takes 3 arguments, not 2: second missing")
def missing(m, d):
    d.out[0] = apart(first=d.x[0], margin=0.0)


@refused("apart received its argument first twice, by position and by keyword")
def twice(m, d):
    d.out[0] = apart(d.x[0], 0.0, first=0.0)


@refused("apart takes 3 arguments, not 4")
def too_many(m, d):
    d.out[0] = apart(d.x[0], 0.0, 0.0, 0.0)


@refused("vec3 has no parameter w: it has x, y, z")
def of_a_record(m, d):
    d.out[0] = vec3(0.0, 0.0, w=1.0).x


@refused("clip has no parameter hihg: did you mean high?")
def of_a_formula(m, d):
    d.out[0] = clip(d.x[0], 0.0, hihg=1.0)


@refused("tile has no parameter apar: did you mean apart?")
def of_a_word(m, d):
    d.out[0] = total(tile(d.x, 0, apar=1))


@refused("tile takes at least 1 arguments, not 0: field missing")
def word_without_arguments(m, d):
    d.out[0] = total(tile())


@refused("Pair has no parameter third")
def of_a_group(m, d):
    d.out[0] = Pair(d.x[0], third=d.x[1]).first


@refused("kernels do not use starred arguments")
def starred(m, d):
    d.out[0] = apart(d.x[0], **d.x)


@pytest.mark.parametrize("item", WRONG, ids=lambda k: k.__name__)
@pytest.mark.parametrize("realisation", [WORLD, lanes("float64", 8)], ids=lambda r: r.name)
def test_names_that_nothing_has(item: Kernel, realisation) -> None:
    line = item.function.__code__.co_firstlineno + 2
    with pytest.raises(FatalError, match=f":{line}: kernel {item.__name__}: " + re.escape(WRONG[item])):
        stage_module("unit", item, realisation, MODEL, DATA)


def test_uncompiled_formulas_say_it_alike() -> None:
    assert clip(2.0, high=1.0, low=0.0) == 1.0
    assert where(condition=True, a=1.0, b=2.0) == 1.0
    assert pushed(v=(2.0, 0.0, 0.0), gain=3.0) == 6.0
    with pytest.raises(KernelError, match=r"clip has no parameter hihg: did you mean high\?"):
        clip(1.0, 0.0, hihg=1.0)
    with pytest.raises(TypeError, match="clip takes 3 arguments, not 2: high missing"):
        clip(1.0, 0.0)
    with pytest.raises(TypeError, match="margins"):
        apart(1.0, 2.0, margins=0.0)
