"""Products with compressed rows of the constraint Jacobian, for descents in the space of dofs (see `hessian.Rows`).

The solver's row with index k is row `share.order[k]` of the Jacobian.
"""

from conjoint.lang import abs, kernel, local, minimum, real, shared
from conjoint.physics.constraint.jacobian import CHUNK, row_times
from conjoint.physics.constraint.jacobian import COMPRESSED as J
from conjoint.schema.constants import SOLVER_SHARES
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import Rows
from conjoint.solver.sums import sum_between


@kernel
def ordered_row(d, place):
    """Return the Jacobian row at an index of the solver's rows, which are ordered by shares."""
    return d.share.order[place]


@kernel
def list_in_order(m, d, n, count):
    """List the n rows in their original order; return the sum of the absolute values of their elements."""
    for r in range(n):
        d.share.order[r] = r
    return sum_sizes(m, d, n)


@kernel
def sum_sizes(m, d, n):
    """Return the sum of the absolute values of the elements of the n rows."""
    chunks = minimum((n + CHUNK - 1) // CHUNK, SOLVER_SHARES)
    shared(size_of_chunk, m, d, chunks, chunks, n)
    size = 0.0
    for chunk in range(chunks):
        size += d.share.size[chunk]
    return size


@kernel
def size_of_chunk(m, d, chunk, chunks, n):
    """Set share.size to the sum of the absolute values of the elements of one chunk of the n rows."""
    first = chunk * n // chunks
    last = (chunk + 1) * n // chunks - 1
    end = d.efc_J_rowadr[last] + d.efc_J_rownnz[last]
    d.share.size[chunk] = sum_between(d, d.efc_J_rowadr[first], end, 0.0, size_of_element)


@kernel
def size_of_element(d, a):
    """Return the absolute value of element a of the compressed rows."""
    return abs(d.efc_J[a])


@kernel
def times_chunks(m, d, n, x, result):
    """Compute result := J x in chunks of rows; see `Rows`."""
    shared(times_chunk, m, d, (n + CHUNK - 1) // CHUNK, n, x, result)
    clear(result, n, padded(n) - n)


@kernel
def times_chunk(m, d, chunk, n, x, result):
    """Multiply one chunk of the n Jacobian rows by x and write the products to `result`."""
    times_places(m, d, CHUNK * chunk, minimum(n, CHUNK * (chunk + 1)), x, result)


@kernel
def times_places(m, d, begin, end, x, result):
    """Compute result := J x for solver rows `begin` to `end` - 1, four rows with equal columns at a time."""
    k = begin
    while k < end:
        r = d.share.order[k]
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


@kernel
def gather_all(m, d, n, plus):
    """Compute packed.column := J' times `cost.force`, starting at column 1; see `Rows`."""
    clear(d.packed.column, 1, m.nv)
    gather_places(m, d, 0, n, plus)


@kernel
def gather_places(m, d, begin, end, plus):
    """Add J' times `cost.force` of solver rows `begin` to `end` - 1 to packed.column.

    Four rows with equal columns are added at a time.
    """
    k = begin
    while k < end:
        r = d.share.order[k]
        first = d.efc_J_rowadr[r]
        length = d.efc_J_rownnz[r]
        if d.efc_J_rowsuper[r] >= 3:
            forces = local(real, 4)
            pushing = False
            for q in range(4):
                forces[q] = d.cost.force[k + q]
                pushing = pushing or forces[q] != 0.0
            if pushing:
                for a in range(first, first + length):
                    i = 1 + d.efc_J_colind[a]
                    sum = d.packed.column[i]
                    for q in range(4):
                        sum = plus(sum, d.efc_J[a + q * length], forces[q])
                    d.packed.column[i] = sum
            k += 4
        else:
            force = d.cost.force[k]
            if force != 0.0:
                for a in range(first, first + length):
                    i = 1 + d.efc_J_colind[a]
                    d.packed.column[i] = plus(d.packed.column[i], d.efc_J[a], force)
            k += 1


COMPRESSED = Rows(list_in_order, times_chunks, gather_all, ordered_row)
