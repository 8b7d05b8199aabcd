"""The Hessian M + J' D J of compressed rows and its factor H = L' D^-1 L, in the blocks that `fill` lists.

A block is eight by eight numbers, row by row; the diagonal blocks hold their lower triangle. Blocks that couple make a
connected part of the elimination tree; only parts whose rows changed are factorized again.
"""

from conjoint.lang import kernel, maximum, multiply_add, put, tile, total
from conjoint.physics.inertia import solve_LTDL_between
from conjoint.solver.linear.dense import MINIMUM_PIVOT, add_row, add_rows, add_rows_twice

BLOCK = 8
NUMBERS = 64
"""Numbers of a block."""


@kernel(per_world=True)
def size_of(m, b):
    """Dofs of block b."""
    return m.block_dof[b + 1] - m.block_dof[b]


@kernel(per_world=True)
def begin_blocks(m, d):
    """fill_H := M; no factor is up to date."""
    for k in range(0, NUMBERS * d.nfill_needed, BLOCK):
        put(d.fill_H, k, tile(0.0))
    for k in range(BLOCK * m.nblock):
        d.block_value[k] = 0.0
    for b in range(m.nblock):
        d.block_stale[b] = 1
        if d.fill_num[b] > 0:
            for i in range(m.block_dof[b], m.block_dof[b + 1]):
                load_row_of_M(m, d, b, i)


@kernel(per_world=True)
def load_row_of_M(m, d, b, i):
    """Row i of M, a dof of block b, into fill_H."""
    p = d.fill_adr[b]
    row = BLOCK * (i - m.block_dof[b])
    for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
        j = m.M_colind[a]
        column = m.dof_block[j]
        while d.fill_block[p] != column:
            p += 1
        d.fill_H[NUMBERS * p + row + j - m.block_dof[column]] = d.M[a]


@kernel(per_world=True)
def spread_row(m, d, r, weight):
    """Add weight times row r to `block_value`, and list its blocks in `block_list`; returns their number."""
    count = 0
    last = -1
    for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
        i = d.efc_J_colind[a]
        b = m.dof_block[i]
        if b != last:
            d.block_list[count] = b
            count += 1
            last = b
        k = BLOCK * b + i - m.block_dof[b]
        d.block_value[k] = d.block_value[k] + weight * d.efc_J[a]
    return count


@kernel(per_world=True)
def clear_values(d, count):
    """block_value := 0 in the listed blocks."""
    for p in range(count):
        put(d.block_value, BLOCK * d.block_list[p], tile(0.0))


@kernel(per_world=True)
def add_product(m, d, count, weight):
    """fill_H += weight * outer product of `block_value` in the listed blocks."""
    for p in range(count):
        row = d.block_list[p]
        d.block_stale[d.block_root[row]] = 1
        place = d.fill_adr[row]
        for q in range(p + 1):
            column = d.block_list[q]
            while d.fill_block[place] != column:
                place += 1
            x = tile(d.block_value, BLOCK * column)
            for s in range(size_of(m, row)):
                share = weight * d.block_value[BLOCK * row + s]
                if share != 0.0:
                    at = NUMBERS * place + BLOCK * s
                    put(d.fill_H, at, multiply_add(share, x, tile(d.fill_H, at)))


@kernel(per_world=True)
def factorize_blocks(m, d):
    """Factorize fill_H into fill_L and block_pivot where it changed."""
    for b in range(m.nblock):
        if d.block_stale[d.block_root[b]]:
            for k in range(NUMBERS * d.fill_adr[b], NUMBERS * (d.fill_adr[b] + d.fill_num[b]), BLOCK):
                put(d.fill_L, k, tile(d.fill_H, k))
    for b in range(m.nblock - 1, -1, -1):
        if d.fill_num[b] > 0 and d.block_stale[d.block_root[b]]:
            eliminate(m, d, b)
    for b in range(m.nblock):
        d.block_stale[b] = 0


@kernel(per_world=True)
def eliminate(m, d, b):
    """Eliminate the rows of block b among themselves, then from the rows of the blocks that it couples with."""
    first = d.fill_adr[b]
    diagonal = first + d.fill_num[b] - 1
    for s in range(size_of(m, b) - 1, -1, -1):
        o = NUMBERS * diagonal + BLOCK * s
        pivot = -1.0 / maximum(d.fill_L[o + s], MINIMUM_PIVOT)
        d.block_pivot[BLOCK * b + s] = pivot
        for t in range(s):
            weight = d.fill_L[o + t] * pivot
            for p in range(first, diagonal + 1):
                add_row(weight, d.fill_L, NUMBERS * p + BLOCK * s, NUMBERS * p + BLOCK * t)
    for p in range(first, diagonal):
        for s in range(size_of(m, b)):
            k = BLOCK * s
            put(d.block_scaled, k, tile(d.fill_L, NUMBERS * p + k) * d.block_pivot[BLOCK * b + s])
        row = d.fill_block[p]
        target = d.fill_adr[row]
        for q in range(first, p + 1):
            while d.fill_block[target] != d.fill_block[q]:
                target += 1
            subtract_block(d, size_of(m, b), size_of(m, row), NUMBERS * q, NUMBERS * target)


@kernel(per_world=True)
def subtract_block(d, count, rows, source, target):
    """Subtract the product of `block_scaled`, transposed, and a block of the factor from another one."""
    for t in range(0, rows - 1, 2):
        at = target + BLOCK * t
        add_rows_twice(count, d.block_scaled, t, BLOCK, d.fill_L, source, BLOCK, at, at + BLOCK)
    if rows % 2 == 1:
        t = rows - 1
        add_rows(count, d.block_scaled, t, BLOCK, d.fill_L, source, BLOCK, d.fill_L, target + BLOCK * t)


@kernel(per_world=True)
def substitute_blocks(m, d):
    """solver_search := minus `solver_grad` over the Hessian."""
    for i in range(m.nv):
        b = m.dof_block[i]
        d.solver_search[i] = -d.solver_grad[i]
        d.block_value[BLOCK * b + i - m.block_dof[b]] = -d.solver_grad[i]
    for b in range(m.nblock - 1, -1, -1):
        if d.fill_num[b] > 0:
            forward(m, d, b)
    b = 0
    while b < m.nblock:
        if d.fill_num[b] > 0:
            backward(m, d, b)
            b += 1
        else:
            # trees without rows, as many as follow each other
            end = b + 1
            while end < m.nblock and d.fill_num[end] == 0:
                end += 1
            solve_LTDL_between(m, d.qLD, d.qLDiagInv, d.solver_search, 0, m.block_dof[b], m.block_dof[end])
            b = end + 0
    for k in range(BLOCK * m.nblock):
        d.block_value[k] = 0.0


@kernel(per_world=True)
def forward(m, d, b):
    """Subtract what the right-hand sides of block b contribute to those of the blocks that it couples with."""
    first = d.fill_adr[b]
    diagonal = first + d.fill_num[b] - 1
    for s in range(size_of(m, b) - 1, -1, -1):
        weight = d.block_value[BLOCK * b + s] * d.block_pivot[BLOCK * b + s]
        o = NUMBERS * diagonal + BLOCK * s
        for t in range(s):
            k = BLOCK * b + t
            d.block_value[k] = d.block_value[k] + weight * d.fill_L[o + t]
        for p in range(first, diagonal):
            k = BLOCK * d.fill_block[p]
            put(d.block_value, k, multiply_add(weight, tile(d.fill_L, NUMBERS * p + BLOCK * s), tile(d.block_value, k)))


@kernel(per_world=True)
def backward(m, d, b):
    """Solution of block b from those of the blocks before it."""
    first = d.fill_adr[b]
    diagonal = first + d.fill_num[b] - 1
    for s in range(size_of(m, b)):
        sums = tile(0.0)
        for p in range(first, diagonal):
            known = tile(d.block_value, BLOCK * d.fill_block[p])
            sums = multiply_add(tile(d.fill_L, NUMBERS * p + BLOCK * s), known, sums)
        x = total(sums) - d.block_value[BLOCK * b + s]
        for t in range(s):
            x = x + d.fill_L[NUMBERS * diagonal + BLOCK * s + t] * d.block_value[BLOCK * b + t]
        x = x * d.block_pivot[BLOCK * b + s]
        d.block_value[BLOCK * b + s] = x
        d.solver_search[m.block_dof[b] + s] = x
