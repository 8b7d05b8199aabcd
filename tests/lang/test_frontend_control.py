"""Control flow, variables and calls behave in every compiled variant as in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.lang import Field, Kernel, any, kernel, vec3, where
from realisations import NAMES, Bench, precision

WORLDS = 16
DATA_FIELDS = (
    Field("x", "real", ("n",)),
    Field("v", "vec3", ("n",)),
    Field("out", "real", (30,)),
    Field("whole", "int", (30,)),
)
BENCH = Bench((Field("n", "int"), Field("flag", "int", ("n",))), DATA_FIELDS, {"n": 6})
MODEL = {"flag": [3, 0, 2, 0, 1, 5]}


@kernel
def loops(m, d):
    """Run ascending and descending ranges, loops with early exits, and nested loops."""
    count = 0
    for i in range(m.n - 1, -1, -2):
        count = 10 * count + i
    d.whole[0] = count
    total = 0
    for i in range(m.n):
        if m.flag[i] == 0:
            continue
        for k in range(i):
            if m.flag[k] > m.flag[i]:
                break
            total += 1
        total += 100
        if total > 350:
            break
    d.whole[1] = total
    i = 0
    while i < m.n and m.flag[i] != 2:
        i += 1
    d.whole[2] = i
    while True:
        i -= 1
        last = i
        if i < -3:
            break
    d.whole[3] = last
    for i in range(2, 9, 3):
        last = i
        d.whole[i] = i
    d.whole[4] = last
    for _ in range(5, 5):
        d.whole[29] = 1
    # the range sets its variable in every iteration, even if the loop body has changed the variable
    for j in range(m.n):
        j += 1
        d.whole[10 + j] = j


@kernel
def branches(m, d):
    """Use a variable that is assigned on every path to its use."""
    for i in range(m.n):
        if m.flag[i] > 2:
            y = d.x[i]
        elif m.flag[i] == 0:
            continue
        else:
            y = 0.0
        d.out[i] = y
    for i in range(3):
        known = d.x[i]
    d.out[10] = known


@kernel
def grows(m, d):
    """Widen variables after their first assignment: an integer to a real, a uniform value to one value per lane."""
    s = 0
    reach = vec3(0.0, 0.0, 0.0)
    found = m.n < 0
    for i in range(m.n):
        s = s + d.x[i]
        # one component differs between worlds, two do not
        reach = reach + vec3(d.x[i], 1.0, 0.0)
        found = found | (d.x[i] > 0.9)
    d.out[0] = s
    d.v[0] = reach
    d.out[1] = where(found, 1.0, 0.0)


@kernel
def first_two(m, d, k):
    """Return several results, one of them a vector."""
    if m.flag[k] == 0:
        return 1, vec3(0.0, 0.0, 0.0)
    return d.x[k], d.v[k]


@kernel
def nothing_if(m, d, k):
    """Return early from a kernel without results."""
    if m.flag[k] == 0:
        return
    d.whole[k] = k


@kernel
def status(m, d):
    """Return a uniform number on one path and a per-world value on the other."""
    if m.flag[0] == 0:
        return 0.0
    return d.x[0]


@kernel
def twice(x):
    """Return twice a number; this kernel has no struct arguments."""
    return 2.0 * x


@kernel
def apply(f, m, field):
    """Apply a kernel, which is an argument, to each element of an array."""
    for i in range(m.n):
        field[i] = f(field[i])


@kernel
def calls(m, d):
    """Call kernels that have several results, or that receive kernels and arrays as arguments."""
    for k in range(m.n):
        a, w = first_two(m, d, k)
        d.out[k] = a + w.x
        nothing_if(m, d, k)
    d.out[10] = status(m, d)
    apply(twice, m, d.x)
    d.out[11] = twice(3) + twice(d.x[1])
    # swap two values without a temporary variable
    a, b = d.x[2], d.x[3]
    a, b = b, a
    d.x[2], d.x[3] = a, b
    if any(a > b):
        d.whole[20] = 1


def shifted(inner: Kernel) -> Kernel:
    """Return a kernel that adds one to the result of the given kernel."""

    @kernel
    def shift(x):
        """Return the result of `inner` plus one."""
        return inner(x) + 1.0

    return shift


shifted_twice = shifted(shifted(twice))


@kernel
def same_names(m, d):
    """Call a kernel whose inner kernel has the same name."""
    for k in range(m.n):
        d.out[k] = shifted_twice(d.x[k])


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("item", [loops, branches, grows, calls, same_names], ids=lambda k: k.__name__)
def test_compiled_equals_plain(name: str, item: object) -> None:
    generator = np.random.default_rng(0)
    state = {"x": generator.uniform(-1.0, 1.0, (WORLDS, 6)), "v": generator.uniform(-1.0, 1.0, (WORLDS, 6, 3))}
    # these values are equal in all worlds, because any() combines the worlds of a block
    state["x"][:, 2:4] = 0.25, 0.5
    state = {key: v.astype(np.float32).astype(float) for key, v in state.items()}
    expected, found = (BENCH.run(item, way, state, MODEL) for way in ("plain", name))
    tolerance = {"float64": 1e-12, "float32": 1e-5}[precision(name)]
    for field in DATA_FIELDS:
        np.testing.assert_allclose(
            found[field.name], expected[field.name], rtol=tolerance, atol=tolerance, err_msg=field.name
        )
