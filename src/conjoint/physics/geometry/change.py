"""Numbers that change otherwise than they are computed: in dual numbers a value with the tangents of another formula.

In ordinary numbers, a change is zero.
"""

from conjoint.lang import kernel, stop_gradient, vec3


@kernel
def change(x):
    """A number that is zero and has the tangents of x."""
    return x - stop_gradient(x)


@kernel
def moving(value, x):
    """A number of a given value that changes as x does."""
    return stop_gradient(value) + change(x)


@kernel
def moving_vector(value, v):
    """A vector of a given value that changes as v does."""
    return vec3(moving(value.x, v.x), moving(value.y, v.y), moving(value.z, v.z))
