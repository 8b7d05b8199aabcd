"""Rotations with plain floats. Quaternions (w, x, y, z), vectors and frames are tuples.

Compiling handles many small poses one by one, where tuples of floats are an order of magnitude faster than arrays.
"""

from collections.abc import Callable, Sequence
from math import atan2, cos, isinf, nan, pi, sin, sqrt

from conjoint.lang.language import algebra

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
SHORT = 1e-14
"""Squared length (of 1e-7) below which vectors and quaternions have no direction, as in MuJoCo's compiler."""
TINY = 1e-14
"""Tolerance within which a length counts as one."""
QUARTER = 0.707106781186548
"""Sine and cosine of 45 degrees, for the quaternion of a quarter turn, rounded as in MuJoCo's compiler."""
MAXIMUM_ROTATIONS = 500
"""Number of rotations after which the search for principal axes stops."""
TO_ROUNDING = 3e-16
"""Off-diagonal elements below this, relative to the largest diagonal element, are rounding errors."""


# the engine's formulas, on tuples of floats instead of typed values
dot: Callable[[Sequence[float], Sequence[float]], float] = algebra.dot.function
cross: Callable[[Sequence[float], Sequence[float]], Vector] = algebra.cross.function
mul_quat: Callable[[Quaternion, Quaternion], Quaternion] = algebra.mul_quat.function
conj_quat: Callable[[Quaternion], Quaternion] = algebra.conj_quat.function
normalize_quat: Callable[[Sequence[float]], Quaternion] = algebra.normalize_quat.function
quat_to_mat: Callable[[Quaternion], tuple[float, ...]] = algebra.quat_to_mat.function


def minus(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Return the difference of two 3-vectors."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def distance(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the Euclidean distance between two points."""
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    # products overflow to infinity, where powers raise an error
    return sqrt(x * x + y * y + z * z)


def unit(v: Sequence[float]) -> Vector:
    """Normalize `v`, unless its length is one up to rounding. Raises ValueError if it is too short."""
    square = dot(v, v)
    if square < SHORT:
        raise ValueError("the vector is too short")
    length = sqrt(square)
    if abs(length - 1) < TINY:
        return v[0], v[1], v[2]
    return v[0] / length, v[1] / length, v[2] / length


def unit_quat(q: Sequence[float]) -> Quaternion:
    """Return the normalized quaternion `q`.

    As in MuJoCo's compiler, quaternions that are too short, or have unit length up to rounding, are returned unchanged,
    because later results may depend on the last bit.
    """
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    length = sqrt(square)
    # NaN stays unchanged
    if square < SHORT or not abs(length - 1) >= TINY:
        return q[0], q[1], q[2], q[3]
    return q[0] / length, q[1] / length, q[2] / length, q[3] / length


def rotate(q: Quaternion, v: Sequence[float]) -> Vector:
    """Rotate `v` by `q`."""
    if q == IDENTITY:
        return v[0], v[1], v[2]
    turned: Vector = algebra.rotate.function(q, v)
    return turned


def place(pos: Sequence[float], quat: Quaternion, point: Sequence[float]) -> Vector:
    """Transform `point` from a frame at `pos` with orientation `quat` to the parent frame.

    As in MuJoCo's compiler, this uses the rotation matrix, because rounding determines the axes of symmetric bodies.
    """
    if quat == IDENTITY:
        return pos[0] + point[0], pos[1] + point[1], pos[2] + point[2]
    m = quat_to_mat(quat)
    return pos[0] + dot(m[:3], point), pos[1] + dot(m[3:6], point), pos[2] + dot(m[6:], point)


def quat_about(axis: Sequence[float], angle: float) -> Quaternion:
    """Return the rotation by `angle` about the unit vector `axis`."""
    if isinf(angle):
        return nan, nan, nan, nan
    s = sin(angle / 2)
    return cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s


def quat_from_z(v: Sequence[float]) -> Quaternion:
    """Return the smallest rotation of the z axis to the direction of `v`."""
    z = unit(v)
    axis = (-z[1], z[0], 0.0)
    square = dot(axis, axis)
    if square < SHORT:
        return quat_about((1.0, 0.0, 0.0), atan2(0.0, z[2]))
    return quat_about(unit(axis), atan2(sqrt(square), z[2]))


def mat_to_quat(m: Sequence[float]) -> Quaternion:
    """Return the quaternion of a rotation matrix, given row by row.

    Its largest component is positive, and computed first. Sums and differences across the diagonal are four times
    products of two components (Shepperd, Quaternion from rotation matrix, 1978).
    """
    skew = m[7] - m[5], m[2] - m[6], m[3] - m[1]
    if m[0] + m[4] + m[8] > 0:
        w = 0.5 * sqrt(1 + m[0] + m[4] + m[8])
        return unit_quat((w, *(0.25 * number / w for number in skew)))
    i = 0 if m[0] > m[4] and m[0] > m[8] else 1 if m[4] > m[8] else 2
    square = 1.0
    for k in range(3):
        square += m[4 * k] if k == i else -m[4 * k]
    largest = 0.5 * sqrt(square)
    vector = [0.25 * (m[3 * i + k] + m[3 * k + i]) / largest for k in range(3)]
    vector[i] = largest
    return unit_quat((0.25 * skew[i] / largest, *vector))


def orientation(form: str, values: tuple[float, ...], degree: bool, sequence: str) -> Quaternion:
    """Return the quaternion for axisangle, xyaxes, zaxis or euler values.

    Raises ValueError for a short or unknown axis.
    """
    if form == "axisangle":
        return quat_about(unit(values[:3]), _radians(values[3]) if degree else values[3])
    if form == "zaxis":
        return quat_from_z(values)
    if form == "xyaxes":
        x = unit(values[:3])
        along = dot(x, values[3:])
        y = unit((values[3] - along * x[0], values[4] - along * x[1], values[5] - along * x[2]))
        z = unit(cross(x, y))
        return mat_to_quat((x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))
    if not set(sequence.lower()) <= set(AXES):
        raise ValueError(f"compiler/eulerseq '{sequence}' is not three of x y z X Y Z")
    return unit_quat(quat_of_euler([_radians(angle) for angle in values] if degree else values, sequence))


def quat_of_euler(angles: Sequence[float], sequence: str) -> Quaternion:
    """Return the rotation by Euler `angles`, about moving axes for x y z, and about fixed axes for X Y Z."""
    quat = IDENTITY
    for letter, angle in zip(sequence, angles, strict=True):
        turn = quat_about(AXES[letter.lower()], angle)
        quat = mul_quat(quat, turn) if letter.islower() else mul_quat(turn, quat)
    return quat


def _radians(degrees: float) -> float:
    """Convert degrees to radians with MuJoCo's order of operations. `math.radians` rounds differently."""
    return degrees / 180 * pi


def principal_axes(full: Sequence[float], left: float | None = None) -> tuple[Vector, Quaternion, int]:
    """Return the eigenvalues (largest first), the axes, and the number of rotations, of a matrix xx yy zz xy xz yz.

    MuJoCo 3.3.5 stops at rotations below 1e-6, and at elements and differences below 1e-12, independent of scale. Newer
    versions stop when off-diagonal elements are below `left`, relative to the largest diagonal element. They treat
    smaller differences between eigenvalues as zero.

    The method is Jacobi's (Golub & Van Loan, 8.5), with the rotation accumulated as a quaternion. The order of
    rotations determines which of the equivalent axes result, so it must not change.
    """
    xx, yy, zz, xy, xz, yz = full
    matrix = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    quat = IDENTITY
    size = abs(xx) + abs(yy) + abs(zz)
    equal = 1e-12
    for rotations in range(MAXIMUM_ROTATIONS + 1):
        diagonal = _in_axes(matrix, quat)
        # eliminate the largest off-diagonal element next
        a, b = abs(diagonal[0][1]), abs(diagonal[0][2])
        c = abs(diagonal[1][2])
        row, col, about = (0, 1, 2) if a > b and a > c else (0, 2, 1) if b > c else (1, 2, 0)
        least = 1e-12
        if left is not None:
            largest = max(abs(diagonal[k][k]) for k in range(3))
            least, equal = left * largest, max(left * largest, 1e-15 * size)
        if abs(diagonal[row][col]) <= least or rotations == MAXIMUM_ROTATIONS:
            break
        tau = (diagonal[col][col] - diagonal[row][row]) / (2 * diagonal[row][col])
        t = 1 / (tau + sqrt(1 + tau * tau)) if tau >= 0 else -1 / (-tau + sqrt(1 + tau * tau))
        cosine = 1 / sqrt(1 + t * t)
        if cosine > 1 - 1e-12 and left is None:
            break
        # the sine of half the angle; the second form is also exact for the smallest angles
        half = abs(t) * cosine / sqrt(2 + 2 * cosine) if left is not None else sqrt(0.5 - 0.5 * cosine)
        half = -half if (tau >= 0) != (about == 1) else half
        step = [sqrt(1 - half * half), 0.0, 0.0, 0.0]
        step[about + 1] = half
        quat = unit_quat(mul_quat(quat, unit_quat(step)))
    values = [diagonal[0][0], diagonal[1][1], diagonal[2][2]]
    # largest first: swap neighbors by a quarter turn about the third axis
    for first in (0, 1, 0):
        if values[first] + equal < values[first + 1]:
            values[first], values[first + 1] = values[first + 1], values[first]
            turn = [QUARTER, 0.0, 0.0, 0.0]
            turn[(first + 2) % 3 + 1] = QUARTER
            quat = unit_quat(mul_quat(quat, (turn[0], turn[1], turn[2], turn[3])))
    return (values[0], values[1], values[2]), quat, rotations


def _in_axes(matrix: Sequence[Sequence[float]], quat: Quaternion) -> list[list[float]]:
    """Return the symmetric `matrix` in the frame with orientation `quat`."""
    m = quat_to_mat(quat)
    (a, b, c), (d, e, f), (g, h, i) = matrix
    columns = (m[0], m[3], m[6]), (m[1], m[4], m[7]), (m[2], m[5], m[8])
    applied = [(x * a + y * b + z * c, x * d + y * e + z * f, x * g + y * h + z * i) for x, y, z in columns]
    return [[p * x + q * y + r * z for x, y, z in columns] for p, q, r in applied]
