"""Expressions have the same values in every compiled variant as in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.lang import (
    KBIP,
    Field,
    friction,
    kernel,
    load,
    logical_not,
    put,
    quat,
    solimp,
    solref,
    vec2,
    vec3,
    where,
)
from realisations import NAMES, Bench, precision

WORLDS = 16
MODEL_FIELDS = (Field("n", "int"), Field("k", "int"), Field("flag", "int", ("n",)), Field("table", "real", ("n", 5)))
DATA_FIELDS = (
    Field("x", "real", ("n",)), Field("A", "real", ("n", "k")), Field("B", "real", ("n", 2, 3)), Field("out", "real", (40,)),
    Field("count", "int", ("n",)), Field("whole", "int", (40,)), Field("q", "real", (8,)), Field("pair", "int", ("n", 2)),
    Field("ref", "solref", ("n",)), Field("imp", "solimp", ("n",)), Field("mu", "friction", ("n",)),
    Field("act", "KBIP", ("n",)), Field("two", "vec2", ("n",)), Field("v", "vec3", ("n",)),
)  # fmt: skip
BENCH = Bench(MODEL_FIELDS, DATA_FIELDS, {"n": 3, "k": 2})
MODEL = {"flag": [0, 1, 2], "table": np.arange(15.0).reshape(3, 5) / 8}
TWO = 2


def state(seed: int = 0) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    found = {
        "x": generator.uniform(-1.0, 1.0, (WORLDS, 3)), "A": generator.uniform(-1.0, 1.0, (WORLDS, 3, 2)),
        "B": generator.uniform(-1.0, 1.0, (WORLDS, 3, 2, 3)), "q": generator.uniform(-1.0, 1.0, (WORLDS, 8)),
        "count": generator.integers(-4, 9, (WORLDS, 3)), "v": generator.uniform(-1.0, 1.0, (WORLDS, 3, 3)),
        "ref": generator.uniform(0.1, 1.0, (WORLDS, 3, 2)), "imp": generator.uniform(0.1, 1.0, (WORLDS, 3, 5)),
        "mu": generator.uniform(0.1, 1.0, (WORLDS, 3, 5)), "two": generator.uniform(0.1, 1.0, (WORLDS, 3, 2)),
    }  # fmt: skip
    return {name: v.astype(np.float32).astype(v.dtype) if v.dtype == float else v for name, v in found.items()}


@kernel
def conditional(m, d):
    """Select one of two expressions: with `if` by the model or a constant, with `where` by the state."""
    for i in range(m.n):
        d.out[i] = d.x[i] if m.flag[i] > 0 else -d.x[i] * 3.0
        d.out[4 + i] = 1.0 if m.flag[i] == 1 else 0.5 if m.flag[i] == 2 else 0.25
        d.whole[i] = i if m.flag[i] else d.count[i]
        w = d.v[i] if m.flag[i] > 1 else vec3(1.0, d.x[0], 0.0)
        d.out[8 + i] = w.x + 2.0 * w.y + 4.0 * w.z
        # one operand is an integer, the other a real
        d.out[12 + i] = 2 if m.flag[i] == 1 else d.x[i]
    d.out[20] = d.x[0] if TWO > 1 else d.nothing[0]
    d.out[21] = where(d.x[0] > 0.0, d.x[1], d.x[2]) if m.n == 3 and not m.flag[0] else 7.0


@kernel
def integers(m, d):
    """Compute with integers of the model and of the state.

    Integers of the model divide as in Python, even if they are negative. Integers of the state are only divided to reals.
    """
    for i in range(m.n):
        a = 2 * m.flag[i] - 3
        d.whole[i] = a // 2 + 10 * (a % 2)
        d.whole[4 + i] = (7 // (a * 2 + 1)) * 100 + 7 % (a * 2 + 1)
        d.whole[8 + i] = (a << 2) + ((16 + a) >> 1)
        d.whole[12 + i] = (d.count[i] & 3) | (d.count[i] ^ 5)
        d.whole[16 + i] = where(d.count[i] > a, d.count[i] - a, -d.count[i])
        d.out[i] = d.count[i] / 2 + a / 4
    d.whole[30] = 7 // -2
    d.whole[31] = -7 % 3


@kernel
def conditions(m, d):
    """Evaluate conditions on the model with short-circuiting, as in Python."""
    for i in range(m.n):
        if m.flag[i] == 1 or (m.n < 0 and 1 // m.flag[0] > 0):
            d.whole[i] = 1
        if 0 < m.flag[i] <= 2 and not m.flag[i] > 1:
            d.whole[4 + i] = 1
        both = m.flag[i] > 0 and m.flag[i] < 2
        d.whole[8 + i] = where(both, 1, 0)
        d.whole[12 + i] = where(logical_not(d.x[i] > 0.0) ^ (d.count[i] > 2), 1, 0)


@kernel
def shapes(m, d):
    """Access elements of fields of one, two and three dimensions."""
    for r in range(m.n):
        s = 0.0
        for c in range(m.k):
            s += d.A[r, c] * (m.table[r, c + 1] + d.B[r, 1, 2] * d.B[r, c, r])
        d.out[r] = s
        d.pair[r, 0] = r
        d.pair[r, 1] = d.count[r]
        d.A[r, m.k - 1] = s
        d.B[r, 0, r] += 1.0


@kernel
def kinds(m, d):
    """Compute with values of every record type, such as solref and friction."""
    for i in range(m.n):
        r = d.ref[i]
        d.ref[i] = 0.5 * r + solref(r.dampratio, r.timeconst) * d.x[i]
        p = d.imp[i]
        d.imp[i] = solimp(p.dmax, p.dmin, p.width, p.power, p.midpoint) - p * 0.25
        f = d.mu[i]
        d.mu[i] = friction(f.tangent2, f.tangent1, f.torsion, f.roll2, f[3])
        d.act[i] = KBIP(d.x[i], f.roll1, 2.0, -1.0)
        d.out[i] = d.act[i].K + d.act[i].B * d.act[i].I * d.act[i].P
        d.two[i] = vec2(d.two[i].y, d.two[i].x) + where(d.x[i] > 0.0, d.two[i], vec2(1.0, 2.0))
        # a real times a vector, in both orders
        d.v[i] = d.x[i] * d.v[i] + d.v[i] * d.x[0] / 3.0


@kernel
def values_in_arrays(m, d):
    """Load quaternions and vectors from arrays of reals, and store them there."""
    q = load(quat, d.q, 1)
    put(d.q, 0, quat(q.x, q.w, q.z, q.y))
    put(d.out, 3, load(vec3, d.q, 4) + load(vec3, m.table, (1, 2)))
    put(d.B, (1, 1, 0), d.v[0])
    for i in range(m.n):
        # the index of the component is known only at run time
        d.out[10 + i] = d.v[1][i] - d.v[2][m.n - 1 - i]


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize(
    "item", [conditional, integers, conditions, shapes, kinds, values_in_arrays], ids=lambda k: k.__name__
)
def test_compiled_equals_plain(name: str, item: object) -> None:
    expected = BENCH.run(item, "plain", state(), MODEL)
    found = BENCH.run(item, name, state(), MODEL)
    tolerance = {"float64": 1e-12, "float32": 1e-5}[precision(name)]
    for field in DATA_FIELDS:
        np.testing.assert_allclose(
            found[field.name], expected[field.name], rtol=tolerance, atol=tolerance, err_msg=f"{field.name} as {name}"
        )


@pytest.mark.plain
def test_plain_indices_stay_inside() -> None:
    @kernel
    def outside(m, d):
        d.A[0, m.k] = 1.0

    @kernel
    def too_few(m, d):
        d.B[0, 1] = 1.0

    for item, text in ((outside, "outside of"), (too_few, "3 dimensions")):
        with pytest.raises(IndexError, match=text):
            BENCH.run(item, "plain", state(), MODEL)
