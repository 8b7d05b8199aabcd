"""Vectors, quaternions, matrices and spatial vectors: the formulas every stage uses.

Quaternions are (w, x, y, z) and unit unless said otherwise; matrices are row-major; spatial vectors put rotation first
and are expressed at the subtree's centre of mass, with axes parallel to the world ("com-based", Computation chapter,
Kinematics). Plucker algebra follows Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2.
"""

from __future__ import annotations

from .formula import components, formula
from .functions import abs, atan2, sincos, sqrt, where
from .values import matrix_product, transposed

MINIMUM_VALUE = 1e-15
"""Lengths below this are treated as zero (mjMINVAL)."""


# constructors


@formula("vec2", "real", "real")
def vec2(x, y):
    """Two reals that belong together."""
    return (x, y)


@formula("vec3", "real", "real", "real")
def vec3(x, y, z):
    """A vector."""
    return (x, y, z)


@formula("quat", "real", "real", "real", "real")
def quat(w, x, y, z):
    """A quaternion."""
    return (w, x, y, z)


@formula("mat3", *["real"] * 9)
def mat3(xx, xy, xz, yx, yy, yz, zx, zy, zz):
    """A 3x3 matrix, row-major."""
    return (xx, xy, xz, yx, yy, yz, zx, zy, zz)


@formula("spatial", "vec3", "vec3")
def spatial(angular, linear):
    """A spatial vector from its two halves."""
    return (*angular, *linear)


@formula("inertia", *["real"] * 10)
def inertia(xx, yy, zz, xy, xz, yz, mx, my, mz, mass):
    """A com-based inertia: rotational part, mass times offset, mass."""
    return (xx, yy, zz, xy, xz, yz, mx, my, mz, mass)


@formula("solref", "real", "real")
def solref(timeconst, dampratio):
    """Constraint reference: time constant (s) and damping ratio; minus stiffness and damping if not positive."""
    return (timeconst, dampratio)


@formula("solimp", "real", "real", "real", "real", "real")
def solimp(dmin, dmax, width, midpoint, power):
    """Constraint impedance: a sigmoid from dmin to dmax over width."""
    return (dmin, dmax, width, midpoint, power)


@formula("friction", "real", "real", "real", "real", "real")
def friction(tangent1, tangent2, torsion, roll1, roll2):
    """Friction coefficients of a contact: two tangents, torsion (m), two rolls (m)."""
    return (tangent1, tangent2, torsion, roll1, roll2)


@formula("KBIP", "real", "real", "real", "real")
def KBIP(K, B, I, P):  # noqa: E741  the names of the documentation
    """How a constraint row acts: stiffness, damping, impedance and its derivative (a row of `efc_KBIP`)."""
    return (K, B, I, P)


# vectors


@formula("real", "vec3", "vec3")
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@formula("vec3", "vec3", "vec3")
def cross(a, b):
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@formula("real", "vec3")
def norm(v):
    """Euclidean length."""
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@formula("vec3", "vec3")
def normalize3(v):
    """Unit vector along v; the x axis when v is shorter than MINIMUM_VALUE (mju_normalize3)."""
    length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    tiny = length < MINIMUM_VALUE
    scale = 1.0 / where(tiny, 1.0, length)
    return (where(tiny, 1.0, v[0] * scale), where(tiny, 0.0, v[1] * scale), where(tiny, 0.0, v[2] * scale))


# quaternions


@formula("quat", "quat", "quat", exact=True)
def mul_quat(a, b):
    """Hamilton product: the rotation b followed by a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@formula("quat", "quat")
def conj_quat(q):
    """The inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@formula("vec3", "quat", "vec3", exact=True)
def rotate(q, v):
    """v turned by q: v + 2 u x (w v + u x v) with q = (w, u)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    t = (w * v[0] + y * v[2] - z * v[1], w * v[1] + z * v[0] - x * v[2], w * v[2] + x * v[1] - y * v[0])
    return (v[0] + 2.0 * (y * t[2] - z * t[1]), v[1] + 2.0 * (z * t[0] - x * t[2]), v[2] + 2.0 * (x * t[1] - y * t[0]))


@formula("vec3", "quat", "vec3", exact=True)
def rotate_inv(q, v):
    """v turned by the inverse of q."""
    return rotate((q[0], -q[1], -q[2], -q[3]), v)


@formula("quat", "quat", exact=True)
def normalize_quat(q):
    """q scaled to unit length; the identity when q is shorter than MINIMUM_VALUE (mju_normalize4)."""
    length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    tiny = length < MINIMUM_VALUE
    scale = 1.0 / where(tiny | (abs(length - 1.0) <= MINIMUM_VALUE), 1.0, length)
    return (
        where(tiny, 1.0, q[0] * scale),
        where(tiny, 0.0, q[1] * scale),
        where(tiny, 0.0, q[2] * scale),
        where(tiny, 0.0, q[3] * scale),
    )


@formula("mat3", "quat", exact=True)
def quat_to_mat(q):
    """Rotation matrix of q."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z,
    )  # fmt: skip


@formula("quat", "vec3", "real")
def quat_from_axis_angle(axis, angle):
    """Rotation by `angle` radians about the unit vector `axis`."""
    s, c = sincos(0.5 * angle)
    return (c, s * axis[0], s * axis[1], s * axis[2])


@formula("quat", "quat", "vec3", "real")
def integrate_quat(q, velocity, duration):
    """q after turning for `duration` with angular velocity `velocity` in q's frame (mju_quatIntegrate)."""
    speed = norm(velocity)
    axis = normalize3(velocity)
    turned = mul_quat(q, quat_from_axis_angle(axis, speed * duration))
    return normalize_quat(turned)


@formula("vec3", "quat", "real")
def quat_to_velocity(q, duration):
    """Angular velocity that makes the rotation q in `duration` (mju_quat2Vel)."""
    v = (q[1], q[2], q[3])
    length = norm(v)
    axis = normalize3(v)
    angle = 2.0 * atan2(length, q[0])
    # take the shorter way round
    angle = where(angle > 3.141592653589793, angle - 6.283185307179586, angle)
    speed = angle / duration
    return (axis[0] * speed, axis[1] * speed, axis[2] * speed)


@formula("vec3", "quat", "quat")
def sub_quat(a, b):
    """Rotation vector, in b's frame, that turns b to a (mju_subQuat)."""
    return quat_to_velocity(mul_quat((b[0], -b[1], -b[2], -b[3]), a), 1.0)


# matrices


@formula("vec3", "mat3")
def x_axis(r):
    """First column."""
    return (r[0], r[3], r[6])


@formula("vec3", "mat3")
def y_axis(r):
    """Second column."""
    return (r[1], r[4], r[7])


@formula("vec3", "mat3")
def z_axis(r):
    """Third column."""
    return (r[2], r[5], r[8])


@formula("vec3", "mat3")
def row0(r):
    """First row."""
    return (r[0], r[1], r[2])


@formula("vec3", "mat3")
def row1(r):
    """Second row."""
    return (r[3], r[4], r[5])


@formula("vec3", "mat3")
def row2(r):
    """Third row."""
    return (r[6], r[7], r[8])


@formula("mat3", "vec3", "vec3", "vec3")
def mat_from_rows(a, b, c):
    """The matrix with rows a, b, c."""
    return (*a, *b, *c)


@formula("mat3", "mat3")
def transpose(r):
    """The transposed matrix."""
    return transposed(components(r))


@formula("vec3", "mat3", "vec3", exact=True)
def mul_mat_vec(r, v):
    """R v."""
    return matrix_product(components(r), components(v))


@formula("mat3", "mat3", "mat3")
def mul_mat_mat(r, b):
    """R B."""
    return matrix_product(components(r), components(b))


# spatial vectors


@formula("vec3", "spatial")
def angular(s):
    """Rotational half."""
    return (s[0], s[1], s[2])


@formula("vec3", "spatial")
def linear(s):
    """Translational half."""
    return (s[3], s[4], s[5])


@formula("real", "spatial", "spatial")
def dot6(a, b):
    """Scalar product of a motion and a force; as written, in the order of the official engine."""
    return (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])


@formula("inertia", "mat3", "vec3", "vec3", "real")
def com_inertia(r, diagonal, offset, mass):
    """Inertia about a point: principal frame r and moments, offset of the centre from the point (mju_inertCom)."""
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
    """Momentum of a body with com-based inertia i and velocity v."""
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
    """Rate of change of the motion u carried along with velocity v."""
    turn = cross(angular(v), angular(u))
    move, shift = cross(angular(v), linear(u)), cross(linear(v), angular(u))
    return (*turn, move[0] + shift[0], move[1] + shift[1], move[2] + shift[2])


@formula("spatial", "spatial", "spatial")
def cross_force(v, f):
    """Rate of change of the force f carried along with velocity v."""
    turn, shift = cross(angular(v), angular(f)), cross(linear(v), linear(f))
    move = cross(angular(v), linear(f))
    return (turn[0] + shift[0], turn[1] + shift[1], turn[2] + shift[2], *move)
