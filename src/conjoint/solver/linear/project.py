"""Constraint rows projected on the inverse inertia: J M^-1 J', the matrix that dual methods and small problems work
with.

With M = L' D L, half a solve turns J' into Z = L'^-1 J', and J M^-1 J' = Z' D^-1 Z (Featherstone 2008, ch. 6; the
Computation chapter, Dual problem). Jacobian and Z are kept transposed, one row per dof and one column per constraint
row.

The whole matrix has the square of the rows. Projected Gauss-Seidel stores it where that is less than twice what half a
solve of all rows takes: then a row of it is passed over sooner. Else it works with `half_rows`.
"""

from conjoint.lang import (
    PANEL,
    STRIP,
    abs,
    any,
    jam,
    kernel,
    lanes_max,
    local,
    minimum,
    multiply_add,
    panel,
    put,
    real,
    strip,
    tile,
    total,
    where,
)
from conjoint.lang.language.tile import TILE
from conjoint.physics.status import DUAL_FULL
from conjoint.schema.enums import mjtImpulse
from conjoint.solver.linear.dense import clear, padded, stride_of
from conjoint.solver.linear.half_rows import LARGEST_CONE, LISTED, PACKED, count_listed, load_all


@kernel
def needs_matrix(m):
    """Whether the solver needs all of J M^-1 J'."""
    return m.opt.solver == mjtImpulse.mjIMP_COMPLEMENTARITY


@kernel
def count_dense(m, d):
    """nA of dense rows (mj_projectConstraint)."""
    d.nA = d.nefc * d.nefc


@kernel(per_world=True)
def count_sparse(m, d):
    """What of J M^-1 J' is counted when somebody reads nA, and whether there is room for half a solve of compressed
    rows (mj_projectConstraint)."""
    d.nA = d.nefc
    d.elements_due = 1
    count_listed(m, d)
    if d.dual_needed > d.ndual_capacity:
        return DUAL_FULL
    return 0


@kernel
def project_dense(m, d):
    """Dense rows, for a solver that finds forces (mj_fwdConstraint): efc_AR = J M^-1 J' + R in worlds where it is
    stored, row r at r * nefc_dual, with 1 on the diagonal beyond a world's last row; half a solve of the rows in
    others. dual_size := the sum of the sizes of the elements of J."""
    count_dense(m, d)
    sum_sizes(m, d)
    most = d.nefc_dual
    if not needs_matrix(m):
        most = minimum(most, 2 * m.nv)
    d.dual_stored = where(d.nefc <= most, 1, 0)
    stored = where(d.dual_stored != 0, d.nefc, 0)
    others = where(d.dual_stored != 0, 0, d.nefc)
    if any(stored > 0):
        n = lanes_max(stored)
        stride = d.nefc_dual
        transpose_rows(m, d, n, stored, d.solver_dual)
        half_solve(m, d, n, d.solver_dual, d.solver_dual)
        gram(m, d, n, d.solver_dual, d.efc_AR, stride)
        for r in range(n):
            o = r * stride + r
            d.efc_AR[o] = d.efc_AR[o] + where(r < stored, d.efc_R[r], 1.0)
    if any(others > 0):
        load_all(m, d, lanes_max(others), others, PACKED)


@kernel
def sum_sizes(m, d):
    """dual_size of dense rows."""
    size = 0.0
    for r in range(lanes_max(d.nefc)):
        for i in range(m.nv):
            size = size + where(r < d.nefc, abs(d.efc_J[r, i]), 0.0)
    d.dual_size = size


@kernel
def diagonal_dense(m, d):
    """impulse_diagonal := the diagonal of J M^-1 J' of dense rows, and dual_size (mj_fwdConstraint)."""
    sum_sizes(m, d)
    load_all(m, d, lanes_max(d.nefc), d.nefc, PACKED)
    copy_diagonal(d)


@kernel
def copy_diagonal(d):
    """impulse_diagonal from the products of rows."""
    for r in range(lanes_max(d.nefc)):
        d.impulse_diagonal[r] = d.dual_block[LARGEST_CONE * r]


@kernel
def transpose_rows(m, d, n, count, jacobian):
    """jacobian := transposed efc_J, of each world the first `count` rows; the others are zero."""
    stride = stride_of(n)
    for r in range(n):
        live = r < count
        for i in range(m.nv):
            jacobian[i * stride + r] = where(live, d.efc_J[r, i], 0.0)
    for i in range(m.nv):
        clear(jacobian, i * stride + n, padded(n) - n)


@kernel
def half_solve(m, d, n, jacobian, half):
    """half := L'^-1 jacobian: leaves first, each dof gathers from the dofs below it, which follow it.

    Returns:
        the sum of the sizes of the elements of `jacobian`.
    """
    stride = stride_of(n)
    sizes = panel(0.0)
    for block in range(0, n, PANEL):
        for i in jam(range(m.nv - 1, -1, -1)):
            depth = m.M_rownnz[i] - 1
            sums = panel(jacobian, i * stride + block)
            sizes = sizes + abs(sums)
            for k in range(i + m.M_colnnz[i], i, -1):
                sums = multiply_add(-d.qLD[m.M_rowadr[k] + depth], panel(half, k * stride + block), sums)
            put(half, i * stride + block, sums)
    return total(sizes)


@kernel
def gram(m, d, n, half, product, product_stride):
    """product := half' D^-1 half, an n x n matrix, with columns of zeros up to a whole tile."""
    stride = stride_of(n)
    for block in range(0, n, PANEL):
        for r in jam(range(block, n)):
            sums = panel(0.0)
            for i in range(m.nv):
                o = i * stride
                sums = multiply_add(d.qLDiagInv[i] * half[o + r], panel(half, o + block), sums)
            put(product, r * product_stride + block, sums)
    for r in range(n):
        o = r * product_stride
        clear(product, o + n, padded(n) - n)
        # the upper triangle follows by symmetry
        for c in range(r):
            product[c * product_stride + r] = product[o + c]


@kernel
def rows_times(m, n, jacobian, vector, result):
    """result += J vector, with J transposed in `jacobian`."""
    stride = stride_of(n)
    for block in jam(range(0, n, TILE)):
        sums = tile(result, block)
        for i in range(m.nv):
            sums = multiply_add(vector[i], tile(jacobian, i * stride + block), sums)
        put(result, block, sums)


@kernel
def transposed_times(m, n, jacobian, values, result):
    """result := J' values, with J transposed in `jacobian`."""
    stride = stride_of(n)
    # side by side, eight sums at a time wait less for one another, and share what they read
    whole = 0 if STRIP > 1 else m.nv - m.nv % TILE
    for i in range(0, whole, TILE):
        sums = tile(0.0)
        for r in range(n):
            sums = multiply_add(values[r], tile(jacobian, i * stride + r, stride), sums)
        put(result, i, sums)
    for i in range(whole, m.nv):
        result[i] = dof_dot(n, jacobian, i * stride, values)


@kernel
def dof_dot(n, jacobian, o, values):
    """Sum of jacobian[o + r] * values[r] over the rows r."""
    s = strip(0.0)
    for c in range(0, n, STRIP):
        s = multiply_add(strip(jacobian, o + c), strip(values, c), s)
    return total(s)


@kernel(per_world=True)
def project_sparse(m, d):
    """What `project_dense` does with compressed rows (mj_fwdConstraint)."""
    answer = count_sparse(m, d)
    if answer != 0:
        return answer
    n = d.nefc
    sum_compressed(d)
    load_all(m, d, n, n, LISTED)
    d.dual_stored = 0
    if needs_matrix(m) or (n <= d.nefc_dual and n * n <= 2 * d.dual_needed):
        d.dual_stored = 1
        fill_matrix(m, d, n)
    return 0


@kernel(per_world=True)
def sum_compressed(d):
    """dual_size of compressed rows."""
    size = 0.0
    for a in range(d.nJ):
        size = size + abs(d.efc_J[a])
    d.dual_size = size


@kernel(per_world=True)
def fill_matrix(m, d, n):
    """efc_AR of compressed rows."""
    for r in range(n):
        # the row spread out over all dofs meets those before it
        LISTED.add(m, d, r, 1.0, d.dual_row)
        c = 0
        while c <= r:
            # neighbours with the same columns meet it or do not
            end = minimum(c + d.efc_J_rowsuper[c], r) + 1
            if overlap(d, r, c):
                while c + 3 < end:
                    four_products(d, r, c)
                    c += 4
                while c < end:
                    put_product(d, r, c, LISTED.times(m, d, c, d.dual_row))
                    c += 1
            else:
                while c < end:
                    put_product(d, r, c, 0.0)
                    c += 1
        LISTED.add(m, d, r, -1.0, d.dual_row)
    for r in range(n):
        o = r * d.nefc_dual
        clear(d.efc_AR, o + n, padded(n) - n)
        d.efc_AR[o + r] = d.efc_AR[o + r] + d.efc_R[r]


@kernel(per_world=True)
def diagonal_sparse(m, d):
    """impulse_diagonal := the diagonal of J M^-1 J' of compressed rows, and dual_size (mj_fwdConstraint)."""
    answer = count_sparse(m, d)
    if answer != 0:
        return answer
    sum_compressed(d)
    load_all(m, d, d.nefc, d.nefc, LISTED)
    copy_diagonal(d)
    return 0


@kernel(per_world=True)
def four_products(d, r, c):
    """The products of row r, spread out in `dual_row`, and the rows c to c + 3, which have the same columns."""
    sums = local(real, 4)
    for q in range(4):
        sums[q] = 0.0
    length = d.dual_num[c]
    for k in range(d.dual_adr[c], d.dual_adr[c] + length):
        for q in range(4):
            sums[q] = sums[q] + d.dual_half[k + q * length] * d.dual_row[1 + d.dual_dof[k]]
    for q in range(4):
        put_product(d, r, c + q, sums[q])


@kernel(per_world=True)
def put_product(d, r, c, s):
    """Elements (r, c) and (c, r) of efc_AR."""
    d.efc_AR[r * d.nefc_dual + c] = s
    d.efc_AR[c * d.nefc_dual + r] = s


@kernel(per_world=True)
def overlap(d, r, c):
    """Whether rows r and c may have a dof in common: their ranges do, of dofs that are listed from the last one."""
    if d.dual_num[r] == 0 or d.dual_num[c] == 0:
        return False
    first = d.dual_dof[d.dual_adr[r] + d.dual_num[r] - 1]
    other = d.dual_dof[d.dual_adr[c] + d.dual_num[c] - 1]
    return first <= d.dual_dof[d.dual_adr[c]] and other <= d.dual_dof[d.dual_adr[r]]
