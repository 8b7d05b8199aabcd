"""Memory that a model asks for what has no fixed size (`narena`; Modeling chapter, Memory allocation).

The arena of our worlds grows with what it must hold. The number tells what the official engine would set aside: as much
as is written, or enough for 100 contacts and 500 constraint rows, and for a stack whose size is guessed.
"""

from collections.abc import Mapping

from conjoint.spec import Spec

NCON, NEFC = 100, 500
"""Contacts and constraint rows for which there is room unless the model says otherwise."""
REAL, INT = 8, 4
CONTACT = 576
"""Bytes of `mjContact`."""
ROW = 14 * REAL + 8 * INT
"""Bytes of a constraint row, besides its Jacobian and the matrix of dual solvers."""
UNIT = 1 << 20
"""The arena is a multiple of this, unless its size is written."""
MOST = (1 << 63) - 1


def arena_bytes(spec: Spec, sizes: Mapping[str, int]) -> int:
    """Bytes of the arena of a model with these sizes."""
    if spec.memory >= 0:
        return min(spec.memory, MOST)
    written, nv = spec.size, sizes["nv"]
    ncon = NCON if written.nconmax < 0 else written.nconmax
    nefc = NEFC if written.njmax < 0 else written.njmax
    # the Jacobian and its transpose are sparse, and so is the matrix of dual solvers
    jacobian = 2 * (REAL + INT) * nefc * nv + 3 * INT * nv
    total = CONTACT * ncon + ROW * nefc + jacobian + (REAL + INT) * nefc**2
    total += REAL * (_stack(sizes, nefc) if written.nstack < 0 else written.nstack)
    return min(-(-total // UNIT) * UNIT, MOST)


def _stack(sizes: Mapping[str, int], nefc: int) -> int:
    """Reals of the stack: some matrices of all constraints and dofs, and some vectors of everything else."""
    vectors = ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "neq", "ntendon", "nwrap")
    return max(1000, 5 * (nefc + sizes["neq"] + sizes["nv"]) ** 2 + 20 * sum(sizes[name] for name in vectors))
