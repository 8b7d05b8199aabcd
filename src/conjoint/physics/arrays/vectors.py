"""Vector operations on the caller's arrays; results are written to the first argument."""

from conjoint.lang import abs, kernel, sqrt
from conjoint.schema.constants import mjMINVAL


@kernel
def write_copy(result, v, n):
    """Compute result := v for n elements; the precisions of the two arrays may differ."""
    for i in range(n):
        result[i] = v[i]


@kernel
def write_scaled(result, v, scale, n):
    """Compute result := v scale for n elements."""
    for i in range(n):
        result[i] = v[i] * scale


@kernel
def write_sum(result, a, b, n):
    """Compute result := a + b for n elements."""
    for i in range(n):
        result[i] = a[i] + b[i]


@kernel
def write_difference(result, a, b, n):
    """Compute result := a - b for n elements."""
    for i in range(n):
        result[i] = a[i] - b[i]


@kernel
def write_scaled_sum(result, a, b, scale, n):
    """Compute result := a + b scale for n elements."""
    for i in range(n):
        result[i] = a[i] + b[i] * scale


@kernel
def sum_of(v, n):
    """Return the sum of the n elements of v."""
    found = 0.0
    for i in range(n):
        found += v[i]
    return found


@kernel
def magnitude_of(v, n):
    """Return the sum of the absolute values of the n elements of v."""
    found = 0.0
    for i in range(n):
        found += abs(v[i])
    return found


@kernel
def dot_product(a, b, n):
    """Return the scalar product of two vectors of n elements."""
    found = 0.0
    for i in range(n):
        found += a[i] * b[i]
    return found


@kernel
def is_zero(v, n):
    """Return 1 if all n elements of v are zero, else 0."""
    for i in range(n):
        if v[i] != 0.0:
            return 0
    return 1


@kernel
def normalize(v, n, rests):
    """Scale v to unit length, or set it to (1, 0, ...) if it is nearly zero. Return its former length.

    If `rests` is set, a vector that already has unit length is not changed.
    """
    length = sqrt(dot_product(v, v, n))
    if length < mjMINVAL:
        for i in range(n):
            v[i] = 0.0
        if n > 0:
            v[0] = 1.0
    elif rests == 0 or abs(length - 1.0) > mjMINVAL:
        for i in range(n):
            v[i] = v[i] * (1.0 / length)
    return length
