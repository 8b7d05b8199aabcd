"""Shares of the work of Newton's method with compressed rows: parts of the scene, together with the rows on them.

A part is what rows and trees couple (`linear.sparsity`). Parts go to shares in their order, so that each share has
about as much work; which parts it has depends on the problem alone, not on threads. Blocks of dofs are listed share by
share, and so are rows, neighbours staying together: share s has the places from `share_row[s]` on among the solver's
rows. Sums over dofs are taken by share, then over shares.
"""

from conjoint.lang import kernel, maximum, minimum

LEAST_WORK = 96
"""Blocks of dofs and of the Hessian in a share, at least: some microseconds of an iteration."""


@kernel(per_world=True)
def share_parts(m, d, most):
    """nsolver_share, share_adr, share_block: which blocks are in which share, of `most` shares at most."""
    whole = 0
    for b in range(m.nblock):
        d.part_work[b] = 0
    for b in range(m.nblock):
        work = 1 + d.fill_num[b]
        d.part_work[d.block_root[b]] = d.part_work[d.block_root[b]] + work
        whole += work
    shares = maximum(1, minimum(whole // LEAST_WORK, most))
    d.nsolver_share = shares
    for s in range(shares + 1):
        d.share_adr[s] = 0
    done = 0
    for b in range(m.nblock):
        root = d.block_root[b]
        if root == b:
            work = d.part_work[b]
            d.part_work[b] = done * shares // whole
            done += work
        s = d.part_work[root]
        d.share_adr[s + 1] = d.share_adr[s + 1] + 1
    for s in range(shares):
        d.share_adr[s + 1] = d.share_adr[s + 1] + d.share_adr[s]
    for b in range(m.nblock):
        s = d.part_work[d.block_root[b]]
        d.share_block[d.share_adr[s]] = b
        d.share_adr[s] = d.share_adr[s] + 1
    back_to_first(d.share_adr, shares)


@kernel(per_world=True)
def back_to_first(places, shares):
    """First place of each share, where so far the first of the next one is."""
    for s in range(shares, 0, -1):
        places[s] = places[s - 1]
    places[0] = 0


@kernel(per_world=True)
def arrange(m, d, n):
    """share_row, row_order: the n rows share by share, those of a share in their order."""
    shares = d.nsolver_share
    for s in range(shares + 1):
        d.share_row[s] = 0
    for r in range(n):
        s = share_of_row(m, d, r)
        d.share_row[s + 1] = d.share_row[s + 1] + 1
    for s in range(shares):
        d.share_row[s + 1] = d.share_row[s + 1] + d.share_row[s]
    for r in range(n):
        s = share_of_row(m, d, r)
        d.row_order[d.share_row[s]] = r
        d.share_row[s] = d.share_row[s] + 1
    back_to_first(d.share_row, shares)


@kernel(per_world=True)
def share_of_row(m, d, r):
    """The share of the part that row r is on; the first if it is on none."""
    if d.nsolver_share == 1 or d.efc_J_rownnz[r] == 0:
        return 0
    return d.part_work[d.block_root[m.dof_block[d.efc_J_colind[d.efc_J_rowadr[r]]]]]
