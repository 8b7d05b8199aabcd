"""Numbers and vectors that combine the value of one formula with the derivative of another."""

from conjoint.lang import change, kernel, stop_gradient, vec3


@kernel
def moving(value, x):
    """Return a number with the given value and the derivative of x."""
    return stop_gradient(value) + change(x)


@kernel
def moving_vector(value, v):
    """Return a vector with the given value and the derivative of v."""
    return vec3(moving(value.x, v.x), moving(value.y, v.y), moving(value.z, v.z))
