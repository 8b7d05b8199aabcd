"""The Jacobian J of the constraints in memory: rows of all dofs, or compressed ones of the dofs that matter to them.

Dense rows are faster for small models, and lanes have no others, since worlds of a block have different columns; large
scenes need compressed ones. Kernels that work with either get a `Jacobian`; the plan chooses (`runtime.stage`).
"""

from dataclasses import dataclass

from conjoint.lang import Group, abs, formula, kernel, local, minimum, real


@dataclass(frozen=True)
class Jacobian(Group):
    """Storage format of rows: elements are contiguous in `efc_J`, ascending by dof; rows of a constraint are adjacent.

    Attributes:
        compressed: True if rows omit dofs.
    """

    compressed: bool


DENSE = Jacobian(compressed=False)
COMPRESSED = Jacobian(compressed=True)
JACOBIANS = DENSE, COMPRESSED


@kernel
def first_element(m, d, J, r):
    """Return the first element of row r."""
    if J.compressed:
        return d.efc_J_rowadr[r]
    return r * m.nv


@kernel
def row_length(m, d, J, r):
    """Return the number of elements of row r."""
    if J.compressed:
        return d.efc_J_rownnz[r]
    return m.nv


@kernel
def column_of(m, d, J, r, k):
    """Return the dof of the element at place k of row r."""
    if J.compressed:
        return d.efc_J_colind[d.efc_J_rowadr[r] + k]
    return k


@kernel
def open_rows(d, J, r, count, n):
    """Begin rows r .. r + count - 1 of one constraint, with n columns each if rows are compressed.

    Rows follow each other without gaps, and those of a constraint have the same columns.
    """
    if J.compressed:
        start = 0
        if r > 0:
            start = d.efc_J_rowadr[r - 1] + d.efc_J_rownnz[r - 1]
        for k in range(count):
            d.efc_J_rownnz[r + k] = n
            d.efc_J_rowadr[r + k] = start + k * n
            d.efc_J_rowsuper[r + k] = count - 1 - k


@kernel
def column(m, d, J, r, count, place, i):
    """Begin the column of dof i, number `place` of compressed rows, in rows r .. r + count - 1 of one constraint.

    Returns:
        its element in row r, and how far it is from there to the element in the next row.
    """
    if J.compressed:
        a = d.efc_J_rowadr[r] + place
        step = d.efc_J_rownnz[r]
        for k in range(count):
            d.efc_J_colind[a + k * step] = i
        return a, step
    return r * m.nv + i, m.nv


@kernel
def add(m, d, J, r, place, i, value):
    """Set the value of row r at dof i, which is column number `place` of a compressed row."""
    a, _ = column(m, d, J, r, 1, place, i)
    d.efc_J[a] = value


@kernel
def finish_columns(m, d):
    """Set `d.nJ` and `efc_J_rowsuper`, the number of following rows with the same columns, also across constraints."""
    n = d.nefc
    d.nJ = 0
    if n > 0:
        d.nJ = d.efc_J_rowadr[n - 1] + d.efc_J_rownnz[n - 1]
        d.efc_J_rowsuper[n - 1] = 0
    for r in range(n - 2, -1, -1):
        if d.efc_J_rowsuper[r] > 0 or same_columns(d, r):
            d.efc_J_rowsuper[r] = d.efc_J_rowsuper[r + 1] + 1


@kernel
def same_columns(d, r):
    """Return True if rows r and r + 1 have the same columns."""
    if d.efc_J_rownnz[r] != d.efc_J_rownnz[r + 1]:
        return False
    for k in range(d.efc_J_rownnz[r]):
        if d.efc_J_colind[d.efc_J_rowadr[r] + k] != d.efc_J_colind[d.efc_J_rowadr[r + 1] + k]:
            return False
    return True


CHUNK = 256
"""Number of rows that one thread takes at a time."""


@formula("real", "real", "real", "real", exact=True)
def plus_product(s, a, b):
    """Return s + a b, rounded after the product: forces on opposite edges of a pyramid cancel to the last bit."""
    return s + a * b


@formula("real", "real", "real", "real")
def plus_size(s, a, b):
    """Return s + |a b|, a sum of magnitudes."""
    return s + abs(a * b)


@kernel
def row_times(m, d, J, r, x):
    """Return row r times a field of nv reals, with the summation order of mju_dot.

    The stiffest rows, and strong dampers that cancel their forces in inverse dynamics, depend on the last bit.
    """
    return span_times(m, d, J, r, x, 0, row_length(m, d, J, r))


@kernel
def span_times(m, d, J, r, x, begin, end):
    """Return `row_times` for a row with zeros outside its elements from `begin` (inclusive) to `end` (exclusive)."""
    first = first_element(m, d, J, r)
    # four sums that do not wait for each other
    whole = row_length(m, d, J, r) // 4 * 4
    sums = local(real, 4)
    for c in range(4):
        sums[c] = 0.0
    for k in range(begin // 4 * 4, minimum(end, whole), 4):
        for c in range(4):
            sums[c] = plus_product(sums[c], d.efc_J[first + k + c], x[column_of(m, d, J, r, k + c)])
    product = (sums[0] + sums[2]) + (sums[1] + sums[3])
    for k in range(whole, end):
        product = plus_product(product, d.efc_J[first + k], x[column_of(m, d, J, r, k)])
    return product


@kernel
def transposed_times(m, d, J, result, x):
    """Set result to J' x."""
    for i in range(m.nv):
        result[i] = 0.0
    for r in range(d.nefc):
        first = first_element(m, d, J, r)
        for k in range(row_length(m, d, J, r)):
            i = column_of(m, d, J, r, k)
            result[i] = plus_product(result[i], d.efc_J[first + k], x[r])


@kernel
def mul_J(m, d, result, x):
    """Set result to J x, for either storage of J (mj_mulJacVec)."""
    for r in range(d.nefc):
        result[r] = row_times(m, d, COMPRESSED, r, x) if m.compressed else row_times(m, d, DENSE, r, x)


@kernel
def mul_JT(m, d, result, x):
    """Set result to J' x, for either storage of J (mj_mulJacTVec)."""
    if m.compressed:
        transposed_times(m, d, COMPRESSED, result, x)
    else:
        transposed_times(m, d, DENSE, result, x)
