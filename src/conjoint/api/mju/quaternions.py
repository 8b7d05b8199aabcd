"""Quaternions, poses and spatial vectors (API reference, Quaternions, Poses): results go to the first argument."""

import numpy as np

from conjoint.api.arguments import (
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
from conjoint.lang import ArgumentError, conj_quat, mul_quat, quat_to_mat, rotate, sub_quat
from conjoint.physics.arrays import rotation
from conjoint.runtime.entry import entry

AXES = "xyzXYZ"
"""Letters of sequences of rotations: about axes that move along, and about fixed ones."""

_rotated = entry(rotation.of_values(rotate), "out vec3[]", "quat[]", "vec3[]")
_inverse = entry(rotation.of_value(conj_quat), "out quat[]", "quat[]")
_product_with_axis = entry(rotation.write_product_with_axis, "out quat[]", "quat[]", "vec3[]")
_about = entry(rotation.write_about, "out quat[]", "vec3[]", "real")
_euler = entry(rotation.write_euler, "out quat[]", "vec3[]", "int", "int", "int")
_of_matrix = entry(rotation.write_of_matrix, "out quat[]", "real[]")
_product = entry(rotation.of_values(mul_quat), "out quat[]", "quat[]", "quat[]")
_velocity = entry(rotation.write_velocity, "out vec3[]", "quat[]", "real")
_difference = entry(rotation.of_values(sub_quat), "out vec3[]", "quat[]", "quat[]")
_matrix = entry(rotation.of_value(quat_to_mat), "out mat3[]", "quat[]")
_rate = entry(rotation.write_rate, "out quat[]", "quat[]", "vec3[]")
_integrated = entry(rotation.write_integrated, "out quat[]", "vec3[]", "real")
_from_z = entry(rotation.write_from_z, "out quat[]", "vec3[]")
_nearest = entry(rotation.write_nearest, "out quat[]", "mat3[]")
_pose_product = entry(rotation.write_pose_product, "out vec3[]", "out quat[]", "vec3[]", "quat[]", "vec3[]", "quat[]")
_pose_inverse = entry(rotation.write_pose_inverse, "out vec3[]", "out quat[]", "vec3[]", "quat[]")
_placed = entry(rotation.write_placed, "out vec3[]", "vec3[]", "quat[]", "vec3[]")
_transformed = entry(rotation.write_transformed, "out spatial[]", "spatial[]", "bool", "vec3[]", "vec3[]", "mat3[]")
_difference_derivatives = entry(rotation.write_difference_derivatives, "out mat3[]", "out mat3[]", "quat[]", "quat[]")
_integration_derivatives = entry(
    rotation.write_integration_derivatives, "out mat3[]", "out mat3[]", "out vec3[]", "vec3[]", "real"
)


@checked
def mju_rotVecQuat(res: OutVector3, vec: Vector3, quat: Vector4) -> None:
    """res := vec turned by quat."""
    _rotated(res, quat, vec)


@checked
def mju_negQuat(res: OutVector4, quat: Vector4) -> None:
    """res := the inverse rotation."""
    _inverse(res, quat)


@checked
def mju_mulQuat(res: OutVector4, quat1: Vector4, quat2: Vector4) -> None:
    """res := quat1 quat2: the rotation quat2 followed by quat1."""
    _product(res, quat1, quat2)


@checked
def mju_mulQuatAxis(res: OutVector4, quat: Vector4, axis: Vector3) -> None:
    """res := quat (0, axis)."""
    _product_with_axis(res, quat, axis)


@checked
def mju_axisAngle2Quat(res: OutVector4, axis: Vector3, angle: float) -> None:
    """res := the rotation by angle (rad) about the unit vector axis."""
    _about(res, axis, angle)


@checked
def mju_quat2Vel(res: OutVector3, quat: Vector4, dt: float) -> None:
    """res := the angular velocity (rad/s) that makes the rotation quat in time dt (s)."""
    _velocity(res, quat, dt)


@checked
def mju_subQuat(res: OutVector3, qa: Vector4, qb: Vector4) -> None:
    """res := the rotation vector (rad), in qb's frame, that turns qb to qa."""
    _difference(res, qa, qb)


@checked
def mju_quat2Mat(res: OutVector9, quat: Vector4) -> None:
    """res := the rotation matrix of quat, by rows."""
    _matrix(res, quat)


@checked
def mju_mat2Quat(quat: OutVector4, mat: Vector9) -> None:
    """quat := the rotation of the matrix mat, nine numbers by rows."""
    _of_matrix(quat, mat)


@checked
def mju_mat2Rot(quat: OutVector4, mat: Vector9) -> int:
    """Turn quat to the rotation nearest to the matrix mat, starting from quat; returns the number of iterations.

    Müller et al., A robust method to extract the rotational part of deformations, Motion in Games 2016.
    """
    return _nearest(quat, mat)


@checked
def mju_derivQuat(res: OutVector4, quat: Vector4, vel: Vector3) -> None:
    """res := the rate of change of quat at the angular velocity vel (rad/s), in the parent's frame."""
    _rate(res, quat, vel)


@checked
def mju_quatIntegrate(quat: OutVector4, vel: Vector3, scale: float) -> None:
    """Turn quat for time scale (s) at the angular velocity vel (rad/s), in the frame of quat."""
    _integrated(quat, vel, scale)


@checked
def mju_quatZ2Vec(quat: OutVector4, vec: Vector3) -> None:
    """quat := the shortest rotation of the z axis to the direction of vec."""
    _from_z(quat, vec)


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
        raise ArgumentError("mju_euler2Quat: seq must contain exactly 3 characters")
    for i, letter in enumerate(seq):
        if letter not in AXES:
            raise ArgumentError(f"mju_euler2Quat: seq[{i}] is '{letter}', should be one of x, y, z, X, Y, Z")
    _euler(quat, euler, *[AXES.index(letter) for letter in seq])


@checked
def mju_mulPose(
    posres: OutVector3, quatres: OutVector4, pos1: Vector3, quat1: Vector4, pos2: Vector3, quat2: Vector4
) -> None:
    """Pose (posres, quatres) := pose 1 times pose 2: pose 2, given in the frame of pose 1, in the parent's frame."""
    _pose_product(posres, quatres, pos1, quat1, pos2, quat2)


@checked
def mju_negPose(posres: OutVector3, quatres: OutVector4, pos: Vector3, quat: Vector4) -> None:
    """Pose (posres, quatres) := the inverse of a pose."""
    _pose_inverse(posres, quatres, pos, quat)


@checked
def mju_trnVecPose(res: OutVector3, pos: Vector3, quat: Vector4, vec: Vector3) -> None:
    """res := vec, given in the frame of a pose, in the parent's frame."""
    _placed(res, pos, quat, vec)


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
    _transformed(res, vec, flg_force, newpos, oldpos, rotnew2old)


@checked
def mjd_subQuat(qa: Vector4, qb: Vector4, Da: OutMatrix | None, Db: OutMatrix | None) -> None:
    """Derivatives of `mju_subQuat` by small rotations of its quaternions.

    Args:
        qa, qb: the unit quaternions.
        Da: receives the derivative by a rotation vector of qa (rad, in its frame), 3 x 3; None to leave it out.
        Db: the same for qb.
    """
    for name, result in (("Da", Da), ("Db", Db)):
        require(result is None or result.size == 9, f"{name} should be of size 9")
    _difference_derivatives(*(np.empty(9) if result is None else result for result in (Da, Db)), qa, qb)


@checked
def mjd_quatIntegrate(vel: Vector3, scale: float, Dquat: OutVector9, Dvel: OutVector9, Dscale: OutVector3) -> None:
    """Derivatives of `mju_quatIntegrate`, as rotation vectors (rad) in the frame of the result.

    Args:
        vel: the angular velocity, rad/s.
        scale: the time, s.
        Dquat: receives the derivative by a small rotation of the quaternion, nine numbers by rows.
        Dvel: receives the derivative by vel times scale, nine numbers by rows.
        Dscale: receives the derivative by scale.
    """
    _integration_derivatives(Dquat, Dvel, Dscale, vel, scale)
