"""Operations on vectors and matrices for collision detection, fluid forces and derivatives."""

from conjoint.lang import cross, dot, formula, kernel, mat3, maximum, minimum, row0, row1, row2, vec3, where


@formula("mat3", "vec3")
def skew(v):
    """Return the skew-symmetric matrix of v, which maps a vector u to the cross product v x u."""
    return (0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0)


@kernel
def inverse(matrix):
    """Return the inverse of a nonsingular matrix, computed from cross products of its rows and its determinant."""
    a, b, c = row0(matrix), row1(matrix), row2(matrix)
    x, y, z = cross(b, c), cross(c, a), cross(a, b)
    return mat3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z) * (1.0 / dot(a, x))


@kernel
def column(matrix, k):
    """Return column k of a matrix; for a rotation matrix, this is axis k."""
    return vec3(matrix[k], matrix[3 + k], matrix[6 + k])


@kernel
def largest_axis(v):
    """Return the index of the largest component of a vector, the first one on ties."""
    return where((v.x >= v.y) & (v.x >= v.z), 0, where(v.y >= v.z, 1, 2))


@kernel
def on_axis(k, x):
    """Return the vector with component x along axis k, and zeros elsewhere."""
    return vec3(where(k == 0, x, 0.0), where(k == 1, x, 0.0), where(k == 2, x, 0.0))


@formula("mat3", "vec3")
def diagonal(v):
    """Return the matrix with v on its diagonal."""
    return (v[0], 0.0, 0.0, 0.0, v[1], 0.0, 0.0, 0.0, v[2])


@formula("mat3", "vec3", "vec3")
def outer(a, b):
    """Return the outer product a b' of two vectors."""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2],
        a[1] * b[0], a[1] * b[1], a[1] * b[2],
        a[2] * b[0], a[2] * b[1], a[2] * b[2],
    )  # fmt: skip


@formula("vec3", "vec3", "vec3")
def times(a, b):
    """Return the elementwise product of two vectors."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@formula("vec3", "vec3", "vec3")
def least(a, b):
    """Return the elementwise minimum of two vectors."""
    return tuple(minimum(a[i], b[i]) for i in range(3))


@formula("vec3", "vec3", "vec3")
def greatest(a, b):
    """Return the elementwise maximum of two vectors."""
    return tuple(maximum(a[i], b[i]) for i in range(3))
