"""Joint-space inertia: composite rigid bodies, sparse factorization, products and solves (stages 6 and 7).

The inertia matrix M has a non-zero (i, j) only where dof j is an ancestor of dof i or the other way round, so its lower
triangle is stored row by row: row i holds the ancestors of i, ascending, and the diagonal last (`m.M_rownnz`,
`m.M_rowadr`, `m.M_colind`). The factorization M = L' D L, eliminating from the leaves, has the same pattern: no fill-in
(Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 6 and 8). `qM` holds the same numbers in the older order: the
diagonal, then the ancestors, descending.
"""

from conjoint.lang import any, dot6, kernel, mul_inertia, multiply_add, put, sqrt, tile, where
from conjoint.lang.tile import TILE
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtWarning


@kernel
def make_M(m, d):
    """Inertia matrix M with armatures (mj_makeM)."""
    composite_inertia(m, d)
    if m.ntendon > 0:
        tendon_armature(m, d)
    for a in range(m.nC):
        d.M[a] = d.qM[m.mapM2M[a]]


@kernel
def composite_inertia(m, d):
    """Composite rigid-body algorithm: crb, and qM with dof armatures (mj_crb)."""
    composite_bodies(m, d)
    for i in range(m.nv):
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
    for b in range(m.nbody):
        d.crb[b] = d.cinert[b]
    for b in range(m.nbody - 1, 0, -1):
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
    for a in range(m.nC):
        d.qLD[a] = d.M[a]
    factor_LTDL(m, d, d.qLD, d.qLDiagInv)


@kernel
def factor_LTDL(m, d, factor, diagonal_inverse):
    """Factorize a matrix with the pattern of M in place: D goes on its diagonal, L below it."""
    for i in range(m.nv - 1, -1, -1):
        row = m.M_rowadr[i]
        depth = m.M_rownnz[i] - 1
        pivot = factor[row] + 0.0
        # a dof alone is its pivot
        alone = depth == 0 and m.M_colnnz[i] == 0
        unscaled = row + TILE * i
        if not alone:
            for a in range(0, depth + 1, TILE):
                subtract_below(m, d, factor, i, a)
            pivot = d.factor_rows[unscaled + depth]
        if any(pivot < mjMINVAL):
            # not positive definite: the accelerations will not be finite, and the check of them resets the world
            warn_inertia(d, i, pivot)
        inverse = 1.0 / pivot
        diagonal_inverse[i] = inverse
        if not alone:
            for a in range(depth):
                factor[row + a] = d.factor_rows[unscaled + a] * inverse
            factor[row + depth] = pivot


@kernel
def subtract_below(m, d, factor, i, a):
    """factor_rows := row i, from its element a on, less the shares of the rows below it, which are final.

    The dofs below i follow it, and their rows begin with the columns of row i. `factor_rows` has the rows times their
    pivots, and room behind each for a whole tile.
    """
    depth = m.M_rownnz[i] - 1
    sums = tile(factor, m.M_rowadr[i] + a)
    for k in range(i + m.M_colnnz[i], i, -1):
        row = m.M_rowadr[k]
        sums = multiply_add(-factor[row + depth], tile(d.factor_rows, row + TILE * k + a), sums)
    put(d.factor_rows, m.M_rowadr[i] + TILE * i + a, sums)


@kernel
def warn_inertia(d, k, pivot):
    """Count a warning for dof k in the worlds whose pivot is too small."""
    w = mjtWarning.mjWARN_INERTIA
    bad = pivot < mjMINVAL
    d.warning.number[w] = d.warning.number[w] + where(bad, 1, 0)
    d.warning.lastinfo[w] = where(bad, k, d.warning.lastinfo[w])


@kernel
def solve_M(m, d, x):
    """x := M^-1 x for a field of nv reals (mj_solveM)."""
    solve_LTDL(m, d.qLD, d.qLDiagInv, x, 0)


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
    """x := L'^-1 x for the dofs of some trees: leaves first, each row removes its share from its ancestors."""
    for i in range(end - 1, first - 1, -1):
        row = m.M_rowadr[i]
        xi = x[start + i]
        for a in range(row, row + m.M_rownnz[i] - 1):
            j = start + m.M_colind[a]
            x[j] = x[j] - factor[a] * xi


@kernel
def solve_lower(m, factor, x, start):
    """x := L^-1 x."""
    solve_lower_between(m, factor, x, start, 0, m.nv)


@kernel
def solve_lower_between(m, factor, x, start, first, end):
    """x := L^-1 x for the dofs of some trees: roots first."""
    for i in range(first, end):
        row = m.M_rowadr[i]
        xi = x[start + i]
        for a in range(row, row + m.M_rownnz[i] - 1):
            xi = xi - factor[a] * x[start + m.M_colind[a]]
        x[start + i] = xi


@kernel
def mul_M(m, d, result, x):
    """result := M x; both fields of nv reals, not the same one (mj_mulM)."""
    for i in range(m.nv):
        mul_M_row(m, d, result, x, i)


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
    """Add M to the elements that a matrix in compressed rows has of its lower triangle (mj_addM)."""
    for i in range(m.nv):
        for k in range(rowadr[i], rowadr[i] + rownnz[i]):
            for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
                if m.M_colind[a] == colind[k]:
                    target[k] = target[k] + d.M[a]
