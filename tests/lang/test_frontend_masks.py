"""Control flow that depends on the state gives each lane the bit-identical result of a single world."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.lang import (
    FatalError,
    Field,
    Kernel,
    all,
    any,
    kernel,
    load,
    local,
    put,
    real,
    struct,
    uniform,
    unique,
    vec3,
    where,
)
from conjoint.lang.frontend.module import stage_module, varying_lines
from conjoint.lang.memory.realisation import lanes
from realisations import NAMES, Bench, precision

WORLDS = 16
DATA_FIELDS = (
    Field("x", "real", ("n",)),
    Field("v", "vec3", ("n",)),
    Field("k", "int", ("n",)),
    Field("out", "real", (30,)),
    Field("pose", "vec3", (6,)),
    Field("whole", "int", (30,)),
)
MODEL_FIELDS = (Field("n", "int"), Field("flag", "int", ("n",)), Field("table", "real", ("n",)))
BENCH = Bench(MODEL_FIELDS, DATA_FIELDS, {"n": 6})
MODEL = {"flag": [3, 0, 2, 0, 1, 5], "table": [0.5, 1.5, -2.0, 3.0, 0.25, 8.0]}


@kernel
def arms(m, d):
    """Assign a variable in both branches, in one or in none, and read it after the branches."""
    for i in range(m.n):
        x = d.x[i]
        if x > 0.5:
            y = x * 2.0
        elif x > 0.25:
            y = -x
            d.whole[i] += 1
        else:
            y = 0.0
            if m.flag[i] > 1:
                y = 7.0
        d.out[i] = y
    count = 0
    if d.x[0] > 0.5:
        count += 1
        if d.x[1] > 0.5 and d.x[2] > 0.5:
            count += 10
        if d.x[1] > 0.5 or (d.x[2] > 0.5 and not d.x[3] > 0.5):
            count += 100
    d.whole[10] = count
    d.whole[11] = 1 if d.x[4] > 0.5 else 2
    if 0.2 < d.x[5] < 0.7:
        d.whole[12] = 5


@kernel
def loops(m, d):
    """Run loops that lanes leave in different iterations."""
    total = 0.0
    i = 0
    while total < 1.0 and i < m.n:
        total += d.x[i]
        i += 1
    d.whole[0] = i
    d.out[0] = total
    for j in range(m.n):
        if d.x[j] > 0.8:
            d.whole[1] = j
            break
        if d.x[j] < 0.3:
            continue
        d.out[1] += d.x[j]
    for j in range(d.k[0], d.k[1]):
        d.whole[2] += j
        if m.flag[j % m.n] == 0:
            continue
        d.out[2] += d.x[j % m.n]
    while True:
        i -= 1
        for j in range(i):
            if d.x[j] > 0.9:
                break
            d.whole[3] += 1
        if i <= 0 or d.x[i] > 0.7:
            break
        d.whole[4] += i
    last = -1
    for j in range(m.n):
        last = j
        if d.x[j] > 0.6:
            break
    d.whole[5] = last
    for j in range(5, -1, -1):
        if d.x[j] > 0.6:
            break
    d.whole[6] = j


@kernel
def first_above(m, d, limit):
    """Return, from within a loop, the index and vector of the first element above a limit."""
    for i in range(m.n):
        if d.x[i] > limit:
            return i, d.v[i]
    return -1, vec3(0.0, 0.0, 1.0)


@kernel
def nothing_if(m, d, i):
    """Return early from a kernel that writes."""
    if d.x[i] < 0.4:
        return
    if d.x[i] > 0.9:
        d.whole[i] = 100
        return
    d.whole[i] += 10


@kernel
def calls(m, d):
    """Call kernels in some of the lanes."""
    k, v = first_above(m, d, 0.7)
    d.whole[10] = k
    d.pose[0] = v
    for i in range(m.n):
        nothing_if(m, d, i)
        if d.x[i] > 0.5:
            nothing_if(m, d, 5 - i)
            k, v = first_above(m, d, d.x[i])
            d.whole[11] += k
            d.pose[1] = d.pose[1] + v


@kernel
def indices(m, d):
    """Index fields of worlds and of the model, local arrays and vectors by integers of the state."""
    for i in range(m.n):
        k = d.k[i] % m.n
        d.out[i] = d.x[k] + m.table[k]
        d.out[10 + k] += 1.0
        d.pose[k] = d.v[i]
        w = d.v[k]
        d.out[20 + i] = w[k % 3]
    own = local(real, 6)
    for i in range(6):
        own[i] = 0.0
    for i in range(m.n):
        if d.x[i] > 0.5:
            own[d.k[i] // 3 % 6] += d.x[i]
            own[0] = own[5] + 1.0
    for i in range(4):
        d.out[6 + i] = own[i]
    put(d.x, 0, load(vec3, d.x, d.k[0] % 3))


@struct
def Corner(point=vec3, number=int, weights=(real, 3)):
    """Corner with a point, a number and weights."""


@kernel
def farthest(corners, count):
    """Return the number of the corner with the largest x, found through a variable that refers to a struct."""
    best = corners[0]
    for i in range(1, count):
        corner = corners[i]
        if corner.point.x > best.point.x:
            best = corner
    return best.number


@kernel
def second(corners):
    """Return a reference to an element of an argument."""
    return corners[1]


@kernel
def aliases(m, d):
    """Read local structs through aliases after some lanes have overwritten the structs."""
    corners = local(Corner, 3)
    for i in range(3):
        corners[i].number = i
    best = second(corners)
    last = corners[2] if m.n > 1 else corners[0]
    if d.x[0] > 0.5:
        corners[1].number = 100
        corners[2].number = 200
    d.whole[0] = best.number
    d.whole[1] = last.number


@kernel
def structs(m, d):
    """Read and write structs at an index that differs between lanes."""
    corners = local(Corner, 6)
    for i in range(m.n):
        corner = corners[i]
        corner.point = d.v[i]
        corner.number = 10 + i
        for j in range(3):
            corner.weights[j] = d.x[i] * j
    best = corners[d.k[0] % 6]
    best.number += 100
    for i in range(m.n):
        if d.v[i].x > best.point.x:
            best = corners[i]
            best.weights[1] = 0.5
    best.number += 1000
    corners[1] = best
    if d.x[0] > 0.5:
        corners[2] = corners[d.k[1] % 6]
    for i in range(m.n):
        d.whole[i] = corners[i].number
        d.out[i] = corners[i].weights[1]
        d.pose[i] = corners[i].point
    d.whole[10] = farthest(corners, m.n)
    if d.x[1] > 0.4:
        d.whole[11] = farthest(corners, 3)


@kernel(one_by_one="a test")
def alone(m, d, corners, own, x, k, v):
    """Change memory of the caller; this kernel runs for one lane at a time."""
    found = 0.0
    for i in range(k):
        corners[i].number += i
        own[i] += x
        found += own[i] * v.x
    if x > 0.5:
        d.out[k] = found
        return found, vec3(x, v.y, 0.0), True
    d.whole[k] += 3
    return -found, v, False


@kernel
def one_by_one(m, d):
    """Call `alone` in all lanes and in some of them, with local memory as arguments."""
    corners = local(Corner, 6)
    own = local(real, 6)
    for i in range(6):
        corners[i].number = i
        corners[i].point = d.v[i]
        own[i] = d.x[i]
    x, v, deep = alone(m, d, corners, own, d.x[0], d.k[0] % 5, d.v[2])
    d.out[20], d.pose[0] = x, v
    if deep:
        d.whole[20] = 1
    for i in range(3):
        if d.x[i] > 0.5:
            x, v, deep = alone(m, d, corners, own, d.x[i + 1], i + 1, v)
            d.out[21 + i], d.pose[1] = x, v
            if not deep:
                d.whole[21] += 1
    for i in range(6):
        d.whole[i] += corners[i].number
        d.out[10 + i] = own[i]


@kernel(few=True)
def few(m, d, x, k):
    """Sum the elements above a limit; this kernel runs lane by lane if few lanes are active."""
    total = 0.0
    for i in range(k):
        if d.x[i] > x:
            total += d.x[i]
            d.out[i] += x
    return total, k


@kernel
def by_number(m, d):
    """Call `few` with many active lanes and with few."""
    for i in range(6):
        if d.x[i] > i / 6.0:
            total, k = few(m, d, d.x[i], d.k[i] % 6)
            d.out[10 + i] = total
            d.whole[i] = k


@struct
def Shape(kind=uniform(int), size=real):
    """Shape whose type is the same in all worlds of a block."""


@kernel
def shape_of(m, d, g, shape):
    shape.kind = m.flag[g]
    shape.size = d.x[g]


@kernel
def extent_of(m, shape):
    """Branch on the type of a shape, which is the same in all lanes."""
    if shape.kind > 1:
        return shape.size * m.table[uniform(shape.kind)]
    return shape.size


@kernel(one_by_one="a test")
def grown(shape, by):
    shape.size += by * shape.kind


@kernel
def shapes(m, d):
    """Create structs with uniform members in a branch that only some lanes enter."""
    for g in range(m.n):
        if d.x[g] > 0.3:
            shape = local(Shape, 1)[0]
            shape_of(m, d, g, shape)
            grown(shape, d.x[0])
            d.out[g] = extent_of(m, shape)


@kernel
def lists(m, d):
    """Append to lists whose lengths differ between lanes."""
    count = d.k[5] % 3
    for i in range(m.n):
        if d.x[i] > 0.4:
            for c in unique(count):
                if d.x[i] > 0.9:
                    continue
                d.out[c] = d.x[i]
                d.pose[c % 6] = d.v[i]
                count += 1
    d.whole[0] = count
    for c in unique(m.n):
        d.whole[c] = 7
    d.whole[1] = first_in(m, d)


@kernel
def first_in(m, d):
    """Return from inside a loop over `unique`."""
    for c in unique(d.k[0] % 6):
        if d.x[c] > 0.5:
            return c
    return -1


@kernel
def gates(m, d):
    """Use `any` and `all`, which combine only active lanes, and `where` inside `if`."""
    for i in range(m.n):
        if d.x[i] > 0.5:
            if any(d.x[i] > 0.7):
                d.out[i] = where(d.x[i] > 0.7, d.x[i], 0.0)
            if all(d.x[i] > 0.5):
                d.whole[i] += 1


@kernel
def answer(m, d):
    """Return a nonzero status, which stops the stage, in some of the worlds."""
    if d.x[0] > 0.5:
        d.whole[0] = 1
        return 3
    return 0


KERNELS = [arms, loops, calls, indices, aliases, structs, one_by_one, by_number, shapes, lists, gates, answer]


def state(base: str) -> dict[str, np.ndarray]:
    """Return random values of the input fields, different in every world."""
    rng = np.random.default_rng(3)
    return {
        "x": rng.random((WORLDS, 6)).astype(base),
        "v": rng.standard_normal((WORLDS, 6, 3)).astype(base),
        "k": rng.integers(0, 12, (WORLDS, 6)),
    }


@pytest.mark.parametrize("name", [n for n in NAMES if n != "plain"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_lanes_do_what_one_world_does(kernel: Kernel, name: str) -> None:
    given = state(precision(name))
    found = BENCH.run(kernel, name, given, MODEL)
    for w in range(WORLDS):
        alone = BENCH.run(kernel, "plain", {k: v[w : w + 1] for k, v in given.items()}, MODEL)
        for field, values in alone.items():
            np.testing.assert_allclose(found[field][w], values[0], rtol=1e-5, err_msg=f"{field} of world {w}")


def test_bits_of_lanes_are_those_of_one_world() -> None:
    given = state("float64")
    for item in KERNELS:
        found = BENCH.run(item, "8 x float64", given, MODEL)
        for w in range(WORLDS):
            alone = BENCH.run(item, "world", {k: v[w : w + 1] for k, v in given.items()}, MODEL)
            for field, values in alone.items():
                np.testing.assert_array_equal(found[field][w], values[0], err_msg=f"{item} {field}")


def test_what_is_uniform_does_not_vary() -> None:
    found = varying_lines(shapes, lanes("float64", 8), BENCH.model_fields, BENCH.data_fields)
    assert [(name, what) for _, _, name, what in found] == [
        ("shapes", "branch"), ("shapes", "calls, one by one"),
    ]  # fmt: skip


@kernel
def claims(m, d):
    d.whole[0] = uniform(d.k[0])


@kernel
def sets_a_kind_in_some_lanes(m, d):
    shape = local(Shape, 1)[0]
    shape.kind = 1
    if d.x[0] > 0.5:
        shape.kind = 2
    d.whole[0] = shape.kind


@kernel
def sets_a_kind_that_differs(m, d):
    shape = local(Shape, 1)[0]
    shape.kind = d.k[0]


@pytest.mark.plain
@pytest.mark.parametrize(
    "item, sentence",
    [
        (claims, "it differs between them"),
        (sets_a_kind_in_some_lanes, "Shape.kind is shared by all worlds of a block, but only some of them write to it"),
        (sets_a_kind_that_differs, "but the value differs between them"),
    ],
)
def test_what_is_not_uniform_is_refused(item: Kernel, sentence: str) -> None:
    with pytest.raises(FatalError, match=sentence):
        stage_module("unit", item, lanes("float64", 8), BENCH.model_fields, BENCH.data_fields)
