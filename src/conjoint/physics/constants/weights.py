"""Inverse inertias: what dofs, bodies, tendons, actuators and edges of flexes answer to a unit force (mj_setConst).

Constraints are scaled by them (Computation chapter, "Constraint model", on the approximate diagonal of the inverse
inertia). The inverse of M is never made: what dofs and bodies need of it stands where M has elements, and follows from
the factor row by row; the others solve for one force on some trees.
"""

from conjoint.lang import cross, dot, formula, kernel, maximum, minimum, norm, sqrt, vec2, vec3, where
from conjoint.lang.algebra import MINIMUM_VALUE
from conjoint.physics.inertia import solve_LTDL_between
from conjoint.physics.kinematics import mounted_position
from conjoint.physics.support import apply_force, last_dof, tree_arm
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
    if d.qLDiagInv[i] >= 1.0 / MINIMUM_VALUE:
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
    """Of what moves with dof i: S inv(M) S', where S are the com-based axes of the dof and its ancestors.

    Kept are the part that turns, the trace of the part that moves, and the sum of cross products that both have in
    common; the dof adds axis times `share` and the transpose of this to what its parent has.
    """
    row = m.M_rowadr[i]
    last = row + m.M_rownnz[i] - 1
    axis = d.cdof[i]
    share = axis * (0.5 * d.M_inverse[last])
    for a in range(row, last):
        share = share + d.cdof[m.M_colind[a]] * d.M_inverse[a]
    turning = outer(axis.angular, share.angular)
    turning = turning + turning.T
    moving = 2.0 * dot(axis.linear, share.linear)
    both = cross(axis.linear, share.angular) + cross(share.linear, axis.angular)
    j = m.dof_parentid[i]
    if j >= 0:
        turning = turning + d.mobility_turning[j]
        moving = moving + d.mobility_moving[j]
        both = both + d.mobility_both[j]
    d.mobility_turning[i] = turning
    d.mobility_moving[i] = moving
    d.mobility_both[i] = both


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
        arm = tree_arm(m, d, b, d.xipos[b])
        turning = d.mobility_turning[i]
        trace = turning[0] + turning[4] + turning[8]
        swept = trace * dot(arm, arm) - dot(arm, turning @ arm) + 2.0 * dot(arm, d.mobility_both[i])
        m.body_invweight0[b] = vec2((d.mobility_moving[i] + swept) / 3.0, trace / 3.0)


# ---- the answer to one force


@kernel
def first_of_tree(m, i):
    """First dof of the tree of dof i."""
    while m.dof_parentid[i] >= 0:
        i = m.dof_parentid[i]
    return i


@kernel
def end_of_tree(m, i):
    """The dof after the last of the tree of dof i."""
    for k in range(i + 1, m.nv):
        if m.dof_parentid[k] < 0:
            return k
    return m.nv


@kernel
def clear_forces(m, d, first, end):
    """No force on the dofs from `first` to `end`."""
    for i in range(first, end):
        d.unit_force[i] = 0.0


@kernel
def respond(m, d, first, end):
    """unit_response := inv(M) unit_force, for whole trees: the dofs from `first` to `end`. Returns their product."""
    for i in range(first, end):
        d.unit_response[i] = d.unit_force[i] + 0.0
    solve_LTDL_between(m, d.qLD, d.qLDiagInv, d.unit_response, 0, first, end)
    work = 0.0
    for i in range(first, end):
        work = work + d.unit_force[i] * d.unit_response[i]
    return work


@kernel(per_world=True, writes_model=True)
def tendon_constants(m, d):
    """tendon_length0, tendon_invweight0: J inv(M) J'."""
    for t in range(m.ntendon):
        m.tendon_length0[t] = d.ten_length[t]
        m.tendon_invweight0[t] = 0.0
        count = m.ten_J_rownnz[t]
        if count > 0:
            first = first_of_tree(m, m.ten_J_colind[t, 0])
            end = end_of_tree(m, m.ten_J_colind[t, count - 1])
            clear_forces(m, d, first, end)
            for k in range(count):
                i = m.ten_J_colind[t, k]
                d.unit_force[i] = d.ten_J[t, i] + 0.0
            m.tendon_invweight0[t] = respond(m, d, first, end)


@kernel(per_world=True, writes_model=True)
def spring_lengths(m, d):
    """tendon_lengthspring of tendons that do not give it: the length where springs are at rest."""
    for t in range(m.ntendon):
        if m.tendon_lengthspring[t, 0] == -1.0 and m.tendon_lengthspring[t, 1] == -1.0:
            m.tendon_lengthspring[t, 0] = d.ten_length[t]
            m.tendon_lengthspring[t, 1] = d.ten_length[t]


@kernel(per_world=True, writes_model=True)
def actuator_constants(m, d):
    """actuator_length0, actuator_acc0: norm of the acceleration due to a unit force; dampings given as ratios."""
    for u in range(m.nu):
        m.actuator_length0[u] = d.actuator_length[u]
        m.actuator_acc0[u] = 0.0
        row = m.moment_rowadr[u]
        count = m.moment_rownnz[u]
        if count > 0:
            first = first_of_tree(m, m.moment_colind[row])
            end = end_of_tree(m, m.moment_colind[row + count - 1])
            clear_forces(m, d, first, end)
            for a in range(row, row + count):
                d.unit_force[m.moment_colind[a]] = d.actuator_moment[a] + 0.0
            respond(m, d, first, end)
            square = 0.0
            for i in range(first, end):
                square = square + d.unit_response[i] * d.unit_response[i]
            m.actuator_acc0[u] = sqrt(square)
        if m.actuator_gainprm[u, 0] == -m.actuator_biasprm[u, 1] and m.actuator_biasprm[u, 2] > 0.0:
            critical_damping(m, d, u)


@kernel(per_world=True, writes_model=True)
def critical_damping(m, d, u):
    """The damping of position actuator u becomes its ratio times that at which what it moves just does not swing."""
    row = m.moment_rowadr[u]
    inertia = 0.0
    for a in range(row, row + m.moment_rownnz[u]):
        square = d.actuator_moment[a] * d.actuator_moment[a]
        seen = square > MINIMUM_VALUE
        inertia = inertia + where(seen, m.dof_M0[m.moment_colind[a]] / where(seen, square, 1.0), 0.0)
    # of a negative gain there is none: not a number, as in the official compiler
    damping = 2.0 * sqrt(m.actuator_gainprm[u, 0] * inertia)
    m.actuator_biasprm[u, 2] = -m.actuator_biasprm[u, 2] * damping


@kernel(per_world=True, writes_model=True)
def edge_constants(m, d):
    """flexedge_length0 and flexedge_invweight0; both are zero for trilinear flexes, whose edges are not used."""
    for f in range(m.nflex):
        if m.flex_interp[f] == 0:
            for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
                edge_constant(m, d, f, e)


@kernel(per_world=True, writes_model=True)
def edge_constant(m, d, f, e):
    """Length and inverse inertia of edge e of flex f.

    Between bodies that only slide it is the mean of theirs, else that of the change of length, which the official
    engine computes only where edges are used.
    """
    v = m.flex_vertadr[f] + m.flex_edge[e, 0]
    w = m.flex_vertadr[f] + m.flex_edge[e, 1]
    a = m.flex_vertbodyid[v]
    b = m.flex_vertbodyid[w]
    start = mounted_position(d, a, m.flex_vert[v])
    end = mounted_position(d, b, m.flex_vert[w])
    length = norm(end - start)
    m.flexedge_length0[e] = length
    m.flexedge_invweight0[e] = 0.0
    used = m.flex_edgestiffness[f] != 0.0 or m.flex_edgedamping[f] != 0.0 or m.flex_damping[f] != 0.0
    if a != b:
        if m.body_simple[a] == ONLY_SLIDES and m.body_simple[b] == ONLY_SLIDES:
            m.flexedge_invweight0[e] = 0.5 * (1.0 / m.body_mass[a] + 1.0 / m.body_mass[b])
        elif used or m.flex_edgeequality[f] != 0:
            along = (end - start) * (1.0 / maximum(length, MINIMUM_VALUE))
            m.flexedge_invweight0[e] = pulled_apart(m, d, a, start, b, end, along)


@kernel
def pulled_apart(m, d, a, start, b, end, along):
    """Inverse inertia of the distance of a point of body a from one of body b."""
    i = last_dof(m, a)
    j = last_dof(m, b)
    if i < 0:
        i = j
    if j < 0:
        j = i
    if i < 0:
        return dot(along, along) * 0.0
    first = minimum(first_of_tree(m, i), first_of_tree(m, j))
    last = maximum(end_of_tree(m, i), end_of_tree(m, j))
    clear_forces(m, d, first, last)
    none = vec3(0.0, 0.0, 0.0)
    apply_force(m, d, d.unit_force, -along, none, start, a)
    apply_force(m, d, d.unit_force, along, none, end, b)
    return respond(m, d, first, last)
