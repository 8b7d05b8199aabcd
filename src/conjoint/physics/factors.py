"""Factors of the joint-space inertia, and what is solved and multiplied with them (stage 7).

The factorization M = L' D L, eliminating from the leaves, has the pattern of M, row by row: no fill-in (Featherstone,
Rigid Body Dynamics Algorithms, 2008, ch. 6 and 8). L has ones on its diagonal, which are not stored: D is there.
"""

from conjoint.lang import STRIP, any, kernel, local, multiply_add, put, real, shared, sqrt, tile, where
from conjoint.lang.tile import FEW, TILE
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtWarning


@kernel
def factor_M(m, d):
    """Factorize M = L' D L into qLD and qLDiagInv (mj_factorM)."""
    shared(factor_M_of_share, m, d, m.nshare)
    warn_of_shares(m, d)


@kernel
def factor_M_of_share(m, d, s):
    """The factors of M of share s of the world."""
    factor_share(m, d, s, d.M, 0.0, d.qLD, d.qLDiagInv)


@kernel
def factor_LTDL(m, d, factor, diagonal_inverse):
    """Factorize a matrix with the pattern of M in place: D goes on its diagonal, L below it."""
    shared(factor_share, m, d, m.nshare, factor, 0.0, factor, diagonal_inverse)
    warn_of_shares(m, d)


@kernel
def factor_share(m, d, s, matrix, damping, factor, diagonal_inverse):
    """Factorize share s of `matrix` + `damping` * diag(dof_damping), with the pattern of M, into `factor`; its bad
    pivots are counted.

    `matrix` may be the factor itself.
    """
    d.share_bad[s] = 0
    i = m.share_dof[s + 1] - 1
    while i >= m.share_dof[s]:
        # the only dof right below another one: what is below both meets both
        both = i > m.share_dof[s] and m.M_colnnz[i - 1] == m.M_colnnz[i] + 1
        if both:
            # one world has registers for two tiles of sums, lanes for half as much
            for a in range(0, m.M_rownnz[i], TILE if STRIP > 1 else FEW):
                subtract_below_twice(m, d, matrix, factor, i, a)
            finish_row(m, d, s, damping, factor, diagonal_inverse, i)
            for a in range(0, m.M_rownnz[i - 1], TILE if STRIP > 1 else FEW):
                subtract_row(m, d, factor, i, i - 1, a)
            finish_row(m, d, s, damping, factor, diagonal_inverse, i - 1)
            i -= 2
        else:
            if m.M_rownnz[i] == 1 and m.M_colnnz[i] == 0:
                # a dof alone is its pivot
                pivot = matrix[m.M_rowadr[i]] + damping * m.dof_damping[i]
                factor[m.M_rowadr[i]] = pivot
                finish_pivot(d, s, diagonal_inverse, i, pivot)
            else:
                for a in range(0, m.M_rownnz[i], TILE):
                    subtract_below(m, d, matrix, factor, i, a)
                finish_row(m, d, s, damping, factor, diagonal_inverse, i)
            i -= 1


@kernel
def pivot_of_M(m, d, i):
    """Element i of D in M = L' D L."""
    return d.qLD[m.M_rowadr[i] + m.M_rownnz[i] - 1]


@kernel
def finish_row(m, d, s, damping, factor, diagonal_inverse, i):
    """Row i of the factor, of share s, from `factor_rows`."""
    row = m.M_rowadr[i]
    depth = m.M_rownnz[i] - 1
    unscaled = row + TILE * i
    pivot = d.factor_rows[unscaled + depth] + damping * m.dof_damping[i]
    inverse = finish_pivot(d, s, diagonal_inverse, i, pivot)
    for a in range(depth):
        factor[row + a] = d.factor_rows[unscaled + a] * inverse
    factor[row + depth] = pivot


@kernel
def finish_pivot(d, s, diagonal_inverse, i, pivot):
    """Keep and return the inverse of the pivot of row i, of share s."""
    if any(pivot < mjMINVAL):
        # not positive definite: the accelerations will not be finite, and the check of them resets the world
        bad = pivot < mjMINVAL
        d.share_bad[s] = d.share_bad[s] + where(bad, 1, 0)
        d.share_dof_bad[s] = where(bad, i, d.share_dof_bad[s])
    inverse = 1.0 / pivot
    diagonal_inverse[i] = inverse
    return inverse


@kernel
def subtract_below(m, d, matrix, factor, i, a):
    """factor_rows := row i of `matrix`, from its element a on, less the shares of the rows below it, which are final.

    The dofs below i follow it, and their rows begin with the columns of row i. `factor_rows` has the rows times their
    pivots, and room behind each for a whole tile.
    """
    depth = m.M_rownnz[i] - 1
    sums = tile(matrix, m.M_rowadr[i] + a)
    for k in range(i + m.M_colnnz[i], i, -1):
        row = m.M_rowadr[k]
        sums = multiply_add(-factor[row + depth], tile(d.factor_rows, row + TILE * k + a), sums)
    put(d.factor_rows, m.M_rowadr[i] + TILE * i + a, sums)


@kernel
def subtract_below_twice(m, d, matrix, factor, i, a):
    """`subtract_below` for rows i and i - 1, of the rows below i; in lanes for four elements."""
    depth = m.M_rownnz[i] - 1
    to = m.M_rowadr[i] + TILE * i + a
    to_above = m.M_rowadr[i - 1] + TILE * (i - 1) + a
    sums = tile(matrix, m.M_rowadr[i] + a)
    above = tile(matrix, m.M_rowadr[i - 1] + a)
    if STRIP > 1:
        for k in range(i + m.M_colnnz[i], i, -1):
            row = m.M_rowadr[k]
            share = tile(d.factor_rows, row + TILE * k + a)
            sums = multiply_add(-factor[row + depth], share, sums)
            above = multiply_add(-factor[row + depth - 1], share, above)
        put(d.factor_rows, to, sums)
        put(d.factor_rows, to_above, above)
    else:
        # the first four of a tile each
        few = local(real, 2 * TILE)
        put(few, 0, sums)
        put(few, TILE, above)
        for k in range(i + m.M_colnnz[i], i, -1):
            row = m.M_rowadr[k]
            for c in range(FEW):
                share = d.factor_rows[row + TILE * k + a + c]
                few[c] = multiply_add(-factor[row + depth], share, few[c])
                few[TILE + c] = multiply_add(-factor[row + depth - 1], share, few[TILE + c])
        for c in range(FEW):
            d.factor_rows[to + c] = few[c]
            d.factor_rows[to_above + c] = few[TILE + c]


@kernel
def subtract_row(m, d, factor, k, i, a):
    """Subtract from row i in `factor_rows` the share of row k, which is final: a tile from element a on, in lanes four
    elements."""
    row = m.M_rowadr[k]
    o = row + TILE * k + a
    to = m.M_rowadr[i] + TILE * i + a
    share = -factor[row + m.M_rownnz[i] - 1]
    if STRIP > 1:
        put(d.factor_rows, to, multiply_add(share, tile(d.factor_rows, o), tile(d.factor_rows, to)))
    else:
        for c in range(FEW):
            d.factor_rows[to + c] = multiply_add(share, d.factor_rows[o + c], d.factor_rows[to + c])


@kernel
def warn_of_shares(m, d):
    """Count warnings for the dofs whose pivots were too small when shares were factorized, and name the last one."""
    w = mjtWarning.mjWARN_INERTIA
    for s in range(m.nshare - 1, -1, -1):
        bad = d.share_bad[s]
        if any(bad > 0):
            d.warning.number[w] = d.warning.number[w] + bad
            d.warning.lastinfo[w] = where(bad > 0, d.share_dof_bad[s], d.warning.lastinfo[w])


@kernel
def solve_M(m, d, x):
    """x := M^-1 x for a field of nv reals (mj_solveM)."""
    solve_factors(m, d, d.qLD, d.qLDiagInv, x)


@kernel
def solve_factors(m, d, factor, diagonal_inverse, x):
    """Solve L' D L y = x in place, for a field of nv reals."""
    shared(solve_share, m, d, m.nshare, factor, diagonal_inverse, x)


@kernel
def solve_share(m, d, s, factor, diagonal_inverse, x):
    """What `solve_factors` does for share s of the world."""
    solve_LTDL_between(m, factor, diagonal_inverse, x, 0, m.share_dof[s], m.share_dof[s + 1])


@kernel(per_world=True)
def solve_M_rows(m, d, x, count):
    """Every row of x, a matrix of nv columns, becomes M^-1 times itself."""
    for r in range(count):
        solve_LTDL(m, d.qLD, d.qLDiagInv, x, r * m.nv)


@kernel(per_world=True)
def solve_M2_rows(m, d, x, scale, count):
    """Every row of x becomes `scale` L'^-1 times itself, element by element of the scale (mj_solveM2)."""
    for r in range(count):
        solve_transposed(m, d.qLD, x, r * m.nv, 0, m.nv)
        for i in range(m.nv):
            x[r * m.nv + i] = x[r * m.nv + i] * scale[i]


@kernel
def solve_LTDL(m, factor, diagonal_inverse, x, start):
    """Solve L' D L y = x in place, for the nv reals of x from `start` on."""
    solve_LTDL_between(m, factor, diagonal_inverse, x, start, 0, m.nv)


@kernel
def solve_LTDL_between(m, factor, diagonal_inverse, x, start, first, end):
    """As `solve_LTDL`, for whole trees only: their dofs are those from `first` to `end`."""
    solve_transposed(m, factor, x, start, first, end)
    for i in range(first, end):
        x[start + i] = x[start + i] * diagonal_inverse[i]
    solve_lower_between(m, factor, x, start, first, end)


@kernel
def solve_transposed(m, factor, x, start, first, end):
    """x := L'^-1 x for the dofs of some trees: leaves first, each gathers from the dofs below it, which follow it."""
    i = end - 1
    while i >= first:
        depth = m.M_rownnz[i] - 1
        xi = x[start + i]
        if i > first and m.M_colnnz[i - 1] == m.M_colnnz[i] + 1:
            # the only dof right below another one: what is below both meets both
            above = x[start + i - 1]
            for k in range(i + m.M_colnnz[i], i, -1):
                a = m.M_rowadr[k] + depth
                xk = x[start + k]
                xi = xi - factor[a] * xk
                above = above - factor[a - 1] * xk
            x[start + i] = xi
            x[start + i - 1] = above - factor[m.M_rowadr[i] + depth - 1] * xi
            i -= 2
        else:
            for k in range(i + m.M_colnnz[i], i, -1):
                xi = xi - factor[m.M_rowadr[k] + depth] * x[start + k]
            x[start + i] = xi
            i -= 1


@kernel
def solve_lower(m, factor, x, start):
    """x := L^-1 x."""
    solve_lower_between(m, factor, x, start, 0, m.nv)


@kernel
def solve_lower_between(m, factor, x, start, first, end):
    """x := L^-1 x for the dofs of some trees: roots first."""
    i = first
    while i < end:
        row = m.M_rowadr[i]
        depth = m.M_rownnz[i] - 1
        xi = x[start + i]
        if i + 1 < end and m.M_colnnz[i] == m.M_colnnz[i + 1] + 1:
            # the only dof right below another one: what is above both meets both
            next_row = m.M_rowadr[i + 1]
            below = x[start + i + 1]
            for a in range(depth):
                xj = x[start + m.M_colind[row + a]]
                xi = xi - factor[row + a] * xj
                below = below - factor[next_row + a] * xj
            x[start + i] = xi
            x[start + i + 1] = below - factor[next_row + depth] * xi
            i += 2
        else:
            for a in range(row, row + depth):
                xi = xi - factor[a] * x[start + m.M_colind[a]]
            x[start + i] = xi
            i += 1


@kernel
def mul_lower(m, factor, x):
    """x := L x: leaves first, since each dof needs what the dofs above it had."""
    i = m.nv - 1
    while i >= 0:
        row = m.M_rowadr[i]
        depth = m.M_rownnz[i] - 1
        xi = x[i]
        if i > 0 and m.M_colnnz[i - 1] == m.M_colnnz[i] + 1:
            # the only dof right below another one: what is above both adds to both
            above_row = m.M_rowadr[i - 1]
            above = x[i - 1]
            xi = xi + factor[row + depth - 1] * above
            for a in range(depth - 1):
                xj = x[m.M_colind[row + a]]
                xi = xi + factor[row + a] * xj
                above = above + factor[above_row + a] * xj
            x[i] = xi
            x[i - 1] = above
            i -= 2
        else:
            for a in range(row, row + depth):
                xi = xi + factor[a] * x[m.M_colind[a]]
            x[i] = xi
            i -= 1


@kernel
def mul_transposed(m, factor, x):
    """x := L' x: roots first, since each dof needs what the dofs below it, which follow it, had."""
    i = 0
    while i < m.nv:
        depth = m.M_rownnz[i] - 1
        xi = x[i]
        if i + 1 < m.nv and m.M_colnnz[i] == m.M_colnnz[i + 1] + 1:
            # the only dof right below another one: what is below both adds to both
            below = x[i + 1]
            xi = xi + factor[m.M_rowadr[i + 1] + depth] * below
            for k in range(i + 1 + m.M_colnnz[i + 1], i + 1, -1):
                a = m.M_rowadr[k] + depth
                xk = x[k]
                xi = xi + factor[a] * xk
                below = below + factor[a + 1] * xk
            x[i] = xi
            x[i + 1] = below
            i += 2
        else:
            for k in range(i + m.M_colnnz[i], i, -1):
                xi = xi + factor[m.M_rowadr[k] + depth] * x[k]
            x[i] = xi
            i += 1


@kernel
def mul_M2(m, d, result, x):
    """result := D^1/2 L x, so that |result|^2 = x' M x (mj_mulM2)."""
    for i in range(m.nv):
        result[i] = x[i]
    mul_lower(m, d.qLD, result)
    for i in range(m.nv):
        result[i] = result[i] * sqrt(d.qLD[m.M_rowadr[i] + m.M_rownnz[i] - 1])
