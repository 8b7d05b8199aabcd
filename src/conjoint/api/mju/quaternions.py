"""Quaternions, poses and spatial vectors (API reference, Quaternions, Poses): results go to the first argument."""

import math

import numpy as np

from conjoint.api.arguments import (
    Matrix,
    OutMatrix,
    OutVector3,
    OutVector4,
    OutVector6,
    OutVector9,
    Vector3,
    Vector4,
    Vector6,
    Vector9,
    checked,
    require,
)
from conjoint.lang import FatalError, algebra
from conjoint.schema.constants import mjMINVAL

AXES = np.eye(3)
"""Unit vectors of the coordinate axes."""

SAME_ROTATION = 1e-9
"""Largest norm of the gradient at which a rotation is accepted as the nearest to a matrix."""


@checked
def mju_rotVecQuat(res: OutVector3, vec: Vector3, quat: Vector4) -> None:
    """res := vec turned by quat."""
    res[:] = algebra.rotate(quat, vec).parts


@checked
def mju_negQuat(res: OutVector4, quat: Vector4) -> None:
    """res := the inverse rotation."""
    res[:] = algebra.conj_quat(quat).parts


@checked
def mju_mulQuat(res: OutVector4, quat1: Vector4, quat2: Vector4) -> None:
    """res := quat1 quat2: the rotation quat2 followed by quat1."""
    res[:] = algebra.mul_quat(quat1, quat2).parts


@checked
def mju_mulQuatAxis(res: OutVector4, quat: Vector4, axis: Vector3) -> None:
    """res := quat (0, axis)."""
    res[:] = algebra.mul_quat(quat, (0.0, *axis)).parts


@checked
def mju_axisAngle2Quat(res: OutVector4, axis: Vector3, angle: float) -> None:
    """res := the rotation by angle (rad) about the unit vector axis."""
    res[:] = algebra.quat_from_axis_angle(axis, angle).parts


@checked
def mju_quat2Vel(res: OutVector3, quat: Vector4, dt: float) -> None:
    """res := the angular velocity (rad/s) that makes the rotation quat in time dt (s)."""
    res[:] = algebra.quat_to_velocity(quat, dt).parts


@checked
def mju_subQuat(res: OutVector3, qa: Vector4, qb: Vector4) -> None:
    """res := the rotation vector (rad), in qb's frame, that turns qb to qa."""
    res[:] = algebra.sub_quat(qa, qb).parts


@checked
def mju_quat2Mat(res: OutVector9, quat: Vector4) -> None:
    """res := the rotation matrix of quat, by rows."""
    res[:] = algebra.quat_to_mat(quat).parts


@checked
def mju_mat2Quat(quat: OutVector4, mat: Vector9) -> None:
    """quat := the rotation of the matrix mat, nine numbers by rows.

    The largest component is computed first, from the diagonal; the others from sums and differences of pairs.
    """
    r = mat.reshape(3, 3)
    # four times the square of each component
    squares = np.array([1.0 + np.trace(r), *(1.0 + 2.0 * r[i, i] - np.trace(r) for i in range(3))])
    largest = _largest_component(r)
    w = 0.5 * math.sqrt(squares[largest])
    products = np.array(
        [
            [4.0 * w * w, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], 4.0 * w * w, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 4.0 * w * w, r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 4.0 * w * w],
        ]
    )
    quat[:] = algebra.normalize_quat(0.25 * products[largest] / w).parts


@checked
def mju_mat2Rot(quat: OutVector4, mat: Vector9) -> int:
    """Turn quat to the rotation nearest to the matrix mat, starting from quat; returns the number of iterations.

    Müller et al., A robust method to extract the rotational part of deformations, Motion in Games 2016.
    """
    columns = mat.reshape(3, 3).T
    for iteration in range(500):
        rotation = np.reshape(algebra.quat_to_mat(quat).parts, (3, 3)).T
        turn = sum(np.cross(r, c) for r, c in zip(rotation, columns, strict=True))
        omega = turn / (abs(np.sum(rotation * columns)) + mjMINVAL)
        angle = math.sqrt(omega @ omega)
        if angle < SAME_ROTATION:
            return iteration
        step = algebra.quat_from_axis_angle(algebra.normalize3(omega).parts, angle)
        quat[:] = algebra.normalize_quat(algebra.mul_quat(step.parts, quat).parts).parts
    return 500


@checked
def mju_derivQuat(res: OutVector4, quat: Vector4, vel: Vector3) -> None:
    """res := the rate of change of quat at the angular velocity vel (rad/s), in the parent's frame."""
    res[:] = 0.5 * np.array(algebra.mul_quat((0.0, *vel), quat).parts)


@checked
def mju_quatIntegrate(quat: OutVector4, vel: Vector3, scale: float) -> None:
    """Turn quat for time scale (s) at the angular velocity vel (rad/s), in the frame of quat."""
    quat[:] = algebra.integrate_quat(quat, vel, scale).parts


@checked
def mju_quatZ2Vec(quat: OutVector4, vec: Vector3) -> None:
    """quat := the shortest rotation of the z axis to the direction of vec."""
    direction = np.array(algebra.normalize3(vec).parts)
    if math.sqrt(vec @ vec) < mjMINVAL:
        quat[:] = (1.0, 0.0, 0.0, 0.0)
        return
    axis = np.cross(AXES[2], direction)
    length = math.sqrt(axis @ axis)
    axis = AXES[0] if length < mjMINVAL else axis / length
    quat[:] = algebra.quat_from_axis_angle(axis, math.atan2(length, direction[2])).parts


@checked
def mju_euler2Quat(quat: OutVector4, euler: Vector3, seq: str) -> None:
    """quat := three rotations by the angles euler (rad) about the axes that seq names.

    Args:
        quat: receives the rotation.
        euler: the angles.
        seq: three of x, y, z about the axes that move along, X, Y, Z about fixed axes.

    Raises:
        FatalError: seq is something else.
    """
    if len(seq) != 3:
        raise FatalError("mju_euler2Quat: seq must contain exactly 3 characters")
    whole = np.array([1.0, 0.0, 0.0, 0.0])
    for i, (letter, angle) in enumerate(zip(seq, euler, strict=True)):
        if letter not in "xyzXYZ":
            raise FatalError(f"mju_euler2Quat: seq[{i}] is '{letter}', should be one of x, y, z, X, Y, Z")
        turn = algebra.quat_from_axis_angle(AXES["xyz".index(letter.lower())], angle).parts
        pair = (whole, turn) if letter.islower() else (turn, whole)
        whole = np.array(algebra.mul_quat(*pair).parts)
    quat[:] = whole


@checked
def mju_mulPose(
    posres: OutVector3, quatres: OutVector4, pos1: Vector3, quat1: Vector4, pos2: Vector3, quat2: Vector4
) -> None:
    """Pose (posres, quatres) := pose 1 times pose 2: pose 2, given in the frame of pose 1, in the parent's frame."""
    pos = pos1 + algebra.rotate(quat1, pos2).parts
    quatres[:] = algebra.normalize_quat(algebra.mul_quat(quat1, quat2).parts).parts
    posres[:] = pos


@checked
def mju_negPose(posres: OutVector3, quatres: OutVector4, pos: Vector3, quat: Vector4) -> None:
    """Pose (posres, quatres) := the inverse of a pose."""
    turned = algebra.rotate_inv(quat, pos).parts
    quatres[:] = algebra.conj_quat(quat).parts
    posres[:] = np.negative(turned)


@checked
def mju_trnVecPose(res: OutVector3, pos: Vector3, quat: Vector4, vec: Vector3) -> None:
    """res := vec, given in the frame of a pose, in the parent's frame."""
    res[:] = pos + algebra.rotate(quat, vec).parts


@checked
def mju_transformSpatial(
    res: OutVector6, vec: Vector6, flg_force: int, newpos: Vector3, oldpos: Vector3, rotnew2old: Vector9
) -> None:
    """res := the motion (or force, if flg_force) vec at oldpos, as seen at newpos, in a rotated frame.

    Args:
        res: receives rotation, then translation.
        vec: rotation, then translation.
        flg_force: whether vec is a force.
        newpos: where res is.
        oldpos: where vec is.
        rotnew2old: axes of the new frame as columns, nine numbers by rows.
    """
    rotation = rotnew2old.reshape(3, 3).T
    res[:] = np.concatenate([rotation @ part for part in shift_spatial(vec, bool(flg_force), newpos - oldpos)])


def shift_spatial(vec: np.ndarray, force: bool, offset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and translation of the spatial vector vec at a point displaced by offset."""
    if force:
        return vec[:3] - np.cross(offset, vec[3:]), vec[3:].copy()
    return vec[:3].copy(), vec[3:] - np.cross(offset, vec[:3])


@checked
def mjd_subQuat(qa: Vector4, qb: Vector4, Da: OutMatrix | None, Db: OutMatrix | None) -> None:
    """Derivatives of `mju_subQuat` with respect to small rotations of qa (Da) and qb (Db), 3x3 matrices or None."""
    for name, result in (("Da", Da), ("Db", Db)):
        require(result is None or result.size == 9, f"{name} should be of size 9")
    difference = np.array(algebra.sub_quat(qa, qb).parts)
    angle = math.sqrt(difference @ difference)
    axis = np.array(algebra.normalize3(difference).parts)
    half = 0.5 * angle
    # inverse of the left Jacobian of SO(3)
    along = 1.0 - half / math.tan(half) if half > 6e-8 else half * half / 3.0
    cross = _cross_matrix(axis)
    derivative = np.eye(3) + half * cross + along * (cross @ cross)
    if Da is not None:
        Da.reshape(-1)[:] = derivative.ravel()
    if Db is not None:
        Db.reshape(-1)[:] = -derivative.T.ravel()


@checked
def mjd_quatIntegrate(vel: Vector3, scale: float, Dquat: OutVector9, Dvel: OutVector9, Dscale: OutVector3) -> None:
    """Derivatives of `mju_quatIntegrate` with respect to a small rotation of quat, to vel scale, and to scale."""
    rotation = vel * scale
    angle = math.sqrt(rotation @ rotation)
    axis = np.array(algebra.normalize3(rotation).parts)
    cross = _cross_matrix(axis)
    # right Jacobian of SO(3)
    versine = (1.0 - math.cos(angle)) / angle if angle > 6e-8 else 0.5 * angle
    rest = 1.0 - math.sin(angle) / angle if angle > 6e-8 else angle * angle / 6.0
    jacobian = np.eye(3) - versine * cross + rest * (cross @ cross)
    turned = np.eye(3) - math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross)
    Dquat[:] = turned.ravel()
    Dvel[:] = jacobian.ravel()
    Dscale[:] = vel


def _cross_matrix(v: np.ndarray) -> np.ndarray:
    """The matrix that maps u to v x u."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _largest_component(r: Matrix) -> int:
    """Index of the component of a rotation's quaternion to compute first."""
    if np.trace(r) > 0.0:
        return 0
    return 1 + (0 if r[0, 0] > r[1, 1] and r[0, 0] > r[2, 2] else 1 if r[1, 1] > r[2, 2] else 2)
