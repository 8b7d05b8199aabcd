"""Block sparsity of the Hessian of compressed rows and of its factor, computed once per solution.

Dofs are in blocks of at most eight neighbors of one tree (`runtime.blocks`). Elimination runs from the last block to
the first, without fill-in within a tree. When a block is eliminated, the earlier blocks that it couples with become
coupled with each other. The blocks that a block couples with follow from three sources: M, the rows whose last block it
is, and the blocks whose parent it is. The parent of a block is the largest earlier block that it couples with (the
elimination tree: Davis, Direct Methods for Sparse Linear Systems, 2006, ch. 4). Trees on which no row acts have no
blocks: their Hessian is M.
"""

from conjoint.lang import kernel
from conjoint.physics.arrays.sorting import sort_numbers
from conjoint.physics.status import FILL_FULL


@kernel
def find_sparsity(m, d):
    """Find the blocks of the Hessian and its factor, and store them in `fill` (mj_fwdConstraint)."""
    for b in range(m.nblock):
        d.coupling.used[b] = 0
        d.coupling.row[b] = -1
        d.coupling.child[b] = -1
        d.coupling.mark[b] = -1
    sort_rows(m, d)
    n = 0
    for b in range(m.nblock - 1, -1, -1):
        if d.coupling.used[m.block_tree[b]]:
            d.fill.adr[b] = n
            n = couple(m, d, b, n)
        else:
            d.fill.adr[b] = n
            d.fill.num[b] = 0
            d.coupling.parent[b] = -1
    for b in range(m.nblock):
        d.fill.root[b] = m.block_tree[b]
        if d.fill.num[b] > 0:
            d.fill.root[b] = b
        if d.coupling.parent[b] >= 0:
            d.fill.root[b] = d.fill.root[d.coupling.parent[b]]
    d.nfill_needed = n
    if n > d.nfill_capacity:
        return FILL_FULL
    return 0


@kernel
def sort_rows(m, d):
    """List the rows by their last block, and mark the trees on which rows act.

    Only the first of several adjacent rows with the same columns is listed.
    """
    for r in range(d.nefc):
        if d.efc_J_rowsuper[r] == 0 and d.efc_J_rownnz[r] > 0:
            a = d.efc_J_rowadr[r]
            for k in range(a, a + d.efc_J_rownnz[r]):
                d.coupling.used[m.block_tree[m.dof_block[d.efc_J_colind[k]]]] = 1
            last = m.dof_block[d.efc_J_colind[a + d.efc_J_rownnz[r] - 1]]
            d.coupling.next[r] = d.coupling.row[last]
            d.coupling.row[last] = r


@kernel
def couple(m, d, b, n):
    """List the blocks with which block b couples in `fill.block`, starting at index n; return the first free index."""
    end = n
    # couple with ancestors in the same tree
    for i in range(m.block_dof[b], m.block_dof[b + 1]):
        for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
            end = add_block(d, b, m.dof_block[m.M_colind[a]], end)
    # couple by rows
    r = d.coupling.row[b]
    while r >= 0:
        for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
            end = add_block(d, b, m.dof_block[d.efc_J_colind[a]], end)
        r = d.coupling.next[r]
    # couple by blocks that were eliminated before
    child = d.coupling.child[b]
    while child >= 0:
        for p in range(d.fill.adr[child], d.fill.adr[child] + d.fill.num[child] - 1):
            if p < d.nfill_capacity:
                end = add_block(d, b, d.fill.block[p], end)
        child = d.coupling.sibling[child]
    d.fill.num[b] = end - n
    parent = -1
    if end <= d.nfill_capacity:
        sort_numbers(m, d, d.fill.block, n, end)
        if end - n > 1:
            parent = d.fill.block[end - 2]
            d.coupling.sibling[b] = d.coupling.child[parent]
            d.coupling.child[parent] = b
    d.coupling.parent[b] = parent
    return end


@kernel
def add_block(d, b, other, end):
    """List `other` at index `end` among the blocks with which block b couples, unless it is listed already.

    Returns:
        The first free index.
    """
    if d.coupling.mark[other] == b:
        return end
    d.coupling.mark[other] = b
    if end < d.nfill_capacity:
        d.fill.block[end] = other
    return end + 1
