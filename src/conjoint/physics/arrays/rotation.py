"""Rotations and poses in a caller's arrays (mju_*): element 0 of each array is a vector, quaternion or matrix."""

from conjoint.lang import (
    Formula,
    Kernel,
    abs,
    atan2,
    conj_quat,
    cos,
    cross,
    dot,
    formula,
    integrate_quat,
    kernel,
    mul_quat,
    norm,
    normalize3,
    normalize_quat,
    quat,
    quat_from_axis_angle,
    quat_to_mat,
    quat_to_velocity,
    rotate,
    rotate_inv,
    sin,
    spatial,
    sqrt,
    sub_quat,
    vec3,
    where,
    x_axis,
    y_axis,
    z_axis,
)
from conjoint.physics.motion.support import velocity_of
from conjoint.schema.constants import mjMINVAL

SAME_ROTATION = 1e-9
"""Correction angle (rad) below which the search for the rotation nearest to a matrix ends."""

MAXIMUM_CORRECTIONS = 500
"""Maximum number of corrections in the search for the nearest rotation."""

SMALL_ANGLE = 6e-8
"""Angle (rad) below which power series replace quotients, which would suffer cancellation."""


# quaternions


def of_value(formula: Formula) -> Kernel:
    """Return a kernel that computes a formula with one argument, and writes the value to an array."""

    @kernel
    def write(result, x):
        """Set result[0] to the value of the formula at x[0]."""
        result[0] = formula(x[0])

    return write


def of_values(formula: Formula) -> Kernel:
    """Return a kernel that computes a formula with two arguments, and writes the value to an array."""

    @kernel
    def write(result, x, y):
        """Set result[0] to the value of the formula at x[0] and y[0]."""
        result[0] = formula(x[0], y[0])

    return write


@kernel
def write_product_with_axis(result, q, axis):
    """Write the product of q and the pure quaternion (0, axis)."""
    result[0] = mul_quat(q[0], quat(0.0, axis[0].x, axis[0].y, axis[0].z))


@kernel
def write_about(result, axis, angle):
    """Write the rotation by an angle about a unit vector."""
    result[0] = quat_from_axis_angle(axis[0], angle)


@kernel
def write_euler(result, angles, first, second, third):
    """Write the product of three rotations about numbered axes: 0 to 2 are intrinsic, 3 to 5 extrinsic."""
    q = turned_about(quat(1.0, 0.0, 0.0, 0.0), angles[0].x, first)
    q = turned_about(q, angles[0].y, second)
    result[0] = turned_about(q, angles[0].z, third)


@kernel
def turned_about(q, angle, number):
    """Return q combined with a rotation about a numbered axis (see `write_euler`)."""
    axis = vec3(0.0, 0.0, 1.0)
    if number % 3 == 0:
        axis = vec3(1.0, 0.0, 0.0)
    elif number % 3 == 1:
        axis = vec3(0.0, 1.0, 0.0)
    turn = quat_from_axis_angle(axis, angle)
    if number < 3:
        return mul_quat(q, turn)
    return mul_quat(turn, q)


@kernel
def write_of_matrix(result, R):
    """Write the quaternion of a rotation matrix, given as nine elements in row-major order."""
    result[0] = of_matrix(R)


@kernel(exact=True)
def of_matrix(R):
    """Return the quaternion of a rotation matrix; its largest component is positive, and is computed first.

    Four times its square is on the diagonal. Sums and differences across the diagonal are four times its products with
    the other components (Shepperd, Quaternion from rotation matrix, 1978). Rounding is as in mju_mat2Quat.
    """
    x, y, z = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    if R[0] + R[4] + R[8] > 0.0:
        w = 0.5 * sqrt(1.0 + R[0] + R[4] + R[8])
        return normalize_quat(quat(w, 0.25 * x / w, 0.25 * y / w, 0.25 * z / w))
    if R[0] > R[4] and R[0] > R[8]:
        u = 0.5 * sqrt(1.0 + R[0] - R[4] - R[8])
        return normalize_quat(quat(0.25 * x / u, u, 0.25 * (R[1] + R[3]) / u, 0.25 * (R[2] + R[6]) / u))
    if R[4] > R[8]:
        u = 0.5 * sqrt(1.0 - R[0] + R[4] - R[8])
        return normalize_quat(quat(0.25 * y / u, 0.25 * (R[1] + R[3]) / u, u, 0.25 * (R[5] + R[7]) / u))
    u = 0.5 * sqrt(1.0 - R[0] - R[4] + R[8])
    return normalize_quat(quat(0.25 * z / u, 0.25 * (R[2] + R[6]) / u, 0.25 * (R[5] + R[7]) / u, u))


@kernel
def write_velocity(result, q, duration):
    """Write the constant angular velocity that produces the rotation q in `duration`."""
    result[0] = quat_to_velocity(q[0], duration)


@kernel
def write_rate(result, q, velocity):
    """Write the time derivative of q at an angular velocity in the parent frame."""
    v = velocity[0] * 0.5
    result[0] = mul_quat(quat(0.0, v.x, v.y, v.z), q[0])


@kernel
def write_integrated(q, velocity, duration):
    """Integrate q in place at an angular velocity in its local frame."""
    q[0] = integrate_quat(q[0], velocity[0], duration)


@kernel
def write_from_z(result, v):
    """Write the smallest rotation that turns the z axis into the direction of v."""
    way = normalize3(v[0])
    axis = vec3(-way.y, way.x, 0.0)
    length = norm(axis)
    turn = quat_from_axis_angle(normalize3(axis), atan2(length, way.z))
    result[0] = where(norm(v[0]) < mjMINVAL, quat(1.0, 0.0, 0.0, 0.0), turn)


@kernel
def write_nearest(q, matrix):
    """Set q to the rotation nearest to a matrix; return the number of corrections."""
    turned, corrections = nearest_rotation(q[0], matrix[0])
    q[0] = turned
    return corrections


@kernel
def nearest_rotation(q, matrix):
    """Return the rotation nearest to a matrix, found by a search that starts at q, and the number of corrections.

    Müller et al., A robust method to extract the rotational part of deformations, Motion in Games 2016.
    """
    for correction in range(MAXIMUM_CORRECTIONS):
        turned, angle = nearer_rotation(q, matrix)
        if angle < SAME_ROTATION:
            return q, correction
        q = turned
    return q, MAXIMUM_CORRECTIONS


@kernel
def nearer_rotation(q, matrix):
    """Return q after one correction toward the rotation nearest to a matrix, and the angle of the correction."""
    r = quat_to_mat(q)
    turn = cross(x_axis(r), x_axis(matrix)) + cross(y_axis(r), y_axis(matrix)) + cross(z_axis(r), z_axis(matrix))
    fit = dot(x_axis(r), x_axis(matrix)) + dot(y_axis(r), y_axis(matrix)) + dot(z_axis(r), z_axis(matrix))
    omega = turn * (1.0 / (abs(fit) + mjMINVAL))
    angle = norm(omega)
    return normalize_quat(mul_quat(quat_from_axis_angle(normalize3(omega), angle), q)), angle


# poses and spatial vectors


@kernel
def write_pose_product(pos, q, pos1, quat1, pos2, quat2):
    """Write pose 2, given in the frame of pose 1, as a pose in the parent frame of pose 1."""
    turned = rotate(quat1[0], pos2[0])
    product = mul_quat(quat1[0], quat2[0])
    pos[0] = pos1[0] + turned
    q[0] = normalize_quat(product)


@kernel
def write_pose_inverse(result, q, pos, quat):
    """Write the inverse of a pose."""
    turned = -rotate_inv(quat[0], pos[0])
    q[0] = conj_quat(quat[0])
    result[0] = turned


@kernel(exact=True)
def relative_pose(pos1, R1, pos2, R2):
    """Return the transform from frame 2 to frame 1 (rotation matrix and offset).

    Both frames are given in a common parent frame. The transform is computed with quaternions, as in MuJoCo's SDF
    collisions, because gradient descents amplify the rounding error of their start point.
    """
    inverse = conj_quat(of_matrix(R1))
    turn = normalize_quat(mul_quat(inverse, of_matrix(R2)))
    return quat_to_mat(turn), rotate(inverse, pos2) - rotate(inverse, pos1)


@kernel
def write_placed(result, pos, q, v):
    """Write the point v, given in the frame of a pose, as a point in the parent frame."""
    result[0] = pos[0] + rotate(q[0], v[0])


@kernel
def write_transformed(result, v, is_force, newpos, oldpos, frame):
    """Transform a spatial motion or force vector from `oldpos` to `newpos`, and rotate it into the axes of `frame`."""
    offset = newpos[0] - oldpos[0]
    angular = v[0].angular
    linear = v[0].linear
    if is_force:
        angular = angular - cross(offset, linear)
    else:
        linear = velocity_of(v[0], offset)
    result[0] = spatial(frame[0].T @ angular, frame[0].T @ linear)


# derivatives


@formula("mat3", "real", "vec3", "real", "real")
def turning(a, axis, b, c):
    """Return a I + b [axis] + c [axis]^2, with the matrix [axis] of the cross product."""
    x, y, z = axis[0], axis[1], axis[2]
    a = a - c * (x * x + y * y + z * z)
    return (
        a + c * x * x, c * x * y - b * z, c * x * z + b * y,
        c * x * y + b * z, a + c * y * y, c * y * z - b * x,
        c * x * z - b * y, c * y * z + b * x, a + c * z * z,
    )  # fmt: skip


@kernel
def write_difference_derivatives(da, db, a, b):
    """Write the derivatives of `sub_quat` with respect to small rotations of a and b.

    They are given by the inverse left Jacobian of SO(3).
    """
    difference = sub_quat(a[0], b[0])
    half = 0.5 * norm(difference)
    small = half <= SMALL_ANGLE
    safe = where(small, 1.0, half)
    along = where(small, half * half / 3.0, 1.0 - safe * cos(safe) / sin(safe))
    derivative = turning(1.0, normalize3(difference), half, along)
    da[0] = derivative
    db[0] = -derivative.T


@kernel
def write_integration_derivatives(by_quat, by_vel, by_scale, velocity, scale):
    """Write the derivatives of `integrate_quat` with respect to a small rotation, the velocity and the scale.

    The first is the transposed rotation matrix of the step. The second is the right Jacobian of SO(3).
    """
    rotation = velocity[0] * scale
    angle = norm(rotation)
    axis = normalize3(rotation)
    small = angle <= SMALL_ANGLE
    safe = where(small, 1.0, angle)
    versine = where(small, 0.5 * angle, (1.0 - cos(safe)) / safe)
    rest = where(small, angle * angle / 6.0, 1.0 - sin(safe) / safe)
    by_scale[0] = velocity[0]
    by_quat[0] = turning(1.0, axis, -sin(angle), 1.0 - cos(angle))
    by_vel[0] = turning(1.0, axis, -versine, rest)
