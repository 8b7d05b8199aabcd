"""Vectors, quaternions, matrices and spatial vectors: formulas that all stages use.

Quaternions are (w, x, y, z) and unit unless stated otherwise; matrices are row-major. Spatial vectors put rotation
first. They are expressed at the subtree's center of mass, with axes parallel to the world ("com-based", Computation
chapter, Kinematics). Plucker algebra follows Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2.
"""

from __future__ import annotations

from .formula import Formula, components, formula
from .functions import abs, atan2, change, sincos, sqrt, where
from .record import record
from .values import matrix_product

MINIMUM_VALUE = 1e-15
"""Lengths below this are treated as zero (mjMINVAL)."""


# kinds of values


@record
def vec2(x, y):
    """Return a pair of real numbers."""


@record
def vec3(x, y, z):
    """Return a vector with three components."""


@record
def quat(w, x, y, z):
    """Return a quaternion."""


@record
def mat3(xx, xy, xz, yx, yy, yz, zx, zy, zz):
    """Return a 3x3 matrix, row-major."""


@record
def inertia(xx, yy, zz, xy, xz, yz, mx, my, mz, mass):
    """Return a com-based inertia: rotational part, mass times offset, mass."""


@record
def solref(timeconst, dampratio):
    """Return the reference of a constraint: time constant (s) and damping ratio.

    If they are not positive, they are the stiffness and damping with reversed sign.
    """


@record
def solimp(dmin, dmax, width, midpoint, power):
    """Return a constraint impedance: a sigmoid from dmin to dmax over width."""


@record
def friction(tangent1, tangent2, torsion, roll1, roll2):
    """Return the friction coefficients of a contact: two tangential, one torsional (m), and two rolling (m)."""


@record
def KBIP(K, B, I, P):  # noqa: E741  the names of the documentation
    """Return parameters of a constraint row: stiffness, damping, impedance and its derivative (a row of `efc_KBIP`)."""


@formula("spatial", "vec3", "vec3")
def spatial(angular, linear):
    """Return a spatial vector from its two halves."""
    return (*angular, *linear)


# vectors


@formula("real", "vec3", "vec3")
def dot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@formula("vec3", "vec3", "vec3")
def cross(a, b):
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@formula("real", "vec3")
def norm(v):
    """Return the Euclidean length."""
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@formula("vec3", "vec3")
def normalize3(v):
    """Return the unit vector along v; the x axis when v is shorter than MINIMUM_VALUE (mju_normalize3)."""
    length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    tiny = length < MINIMUM_VALUE
    scale = 1.0 / where(tiny, 1.0, length)
    return (where(tiny, 1.0, v[0] * scale), where(tiny, 0.0, v[1] * scale), where(tiny, 0.0, v[2] * scale))


# quaternions


@formula("quat", "quat", "quat", exact=True)
def mul_quat(a, b):
    """Return the Hamilton product a b: the rotation b followed by the rotation a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@formula("quat", "quat")
def conj_quat(q):
    """Return the conjugate of q, which is the inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@formula("vec3", "quat", "vec3", exact=True)
def rotate(q, v):
    """Return v rotated by q: v + 2 u x (w v + u x v) with q = (w, u)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    t = (w * v[0] + y * v[2] - z * v[1], w * v[1] + z * v[0] - x * v[2], w * v[2] + x * v[1] - y * v[0])
    return (v[0] + 2.0 * (y * t[2] - z * t[1]), v[1] + 2.0 * (z * t[0] - x * t[2]), v[2] + 2.0 * (x * t[1] - y * t[0]))


@formula("vec3", "quat", "vec3", exact=True)
def rotate_inv(q, v):
    """Return v rotated by the inverse of q."""
    return rotate((q[0], -q[1], -q[2], -q[3]), v)


@formula("quat", "quat", exact=True)
def normalize_quat(q):
    """Return q scaled to unit length; the identity when q is shorter than MINIMUM_VALUE (mju_normalize4)."""
    length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    tiny = length < MINIMUM_VALUE
    scale = 1.0 / where(tiny | (abs(length - 1.0) <= MINIMUM_VALUE), 1.0, length)
    return (where(tiny, 1.0, q[0] * scale), *(where(tiny, 0.0, part * scale) for part in q[1:]))


@formula("mat3", "quat", exact=True)
def quat_to_mat(q):
    """Return the rotation matrix of q."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z,
    )  # fmt: skip


@formula("quat", "vec3", "real")
def quat_from_axis_angle(axis, angle):
    """Return the rotation by `angle` radians about the unit vector `axis`."""
    s, c = sincos(0.5 * angle)
    return (c, s * axis[0], s * axis[1], s * axis[2])


@formula("quat", "quat", "vec3", "real")
def integrate_quat(q, velocity, duration):
    """Return q rotated for `duration` at angular velocity `velocity` in its local frame (mju_quatIntegrate)."""
    speed = norm(velocity)
    axis = normalize3(velocity)
    turned = mul_quat(q, quat_from_axis_angle(axis, speed * duration))
    return normalize_quat(turned)


@formula("vec3", "quat", "real")
def quat_to_velocity(q, duration):
    """Return the constant angular velocity that produces the rotation q in `duration` (mju_quat2Vel)."""
    v = (q[1], q[2], q[3])
    length = norm(v)
    axis = normalize3(v)
    angle = 2.0 * atan2(length, q[0])
    # choose the shorter rotation
    angle = where(angle > 3.141592653589793, angle - 6.283185307179586, angle)
    speed = angle / duration
    return (axis[0] * speed, axis[1] * speed, axis[2] * speed)


@formula("vec3", "quat", "quat")
def sub_quat(a, b):
    """Return the rotation vector that turns orientation b into orientation a, in the frame of b (mju_subQuat)."""
    return quat_to_velocity(mul_quat((b[0], -b[1], -b[2], -b[3]), a), 1.0)


def _turned_smoothly(q, velocity, duration):
    """Compute `integrate_quat` from sin(a) / a, which is differentiable even at zero velocity."""
    half = tuple(0.5 * duration * x for x in velocity)
    sine_ratio, cosine = _sine_ratio(dot(half, half))
    return normalize_quat(mul_quat(q, (cosine, *(sine_ratio * x for x in half))))


def _velocity_smoothly(q, duration):
    """Compute `quat_to_velocity` from a / sin(a), which is differentiable even at zero rotation."""
    w, v = where(q[0] < 0.0, -1.0, 1.0), (q[1], q[2], q[3])
    square = dot(v, v)
    near = square < SMALL_ANGLE
    sine = sqrt(where(near, 1.0, square))
    # atan(s / c) / s = 1/c - s^2 / (3 c^3) + s^4 / (5 c^5) - ...
    inverse = 1.0 / where(near, w * q[0], 1.0)
    ratio = square * inverse * inverse
    series = inverse * (1.0 - ratio * (1.0 / 3.0 - ratio * (1.0 / 5.0 - ratio / 7.0)))
    scale = 2.0 * w / duration * where(near, series, atan2(sine, w * q[0]) / sine)
    return tuple(scale * x for x in v)


def _normalized_smoothly(q):
    """Compute `normalize_quat` with a differentiable length, which is 1 for unit quaternions."""
    length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    tiny = length < MINIMUM_VALUE
    unit = abs(length - 1.0) <= MINIMUM_VALUE
    scale = 1.0 / where(tiny, 1.0, where(unit, 1.0 + change(length), length))
    return (where(tiny, 1.0, q[0] * scale), *(where(tiny, 0.0, part * scale) for part in q[1:]))


def _sine_ratio(square):
    """Return sin(a) / a and cos(a), given a**2."""
    near = square < SMALL_ANGLE
    angle = sqrt(where(near, 1.0, square))
    sine, cosine = sincos(angle)
    ratio = where(near, 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)), sine / angle)
    return ratio, where(near, 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0)), cosine)


SMALL_ANGLE = 1e-4
"""Bound on squared angles, below which the first four terms of the series are exact to rounding."""

normalize_quat.smooth = _normalized_smoothly
integrate_quat.smooth = _turned_smoothly
quat_to_velocity.smooth = _velocity_smoothly


# matrices


def _vector_of_matrix(name: str, doc: str, first: int, apart: int) -> Formula:
    """Return the formula that extracts three components of a matrix, starting at `first`, with a stride of `apart`."""

    def vector(r):
        return r[first], r[first + apart], r[first + 2 * apart]

    vector.__name__, vector.__doc__ = name, doc
    return formula("vec3", "mat3")(vector)


x_axis = _vector_of_matrix("x_axis", "First column.", 0, 3)
y_axis = _vector_of_matrix("y_axis", "Second column.", 1, 3)
z_axis = _vector_of_matrix("z_axis", "Third column.", 2, 3)
row0 = _vector_of_matrix("row0", "First row.", 0, 1)
row1 = _vector_of_matrix("row1", "Second row.", 3, 1)
row2 = _vector_of_matrix("row2", "Third row.", 6, 1)


@formula("mat3", "vec3", "vec3", "vec3")
def mat_from_rows(a, b, c):
    """Return the matrix with rows a, b, c."""
    return (*a, *b, *c)


@formula("vec3", "mat3", "vec3", exact=True)
def mul_mat_vec(r, v):
    """Return R v, the product of a matrix and a vector."""
    return matrix_product(components(r), components(v))


# spatial vectors


@formula("real", "spatial", "spatial")
def dot6(a, b):
    """Return the scalar product of a motion and a force, summed in the order that MuJoCo uses."""
    return (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])


@formula("inertia", "mat3", "vec3", "vec3", "real")
def com_inertia(r, diagonal, offset, mass):
    """Return the com-based inertia of a body, given its principal frame r, principal moments, center offset, and mass.

    It is computed as in mju_inertCom.
    """
    t = [r[3 * i + j] * diagonal[j] for i in range(3) for j in range(3)]

    def moment(i, j):
        return r[3 * i] * t[3 * j] + r[3 * i + 1] * t[3 * j + 1] + r[3 * i + 2] * t[3 * j + 2]

    x, y, z = offset[0], offset[1], offset[2]
    return (
        moment(0, 0) + mass * (y * y + z * z),
        moment(1, 1) + mass * (x * x + z * z),
        moment(2, 2) + mass * (x * x + y * y),
        moment(0, 1) - mass * x * y,
        moment(0, 2) - mass * x * z,
        moment(1, 2) - mass * y * z,
        mass * x, mass * y, mass * z, mass,
    )  # fmt: skip


@formula("spatial", "inertia", "spatial")
def mul_inertia(i, v):
    """Return the momentum of a body with com-based inertia i and velocity v."""
    return (
        i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
        i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
        i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
        i[8] * v[1] - i[7] * v[2] + i[9] * v[3],
        i[6] * v[2] - i[8] * v[0] + i[9] * v[4],
        i[7] * v[0] - i[6] * v[1] + i[9] * v[5],
    )


@formula("spatial", "spatial", "spatial")
def cross_motion(v, u):
    """Return the rate of change of a motion vector u that is fixed in a frame moving with velocity v."""
    turn = cross(v[:3], u[:3])
    move, shift = cross(v[:3], u[3:]), cross(v[3:], u[:3])
    return (*turn, move[0] + shift[0], move[1] + shift[1], move[2] + shift[2])


@formula("spatial", "spatial", "spatial")
def cross_force(v, f):
    """Return the rate of change of a force vector f that is fixed in a frame moving with velocity v."""
    turn, shift = cross(v[:3], f[:3]), cross(v[3:], f[3:])
    move = cross(v[:3], f[3:])
    return (turn[0] + shift[0], turn[1] + shift[1], turn[2] + shift[2], *move)
