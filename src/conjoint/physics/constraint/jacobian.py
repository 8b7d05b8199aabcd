"""The Jacobian J of the constraints in memory: rows of all dofs, or compressed ones of the dofs that matter to them.

Dense rows are faster for small models, and lanes have no others, since worlds of a block have different columns; large
scenes need compressed ones. Kernels that work with either get a `Jacobian`; the plan chooses (`runtime.stage`).
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, formula, kernel, lanes_max, local, real, where


@dataclass(frozen=True)
class Jacobian(Group):
    """How rows are stored: as `length` neighbours in `efc_J`, ascending by dof. Rows of a constraint follow each other.

    Attributes:
        first: (m, d, r) the first element of row r.
        length: (m, d, r) their number.
        column: (m, d, r, k) the dof of the element at place k.
        element: (m, d, r, i) the element of dof i, which the row must have.
        compressed: whether rows lack dofs.
    """

    first: Kernel
    length: Kernel
    column: Kernel
    element: Kernel
    compressed: bool


@kernel
def dense_first(m, d, r):
    """See `Jacobian`."""
    return r * m.nv


@kernel
def dense_length(m, d, r):
    """See `Jacobian`."""
    return m.nv


@kernel
def dense_column(m, d, r, k):
    """See `Jacobian`."""
    return k


@kernel
def dense_element(m, d, r, i):
    """See `Jacobian`."""
    return r * m.nv + i


@kernel(per_world=True)
def compressed_first(m, d, r):
    """See `Jacobian`."""
    return d.efc_J_rowadr[r]


@kernel(per_world=True)
def compressed_length(m, d, r):
    """See `Jacobian`."""
    return d.efc_J_rownnz[r]


@kernel(per_world=True)
def compressed_column(m, d, r, k):
    """See `Jacobian`."""
    return d.efc_J_colind[d.efc_J_rowadr[r] + k]


@kernel(per_world=True)
def compressed_element(m, d, r, i):
    """See `Jacobian`."""
    a = d.efc_J_rowadr[r]
    while d.efc_J_colind[a] != i:
        a += 1
    return a


DENSE = Jacobian(dense_first, dense_length, dense_column, dense_element, compressed=False)
COMPRESSED = Jacobian(compressed_first, compressed_length, compressed_column, compressed_element, compressed=True)
JACOBIANS = DENSE, COMPRESSED

CHUNK = 256
"""Rows that one thread takes at a time."""


@formula("real", "real", "real", "real", exact=True)
def plus_product(s, a, b):
    """s + a b, rounded after the product: forces on opposite edges of a pyramid cancel to the last bit."""
    return s + a * b


@kernel
def row_times(m, d, J, r, x):
    """Row r times a field of nv reals: the sums, in the order, of mju_dot.

    The hardest rows, and strong dampers that cancel their forces in inverse dynamics, show the last bit.
    """
    first = J.first(m, d, r)
    length = J.length(m, d, r)
    # four sums that do not wait for each other
    whole = length // 4 * 4
    sums = local(real, 4)
    for c in range(4):
        sums[c] = 0.0
    for k in range(0, whole, 4):
        for c in range(4):
            sums[c] = plus_product(sums[c], d.efc_J[first + k + c], x[J.column(m, d, r, k + c)])
    product = (sums[0] + sums[2]) + (sums[1] + sums[3])
    for k in range(whole, length):
        product = plus_product(product, d.efc_J[first + k], x[J.column(m, d, r, k)])
    return product


@kernel
def transposed_times(m, d, J, result, x):
    """result := J' x."""
    for i in range(m.nv):
        result[i] = 0.0
    for r in range(lanes_max(d.nefc)):
        first = J.first(m, d, r)
        live = r < d.nefc
        for k in range(J.length(m, d, r)):
            i = J.column(m, d, r, k)
            result[i] = where(live, plus_product(result[i], d.efc_J[first + k], x[r]), result[i])


@kernel(per_world=True)
def mul_J(m, d, result, x):
    """result := J x, however J is stored (mj_mulJacVec)."""
    for r in range(d.nefc):
        result[r] = row_times(m, d, COMPRESSED, r, x) if m.compressed else row_times(m, d, DENSE, r, x)


@kernel(per_world=True)
def mul_JT(m, d, result, x):
    """result := J' x, however J is stored (mj_mulJacTVec)."""
    if m.compressed:
        transposed_times(m, d, COMPRESSED, result, x)
    else:
        transposed_times(m, d, DENSE, result, x)
