"""Dual numbers: every operation of the language has its derivative, compiled and uncompiled.

The derivatives are compared with central differences of the same kernel, uncompiled and with ordinary numbers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from conjoint.lang import (
    PANEL,
    STRIP,
    FatalError,
    Field,
    Kernel,
    abs,
    all,
    any,
    atan2,
    change,
    clip,
    com_inertia,
    conj_quat,
    cos,
    cross,
    cross_force,
    cross_motion,
    dot,
    dot6,
    exp,
    floor,
    fma,
    formula,
    integer,
    integrate_quat,
    isbad,
    jam,
    kernel,
    load,
    local,
    log,
    logical_not,
    mat3,
    mat_from_rows,
    maximum,
    minimum,
    mul_inertia,
    mul_mat_vec,
    mul_quat,
    norm,
    normalize3,
    normalize_quat,
    panel,
    pow,
    put,
    quat_from_axis_angle,
    quat_to_mat,
    quat_to_velocity,
    real,
    record,
    rotate,
    rotate_inv,
    row0,
    row1,
    row2,
    sign,
    sin,
    sincos,
    solref,
    spatial,
    sqrt,
    stop_gradient,
    strip,
    struct,
    sub_quat,
    tangent,
    tile,
    total,
    vec3,
    where,
    with_tangent,
    x_axis,
    y_axis,
    z_axis,
)
from conjoint.lang.calls.compiled import unit_text
from conjoint.lang.language.plain_dual import PlainDual
from conjoint.lang.memory.realisation import TANGENTS, dual_world
from conjoint.lang.objects.unit import Tangents, Unit
from realisations import DUAL_NAMES, DualBench

pytestmark = pytest.mark.plain

MODEL_FIELDS = (Field("n", "int"), Field("flag", "int", ("n",)), Field("mass", "real", ("n",)), Field("scale", "real"))
DATA_FIELDS = (
    Field("x", "real", ("n",)), Field("y", "real", ("n",)), Field("out", "real", (64,)), Field("A", "real", (4, 2)),
    Field("v", "vec3", ("n",)), Field("q", "quat", (2,)), Field("w", "vec3", (2,)), Field("turned", "quat", (4,)),
    Field("points", "vec3", (16,)), Field("rows", "mat3", (2,)), Field("twist", "spatial", (4,)),
    Field("mass", "inertia", (2,)), Field("one", "real"), Field("light", "float", ("n",)), Field("count", "int", (8,)),
)  # fmt: skip
BENCH = DualBench(MODEL_FIELDS, DATA_FIELDS, {"n": 16})

CLOSE = 1e-8
"""Tolerance of extrapolated central differences.

Rounding contributes about 1e-13 / 1e-3, and truncation an error proportional to the fourth power of the step.
"""


def state(seed: int = 0) -> dict[str, np.ndarray]:
    """Return random values of all fields that kernels read."""
    generator = np.random.default_rng(seed)
    found = {f"d.{f}": generator.uniform(0.2, 1.0, (16,)) * generator.choice([-1.0, 1.0], 16) for f in "xy"}
    found |= {"d.v": generator.uniform(-1.0, 1.0, (16, 3)), "d.A": generator.uniform(0.5, 1.0, (4, 2))}
    found |= {"d.q": generator.normal(size=(2, 4)), "d.w": generator.normal(size=(2, 3))}
    return found | {"m.flag": np.arange(16) % 3, "m.mass": generator.uniform(0.5, 1.0, 16), "m.scale": np.array([1.5])}


def directions(values: dict[str, np.ndarray], *names: str) -> dict[str, np.ndarray]:
    """Return random tangents of the named fields."""
    generator = np.random.default_rng(1)
    return {name: generator.uniform(-1.0, 1.0, (*np.shape(values[name]), TANGENTS)) for name in names}


def check(item: Kernel, name: str, values: dict[str, np.ndarray], tangents: dict[str, np.ndarray]) -> None:
    """Check values against those of ordinary numbers, and tangents against finite differences."""
    expected = BENCH.values(item, values)
    found, changes = BENCH.run(item, name, values, tangents)
    differences = BENCH.differences(item, values, tangents)
    for key, value in expected.items():
        limit = 1e-6 if value.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(found[key], value, rtol=limit, atol=limit, err_msg=key)
    for key, tangents in changes.items():
        wanted = differences[key].reshape(tangents.shape)
        np.testing.assert_allclose(tangents, wanted, rtol=CLOSE, atol=CLOSE, err_msg=f"tangents of {key}")


@kernel
def operators(m, d):
    """Compute with dual numbers, constants, integers and numbers without tangents."""
    a, b, c = d.x[0], d.x[1], d.y[0]
    d.out[0] = a + b
    d.out[1] = a - b
    d.out[2] = a * b
    d.out[3] = a / b
    d.out[4] = 2.0 + a
    d.out[5] = a - 2
    d.out[6] = 3 - a
    d.out[7] = 1.0 / a
    d.out[8] = a / 4.0
    d.out[9] = -a
    d.out[10] = +a
    d.out[11] = a + c
    d.out[12] = c - a
    d.out[13] = c * a / (c + 3.0)
    d.out[14] = c / a
    d.out[15] = m.n * a + a * m.flag[1]
    d.out[16] = a * a * a - a / (a * a + 1.0)
    d.out[17] = real(m.n) * real(a)
    d.out[18] = d.one * a
    s = 0
    for i in range(m.n):
        # the sum is an integer before the first iteration
        s = s + d.x[i] * d.x[i]
    d.out[19] = s
    if a > b and b <= a:
        d.out[20] = a
    else:
        d.out[20] = b * b
    d.out[21] = a if a != b else c
    if a:
        d.out[22] = 2.0 * a
    d.out[23] = where((a < b) | (a >= c), 1.0, 2.0)
    d.out[24] = where((a == a) & (c < a + 100.0), a, 0.0)
    d.A[1, 0] = d.A[2, 1] * a
    d.one = a * b


@kernel
def primitives(m, d):
    """Use primitive functions of the language, which are not defined by formulas."""
    for i in range(4):
        x, y = d.x[i], d.y[i]
        d.out[i] = where(x > y, x * x, y)
        d.out[4 + i] = where(x > 0.0, 1.0, x)
        d.out[8 + i] = minimum(x, y) + maximum(x, y * y) + minimum(x, 0.1) + maximum(0.1, x) + minimum(y, x)
        d.out[12 + i] = abs(x) + abs(y)
        d.out[16 + i] = sqrt(x * x + 1.0)
        d.out[20 + i] = floor(5.0 * x) + where(isbad(x), 1.0, 0.0)
        d.out[24 + i] = x * y + x + 2.0 * x + y + y * y + x + y * x + 1.0
        d.out[28 + i] = fma(x, x, y) + fma(y, 3.0, x)
        d.out[32 + i] = sign(x) * x + clip(x, -0.5, y)
        d.count[i] = integer(10.0 * x)
        # the other operand is an integer
        d.out[36 + i] = minimum(m.flag[i], x) + maximum(x, i) + where(x > y, m.n, x) + m.n * x + 1
        w = where(x > y, d.v[i], d.v[i] * x)
        d.points[i] = w


@kernel
def elementary(m, d):
    """Use formulas whose derivatives have a closed form."""
    for i in range(4):
        x, y = d.x[i], d.x[4 + i]
        positive = x * x + 0.1
        s, c = sincos(3.0 * x)
        d.out[i] = s + 2.0 * c
        d.out[4 + i] = sin(x) * cos(y)
        d.out[8 + i] = atan2(x, y) + atan2(0.5, x) + atan2(x, -0.5)
        d.out[12 + i] = exp(x)
        d.out[16 + i] = log(positive)
        d.out[20 + i] = pow(positive, y) + pow(2.0, x) + pow(positive, 1.5)
        d.out[24 + i] = pow(positive, d.y[i])


@kernel
def algebra(m, d):
    """Use formulas of vectors, quaternions, matrices and spatial vectors."""
    a, b, q, p = d.v[0], d.v[1], d.q[0], d.q[1]
    s = d.x[0]
    d.out[0] = dot(a, b) + norm(a)
    d.points[0] = cross(a, b)
    d.points[1] = normalize3(a)
    d.points[2] = rotate(q, a)
    d.points[3] = rotate_inv(q, b)
    d.turned[0] = mul_quat(q, conj_quat(p))
    d.turned[1] = normalize_quat(q)
    d.turned[2] = quat_from_axis_angle(a, s)
    r = quat_to_mat(q)
    d.rows[0] = r
    d.rows[1] = mat_from_rows(a, b, x_axis(r)) @ r.T
    d.points[4] = mul_mat_vec(r, a) + y_axis(r) - z_axis(r) * s
    d.points[5] = r @ b
    d.points[6] = row0(r) + row1(r) / s - row2(r)
    t = spatial(a, b)
    u = spatial(b, d.v[2])
    d.twist[0] = cross_motion(t, u)
    d.twist[1] = cross_force(t, u)
    inertia = com_inertia(r, a, b, s)
    d.mass[0] = inertia
    d.twist[2] = mul_inertia(inertia, t)
    d.out[1] = dot6(t, u)
    d.points[7] = t.angular + u.linear
    d.points[8] = -a * s + 2.0 * b + s * cross(a, b)
    d.turned[3] = integrate_quat(q, d.w[0], 0.3)
    d.points[9] = sub_quat(normalize_quat(q), normalize_quat(p))
    d.points[10] = quat_to_velocity(p, 0.5 + s * s)


@formula("bool", "real", "real", exact=True)
def is_ahead(x, y):
    """Return a condition from a formula: True if x is larger than y and both have the same sign."""
    return (x > y) & (x * y >= 0.0)


@kernel
def edges(m, d):
    """Compare numbers of equal value; their tangents decide the comparison, separately for each direction."""
    zero, one, other = d.x[0], d.x[1], d.x[2]
    rises = zero > 0.0
    d.out[0] = where(rises, 3.0 * zero, 2.0 * zero)
    d.out[1] = where(logical_not(rises) & (one == other), 3.0 * zero, 2.0 * zero)
    d.out[2] = maximum(one, other) + minimum(0.0, zero) + clip(one, -1.0, one)
    d.out[3] = abs(zero)
    # a jump contributes no slope
    d.out[4] = where(rises, 1.0 + 5.0 * zero, zero)
    d.out[5] = where(any(zero != 0.0), 1.0, 0.0) + where(all(zero == 0.0), 2.0, 0.0)
    if any(rises):
        d.out[6] = 1.0
    d.out[7] = 0.0
    if rises:
        d.out[7] = 1.0
    d.out[8] = where(where(m.n > 0, rises, zero < 0.0), 3.0 * zero, 2.0 * zero)
    d.out[9] = where(any(d.y[0] != 0.0), 1.0, 0.0)
    d.out[10] = where(is_ahead(one, other), 3.0 * one, one + 2.0 * other)


@kernel
def one_by_one(m, d):
    """Read tangents as numbers, and set tangents to numbers."""
    x, constant = d.x[0], d.y[0]
    for k in range(TANGENTS):
        d.out[k] = tangent(x, k) + tangent(constant, k)
        x = with_tangent(x, k, 2.0 * k)
    d.out[8] = x
    d.out[9] = with_tangent(constant, 1, 5.0)


@pytest.mark.parametrize("name", DUAL_NAMES)
def test_tangents_are_read_and_written(name: str) -> None:
    values = state()
    tangents = directions(values, "d.x")
    found, changes = BENCH.run(one_by_one, name, values, tangents)
    np.testing.assert_array_equal(found["out"][:8], tangents["d.x"][0])
    np.testing.assert_allclose(changes["out"].reshape(64, TANGENTS)[8], tangents["d.x"][0] + 2.0 * np.arange(TANGENTS))
    assert found["out"][9] == values["d.y"][0] and not changes["out"].reshape(64, TANGENTS)[9].any()


@pytest.mark.parametrize("name", DUAL_NAMES)
def test_edges_are_one_sided_along_each_direction(name: str) -> None:
    values = state()
    values["d.x"][:3], values["d.y"][0] = (0.0, 0.5, 0.5), 0.0
    tangents = {"d.x": np.zeros((16, TANGENTS))}
    tangents["d.x"][:3, :4] = [[1.0, -1.0, 0.0, 2.0], [1.0, 0.0, 3.0, 0.0], [0.0, 2.0, 1.0, 0.0]]
    found, changes = BENCH.run(edges, name, values, tangents)
    slope = changes["out"].reshape(64, TANGENTS)[:, :4]
    assert slope[0].tolist() == [3.0, -2.0, 0.0, 6.0]
    # the value does not rise, but is still equal
    assert slope[1].tolist() == [2.0, -2.0, 0.0, 4.0]
    assert slope[2].tolist() == [1.0 + 1.0, 2.0 - 1.0, 3.0 + 3.0, 0.0]
    assert slope[3].tolist() == [1.0, 1.0, 0.0, 2.0]
    assert slope[4].tolist() == [1.0, -1.0, 0.0, 2.0]
    assert slope[8].tolist() == slope[0].tolist()
    assert slope[10].tolist() == [3.0, 4.0, 9.0, 0.0]
    # `any` and `all` are true if a tangent is; `if` follows the value; numbers without tangents are unchanged
    assert found["out"][[5, 6, 7, 9]].tolist() == [1.0, 1.0, 0.0, 0.0]


@record
def pair_of_duals(first, second):
    """Record of two reals."""


@struct
def Kept(weight=real, place=vec3, several=(real, 3), count=int):
    """Members of different types in one struct in local memory."""


@kernel
def twice(x):
    """Return twice a number."""
    return 2.0 * x


@kernel
def two_results(x, y):
    """Return two results: the first has tangents, the second may have none."""
    if x > 0.0:
        return x * x, y
    return 1.0, y * 3.0


@kernel
def scale(a, first, count, factor):
    """Multiply elements of an array by a factor; the array may be a field or a local array."""
    for k in range(first, first + count):
        a[k] = a[k] * factor


@kernel
def memory(m, d):
    """Store dual numbers in arrays, vectors, structs, variables and results."""
    a = local(real, 8)
    points = local(vec3, 2)
    for k in range(8):
        a[k] = d.x[k]
    scale(a, 2, 4, d.x[8])
    scale(a, 0, 2, 3.0)
    scale(d.y, 0, 2, d.x[9])
    scale(d.y, 2, 2, 2.0)
    for k in range(8):
        d.out[k] = a[k]
    points[0] = d.v[0] * d.x[0]
    points[1] = vec3(1.0, d.x[1], d.y[4])
    put(a, 4, points[1])
    d.points[0] = points[0] + points[1]
    d.points[1] = load(vec3, a, 3)
    # the index of the component is known only at run time
    k = integer(abs(3.0 * d.x[2])) % 3
    d.out[8] = d.v[1][k] * d.v[1][m.flag[1]]
    two = pair_of_duals(d.x[3], 2.0)
    d.out[9] = two.first * two.second
    kept = local(Kept, 2)
    kept[0].weight = d.x[4]
    kept[0].place = d.v[2]
    kept[0].several[1] = d.x[5] * d.x[6]
    kept[0].count = 3
    kept[1] = kept[0]
    kept[0].weight = 0.0
    d.out[10] = kept[1].weight * kept[1].count + kept[0].weight
    d.points[2] = kept[1].place * kept[1].several[1]
    d.out[11] = twice(d.x[7]) + twice(d.y[5]) + twice(1.0)
    first, second = two_results(d.x[8], d.y[6])
    d.out[12] = first + second
    first, second = two_results(2.0, d.x[9])
    d.out[13] = first * second
    # the variable has tangents from the second iteration on
    s = 1.0
    best = d.y[7]
    k = 0
    while k < 4:
        s = s * d.x[k]
        if d.x[k] > best:
            best = d.x[k]
        k += 1
    d.out[14] = s + best
    chosen = vec3(0.0, 0.0, 0.0)
    if m.flag[2] == 2:
        chosen = d.v[3]
    d.points[3] = chosen


@kernel
def tiles(m, d):
    """Use tiles, panels, strips, sums over them, and jammed loops."""
    t, u = tile(d.x, 0), tile(d.x, 8)
    put(d.out, 0, t * u + 2.0 / u - where(t > 0.0, t, 0.5))
    put(d.out, 8, tile(d.y, 0) * tile(d.x, 0, 2) + tile(d.x[3]))
    put(d.out, 16, t * u + tile(d.y, 8) + abs(u) + maximum(t, 0.25))
    d.out[24] = total(t * u) + total(tile(d.y, 0))
    if any(t > 0.0) and not all(t > 0.0):
        d.out[25] = d.x[0]
    s = strip(0.0)
    for k in range(0, m.n, STRIP):
        v = strip(d.x, k)
        s += v * v
        put(d.y, k, 2.0 * v)
    d.out[26] = total(s)
    for k in range(0, 8, PANEL):
        put(d.out, 32 + k, panel(d.x, k) * panel(d.x[1]))
    products = 0.0
    for k in jam(range(m.n)):
        products = products + d.x[k] * m.mass[k]
    d.out[40] = products
    # the left operand of the tile is a number
    put(d.out, 48, d.x[1] * t + d.x[2] / (3.0 + u * u) - (d.x[3] - t))
    put(d.out, 56, where(d.x[4] > t, d.x[5] + u, where(d.y[0] <= u, t, d.x[6])))


@kernel
def constants(m, d):
    """Store constants in fields with tangents, which clears the tangents."""
    d.x[0] = 2.0
    d.x[1] = d.y[1]
    d.x[2] = m.n
    d.v[0] = vec3(1.0, 2.0, 3.0)
    put(d.x, 8, tile(d.y, 0))
    d.out[0] = d.x[0] * d.x[1] * d.x[2]
    # the first stores to elements of a field without tangents
    d.out[1] = d.y[2]
    d.out[2] = d.x[4] * d.y[3]
    d.out[3] = d.y[4]


@kernel
def of_the_model(m, d):
    """Use model fields with tangents; one of them has the same name as a field of `d`."""
    for i in range(m.n):
        d.out[i] = m.mass[i] * m.scale * d.y[i]
    d.mass[0] = com_inertia(mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), d.v[0], d.v[1], m.mass[0])
    d.out[20] = solref(m.scale, 1.0).timeconst


CASES: dict[Kernel, tuple[str, ...]] = {
    operators: ("d.x",), primitives: ("d.x",), elementary: ("d.x",), algebra: ("d.x", "d.v", "d.q", "d.w"),
    memory: ("d.x", "d.v"), tiles: ("d.x",), constants: ("d.x", "d.v"), of_the_model: ("m.mass", "m.scale"),
}  # fmt: skip
"""Fields that have tangents when a kernel starts, keyed by the kernel."""


@pytest.mark.parametrize("name", DUAL_NAMES)
@pytest.mark.parametrize("item", CASES, ids=lambda item: item.__name__)
def test_tangents_are_derivatives(item: Kernel, name: str) -> None:
    values = state()
    check(item, name, values, directions(values, *CASES[item]))


@kernel
def kinks(m, d):
    """Evaluate functions at points where they have no derivative, or only a one-sided one."""
    zero, x = d.x[0], d.x[1]
    d.out[0] = sqrt(zero)
    d.out[1] = abs(zero)
    d.out[2] = minimum(x, x * 1.0)
    d.out[3] = where(zero == 0.0, 1.0, 1.0 / zero)
    d.out[4] = where(zero == 0.0, x, x / zero)
    d.out[5] = pow(zero, 2.0)
    d.out[6] = atan2(zero, zero)
    d.out[7] = stop_gradient(x) * x + change(x)
    d.out[8] = floor(x)
    d.out[9] = sign(x)
    d.out[10] = minimum(zero, 0.0)
    d.out[11] = maximum(2.0 * x, x + x)
    d.out[12] = clip(x, -1.0, 0.25)
    put(d.light, 0, tile(d.x, 0))
    d.out[13] = d.light[1]
    d.points[0] = normalize3(d.v[0] * zero)


@pytest.mark.parametrize("name", DUAL_NAMES)
def test_kinks(name: str) -> None:
    """At a kink, the derivative is the slope of the selected branch; the other branch contributes nothing."""
    values = state() | {"d.x": np.array([0.0, 0.5, *np.ones(14)])}
    tangents = directions(values, "d.x")
    found, changes = BENCH.run(kinks, name, values, tangents)
    of_zero, of_x = tangents["d.x"][:2]
    expected = {1: np.abs(of_zero), 2: of_x, 4: of_x, 7: 1.5 * of_x, 10: np.minimum(of_zero, 0.0), 11: 2.0 * of_x}
    assert np.isfinite(found["out"]).all()
    assert found["out"][4] == 0.5 and found["light"][1] == 0.5
    for k in range(14):
        np.testing.assert_allclose(changes["out"][k, 0], expected.get(k, np.zeros(8)), rtol=1e-15, err_msg=str(k))
    np.testing.assert_array_equal(changes["points"][0], np.zeros((3, 8)))


@kernel
def turns(m, d):
    """Convert between rotations and angular velocities, for eight rotations."""
    for i in range(8):
        d.turned[i] = integrate_quat(d.q[i], d.w[i], 0.5)
        d.v[i] = quat_to_velocity(d.turned[i], 0.25)
        d.v[8 + i] = sub_quat(d.turned[i], d.q[i])


TURNS = DualBench(
    (Field("n", "int"),),
    (Field("q", "quat", (8,)), Field("w", "vec3", (8,)), Field("turned", "quat", (8,)), Field("v", "vec3", (16,))),
    {"n": 8},
)


@pytest.mark.parametrize("name", DUAL_NAMES)
def test_rotations_at_rest_and_beyond_the_shorter_way(name: str) -> None:
    """Derivatives of rotations are right at rest, for small and large angles, and beyond half a turn.

    Near rest, a series replaces the trigonometric functions.
    """
    generator = np.random.default_rng(2)
    axes = generator.normal(size=(8, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    # rotation angles are half of these speeds
    speeds = np.array([0.0, 1e-12, 1e-5, 0.039, 0.0401, 1.0, 5.0, 8.0])
    start = np.where(np.arange(8)[:, None] % 2, generator.normal(size=(8, 4)), [1.0, 0.0, 0.0, 0.0])
    start /= np.linalg.norm(start, axis=1, keepdims=True)
    values = {"d.q": start, "d.w": axes * speeds[:, None]}
    tangents = directions(values, "d.q", "d.w")
    # the tangents keep the unit length of quaternions
    tangents["d.q"] -= start[..., None] * np.sum(start[..., None] * tangents["d.q"], axis=1, keepdims=True)
    found, changes = TURNS.run(turns, name, values, tangents)
    wanted = TURNS.values(turns, values)
    differences = TURNS.differences(turns, values, tangents)
    for key in ("turned", "v"):
        np.testing.assert_allclose(found[key], wanted[key], rtol=1e-11, atol=1e-11, err_msg=key)
        np.testing.assert_allclose(changes[key], differences[key], rtol=1e-7, atol=1e-7, err_msg=f"tangents of {key}")


@kernel
def stores_a_real(m, d):
    """Store a real with tangents in an integer, which is an error."""
    d.count[0] = d.x[0]


@kernel
def counts_to_a_real(m, d):
    """Use a real with tangents as the end of a range, which is an error."""
    for i in range(d.x[0]):
        d.out[i] = 1.0


@pytest.mark.parametrize("item", [stores_a_real, counts_to_a_real], ids=lambda item: item.__name__)
def test_a_real_with_tangents_is_no_integer(item: Kernel) -> None:
    values = state()
    with pytest.raises((FatalError, TypeError)):
        BENCH.run(item, DUAL_NAMES[-1], values, directions(values, "d.x"))


def test_dual_numbers_show_what_they_are() -> None:
    """The repr of a dual number shows its value and its tangents."""
    x = PlainDual(1.5, np.arange(8.0))
    assert repr(vec3(x, 2.0, x * x)).startswith(
        "vec3(1.5 changing by [0, 1, 2, 3, 4, 5, 6, 7], 2, 2.25 changing by [0, 3"
    )
    with pytest.raises(TypeError, match="stop_gradient"):
        math.sin(x)


@struct
def Measured(weight=real, place=vec3):
    """Number and vector that may have tangents."""


@kernel
def fills(a, x):
    """Store a number in an array of the caller."""
    a[1] = x


@kernel
def copies(target, source):
    """Copy the caller's first struct into a second one."""
    target[0] = source[0]


@kernel
def arrays_on_the_stack(m, d):
    """Use local arrays of equal types and lengths; some gain tangents and some never do."""
    still = local(real, 4)
    still[0] = d.y[0]
    d.y[1] = still[0] * 2.0
    late = local(real, 5)
    late[1] = d.y[2]
    d.y[3] = 1.0
    for k in range(2):
        d.out[k] = late[1]
        fills(late, d.x[k])
    other = local(vec3, 3)
    other[0] = d.w[0]
    kept = local(Measured, 1)
    kept[0].weight = d.y[4]
    kept[0].place = other[0]
    d.w[1] = kept[0].place
    moved = local(Measured, 2)
    moved[0].place = d.v[0]
    copies(moved, kept)
    d.out[2] = moved[0].weight
    swapped = local(real, 6)
    swapped[0] = d.x[3]
    chosen = swapped
    if m.n > 20:
        chosen = local(real, 6)
        chosen[0] = 1.0
    d.out[3] = chosen[0]


@pytest.mark.parametrize("name", DUAL_NAMES)
def test_arrays_on_the_stack_have_tangents_only_where_numbers_with_tangents_are_stored(name: str) -> None:
    values = state()
    check(arrays_on_the_stack, name, values, directions(values, "d.x", "d.v"))


@pytest.mark.compiled_only
def test_what_passes_through_an_array_on_the_stack_needs_no_tangents() -> None:
    """Fields have no tangents if only numbers without tangents reach them, even through local arrays.

    The front end discards code that it generated before it knew which fields have tangents.
    """
    for _ in range(2):
        unit = Unit(arrays_on_the_stack, dual_world(["d.x"]), BENCH.rows["m"], BENCH.rows["d"])
        _, _, description = unit_text(unit)
        assert description.tangents is not None
        assert description.tangents.active == ["d.out", "d.x"]
        # another kernel must not inherit the set of active fields
        _, _, description = unit_text(Unit(of_others, dual_world(["d.x"]), BENCH.rows["m"], BENCH.rows["d"]))
        assert description.tangents == Tangents(["d.x"], ["d.out"], ["d.y"])


@kernel
def of_others(m, d):
    """Copy a value that has no tangents."""
    d.y[0] = d.out[0]
