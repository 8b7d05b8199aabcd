"""Projected Gauss-Seidel by rules of newer versions: in pseudo-random order, with momentum, island by island.

Momentum is Nesterov's: behind the k-th sweep since a start the next one begins at x + (k - 1) / (k + 2) (x - y), where
x and y are the forces behind the last two sweeps, and is brought back into the cones. It starts anew where a sweep goes
against the extrapolation that it began with (O'Donoghue and Candes, Adaptive restart for accelerated gradient schemes,
2015, the gradient scheme; a sweep stands for a step of gradient descent).
"""

from conjoint.lang import kernel, local
from conjoint.schema.constants import mjNISLAND
from conjoint.schema.semantics import EDITION_3, EDITION_4
from conjoint.solver.cost import elliptic, leave_cones_out
from conjoint.solver.linear.hessian import same_row
from conjoint.solver.method.dual import STORED
from conjoint.solver.method.pgs import REFRESHED, sweep_cones, update_block
from conjoint.solver.method.sweep_order import QUARTERS, begin_order, shuffle
from conjoint.solver.method.swept_blocks import (
    bring_inside,
    list_blocks,
    move_to_point,
    renew_residuals,
    row_of_islands,
    scale_of_island,
    size_of_block,
    store_states,
    store_sweep,
)


@kernel(one_by_one="together 0.37 (humanoid), 0.86 (pile), 0.95 (four legs) of the speed")
def sweep_by_rules(m, d, matrix):
    """Sweep in each world until the dual cost of each of its islands drops no more (mj_fwdConstraint)."""
    if m.edition == EDITION_3:
        sweep_cones(m, d, matrix)
    elif d.nefc > 0:
        if not elliptic(m):
            leave_cones_out(d, d.nefc)
        if d.dual_stored != 0:
            sweep_islands(m, d, STORED, matrix.scale)
        else:
            sweep_islands(m, d, matrix, matrix.scale)


@kernel
def sweep_islands(m, d, matrix, scale_of):
    """The same with a matrix as it is stored; the kernel `scale_of` tells what makes a drop of the cost of the whole
    world comparable with the tolerance."""
    if m.edition == EDITION_4 and d.nisland > 0:
        d.nonzeros_due = 0
        for k in range(d.nisland):
            blocks = list_blocks(d, d.island_iefcadr[k], d.island_nefc[k], row_of_islands)
            iterations = minimize_blocks(m, d, blocks, k, scale_of_island(d, k), matrix)
            if k < mjNISLAND:
                d.solver_niter[k] = iterations
                d.solver_nnz[k] = d.island_nefc[k] * d.island_nefc[k]
    else:
        blocks = list_blocks(d, 0, d.nefc, same_row)
        d.solver_niter[0] = minimize_blocks(m, d, blocks, 0, scale_of(m, d), matrix)


@kernel
def minimize_blocks(m, d, blocks, island, scale, matrix):
    """Sweep over the blocks of an island until its dual cost drops no more; the number of sweeps.

    Args:
        m, d: model and data.
        blocks: how many blocks `dual_order` lists.
        island: which one, 0 for the whole world.
        scale: what the drop of the cost is multiplied by to be compared with the tolerance.
        matrix: the matrix, a `DualMatrix`.
    """
    order = local(int, QUARTERS)
    begin_order(order)
    age = 0
    iterations = 0
    store_states(d, blocks)
    for iteration in range(m.opt.iterations):
        if m.edition == EDITION_4:
            shuffle(d, blocks, order)
        if iteration % REFRESHED == 0:
            renew_residuals(m, d, blocks, island, matrix)
        share = 0.0
        if m.edition == EDITION_4 and age > 1:
            share = (age - 1.0) / (age + 2.0)
        extrapolate(m, d, blocks, share, matrix)
        gain = 0.0
        for b in range(blocks):
            gain = gain + update_block(m, d, d.dual_order[b], d.nefc, matrix)
        age += 1
        if share > 0.0 and turn_of_sweep(d, blocks) > 0.0:
            age = 0
        improvement = gain * scale
        store_sweep(m, d, blocks, island, iteration, improvement)
        iterations += 1
        if not improvement >= m.opt.tolerance:
            break
    return iterations


@kernel
def extrapolate(m, d, blocks, share, matrix):
    """Note the forces in `dual_before`, and go on from them by a share of their change since the sweep before."""
    for b in range(blocks):
        r = d.dual_order[b]
        size = size_of_block(d, r)
        if share > 0.0:
            for i in range(r, r + size):
                d.dual_point[i] = d.efc_force[i] + share * (d.efc_force[i] - d.dual_before[i])
            bring_inside(d, r, size)
        for i in range(r, r + size):
            d.dual_before[i] = d.efc_force[i]
        if share > 0.0:
            move_to_point(m, d, r, size, matrix)


@kernel
def turn_of_sweep(d, blocks):
    """How far a sweep went back along the extrapolation that it began with: positive where it went against it."""
    turn = 0.0
    for b in range(blocks):
        r = d.dual_order[b]
        for i in range(r, r + size_of_block(d, r)):
            turn = turn + (d.dual_point[i] - d.efc_force[i]) * (d.dual_point[i] - d.dual_before[i])
    return turn
