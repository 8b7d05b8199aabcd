"""The Hessian M + J' D J of compressed rows and its factor, in the blocks that `sparsity` lists.

A block is eight by eight numbers, row by row, as many of them in use as it has dofs. The factor is that of blocks: with
H_bb of block b after all later ones are eliminated, its row of the factor holds inv(H_bb), and inv(H_bb) H_bp for the
blocks p that it couples with; so solutions are products, without a chain of divisions. Blocks that couple make a
connected part of the elimination tree; only parts whose rows changed are factorized again.
"""

from conjoint.lang import jam, kernel, maximum, put, tile, total, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.inertia_matrix.factors import pivot_of_M, solve_LTDL

NUMBERS = TILE * TILE
"""Numbers of a block."""

TOGETHER = 4
"""Rows that are added at once: those of a contact with one friction coefficient."""


@kernel
def size_of(m, b):
    """Dofs of block b."""
    return m.block_dof[b + 1] - m.block_dof[b]


@kernel
def begin_unit(d):
    """block_unit: the unit matrix."""
    for k in range(NUMBERS):
        d.block_unit[k] = 0.0
    for s in range(TILE):
        d.block_unit[(TILE + 1) * s] = 1.0


@kernel
def begin_blocks(m, d, s):
    """fill_H := M for the blocks of share s; no factor is up to date."""
    for k in range(d.share_adr[s], d.share_adr[s + 1]):
        b = d.share_block[k]
        d.block_stale[b] = 1
        for slot in range(TOGETHER):
            put(d.block_value, TILE * (slot * m.nblock + b), tile(0.0))
        if d.fill_num[b] > 0:
            for a in range(NUMBERS * d.fill_adr[b], NUMBERS * (d.fill_adr[b] + d.fill_num[b]), TILE):
                put(d.fill_H, a, tile(0.0))
            for i in range(m.block_dof[b], m.block_dof[b + 1]):
                load_row_of_M(m, d, b, i)


@kernel
def load_row_of_M(m, d, b, i):
    """Row i of M, a dof of block b, into fill_H."""
    p = d.fill_adr[b]
    row = TILE * (i - m.block_dof[b])
    for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
        j = m.M_colind[a]
        column = m.dof_block[j]
        while d.fill_block[p] != column:
            p += 1
        place = j - m.block_dof[column]
        d.fill_H[NUMBERS * p + row + place] = d.M[a]
        if column == b:
            d.fill_H[NUMBERS * p + TILE * place + i - m.block_dof[b]] = d.M[a]


@kernel
def spread_row(m, d, s, r, weight, slot):
    """Add weight times row r of share s to `block_value[slot]`, and list its blocks in `block_list`."""
    count = d.share_adr[s]
    last = -1
    first = TILE * m.nblock * slot
    for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
        i = d.efc_J_colind[a]
        b = m.dof_block[i]
        if b != last:
            d.block_list[count] = b
            count += 1
            last = b
        k = first + TILE * b + i - m.block_dof[b]
        d.block_value[k] = d.block_value[k] + weight * d.efc_J[a]


@kernel
def add_products(m, d, s, r, slots):
    """fill_H += `block_weight` * outer product of `block_value`, slot by slot, in the columns of row r; clears them.

    The row is one of share s.
    """
    stride = TILE * m.nblock
    begin = d.share_adr[s]
    count = 0
    last = -1
    for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
        i = d.efc_J_colind[a]
        row = m.dof_block[i]
        if row != last:
            last = row
            count += 1
            place_products(d, row, begin, count)
        element = TILE * row + i - m.block_dof[row]
        for q in range(count):
            at = NUMBERS * d.fill_place[begin + q] + TILE * (i - m.block_dof[row])
            sums = tile(d.fill_H, at)
            for k in range(slots):
                share = d.block_weight[s, k] * d.block_value[k * stride + element]
                sums += share * tile(d.block_value, k * stride + TILE * d.block_list[begin + q])
            put(d.fill_H, at, sums)
    for p in range(count):
        for k in range(slots):
            put(d.block_value, k * stride + TILE * d.block_list[begin + p], tile(0.0))


@kernel
def place_products(d, row, begin, count):
    """fill_place := where a row of blocks, which is out of date, has `count` blocks of `block_list` from `begin` on."""
    d.block_stale[d.block_root[row]] = 1
    place = d.fill_adr[row]
    for q in range(begin, begin + count):
        while d.fill_block[place] != d.block_list[q]:
            place += 1
        d.fill_place[q] = place


@kernel
def add_changes(m, d, s):
    """Add to fill_H the rows of share s whose stiffness changed, neighbours with the same columns together."""
    k = d.share_row[s]
    while k < d.share_row[s + 1]:
        # places k .. end - 1 have rows with the same columns
        end = k + d.efc_J_rowsuper[d.row_order[k]] + 1
        slots = 0
        while k < end:
            r = d.row_order[k]
            change = d.solver_active_D[k] - d.solver_mask[r]
            if change != 0.0:
                d.solver_mask[r] = d.solver_active_D[k]
                d.block_weight[s, slots] = change
                spread_row(m, d, s, r, 1.0, slots)
                slots += 1
            k += 1
            if slots == TOGETHER or (k == end and slots > 0):
                add_products(m, d, s, r, slots)
                slots = 0


@kernel
def factorize_blocks(m, d, s):
    """Factorize fill_H into fill_L where it changed in share s."""
    first = d.share_adr[s]
    end = d.share_adr[s + 1]
    for k in range(end - 1, first - 1, -1):
        b = d.share_block[k]
        if d.block_stale[d.block_root[b]]:
            for a in range(NUMBERS * d.fill_adr[b], NUMBERS * (d.fill_adr[b] + d.fill_num[b]), TILE):
                put(d.fill_L, a, tile(d.fill_H, a))
    for k in range(end - 1, first - 1, -1):
        b = d.share_block[k]
        if d.fill_num[b] > 0 and d.block_stale[d.block_root[b]]:
            eliminate(m, d, s, b)
    for k in range(first, end):
        d.block_stale[d.share_block[k]] = 0


@kernel
def eliminate(m, d, share, b):
    """Eliminate block b of a share from the rows of the blocks that it couples with."""
    scaled = NUMBERS * share
    first = d.fill_adr[b]
    diagonal = first + d.fill_num[b] - 1
    size = size_of(m, b)
    invert(m, d, NUMBERS * diagonal, b)
    # from the last one on: what those before need of this row is still as it was
    for p in range(diagonal - 1, first - 1, -1):
        for s in jam(range(size)):
            sums = tile(0.0)
            for t in range(size):
                inverse = d.fill_L[NUMBERS * diagonal + TILE * s + t]
                sums += inverse * tile(d.fill_L, NUMBERS * p + TILE * t)
            put(d.block_scaled, scaled + TILE * s, -sums)
        row = d.fill_block[p]
        target = d.fill_adr[row]
        for q in range(first, p + 1):
            while d.fill_block[target] != d.fill_block[q]:
                target += 1
            subtract_block(d, scaled, size, size_of(m, row), NUMBERS * q, NUMBERS * target)
        for s in range(size):
            put(d.fill_L, NUMBERS * p + TILE * s, tile(d.block_scaled, scaled + TILE * s))


@kernel
def invert(m, d, at, b):
    """Invert the symmetric positive definite block b on the diagonal of the factor, at `at`, in place.

    By Gauss-Jordan elimination from the last dof to the first, the order in which M is eliminated: J' D J adds to its
    pivots, so that what is less is rounding.
    """
    size = size_of(m, b)
    for s in range(size - 1, -1, -1):
        o = at + TILE * s
        unit = tile(d.block_unit, TILE * s) != 0.0
        pivot = 1.0 / maximum(d.fill_L[o + s], pivot_of_M(m, d, m.block_dof[b] + s))
        scaled = where(unit, tile(1.0), tile(d.fill_L, o)) * pivot
        for t in range(size):
            k = at + TILE * t
            if t != s:
                share = -d.fill_L[k + s]
                put(d.fill_L, k, share * scaled + where(unit, tile(0.0), tile(d.fill_L, k)))
        put(d.fill_L, o, scaled)


@kernel
def subtract_block(d, scaled, count, rows, source, target):
    """Add the product of `block_scaled` from `scaled` on, transposed, and a block of the factor to another one."""
    for t in jam(range(rows)):
        sums = tile(d.fill_L, target + TILE * t)
        for k in range(count):
            sums += d.block_scaled[scaled + TILE * k + t] * tile(d.fill_L, source + TILE * k)
        put(d.fill_L, target + TILE * t, sums)


@kernel
def substitute_blocks(m, d, s):
    """solver_search := minus `solver_grad` over the Hessian, of the dofs of share s."""
    first = d.share_adr[s]
    end = d.share_adr[s + 1]
    for k in range(first, end):
        b = d.share_block[k]
        for i in range(m.block_dof[b], m.block_dof[b + 1]):
            d.solver_search[i] = -d.solver_grad[i]
            d.block_value[TILE * b + i - m.block_dof[b]] = -d.solver_grad[i]
    for k in range(end - 1, first - 1, -1):
        if d.fill_num[d.share_block[k]] > 1:
            forward(m, d, d.share_block[k])
    k = first
    while k < end:
        b = d.share_block[k]
        k += 1
        if d.fill_num[b] > 0:
            backward(m, d, b)
        else:
            # trees without rows, as many as follow each other
            last = b + 1
            while k < end and d.share_block[k] == last and d.fill_num[last] == 0:
                k += 1
                last += 1
            solve_LTDL(m, d.qLD, d.qLDiagInv, d.solver_search, 0, m.block_dof[b], m.block_dof[last])
    for k in range(first, end):
        put(d.block_value, TILE * d.share_block[k], tile(0.0))


@kernel
def forward(m, d, b):
    """Subtract what block b contributes from the right-hand sides of the blocks that it couples with."""
    first = d.fill_adr[b]
    for p in range(first, first + d.fill_num[b] - 1):
        k = TILE * d.fill_block[p]
        sums = tile(d.block_value, k)
        for s in range(size_of(m, b)):
            sums += d.block_value[TILE * b + s] * tile(d.fill_L, NUMBERS * p + TILE * s)
        put(d.block_value, k, sums)


@kernel
def backward(m, d, b):
    """Solution of block b from those of the blocks before it."""
    first = d.fill_adr[b]
    diagonal = first + d.fill_num[b] - 1
    size = size_of(m, b)
    # the inverse is symmetric: its rows are its columns
    solution = tile(0.0)
    for s in range(size):
        inverse = tile(d.fill_L, NUMBERS * diagonal + TILE * s)
        solution += d.block_value[TILE * b + s] * inverse
    put(d.block_value, TILE * b, solution)
    for s in range(size):
        x = d.block_value[TILE * b + s]
        if diagonal > first:
            sums = tile(0.0)
            for p in range(first, diagonal):
                known = tile(d.block_value, TILE * d.fill_block[p])
                sums += tile(d.fill_L, NUMBERS * p + TILE * s) * known
            x = x + total(sums)
            d.block_value[TILE * b + s] = x
        d.solver_search[m.block_dof[b] + s] = x
