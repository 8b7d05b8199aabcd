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
    """result := J x; four rows with the same columns at once."""
    r = 0
    while r < n:
        if d.efc_J_rowsuper[r] >= 3:
            a = d.efc_J_rowadr[r]
            length = d.efc_J_rownnz[r]
            s0 = 0.0
            s1 = 0.0
            s2 = 0.0
            s3 = 0.0
            for k in range(a, a + length):
                y = x[d.efc_J_colind[k]]
                s0 += d.efc_J[k] * y
                s1 += d.efc_J[k + length] * y
                s2 += d.efc_J[k + 2 * length] * y
                s3 += d.efc_J[k + 3 * length] * y
            result[r] = s0
            result[r + 1] = s1
            result[r + 2] = s2
            result[r + 3] = s3
            r += 4
        else:
            result[r] = compressed_product(m, d, r, x)
            r += 1
    clear(result, n, padded(n) - n)


@kernel(per_world=True)
def gather_compressed(m, d, n):
    """solver_column := J' times `solver_force`, from column 1 on; four rows with the same columns at once."""
    clear(d.solver_column, 0, padded(m.nv + 1))
    r = 0
    while r < n:
        a = d.efc_J_rowadr[r]
        length = d.efc_J_rownnz[r]
        force = d.solver_force[r]
        if d.efc_J_rowsuper[r] >= 3:
            f1 = d.solver_force[r + 1]
            f2 = d.solver_force[r + 2]
            f3 = d.solver_force[r + 3]
            if force != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
                for k in range(a, a + length):
                    i = 1 + d.efc_J_colind[k]
                    s = plus_product(d.solver_column[i], d.efc_J[k], force)
                    s = plus_product(s, d.efc_J[k + length], f1)
                    s = plus_product(s, d.efc_J[k + 2 * length], f2)
                    d.solver_column[i] = plus_product(s, d.efc_J[k + 3 * length], f3)
            r += 4
        else:
            if force != 0.0:
                for k in range(a, a + length):
                    i = 1 + d.efc_J_colind[k]
                    d.solver_column[i] = plus_product(d.solver_column[i], d.efc_J[k], force)
            r += 1
