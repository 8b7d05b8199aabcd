"""Sparsity of a model: the columns of each row of the sparse matrices over dofs.

Columns are in ascending order. `M` is the lower triangle without the zeros of simple dofs, and `D` has both triangles.
Row b of `B` has the dofs that move body b or a descendant of it. The descendants of a dof directly follow it.
"""

from conjoint.lang import kernel, maximum
from conjoint.physics.flex.edges import dofs_of_edge
from conjoint.physics.motion.chains import chain_length, depth_of, last_dof, next_of_two
from conjoint.schema.enums import mjtJoint, mjtTrn, mjtWrap


@kernel(writes_model=True)
def find_structure(m):
    """Write all sparsity rows of the model to uninitialized memory.

    Returns:
        total number of moment arms; those that do not fit are not written.
    """
    for b in range(m.nbody):
        if m.body_mocapid[b] >= 0:
            m.mocap_bodyid[m.body_mocapid[b]] = b
    rows_of_M(m)
    rows_of_D(m)
    rows_of_B(m)
    for t in range(m.ntendon):
        row_of_tendon(m, t)
    a = 0
    for u in range(m.nactuator):
        for k in range(m.actuator_outnum[u]):
            o = m.actuator_outadr[u] + k
            m.moment_rowadr[o] = a
            m.moment_rownnz[o] = row_of_actuator(m, u, k, a)
            a += m.moment_rownnz[o]
    for f in range(m.nflex):
        # vertices of trilinear flexes do not belong to bodies
        if m.flex_interp[f] == 0:
            count_dofs_of_edges(m, f)
    return a


@kernel(writes_model=True)
def rows_of_M(m):
    """Set M_* and mapM2M: a row has the ancestors of a dof, then the dof; for a simple dof, it has only the dof."""
    a = 0
    for i in range(m.nv):
        count = 1
        if m.dof_simplenum[i] == 0:
            count = depth_of(m, i)
        m.M_rownnz[i] = count
        m.M_rowadr[i] = a
        j = i
        for k in range(count):
            m.M_colind[a + count - 1 - k] = j
            m.mapM2M[a + count - 1 - k] = m.dof_Madr[i] + k
            if k > 0:
                m.M_colnnz[j] = m.M_colnnz[j] + 1
            j = m.dof_parentid[j]
        a += count


@kernel(writes_model=True)
def rows_of_D(m):
    """Set D_*, mapM2D and mapD2M: a row has the ancestors of a dof, the dof itself, and its descendants."""
    a = 0
    for i in range(m.nv):
        above = depth_of(m, i)
        below = below_dof(m, i)
        m.D_rownnz[i] = above + below
        m.D_rowadr[i] = a
        m.D_diag[i] = above - 1
        j = i
        for k in range(above):
            place = a + above - 1 - k
            m.D_colind[place] = j
            m.mapM2D[place] = m.dof_Madr[i] + k
            m.mapD2M[m.dof_Madr[i] + k] = place
            j = m.dof_parentid[j]
        for k in range(below):
            j = i + 1 + k
            m.D_colind[a + above + k] = j
            m.mapM2D[a + above + k] = m.dof_Madr[j] + depth_of(m, j) - above
        a += above + below


@kernel
def below_dof(m, i):
    """Return the number of descendants of dof i; they follow i, up to the first dof whose parent precedes i."""
    for k in range(i + 1, m.nv):
        if m.dof_parentid[k] < i:
            return k - i - 1
    return m.nv - i - 1


@kernel(writes_model=True)
def rows_of_B(m):
    """Set B_*: a row has the dofs that move a body, then the dofs of all its descendants."""
    a = 0
    for b in range(m.nbody):
        m.B_rowadr[b] = a
        above = depth_of(m, last_dof(m, b))
        j = last_dof(m, b)
        for k in range(above):
            m.B_colind[a + above - 1 - k] = j
            j = m.dof_parentid[j]
        a += above
        for c in range(b + 1, end_of_subtree(m, b)):
            for k in range(m.body_dofnum[c]):
                m.B_colind[a] = m.body_dofadr[c] + k
                a += 1
        m.B_rownnz[b] = a - m.B_rowadr[b]


@kernel
def end_of_subtree(m, b):
    """Return the index after the last descendant of body b; descendants directly follow b."""
    for c in range(b + 1, m.nbody):
        if m.body_parentid[c] < b:
            return c
    return m.nbody


@kernel
def is_round(m, w):
    """Return True if element w of a tendon path is a geom around which the tendon wraps."""
    return m.wrap_type[w] == mjtWrap.mjWRAP_SPHERE or m.wrap_type[w] == mjtWrap.mjWRAP_CYLINDER


@kernel
def body_of_place(m, w):
    """Return the body of element w of a tendon path, or -1 for a pulley."""
    if m.wrap_type[w] == mjtWrap.mjWRAP_SITE:
        return m.site_bodyid[m.wrap_objid[w]]
    if is_round(m, w):
        return m.geom_bodyid[m.wrap_objid[w]]
    return -1


@kernel(writes_model=True)
def row_of_tendon(m, t):
    """Set ten_J_rownnz and ten_J_colind of tendon t.

    The dofs are those of its joints, or those that move the ends of its segments. A segment between two points of one
    body has constant length.
    """
    first = m.tendon_adr[t]
    last = first + m.tendon_num[t] - 1
    for w in range(first, last + 1):
        if m.wrap_type[w] == mjtWrap.mjWRAP_JOINT:
            m.ten_J_colind[t, m.jnt_dofadr[m.wrap_objid[w]]] = 1
        elif w < last:
            a = body_of_place(m, w)
            b = body_of_place(m, w + 1)
            if a >= 0 and b >= 0 and a != b:
                mark_chain(m, t, a)
                mark_chain(m, t, b)
    # convert the marks to column indices
    count = 0
    for i in range(m.nv):
        marked = m.ten_J_colind[t, i]
        m.ten_J_colind[t, i] = 0
        if marked != 0:
            m.ten_J_colind[t, count] = i
            count += 1
    m.ten_J_rownnz[t] = count


@kernel(writes_model=True)
def mark_chain(m, t, body):
    """Mark the dofs that move a body in the column list of tendon t."""
    i = last_dof(m, body)
    while i >= 0:
        m.ten_J_colind[t, i] = 1
        i = m.dof_parentid[i]


@kernel(writes_model=True)
def row_of_actuator(m, u, output, a):
    """Write the dofs that an output of actuator u moves to moment_colind[a:], if they fit; return their number."""
    kind = m.actuator_trntype[u]
    target = m.actuator_trnid[u, 0]
    other = m.actuator_trnid[u, 1]
    count = 0
    if kind == mjtTrn.mjTRN_JOINT or kind == mjtTrn.mjTRN_JOINTINPARENT:
        count = dofs_of_joint(m, target)
        for k in range(room_for(m, a, count)):
            m.moment_colind[a + k] = m.jnt_dofadr[target] + k
    elif kind == mjtTrn.mjTRN_SO3 and other < 0:
        count = 1
        for k in range(room_for(m, a, count)):
            m.moment_colind[a + k] = m.jnt_dofadr[target] + output
    elif kind == mjtTrn.mjTRN_TENDON:
        count = m.ten_J_rownnz[target]
        for k in range(room_for(m, a, count)):
            m.moment_colind[a + k] = m.ten_J_colind[target, k]
    elif kind == mjtTrn.mjTRN_SITE or kind == mjtTrn.mjTRN_SLIDERCRANK or kind == mjtTrn.mjTRN_SO3:
        i = last_dof(m, m.site_bodyid[target])
        j = -1
        if other >= 0:
            j = last_dof(m, m.site_bodyid[other])
        count = dofs_between(m, i, j, a)
    elif kind == mjtTrn.mjTRN_BODY:
        # contacts may couple the body to any dof
        count = m.nv
        for k in range(room_for(m, a, count)):
            m.moment_colind[a + k] = k
    return count


@kernel
def room_for(m, a, count):
    """Return `count` if `count` moment arms fit into moment_colind[a:], else 0."""
    if a + count > m.nJmom:
        return 0
    return count


@kernel
def dofs_of_joint(m, j):
    """Return the number of dofs of joint j."""
    if m.jnt_type[j] == mjtJoint.mjJNT_FREE:
        return 6
    if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
        return 3
    return 1


@kernel(writes_model=True)
def dofs_between(m, i, j, a):
    """Write the ancestors of dofs i and j, including i and j but not common ancestors, to moment_colind[a:].

    Common ancestors do not change the distance. Return the number of dofs.
    """
    count = 0
    k = i
    n = j
    while k != n:
        count += 1
        k, n = next_of_two(m, k, n)
    place = a + room_for(m, a, count)
    while i != j and place > a:
        place -= 1
        m.moment_colind[place] = maximum(i, j)
        i, j = next_of_two(m, i, j)
    return count


@kernel(writes_model=True)
def count_dofs_of_edges(m, f):
    """Set flexedge_dofnum of the edges of flex f: the number of dofs that move at least one end of the edge."""
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        i, j = dofs_of_edge(m, f, e)
        m.flexedge_dofnum[e] = chain_length(m, i, j)


@kernel
def structure_sizes(m):
    """Return the sizes nM, nC, nD and nB of the kinematic tree; nM is -1 if `dof_Madr` does not match the tree."""
    nM = 0
    nC = 0
    nD = 0
    wrong = 0
    for i in range(m.nv):
        count = 0
        j = i
        while j >= 0:
            count += 1
            j = m.dof_parentid[j]
        if m.dof_Madr[i] != nM:
            wrong = 1
        nM += count
        nD += count + below_dof(m, i)
        if m.dof_simplenum[i] > 0:
            count = 1
        nC += count
    if wrong != 0:
        nM = -1
    nB = 0
    for b in range(m.nbody):
        nB += depth_of(m, last_dof(m, b))
        for c in range(b + 1, end_of_subtree(m, b)):
            nB += m.body_dofnum[c]
    return nM, nC, nD, nB
