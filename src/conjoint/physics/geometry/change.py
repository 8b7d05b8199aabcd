"""Numbers that change otherwise than they are computed: values with the tangents of other formulas."""

from conjoint.lang import change, kernel, stop_gradient, vec3


@kernel
def moving(value, x):
    """A number of a given value that changes as x does."""
    return stop_gradient(value) + change(x)


@kernel
def moving_vector(value, v):
    """A vector of a given value that changes as v does."""
    return vec3(moving(value.x, v.x), moving(value.y, v.y), moving(value.z, v.z))
