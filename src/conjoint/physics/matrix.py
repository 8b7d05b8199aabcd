"""Vectors and matrices that forces of the medium and derivatives are made of."""

from conjoint.lang import formula


@formula("vec3", "vec3", "vec3")
def times(a, b):
    """Product element by element."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])
