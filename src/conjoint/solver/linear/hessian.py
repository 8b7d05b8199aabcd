"""Rows of the constraint Jacobian, and the primal Hessian M + J' D J over the active rows, in blocks of columns.

Column 0 of the padded matrices contains a right-hand side, and column 1 + i belongs to dof i. Eight columns form a
block, and vectors have the same layout in `packed.column`. A row stores the blocks that are not zero in some world, one
after another. They begin at `packed.start` in `packed.value`; `packed.block` has their columns and `packed.count` their
number.

A block of the Hessian that no constraint row and no kinematic tree couples is never accessed. `hessian.open` marks the
blocks of `hessian.H` in use, `hessian.fill` those of the factor `hessian.L`. Elimination runs from the last dof to the
first, the order without fill-in for kinematic trees (Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 6).
Integers in lanes are the same in all lanes.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, abs, any, jam, kernel, maximum, minimum, put, tile, total, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.inertia_matrix.factors import pivot_of_M
from conjoint.physics.row_storage import is_nonzero
from conjoint.solver.linear.dense import add_block, clear, padded, stride_of


@dataclass(frozen=True)
class Rows(Group):
    """Rows of the constraint Jacobian J in one storage format.

    The attributes are kernels; their arguments include the model, the data and the number n of rows.

    Attributes:
        load: kernel (m, d, n, count) that prepares the rows and returns the sum of the absolute values of their
            elements.
        times: kernel (m, d, n, x, result) that computes J times the vector x.
        gather: kernel (m, d, n, plus) that computes J' times `cost.force` into `packed.column`, starting at column 1.
            The formula `plus` adds the product of an element and a force (`plus_product`), or the absolute value of the
            product (`plus_size`).
        row: kernel (d, place) that returns the row at index `place` of the solver's rows.
        products: kernel (m, d, n, x) that computes M times x into `dofs.Mv` and J times x into `cost.change`, if
            computing both together is faster.
    """

    load: Kernel
    times: Kernel
    gather: Kernel
    row: Kernel
    products: Kernel | None = None


@kernel
def same_row(d, place):
    """Return `place`, the row at this index if the solver's rows are in their original order."""
    return place


@kernel
def block_count(m):
    """Return the number of blocks of columns."""
    return (m.nv + TILE) // TILE


@kernel
def load_rows(m, d, n, count):
    """Copy the first `count` rows of efc_J of each world to packed.value.

    Returns:
        The sum of the absolute values of the copied elements.
    """
    sizes = tile(0.0)
    clear(d.packed.column, 0, padded(m.nv + 1))
    for r in range(n):
        live = r < count
        for i in range(m.nv):
            d.packed.column[1 + i] = where(live, d.efc_J[r, i], 0.0)
        pack_row(m, d, r)
        for p in range(d.packed.count[r]):
            sizes = sizes + abs(tile(d.packed.value, d.packed.start[r] + TILE * p))
    return total(sizes)


@kernel
def pack_row(m, d, r):
    """Store `packed.column` as row r, after the previous row."""
    blocks = block_count(m)
    start = 0
    if r > 0:
        start = d.packed.start[r - 1] + TILE * d.packed.count[r - 1]
    d.packed.start[r] = start
    used = 0
    for block in range(blocks):
        row = tile(d.packed.column, TILE * block)
        if is_nonzero(total(abs(row))):
            put(d.packed.value, start + TILE * used, row)
            d.packed.block[r * blocks + used] = block
            used += 1
    d.packed.count[r] = used


@kernel
def times_rows(m, d, n, x, result):
    """Compute result := J x; see `Rows`."""
    blocks = block_count(m)
    clear(d.packed.column, 0, padded(m.nv + 1))
    for i in range(m.nv):
        d.packed.column[1 + i] = x[i]
    for r in range(n):
        s = tile(0.0)
        for p in range(d.packed.count[r]):
            column = TILE * d.packed.block[r * blocks + p]
            s += tile(d.packed.value, d.packed.start[r] + TILE * p) * tile(d.packed.column, column)
        result[r] = total(s)
    clear(result, n, padded(n) - n)


@kernel
def gather_forces(m, d, n, plus):
    """Compute packed.column := J' times `cost.force`, starting at column 1; see `Rows`."""
    blocks = block_count(m)
    clear(d.packed.column, 0, padded(m.nv + 1))
    for r in range(n):
        force = d.cost.force[r]
        if is_nonzero(force):
            for p in range(d.packed.count[r]):
                column = TILE * d.packed.block[r * blocks + p]
                share = tile(d.packed.value, d.packed.start[r] + TILE * p)
                put(d.packed.column, column, plus(tile(d.packed.column, column), share, force))


@kernel
def first_dof(block):
    """Return the first dof whose row and column belong to a block."""
    return maximum(TILE * block - 1, 0)


@kernel
def end_dof(m, block):
    """Return the index after the last dof of a block."""
    return minimum(TILE * block + TILE - 1, m.nv)


@kernel
def open_block(m, d, row, column):
    """Set a block of hessian.H, with column <= row, to zero on first use."""
    k = row * block_count(m) + column
    if d.hessian.open[k] == 0:
        d.hessian.open[k] = 1
        stride = stride_of(m.nv + 1)
        for i in range(first_dof(row), end_dof(m, row)):
            put(d.hessian.H, i * stride + TILE * column, tile(0.0))


@kernel
def begin_hessian(m, d):
    """Set hessian.H := M."""
    stride = stride_of(m.nv + 1)
    for k in range(block_count(m) * block_count(m)):
        d.hessian.open[k] = 0
    for i in range(m.nv):
        row = m.M_rowadr[i]
        for a in range(row, row + m.M_rownnz[i]):
            j = 1 + m.M_colind[a]
            open_block(m, d, (1 + i) // TILE, j // TILE)
            d.hessian.H[i * stride + j] = d.M[a]


@kernel
def renew_hessian(m, d):
    """Set hessian.H := M, but keep the marks of the blocks that are in use."""
    stride = stride_of(m.nv + 1)
    blocks = block_count(m)
    for row in range(blocks):
        for column in range(row + 1):
            if d.hessian.open[row * blocks + column] != 0:
                for i in range(first_dof(row), end_dof(m, row)):
                    put(d.hessian.H, i * stride + TILE * column, tile(0.0))
    for i in range(m.nv):
        row = m.M_rowadr[i]
        for a in range(row, row + m.M_rownnz[i]):
            d.hessian.H[i * stride + 1 + m.M_colind[a]] = d.M[a]


@kernel
def add_outer_product(m, d, r, weight):
    """Add weight times the outer product of row r of `packed.value` to hessian.H."""
    stride = stride_of(m.nv + 1)
    blocks = r * block_count(m)
    for p in range(d.packed.count[r]):
        row = d.packed.block[blocks + p]
        source = d.packed.start[r] + TILE * p - TILE * row + 1
        for q in range(p + 1):
            open_block(m, d, row, d.packed.block[blocks + q])
        for i in range(first_dof(row), end_dof(m, row)):
            share = weight * d.packed.value[source + i]
            if is_nonzero(share):
                for q in range(p + 1):
                    column = TILE * d.packed.block[blocks + q]
                    add_block(share, d.packed.value, d.packed.start[r] + TILE * q, d.hessian.H, i * stride + column)


@kernel
def are_alike(m, d, r, end):
    """Return True if rows r to end - 1 have the same blocks, as do the rows of one contact."""
    blocks = block_count(m)
    count = d.packed.count[r]
    for k in range(r + 1, end):
        if d.packed.count[k] != count:
            return False
        for p in range(count):
            if d.packed.block[k * blocks + p] != d.packed.block[r * blocks + p]:
                return False
    return True


@kernel
def add_four_products(m, d, r, a, b, c, e):
    """Apply `add_outer_product` to rows r to r + 3, which have the same blocks, with the weights a, b, c and e.

    The sums stay in registers from row to row.
    """
    stride = stride_of(m.nv + 1)
    blocks = r * block_count(m)
    count = d.packed.count[r]
    first = d.packed.start[r]
    size = TILE * count
    for p in range(count):
        row = d.packed.block[blocks + p]
        source = first + TILE * p - TILE * row + 1
        for q in range(p + 1):
            open_block(m, d, row, d.packed.block[blocks + q])
        for i in range(first_dof(row), end_dof(m, row)):
            one = a * d.packed.value[source + i]
            two = b * d.packed.value[source + size + i]
            three = c * d.packed.value[source + 2 * size + i]
            four = e * d.packed.value[source + 3 * size + i]
            if any((one != 0.0) | (two != 0.0) | (three != 0.0) | (four != 0.0)):
                for q in range(p + 1):
                    target = i * stride + TILE * d.packed.block[blocks + q]
                    place = first + TILE * q
                    sums = one * tile(d.packed.value, place) + tile(d.hessian.H, target)
                    sums += two * tile(d.packed.value, place + size)
                    sums += three * tile(d.packed.value, place + 2 * size)
                    put(d.hessian.H, target, four * tile(d.packed.value, place + 3 * size) + sums)


@kernel
def predict_fill(m, d):
    """Predict which blocks of the factor are nonzero: eliminating a block row couples all blocks in that row."""
    blocks = block_count(m)
    for k in range(blocks * blocks):
        d.hessian.fill[k] = d.hessian.open[k]
    for k in range(blocks - 1, 0, -1):
        for i in range(k - 1, -1, -1):
            if d.hessian.fill[k * blocks + i] != 0:
                for j in range(i + 1):
                    d.hessian.fill[i * blocks + j] = d.hessian.fill[i * blocks + j] | d.hessian.fill[k * blocks + j]


@kernel
def list_columns(m, d, row):
    """List the block columns of a block row of the factor in hessian.columns; return their number.

    Block column 0 includes the right-hand side.
    """
    d.hessian.columns[0] = 0
    count = 1
    for column in range(1, row + 1):
        if column == row or d.hessian.fill[row * block_count(m) + column] != 0:
            d.hessian.columns[count] = column
            count += 1
    return count


@kernel
def list_below(m, d, row):
    """In hessian.below, list in ascending order the eliminated block rows that couple with a block row.

    Return their number.
    """
    blocks = block_count(m)
    count = 0
    for below in range(row + 1, blocks):
        if d.hessian.fill[below * blocks + row] != 0:
            d.hessian.below[count] = below
            count += 1
    return count


@kernel(label="factor")
def factorize_hessian(m, d):
    """Eliminate hessian.H and the right-hand side -dofs.gradient; store the result in hessian.L and hessian.pivot.

    The layout is described in `newton_rows`.
    """
    predict_fill(m, d)
    for row in range(block_count(m) - 1, -1, -1):
        columns = list_columns(m, d, row)
        coupled = list_below(m, d, row)
        weigh_blocks(m, d, row, coupled)
        for p in range(columns):
            column = d.hessian.columns[p]
            start_block(m, d, row, column)
            subtract_below(m, d, row, column, coupled)
        finish_block_row(m, d, row, columns)


@kernel
def weigh_blocks(m, d, row, coupled):
    """Compute hessian.weight[8 k + c] := element c of eliminated row k in block column `row`, divided by its pivot."""
    stride = stride_of(m.nv + 1)
    for p in range(coupled):
        below = d.hessian.below[p]
        for k in range(first_dof(below), end_dof(m, below)):
            pivot = d.hessian.pivot[k]
            put(d.hessian.weight, TILE * k, tile(d.hessian.L, k * stride + TILE * row) * pivot)


@kernel
def start_block(m, d, row, column):
    """Copy a block of hessian.H to hessian.L; for block column 0, also set the right-hand side."""
    stride = stride_of(m.nv + 1)
    used = d.hessian.open[row * block_count(m) + column] != 0
    for i in range(first_dof(row), end_dof(m, row)):
        o = i * stride + TILE * column
        if used:
            put(d.hessian.L, o, tile(d.hessian.H, o))
        else:
            put(d.hessian.L, o, tile(0.0))
        if column == 0:
            d.hessian.L[o] = -d.dofs.gradient[i]


@kernel
def subtract_below(m, d, row, column, coupled):
    """Subtract from a block the contributions of the eliminated block rows, one range of consecutive rows at a time."""
    start = 0
    end = 0
    for p in range(coupled):
        below = d.hessian.below[p]
        if column == 0 or d.hessian.fill[below * block_count(m) + column] != 0:
            if below != end:
                subtract_run(m, d, row, column, start, end)
                start = below
            end = below + 1
    subtract_run(m, d, row, column, start, end)


@kernel
def subtract_run(m, d, row, column, start, stop):
    """Subtract from a block the contributions of the block rows start .. stop - 1."""
    if start == stop:
        return
    stride = stride_of(m.nv + 1)
    first = first_dof(start)
    end = end_dof(m, stop - 1)
    for i in jam(range(first_dof(row), end_dof(m, row))):
        target = i * stride + TILE * column
        sums = tile(d.hessian.L, target)
        for k in range(first, end):
            weight = d.hessian.weight[TILE * k + (1 + i) % TILE]
            sums += weight * tile(d.hessian.L, k * stride + TILE * column)
        put(d.hessian.L, target, sums)


@kernel
def finish_block_row(m, d, row, columns):
    """Eliminate within a block row: each row, once final, is subtracted from the rows before it."""
    stride = stride_of(m.nv + 1)
    first = first_dof(row)
    for k in range(end_dof(m, row) - 1, first - 1, -1):
        o = k * stride
        # J' D J adds to the pivots of M, which is eliminated in the same order: a smaller pivot is due to rounding
        pivot = -1.0 / maximum(d.hessian.L[o + 1 + k], pivot_of_M(m, d, k))
        d.hessian.pivot[k] = pivot
        for p in range(columns):
            column = TILE * d.hessian.columns[p]
            for i in range(first, k):
                weight = d.hessian.L[o + 1 + i] * pivot
                add_block(weight, d.hessian.L, o + column, d.hessian.L, i * stride + column)


@kernel(label="substitution")
def substitute_hessian(m, d):
    """Compute dofs.search by substitution, from the factor and the right-hand side that `factorize_hessian` stored."""
    stride = stride_of(m.nv + 1)
    # aligned with the columns of L; the right-hand side enters with the factor -1
    clear(d.packed.column, 0, padded(m.nv + 1))
    d.packed.column[0] = -1.0
    for row in range(block_count(m)):
        columns = list_columns(m, d, row)
        # contributions of earlier blocks to all rows of this one
        for i in range(first_dof(row), end_dof(m, row)):
            sums = tile(0.0)
            for p in range(columns):
                column = TILE * d.hessian.columns[p]
                if column < TILE * row:
                    sums += tile(d.hessian.L, i * stride + column) * tile(d.packed.column, column)
            d.dofs.search[i] = total(sums)
        # then row after row
        for i in range(first_dof(row), end_dof(m, row)):
            s = d.dofs.search[i]
            for c in range(TILE * row, 1 + i):
                s = s + d.hessian.L[i * stride + c] * d.packed.column[c]
            s = s * d.hessian.pivot[i]
            d.packed.column[1 + i] = s
            d.dofs.search[i] = s


DENSE = Rows(load_rows, times_rows, gather_forces, same_row)
