"""Tiles, strips, local arrays, and array arguments that may refer to the same array."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.lang import (
    STRIP,
    TILES,
    Field,
    abs,
    all,
    any,
    dot,
    integer,
    kernel,
    local,
    maximum,
    put,
    real,
    strip,
    tile,
    total,
    vec3,
    where,
)
from conjoint.lang.frontend.machine import Machine
from conjoint.lang.frontend.vocabulary import width_of
from conjoint.lang.memory.realisation import WORLD, Realisation, lanes
from realisations import NAMES, Bench, precision

WORLDS = 16
DATA_FIELDS = (
    Field("x", "real", ("n",)), Field("y", "real", ("n",)), Field("light", "float", ("n",)), Field("s", "real", (20,)),
    Field("point", "vec3", ("n",)), Field("kept", "vec3", ("n",)), Field("count", "int"),
)  # fmt: skip
BENCH = Bench((Field("n", "int"),), DATA_FIELDS, {"n": 16})


@kernel
def tiles(m, d):
    """Compute with tiles of eight columns: arithmetic, formulas, conditions and variables."""
    t = tile(d.x, 0)
    u = tile(d.x, 8)
    put(d.y, 0, 2.0 * t - u / 3.0 + 1.0 / (abs(t) + 1.0))
    positive = t > 0.0
    if m.n > 0:
        positive = positive & (u < 0.5)
    put(d.y, 8, where(positive | (u > 0.9), 2.0 * t + u, maximum(-t, 0.25)))
    d.s[0] = total(t * u)
    d.s[1] = total(where(positive, 1.0, 0.0))
    sums = tile(0.0)
    for k in range(0, m.n, 8):
        sums = sums + tile(d.x, k) * d.x[k]
    put(d.light, 8, sums)
    put(d.light, 0, tile(d.light, 8) * 0.5)


@kernel
def tiles_apart(m, d):
    """Read every second column of an array, with a constant stride and with one that is computed at run time."""
    put(d.y, 0, tile(d.x, 0, 2) - tile(d.x, 1, 2))
    put(d.y, 8, tile(d.x, 0, m.n // 8) * tile(d.x, m.n - 8, 1))


@kernel
def strips(m, d):
    """Sum over strips, whose width depends on the compiled variant."""
    s = strip(0.0)
    for k in range(0, m.n, STRIP):
        v = strip(d.x, k)
        s += v * v
        put(d.y, k, where(v > 0.0, v, 2.0 * v))
    d.s[0] = total(s)


@kernel
def sorts(m, d):
    """Sort local arrays; a helper kernel accepts a local array like a field."""
    a = local(real, 16)
    for i in range(m.n):
        a[i] = d.x[i]
    for i in range(m.n):
        for j in range(m.n - 1 - i):
            exchange(a, j)
    for i in range(m.n):
        d.y[i] = a[i]
    corners = local(vec3, 4)
    for i in range(4):
        corners[i] = d.point[i] * 2.0
    d.kept[0] = corners[3] - corners[0]
    put(a, 4, corners[1])
    d.s[3] = a[5]


@kernel
def exchange(a, j):
    """Sort two neighboring elements."""
    low = where(a[j] < a[j + 1], a[j], a[j + 1])
    a[j + 1] = where(a[j] < a[j + 1], a[j + 1], a[j])
    a[j] = low


@kernel
def clips(m, d):
    """Build a local list whose length depends on the state."""
    kept = local(vec3, 16)
    order = local(int, 16)
    count = 0
    for i in range(m.n):
        if dot(d.point[i], d.point[i]) > 0.5:
            kept[count] = d.point[i]
            order[count] = i
            count += 1
    for i in range(count):
        d.kept[order[i]] = kept[count - 1 - i]
    d.count = count


@kernel
def truncates(m, d):
    """Truncate reals to whole numbers, which remain reals."""
    for i in range(m.n):
        d.y[i] = integer(4.0 * d.x[i]) + 0.5
    d.y[0] = integer(d.x[0] / 0.0 - d.x[0] / 0.0)


@kernel
def add_to(source, target, i):
    """Add source[i] to target[i] twice; both arguments may be the same array."""
    target[i] = target[i] + source[i]
    target[i] = target[i] + source[i]


@kernel
def aliases(m, d):
    """Call `add_to` with the same array as both arguments, and with different fields and local arrays.

    If both arguments are the same array, reads through one of them must see writes through the other.
    """
    a = local(real, 16)
    b = local(real, 16)
    for i in range(m.n):
        a[i] = d.x[i]
        b[i] = 1.0
        add_to(a, b, i)
        add_to(b, b, i)
        add_to(d.x, d.x, i)
        add_to(d.x, d.y, i)
        before = d.y[i]
        d.x[i] = 0.0
        d.y[i] = d.y[i] + before + a[i] + b[i]
    if any(d.x[0] > 0.0):
        d.s[0] = 1.0


@pytest.mark.plain
def test_any_and_all_join_the_columns_of_a_tile() -> None:
    t = tile([0.0, 2.0] * 4, 0)
    assert any(t > 1.0) and not all(t > 1.0)
    assert all(t < 3.0) and not any(t > 3.0)


@pytest.mark.plain
@pytest.mark.parametrize(
    "realisation, held", [(WORLD, 2), (lanes("float64", 4), 1), (lanes("float32", 8), 1), (lanes("float64", 8), 2)]
)
def test_tiles_that_registers_hold(realisation: Realisation, held: int) -> None:
    """Two tiles are processed at a time if they fit in registers: four lanes of AVX2 need eight of sixteen registers per tile."""
    assert width_of(TILES, Machine.of(realisation)) == held


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize(
    "item", [tiles, tiles_apart, strips, sorts, clips, truncates, aliases], ids=lambda k: k.__name__
)
def test_compiled_equals_plain(name: str, item: object) -> None:
    if item is clips and " x " in name:
        return
    generator = np.random.default_rng(0)
    state = {key: generator.uniform(-1.0, 1.0, (WORLDS, 16)) for key in ("x", "y")}
    state["point"] = generator.uniform(-1.0, 1.0, (WORLDS, 16, 3))
    state = {key: v.astype(np.float32).astype(float) for key, v in state.items()}
    expected, found = (BENCH.run(item, way, state) for way in ("plain", name))
    tolerance = {"float64": 1e-12, "float32": 2e-5}[precision(name)]
    for field in DATA_FIELDS:
        limit = 1e-6 if field.kind == "float" else tolerance
        np.testing.assert_allclose(found[field.name], expected[field.name], rtol=limit, atol=limit, err_msg=field.name)


SHARED = (
    Field("out", "real", (2,)), Field("one.x", "real", ("n",), area="a"), Field("one.z", "real", ("n",), area="a"),
    Field("two.y", "real", ("n",), area="a"),
)  # fmt: skip
SHARED_BENCH = Bench((Field("n", "int"),), SHARED, {"n": 16})


@kernel
def store_after_store(m, d):
    """Write to memory that two groups of fields share, and read the last value through both groups."""
    d.one.x[3] = 1.0
    d.two.y[3] = 2.0
    d.out[0] = d.one.x[3]
    d.one.x[5] = 3.0
    d.one.z[5] = 4.0
    d.out[1] = d.one.x[5]


@pytest.mark.parametrize("name", NAMES)
def test_groups_of_an_area_may_overlap(name: str, monkeypatch) -> None:
    """Alias metadata treats fields of different groups as overlapping, and fields of one group as distinct."""
    monkeypatch.setenv("CONJOINT_OPTIMIZE", "first")
    after = SHARED_BENCH.run(store_after_store, name, {"out": np.zeros((WORLDS, 2))})
    assert (after["out"] == [2.0, 3.0]).all()
