"""Constraint rows projected on the inverse inertia: J M^-1 J', the matrix that dual methods and small problems work
with.

With M = L' D L, half a solve turns J' into Z = L'^-1 J', and J M^-1 J' = Z' D^-1 Z (Featherstone 2008, ch. 6; the
Computation chapter, Dual problem). Jacobian and Z are kept transposed, one row per dof and one column per constraint
row.
"""

from conjoint.lang import (
    STRIP,
    TILES,
    abs,
    kernel,
    lanes_max,
    local,
    minimum,
    multiply_add,
    put,
    real,
    strip,
    tile,
    total,
    where,
)
from conjoint.lang.tile import FEW, TILE
from conjoint.solver.linear.dense import (
    add_rows,
    clear,
    multiply_columns,
    multiply_few_columns,
    padded,
    stride_of,
)


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
    # a world has registers for two blocks, whose sums do not wait for each other
    paired = padded(n) // (2 * TILE) * (2 * TILE) if STRIP > 1 else 0
    sizes = tile(0.0)
    size = 0.0
    for block in range(0, paired, 2 * TILE):
        for i in range(m.nv - 1, -1, -1):
            sizes = sizes + gather_below_twice(m, d, i, stride, jacobian, half, i * stride + block)
    for block in range(paired, n, TILE):
        i = m.nv - 1
        while i >= 0:
            o = i * stride + block
            # the only dof right below another one: what is below both adds to both
            both = i > 0 and m.M_colnnz[i - 1] == m.M_colnnz[i] + 1
            if STRIP == 1 and both:
                for c in range(0, minimum(n - block, TILE), FEW):
                    size = size + gather_few_below_both(m, d, i, stride, jacobian, half, o + c)
                i -= 2
            elif both:
                sizes = sizes + gather_below_both(m, d, i, stride, jacobian, half, o)
                i -= 2
            else:
                sizes = sizes + gather_below(m, d, i, stride, jacobian, half, o)
                i -= 1
    return total(sizes) + size


@kernel
def gather_below(m, d, i, stride, source, target, o):
    """target[o + c] := source[o + c] - sum over dofs k below i of L[k, i] target[o + (k - i) stride + c], for eight
    columns c; the sizes of these of `source`."""
    depth = m.M_rownnz[i] - 1
    s = tile(source, o)
    size = abs(s)
    for k in range(m.M_colnnz[i], 0, -1):
        s = multiply_add(-d.qLD[m.M_rowadr[i + k] + depth], tile(target, o + k * stride), s)
    put(target, o, s)
    return size


@kernel
def gather_below_both(m, d, i, stride, source, target, o):
    """`gather_below` for dof i and for i - 1, the one above."""
    depth = m.M_rownnz[i] - 1
    s = tile(source, o)
    t = tile(source, o - stride)
    size = abs(s) + abs(t)
    for k in range(m.M_colnnz[i], 0, -1):
        a = m.M_rowadr[i + k] + depth
        below = tile(target, o + k * stride)
        s = multiply_add(-d.qLD[a], below, s)
        t = multiply_add(-d.qLD[a - 1], below, t)
    put(target, o, s)
    put(target, o - stride, multiply_add(-d.qLD[m.M_rowadr[i] + depth - 1], s, t))
    return size


@kernel
def gather_few_below_both(m, d, i, stride, source, target, o):
    """`gather_below_both` for four columns, in lanes that have registers for no more; the sum of the sizes."""
    depth = m.M_rownnz[i] - 1
    sums = local(real, 2 * FEW)
    size = 0.0
    for c in range(FEW):
        sums[c] = source[o + c]
        sums[FEW + c] = source[o - stride + c]
        size = size + (abs(sums[c]) + abs(sums[FEW + c]))
    for k in range(m.M_colnnz[i], 0, -1):
        a = m.M_rowadr[i + k] + depth
        for c in range(FEW):
            below = target[o + k * stride + c]
            sums[c] = multiply_add(-d.qLD[a], below, sums[c])
            sums[FEW + c] = multiply_add(-d.qLD[a - 1], below, sums[FEW + c])
    for c in range(FEW):
        target[o + c] = sums[c]
        target[o - stride + c] = multiply_add(-d.qLD[m.M_rowadr[i] + depth - 1], sums[c], sums[FEW + c])
    return size


@kernel
def gather_below_twice(m, d, i, stride, source, target, o):
    """`gather_below` for sixteen columns."""
    depth = m.M_rownnz[i] - 1
    s = tile(source, o)
    t = tile(source, o + TILE)
    size = abs(s) + abs(t)
    for k in range(m.M_colnnz[i], 0, -1):
        share = -d.qLD[m.M_rowadr[i + k] + depth]
        s = multiply_add(share, tile(target, o + k * stride), s)
        t = multiply_add(share, tile(target, o + k * stride + TILE), t)
    put(target, o, s)
    put(target, o + TILE, t)
    return size


@kernel
def gram(m, d, n, half, product, product_stride):
    """product := half' D^-1 half, an n x n matrix, with columns of zeros up to a whole block."""
    stride = stride_of(n)
    for r in range(0, n, 2):
        o = r * product_stride
        for block in range(0, r + 2, TILE):
            if TILES == 1 or (STRIP == 1 and r + 2 - block <= FEW):
                for c in range(block, minimum(r + 2, block + TILE), FEW):
                    multiply_few_columns(m.nv, d.qLDiagInv, half, r, c, stride, product, o + c, o + product_stride + c)
            else:
                below = o + product_stride + block
                multiply_columns(m.nv, d.qLDiagInv, half, r, block, stride, product, o + block, below)
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
    for block in range(0, n, TILE):
        add_rows(m.nv, vector, 0, 1, jacobian, block, stride, result, block)


@kernel
def rows_times_two(m, n, jacobian, vector, other, result, farther):
    """result += J vector, and farther := result + J other, with J transposed in `jacobian`."""
    stride = stride_of(n)
    for block in range(0, n, TILE):
        if TILES > 1:
            s = tile(result, block)
            t = tile(0.0)
            for i in range(m.nv):
                column = tile(jacobian, i * stride + block)
                s = multiply_add(vector[i], column, s)
                t = multiply_add(other[i], column, t)
            put(result, block, s)
            put(farther, block, s + t)
        else:
            add_rows(m.nv, vector, 0, 1, jacobian, block, stride, result, block)
            put(farther, block, tile(result, block))
            add_rows(m.nv, other, 0, 1, jacobian, block, stride, farther, block)


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
