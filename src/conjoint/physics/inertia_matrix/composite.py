"""Joint-space inertia matrix by the composite rigid-body algorithm, and products with it (stage 6).

Element (i, j) of the inertia matrix M is nonzero only if dof i is an ancestor of dof j, or vice versa.
Therefore its lower triangle is stored row by row. Row i has the ancestors of i in ascending order, and the
diagonal last (`m.M_rownnz`, `m.M_rowadr`, `m.M_colind`). `qM` has the same elements in MuJoCo's older storage
order: the diagonal, then the ancestors in descending order.
"""

from conjoint.lang import dot6, kernel, mul_inertia, shared
from conjoint.physics.motors import dof_inertia, tendon_inertia
from conjoint.physics.passive_flags import acts


@kernel
def make_M(m, d):
    """Compute the inertia matrix M with armatures (mj_makeM).

    crb and qM are computed by the composite rigid-body algorithm, then M is copied from qM.
    """
    d.crb[0] = d.cinert[0]
    shared(inertia_of_share, m, d, m.nshare)
    if m.ntendon > 0:
        tendon_armature(m, d)
    shared(order_share, m, d, m.nshare)


@kernel
def order_share(m, d, s):
    """Copy the rows of M for the dofs in work share s of the world from qM."""
    for a in range(m.share_M[s], m.share_M[s + 1]):
        d.M[a] = d.qM[m.mapM2M[a]]


@kernel
def inertia_of_share(m, d, s):
    """Compute crb of the bodies, and qM of the dofs, in work share s of the world."""
    add_bodies(m, d, m.share_body[s], m.share_body[s + 1])
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        a = m.dof_Madr[i]
        j = m.dof_parentid[i]
        if m.dof_simplenum[i] > 0:
            # a free or sliding body aligned with its inertia has a constant, diagonal block
            d.qM[a] = m.dof_M0[i]
            while j >= 0:
                a += 1
                d.qM[a] = 0.0
                j = m.dof_parentid[j]
        else:
            # the force that accelerates the subtree of dof i acts on its ancestors
            axis = d.cdof[i]
            force = mul_inertia(d.crb[m.dof_bodyid[i]], axis)
            d.qM[a] = dof_inertia(m, i) + dot6(axis, force)
            while j >= 0:
                a += 1
                d.qM[a] = dot6(d.cdof[j], force)
                j = m.dof_parentid[j]


@kernel
def add_bodies(m, d, first, end):
    """Compute crb of the bodies [first, end), which form whole subtrees below the world."""
    for b in range(first, end):
        d.crb[b] = d.cinert[b]
    for b in range(end - 1, first - 1, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.crb[p] = d.crb[p] + d.crb[b]


@kernel
def tendon_armature(m, d):
    """Add J' armature J of every tendon to qM, for pairs of dofs on the same branch (mj_tendonArmature)."""
    for t in range(m.ntendon):
        armature = tendon_inertia(m, t)
        if acts(armature):
            for k in range(m.ten_J_rownnz[t]):
                i = m.ten_J_colind[t, k]
                a = m.dof_Madr[i]
                arm = d.ten_J[t, i] * armature
                j = i
                while j >= 0:
                    d.qM[a] = d.qM[a] + arm * d.ten_J[t, j]
                    a += 1
                    j = m.dof_parentid[j]


@kernel
def mul_M(m, d, result, x):
    """Compute result := M x for two different fields of nv elements (mj_mulM)."""
    for i in range(m.nv):
        mul_M_row(m, d, result, x, i)


@kernel
def mul_M_row(m, d, result, x, i):
    """Set result[i] to row i of M times x, and add the products with column i to the results of earlier rows."""
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
def full_M(m, dense, M):
    """Write the full symmetric matrix to `dense`; `M` contains its elements in the order of `qM` (mj_fullM)."""
    for k in range(m.nv * m.nv):
        dense[k] = 0.0
    for i in range(m.nv):
        a = m.dof_Madr[i]
        j = i
        while j >= 0:
            dense[i * m.nv + j] = M[a]
            dense[j * m.nv + i] = M[a]
            a += 1
            j = m.dof_parentid[j]


@kernel
def add_M(m, d, target, rownnz, rowadr, colind):
    """Add M to those elements of its lower triangle that a matrix in compressed rows contains (mj_addM).

    Returns:
        1 if all rows are within nM elements, else 0, and nothing is added.
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
