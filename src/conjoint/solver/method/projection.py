"""Terms of J M^-1 J' for dual methods (mj_projectConstraint): the matrix, its diagonal, or half a solve of the rows.

The size of the full matrix is the square of the number of rows. Projected Gauss-Seidel stores the matrix if it has less
than twice as many elements as half a solve of all rows, because its rows are then faster to read. Otherwise it uses
`half_rows`.
"""

from conjoint.lang import abs, kernel, local, minimum, real, where
from conjoint.physics.row_storage import fullest
from conjoint.physics.status import DUAL_FULL
from conjoint.schema.enums import mjtImpulse
from conjoint.solver.cones import LAST, NOTHING, elliptic, find_cones
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.half_rows import LARGEST_CONE, LISTED, PACKED, count_listed, multiply_blocks
from conjoint.solver.linear.project import gram, half_solve, transpose_rows


@kernel
def needs_matrix(m):
    """Return True if the solver needs the full matrix J M^-1 J'."""
    return m.opt.solver == mjtImpulse.mjIMP_COMPLEMENTARITY


@kernel
def count_dense(m, d):
    """Set nA, the number of elements of J M^-1 J', for dense rows (mj_projectConstraint)."""
    d.nA = d.nefc * d.nefc


@kernel
def count_sparse(m, d):
    """Schedule the counting of the elements of J M^-1 J', which is done when nA is first read (mj_projectConstraint).

    Returns:
        0, or a status if half a solve of the compressed rows does not fit in memory.
    """
    d.nA = d.nefc
    d.elements_pending = 1
    count_listed(m, d)
    if d.dual_needed > d.ndual_capacity:
        return DUAL_FULL
    return 0


@kernel
def project_dense(m, d):
    """Compute the matrix or the half-solved rows that a dual method needs, from dense rows (mj_fwdConstraint).

    Worlds that store the matrix get efc_AR = J M^-1 J' + R. Row r starts at index r * nefc_dual, and the diagonal is 1
    past a world's last row. Other worlds get half a solve of the rows. Also set dual.size to the sum of the absolute
    values of the elements of J.
    """
    count_dense(m, d)
    sum_sizes(m, d)
    most = d.nefc_dual
    if not needs_matrix(m):
        most = minimum(most, 2 * m.nv)
    d.dual.stored = where(d.nefc <= most, 1, 0)
    stored = where(d.dual.stored != 0, d.nefc, 0)
    n = fullest(stored)
    if n > 0:
        stride = d.nefc_dual
        transpose_rows(m, d, n, stored, d.dual.JT)
        half_solve(m, d, n, d.dual.JT, d.dual.JT)
        gram(m, d, n, d.dual.JT, d.efc_AR, stride)
        for r in range(n):
            o = r * stride + r
            d.efc_AR[o] = d.efc_AR[o] + where(r < stored, d.efc_R[r], 1.0)
    others = d.nefc - stored
    if fullest(others) > 0:
        load_all(m, d, others, PACKED)


@kernel
def sum_sizes(m, d):
    """Set dual.size to the sum of the absolute values of the elements of the dense J."""
    size = 0.0
    for r in range(fullest(d.nefc)):
        for i in range(m.nv):
            size = size + where(r < d.nefc, abs(d.efc_J[r, i]), 0.0)
    d.dual.size = size


@kernel
def diagonal_dense(m, d):
    """Compute impulse.diagonal, the diagonal of J M^-1 J' of dense rows, and dual.size (mj_fwdConstraint)."""
    sum_sizes(m, d)
    load_all(m, d, d.nefc, PACKED)
    copy_diagonal(d)


@kernel
def copy_diagonal(d):
    """Copy impulse.diagonal from the products of rows in `dual.product`."""
    for r in range(d.nefc):
        d.impulse.diagonal[r] = d.dual.product[LARGEST_CONE * r]


@kernel
def load_all(m, d, count, rows):
    """Load the first `count` rows, and compute `dual.left` and `dual.product`."""
    n = fullest(count)
    rows.begin(m, d)
    for r in range(n):
        rows.load(m, d, r, r < count, count < 0)
        d.dual.left[r] = where(r < count, 1, 0)
    if elliptic(m):
        find_cones(d, n, count)
        count_left(d, n)
    multiply_blocks(m, d, n, rows)


@kernel
def count_left(d, n):
    """Set dual.left for loaded rows of elliptic contacts to the number of rows from there to the end of the contact."""
    left = 0
    for r in range(n - 1, -1, -1):
        place = d.cone.place[r]
        left = where(place == LAST, 1, left + 1)
        if (place != NOTHING) & (d.dual.left[r] != 0):
            d.dual.left[r] = left


@kernel
def project_sparse(m, d):
    """Compute the matrix or the half-solved rows that a dual method needs, from compressed rows (mj_fwdConstraint)."""
    answer = count_sparse(m, d)
    if answer != 0:
        return answer
    n = d.nefc
    sum_compressed(d)
    load_all(m, d, n, LISTED)
    d.dual.stored = 0
    if needs_matrix(m) or (n <= d.nefc_dual and n * n <= 2 * d.dual_needed):
        d.dual.stored = 1
        fill_matrix(m, d, n)
    return 0


@kernel
def sum_compressed(d):
    """Set dual.size to the sum of the absolute values of the elements of the compressed J."""
    size = 0.0
    for a in range(d.nJ):
        size = size + abs(d.efc_J[a])
    d.dual.size = size


@kernel
def fill_matrix(m, d, n):
    """Compute efc_AR = J M^-1 J' + R of compressed rows."""
    for r in range(n):
        # multiply the row, scattered to all dofs, by itself and the rows before it
        LISTED.add(m, d, r, 1.0, d.dual.row)
        c = 0
        while c <= r:
            # neighbors with the same columns either all overlap with the row or none does
            end = minimum(c + d.efc_J_rowsuper[c], r) + 1
            if overlap(d, r, c):
                while c + 3 < end:
                    four_products(d, r, c)
                    c += 4
                while c < end:
                    put_product(d, r, c, LISTED.times(m, d, c, d.dual.row))
                    c += 1
            else:
                while c < end:
                    put_product(d, r, c, 0.0)
                    c += 1
        LISTED.add(m, d, r, -1.0, d.dual.row)
    for r in range(n):
        o = r * d.nefc_dual
        clear(d.efc_AR, o + n, padded(n) - n)
        d.efc_AR[o + r] = d.efc_AR[o + r] + d.efc_R[r]


@kernel
def diagonal_sparse(m, d):
    """Compute impulse.diagonal, the diagonal of J M^-1 J' of compressed rows, and dual.size (mj_fwdConstraint)."""
    answer = count_sparse(m, d)
    if answer != 0:
        return answer
    sum_compressed(d)
    load_all(m, d, d.nefc, LISTED)
    copy_diagonal(d)
    return 0


@kernel
def four_products(d, r, c):
    """Compute the products of row r, scattered to `dual.row`, and rows c to c + 3, which have the same columns."""
    sums = local(real, 4)
    for q in range(4):
        sums[q] = 0.0
    length = d.dual.num[c]
    for k in range(d.dual.adr[c], d.dual.adr[c] + length):
        for q in range(4):
            sums[q] = sums[q] + d.dual.value[k + q * length] * d.dual.row[1 + d.dual.dof[k]]
    for q in range(4):
        put_product(d, r, c + q, sums[q])


@kernel
def put_product(d, r, c, s):
    """Set elements (r, c) and (c, r) of efc_AR."""
    d.efc_AR[r * d.nefc_dual + c] = s
    d.efc_AR[c * d.nefc_dual + r] = s


@kernel
def overlap(d, r, c):
    """Return True if rows r and c may share a dof, because their ranges of dofs overlap.

    The dofs of a row are listed in descending order.
    """
    if d.dual.num[r] == 0 or d.dual.num[c] == 0:
        return False
    first = d.dual.dof[d.dual.adr[r] + d.dual.num[r] - 1]
    other = d.dual.dof[d.dual.adr[c] + d.dual.num[c] - 1]
    return first <= d.dual.dof[d.dual.adr[c]] and other <= d.dual.dof[d.dual.adr[r]]
