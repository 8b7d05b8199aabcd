"""The noslip solver island by island, as newer versions have it (rule `shuffle`): each ends by itself."""

from conjoint.lang import kernel
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjNISLAND
from conjoint.solver.cost import FIRST, find_cones
from conjoint.solver.method.dual import motion_of_forces
from conjoint.solver.method.noslip import load_friction, sweep_contact, sweep_row
from conjoint.solver.method.swept_blocks import (
    list_blocks,
    row_of_islands,
    scale_of_island,
    store_states,
    store_sweep,
)


@kernel
def begin_noslip_islands(m, d, rows):
    """The rows of friction, as the `HalfRows` store them (mj_fwdConstraint)."""
    n = fullest(d.nefc)
    if n > 0:
        find_cones(d, n, d.nefc)
        load_friction(m, d, n, d.nefc, rows)


@kernel(one_by_one="together 0.53 (humanoid), 0.87 (quadruped), 1.89 (pile) of the speed")
def sweep_noslip_islands(m, d, rows):
    """Forces without slip, island by island (mj_fwdConstraint)."""
    if d.nefc > 0:
        for k in range(d.nisland):
            take_slip_out_of_island(m, d, k, rows)


@kernel
def finish_noslip_islands(m, d, rows):
    """The accelerations that they cause (mj_fwdConstraint)."""
    if fullest(d.nefc) > 0:
        motion_of_forces(m, d, rows.J)


@kernel
def take_slip_out_of_island(m, d, k, rows):
    """Forces of island k without slip."""
    blocks = list_blocks(d, d.island_iefcadr[k], d.island_nefc[k], row_of_islands)
    store_states(d, blocks)
    # those beyond the last have no statistics
    iterations = 0
    if k < mjNISLAND:
        iterations = d.solver_niter[k]
    # leaving out the regularization counts as progress
    gain = 0.0
    for place in range(d.island_iefcadr[k], d.island_iefcadr[k] + d.island_nefc[k]):
        r = d.map_iefc2efc[place]
        gain = gain + 0.5 * d.efc_force[r] * d.efc_force[r] * d.efc_R[r]
    for _ in range(m.opt.noslip_iterations):
        for b in range(blocks):
            gain = gain + sweep_block(m, d, d.dual_order[b], rows)
        improvement = gain * scale_of_island(d, k)
        store_sweep(m, d, blocks, k, iterations, improvement)
        iterations += 1
        if not improvement >= m.opt.noslip_tolerance:
            break
        gain = 0.0
    if k < mjNISLAND:
        d.solver_niter[k] = iterations


@kernel
def sweep_block(m, d, r, rows):
    """Minimise the cost without R over the friction of the constraint that begins at row r; by how much it drops."""
    if d.solver_cone[r] == FIRST:
        return sweep_contact(m, d, r + 1, d.nefc > 0, rows)
    if d.dual_left[r] != 0:
        return sweep_row(m, d, r, rows)
    return 0.0
