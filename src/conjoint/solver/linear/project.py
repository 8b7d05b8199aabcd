"""Constraint rows projected on the inverse inertia: J M^-1 J', the matrix that dual methods and small problems work
with.

With M = L' D L, half a solve turns J' into Z = L'^-1 J', and J M^-1 J' = Z' D^-1 Z (Featherstone 2008, ch. 6; the
Computation chapter, Dual problem). Jacobian and Z are kept transposed, one row per dof and one column per constraint
row.

Half a solve of a compressed row touches the dofs above its own: row r of `dual_half` holds D^-1/2 L'^-1 J_r at the dofs
that row r of `dual_dof` lists, their number in `dual_num`.
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
    maximum,
    minimum,
    multiply_add,
    panel,
    put,
    real,
    sqrt,
    strip,
    tile,
    total,
    where,
)
from conjoint.lang.language.tile import TILE
from conjoint.solver.linear.dense import clear, padded, stride_of
from conjoint.solver.linear.sparsity import sort


@kernel
def project_dense(m, d):
    """efc_AR = J M^-1 J' + R of dense rows, row r at r * nefc_dual (mj_projectConstraint); the diagonal is 1 beyond a
    world's last row. dual_size := the sum of the sizes of the elements of J."""
    d.nA = d.nefc * d.nefc
    d.dual_listed = 0
    n = lanes_max(d.nefc)
    stride = d.nefc_dual
    transpose_rows(m, d, n, d.nefc, d.solver_dual)
    d.dual_size = half_solve(m, d, n, d.solver_dual, d.solver_dual)
    gram(m, d, n, d.solver_dual, d.efc_AR, stride)
    for r in range(n):
        o = r * stride + r
        d.efc_AR[o] = d.efc_AR[o] + where(r < d.nefc, d.efc_R[r], 1.0)


@kernel
def diagonal_dense(m, d):
    """impulse_diagonal := the diagonal of J M^-1 J' of dense rows, and dual_size (mj_fwdConstraint)."""
    n = lanes_max(d.nefc)
    transpose_rows(m, d, n, d.nefc, d.solver_dual)
    d.dual_size = half_solve(m, d, n, d.solver_dual, d.solver_dual)
    clear(d.impulse_diagonal, 0, n)
    for i in range(m.nv):
        for r in range(n):
            half = d.solver_dual[i * stride_of(n) + r]
            d.impulse_diagonal[r] = d.impulse_diagonal[r] + half * half * d.qLDiagInv[i]


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


@kernel(single=True)
def project_sparse(m, d):
    """efc_AR = J M^-1 J' + R of compressed rows, row r at r * nefc_dual (mj_projectConstraint); dual_size := the sum of
    the sizes of the elements of J."""
    n = d.nefc
    met = 0
    half_rows(m, d)
    for r in range(n):
        # the row spread out over all dofs meets those before it
        for k in range(r * m.nv, r * m.nv + d.dual_num[r]):
            d.dual_row[d.dual_dof[k]] = d.dual_half[k]
            d.dual_mark[d.dual_dof[k]] = n + r
        c = 0
        while c <= r:
            # neighbours with the same columns meet it or do not
            end = minimum(c + d.efc_J_rowsuper[c], r) + 1
            if overlap(m, d, r, c) and meet(m, d, n + r, c):
                met += minimum(end, r) - c
                while c + 3 < end:
                    four_products(m, d, r, c)
                    c += 4
                while c < end:
                    one_product(m, d, r, c)
                    c += 1
            else:
                while c < end:
                    put_product(d, r, c, 0.0)
                    c += 1
        for k in range(r * m.nv, r * m.nv + d.dual_num[r]):
            d.dual_row[d.dual_dof[k]] = 0.0
    for r in range(n):
        o = r * d.nefc_dual
        clear(d.efc_AR, o + n, padded(n) - n)
        d.efc_AR[o + r] = d.efc_AR[o + r] + d.efc_R[r]
        list_blocks(d, r, n)
    d.dual_listed = 1
    d.nA = n + 2 * met


@kernel(single=True)
def diagonal_sparse(m, d):
    """impulse_diagonal := the diagonal of J M^-1 J' of compressed rows (mj_fwdConstraint); dual_size as in
    `project_sparse`."""
    half_rows(m, d)
    for r in range(d.nefc):
        square = 0.0
        for k in range(r * m.nv, r * m.nv + d.dual_num[r]):
            square = square + d.dual_half[k] * d.dual_half[k]
        d.impulse_diagonal[r] = square


@kernel(per_world=True)
def half_rows(m, d):
    """dual_half, dual_dof and dual_num of all rows; dual_size."""
    clear(d.dual_row, 0, m.nv)
    for i in range(m.nv):
        d.dual_mark[i] = -1
    d.dual_size = 0.0
    for r in range(d.nefc):
        d.dual_size = d.dual_size + half_row(m, d, r)


@kernel(single=True)
def one_product(m, d, r, c):
    """Element (r, c) of efc_AR: row c of Z' times row r, spread out in `dual_row`."""
    s = 0.0
    for k in range(c * m.nv, c * m.nv + d.dual_num[c]):
        s = s + d.dual_half[k] * d.dual_row[d.dual_dof[k]]
    put_product(d, r, c, s)


@kernel(single=True)
def four_products(m, d, r, c):
    """The same for the rows c to c + 3, which have the same columns."""
    sums = local(real, 4)
    for q in range(4):
        sums[q] = 0.0
    for k in range(c * m.nv, c * m.nv + d.dual_num[c]):
        for q in range(4):
            sums[q] = sums[q] + d.dual_half[k + q * m.nv] * d.dual_row[d.dual_dof[k]]
    for q in range(4):
        put_product(d, r, c + q, sums[q])


@kernel(single=True)
def put_product(d, r, c, s):
    """Elements (r, c) and (c, r) of efc_AR."""
    d.efc_AR[r * d.nefc_dual + c] = s
    d.efc_AR[c * d.nefc_dual + r] = s


@kernel(single=True)
def list_blocks(d, r, n):
    """dual_block and dual_nblock of row r: where efc_AR is not zero."""
    count = 0
    first = r * (d.nefc_dual // TILE)
    for block in range(0, n, TILE):
        if any(tile(d.efc_AR, r * d.nefc_dual + block) != 0.0):
            d.dual_block[first + count] = block
            count += 1
    d.dual_nblock[r] = count


@kernel(per_world=True)
def overlap(m, d, r, c):
    """Whether rows r and c may have a dof in common: their ranges do, of dofs that are listed from the last one."""
    first = d.dual_dof[r * m.nv + maximum(d.dual_num[r] - 1, 0)]
    other = d.dual_dof[c * m.nv + maximum(d.dual_num[c] - 1, 0)]
    some = minimum(d.dual_num[r], d.dual_num[c]) > 0
    return some and first <= d.dual_dof[c * m.nv] and other <= d.dual_dof[r * m.nv]


@kernel(per_world=True)
def meet(m, d, mark, c):
    """Whether row c has a dof with a mark."""
    for k in range(c * m.nv, c * m.nv + d.dual_num[c]):  # noqa: SIM110
        if d.dual_mark[d.dual_dof[k]] == mark:
            return True
    return False


@kernel(per_world=True)
def half_row(m, d, r):
    """dual_half, dual_dof and dual_num of row r; returns the sum of the sizes of its elements."""
    start = r * m.nv
    end = start
    size = 0.0
    for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
        i = d.efc_J_colind[a]
        d.dual_row[i] = d.efc_J[a]
        size = size + abs(d.efc_J[a])
        # what moves with it
        for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
            j = m.M_colind[k]
            if d.dual_mark[j] != r:
                d.dual_mark[j] = r
                d.dual_dof[end] = j
                end += 1
    sort(d.dual_dof, start, end)
    # from leaves to roots
    for k in range((end - start) // 2):
        i = d.dual_dof[start + k]
        d.dual_dof[start + k] = d.dual_dof[end - 1 - k]
        d.dual_dof[end - 1 - k] = i
    for k in range(start, end):
        i = d.dual_dof[k]
        x = d.dual_row[i]
        for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
            j = m.M_colind[a]
            d.dual_row[j] = d.dual_row[j] - d.qLD[a] * x
        d.dual_half[k] = x * sqrt(d.qLDiagInv[i])
        d.dual_row[i] = 0.0
    d.dual_num[r] = end - start
    return size
