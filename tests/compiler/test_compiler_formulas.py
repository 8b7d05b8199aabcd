"""Mathematical properties of the compiler's formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conjoint.compiler.shape import half_extent, inertia, volume
from conjoint.schema.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, SPHERE
from conjoint.spec.rotation import (
    cross,
    mat_to_quat,
    mul_quat,
    orientation,
    principal_axes,
    quat_from_z,
    quat_to_mat,
    rotate,
    unit,
    unit_quat,
)

numbers = st.floats(-3, 3).map(lambda x: round(x, 6))
vectors = st.tuples(numbers, numbers, numbers).filter(lambda v: max(map(abs, v)) > 0.01)
quats = st.tuples(numbers, numbers, numbers, numbers).filter(lambda q: max(map(abs, q)) > 0.01).map(unit_quat)


def matrix(quat):
    return np.array(quat_to_mat(quat)).reshape(3, 3)


@given(quats, vectors)
def test_a_quaternion_turns_as_its_matrix(quat, vector):
    assert np.allclose(rotate(quat, vector), matrix(quat) @ vector)
    assert np.allclose(matrix(quat).T @ matrix(quat), np.eye(3))
    assert np.isclose(np.linalg.det(matrix(quat)), 1)


@given(quats, quats)
def test_quaternions_compose_as_matrices(first, second):
    assert np.allclose(matrix(mul_quat(first, second)), matrix(first) @ matrix(second))


@given(quats)
def test_a_matrix_gives_back_its_quaternion(quat):
    back = mat_to_quat(quat_to_mat(quat))
    assert np.isclose(abs(np.dot(back, quat)), 1)


@given(vectors)
def test_the_z_axis_is_reached_by_the_smallest_rotation(vector):
    quat = quat_from_z(vector)
    assert np.allclose(rotate(quat, (0, 0, 1)), unit(vector), atol=1e-7)
    assert abs(quat[3]) < 1e-12


@given(vectors, vectors)
def test_axes_span_the_given_plane(x, y):
    if np.linalg.norm(cross(unit(x), unit(y))) < 0.05:
        return
    turned = matrix(orientation("xyaxes", (*x, *y), True, "xyz"))
    assert np.allclose(turned[:, 0], unit(x))
    assert abs(np.dot(turned[:, 2], y)) < 1e-6
    assert np.dot(turned[:, 1], y) > 0


@given(st.tuples(numbers, numbers, numbers), st.sampled_from(["xyz", "zyx", "zxz"]))
def test_fixed_axes_are_moving_axes_in_reverse(angles, sequence):
    moving = orientation("euler", angles, False, sequence)
    fixed = orientation("euler", angles[::-1], False, sequence[::-1].upper())
    assert np.isclose(abs(np.dot(moving, fixed)), 1)


@given(st.tuples(numbers, numbers, numbers), quats)
def test_principal_axes_make_a_matrix_diagonal(moments, quat):
    full = matrix(quat) @ np.diag(moments) @ matrix(quat).T
    values, axes, _ = principal_axes((full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]))
    # rotations below 1.4e-6 rad (cosine within 1e-12 of one) are skipped, as in MuJoCo
    assert np.allclose(values, sorted(moments, reverse=True), atol=1e-5)
    assert np.allclose(matrix(axes) @ np.diag(values) @ matrix(axes).T, full, atol=1e-5)


@pytest.mark.parametrize("kind", [SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX])
def test_volume_and_inertia_agree_with_counting_points(kind):
    size = (0.5, 0.3, 0.4) if kind in (BOX, ELLIPSOID) else (0.3, 0.4, 0.0)
    extent = np.array(half_extent(kind, size))
    steps = [np.linspace(-e, e, 121)[1::2] for e in extent]
    points = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[inside(kind, size, points)]
    cell = np.prod(2 * extent / 60)
    assert np.isclose(len(points) * cell, volume(kind, size), rtol=0.01)
    squares = (points**2).mean(axis=0)
    expected = squares.sum() - squares
    assert np.allclose(inertia(kind, size, 1.0), expected, rtol=0.02)


def inside(kind: int, size: tuple[float, ...], points: np.ndarray) -> np.ndarray:
    """Return a mask of the points that are inside a geom shape of type `kind`."""
    a, b, _ = size
    radius, height = np.hypot(points[:, 0], points[:, 1]), np.abs(points[:, 2])
    if kind == SPHERE:
        return np.hypot(radius, height) <= a
    if kind == CAPSULE:
        return np.hypot(radius, np.maximum(height - b, 0)) <= a
    if kind == CYLINDER:
        return (radius <= a) & (height <= b)
    if kind == ELLIPSOID:
        return ((points / size) ** 2).sum(axis=1) <= 1
    return np.ones(len(points), bool)
