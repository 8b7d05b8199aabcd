"""Arithmetic that is rounded as written: where shapes are aligned, the last bits decide which contacts there are."""

from conjoint.lang import dot, formula, mul_mat_mat, sqrt


@formula("real", "vec3", "vec3", exact=True)
def exact_dot(a, b):
    """Scalar product."""
    return dot(a, b)


@formula("real", "vec3", exact=True)
def exact_norm(v):
    """Euclidean length."""
    return sqrt(dot(v, v))


@formula("vec3", "vec3", "vec3", exact=True)
def exact_sum(a, b):
    """a + b."""
    return tuple(a[i] + b[i] for i in range(3))


@formula("vec3", "vec3", "vec3", exact=True)
def exact_difference(a, b):
    """a - b."""
    return tuple(a[i] - b[i] for i in range(3))


@formula("vec3", "vec3", "vec3", "real", exact=True)
def point_along(start, way, t):
    """start + way t."""
    return tuple(start[i] + way[i] * t for i in range(3))


@formula("mat3", "mat3", "mat3", exact=True)
def exact_product(r, b):
    """R B."""
    return mul_mat_mat(r, b)


@formula("real", "real", "real", "real", "real", exact=True)
def sum_of_products(a, b, c, d):
    """a b + c d."""
    return a * b + c * d


@formula("real", "real", "real", exact=True)
def times_inverse(a, b):
    """a times 1 / b."""
    return a * (1.0 / b)


@formula("real", "real", "real", "real", exact=True)
def place_of(x, start, way):
    """How far x is on the way from `start`, in units of `way`."""
    return (x - start) * (1.0 / way)


@formula(("real", "real", "real"), "real", "real", exact=True)
def unit_in_plane(x, y):
    """Length of the vector (x, y), and the unit vector along it."""
    length = sqrt(x * x + y * y)
    inverse = 1.0 / length
    return length, x * inverse, y * inverse
