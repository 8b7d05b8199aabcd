"""Factors of the joint-space inertia matrix, and solves and products with them (stage 7).

The factorization M = L' D L, with elimination from the leaves, has the sparsity of M, row by row, without fill-in
(Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 6 and 8). The diagonal of L is one, so the diagonal elements
of the factor store D.
"""

from conjoint.lang import PANEL, jam, kernel, panel, put, shared, sqrt, tile
from conjoint.lang.language.tile import TILE
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtWarning


@kernel
def factor_M(m, d):
    """Factorize M = L' D L into qLD and qLDiagInv (mj_factorM)."""
    shared(factor_share, m, d, m.nshare, d.M, 0.0, no_slope, d.qLD, d.qLDiagInv)
    warn_of_shares(m, d)


@kernel
def factor_LTDL(m, d, factor, diagonal_inverse):
    """Factorize a matrix with the sparsity of M in place: D is stored on its diagonal, L below it."""
    shared(factor_share, m, d, m.nshare, factor, 0.0, no_slope, factor, diagonal_inverse)
    warn_of_shares(m, d)


@kernel
def factor_share(m, d, s, matrix, h, slope, factor, diagonal_inverse):
    """Factorize `matrix` + h diag(slopes) into `factor`, for the dofs in work share s, and count bad pivots.

    The matrix has the sparsity of M. `matrix` may be the factor itself. `slope` is a kernel of (m, d, dof).
    """
    d.share_bad[s] = 0
    i = m.share_dof[s + 1] - 1
    while i >= m.share_dof[s]:
        if m.M_rownnz[i] == 1 and m.M_colnnz[i] == 0:
            # the row has only the diagonal, which is the pivot
            pivot = matrix[m.M_rowadr[i]] + h * slope(m, d, i)
            factor[m.M_rowadr[i]] = pivot
            finish_pivot(d, s, diagonal_inverse, i, pivot)
            i -= 1
        else:
            # dof i is the only child of dof i - 1: the descendants of i update both rows together
            both = i > m.share_dof[s] and m.M_colnnz[i - 1] == m.M_colnnz[i] + 1
            if both:
                for a in range(0, m.M_rownnz[i], PANEL):
                    subtract_below_both(m, d, matrix, factor, i, a)
            else:
                for a in range(0, m.M_rownnz[i], TILE):
                    subtract_below(m, d, matrix, factor, i, a)
            finish_row(m, d, s, h, slope, factor, diagonal_inverse, i)
            i -= 1
            if both:
                for a in range(0, m.M_rownnz[i], PANEL):
                    subtract_row(m, d, factor, i + 1, i, a)
                finish_row(m, d, s, h, slope, factor, diagonal_inverse, i)
                i -= 1


@kernel
def no_slope(m, d, i):
    """Return 0, the damper slope of a matrix without dampers."""
    return 0.0


@kernel
def pivot_of_M(m, d, i):
    """Return element i of D in M = L' D L."""
    return d.qLD[m.M_rowadr[i] + m.M_rownnz[i] - 1]


@kernel
def finish_row(m, d, s, h, slope, factor, diagonal_inverse, i):
    """Compute row i of the factor, which belongs to work share s, from `factor_rows`."""
    row = m.M_rowadr[i]
    depth = m.M_rownnz[i] - 1
    unscaled = row + TILE * i
    pivot = d.factor_rows[unscaled + depth] + h * slope(m, d, i)
    inverse = finish_pivot(d, s, diagonal_inverse, i, pivot)
    for a in range(depth):
        factor[row + a] = d.factor_rows[unscaled + a] * inverse
    factor[row + depth] = pivot


@kernel
def finish_pivot(d, s, diagonal_inverse, i, pivot):
    """Store and return the inverse of the pivot of row i, which belongs to work share s."""
    if pivot < mjMINVAL:
        # not positive definite: accelerations will not be finite, so the check of accelerations resets the world
        d.share_bad[s] = d.share_bad[s] + 1
        d.share_dof_bad[s] = i
    inverse = 1.0 / pivot
    diagonal_inverse[i] = inverse
    return inverse


@kernel
def subtract_below(m, d, matrix, factor, i, a):
    """Set a tile of factor_rows to row i of `matrix`, from element a on, minus the terms of the dof's descendants.

    The descendants of dof i follow it, and their rows begin with the columns of row i. `factor_rows` contains the
    final rows times their pivots, each padded by a whole tile.
    """
    depth = m.M_rownnz[i] - 1
    sums = tile(matrix, m.M_rowadr[i] + a)
    for k in range(i + m.M_colnnz[i], i, -1):
        row = m.M_rowadr[k]
        sums -= factor[row + depth] * tile(d.factor_rows, row + TILE * k + a)
    put(d.factor_rows, m.M_rowadr[i] + TILE * i + a, sums)


@kernel
def subtract_below_both(m, d, matrix, factor, i, a):
    """Run `subtract_below` on a panel of rows i and i - 1, with the terms of the rows below i."""
    for above in jam(range(2)):
        r = i - above
        sums = panel(matrix, m.M_rowadr[r] + a)
        for k in range(i + m.M_colnnz[i], i, -1):
            row = m.M_rowadr[k]
            share = panel(d.factor_rows, row + TILE * k + a)
            sums -= factor[row + m.M_rownnz[i] - 1 - above] * share
        put(d.factor_rows, m.M_rowadr[r] + TILE * r + a, sums)


@kernel
def subtract_row(m, d, factor, k, i, a):
    """Subtract the term of the final row k from row i in `factor_rows`, for a panel that starts at element a."""
    row = m.M_rowadr[k]
    to = m.M_rowadr[i] + TILE * i + a
    share = -factor[row + m.M_rownnz[i] - 1]
    put(d.factor_rows, to, share * panel(d.factor_rows, row + TILE * k + a) + panel(d.factor_rows, to))


@kernel
def warn_of_shares(m, d):
    """Count a warning for each dof whose pivot was too small in the factorization, and record the last such dof."""
    w = mjtWarning.mjWARN_INERTIA
    for s in range(m.nshare - 1, -1, -1):
        if d.share_bad[s] > 0:
            d.warning.number[w] = d.warning.number[w] + d.share_bad[s]
            d.warning.lastinfo[w] = d.share_dof_bad[s]


@kernel
def solve_M(m, d, x):
    """Replace x, a field of nv reals, by M^-1 x (mj_solveM)."""
    solve_factors(m, d, d.qLD, d.qLDiagInv, x)


@kernel
def solve_factors(m, d, factor, diagonal_inverse, x):
    """Solve L' D L y = x in place, for a field of nv reals."""
    shared(solve_share, m, d, m.nshare, factor, diagonal_inverse, x)


@kernel
def solve_share(m, d, s, factor, diagonal_inverse, x):
    """Solve L' D L y = x in place, for the dofs of work share s of the world."""
    solve_LTDL(m, factor, diagonal_inverse, x, 0, m.share_dof[s], m.share_dof[s + 1])


@kernel
def solve_M_rows(m, d, x, count):
    """Replace every row of x, a matrix of nv columns, by M^-1 times the row."""
    for r in range(count):
        solve_LTDL(m, d.qLD, d.qLDiagInv, x, r * m.nv, 0, m.nv)


@kernel
def solve_M2_rows(m, d, x, scale, count):
    """Replace every row of x by L'^-1 times the row, then multiply it element by element by `scale` (mj_solveM2)."""
    for r in range(count):
        solve_transposed(m, d.qLD, x, r * m.nv, 0, m.nv)
        for i in range(m.nv):
            x[r * m.nv + i] = x[r * m.nv + i] * scale[i]


@kernel
def solve_LTDL(m, factor, diagonal_inverse, x, start, first, end):
    """Solve L' D L y = x in place for the dofs [first, end) of whole trees; x[start] belongs to dof 0."""
    solve_transposed(m, factor, x, start, first, end)
    for i in range(first, end):
        x[start + i] = x[start + i] * diagonal_inverse[i]
    solve_lower(m, factor, x, start, first, end)


@kernel
def solve_transposed(m, factor, x, start, first, end):
    """Replace x by L'^-1 x for the dofs of whole trees, from the leaves; each dof sums over its descendants."""
    for i in jam(range(end - 1, first - 1, -1)):
        depth = m.M_rownnz[i] - 1
        xi = x[start + i]
        for k in range(i + m.M_colnnz[i], i, -1):
            xi = xi - factor[m.M_rowadr[k] + depth] * x[start + k]
        x[start + i] = xi


@kernel
def solve_lower(m, factor, x, start, first, end):
    """Replace x by L^-1 x for the dofs of whole trees, from the roots."""
    for i in jam(range(first, end)):
        row = m.M_rowadr[i]
        xi = x[start + i]
        for a in range(m.M_rownnz[i] - 1):
            xi = xi - factor[row + a] * x[start + m.M_colind[row + a]]
        x[start + i] = xi


@kernel
def mul_lower(m, factor, x):
    """Replace x by L x, from the leaves, because each dof needs the old values of its ancestors."""
    for i in jam(range(m.nv - 1, -1, -1)):
        row = m.M_rowadr[i]
        xi = x[i]
        for a in range(m.M_rownnz[i] - 1):
            xi = xi + factor[row + a] * x[m.M_colind[row + a]]
        x[i] = xi


@kernel
def mul_transposed(m, factor, x):
    """Replace x by L' x, from the roots, because each dof needs the old values of its descendants."""
    for i in jam(range(m.nv)):
        depth = m.M_rownnz[i] - 1
        xi = x[i]
        for k in range(i + m.M_colnnz[i], i, -1):
            xi = xi + factor[m.M_rowadr[k] + depth] * x[k]
        x[i] = xi


@kernel
def mul_M2(m, d, result, x):
    """Set result to D^1/2 L x, so that |result|^2 = x' M x (mj_mulM2)."""
    for i in range(m.nv):
        result[i] = x[i]
    mul_lower(m, d.qLD, result)
    for i in range(m.nv):
        result[i] = result[i] * sqrt(pivot_of_M(m, d, i))
