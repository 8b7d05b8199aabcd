"""Principal axes of a symmetric matrix, for lanes, bit for bit as in MuJoCo."""

from conjoint.lang import (
    abs,
    dot,
    kernel,
    mul_quat,
    normalize_quat,
    quat,
    quat_to_mat,
    sqrt,
    where,
    x_axis,
    y_axis,
    z_axis,
)

MOST_ROTATIONS = 500
"""Maximum number of rotations in the search for the axes."""

NEGLIGIBLE = 1e-12
"""Threshold below which off-diagonal elements, differences of eigenvalues and rotations count as zero."""

QUARTER = 0.707106781186548
"""Sine and cosine in the quaternion of a 90-degree rotation, rounded as in MuJoCo."""


@kernel
def principal_rotation(matrix):
    """Return the rotation to the principal axes of a symmetric matrix, by decreasing eigenvalue (mju_eig3).

    This is Jacobi's method (Golub & Van Loan, Matrix Computations, 8.5), with the rotation accumulated as a quaternion.
    If several axes are equally good, the order of rotations selects one of them, and contacts of bodies that just touch
    depend on it. The compiler has its own version, which rounds quaternions as MuJoCo's compiler does.

    Returns:
        the rotation, the eigenvalues and the number of rotations.
    """
    q = quat(1.0, 0.0, 0.0, 0.0)
    turns = 0
    for _ in range(MOST_ROTATIONS):
        x, y, z, xy, xz, yz = in_axes(matrix, q)
        # eliminate the largest off-diagonal element next
        first = (abs(xy) > abs(xz)) & (abs(xy) > abs(yz))
        second = (not first) & (abs(xz) > abs(yz))
        element = where(first, xy, where(second, xz, yz))
        if not abs(element) >= NEGLIGIBLE:
            break
        span = where(first, y, z) - where(first | second, x, y)
        tau = span / (2.0 * element)
        root = sqrt(1.0 + tau * tau)
        t = where(tau >= 0.0, 1.0 / (tau + root), -1.0 / (root - tau))
        cosine = 1.0 / sqrt(1.0 + t * t)
        if not cosine <= 1.0 - NEGLIGIBLE:
            break
        half = sqrt(0.5 - 0.5 * cosine)
        half = where((tau >= 0.0) ^ second, -half, half)
        third = not (first | second)
        turn = quat(sqrt(1.0 - half * half), where(third, half, 0.0), where(second, half, 0.0), where(first, half, 0.0))
        q = normalize_quat(mul_quat(q, normalize_quat(turn)))
        turns += 1
    x, y, z, xy, xz, yz = in_axes(matrix, q)
    # sort by decreasing eigenvalue: swap neighbors by 90-degree rotations
    about_z = quat(QUARTER, 0.0, 0.0, QUARTER)
    about_x = quat(QUARTER, QUARTER, 0.0, 0.0)
    if x + NEGLIGIBLE < y:
        q = normalize_quat(mul_quat(q, about_z))
        x, y = y, x
    if y + NEGLIGIBLE < z:
        q = normalize_quat(mul_quat(q, about_x))
        y, z = z, y
    if x + NEGLIGIBLE < y:
        q = normalize_quat(mul_quat(q, about_z))
        x, y = y, x
    return q, x, y, z, turns


@kernel
def in_axes(matrix, q):
    """Return the elements xx yy zz xy xz yz of a symmetric matrix in the frame q."""
    R = quat_to_mat(q)
    first = matrix @ x_axis(R)
    second = matrix @ y_axis(R)
    third = matrix @ z_axis(R)
    return (
        dot(first, x_axis(R)),
        dot(second, y_axis(R)),
        dot(third, z_axis(R)),
        dot(first, y_axis(R)),
        dot(first, z_axis(R)),
        dot(second, z_axis(R)),
    )
