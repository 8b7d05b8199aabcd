"""Newton's method in the space of dofs, with compressed rows and a block Hessian (see `linear.block_hessian`).

The work is divided into shares. A share consists of whole parts of the scene and the rows that act on them. A part
consists of the blocks that rows and trees couple with each other (`linear.sparsity`). Parts are assigned to shares in
their order, so that all shares have about the same amount of work. The assignment depends on the problem alone, not on
threads. Blocks of dofs are listed share by share, and so are rows; neighbors stay together. The rows of share s start
at index `share.row[s]` of the solver's rows. Sums over dofs are computed within shares, then over shares.
"""

from conjoint.lang import kernel, maximum, minimum, shared
from conjoint.physics.inertia_matrix.composite import mul_M_row
from conjoint.schema.constants import SOLVER_SHARES
from conjoint.solver.cones import FIRST, LAST, elliptic
from conjoint.solver.linear.block_hessian import (
    add_changes,
    add_products,
    begin_blocks,
    begin_unit,
    factorize_blocks,
    spread_row,
    substitute_blocks,
)
from conjoint.solver.linear.compressed import gather_places, ordered_row, sum_sizes, times_chunks, times_places
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import Rows
from conjoint.solver.method.acceleration_space import is_balanced, space_of_dofs

LEAST_WORK = 96
"""Minimum number of blocks of dofs and of the Hessian in a share: a few microseconds of work per iteration."""


@kernel(label="loading rows")
def load(m, d, n, count):
    """Divide the scene into shares, and list the rows in the order of shares; see `Rows`."""
    # rows of a cone act together, so with cones there is only one share
    share_parts(m, d, 1 if elliptic(m) else SOLVER_SHARES)
    list_by_share(m, d, m.nblock, share_of_block, d.share.adr, d.share.block)
    list_by_share(m, d, n, share_of_row, d.share.row, d.share.order)
    begin_unit(d)
    return sum_sizes(m, d, n)


@kernel
def share_parts(m, d, most):
    """Assign the parts of the scene to at most `most` shares of similar work.

    Set share.count to the number of shares, and share.work at the first block of each part to the index of its share.
    """
    whole = 0
    for b in range(m.nblock):
        d.share.work[b] = 0
    for b in range(m.nblock):
        work = 1 + d.fill.num[b]
        d.share.work[d.fill.root[b]] = d.share.work[d.fill.root[b]] + work
        whole += work
    shares = maximum(1, minimum(whole // LEAST_WORK, most))
    d.share.count = shares
    done = 0
    for b in range(m.nblock):
        if d.fill.root[b] == b:
            work = d.share.work[b]
            d.share.work[b] = done * shares // whole
            done += work


@kernel
def share_of_block(m, d, b):
    """Return the share of the part that contains block b."""
    return d.share.work[d.fill.root[b]]


@kernel
def share_of_row(m, d, r):
    """Return the share of the part on which row r acts; the first share if the row acts on no part."""
    if d.share.count == 1 or d.efc_J_rownnz[r] == 0:
        return 0
    return share_of_block(m, d, m.dof_block[d.efc_J_colind[d.efc_J_rowadr[r]]])


@kernel
def list_by_share(m, d, n, share_of, places, listed):
    """List n blocks or rows by the share that `share_of` returns.

    The blocks or rows of share s start at index `places[s]` of the list, in their original order.
    """
    shares = d.share.count
    for s in range(shares + 1):
        places[s] = 0
    for k in range(n):
        s = share_of(m, d, k)
        places[s + 1] = places[s + 1] + 1
    for s in range(shares):
        places[s + 1] = places[s + 1] + places[s]
    for k in range(n):
        s = share_of(m, d, k)
        listed[places[s]] = k
        places[s] = places[s] + 1
    # each entry is now the start of the next share
    for s in range(shares, 0, -1):
        places[s] = places[s - 1]
    places[0] = 0


@kernel
def products(m, d, n, x):
    """Multiply the vector x by M and J; see `Rows`."""
    shared(products_of_share, m, d, d.share.count, x)
    clear(d.cost.change, n, padded(n) - n)


@kernel
def products_of_share(m, d, s, x):
    """Compute the products M x and J x for the dofs and rows of share s."""
    for k in range(d.share.adr[s], d.share.adr[s + 1]):
        b = d.share.block[k]
        for i in range(m.block_dof[b], m.block_dof[b + 1]):
            mul_M_row(m, d, d.dofs.Mv, x, i)
    times_places(m, d, d.share.row[s], d.share.row[s + 1], x, d.cost.change)


@kernel
def gather(m, d, n, plus):
    """Compute packed.column := J' times `cost.force`, one share after another; see `Rows`."""
    clear(d.packed.column, 1, m.nv)
    shared(gather_share, m, d, d.share.count, plus)


@kernel
def gather_share(m, d, s, plus):
    """Add J' times `cost.force` of the rows of share s to packed.column."""
    gather_places(m, d, d.share.row[s], d.share.row[s + 1], plus)


@kernel(label="Hessian")
def direction(m, d, n, iteration, active, space):
    """Compute dofs.search := minus the inverse Hessian times the gradient, share by share; see `Space`."""
    if iteration == 0 or elliptic(m):
        clear(d.blocks.included, 0, n)
    shared(search_share, m, d, d.share.count, iteration)


@kernel
def search_share(m, d, s, iteration):
    """Compute the search direction of share s: minus the inverse Hessian of the active rows times the gradient."""
    if iteration == 0 or elliptic(m):
        begin_blocks(m, d, s)
    add_changes(m, d, s)
    if elliptic(m):
        add_sliding(m, d, s)
    factorize_blocks(m, d, s)
    substitute_blocks(m, d, s)


@kernel
def add_sliding(m, d, s):
    """Add the coupling of the rows of sliding contacts to the Hessian (see `dofs.add_cones`).

    With cones there is only one share, and rows are in their original order.
    """
    first = 0
    for r in range(d.share.row[s], d.share.row[s + 1]):
        place = d.cone.place[r]
        if place == FIRST:
            first = r
        if place == LAST and d.cone.weight[r] != 0.0:
            # across the surface of the cone: the normal row minus mu times the sliding direction
            mu = d.cone.axis[first]
            spread_row(m, d, s, first, mu, 0)
            for k in range(first + 1, r + 1):
                spread_row(m, d, s, k, -mu * d.cone.axis[k], 0)
                # along the sliding direction
                spread_row(m, d, s, k, d.cone.axis[k], 1)
            d.blocks.weight[s, 0] = d.cone.weight[r]
            d.blocks.weight[s, 1] = d.cone.along[r]
            add_products(m, d, s, r, 2)


ROWS_BY_SHARES = Rows(load, times_chunks, gather, ordered_row, products)
BLOCKS = space_of_dofs(direction, ROWS_BY_SHARES, is_balanced)
