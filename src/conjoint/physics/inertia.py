"""Joint-space inertia: composite rigid bodies, sparse factorization, products and solves (stages 6 and 7).

The inertia matrix M has a non-zero (i, j) only where dof j is an ancestor of dof i or the other way round, so its lower
triangle is stored row by row: row i holds the ancestors of i, ascending, and the diagonal last (`m.M_rownnz`,
`m.M_rowadr`, `m.M_colind`). The factorization M = L' D L, eliminating from the leaves, has the same pattern: no fill-in
(Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 6 and 8). `qM` holds the same numbers in the older order: the
diagonal, then the ancestors, descending.
"""

from conjoint.lang import (
    STRIP,
    any,
    dot6,
    kernel,
    local,
    mul_inertia,
    multiply_add,
    put,
    real,
    shared,
    sqrt,
    tile,
    where,
)
from conjoint.lang.tile import FEW, TILE
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtWarning


@kernel
def make_M(m, d):
    """Inertia matrix M with armatures (mj_makeM)."""
    composite_inertia(m, d)
    if m.ntendon > 0:
        tendon_armature(m, d)
    shared(order_M, m, d, m.nshare)


@kernel
def order_M(m, d, s):
    """M of share s of the world, from qM."""
    for a in range(m.share_M[s], m.share_M[s + 1]):
        d.M[a] = d.qM[m.mapM2M[a]]


@kernel
def composite_inertia(m, d):
    """Composite rigid-body algorithm: crb, and qM with dof armatures (mj_crb)."""
    d.crb[0] = d.cinert[0]
    shared(inertia_of_share, m, d, m.nshare)


@kernel
def inertia_of_share(m, d, s):
    """crb and qM of share s of the world."""
    add_bodies(m, d, m.share_body[s], m.share_body[s + 1])
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        a = m.dof_Madr[i]
        j = m.dof_parentid[i]
        if m.dof_simplenum[i] > 0:
            # a free or sliding body aligned with its inertia: constant, diagonal
            d.qM[a] = m.dof_M0[i] + 0.0
            while j >= 0:
                a += 1
                d.qM[a] = 0.0
                j = m.dof_parentid[j]
        else:
            # force that accelerates everything below dof i, felt by its ancestors
            axis = d.cdof[i]
            force = mul_inertia(d.crb[m.dof_bodyid[i]], axis)
            d.qM[a] = m.dof_armature[i] + dot6(axis, force)
            while j >= 0:
                a += 1
                d.qM[a] = dot6(d.cdof[j], force)
                j = m.dof_parentid[j]


@kernel
def composite_bodies(m, d):
    """crb: inertia of each body and all below it."""
    d.crb[0] = d.cinert[0]
    add_bodies(m, d, 1, m.nbody)


@kernel
def add_bodies(m, d, first, end):
    """crb of the bodies from `first` to before `end`: whole subtrees below the world."""
    for b in range(first, end):
        d.crb[b] = d.cinert[b]
    for b in range(end - 1, first - 1, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.crb[p] = d.crb[p] + d.crb[b]


@kernel
def tendon_armature(m, d):
    """Add J' armature J of every tendon to qM, where its dofs lie on one branch (mj_tendonArmature)."""
    for t in range(m.ntendon):
        armature = m.tendon_armature[t]
        heavy = armature != 0.0
        if any(heavy):
            for k in range(m.ten_J_rownnz[t]):
                i = m.ten_J_colind[t, k]
                a = m.dof_Madr[i]
                arm = d.ten_J[t, i] * armature
                j = i
                while j >= 0:
                    d.qM[a] = where(heavy, d.qM[a] + arm * d.ten_J[t, j], d.qM[a])
                    a += 1
                    j = m.dof_parentid[j]


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
        if STRIP == 1 and both:
            for a in range(0, m.M_rownnz[i], FEW):
                subtract_few_twice(m, d, matrix, factor, i, a)
            finish_row(m, d, s, damping, factor, diagonal_inverse, i)
            for a in range(0, m.M_rownnz[i - 1], FEW):
                subtract_few(m, d, factor, i, i - 1, a)
            finish_row(m, d, s, damping, factor, diagonal_inverse, i - 1)
            i -= 2
        elif both:
            for a in range(0, m.M_rownnz[i], TILE):
                subtract_below_twice(m, d, matrix, factor, i, a)
            finish_row(m, d, s, damping, factor, diagonal_inverse, i)
            for a in range(0, m.M_rownnz[i - 1], TILE):
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
    """`subtract_below` for rows i and i - 1, of the rows below i."""
    depth = m.M_rownnz[i] - 1
    sums = tile(matrix, m.M_rowadr[i] + a)
    above = tile(matrix, m.M_rowadr[i - 1] + a)
    for k in range(i + m.M_colnnz[i], i, -1):
        row = m.M_rowadr[k]
        share = tile(d.factor_rows, row + TILE * k + a)
        sums = multiply_add(-factor[row + depth], share, sums)
        above = multiply_add(-factor[row + depth - 1], share, above)
    put(d.factor_rows, m.M_rowadr[i] + TILE * i + a, sums)
    put(d.factor_rows, m.M_rowadr[i - 1] + TILE * (i - 1) + a, above)


@kernel
def subtract_few_twice(m, d, matrix, factor, i, a):
    """`subtract_below_twice` for four elements, in lanes."""
    depth = m.M_rownnz[i] - 1
    sums = local(real, 2 * FEW)
    for c in range(FEW):
        sums[c] = matrix[m.M_rowadr[i] + a + c]
        sums[FEW + c] = matrix[m.M_rowadr[i - 1] + a + c]
    for k in range(i + m.M_colnnz[i], i, -1):
        row = m.M_rowadr[k]
        for c in range(FEW):
            share = d.factor_rows[row + TILE * k + a + c]
            sums[c] = multiply_add(-factor[row + depth], share, sums[c])
            sums[FEW + c] = multiply_add(-factor[row + depth - 1], share, sums[FEW + c])
    for c in range(FEW):
        d.factor_rows[m.M_rowadr[i] + TILE * i + a + c] = sums[c]
        d.factor_rows[m.M_rowadr[i - 1] + TILE * (i - 1) + a + c] = sums[FEW + c]


@kernel
def subtract_few(m, d, factor, k, i, a):
    """`subtract_row` for four elements."""
    row = m.M_rowadr[k]
    o = row + TILE * k + a
    to = m.M_rowadr[i] + TILE * i + a
    share = -factor[row + m.M_rownnz[i] - 1]
    for c in range(FEW):
        d.factor_rows[to + c] = multiply_add(share, d.factor_rows[o + c], d.factor_rows[to + c])


@kernel
def subtract_row(m, d, factor, k, i, a):
    """Subtract from row i in `factor_rows`, from its element a on, the share of row k, which is final."""
    row = m.M_rowadr[k]
    to = m.M_rowadr[i] + TILE * i + a
    share = -factor[row + m.M_rownnz[i] - 1]
    put(d.factor_rows, to, multiply_add(share, tile(d.factor_rows, row + TILE * k + a), tile(d.factor_rows, to)))


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
    i = first + 0
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
        xi = x[i] + 0.0
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
        xi = x[i] + 0.0
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
def mul_M(m, d, result, x):
    """result := M x; both fields of nv reals, not the same one (mj_mulM)."""
    i = 0
    while i < m.nv:
        if i + 1 < m.nv and m.M_colnnz[i] == m.M_colnnz[i + 1] + 1:
            # the only dof right below another one: what is above both meets both
            mul_two_M_rows(m, d, result, x, i)
            i += 2
        else:
            mul_M_row(m, d, result, x, i)
            i += 1


@kernel
def mul_M_row(m, d, result, x, i):
    """result[i] := row i of M times x; adds what column i contributes to the rows before it, which are known."""
    row = m.M_rowadr[i]
    last = row + m.M_rownnz[i] - 1
    xi = x[i]
    s = d.M[last] * xi
    for a in range(row, last):
        j = m.M_colind[a]
        v = d.M[a]
        s = s + v * x[j]
        result[j] = result[j] + v * xi
    result[i] = s


@kernel
def mul_two_M_rows(m, d, result, x, i):
    """`mul_M_row` for dof i and for i + 1, right below it."""
    row = m.M_rowadr[i]
    next_row = m.M_rowadr[i + 1]
    depth = m.M_rownnz[i] - 1
    xi = x[i]
    below = x[i + 1]
    s = d.M[row + depth] * xi
    t = d.M[next_row + depth + 1] * below
    for a in range(depth):
        j = m.M_colind[row + a]
        xj = x[j]
        s = s + d.M[row + a] * xj
        t = t + d.M[next_row + a] * xj
        result[j] = (result[j] + d.M[row + a] * xi) + d.M[next_row + a] * below
    result[i] = s + d.M[next_row + depth] * below
    result[i + 1] = t + d.M[next_row + depth] * xi


@kernel
def mul_M2(m, d, result, x):
    """result := D^1/2 L x, so that |result|^2 = x' M x (mj_mulM2)."""
    for i in range(m.nv):
        row = m.M_rowadr[i]
        last = row + m.M_rownnz[i] - 1
        s = x[i] + 0.0
        for a in range(row, last):
            s = s + d.qLD[a] * x[m.M_colind[a]]
        result[i] = s * sqrt(d.qLD[last])


@kernel
def full_M(m, dense, M):
    """dense := the symmetric matrix whose elements M has in the order of `qM` (mj_fullM)."""
    for k in range(m.nv * m.nv):
        dense[k] = 0.0
    for i in range(m.nv):
        a = m.dof_Madr[i]
        j = i
        while j >= 0:
            dense[i * m.nv + j] = M[a] + 0.0
            dense[j * m.nv + i] = M[a] + 0.0
            a += 1
            j = m.dof_parentid[j]


@kernel(per_world=True)
def add_M(m, d, target, rownnz, rowadr, colind):
    """Add M to the elements that a matrix in compressed rows has of its lower triangle (mj_addM).

    Returns:
        Whether all rows lie within nM elements; if not, nothing is added.
    """
    for i in range(m.nv):
        if rownnz[i] < 0 or rowadr[i] < 0 or rowadr[i] + rownnz[i] > m.nM:
            return 0
    for i in range(m.nv):
        for k in range(rowadr[i], rowadr[i] + rownnz[i]):
            for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
                if m.M_colind[a] == colind[k]:
                    target[k] = target[k] + d.M[a]
    return 1
