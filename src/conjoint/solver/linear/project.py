"""Constraint rows projected on the inverse inertia: J M^-1 J', the matrix that dual methods and small problems work
with.

With M = L' D L, half a solve turns J' into Z = D^-1/2 L'^-1 J', and J M^-1 J' = Z' Z (Featherstone 2008, ch. 6; the
Computation chapter, Dual problem). Jacobian and Z are kept transposed, one row per dof and one column per constraint
row.
"""

from conjoint.lang import STRIP, abs, kernel, lanes_max, multiply_add, put, sqrt, strip, tile, total, where
from conjoint.solver.linear.dense import BLOCK, add_rows, clear, multiply_columns, padded, stride_of


@kernel
def project_constraint(m, d):
    """efc_AR = J M^-1 J' + R, row r at r * nefc_dual (mj_projectConstraint); the diagonal is 1 beyond a world's last
    row. Returns the sum of the rows."""
    d.nA = d.nefc * d.nefc
    d.dual_listed = 0
    n = lanes_max(d.nefc)
    stride = d.nefc_dual
    size = transpose_rows(m, d, n, d.nefc, d.solver_dual)
    half_solve(m, d, n, d.solver_dual, d.solver_dual)
    gram(m, n, d.solver_dual, d.efc_AR, stride)
    for r in range(n):
        o = r * stride + r
        d.efc_AR[o] = d.efc_AR[o] + where(r < d.nefc, d.efc_R[r], 1.0)
    return size


@kernel
def transpose_rows(m, d, n, count, jacobian):
    """jacobian := transposed efc_J; sum of the sizes of its elements.

    Of each world the first `count` rows; the others are zero.
    """
    stride = stride_of(n)
    for r in range(n):
        live = r < count
        for i in range(m.nv):
            jacobian[i * stride + r] = where(live, d.efc_J[r, i], 0.0)
    for i in range(m.nv):
        clear(jacobian, i * stride + n, padded(n) - n)
    return sum_of_sizes(m, n, jacobian)


@kernel
def sum_of_sizes(m, n, jacobian):
    """Sum of the absolute values of a transposed Jacobian."""
    stride = stride_of(n)
    sums = tile(0.0)
    for i in range(m.nv):
        for block in range(0, n, BLOCK):
            sums = sums + abs(tile(jacobian, i * stride + block))
    return total(sums)


@kernel
def half_solve(m, d, n, jacobian, half):
    """half := D^-1/2 L'^-1 jacobian: leaves first, each dof gathers from the dofs below it, which follow it."""
    stride = stride_of(n)
    # a world has registers for two blocks, whose sums do not wait for each other
    paired = padded(n) // (2 * BLOCK) * (2 * BLOCK) if STRIP > 1 else 0
    for block in range(0, paired, 2 * BLOCK):
        for i in range(m.nv - 1, -1, -1):
            gather_below_twice(m, d, i, stride, jacobian, half, i * stride + block)
    for block in range(paired, n, BLOCK):
        for i in range(m.nv - 1, -1, -1):
            gather_below(m, d, i, stride, jacobian, half, i * stride + block)
    for i in range(m.nv):
        scale = sqrt(d.qLDiagInv[i])
        for c in range(i * stride, i * stride + padded(n)):
            half[c] = half[c] * scale


@kernel
def gather_below(m, d, i, stride, source, target, o):
    """target[o + c] := source[o + c] - sum over dofs k below i of L[k, i] target[o + (k - i) stride + c], for eight
    columns c."""
    depth = m.M_rownnz[i] - 1
    s = tile(source, o)
    for k in range(1, m.M_colnnz[i] + 1):
        s = multiply_add(-d.qLD[m.M_rowadr[i + k] + depth], tile(target, o + k * stride), s)
    put(target, o, s)


@kernel
def gather_below_twice(m, d, i, stride, source, target, o):
    """`gather_below` for sixteen columns."""
    depth = m.M_rownnz[i] - 1
    s = tile(source, o)
    t = tile(source, o + BLOCK)
    for k in range(1, m.M_colnnz[i] + 1):
        share = -d.qLD[m.M_rowadr[i + k] + depth]
        s = multiply_add(share, tile(target, o + k * stride), s)
        t = multiply_add(share, tile(target, o + k * stride + BLOCK), t)
    put(target, o, s)
    put(target, o + BLOCK, t)


@kernel
def gram(m, n, half, product, product_stride):
    """product := half' half, an n x n matrix, with columns of zeros up to a whole block."""
    stride = stride_of(n)
    for r in range(0, n, 2):
        o = r * product_stride
        for block in range(0, r + 2, BLOCK):
            multiply_columns(m.nv, half, r, block, stride, product, o + block, o + product_stride + block)
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
    for block in range(0, n, BLOCK):
        add_rows(m.nv, vector, 0, 1, jacobian, block, stride, result, block)


@kernel
def dof_dot(n, jacobian, o, values):
    """Sum of jacobian[o + r] * values[r] over the rows r."""
    s = strip(0.0)
    for c in range(0, n, STRIP):
        s = multiply_add(strip(jacobian, o + c), strip(values, c), s)
    return total(s)
