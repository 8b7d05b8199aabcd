"""Storage of the rows of the constraint Jacobian."""

from conjoint.lang import any, kernel
from conjoint.schema.enums import mjtJacobian

MOST_DENSE = 60
"""Minimum number of dofs for which the option jacobian="auto" compresses the constraint Jacobian."""


@kernel
def compresses(jacobian, nv):
    """Return True if the option `jacobian` stores constraint rows of nv dofs in compressed form."""
    if jacobian == mjtJacobian.mjJAC_AUTO:
        return nv >= MOST_DENSE
    return jacobian == mjtJacobian.mjJAC_SPARSE


@kernel
def is_nonzero(x):
    """Return True if a number is not zero in some world of a block; otherwise all worlds can skip its effects."""
    return any(x != 0.0)


@kernel
def fullest(count):
    """Return the largest value of `count`, for example a number of rows, among the worlds of a block.

    Row matrices have this size in all worlds, so that an element has the same address in each world.
    """
    n = 0
    while any(n + 16 <= count):
        n += 16
    if any(n + 8 <= count):
        n += 8
    if any(n + 4 <= count):
        n += 4
    if any(n + 2 <= count):
        n += 2
    if any(n < count):
        n += 1
    return n
