"""Operators, vectors, conditions and integers have the same results in every compiled variant as in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.lang import (
    COMPONENTS,
    Field,
    abs,
    all,
    any,
    com_inertia,
    conj_quat,
    cross,
    cross_force,
    cross_motion,
    dot,
    dot6,
    inertia,
    integrate_quat,
    kernel,
    lanes_max,
    logical_not,
    mat3,
    mat_from_rows,
    maximum,
    minimum,
    mul_inertia,
    mul_quat,
    norm,
    normalize3,
    normalize_quat,
    quat,
    quat_from_axis_angle,
    quat_to_mat,
    rotate,
    rotate_inv,
    row0,
    row1,
    row2,
    spatial,
    sub_quat,
    vec3,
    where,
    x_axis,
    y_axis,
    z_axis,
)
from realisations import NAMES, Bench, precision

WORLDS = 16
KINDS = ("vec3", "quat", "mat3", "spatial", "inertia")
TOLERANCE = {"float64": 1e-12, "float32": 3e-4}
"""Tolerances by precision, for sums of products of numbers around 1 that the compiler contracts and reorders.

In float32, terms are as large as 100 and have seven digits.
"""

FIELDS = [
    *[Field(f"{kind}_{role}", kind, (count,)) for kind in KINDS for role, count in (("in", 2), ("out", 16))],
    Field("real_in", "real", (4,)), Field("real_out", "real", (24,)),
    Field("int_in", "int", (4,)), Field("int_out", "int", (24,)),
    Field("time", "real"), Field("origin", "vec3"), Field("count", "int"),
]  # fmt: skip
BENCH = Bench(
    (Field("n", "int"), Field("scale", "real", (3,)), Field("opt.gravity", "vec3"), Field("kind", "int", (3,))),
    FIELDS,
    {"n": 3},
)
MODEL = {"scale": [0.5, 2.0, -1.0], "opt.gravity": [0.0, 0.0, -9.81], "kind": [0, 1, 2]}


@kernel
def values(m, d):
    """Use every operator and formula on vectors, quaternions, matrices and spatial vectors."""
    v, w = d.vec3_in[0], d.vec3_in[1]
    p, q = normalize_quat(d.quat_in[0]), normalize_quat(d.quat_in[1])
    r, b = d.mat3_in[0], d.mat3_in[1]
    s, f = d.spatial_in[0], d.spatial_in[1]
    x = d.real_in[0]
    d.vec3_out[0] = v + w
    d.vec3_out[1] = v - w * x + 2.0 * v
    d.vec3_out[2] = -v / x
    d.vec3_out[3] = r @ v
    d.vec3_out[4] = cross(v, w)
    d.vec3_out[5] = normalize3(v)
    d.vec3_out[6] = rotate(p, v)
    d.vec3_out[7] = rotate_inv(p, v)
    d.vec3_out[8] = sub_quat(p, q)
    d.vec3_out[9] = x_axis(r) + y_axis(r) + z_axis(r)
    d.vec3_out[10] = row0(r) + row1(r) - row2(r)
    d.vec3_out[11] = s.angular + s.linear + f.angular - f.linear
    d.vec3_out[12] = vec3(v.x, w.y, x)
    d.vec3_out[13] = m.opt.gravity * x + vec3(1.0, 2.0, 3.0)
    d.vec3_out[14] = where(x > 1.0, v, w)
    d.vec3_out[15] = where(x > 1.0, vec3(0.0, 0.0, 1.0), v)
    d.quat_out[0] = mul_quat(p, q)
    d.quat_out[1] = conj_quat(p) + q * x
    d.quat_out[2] = quat_from_axis_angle(normalize3(w), x)
    d.quat_out[3] = integrate_quat(p, v, 0.1)
    d.quat_out[4] = quat(p.w, -q.x, p.y, x)
    d.mat3_out[0] = quat_to_mat(p)
    d.mat3_out[1] = r @ b
    d.mat3_out[2] = r.T - b
    d.mat3_out[3] = mat_from_rows(normalize3(v), w, v)
    d.mat3_out[4] = mat_from_rows(v, w, m.opt.gravity)
    d.mat3_out[5] = mat3(x, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, 1.0)
    d.spatial_out[0] = spatial(v, w)
    d.spatial_out[1] = cross_motion(s, f)
    d.spatial_out[2] = cross_force(s, f)
    d.spatial_out[3] = mul_inertia(d.inertia_in[0], s)
    d.inertia_out[0] = com_inertia(quat_to_mat(p), v, w, x)
    d.inertia_out[1] = d.inertia_in[0] + d.inertia_in[1]
    d.inertia_out[2] = inertia(x, x, x, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, x)
    d.real_out[0] = dot(v, w)
    d.real_out[1] = norm(v)
    d.real_out[2] = dot6(s, f)
    for i in range(m.n):
        # the index of the component is a variable
        d.real_out[3 + i] = v[i] * r[3 * i + 1]


@kernel
def numbers(m, d):
    """Use accumulators, literals, conditions and integers."""
    total = 0.0
    reach = vec3(0.0, 0.0, 0.0)
    best = -1.0
    which = 0
    for i in range(m.n):
        total += m.scale[i] * d.real_in[i]
        reach += d.vec3_in[0] * m.scale[i]
        better = d.real_in[i] > best
        best = where(better, d.real_in[i], best)
        which = where(better, i, which)
        if m.kind[i] == 1:
            total = total - 1
    d.real_out[0] = total
    d.vec3_out[0] = reach
    d.real_out[1] = best
    d.int_out[0] = which
    x, y = d.real_in[0], d.real_in[1]
    a, b = d.int_in[0], d.int_in[1]
    d.real_out[2] = where((x > 0.0) & (y > 0.0), 1.0, 0.0)
    d.real_out[3] = where((x > 0.0) | (y > 0.0), 1, 0)
    d.real_out[4] = where(logical_not(x > y), x, y)
    d.real_out[5] = where((x > 0.9) ^ (y > 0.9), x, 0.0) + where(x != y, x, 0.0)
    d.real_out[6] = a * x + b / 4
    d.real_out[7] = 1.0 / x - 2 * y
    d.real_out[8] = minimum(x, 0.25) + maximum(y, a)
    d.real_out[9] = a / 2
    d.real_out[10] = x + 1
    d.int_out[1] = a + b * 2 - 1
    d.int_out[2] = (a & 3) | (b & 4)
    d.int_out[3] = a ^ b
    d.int_out[4] = -a
    d.int_out[5] = minimum(a, b)
    d.int_out[6] = maximum(a, 2)
    d.int_out[7] = abs(a - 4)
    d.int_out[8] = where(a < b, a, b + 1)
    d.int_out[9] = where((a == b) | (a > 5), 1, 0)
    d.int_out[10] = where(x < y, 1, 0) + where(a != b, 10, 20)
    d.int_out[11] = where(x < y, m.kind[2], a)
    d.int_out[12] = (m.n * 7) // 2 + (m.n % 2) * 10 + (m.n << 3)
    # scalar fields of the state
    d.time += 0.5
    d.origin = d.origin + d.vec3_in[1]
    d.count = a + 1
    d.count -= 2


@kernel
def reductions(m, d):
    """Compute values that are the same in all lanes of a block."""
    if any(d.real_in[0] > 0.0):
        d.real_out[0] = 1.0
    if all(d.real_in[0] > 0.0):
        d.real_out[1] = 1.0
    for i in range(lanes_max(d.int_in[0])):
        d.int_out[i] = where(i < d.int_in[0], i + 1, 0)


def random_state(seed: int = 0) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    state = {f"{kind}_in": generator.uniform(0.3, 2.0, (WORLDS, 2, COMPONENTS[kind])) for kind in KINDS}
    state["real_in"] = generator.uniform(0.3, 2.0, (WORLDS, 4))
    state["int_in"] = generator.integers(0, 8, (WORLDS, 4))
    state["time"] = generator.uniform(0.0, 1.0, WORLDS)
    state["origin"] = generator.uniform(0.0, 1.0, (WORLDS, 3))
    # round to single precision, so that all variants have the same input
    return {name: v.astype(np.float32).astype(v.dtype) if v.dtype == float else v for name, v in state.items()}


def compare(name: str, item: object, state: dict[str, np.ndarray]) -> None:
    expected = BENCH.run(item, "plain", state, MODEL)
    found = BENCH.run(item, name, state, MODEL)
    tolerance = TOLERANCE[precision(name)]
    for field in FIELDS:
        np.testing.assert_allclose(
            found[field.name], expected[field.name], rtol=tolerance, atol=tolerance, err_msg=f"{field.name} as {name}"
        )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("item", [values, numbers], ids=["values", "numbers"])
def test_compiled_equals_plain(name: str, item: object) -> None:
    compare(name, item, random_state())


@pytest.mark.parametrize("name", NAMES)
def test_reductions_see_the_lanes_of_their_block(name: str) -> None:
    """A reduction combines all lanes of a block; in one world it is the condition itself."""
    state = random_state(1)
    state["real_in"][:, 0] = np.where(np.arange(WORLDS) == 3, 1.0, -1.0)
    found = BENCH.run(reductions, name, state, MODEL)
    width = {"8 x float64": 8, "16 x float32": 16}.get(name, 1)
    blocks = (state["real_in"][:, 0] > 0).reshape(-1, width)
    np.testing.assert_array_equal(found["real_out"][:, 0], np.repeat(blocks.any(1), width))
    np.testing.assert_array_equal(found["real_out"][:, 1], np.repeat(blocks.all(1), width))
    counts = state["int_in"][:, :1]
    np.testing.assert_array_equal(found["int_out"], np.where(np.arange(24) < counts, np.arange(24) + 1, 0))
