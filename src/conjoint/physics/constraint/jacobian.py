"""Storage of the constraint Jacobian J: dense rows of all dofs, or compressed rows of only the relevant dofs.

Dense rows are faster for small models. Worlds in lanes always have dense rows, because compressed rows have different
columns in each world of a block. Large scenes need compressed rows. Kernels that support both formats have a
`Jacobian` argument, which the plan chooses (`runtime.stage`).
"""

from dataclasses import dataclass

from conjoint.lang import Group, abs, formula, kernel, local, minimum, real


@dataclass(frozen=True)
class Jacobian(Group):
    """Storage format of rows: elements are contiguous in `efc_J` in ascending order of dofs.

    The rows of a constraint are adjacent.

    Attributes:
        compressed: True if rows omit the dofs that the constraint does not involve.
    """

    compressed: bool


DENSE = Jacobian(compressed=False)
COMPRESSED = Jacobian(compressed=True)
JACOBIANS = DENSE, COMPRESSED


@kernel
def first_element(m, d, J, r):
    """Return the address in `efc_J` of the first element of row r."""
    if J.compressed:
        return d.efc_J_rowadr[r]
    return r * m.nv


@kernel
def row_length(m, d, J, r):
    """Return the number of stored elements of row r."""
    if J.compressed:
        return d.efc_J_rownnz[r]
    return m.nv


@kernel
def column_of(m, d, J, r, k):
    """Return the dof of the k-th stored element of row r."""
    if J.compressed:
        return d.efc_J_colind[d.efc_J_rowadr[r] + k]
    return k


@kernel
def open_rows(d, J, r, count, n):
    """Set up rows r .. r + count - 1 of one constraint, with n columns each if rows are compressed.

    Rows follow each other without gaps, and all rows of a constraint have the same columns.
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
    """Set up column i in rows r .. r + count - 1 of one constraint; `place` is its index in compressed rows.

    Returns:
        address of the column's element in row r, and the distance to the element in the next row.
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
    """Set the element of row r at dof i to `value`; `place` is its index in a compressed row."""
    a, _ = column(m, d, J, r, 1, place, i)
    d.efc_J[a] = value


@kernel
def finish_columns(m, d):
    """Set `d.nJ`, and set `efc_J_rowsuper` to the number of following rows with the same columns.

    Rows of different constraints count, too.
    """
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
"""Number of rows in a chunk of work of one thread."""


@formula("real", "real", "real", "real", exact=True)
def plus_product(s, a, b):
    """Return s + a b, rounded after the product, so that forces on opposite pyramid edges cancel to the last bit."""
    return s + a * b


@formula("real", "real", "real", "real")
def plus_size(s, a, b):
    """Return s + |a b|, a sum of magnitudes."""
    return s + abs(a * b)


@kernel
def row_times(m, d, J, r, x):
    """Return the product of row r and a field of nv reals, with the summation order of mju_dot.

    The forces of the stiffest rows depend on the last bit, as do strong dampers that cancel forces in inverse dynamics.
    """
    return span_times(m, d, J, r, x, 0, row_length(m, d, J, r))


@kernel
def span_times(m, d, J, r, x, begin, end):
    """Return `row_times` for a row that is zero outside its elements [begin, end)."""
    first = first_element(m, d, J, r)
    # four independent partial sums
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
    """Set result to J x, for either storage format of J (mj_mulJacVec)."""
    for r in range(d.nefc):
        result[r] = row_times(m, d, COMPRESSED, r, x) if m.compressed else row_times(m, d, DENSE, r, x)


@kernel
def mul_JT(m, d, result, x):
    """Set result to J' x, for either storage format of J (mj_mulJacTVec)."""
    if m.compressed:
        transposed_times(m, d, COMPRESSED, result, x)
    else:
        transposed_times(m, d, DENSE, result, x)
