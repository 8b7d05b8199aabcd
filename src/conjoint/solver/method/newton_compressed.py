"""Newton's method in the space of dofs, with compressed rows and a Hessian of blocks (see `linear.block_hessian`)."""

from conjoint.lang import kernel
from conjoint.solver.cost.cone import FIRST, LAST
from conjoint.solver.cost.total import elliptic
from conjoint.solver.linear.block_hessian import (
    add_changes,
    add_products,
    begin_blocks,
    factorize_blocks,
    spread_row,
    substitute_blocks,
)
from conjoint.solver.linear.compressed import gather_compressed, sizes_of_compressed, times_compressed
from conjoint.solver.linear.dense import clear
from conjoint.solver.method.primal import descend, start_cheaper


@kernel(per_world=True)
def newton_compressed(m, d, count):
    """Solve for qacc, efc_force and qfrc_constraint."""
    descend(m, d, count, compressed_direction, sizes_of_compressed, times_compressed, gather_compressed, start_cheaper)


@kernel(per_world=True)
def compressed_direction(m, d, n, iteration, memory):
    """solver_search := minus the gradient over the Hessian, which has the rows that are springs now."""
    if iteration == 0 or elliptic(m):
        begin_blocks(m, d)
        clear(d.solver_mask, 0, n)
    add_changes(m, d, n)
    if elliptic(m):
        add_sliding(m, d, n)
    factorize_blocks(m, d)
    substitute_blocks(m, d)
    return memory


@kernel(per_world=True)
def add_sliding(m, d, n):
    """Add what the rows of sliding contacts have in common to the Hessian (see `cost.cone_hessian`)."""
    first = 0
    for r in range(n):
        place = d.solver_cone[r]
        if place == FIRST:
            first = r + 0
        if place == LAST and d.cone_weight[r] != 0.0:
            # across the surface of the cone: the normal row, less mu times the direction in which it slides
            mu = d.cone_axis[first]
            spread_row(m, d, first, mu, 0)
            for k in range(first + 1, r + 1):
                spread_row(m, d, k, -mu * d.cone_axis[k], 0)
                # along it
                spread_row(m, d, k, d.cone_axis[k], 1)
            d.block_weight[0] = d.cone_weight[r]
            d.block_weight[1] = -d.cone_normal[r] * d.cone_short[r]
            add_products(m, d, r, 2)
