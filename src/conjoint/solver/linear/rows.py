"""The constraint Jacobian in the space of dofs, compressed to blocks of eight columns.

A row keeps the blocks that are not zero in some world, one after the other: `solver_start` says where they begin in
`solver_rows`, `solver_block` which columns they are, `solver_nblock` how many. Column 1 + i belongs to dof i, as in
`hessian`; vectors are laid out alike in `solver_column`.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, abs, any, kernel, multiply_add, put, tile, total, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.constraint.jacobian import plus_product
from conjoint.physics.inertia_matrix.composite import mul_M
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import block_count


@dataclass(frozen=True)
class Rows(Group):
    """The rows of the constraint Jacobian J as they are stored, of the model, the data and n, the number of rows.

    Attributes:
        load: (m, d, n, count) makes them ready; the sum of the sizes of their elements.
        times: (m, d, n, x, result) J times a vector.
        products: (m, d, n, x) M times a vector into `solver_Mv`, J times it into `solver_Jv`.
        gather: (m, d, n) J' times `solver_force` into `solver_column`, from column 1 on.
        row: (d, place) the row at a place of the solver's rows.
        gather_sizes: (m, d, n) sizes of what `gather` adds up, for spaces that ask whether forces are balanced.
    """

    load: Kernel
    times: Kernel
    products: Kernel
    gather: Kernel
    row: Kernel
    gather_sizes: Kernel | None = None


@kernel
def same_row(d, place):
    """The row at a place of the solver's rows, if they are in order."""
    return place


@kernel
def load_rows(m, d, n, count):
    """solver_rows := efc_J of the first `count` rows of each world; the sum of the sizes of its elements."""
    sizes = tile(0.0)
    clear(d.solver_column, 0, padded(m.nv + 1))
    for r in range(n):
        live = r < count
        for i in range(m.nv):
            d.solver_column[1 + i] = where(live, d.efc_J[r, i], 0.0)
        pack_row(m, d, r)
        for p in range(d.solver_nblock[r]):
            sizes = sizes + abs(tile(d.solver_rows, d.solver_start[r] + TILE * p))
    return total(sizes)


@kernel
def pack_row(m, d, r):
    """Row r := `solver_column`, behind the row before it."""
    blocks = block_count(m)
    start = 0
    if r > 0:
        start = d.solver_start[r - 1] + TILE * d.solver_nblock[r - 1]
    d.solver_start[r] = start
    used = 0
    for block in range(blocks):
        row = tile(d.solver_column, TILE * block)
        if any(total(abs(row)) != 0.0):
            put(d.solver_rows, start + TILE * used, row)
            d.solver_block[r * blocks + used] = block
            used += 1
    d.solver_nblock[r] = used


@kernel
def times_rows(m, d, n, x, result):
    """result := J x."""
    blocks = block_count(m)
    clear(d.solver_column, 0, padded(m.nv + 1))
    for i in range(m.nv):
        d.solver_column[1 + i] = x[i]
    for r in range(n):
        s = tile(0.0)
        for p in range(d.solver_nblock[r]):
            column = TILE * d.solver_block[r * blocks + p]
            s = multiply_add(tile(d.solver_rows, d.solver_start[r] + TILE * p), tile(d.solver_column, column), s)
        result[r] = total(s)
    clear(result, n, padded(n) - n)


@kernel
def products_of_rows(m, d, n, x):
    """M and J times a vector; see `Rows`."""
    mul_M(m, d, d.solver_Mv, x)
    times_rows(m, d, n, x, d.solver_Jv)


@kernel
def gather_forces(m, d, n):
    """solver_column := J' times `solver_force`, from column 1 on."""
    blocks = block_count(m)
    clear(d.solver_column, 0, padded(m.nv + 1))
    for r in range(n):
        force = d.solver_force[r]
        if any(force != 0.0):
            for p in range(d.solver_nblock[r]):
                column = TILE * d.solver_block[r * blocks + p]
                share = tile(d.solver_rows, d.solver_start[r] + TILE * p)
                put(d.solver_column, column, plus_product(tile(d.solver_column, column), share, force))


@kernel
def gather_sizes(m, d, n):
    """solver_column := sizes of what `gather_forces` adds up."""
    blocks = block_count(m)
    clear(d.solver_column, 0, padded(m.nv + 1))
    for r in range(n):
        size = abs(d.solver_force[r])
        if any(size != 0.0):
            for p in range(d.solver_nblock[r]):
                column = TILE * d.solver_block[r * blocks + p]
                share = abs(tile(d.solver_rows, d.solver_start[r] + TILE * p))
                put(d.solver_column, column, multiply_add(size, share, tile(d.solver_column, column)))


DENSE = Rows(load_rows, times_rows, products_of_rows, gather_forces, same_row, gather_sizes)
