"""Jammed loops run two iterations at a time, with the same results as one iteration after the other."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.lang import PANEL, FatalError, Field, Kernel, jam, kernel, panel, put, tile
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.memory.realisation import WORLD, Realisation, lanes
from realisations import NAMES, Bench, precision

WORLDS, N = 16, 24
MODEL_FIELDS = (Field("n", "int"), Field("first", "int", ("n",)), Field("end", "int", ("n",)))
DATA_FIELDS = (Field("x", "real", (3 * N,)), Field("out", "real", (3 * N,)), Field("sum", "real"))
BENCH = Bench(MODEL_FIELDS, DATA_FIELDS, {"n": N})
RANDOM = np.random.default_rng(0)
FIRST = RANDOM.integers(0, 3, N)
BOUNDS = {"first": FIRST, "end": FIRST + RANDOM.integers(0, 9, N)}
STATE = {"x": RANDOM.normal(size=(WORLDS, 3 * N))}


@kernel
def unlike_bounds(m, d):
    """Run inner loops whose bounds differ between iterations, and add all their results to one sum."""
    whole = 0.0
    for i in jam(range(m.n)):
        s = d.x[i]
        for k in range(m.first[i], m.end[i]):
            s += d.x[N + k] * d.x[k]
        d.out[i] = s
        whole = whole + s
    d.sum = whole


@kernel
def downwards(m, d):
    """Run outer and inner loops over descending ranges with steps of two and three."""
    for i in jam(range(m.n - 1, -1, -3)):
        s = d.x[i]
        for k in range(m.end[i] + m.first[i], m.first[i], -2):
            t = d.x[k]
            s += t * d.x[i]
        d.out[i] = s


@kernel
def chained(m, d):
    """Run a loop whose iterations need results of the preceding iterations, but only in the last inner iterations."""
    for i in jam(range(m.n)):
        s = d.x[i]
        for k in range(i):
            s += -0.3 * d.out[k]
        d.out[i] = s


@kernel
def alike_bounds(m, d):
    """Run inner loops with the same bounds in every iteration, and an odd number of iterations."""
    whole = 0.0
    for i in jam(range(1, m.n)):
        s = 0.0
        for k in range(2, 5):
            t = d.x[k * m.first[3]]
            for j in range(m.n):
                s += t * d.x[i + j]
        d.out[i] = s
        whole = whole + s
    d.sum = whole


@kernel
def tiles(m, d):
    for at in jam(range(0, m.n, 8)):
        s = tile(d.x, at)
        for k in range(3):
            s += d.x[k] * tile(d.x, N + at)
        put(d.out, at, s)
    for row in jam(range(2)):
        for at in range(0, m.n, PANEL):
            p = panel(d.x, at)
            for k in range(m.n):
                p += d.x[k + row] * panel(d.x, N + at)
            put(d.out, (1 + row) * N + at, p)


KERNELS = [unlike_bounds, downwards, chained, alike_bounds, tiles]


@pytest.mark.plain
@pytest.mark.parametrize("item", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_turns_do_what_they_do_alone(item: Kernel, name: str) -> None:
    found, expected = (BENCH.run(item, n, STATE, BOUNDS) for n in (name, "plain"))
    close = {"rtol": 2e-4, "atol": 2e-4} if precision(name) == "float32" else {"rtol": 1e-12, "atol": 1e-12}
    for field in ("out", "sum"):
        np.testing.assert_allclose(found[field], expected[field], **close)


@kernel
def early(m, d):
    """Break the rule of jammed loops: an iteration reads at its start a value that the previous iteration writes at its end."""
    for i in jam(range(m.n)):
        s = d.out[i]
        for k in range(2):
            s = s + d.x[k] * 0.0
        d.out[i + 1] = s + 1.0


def test_two_turns_run_at_once() -> None:
    if "world" in NAMES:
        assert BENCH.run(early, "world", STATE)["out"][0, :5].tolist() == [0, 1, 1, 2, 1]


@pytest.mark.parametrize(
    "realisation, sums", [(WORLD, 2), (lanes("float64", 8), 2), (lanes("float64", 4), 1)], ids=lambda r: str(r)
)
def test_tiles_are_jammed_where_registers_hold_them(realisation: Realisation, sums: int) -> None:
    @kernel
    def one_loop(m, d):
        for at in jam(range(0, m.n, 8)):
            put(d.out, at, tile(d.x, at))

    text, _ = stage_module("one_loop", one_loop, realisation, MODEL_FIELDS, DATA_FIELDS)
    # there is a loop of two iterations, and one for a single iteration that may remain
    assert text.count("%at__2.slot0 = alloca") == sums - 1


@kernel
def left_early(m, d):
    for i in jam(range(m.n)):
        if m.first[i] > 2:
            break


@kernel
def used_behind(m, d):
    s = 0.0
    for i in jam(range(m.n)):
        s = d.x[i]
        d.out[i] = s
    d.sum = s


@kernel
def two_unlike(m, d):
    for i in jam(range(m.n)):
        for k in range(i):
            d.out[k] = 1.0
        for k in range(m.first[i]):
            d.out[k] = 1.0


@kernel
def no_range(m, d):
    for i in jam(m.n):
        d.out[i] = 0.0


@pytest.mark.parametrize(
    "item, reason",
    [
        (left_early, "a jammed loop has no break, continue and return"),
        (used_behind, "s is used before it is assigned"),
        (two_unlike, "at most one inner loop whose bounds differ"),
        (no_range, "loops go over range"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_cannot_be_jammed_is_refused(item: Kernel, reason: str) -> None:
    with pytest.raises(FatalError, match=reason):
        stage_module(item.__name__, item, WORLD, MODEL_FIELDS, DATA_FIELDS)
