"""Storage of the rows of the constraint Jacobian."""

from conjoint.lang import kernel
from conjoint.schema.enums import mjtJacobian

MOST_DENSE = 60
"""Degrees of freedom from which on the constraint Jacobian is compressed where option jacobian is auto."""


@kernel
def compresses(jacobian, nv):
    """Return whether option jacobian compresses rows of nv degrees of freedom."""
    if jacobian == mjtJacobian.mjJAC_AUTO:
        return nv >= MOST_DENSE
    return jacobian == mjtJacobian.mjJAC_SPARSE
