"""Hessian M + J' D J of compressed rows and its factor, in the blocks that `sparsity` lists.

A block is a row-major matrix of eight by eight numbers; if it has fewer dofs, its remaining elements are unused. The
factor consists of blocks, too. Let H_bb be block b after the elimination of all later blocks. Then row b of the factor
contains inv(H_bb), and inv(H_bb) H_bp for each block p that couples with b. So solutions are products, without a chain
of divisions. Blocks that couple form a connected part of the elimination tree; only parts whose rows changed are
factorized again.
"""

from conjoint.lang import jam, kernel, maximum, put, tile, total, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.inertia_matrix.factors import pivot_of_M, solve_LTDL

NUMBERS = TILE * TILE
"""Number of elements of a block."""

TOGETHER = 4
"""Number of rows added at once, which is the number of rows of a contact with one friction coefficient."""


@kernel
def size_of(m, b):
    """Return the number of dofs of block b."""
    return m.block_dof[b + 1] - m.block_dof[b]


@kernel
def begin_unit(d):
    """Set blocks.unit to the identity matrix."""
    for k in range(NUMBERS):
        d.blocks.unit[k] = 0.0
    for s in range(TILE):
        d.blocks.unit[(TILE + 1) * s] = 1.0


@kernel
def begin_blocks(m, d, s):
    """Set blocks.H := M for the blocks of share s, and mark their factors as out of date."""
    for k in range(d.share.adr[s], d.share.adr[s + 1]):
        b = d.share.block[k]
        d.blocks.stale[b] = 1
        for slot in range(TOGETHER):
            put(d.blocks.value, TILE * (slot * m.nblock + b), tile(0.0))
        if d.fill.num[b] > 0:
            for a in range(NUMBERS * d.fill.adr[b], NUMBERS * (d.fill.adr[b] + d.fill.num[b]), TILE):
                put(d.blocks.H, a, tile(0.0))
            for i in range(m.block_dof[b], m.block_dof[b + 1]):
                load_row_of_M(m, d, b, i)


@kernel
def load_row_of_M(m, d, b, i):
    """Copy row i of M into blocks.H; dof i belongs to block b."""
    p = d.fill.adr[b]
    row = TILE * (i - m.block_dof[b])
    for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
        j = m.M_colind[a]
        column = m.dof_block[j]
        while d.fill.block[p] != column:
            p += 1
        place = j - m.block_dof[column]
        d.blocks.H[NUMBERS * p + row + place] = d.M[a]
        if column == b:
            d.blocks.H[NUMBERS * p + TILE * place + i - m.block_dof[b]] = d.M[a]


@kernel
def spread_row(m, d, s, r, weight, slot):
    """Add row r times `weight` to slot `slot` of `blocks.value`, and list the row's blocks in `blocks.list`.

    The row belongs to share s.
    """
    count = d.share.adr[s]
    last = -1
    first = TILE * m.nblock * slot
    for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
        i = d.efc_J_colind[a]
        b = m.dof_block[i]
        if b != last:
            d.blocks.list[count] = b
            count += 1
            last = b
        k = first + TILE * b + i - m.block_dof[b]
        d.blocks.value[k] = d.blocks.value[k] + weight * d.efc_J[a]


@kernel
def add_products(m, d, s, r, slots):
    """Add the weighted outer products of the first `slots` rows in `blocks.value` to blocks.H, and clear these slots.

    The weights are in `blocks.weight`. All these rows have the columns of row r, which belongs to share s.
    """
    stride = TILE * m.nblock
    begin = d.share.adr[s]
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
            at = NUMBERS * d.blocks.place[begin + q] + TILE * (i - m.block_dof[row])
            sums = tile(d.blocks.H, at)
            for k in range(slots):
                share = d.blocks.weight[s, k] * d.blocks.value[k * stride + element]
                sums += share * tile(d.blocks.value, k * stride + TILE * d.blocks.list[begin + q])
            put(d.blocks.H, at, sums)
    for p in range(count):
        for k in range(slots):
            put(d.blocks.value, k * stride + TILE * d.blocks.list[begin + p], tile(0.0))


@kernel
def place_products(d, row, begin, count):
    """Find the listed blocks in a row of blocks: set blocks.place to their indices, and mark the row as out of date.

    There are `count` listed blocks, starting at index `begin` of the list.
    """
    d.blocks.stale[d.fill.root[row]] = 1
    place = d.fill.adr[row]
    for q in range(begin, begin + count):
        while d.fill.block[place] != d.blocks.list[q]:
            place += 1
        d.blocks.place[q] = place


@kernel
def add_changes(m, d, s):
    """Add the rows of share s whose stiffness changed to blocks.H; neighbors with equal columns are added together."""
    k = d.share.row[s]
    while k < d.share.row[s + 1]:
        # solver rows k .. end - 1 have the same columns
        end = k + d.efc_J_rowsuper[d.share.order[k]] + 1
        slots = 0
        while k < end:
            r = d.share.order[k]
            change = d.cost.stiffness[k] - d.blocks.included[r]
            if change != 0.0:
                d.blocks.included[r] = d.cost.stiffness[k]
                d.blocks.weight[s, slots] = change
                spread_row(m, d, s, r, 1.0, slots)
                slots += 1
            k += 1
            if slots == TOGETHER or (k == end and slots > 0):
                add_products(m, d, s, r, slots)
                slots = 0


@kernel(label="factor")
def factorize_blocks(m, d, s):
    """Factorize those parts of blocks.H that changed in share s, and store the factors in blocks.L."""
    first = d.share.adr[s]
    end = d.share.adr[s + 1]
    for k in range(end - 1, first - 1, -1):
        b = d.share.block[k]
        if d.blocks.stale[d.fill.root[b]]:
            for a in range(NUMBERS * d.fill.adr[b], NUMBERS * (d.fill.adr[b] + d.fill.num[b]), TILE):
                put(d.blocks.L, a, tile(d.blocks.H, a))
    for k in range(end - 1, first - 1, -1):
        b = d.share.block[k]
        if d.fill.num[b] > 0 and d.blocks.stale[d.fill.root[b]]:
            eliminate(m, d, s, b)
    for k in range(first, end):
        d.blocks.stale[d.share.block[k]] = 0


@kernel
def eliminate(m, d, share, b):
    """Eliminate block b from the rows of the blocks with which it couples; `share` selects the scratch memory."""
    scaled = NUMBERS * share
    first = d.fill.adr[b]
    diagonal = first + d.fill.num[b] - 1
    size = size_of(m, b)
    invert(m, d, NUMBERS * diagonal, b)
    # in descending order, because earlier blocks need the unchanged parts of this row
    for p in range(diagonal - 1, first - 1, -1):
        for s in jam(range(size)):
            sums = tile(0.0)
            for t in range(size):
                inverse = d.blocks.L[NUMBERS * diagonal + TILE * s + t]
                sums += inverse * tile(d.blocks.L, NUMBERS * p + TILE * t)
            put(d.blocks.scaled, scaled + TILE * s, -sums)
        row = d.fill.block[p]
        target = d.fill.adr[row]
        for q in range(first, p + 1):
            while d.fill.block[target] != d.fill.block[q]:
                target += 1
            subtract_block(d, scaled, size, size_of(m, row), NUMBERS * q, NUMBERS * target)
        for s in range(size):
            put(d.blocks.L, NUMBERS * p + TILE * s, tile(d.blocks.scaled, scaled + TILE * s))


@kernel
def invert(m, d, at, b):
    """Invert the symmetric positive definite diagonal block b of the factor in place; `at` is its address.

    Gauss-Jordan elimination runs from the last dof to the first, as the elimination of M does. J' D J only adds to the
    pivots of M, so a smaller pivot is due to rounding.
    """
    size = size_of(m, b)
    for s in range(size - 1, -1, -1):
        o = at + TILE * s
        unit = tile(d.blocks.unit, TILE * s) != 0.0
        pivot = 1.0 / maximum(d.blocks.L[o + s], pivot_of_M(m, d, m.block_dof[b] + s))
        scaled = where(unit, tile(1.0), tile(d.blocks.L, o)) * pivot
        for t in range(size):
            k = at + TILE * t
            if t != s:
                share = -d.blocks.L[k + s]
                put(d.blocks.L, k, share * scaled + where(unit, tile(0.0), tile(d.blocks.L, k)))
        put(d.blocks.L, o, scaled)


@kernel
def subtract_block(d, scaled, count, rows, source, target):
    """Add the product of a transposed block of `blocks.scaled` and a block of the factor to the block at `target`.

    The blocks begin at the indices `scaled` and `source`.
    """
    for t in jam(range(rows)):
        sums = tile(d.blocks.L, target + TILE * t)
        for k in range(count):
            sums += d.blocks.scaled[scaled + TILE * k + t] * tile(d.blocks.L, source + TILE * k)
        put(d.blocks.L, target + TILE * t, sums)


@kernel(label="substitution")
def substitute_blocks(m, d, s):
    """Compute dofs.search := minus the inverse Hessian times `dofs.gradient`, for the dofs of share s."""
    first = d.share.adr[s]
    end = d.share.adr[s + 1]
    for k in range(first, end):
        b = d.share.block[k]
        for i in range(m.block_dof[b], m.block_dof[b + 1]):
            d.dofs.search[i] = -d.dofs.gradient[i]
            d.blocks.value[TILE * b + i - m.block_dof[b]] = -d.dofs.gradient[i]
    for k in range(end - 1, first - 1, -1):
        if d.fill.num[d.share.block[k]] > 1:
            forward(m, d, d.share.block[k])
    k = first
    while k < end:
        b = d.share.block[k]
        k += 1
        if d.fill.num[b] > 0:
            backward(m, d, b)
        else:
            # consecutive trees without rows
            last = b + 1
            while k < end and d.share.block[k] == last and d.fill.num[last] == 0:
                k += 1
                last += 1
            solve_LTDL(m, d.qLD, d.qLDiagInv, d.dofs.search, 0, m.block_dof[b], m.block_dof[last])
    for k in range(first, end):
        put(d.blocks.value, TILE * d.share.block[k], tile(0.0))


@kernel
def forward(m, d, b):
    """Subtract the contribution of block b from the right-hand sides of the blocks with which it couples."""
    first = d.fill.adr[b]
    for p in range(first, first + d.fill.num[b] - 1):
        k = TILE * d.fill.block[p]
        sums = tile(d.blocks.value, k)
        for s in range(size_of(m, b)):
            sums += d.blocks.value[TILE * b + s] * tile(d.blocks.L, NUMBERS * p + TILE * s)
        put(d.blocks.value, k, sums)


@kernel
def backward(m, d, b):
    """Compute the solution of block b from the solutions of earlier blocks."""
    first = d.fill.adr[b]
    diagonal = first + d.fill.num[b] - 1
    size = size_of(m, b)
    # the inverse is symmetric: its rows are its columns
    solution = tile(0.0)
    for s in range(size):
        inverse = tile(d.blocks.L, NUMBERS * diagonal + TILE * s)
        solution += d.blocks.value[TILE * b + s] * inverse
    put(d.blocks.value, TILE * b, solution)
    for s in range(size):
        x = d.blocks.value[TILE * b + s]
        if diagonal > first:
            sums = tile(0.0)
            for p in range(first, diagonal):
                known = tile(d.blocks.value, TILE * d.fill.block[p])
                sums += tile(d.blocks.L, NUMBERS * p + TILE * s) * known
            x = x + total(sums)
            d.blocks.value[TILE * b + s] = x
        d.dofs.search[m.block_dof[b] + s] = x
