"""Search directions in the space of dofs: Newton's (Computation chapter, Newton), and conjugate gradients (CG).

Conjugate gradients are preconditioned by M; the edition defines the formula for their directions.
"""

from conjoint.lang import any, kernel, put, tile, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.inertia_matrix.factors import solve_LTDL
from conjoint.physics.row_storage import is_nonzero
from conjoint.solver.cones import FIRST, LAST, NOTHING, elliptic
from conjoint.solver.cost import has_hard_rows
from conjoint.solver.linear.compressed import COMPRESSED
from conjoint.solver.linear.dense import clear
from conjoint.solver.linear.hessian import (
    DENSE,
    add_four_products,
    add_outer_product,
    are_alike,
    begin_hessian,
    block_count,
    factorize_hessian,
    pack_row,
    renew_hessian,
    substitute_hessian,
)
from conjoint.solver.linear.path_rows import UNITS
from conjoint.solver.method.acceleration_space import is_balanced, space_of_dofs
from conjoint.solver.sums import sum_of_dofs


@kernel(label="Hessian")
def newton_direction(m, d, n, iteration, active, space):
    """Compute dofs.search := minus the inverse Hessian of the active rows times the gradient; see `Space`."""
    if iteration == 0 or elliptic(m):
        begin_hessian(m, d)
        clear(d.hessian.included, 0, n)
    elif has_hard_rows(m, d, n):
        # removing hard rows would leave rounding errors
        renew_hessian(m, d)
        clear(d.hessian.included, 0, n)
    r = 0
    while r < n:
        if r + 4 <= n and are_alike(m, d, r, r + 4):
            add_changes(m, d, r)
            r += 4
        else:
            change = change_of(d, r)
            if is_nonzero(change):
                add_outer_product(m, d, r, change)
            r += 1
    if elliptic(m):
        add_cones(m, d, n)
    factorize_hessian(m, d)
    substitute_hessian(m, d)


@kernel
def change_of(d, r):
    """Return the change in the stiffness of row r in the Hessian, and record its new stiffness."""
    change = d.cost.stiffness[r] - d.hessian.included[r]
    d.hessian.included[r] = d.cost.stiffness[r]
    return change


@kernel
def add_changes(m, d, r):
    """Add the stiffness changes of four rows with the same blocks, r to r + 3, to hessian.H."""
    a = change_of(d, r)
    b = change_of(d, r + 1)
    c = change_of(d, r + 2)
    e = change_of(d, r + 3)
    if any((a != 0.0) | (b != 0.0) | (c != 0.0) | (e != 0.0)):
        add_four_products(m, d, r, a, b, c, e)


@kernel
def add_cones(m, d, n):
    """Add the coupling of the rows of sliding elliptic contacts to hessian.H.

    The stiffnesses of the individual rows are added elsewhere (see `cost`). A contact on the surface of its cone adds
    two outer products. The first is of the direction across the surface; its scaled normal row is in `hessian.across`.
    The second is of the direction along U, in which the cone is not round. The sum of the tangential rows in this
    direction is in `hessian.along`.
    """
    mu = 0.0
    for r in range(n):
        place = d.cone.place[r]
        if place == FIRST:
            mu = d.cone.axis[r]
            for block in range(block_count(m)):
                put(d.hessian.across, TILE * block, tile(0.0))
                put(d.hessian.along, TILE * block, tile(0.0))
            gather_row(m, d, r, d.hessian.across)
        elif place != NOTHING:
            gather_row(m, d, r, d.hessian.along)
        across = where(place == LAST, d.cone.weight[r], 0.0)
        if is_nonzero(across):
            for block in range(block_count(m)):
                along = tile(d.hessian.along, TILE * block)
                put(d.packed.column, TILE * block, tile(d.hessian.across, TILE * block) - mu * along)
            add_column(m, d, n, across)
            for block in range(block_count(m)):
                put(d.packed.column, TILE * block, tile(d.hessian.along, TILE * block))
            add_column(m, d, n, where(place == LAST, d.cone.along[r], 0.0))


@kernel
def gather_row(m, d, r, sum):
    """Add row r, scaled by its factor in the cone of its contact, to the vector `sum`."""
    for p in range(d.packed.count[r]):
        column = TILE * d.packed.block[r * block_count(m) + p]
        row = tile(d.packed.value, d.packed.start[r] + TILE * p)
        put(sum, column, tile(sum, column) + d.cone.axis[r] * row)


@kernel
def add_column(m, d, n, weight):
    """Add weight times the outer product of `packed.column`, stored temporarily as row n, to hessian.H."""
    pack_row(m, d, n)
    add_outer_product(m, d, n, weight)


@kernel(label="direction")
def conjugate_direction(m, d, n, iteration, active, space):
    """Compute dofs.search := minus M^-1 gradient, plus a multiple of the previous direction; see `Space`."""
    for i in range(m.nv):
        d.conjugate.Mgrad[i] = d.dofs.gradient[i]
    solve_LTDL(m, d.qLD, d.qLDiagInv, d.conjugate.Mgrad, 0, 0, m.nv)
    share = 0.0
    if iteration > 0:
        share = space.edition.share(m, d)
    for i in range(m.nv):
        new = d.conjugate.Mgrad[i]
        d.conjugate.before[i] = new
        if iteration > 0:
            d.dofs.search[i] = share * d.dofs.search[i] - new
        else:
            d.dofs.search[i] = -new
    d.conjugate.product = sum_of_dofs(m, d, 0.0, preconditioned_square)
    d.conjugate.slope = sum_of_dofs(m, d, 0.0, slope_of_dof)


@kernel
def preconditioned_square(d, i):
    """Return the gradient of dof i times element i of M^-1 gradient."""
    return d.dofs.gradient[i] * d.conjugate.Mgrad[i]


@kernel
def slope_of_dof(d, i):
    """Return the gradient of dof i times the search direction."""
    return d.dofs.gradient[i] * d.dofs.search[i]


NEWTON = space_of_dofs(newton_direction, DENSE, is_balanced)
CONJUGATE = space_of_dofs(conjugate_direction, DENSE)
CONJUGATE_COMPRESSED = space_of_dofs(conjugate_direction, COMPRESSED)
CONJUGATE_BRANCHED = space_of_dofs(conjugate_direction, UNITS)
