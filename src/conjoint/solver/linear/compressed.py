"""Products with compressed rows of the constraint Jacobian, for descents in the space of dofs (see `linear.rows`).

Place k of the solver's rows has row `row_order[k]`.
"""

from conjoint.lang import abs, kernel, local, minimum, real, shared
from conjoint.physics.constraint.jacobian import CHUNK, plus_product, row_times
from conjoint.physics.constraint.jacobian import COMPRESSED as J
from conjoint.physics.inertia_matrix.composite import mul_M
from conjoint.schema.constants import SOLVER_SHARES
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.rows import Rows


@kernel(per_world=True)
def ordered_row(d, place):
    """The row at a place of the solver's rows, if these are ordered by shares."""
    return d.row_order[place]


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
            sums = local(real, 4)
            for q in range(4):
                sums[q] = 0.0
            for a in range(first, first + length):
                for q in range(4):
                    sums[q] = sums[q] + d.efc_J[a + q * length] * x[d.efc_J_colind[a]]
            for q in range(4):
                result[k + q] = sums[q]
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
        if d.efc_J_rowsuper[r] >= 3:
            forces = local(real, 4)
            pushing = False
            for q in range(4):
                forces[q] = d.solver_force[k + q]
                pushing = pushing or forces[q] != 0.0
            if pushing:
                for a in range(first, first + length):
                    i = 1 + d.efc_J_colind[a]
                    sum = d.solver_column[i]
                    for q in range(4):
                        sum = plus_product(sum, d.efc_J[a + q * length], forces[q])
                    d.solver_column[i] = sum
            k += 4
        else:
            force = d.solver_force[k]
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
