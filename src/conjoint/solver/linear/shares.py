"""Shares of the work of Newton's method with compressed rows: parts of the scene, together with the rows on them.

A part is what rows and trees couple (`linear.fill`). Parts go to shares in their order, so that each share has about as
much work; which parts it has depends on the problem alone, not on threads. Blocks of dofs are listed share by share,
and so are rows, neighbours staying together: share s has the places from `share_row[s]` on among the solver's rows.
Sums over dofs are taken by share, then over shares.
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
        d.share_run[s] = d.share_adr[s]
    for b in range(m.nblock):
        s = d.part_work[d.block_root[b]]
        d.share_block[d.share_run[s]] = b
        d.share_run[s] = d.share_run[s] + 1


@kernel(per_world=True)
def arrange(m, d, n):
    """All of the n rows are live: list them share by share, in their order so far."""
    if d.nsolver_share == 1:
        for r in range(n):
            d.live_row[r] = r
        d.share_row[0] = 0
        d.share_row[1] = n
    else:
        list_parts(m, d, n)
        list_rows(d, n)


@kernel(per_world=True)
def list_runs(d, s):
    """live_first, live_end, share_run: runs of neighbours among the blocks of share s that have not settled."""
    run = d.share_adr[s]
    last = -1
    for k in range(d.share_adr[s], d.share_adr[s + 1]):
        b = d.share_block[k]
        if not d.part_settled[b]:
            if b != last:
                d.live_first[run] = b
                run += 1
            last = b + 1
            d.live_end[run - 1] = last
    d.share_run[s] = run - d.share_adr[s]


@kernel(per_world=True)
def list_parts(m, d, n):
    """row_part, of all of the n rows; neighbours with the same columns are on the same part."""
    part = 0
    r = 0
    while r < n:
        end = end_of_alike(d, r, n)
        if d.efc_J_rownnz[r] > 0:
            part = d.block_root[m.dof_block[d.efc_J_colind[d.efc_J_rowadr[r]]]]
        for k in range(r, end):
            d.row_part[k] = part
        r = end


@kernel(per_world=True)
def end_of_alike(d, r, n):
    """The row behind row r and those after it that have the same columns, of n rows."""
    return minimum(r + d.efc_J_rowsuper[r] + 1, n)


@kernel(per_world=True)
def list_rows(d, n):
    """share_row, live_row: rows share by share, those of a share in their order."""
    for s in range(d.nsolver_share + 1):
        d.share_row[s] = 0
    r = 0
    while r < n:
        end = end_of_alike(d, r, n)
        s = d.part_work[d.row_part[r]]
        d.share_row[s + 1] = d.share_row[s + 1] + (end - r)
        r = end
    for s in range(d.nsolver_share):
        d.share_row[s + 1] = d.share_row[s + 1] + d.share_row[s]
    r = 0
    while r < n:
        end = end_of_alike(d, r, n)
        s = d.part_work[d.row_part[r]]
        place = d.share_row[s] - r
        for k in range(r, end):
            d.live_row[place + k] = k
        d.share_row[s] = place + end
        r = end
    # each now has the first place of the next one
    for s in range(d.nsolver_share, 0, -1):
        d.share_row[s] = d.share_row[s - 1]
    d.share_row[0] = 0
