"""Edges of flexes: lengths, velocities, and the Jacobian of the lengths (mj_flex, mj_fwdVelocity).

A row of `flexedge_J` contains the ancestor dofs of the bodies at both ends, in ascending order. If rows are compressed,
they are stored one after another. An edge has no row if no spring, damper or constraint acts along it, or if its flex
is trilinear.
"""

from conjoint.lang import dot, kernel, maximum, norm, normalize3
from conjoint.physics.motion.chains import last_dof, next_of_two
from conjoint.physics.motion.support import is_sparse, tree_arm, velocity_of
from conjoint.physics.passive_flags import acts, has_dampers


@kernel
def flex_edges(m, d):
    """Compute flexedge_length and flexedge_J, including its index fields."""
    sparse = is_sparse(m)
    if not sparse:
        for a in range(m.nflexedge * m.nv):
            d.flexedge_J[a] = 0.0
    for f in range(m.nflex):
        for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
            d.flexedge_length[e] = 0.0
            if sparse:
                d.flexedge_J_rownnz[e] = m.flexedge_J_rownnz[e]
                d.flexedge_J_rowadr[e] = m.flexedge_J_rowadr[e]
            if m.flex_interp[f] == 0 and m.flex_rigid[f] == 0:
                v, w = ends_of_edge(m, f, e)
                d.flexedge_length[e] = norm(d.flexvert_xpos[w] - d.flexvert_xpos[v])
                if m.flexedge_J_rownnz[e] > 0:
                    edge_row(m, d, e, v, w, sparse)


@kernel
def ends_of_edge(m, f, e):
    """Return the two vertices of edge e of flex f, as indices among the vertices of all flexes."""
    return m.flex_vertadr[f] + m.flex_edge[e, 0], m.flex_vertadr[f] + m.flex_edge[e, 1]


@kernel
def dofs_of_edge(m, f, e):
    """Return the last dof that moves each end of edge e of flex f.

    The edge's row of `flexedge_J` contains these dofs and their ancestors.
    """
    v, w = ends_of_edge(m, f, e)
    return last_dof(m, m.flex_vertbodyid[v]), last_dof(m, m.flex_vertbodyid[w])


@kernel
def edge_row(m, d, e, v, w, sparse):
    """Compute row e of flexedge_J, for the edge between vertices v and w."""
    a = m.flex_vertbodyid[v]
    b = m.flex_vertbodyid[w]
    along = normalize3(d.flexvert_xpos[w] - d.flexvert_xpos[v])
    back = tree_arm(m, d, a, d.flexvert_xpos[v])
    ahead = tree_arm(m, d, b, d.flexvert_xpos[w])
    i = last_dof(m, a)
    j = last_dof(m, b)
    for place in range(m.flexedge_J_rownnz[e] - 1, -1, -1):
        k = maximum(i, j)
        rate = 0.0
        if j == k:
            rate = rate + dot(along, velocity_of(d.cdof[k], ahead))
        if i == k:
            rate = rate - dot(along, velocity_of(d.cdof[k], back))
        i, j = next_of_two(m, i, j)
        if sparse:
            d.flexedge_J_colind[m.flexedge_J_rowadr[e] + place] = k
            d.flexedge_J[m.flexedge_J_rowadr[e] + place] = rate
        else:
            d.flexedge_J[e, k] = rate


@kernel
def edge_velocity(m, d):
    """Compute flexedge_velocity = J qvel."""
    for f in range(m.nflex):
        for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
            total = 0.0
            # vertices of trilinear flexes have no bodies of their own
            if m.flexedge_J_rownnz[e] > 0:
                i, j = dofs_of_edge(m, f, e)
                for place in range(m.flexedge_J_rownnz[e] - 1, -1, -1):
                    k = maximum(i, j)
                    total = total + d.flexedge_J[edge_element(m, e, place, k)] * d.qvel[k]
                    i, j = next_of_two(m, i, j)
            d.flexedge_velocity[e] = total


@kernel
def edge_element(m, e, place, k):
    """Return the address in flexedge_J of the element of row e for dof k, which is element `place` of the row."""
    if is_sparse(m):
        return m.flexedge_J_rowadr[e] + place
    return e * m.nv + k


@kernel
def apply_edge_force(m, d, f, e, force, qfrc):
    """Add the generalized force of edge e of flex f, which pushes its ends apart with `force`, to `qfrc` (nv reals)."""
    i, j = dofs_of_edge(m, f, e)
    for place in range(m.flexedge_J_rownnz[e] - 1, -1, -1):
        k = maximum(i, j)
        qfrc[k] = qfrc[k] + d.flexedge_J[edge_element(m, e, place, k)] * force
        i, j = next_of_two(m, i, j)


@kernel
def edge_constraints(m, f):
    """Return the number of edges of flex f whose length is constrained by an equality."""
    count = 0
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if m.flexedge_J_rownnz[e] > 0 and m.flexedge_rigid[e] == 0:
            count += 1
    return count


@kernel
def edge_energy(m, d, f):
    """Return the potential energy of the springs along the edges of flex f."""
    total = 0.0
    if m.flex_rigid[f] == 0 and acts(m.flex_edgestiffness[f]):
        for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
            if m.flexedge_rigid[e] == 0:
                stretch = d.flexedge_length[e] - m.flexedge_length0[e]
                total = total + stretch * stretch
    return total * (0.5 * m.flex_edgestiffness[f])


@kernel
def edge_slopes(m, d):
    """Add the derivatives of edge damper forces to the elements of qDeriv (mj_implicit)."""
    if not has_dampers(m):
        return
    for f in range(m.nflex):
        if acts(m.flex_edgedamping[f]):
            for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
                if m.flexedge_J_rownnz[e] > 0 and m.flexedge_rigid[e] == 0:
                    spread_row(m, d, f, e)
                    i, j = dofs_of_edge(m, f, e)
                    add_square(m, d, f, i, j)


@kernel
def spread_row(m, d, f, e):
    """Write row e of flexedge_J, of flex f, to `moment_arms`, indexed by dof."""
    i, j = dofs_of_edge(m, f, e)
    for place in range(m.flexedge_J_rownnz[e] - 1, -1, -1):
        k = maximum(i, j)
        d.moment_arms[k] = d.flexedge_J[edge_element(m, e, place, k)]
        i, j = next_of_two(m, i, j)


@kernel
def add_square(m, d, f, i, j):
    """Add -damping times the outer product of `moment_arms` with itself to qDeriv, for the ancestor dofs of i and j."""
    while i >= 0 or j >= 0:
        k = maximum(i, j)
        force = d.moment_arms[k] * (-m.flex_edgedamping[f])
        # a dof is coupled to itself and to its ancestors, which precede it in its row of D
        n = k
        place = m.D_diag[k]
        while n >= 0:
            a = m.D_rowadr[k] + place
            d.qDeriv[a] = d.qDeriv[a] + force * d.moment_arms[n]
            if n != k:
                # in the row of an ancestor, its descendants follow the diagonal in order
                b = m.D_rowadr[n] + m.D_diag[n] + k - n
                d.qDeriv[b] = d.qDeriv[b] + force * d.moment_arms[n]
            n = m.dof_parentid[n]
            place -= 1
        i, j = next_of_two(m, i, j)
