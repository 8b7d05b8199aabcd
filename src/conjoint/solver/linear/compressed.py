"""Products with compressed rows of the constraint Jacobian, for descents in the space of dofs (see `linear.rows`)."""

from conjoint.lang import abs, kernel
from conjoint.physics.constraint.reference import compressed_product, plus_product
from conjoint.solver.linear.dense import clear, padded


@kernel(per_world=True)
def sizes_of_compressed(m, d, n, count):
    """Sum of the sizes of the elements of the first n rows."""
    size = 0.0
    for a in range(d.efc_J_rowadr[0], d.efc_J_rowadr[n - 1] + d.efc_J_rownnz[n - 1]):
        size = size + abs(d.efc_J[a])
    return size


@kernel(per_world=True)
def times_compressed(m, d, n, x, result):
    """result := J x."""
    for r in range(n):
        result[r] = compressed_product(m, d, r, x)
    clear(result, n, padded(n) - n)


@kernel(per_world=True)
def gather_compressed(m, d, n):
    """solver_column := J' times `solver_force`, from column 1 on."""
    clear(d.solver_column, 0, padded(m.nv + 1))
    for r in range(n):
        force = d.solver_force[r]
        if force != 0.0:
            for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
                i = 1 + d.efc_J_colind[a]
                d.solver_column[i] = plus_product(d.solver_column[i], d.efc_J[a], force)
