"""Inverse inertias of dofs and bodies in the initial configuration (mj_setConst).

Constraints are scaled by them (Computation chapter, "Constraint model", on the approximate diagonal of the inverse
inertia). The inverse of M is never made: what is needed of it stands where M has elements, and follows from the factor
row by row.
"""

from conjoint.lang import cross, dot, formula, kernel, sqrt, vec2
from conjoint.physics.support import first_of_tree, last_dof, tree_arm, velocity_of
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtJoint

ONLY_SLIDES = 2
"""`body_simple` of bodies whose inertia is their mass."""


@formula("mat3", "vec3", "vec3")
def outer(a, b):
    """The matrix a b'."""
    return tuple(a[i] * b[j] for i in range(3) for j in range(3))


@kernel(per_world=True, writes_model=True)
def inverse_weights(m, d):
    """dof_invweight0 and body_invweight0, after mj_factorM."""
    for i in range(m.nv):
        mark_singular(m, d, i)
    invert_M(m, d)
    dof_weights(m, d)
    for i in range(m.nv):
        mobility(m, d, i)
    for b in range(m.nbody):
        body_weight(m, d, b)


@kernel(per_world=True)
def mark_singular(m, d, i):
    """Where a pivot was too small, nothing of the tree is a number: its inertia has no inverse."""
    if d.qLDiagInv[i] >= 1.0 / mjMINVAL:
        d.qLDiagInv[first_of_tree(m, i)] = sqrt(-1.0)


@kernel
def invert_M(m, d):
    """The elements of inv(M) where M has elements, from the roots to the leaves.

    With M = L' D L, left of the diagonal L inv(M) = inv(L' D) is zero: there, a row of inv(M) is minus the sum of the
    rows of the ancestors, each times its element of L (Takahashi, Fagan & Chin, Formation of a sparse bus impedance
    matrix and its application to short circuit study, 1973).
    """
    for i in range(m.nv):
        row = m.M_rowadr[i]
        above = m.M_rownnz[i] - 1
        # the row is made in a field of its own, which keeps loops free of overlaps
        for k in range(above):
            d.unit_response[k] = 0.0
        for k in range(above):
            # the row of an ancestor holds the ancestors up to it
            ancestor = m.M_rowadr[m.M_colind[row + k]]
            element = d.qLD[row + k]
            total = d.unit_response[k] - element * d.M_inverse[ancestor + k]
            for c in range(k):
                inverse = d.M_inverse[ancestor + c]
                d.unit_response[c] = d.unit_response[c] - element * inverse
                total = total - d.qLD[row + c] * inverse
            d.unit_response[k] = total
        pivot = d.qLDiagInv[i]
        for k in range(above):
            pivot = pivot - d.qLD[row + k] * d.unit_response[k]
            d.M_inverse[row + k] = d.unit_response[k]
        d.M_inverse[row + above] = pivot


@kernel(per_world=True, writes_model=True)
def dof_weights(m, d):
    """dof_invweight0: diagonal of inv(M), the same for the dofs of a rotation or of a free translation."""
    for i in range(m.nv):
        m.dof_invweight0[i] = d.M_inverse[m.M_rowadr[i] + m.M_rownnz[i] - 1]
    for j in range(m.njnt):
        i = m.jnt_dofadr[j]
        if m.jnt_type[j] == mjtJoint.mjJNT_FREE:
            equal_weights(m, i)
            equal_weights(m, i + 3)
        elif m.jnt_type[j] == mjtJoint.mjJNT_BALL:
            equal_weights(m, i)
    for i in range(m.nv):
        b = m.dof_bodyid[i]
        if m.body_simple[b] == ONLY_SLIDES:
            m.dof_invweight0[i] = 1.0 / m.body_mass[b]


@kernel(per_world=True, writes_model=True)
def equal_weights(m, i):
    """Dofs i, i+1, i+2 get the mean of their weights."""
    mean = (m.dof_invweight0[i] + m.dof_invweight0[i + 1] + m.dof_invweight0[i + 2]) / 3.0
    for k in range(3):
        m.dof_invweight0[i + k] = mean


@kernel
def mobility(m, d, i):
    """Of what moves with dof i: S inv(M) S', where S are the axes of the dof and its ancestors.

    Kept are the part that turns, the trace of the part that moves, and the sum of cross products that both have in
    common; the dof adds axis times `share` and the transpose of this to what its parent has. All refer to the centre of
    mass of the body of the dof: one that lies on the axis does not move, whatever rounding makes of the distance to
    elsewhere.
    """
    body = m.dof_bodyid[i]
    arm = tree_arm(m, d, body, d.xipos[body])
    row = m.M_rowadr[i]
    last = row + m.M_rownnz[i] - 1
    axis = d.cdof[i]
    share = axis * (0.5 * d.M_inverse[last])
    for a in range(row, last):
        share = share + d.cdof[m.M_colind[a]] * d.M_inverse[a]
    moves = velocity_of(axis, arm)
    shared = velocity_of(share, arm)
    turning = outer(axis.angular, share.angular)
    turning = turning + turning.T
    moving = 2.0 * dot(moves, shared)
    both = cross(moves, share.angular) + cross(shared, axis.angular)
    j = m.dof_parentid[i]
    if j >= 0:
        offset = d.xipos[body] - d.xipos[m.dof_bodyid[j]]
        turning = turning + d.mobility_turning[j]
        moving = moving + moving_at(d, j, offset)
        both = both + d.mobility_both[j] + swept(d.mobility_turning[j], offset)
    d.mobility_turning[i] = turning
    d.mobility_moving[i] = moving
    d.mobility_both[i] = both


@kernel
def swept(turning, offset):
    """What turning alone moves at an offset, as a sum of cross products."""
    return offset * (turning[0] + turning[4] + turning[8]) - turning @ offset


@kernel
def moving_at(d, i, offset):
    """The trace of the part that moves, of dof i and its ancestors, at an offset from its centre of mass."""
    return d.mobility_moving[i] + dot(offset, 2.0 * d.mobility_both[i] + swept(d.mobility_turning[i], offset))


@kernel(per_world=True, writes_model=True)
def body_weight(m, d, b):
    """body_invweight0: mean of the diagonal of J inv(M) J', of the centre of mass and of the rotation."""
    i = last_dof(m, b)
    if i < 0:
        # welded to the world
        m.body_invweight0[b] = vec2(0.0, 0.0)
    elif m.body_simple[b] == ONLY_SLIDES:
        m.body_invweight0[b] = vec2(1.0 / m.body_mass[b], 0.0)
    else:
        turning = d.mobility_turning[i]
        moving = moving_at(d, i, d.xipos[b] - d.xipos[m.dof_bodyid[i]])
        m.body_invweight0[b] = vec2(moving / 3.0, (turning[0] + turning[4] + turning[8]) / 3.0)
