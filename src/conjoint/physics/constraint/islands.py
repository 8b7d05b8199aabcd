"""Constraint islands: kinematic trees that constraints couple, with the rows and dofs of each (mj_island).

Trees are merged constraint by constraint into disjoint sets, whose leader is their first tree. Islands are numbered in
the order of their leaders. Dofs and rows keep their order within an island; dofs outside all islands come last. The
elements of M, of its factor and of the rows that belong to an island are copied, with columns counted from the island's
first dof.
"""

from conjoint.lang import kernel
from conjoint.physics.constraint.jacobian import column_of, first_element, row_length
from conjoint.physics.motion.chains import last_dof
from conjoint.schema.enums import mjtConstraint

FRICTION_DOF = int(mjtConstraint.mjCNSTR_FRICTION_DOF)
LIMIT_JOINT = int(mjtConstraint.mjCNSTR_LIMIT_JOINT)
CONTACTS = int(mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
"""First row type for contacts; the types for contacts are the last types in `mjtConstraint`."""


@kernel(one_by_one="worlds together run at 0.60 (humanoid), 0.74 (quadruped), 0.96 (pile) of the speed")
def find_islands(m, d, J):
    """Find the islands: nisland, nidof, island_*, map_*, and the elements of M and of the rows of each island."""
    for t in range(m.ntree):
        d.island.leader[t] = -1
    r = 0
    while r < d.nefc:
        end = end_of_constraint(d, r)
        tree = join_trees_of_rows(m, d, J, r, end)
        if tree < 0:
            # a constraint that acts on no tree must still belong to an island
            tree = join(d, -1, 0)
        for row in range(r, end):
            d.efc_island[row] = tree
        r = end
    number_islands(m, d)
    if d.nisland > 0:
        place_dofs(m, d)
        place_rows(m, d)
        gather_inertia(m, d)
        gather_rows(m, d)
        if J.compressed:
            pack_rows(m, d)
            place_blocks(m, d)
        else:
            gather_matrices(m, d)


@kernel
def end_of_constraint(d, r):
    """Return the first row of the next constraint; all rows of a constraint have the same type and id."""
    end = r + 1
    while end < d.nefc and d.efc_type[end] == d.efc_type[r] and d.efc_id[end] == d.efc_id[r]:
        end += 1
    return end


@kernel
def join_trees_of_rows(m, d, J, r, end):
    """Merge the sets of all trees on which the constraint with rows [r, end) acts; return one of the trees, or -1."""
    kind = d.efc_type[r]
    if kind == FRICTION_DOF:
        return join(d, -1, m.dof_treeid[d.efc_id[r]])
    if kind == LIMIT_JOINT:
        return join(d, -1, m.dof_treeid[m.jnt_dofadr[d.efc_id[r]]])
    if kind >= CONTACTS and d.contact_geom[d.efc_id[r], 0] >= 0 and d.contact_geom[d.efc_id[r], 1] >= 0:
        tree = join(d, -1, tree_of_geom(m, d.contact_geom[d.efc_id[r], 0]))
        return join(d, tree, tree_of_geom(m, d.contact_geom[d.efc_id[r], 1]))
    tree = -1
    for row in range(r, end):
        first = first_element(m, d, J, row)
        for k in range(row_length(m, d, J, row)):
            if d.efc_J[first + k] != 0.0:
                tree = join(d, tree, m.dof_treeid[column_of(m, d, J, row, k)])
    return tree


@kernel
def tree_of_geom(m, g):
    """Return the tree of geom g, or -1 if it belongs to no tree."""
    i = last_dof(m, m.geom_bodyid[g])
    if i < 0:
        return -1
    return m.dof_treeid[i]


@kernel
def leader_of(d, t):
    """Return the leader of the set that contains tree t."""
    while d.island.leader[t] != t:
        t = d.island.leader[t]
    return t


@kernel
def join(d, a, b):
    """Merge the sets of trees a and b, each -1 for no tree; return the leader of the merged set, or -1."""
    if b < 0:
        return a
    if d.island.leader[b] < 0:
        d.island.leader[b] = b
    second = leader_of(d, b)
    # shorten the path for the next search
    d.island.leader[b] = second
    if a < 0:
        return second
    first = leader_of(d, a)
    if second < first:
        d.island.leader[first] = second
        return second
    d.island.leader[second] = first
    return first


@kernel
def number_islands(m, d):
    """Number the islands: set nisland, tree_island and dof_island."""
    d.nisland = 0
    for t in range(m.ntree):
        island = -1
        if d.island.leader[t] == t:
            island = d.nisland
            d.nisland = d.nisland + 1
        elif d.island.leader[t] >= 0:
            island = d.tree_island[leader_of(d, t)]
        d.tree_island[t] = island
    for i in range(m.nv):
        d.dof_island[i] = d.tree_island[m.dof_treeid[i]]


@kernel
def place_dofs(m, d):
    """Order dofs by island: set nidof, island_nv, island_idofadr, island_dofadr, map_dof2idof and map_idof2dof."""
    for k in range(d.nisland):
        d.island_nv[k] = 0
    for i in range(m.nv):
        k = d.dof_island[i]
        if k >= 0:
            if d.island_nv[k] == 0:
                d.island_dofadr[k] = i
            d.map_dof2idof[i] = d.island_nv[k]
            d.island_nv[k] = d.island_nv[k] + 1
    d.nidof = 0
    for k in range(d.nisland):
        d.island_idofadr[k] = d.nidof
        d.nidof = d.nidof + d.island_nv[k]
    free = d.nidof
    for i in range(m.nv):
        k = d.dof_island[i]
        if k >= 0:
            d.map_dof2idof[i] = d.island_idofadr[k] + d.map_dof2idof[i]
        else:
            d.map_dof2idof[i] = free
            free += 1
        d.map_idof2dof[d.map_dof2idof[i]] = i


@kernel
def place_rows(m, d):
    """Order constraint rows by island.

    Set efc_island, island_ne, island_nf, island_nefc, island_iefcadr, map_efc2iefc and map_iefc2efc.
    """
    for k in range(d.nisland):
        d.island_ne[k] = 0
        d.island_nf[k] = 0
        d.island_nefc[k] = 0
    for r in range(d.nefc):
        # efc_island is still the tree of the row's constraint
        k = d.tree_island[d.efc_island[r]]
        d.efc_island[r] = k
        d.map_efc2iefc[r] = d.island_nefc[k]
        d.island_nefc[k] = d.island_nefc[k] + 1
        if r < d.ne:
            d.island_ne[k] = d.island_ne[k] + 1
        elif r < d.ne + d.nf:
            d.island_nf[k] = d.island_nf[k] + 1
    first = 0
    for k in range(d.nisland):
        d.island_iefcadr[k] = first
        d.island.Jadr[k] = first * d.nidof
        first += d.island_nefc[k]
    for r in range(d.nefc):
        place = d.island_iefcadr[d.efc_island[r]] + d.map_efc2iefc[r]
        d.map_efc2iefc[r] = place
        d.map_iefc2efc[place] = r


@kernel
def gather_inertia(m, d):
    """Set iM, its sparsity, iLD and iLDiagInv, whose rows equal those of M, because islands contain whole trees."""
    for k in range(d.nisland):
        d.island.meaninertia[k] = 0.0
    address = 0
    for place in range(d.nidof):
        i = d.map_idof2dof[place]
        k = d.dof_island[i]
        first = d.island_idofadr[k]
        row = m.M_rowadr[i]
        d.iM_rownnz[place] = m.M_rownnz[i]
        d.island.M_colnnz[place] = m.M_colnnz[i]
        d.iM_rowadr[place] = address
        d.iLDiagInv[place] = d.qLDiagInv[i]
        for a in range(m.M_rownnz[i]):
            d.iM_colind[address + a] = d.map_dof2idof[m.M_colind[row + a]] - first
            d.iM[address + a] = d.M[row + a]
            d.iLD[address + a] = d.qLD[row + a]
        address += m.M_rownnz[i]
        # the diagonal is the last element of its row
        d.island.meaninertia[k] = d.island.meaninertia[k] + d.iM[address - 1] / d.island_nv[k]


@kernel
def gather_rows(m, d):
    """Copy the fields of constraint rows, except their Jacobian, in the order of islands."""
    for place in range(d.nefc):
        r = d.map_iefc2efc[place]
        d.iefc_type[place] = d.efc_type[r]
        d.iefc_id[place] = d.efc_id[r]
        d.iefc_frictionloss[place] = d.efc_frictionloss[r]
        d.iefc_D[place] = d.efc_D[r]
        d.iefc_R[place] = d.efc_R[r]
        d.island.cone_scale[place] = d.cone_scale[r]


@kernel
def gather_matrices(m, d):
    """Compute iefc_J, which has a dense matrix for each island."""
    for place in range(d.nefc):
        r = d.map_iefc2efc[place]
        k = d.efc_island[r]
        row = d.island.Jadr[k] + (place - d.island_iefcadr[k]) * d.island_nv[k]
        for i in range(d.island_nv[k]):
            d.iefc_J[row + i] = d.efc_J[r, d.map_idof2dof[d.island_idofadr[k] + i]]


@kernel
def pack_rows(m, d):
    """Compute compressed rows without gaps in the order of islands: iefc_J and its sparsity (iefc_J_*).

    Columns outside the island of a row belong to a tree on which the row does not act now. They are skipped, because
    their elements are zero.
    """
    address = 0
    for place in range(d.nefc):
        r = d.map_iefc2efc[place]
        island = d.efc_island[r]
        first = d.island_idofadr[island]
        d.iefc_J_rowadr[place] = address
        for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
            i = d.efc_J_colind[a]
            if d.dof_island[i] == island:
                d.iefc_J_colind[address] = d.map_dof2idof[i] - first
                d.iefc_J[address] = d.efc_J[a]
                address += 1
        d.iefc_J_rownnz[place] = address - d.iefc_J_rowadr[place]
    for place in range(d.nefc - 1, -1, -1):
        r = d.map_iefc2efc[place]
        d.iefc_J_rowsuper[place] = 0
        # consecutive rows with the same columns are also consecutive in their island
        if d.efc_J_rowsuper[r] > 0 and d.map_efc2iefc[r + 1] == place + 1:
            d.iefc_J_rowsuper[place] = d.iefc_J_rowsuper[place + 1] + 1


@kernel
def place_blocks(m, d):
    """Compute the blocks of dofs of each island, each of which belongs to one tree.

    Set `island.nblock`, `blockadr`, `block_dof`, `block_tree` and `dof_block`.
    """
    for k in range(d.nisland):
        d.island.nblock[k] = 0
    for b in range(m.nblock):
        k = d.dof_island[m.block_dof[b]]
        if k >= 0:
            d.island.block_place[b] = d.island.nblock[k]
            d.island.nblock[k] = d.island.nblock[k] + 1
    address = 0
    for k in range(d.nisland):
        d.island.blockadr[k] = address
        address += d.island.nblock[k]
        d.island.block_dof[address] = d.island_nv[k]
        address += 1
    for b in range(m.nblock):
        i = m.block_dof[b]
        k = d.dof_island[i]
        if k >= 0:
            a = d.island.blockadr[k] + d.island.block_place[b]
            d.island.block_dof[a] = d.map_dof2idof[i] - d.island_idofadr[k]
            d.island.block_tree[a] = d.island.block_place[m.block_tree[b]]
    for place in range(d.nidof):
        d.island.dof_block[place] = d.island.block_place[m.dof_block[d.map_idof2dof[place]]]
