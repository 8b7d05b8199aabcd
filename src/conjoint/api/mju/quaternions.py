"""Operations on quaternions, poses and spatial vectors, which write to their first argument (API reference)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from conjoint.api.arguments import OutMatrix, OutVector4, Vector3, Vector4, checked
from conjoint.api.mju.table import Row, define
from conjoint.lang import ArgumentError, conj_quat, mul_quat, quat_to_mat, rotate, sub_quat
from conjoint.physics.arrays import rotation
from conjoint.runtime.entry import entry

AXES = "xyzXYZ"
"""Letters of Euler sequences: lower case for moving axes, upper case for fixed axes."""

rotated = entry(rotation.of_values(rotate), "out vec3[]", "quat[]", "vec3[]")
inverse = entry(rotation.of_value(conj_quat), "out quat[]", "quat[]")
product_with_axis = entry(rotation.write_product_with_axis, "out quat[]", "quat[]", "vec3[]")
about = entry(rotation.write_about, "out quat[]", "vec3[]", "real")
euler_product = entry(rotation.write_euler, "out quat[]", "vec3[]", "int", "int", "int")
of_matrix = entry(rotation.write_of_matrix, "out quat[]", "real[]")
product = entry(rotation.of_values(mul_quat), "out quat[]", "quat[]", "quat[]")
velocity = entry(rotation.write_velocity, "out vec3[]", "quat[]", "real")
difference = entry(rotation.of_values(sub_quat), "out vec3[]", "quat[]", "quat[]")
matrix = entry(rotation.of_value(quat_to_mat), "out mat3[]", "quat[]")
rate = entry(rotation.write_rate, "out quat[]", "quat[]", "vec3[]")
integrated = entry(rotation.write_integrated, "out quat[]", "vec3[]", "real")
from_z = entry(rotation.write_from_z, "out quat[]", "vec3[]")
nearest = entry(rotation.write_nearest, "out quat[]", "mat3[]")
pose_product = entry(rotation.write_pose_product, "out vec3[]", "out quat[]", "vec3[]", "quat[]", "vec3[]", "quat[]")
pose_inverse = entry(rotation.write_pose_inverse, "out vec3[]", "out quat[]", "vec3[]", "quat[]")
placed = entry(rotation.write_placed, "out vec3[]", "vec3[]", "quat[]", "vec3[]")
transformed = entry(rotation.write_transformed, "out spatial[]", "spatial[]", "bool", "vec3[]", "vec3[]", "mat3[]")
difference_derivatives = entry(rotation.write_difference_derivatives, "out mat3[]", "out mat3[]", "quat[]", "quat[]")
integration_derivatives = entry(
    rotation.write_integration_derivatives, "out mat3[]", "out mat3[]", "out vec3[]", "vec3[]", "real"
)

TABLE: dict[str, Row] = {
    "mju_rotVecQuat": (
        "out 3, 3, 4",
        lambda res, vec, quat: rotated(res, quat, vec),
        "Compute res := vec, rotated by quat.",
    ),
    "mju_negQuat": ("out 4, 4", lambda res, quat: inverse(res, quat), "Compute res := the inverse of a rotation."),
    "mju_mulQuat": (
        "out 4, 4, 4",
        lambda res, quat1, quat2: product(res, quat1, quat2),
        "Compute res := quat1 quat2: the rotation quat2 followed by quat1.",
    ),
    "mju_mulQuatAxis": (
        "out 4, 4, 3",
        lambda res, quat, axis: product_with_axis(res, quat, axis),
        "Compute res := quat (0, axis).",
    ),
    "mju_axisAngle2Quat": (
        "out 4, 3, real",
        lambda res, axis, angle: about(res, axis, angle),
        "Compute res := the rotation by angle (rad) about the unit vector axis.",
    ),
    "mju_quat2Vel": (
        "out 3, 4, real",
        lambda res, quat, dt: velocity(res, quat, dt),
        "Compute res := the angular velocity (rad/s) that results in the rotation quat after the time dt (s).",
    ),
    "mju_subQuat": (
        "out 3, 4, 4",
        lambda res, qa, qb: difference(res, qa, qb),
        "Compute res := the rotation vector (rad), in the frame of qb, from qb to qa.",
    ),
    "mju_quat2Mat": (
        "out 9, 4",
        lambda res, quat: matrix(res, quat),
        "Compute res := the rotation matrix of quat, row-major.",
    ),
    "mju_mat2Quat": (
        "out 4, 9",
        lambda quat, mat: of_matrix(quat, mat),
        "Compute quat := the rotation of the row-major matrix mat.",
    ),
    "mju_mat2Rot": (
        "out 4, 9 -> int",
        lambda quat, mat: nearest(quat, mat),
        """Find the rotation nearest to the matrix mat, starting from quat; return the number of iterations.

        Müller et al., A robust method to extract the rotational part of deformations, Motion in Games 2016.
        """,
    ),
    "mju_derivQuat": (
        "out 4, 4, 3",
        lambda res, quat, vel: rate(res, quat, vel),
        "Compute res := the rate of change of quat at the angular velocity vel (rad/s), in the parent's frame.",
    ),
    "mju_quatIntegrate": (
        "out 4, 3, real",
        lambda quat, vel, scale: integrated(quat, vel, scale),
        "Rotate quat at the angular velocity vel (rad/s), in the frame of quat, for the time scale (s).",
    ),
    "mju_quatZ2Vec": (
        "out 4, 3",
        lambda quat, vec: from_z(quat, vec),
        "Compute quat := the smallest rotation of the z axis to the direction of vec.",
    ),
    "mju_mulPose": (
        "out 3, out 4, 3, 4, 3, 4",
        lambda posres, quatres, pos1, quat1, pos2, quat2: pose_product(posres, quatres, pos1, quat1, pos2, quat2),
        "Compute (posres, quatres) := pose 1 times pose 2, which is relative to pose 1.",
    ),
    "mju_negPose": (
        "out 3, out 4, 3, 4",
        lambda posres, quatres, pos, quat: pose_inverse(posres, quatres, pos, quat),
        "Compute (posres, quatres) := the inverse of a pose.",
    ),
    "mju_trnVecPose": (
        "out 3, 3, 4, 3",
        lambda res, pos, quat, vec: placed(res, pos, quat, vec),
        "Compute res := vec, transformed from the frame of a pose to its parent frame.",
    ),
    "mju_transformSpatial": (
        "out 6, 6, int, 3, 3, 9",
        lambda res, vec, flg_force, newpos, oldpos, rotnew2old: transformed(
            res, vec, flg_force, newpos, oldpos, rotnew2old
        ),
        """Compute res := the motion or force vec, transformed from oldpos to newpos and to a rotated frame.

        Args:
            res: output, rotation before translation.
            vec: spatial vector, rotation before translation.
            flg_force: True if vec is a force, False if it is a motion.
            newpos: reference point of res.
            oldpos: reference point of vec.
            rotnew2old: rotation matrix with the axes of the new frame as columns, row-major.
        """,
    ),
    "mjd_quatIntegrate": (
        "3, real, out 9, out 9, out 3",
        lambda vel, scale, Dquat, Dvel, Dscale: integration_derivatives(Dquat, Dvel, Dscale, vel, scale),
        """Compute derivatives of `mju_quatIntegrate`, as rotation vectors (rad) in the frame of the result.

        Args:
            vel: angular velocity, rad/s.
            scale: time, s.
            Dquat: output, 3x3 derivative with respect to a small rotation of the quaternion.
            Dvel: output, 3x3 derivative with respect to vel times scale.
            Dscale: output, derivative with respect to scale.
        """,
    ),
}

define(TABLE, globals())
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


@checked
def mju_euler2Quat(quat: OutVector4, euler: Vector3, seq: str) -> None:
    """Compute quat := the rotation that consists of three rotations by Euler angles about the axes in `seq`.

    Args:
        quat: receives the rotation.
        euler: the angles (rad).
        seq: three letters: x, y, z for moving axes; X, Y, Z for fixed axes.

    Raises:
        FatalError: `seq` is not such a sequence.
    """
    if len(seq) != 3:
        raise ArgumentError("mju_euler2Quat: seq must contain exactly 3 characters")
    for i, letter in enumerate(seq):
        if letter not in AXES:
            raise ArgumentError(f"mju_euler2Quat: seq[{i}] is '{letter}', should be one of x, y, z, X, Y, Z")
    euler_product(quat, euler, *[AXES.index(letter) for letter in seq])


@checked(Da="size 9", Db="size 9")
def mjd_subQuat(qa: Vector4, qb: Vector4, Da: OutMatrix | None, Db: OutMatrix | None) -> None:
    """Compute derivatives of `mju_subQuat` with respect to small rotations of its quaternions.

    Args:
        qa, qb: the unit quaternions.
        Da: receives the derivative with respect to a rotation vector of qa (rad, in the frame of qa), 3 x 3; None to
            skip it.
        Db: receives the derivative with respect to a rotation vector of qb (rad, in the frame of qb), 3 x 3; None to
            skip it.
    """
    difference_derivatives(*(np.empty(9) if result is None else result for result in (Da, Db)), qa, qb)
