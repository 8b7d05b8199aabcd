"""Storage of the rows of the constraint Jacobian."""

from conjoint.lang import any, kernel
from conjoint.schema.enums import mjtJacobian

MOST_DENSE = 60
"""Degrees of freedom from which on the constraint Jacobian is compressed where option jacobian is auto."""


@kernel
def compresses(jacobian, nv):
    """Return True if option jacobian compresses rows of nv dofs."""
    if jacobian == mjtJacobian.mjJAC_AUTO:
        return nv >= MOST_DENSE
    return jacobian == mjtJacobian.mjJAC_SPARSE


@kernel
def is_nonzero(x):
    """Return True if a number is not zero in some world of a block; else all worlds can skip its consequences."""
    return any(x != 0.0)


@kernel
def fullest(count):
    """Return the largest number of rows, or of other things, that any of the worlds of a block has.

    Matrices of the rows have this size in all worlds, so that their elements lie alike.
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
