"""The matrix J M^-1 J', the projection of the inverse inertia onto the constraint rows.

Dual methods and small problems use it. With M = L' D L, half a solve turns J' into Z = L'^-1 J', and
J M^-1 J' = Z' D^-1 Z (Featherstone 2008, ch. 6; the Computation chapter, Dual problem). The Jacobian and Z are stored
transposed, one row per dof and one column per constraint row.
"""

from conjoint.lang import PANEL, STRIP, abs, jam, kernel, panel, put, strip, tile, total, where
from conjoint.lang.language.tile import TILE
from conjoint.solver.linear.dense import clear, padded, stride_of


@kernel
def transpose_rows(m, d, n, count, jacobian):
    """Transpose the first `count` rows of efc_J of each world into `jacobian`; the remaining rows up to n are zero."""
    stride = stride_of(n)
    for r in range(n):
        live = r < count
        for i in range(m.nv):
            jacobian[i * stride + r] = where(live, d.efc_J[r, i], 0.0)
    for i in range(m.nv):
        clear(jacobian, i * stride + n, padded(n) - n)


@kernel
def half_solve(m, d, n, jacobian, half):
    """Compute half := L'^-1 jacobian, proceeding from the leaves to the roots: each dof gathers from the dofs below it.

    The indices of the dofs below a dof directly follow the index of that dof.

    Returns:
        The sum of the absolute values of the elements of `jacobian`.
    """
    stride = stride_of(n)
    sizes = panel(0.0)
    for block in range(0, n, PANEL):
        for i in jam(range(m.nv - 1, -1, -1)):
            depth = m.M_rownnz[i] - 1
            sums = panel(jacobian, i * stride + block)
            sizes = sizes + abs(sums)
            for k in range(i + m.M_colnnz[i], i, -1):
                sums -= d.qLD[m.M_rowadr[k] + depth] * panel(half, k * stride + block)
            put(half, i * stride + block, sums)
    return total(sizes)


@kernel
def gram(m, d, n, half, product, product_stride):
    """Compute product := half' D^-1 half, an n x n matrix whose rows are padded with zeros to a whole tile."""
    stride = stride_of(n)
    for block in range(0, n, PANEL):
        for r in jam(range(block, n)):
            sums = panel(0.0)
            for i in range(m.nv):
                o = i * stride
                sums += d.qLDiagInv[i] * half[o + r] * panel(half, o + block)
            put(product, r * product_stride + block, sums)
    for r in range(n):
        o = r * product_stride
        clear(product, o + n, padded(n) - n)
        # the upper triangle follows by symmetry
        for c in range(r):
            product[c * product_stride + r] = product[o + c]


@kernel
def rows_times(m, n, jacobian, vector, result):
    """Add J times `vector` to `result`; `jacobian` contains J transposed."""
    stride = stride_of(n)
    for block in jam(range(0, n, TILE)):
        sums = tile(result, block)
        for i in range(m.nv):
            sums += vector[i] * tile(jacobian, i * stride + block)
        put(result, block, sums)


@kernel
def transposed_times(m, n, jacobian, values, result):
    """Compute result := J' values; `jacobian` contains J transposed."""
    stride = stride_of(n)
    # eight sums side by side are less bound by latency, and share their memory reads
    whole = 0 if STRIP > 1 else m.nv - m.nv % TILE
    for i in range(0, whole, TILE):
        sums = tile(0.0)
        for r in range(n):
            sums += values[r] * tile(jacobian, i * stride + r, stride)
        put(result, i, sums)
    for i in range(whole, m.nv):
        result[i] = dof_dot(n, jacobian, i * stride, values)


@kernel
def dof_dot(n, jacobian, o, values):
    """Return the dot product of a row of `jacobian`, which starts at index o, and the first n elements of `values`."""
    s = strip(0.0)
    for c in range(0, n, STRIP):
        s += strip(jacobian, o + c) * strip(values, c)
    return total(s)
