"""Hessians of contacts that slide on the surface of their elliptic cones (see `cost.cone`)."""

from conjoint.lang import any, kernel, put, tile, where
from conjoint.lang.language.tile import TILE
from conjoint.solver.cost.cone import FIRST, LAST, NOTHING
from conjoint.solver.linear.hessian import add_outer_product, block_count
from conjoint.solver.linear.rows import pack_row


@kernel
def add_cones(m, d, n):
    """solver_H += what the rows of sliding contacts have in common, beyond their own stiffnesses.

    Two directions for each contact: across the surface of the cone, and along U, in which it is not round.
    """
    mu = 0.0
    for r in range(n):
        place = d.solver_cone[r]
        if any(place != NOTHING):
            mu = where(place == FIRST, d.cone_axis[r], mu)
            gather(m, d, r, place == FIRST)
        across = where(place == LAST, d.cone_weight[r], 0.0)
        if any(across != 0.0):
            for block in range(block_count(m)):
                along = tile(d.solver_along, TILE * block)
                put(d.solver_column, TILE * block, tile(d.solver_across, TILE * block) - mu * along)
            add_column(m, d, n, across)
            for block in range(block_count(m)):
                put(d.solver_column, TILE * block, tile(d.solver_along, TILE * block))
            add_column(m, d, n, -d.cone_normal[r] * d.cone_short[r])


@kernel
def gather(m, d, r, begins):
    """solver_across := the normal row of the contact that row r belongs to, scaled; solver_along := the sum of its
    tangential rows in the direction of U."""
    axis = d.cone_axis[r]
    if any(begins):
        for block in range(block_count(m)):
            across = tile(d.solver_across, TILE * block)
            along = tile(d.solver_along, TILE * block)
            put(d.solver_across, TILE * block, where(begins, tile(0.0), across))
            put(d.solver_along, TILE * block, where(begins, tile(0.0), along))
    for p in range(d.solver_nblock[r]):
        row = tile(d.solver_rows, d.solver_start[r] + TILE * p)
        column = TILE * d.solver_block[r * block_count(m) + p]
        put(d.solver_across, column, tile(d.solver_across, column) + where(begins, axis, 0.0) * row)
        put(d.solver_along, column, tile(d.solver_along, column) + where(begins, 0.0, axis) * row)


@kernel
def add_column(m, d, n, weight):
    """solver_H += weight * outer product of `solver_column`, which for a moment is the row after the last."""
    pack_row(m, d, n)
    add_outer_product(m, d, n, weight)
