"""Formulas in plain Python satisfy the laws of rotations, frames and spatial vectors for random numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conjoint.lang import (
    Value,
    com_inertia,
    conj_quat,
    cross,
    cross_force,
    cross_motion,
    dot,
    dot6,
    integrate_quat,
    mat_from_rows,
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
    x_axis,
    y_axis,
    z_axis,
)

pytestmark = pytest.mark.plain

CLOSE = {"rtol": 1e-12, "atol": 1e-9}
"""Tolerance for a dozen operations on numbers up to 1e3: some 1e-13 of the largest intermediate result, at most 1e6."""

numbers = st.floats(-1e3, 1e3, allow_nan=False, width=32)
vectors = st.builds(vec3, numbers, numbers, numbers)
directions = vectors.filter(lambda v: norm(v) > 1e-3).map(normalize3)
angles = st.floats(-3.0, 3.0)
rotations = st.builds(lambda axis, angle: normalize_quat(quat_from_axis_angle(axis, angle)), directions, angles)
spatials = st.builds(spatial, vectors, vectors)


def positive(high: float) -> SearchStrategy[float]:
    return st.floats(1e-3, high)


def close(a: object, b: object) -> bool:
    return np.allclose(np.asarray(list(a) if isinstance(a, Value) else a, float),
                       np.asarray(list(b) if isinstance(b, Value) else b, float), **CLOSE)  # fmt: skip


def matrix(r: Value) -> np.ndarray:
    return np.reshape(r.parts, (3, 3))


# ---- vectors


@given(vectors, vectors, vectors)
def test_triple_product(a, b, c):
    assert close(dot(a, cross(b, c)) / 1e3, dot(b, cross(c, a)) / 1e3)


@given(vectors, vectors)
def test_cross_is_orthogonal_and_odd(a, b):
    assert close(dot(cross(a, b), a) / 1e3, 0.0)
    assert cross(a, b) == -cross(b, a)


@given(vectors, vectors)
def test_lagrange_identity(a, b):
    scale = max(1.0, norm(a) * norm(b)) ** 2
    assert close((norm(cross(a, b)) ** 2 + dot(a, b) ** 2) / scale, (norm(a) * norm(b)) ** 2 / scale)


@given(vectors)
def test_normalize3_keeps_the_direction(v):
    unit = normalize3(v)
    assert close(norm(unit), 1.0)
    assert norm(v) < 1e-15 or close(unit * norm(v), v)


def test_a_tiny_vector_becomes_the_x_axis():
    assert normalize3(vec3(0.0, 1e-16, 0.0)) == vec3(1.0, 0.0, 0.0)


@given(vectors, vectors, vectors)
def test_rows_and_columns(a, b, c):
    r = mat_from_rows(a, b, c)
    assert (row0(r), row1(r), row2(r)) == (a, b, c)
    assert (x_axis(r.T), y_axis(r.T), z_axis(r.T)) == (a, b, c)
    assert close((r @ vec3(1.0, 0.0, 0.0)), x_axis(r))


# ---- quaternions


@given(rotations, vectors)
def test_rotation_keeps_length(q, v):
    assert close(norm(rotate(q, v)), norm(v))


@given(rotations, vectors)
def test_rotate_inv_is_the_inverse(q, v):
    assert close(rotate_inv(q, rotate(q, v)), v)
    assert close(rotate(conj_quat(q), v), rotate_inv(q, v))


@given(rotations, vectors)
def test_rotation_by_matrix_equals_rotation_by_quaternion(q, v):
    assert close(quat_to_mat(q) @ v, rotate(q, v))
    assert close(quat_to_mat(q).T @ v, rotate_inv(q, v))


@given(rotations, rotations, vectors)
def test_product_is_composition(p, q, v):
    assert close(rotate(mul_quat(p, q), v), rotate(p, rotate(q, v)))


@given(rotations, rotations, rotations)
def test_quaternion_algebra(p, q, r):
    assert close(mul_quat(mul_quat(p, q), r), mul_quat(p, mul_quat(q, r)))
    assert close(mul_quat(q, conj_quat(q)), quat(1.0, 0.0, 0.0, 0.0))
    assert close(conj_quat(mul_quat(p, q)), mul_quat(conj_quat(q), conj_quat(p)))


@given(directions, angles, angles)
def test_turns_about_one_axis_add_up(axis, a, b):
    both = mul_quat(quat_from_axis_angle(axis, a), quat_from_axis_angle(axis, b))
    assert close(both, quat_from_axis_angle(axis, a + b))
    assert close(rotate(both, axis), axis)


@given(rotations, directions, st.floats(0.0, 3.1), st.floats(0.01, 2.0))
def test_sub_quat_is_the_inverse_of_integrate_quat(q, axis, angle, duration):
    """`sub_quat` inverts `integrate_quat` for rotations of up to half a turn; for larger ones it returns the shorter rotation."""
    turned = integrate_quat(q, axis * (angle / duration), duration)
    assert close(sub_quat(turned, q), axis * angle)


@given(rotations, rotations)
def test_integrating_the_difference_arrives(a, b):
    arrived = integrate_quat(b, sub_quat(a, b), 1.0)
    # q and -q are the same rotation
    assert close(arrived, a) or close(arrived, -a)


@given(rotations, rotations)
def test_difference_is_the_shorter_way(a, b):
    assert norm(sub_quat(a, b)) <= math.pi + 1e-12


@given(rotations)
def test_difference_to_itself_is_zero(q):
    assert close(sub_quat(q, q), vec3(0.0, 0.0, 0.0))


@given(rotations, vectors)
def test_integrated_quaternions_stay_unit(q, velocity):
    assert math.isclose(sum(x * x for x in integrate_quat(q, velocity, 0.01)), 1.0, rel_tol=1e-14)


# ---- spatial vectors (Featherstone 2008, chapter 2)


@given(spatials, spatials, spatials)
def test_motion_and_force_products_are_dual(v, u, f):
    """The spatial cross products are dual: (v x u) . f = -u . (v x* f)."""
    scale = 1e6
    assert close(dot6(cross_motion(v, u), f) / scale, -dot6(u, cross_force(v, f)) / scale)


@given(spatials, spatials)
def test_motion_product_is_odd(v, u):
    assert close(cross_motion(v, u), -cross_motion(u, v))
    assert close(cross_motion(v, v), spatial(vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0)))


@given(spatials, spatials, spatials)
def test_jacobi_identity(a, b, c):
    terms = [cross_motion(x, cross_motion(y, z)) for x, y, z in ((a, b, c), (b, c, a), (c, a, b))]
    assert close(sum(np.array(t.parts) for t in terms) / 1e6, np.zeros(6))


# ---- inertia


principal = st.builds(
    # principal moments of inertia satisfy the triangle inequality: each is the sum of two second moments of mass
    lambda a, b, c: vec3(b + c, a + c, a + b), positive(100.0), positive(100.0), positive(100.0)
)  # fmt: skip
offsets = st.builds(vec3, *[st.floats(-10.0, 10.0)] * 3)
motions = st.builds(spatial, *[st.builds(vec3, *[st.floats(-10.0, 10.0)] * 3)] * 2)


@given(rotations, principal, offsets, positive(100.0))
def test_com_inertia_is_positive(q, moments, offset, mass):
    """The 6 x 6 matrix that maps velocity to momentum is symmetric and positive definite."""
    body = com_inertia(quat_to_mat(q), moments, offset, mass)
    units = [spatial(vec3(*e[:3]), vec3(*e[3:])) for e in np.eye(6)]
    full = np.array([mul_inertia(body, e).parts for e in units])
    assert close(full, full.T)
    assert np.linalg.eigvalsh(full).min() > 0


@given(rotations, principal, offsets, positive(100.0), motions)
def test_kinetic_energy_is_that_of_the_centre_and_the_turning(q, moments, offset, mass, v):
    """The kinetic energy is the energy of the center of mass plus that of the rotation (Koenig's theorem)."""
    body = com_inertia(quat_to_mat(q), moments, offset, mass)
    at_centre = v.linear + cross(v.angular, offset)
    own = rotate_inv(q, v.angular)
    turning = sum(i * w * w for i, w in zip(moments, own, strict=True))
    expected = mass * dot(at_centre, at_centre) + turning
    assert close(dot6(v, mul_inertia(body, v)) / max(1.0, expected), expected / max(1.0, expected))


# ---- vectors, quaternions and other values


@given(vectors, vectors, numbers)
def test_operators_of_values(a, b, s):
    assert a + b == b + a
    assert a - b == -(b - a)
    assert a * s == s * a
    assert (-a).parts == tuple(-x for x in a)
    assert (a.x, a.y, a.z) == a.parts


def test_values_of_different_kinds_do_not_mix():
    with pytest.raises(TypeError, match="expected a vec3"):
        vec3(1.0, 2.0, 3.0) + quat(1.0, 0.0, 0.0, 0.0)
    with pytest.raises(TypeError, match="cannot multiply"):
        vec3(1.0, 2.0, 3.0) @ vec3(1.0, 2.0, 3.0)
    with pytest.raises(AttributeError, match="no attribute 'w'"):
        _ = vec3(1.0, 2.0, 3.0).w
    with pytest.raises(ValueError, match="3 components, not 2"):
        Value("vec3", (1.0, 2.0))


def test_formulas_take_lists_and_count_their_arguments():
    assert dot([1.0, 2.0, 3.0], (4.0, 5.0, 6.0)) == 32.0
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"):
        dot(vec3(1.0, 2.0, 3.0))
