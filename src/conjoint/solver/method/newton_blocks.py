"""Newton's method in the space of dofs, with compressed rows and a Hessian of blocks (see `linear.block_hessian`).

The work is done in shares of whole parts of the scene (see `linear.shares`), whose rows are listed share by share.
"""

from conjoint.lang import kernel, shared
from conjoint.physics.inertia_matrix.composite import mul_M_row
from conjoint.schema.constants import SOLVER_SHARES
from conjoint.solver.cost.cone import FIRST, LAST
from conjoint.solver.cost.total import elliptic
from conjoint.solver.linear.block_hessian import (
    add_changes,
    add_products,
    begin_blocks,
    begin_unit,
    factorize_blocks,
    spread_row,
    substitute_blocks,
)
from conjoint.solver.linear.compressed import (
    gather_places,
    gather_sizes_of_places,
    ordered_row,
    sum_sizes,
    times_compressed,
    times_places,
)
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.rows import Rows
from conjoint.solver.linear.shares import arrange, share_parts
from conjoint.solver.method.dofs import is_balanced, space_of_dofs


@kernel(per_world=True)
def load(m, d, n, count):
    """Shares of the scene, and the rows in their order; see `Rows`."""
    # rows of a cone act together: with cones there is one share
    share_parts(m, d, 1 if elliptic(m) else SOLVER_SHARES)
    arrange(m, d, n)
    begin_unit(d)
    return sum_sizes(m, d, n)


@kernel(per_world=True)
def products(m, d, n, x):
    """M and J times a vector; see `Rows`."""
    shared(products_of_share, m, d, d.nsolver_share, x)
    clear(d.solver_Jv, n, padded(n) - n)


@kernel(per_world=True)
def products_of_share(m, d, s, x):
    """The products at the dofs and rows of share s."""
    for k in range(d.share_adr[s], d.share_adr[s + 1]):
        b = d.share_block[k]
        for i in range(m.block_dof[b], m.block_dof[b + 1]):
            mul_M_row(m, d, d.solver_Mv, x, i)
    times_places(m, d, d.share_row[s], d.share_row[s + 1], x, d.solver_Jv)


@kernel(per_world=True)
def gather(m, d, n):
    """Forces of the rows on the dofs; see `Rows`."""
    clear(d.solver_column, 1, m.nv)
    shared(gather_share, m, d, d.nsolver_share)


@kernel(per_world=True)
def gather_share(m, d, s):
    """What the rows of share s add."""
    gather_places(m, d, d.share_row[s], d.share_row[s + 1])


@kernel(per_world=True)
def gather_sizes(m, d, n):
    """Sizes of the forces that `gather` adds; see `Rows`."""
    clear(d.solver_column, 1, m.nv)
    gather_sizes_of_places(m, d, 0, n)


@kernel(per_world=True)
def direction(m, d, n, iteration, active):
    """solver_search := minus the gradient over the Hessian, share by share; see `Space`."""
    if iteration == 0 or elliptic(m):
        clear(d.solver_mask, 0, n)
    shared(search_share, m, d, d.nsolver_share, iteration)


@kernel(per_world=True)
def search_share(m, d, s, iteration):
    """The search direction of share s: minus the gradient over the Hessian, which has the rows that act now."""
    if iteration == 0 or elliptic(m):
        begin_blocks(m, d, s)
    add_changes(m, d, s)
    if elliptic(m):
        add_sliding(m, d, s)
    factorize_blocks(m, d, s)
    substitute_blocks(m, d, s)


@kernel(per_world=True)
def add_sliding(m, d, s):
    """Add what the rows of sliding contacts have in common to the Hessian (see `cost.cone_hessian`).

    With cones there is one share, and rows are in their order.
    """
    first = 0
    for r in range(d.share_row[s], d.share_row[s + 1]):
        place = d.solver_cone[r]
        if place == FIRST:
            first = r
        if place == LAST and d.cone_weight[r] != 0.0:
            # across the surface of the cone: the normal row, less mu times the direction in which it slides
            mu = d.cone_axis[first]
            spread_row(m, d, s, first, mu, 0)
            for k in range(first + 1, r + 1):
                spread_row(m, d, s, k, -mu * d.cone_axis[k], 0)
                # along it
                spread_row(m, d, s, k, d.cone_axis[k], 1)
            d.block_weight[s, 0] = d.cone_weight[r]
            d.block_weight[s, 1] = -d.cone_normal[r] * d.cone_short[r]
            add_products(m, d, s, r, 2)


ROWS_BY_SHARES = Rows(load, times_compressed, products, gather, ordered_row, gather_sizes)
BLOCKS = space_of_dofs(direction, ROWS_BY_SHARES, is_balanced)
