"""Rotation conversions compared with NumPy over thousands of random rotations that cover all branches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import conjoint

COUNT = 1000
GENERATOR = np.random.default_rng(0)


def unit_quats(count: int = COUNT) -> np.ndarray:
    """Return random unit quaternions, and rotations about many axes by special angles such as nearly 0 or 180 degrees."""
    quats = GENERATOR.standard_normal((count, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    axes = np.array([a for a in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(a)])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    special = [
        np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
        for axis in axes
        for angle in (0.0, 1e-9, 1e-3, 1.0, 2.0, np.pi / 2, np.pi - 1e-3, np.pi - 1e-9, np.pi)
    ]
    return np.concatenate([quats, special])


def matrix_of(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion, by Rodrigues' formula."""
    cross = cross_matrix(q[1:])
    return np.eye(3) + 2 * q[0] * cross + 2 * cross @ cross


def cross_matrix(v: np.ndarray) -> np.ndarray:
    """Return the matrix of the cross product with v."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def turn(vector: np.ndarray) -> np.ndarray:
    """Return the unit quaternion of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    return np.concatenate([[np.cos(angle / 2)], np.sinc(angle / 2 / np.pi) / 2 * vector])


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return Hamilton's product of two quaternions."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def branch_of(R: np.ndarray) -> int:
    """Return the index of the quaternion component that `mju_mat2Quat` computes first.

    It is 0 if the trace is positive; otherwise the largest diagonal element determines it.
    """
    if np.trace(R) > 0:
        return 0
    return 1 if R[0, 0] > R[1, 1] and R[0, 0] > R[2, 2] else 2 if R[1, 1] > R[2, 2] else 3


def test_matrices_of_quaternions_and_back() -> None:
    """Matrices and quaternions convert into each other in all four branches of `mju_mat2Quat` and for all signs.

    The component that a branch computes first is positive.
    """
    seen: dict[int, set[tuple[bool, ...]]] = {k: set() for k in range(4)}
    for q in unit_quats():
        found, back = np.zeros(9), np.zeros(4)
        conjoint.mju_quat2Mat(found, q)
        np.testing.assert_allclose(found.reshape(3, 3), matrix_of(q), atol=1e-14)
        conjoint.mju_mat2Quat(back, matrix_of(q).ravel())
        branch = branch_of(matrix_of(q))
        assert back[branch] > 0
        np.testing.assert_allclose(np.linalg.norm(back), 1.0, atol=1e-14)
        # the component that is computed first is at least 1/2
        np.testing.assert_allclose(matrix_of(back), matrix_of(q), atol=1e-14)
        seen[branch].add(tuple(np.delete(back, branch) > 0))
    assert all(len(signs) == 8 for signs in seen.values())


def test_axes_and_angles() -> None:
    for q in unit_quats(300):
        angle, vector, found = GENERATOR.uniform(-7, 7), np.zeros(3), np.zeros(4)
        axis = GENERATOR.standard_normal(3)
        axis /= np.linalg.norm(axis)
        conjoint.mju_axisAngle2Quat(found, axis, angle)
        np.testing.assert_allclose(found, turn(angle * axis), atol=1e-14)
        # the velocity corresponds to the shorter of the two rotations
        conjoint.mju_quat2Vel(vector, q, 0.5)
        np.testing.assert_allclose(abs(turn(0.5 * vector) @ q), 1.0, atol=1e-14)
        assert np.linalg.norm(0.5 * vector) <= np.pi + 1e-12


def test_products_inverses_and_turned_vectors() -> None:
    quats = unit_quats(300)
    for p, q in zip(quats, GENERATOR.permutation(quats), strict=True):
        v, found, three = GENERATOR.standard_normal(3), np.zeros(4), np.zeros(3)
        conjoint.mju_mulQuat(found, p, q)
        np.testing.assert_allclose(found, product(p, q), atol=1e-14)
        conjoint.mju_mulQuatAxis(found, q, v)
        np.testing.assert_allclose(found, product(q, np.concatenate([[0.0], v])), atol=1e-14)
        conjoint.mju_derivQuat(found, q, v)
        np.testing.assert_allclose(found, 0.5 * product(np.concatenate([[0.0], v]), q), atol=1e-14)
        conjoint.mju_negQuat(found, q)
        np.testing.assert_array_equal(found, q * [1, -1, -1, -1])
        conjoint.mju_rotVecQuat(three, v, q)
        np.testing.assert_allclose(three, matrix_of(q) @ v, atol=1e-13)


@pytest.mark.parametrize("sequence", ["".join(s) for s in itertools.product("xyzXYZ", repeat=3)])
def test_euler_angles(sequence: str) -> None:
    """In an Euler sequence, lowercase letters rotate about moving axes, and uppercase letters about fixed axes.

    Rotations about fixed axes multiply from the left.
    """
    angles, found, expected = GENERATOR.uniform(-4, 4, 3), np.zeros(4), np.array([1.0, 0, 0, 0])
    for letter, angle in zip(sequence, angles, strict=True):
        about = turn(angle * np.eye(3)["xyz".index(letter.lower())])
        expected = product(expected, about) if letter.islower() else product(about, expected)
    conjoint.mju_euler2Quat(found, angles, sequence)
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_the_shortest_turn_of_the_z_axis() -> None:
    directions = [*GENERATOR.standard_normal((500, 3)), *np.eye(3), *-np.eye(3), *(np.eye(3) * 1e-3 + [0, 0, 2.0])]
    for v in directions:
        found = np.zeros(4)
        conjoint.mju_quatZ2Vec(found, v)
        way = v / np.linalg.norm(v)
        np.testing.assert_allclose(matrix_of(found)[:, 2], way, atol=1e-14)
        np.testing.assert_allclose(2 * np.arccos(min(1.0, abs(found[0]))), np.arccos(way[2]), atol=3e-8)
        assert abs(found[3]) < 1e-15


def test_differences_undo_integration_and_their_derivatives() -> None:
    """sub(integrate(q, v), q) = v, and the derivatives of both functions agree with finite differences."""
    for q in unit_quats(100):
        v = GENERATOR.standard_normal(3) * GENERATOR.choice([1e-3, 0.5, 1.0])
        moved, back = q.copy(), np.zeros(3)
        conjoint.mju_quatIntegrate(moved, v, 0.7)
        np.testing.assert_allclose(moved, product(q, turn(0.7 * v)), atol=1e-14)
        conjoint.mju_subQuat(back, moved, q)
        np.testing.assert_allclose(back, 0.7 * v, atol=1e-7 if np.linalg.norm(v) > 2.5 else 1e-12)
        by_moved, by_start = np.zeros((3, 3)), np.zeros((3, 3))
        conjoint.mjd_subQuat(moved, q, by_moved, by_start)
        by_quat, by_vel, by_scale = np.zeros(9), np.zeros(9), np.zeros(3)
        conjoint.mjd_quatIntegrate(v, 0.7, by_quat, by_vel, by_scale)
        for k in range(3):
            step = 1e-6 * np.eye(3)[k]
            ends = {}
            for sign in (1, -1):
                up, down, velocity, longer = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
                conjoint.mju_subQuat(up, product(moved, turn(sign * step)), q)
                conjoint.mju_subQuat(down, moved, product(q, turn(sign * step)))
                conjoint.mju_subQuat(velocity, product(q, turn(0.7 * v + sign * step)), moved)
                conjoint.mju_subQuat(longer, product(product(q, turn(sign * step)), turn(0.7 * v)), moved)
                ends[sign] = np.array([up, down, velocity, longer])
            slopes = (ends[1] - ends[-1]) / 2e-6
            np.testing.assert_allclose(by_moved[:, k], slopes[0], atol=2e-8)
            np.testing.assert_allclose(by_start[:, k], slopes[1], atol=2e-8)
            np.testing.assert_allclose(by_vel.reshape(3, 3)[:, k], slopes[2], atol=2e-8)
            np.testing.assert_allclose(by_quat.reshape(3, 3)[:, k], slopes[3], atol=2e-8)
        np.testing.assert_allclose(by_scale, v)


def test_the_nearest_rotation() -> None:
    """mju_mat2Rot returns the rotation nearest to a matrix, which is that of the polar decomposition."""
    for q in unit_quats(300)[:300]:
        matrix = matrix_of(q) + 0.1 * GENERATOR.standard_normal((3, 3))
        u, _, v = np.linalg.svd(matrix)
        found = product(q, turn(0.3 * GENERATOR.standard_normal(3)))
        for _ in range(5):
            conjoint.mju_mat2Rot(found, matrix.ravel())
        np.testing.assert_allclose(matrix_of(found), u @ v, atol=1e-7)


def test_poses() -> None:
    quats = unit_quats(300)
    for p, q in zip(quats, GENERATOR.permutation(quats), strict=True):
        a, b, v, pos, turned = *GENERATOR.standard_normal((3, 3)), np.zeros(3), np.zeros(4)
        conjoint.mju_mulPose(pos, turned, a, p, b, q)
        np.testing.assert_allclose(pos, a + matrix_of(p) @ b, atol=1e-13)
        np.testing.assert_allclose(turned, product(p, q), atol=1e-14)
        conjoint.mju_negPose(pos, turned, a, p)
        np.testing.assert_allclose(pos, -matrix_of(p).T @ a, atol=1e-13)
        np.testing.assert_array_equal(turned, p * [1, -1, -1, -1])
        conjoint.mju_trnVecPose(pos, a, p, v)
        np.testing.assert_allclose(pos, a + matrix_of(p) @ v, atol=1e-13)


@pytest.mark.parametrize("is_force", [0, 1])
def test_spatial_vectors_at_another_point(is_force: int) -> None:
    for q in unit_quats(100):
        vector, result = GENERATOR.standard_normal(6), np.zeros(6)
        new, old, R = *GENERATOR.standard_normal((2, 3)), matrix_of(q)
        conjoint.mju_transformSpatial(result, vector, is_force, new, old, R.ravel())
        angular, linear = vector[:3], vector[3:]
        if is_force:
            angular = angular - np.cross(new - old, linear)
        else:
            linear = linear - np.cross(new - old, angular)
        np.testing.assert_allclose(result, np.concatenate([R.T @ angular, R.T @ linear]), atol=1e-12)
