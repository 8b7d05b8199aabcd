"""Constraint rows projected on the inverse inertia: J M^-1 J', the matrix that dual methods and small problems work
with.

With M = L' D L, half a solve turns J' into Z = D^-1/2 L'^-1 J', and J M^-1 J' = Z' Z (Featherstone 2008, ch. 6; the
Computation chapter, Dual problem). Jacobian and Z are kept transposed, one row per dof and one column per constraint
row.
"""

from conjoint.lang import kernel, lanes_max, multiply_add, sqrt, where
from conjoint.solver.blocks import BLOCK, add_rows, clear, multiply_columns, padded, stride_of


@kernel
def project_constraint(m, d):
    """efc_AR = J M^-1 J' + R, row r at r * nefc_dual (mj_projectConstraint); the diagonal is 1 beyond a world's last
    row."""
    n = lanes_max(d.nefc)
    stride = lanes_max(d.nefc_dual)
    for r in range(padded(n)):
        d.solver_scale[r] = where(r < d.nefc, 1.0, 0.0)
    transpose_rows(m, d, n, d.solver_dual)
    half_solve(m, d, n, d.solver_dual, d.solver_dual)
    gram(m, n, d.solver_dual, d.efc_AR, stride)
    for r in range(n):
        o = r * stride + r
        d.efc_AR[o] = d.efc_AR[o] + where(r < d.nefc, d.efc_R[r], 1.0)


@kernel
def transpose_rows(m, d, n, jacobian):
    """jacobian := transposed efc_J with every row scaled by `solver_scale`."""
    stride = stride_of(n)
    for r in range(n):
        live = r < d.nefc
        scale = d.solver_scale[r]
        for i in range(m.nv):
            jacobian[i * stride + r] = where(live, d.efc_J[r * m.nv + i] * scale, 0.0)
    for i in range(m.nv):
        clear(jacobian, i * stride + n, padded(n) - n)


@kernel
def half_solve(m, d, n, jacobian, half):
    """half := D^-1/2 L'^-1 jacobian: leaves first, each dof gathers from the dofs below it, which follow it."""
    stride = stride_of(n)
    for block in range(0, n, BLOCK):
        for i in range(m.nv - 1, -1, -1):
            o = i * stride + block
            gather_below(m, d, i, stride, jacobian, half, o)
    for i in range(m.nv):
        scale = sqrt(d.qLDiagInv[i])
        for c in range(i * stride, i * stride + padded(n)):
            half[c] = half[c] * scale


@kernel
def gather_below(m, d, i, stride, source, target, o):
    """target[o + c] := source[o + c] - sum over dofs k below i of L[k, i] target[o + (k - i) stride + c], for eight
    columns c."""
    depth = m.M_rownnz[i] - 1
    s0 = source[o]
    s1 = source[o + 1]
    s2 = source[o + 2]
    s3 = source[o + 3]
    s4 = source[o + 4]
    s5 = source[o + 5]
    s6 = source[o + 6]
    s7 = source[o + 7]
    for k in range(1, m.M_colnnz[i] + 1):
        w = -d.qLD[m.M_rowadr[i + k] + depth]
        t = o + k * stride
        s0 = multiply_add(w, target[t], s0)
        s1 = multiply_add(w, target[t + 1], s1)
        s2 = multiply_add(w, target[t + 2], s2)
        s3 = multiply_add(w, target[t + 3], s3)
        s4 = multiply_add(w, target[t + 4], s4)
        s5 = multiply_add(w, target[t + 5], s5)
        s6 = multiply_add(w, target[t + 6], s6)
        s7 = multiply_add(w, target[t + 7], s7)
    target[o] = s0
    target[o + 1] = s1
    target[o + 2] = s2
    target[o + 3] = s3
    target[o + 4] = s4
    target[o + 5] = s5
    target[o + 6] = s6
    target[o + 7] = s7


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
    s = 0.0
    for block in range(0, n, BLOCK):
        for c in range(block, block + BLOCK):
            s = s + jacobian[o + c] * values[c]
    return s
