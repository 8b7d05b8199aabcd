"""Products with compressed rows of the constraint Jacobian, for descents in the space of dofs (see `linear.rows`).

Place k of the solver's rows has row `row_order[k]`.
"""

from conjoint.lang import abs, kernel, minimum, shared
from conjoint.physics.constraint.jacobian import CHUNK, plus_product, row_times
from conjoint.physics.constraint.jacobian import COMPRESSED as J
from conjoint.physics.inertia import mul_M
from conjoint.schema.constants import SOLVER_SHARES
from conjoint.solver.cost.interval import ordered_row
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.rows import Rows


@kernel(per_world=True)
def list_compressed(m, d, n, count):
    """List the n rows in their order; sum of the sizes of their elements."""
    for r in range(n):
        d.row_order[r] = r
    return sum_sizes(m, d, n)


@kernel(per_world=True)
def sum_sizes(m, d, n):
    """Sum of the sizes of the elements of the n rows."""
    chunks = minimum((n + CHUNK - 1) // CHUNK, SOLVER_SHARES)
    shared(size_of_chunk, m, d, chunks, chunks, n)
    size = 0.0
    for chunk in range(chunks):
        size += d.share_size[chunk]
    return size


@kernel(per_world=True)
def size_of_chunk(m, d, chunk, chunks, n):
    """share_size: sum of the sizes of the elements of one chunk of the n rows."""
    first = chunk * n // chunks
    last = (chunk + 1) * n // chunks - 1
    size = 0.0
    for a in range(d.efc_J_rowadr[first], d.efc_J_rowadr[last] + d.efc_J_rownnz[last]):
        size = size + abs(d.efc_J[a])
    d.share_size[chunk] = size


@kernel(per_world=True)
def times_compressed(m, d, n, x, result):
    """result := J x."""
    shared(times_chunk, m, d, (n + CHUNK - 1) // CHUNK, n, x, result)
    clear(result, n, padded(n) - n)


@kernel(per_world=True)
def times_chunk(m, d, chunk, n, x, result):
    """The products of one chunk of the n rows."""
    times_places(m, d, CHUNK * chunk, minimum(n, CHUNK * (chunk + 1)), x, result)


@kernel(per_world=True)
def times_places(m, d, begin, end, x, result):
    """result := J x at the places from `begin` to before `end`; four rows with the same columns at once."""
    k = begin
    while k < end:
        r = d.row_order[k]
        if d.efc_J_rowsuper[r] >= 3 and k + 3 < end:
            first = d.efc_J_rowadr[r]
            length = d.efc_J_rownnz[r]
            s0 = 0.0
            s1 = 0.0
            s2 = 0.0
            s3 = 0.0
            for a in range(first, first + length):
                y = x[d.efc_J_colind[a]]
                s0 += d.efc_J[a] * y
                s1 += d.efc_J[a + length] * y
                s2 += d.efc_J[a + 2 * length] * y
                s3 += d.efc_J[a + 3 * length] * y
            result[k] = s0
            result[k + 1] = s1
            result[k + 2] = s2
            result[k + 3] = s3
            k += 4
        else:
            result[k] = row_times(m, d, J, r, x)
            k += 1


@kernel(per_world=True)
def gather_compressed(m, d, n):
    """solver_column := J' times `solver_force`, from column 1 on; four rows with the same columns at once."""
    clear(d.solver_column, 1, m.nv)
    gather_places(m, d, 0, n)


@kernel(per_world=True)
def gather_places(m, d, begin, end):
    """Add J' times `solver_force` at the places from `begin` to before `end` to solver_column, from column 1 on."""
    k = begin
    while k < end:
        r = d.row_order[k]
        first = d.efc_J_rowadr[r]
        length = d.efc_J_rownnz[r]
        force = d.solver_force[k]
        if d.efc_J_rowsuper[r] >= 3:
            f1 = d.solver_force[k + 1]
            f2 = d.solver_force[k + 2]
            f3 = d.solver_force[k + 3]
            if force != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
                for a in range(first, first + length):
                    i = 1 + d.efc_J_colind[a]
                    s = plus_product(d.solver_column[i], d.efc_J[a], force)
                    s = plus_product(s, d.efc_J[a + length], f1)
                    s = plus_product(s, d.efc_J[a + 2 * length], f2)
                    d.solver_column[i] = plus_product(s, d.efc_J[a + 3 * length], f3)
            k += 4
        else:
            if force != 0.0:
                for a in range(first, first + length):
                    i = 1 + d.efc_J_colind[a]
                    d.solver_column[i] = plus_product(d.solver_column[i], d.efc_J[a], force)
            k += 1


@kernel(per_world=True)
def gather_sizes_of_places(m, d, begin, end):
    """Add |J|' times the sizes of `solver_force` at the places from `begin` to before `end` to solver_column."""
    for k in range(begin, end):
        r = d.row_order[k]
        for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
            i = 1 + d.efc_J_colind[a]
            d.solver_column[i] = d.solver_column[i] + abs(d.efc_J[a] * d.solver_force[k])


@kernel(per_world=True)
def products_of_compressed(m, d, n, x):
    """M and J times a vector; see `Rows`."""
    mul_M(m, d, d.solver_Mv, x)
    times_compressed(m, d, n, x, d.solver_Jv)


COMPRESSED = Rows(list_compressed, times_compressed, products_of_compressed, gather_compressed, ordered_row)
