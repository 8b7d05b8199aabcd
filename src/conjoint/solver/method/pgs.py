"""Projected Gauss-Seidel: the dual problem, one row or one elliptic contact after the other (Computation chapter, PGS).

Where rows act alone worlds are swept in lanes. At which row a contact begins differs between worlds: elliptic contacts
are swept in one world at a time.
"""

from conjoint.lang import abs, any, kernel, lanes_max, local, real, where
from conjoint.lang.language.tile import TILE
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.cost import FIRST, NO_SOLUTION, SATISFIED, elliptic, is_sound, prepare, store_forces
from conjoint.solver.inverse import residuals
from conjoint.solver.linear.dense import add_block, clear, padded
from conjoint.solver.linear.hessian import same_row
from conjoint.solver.method.cone_forces import update_across, update_along_ray
from conjoint.solver.method.dual import (
    LARGEST_CONE,
    ROUNDING,
    dual_states,
    keep_if_cheaper,
    limited,
    load_block,
    residual_of,
    size_of_cone,
    state_of_force,
)
from conjoint.solver.statistics import scale_of, store_dual

REFRESHED = 32
"""Sweeps after which residuals are computed anew, so that rounding does not add up."""


@kernel
def begin_dual(m, d, J, count):
    """efc_b, and the forces at qacc_warmstart if they cost less than none.

    In worlds that have no solution the forces are none either.
    """
    n = lanes_max(count)
    sound = is_sound(m, d, d.dual_size)
    prepare(m, d, n, count, same_row)
    residuals(m, d, J, n, d.qacc_smooth, d.solver_Jv)
    for r in range(n):
        d.efc_b[r] = d.solver_Jv[r]
    residuals(m, d, J, n, d.qacc_warmstart, d.solver_jar)
    store_forces(m, d, n, count, same_row)
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) != 0:
        clear(d.efc_force, 0, n)
    for r in range(n):
        d.efc_force[r] = where(r < count, d.efc_force[r], 0.0)
    clear(d.efc_force, n, padded(n) - n)
    cost = 0.0
    for r in range(n):
        cost = cost + where(r < count, 0.5 * d.efc_force[r] * (d.efc_b[r] + residual_of(d, r, n)), 0.0)
    for r in range(n):
        force = where(cost > 0.0, 0.0, d.efc_force[r])
        d.efc_force[r] = where(sound | (r >= count), force, NO_SOLUTION)


@kernel
def sweep_rows(m, d, count):
    """Sweep over rows that act alone."""
    minimize(m, d, count, sweep, count_states)


@kernel(per_world=True)
def sweep_cones(m, d):
    """Sweep over rows and elliptic contacts, until the dual cost drops no more (mj_fwdConstraint)."""
    if elliptic(m) and d.nefc > 0:
        minimize(m, d, d.nefc, sweep_blocks, count_cones)


@kernel
def minimize(m, d, count, sweep, count_states):
    """Sweep until the dual cost drops no more.

    Args:
        m, d, count: model, data, rows of each world.
        sweep: a kernel with the arguments of `sweep`.
        count_states: one with those of `count_states`.
    """
    n = lanes_max(count)
    active = count > 0
    iterations = 0
    scale = scale_of(m)
    count_states(d, n, count, active)
    for iteration in range(m.opt.iterations):
        if iteration % REFRESHED == 0:
            compute_residuals(d, n)
        improvement = sweep(d, n, count, active) * scale
        pushing, changed = count_states(d, n, count, active)
        store_dual(m, d, iteration, active, improvement, 0.0, pushing, changed)
        iterations = iterations + where(active, 1, 0)
        # the cost rises only by rounding, or where a slice of a cone is searched to some digits: that is no end
        active = active & (abs(improvement) >= m.opt.tolerance)
        if not any(active):
            break
    d.solver_niter[0] = iterations


@kernel
def sweep(d, n, count, active):
    """Minimise the dual cost over each force in turn; returns by how much it drops."""
    gain = 0.0
    for r in range(n):
        change, drop = update_row(d, r, d.dual_residual[r], active & (r < count))
        gain = gain + drop
        add_to_residuals(d, r, n, change)
    return gain


@kernel
def count_states(d, n, count, active):
    """Store the states of the rows; the numbers of rows that push, and of rows that changed their state."""
    pushing = 0
    changed = 0
    for r in range(n):
        live = active & (r < count)
        old = d.efc_state[r]
        state = state_of_force(d, r, d.efc_force[r])
        pushing = pushing + where(live & (state != SATISFIED), 1, 0)
        changed = changed + where(live & (state != old), 1, 0)
        d.efc_state[r] = where(live, state, old)
    return pushing, changed


@kernel
def compute_residuals(d, n):
    """dual_residual of the forces as they are."""
    for r in range(n):
        d.dual_residual[r] = residual_of(d, r, n)
    clear(d.dual_residual, n, padded(n) - n)


@kernel
def add_to_residuals(d, r, n, change):
    """dual_residual after the force of row r has changed."""
    if any(change != 0.0):
        if d.dual_listed:
            for k in range(d.dual_nblock[r]):
                block = d.dual_block[r * (d.nefc_dual // TILE) + k]
                add_block(change, d.efc_AR, r * d.nefc_dual + block, d.dual_residual, block)
        else:
            for block in range(0, n, TILE):
                add_block(change, d.efc_AR, r * d.nefc_dual + block, d.dual_residual, block)


@kernel
def update_row(d, r, residual, live):
    """Minimise the dual cost over the force of row r, at a residual, in the worlds where it is live.

    Returns:
        the change of the force; by how much the cost drops.
    """
    pivot = d.efc_AR[r * (d.nefc_dual + 1)]
    old = d.efc_force[r]
    force = limited(d, r, old - residual / pivot)
    change = force - old
    cost = change * (0.5 * change * pivot + residual)
    better = live & (cost <= ROUNDING)
    d.efc_force[r] = where(better, force, old)
    return where(better, change, 0.0), where(better, -cost, 0.0)


@kernel(per_world=True)
def count_cones(d, n, count, active):
    """`count_states` where there are elliptic contacts."""
    return dual_states(d, n)


@kernel(per_world=True)
def sweep_blocks(d, n, count, active):
    """Minimise the dual cost over the force of each row or contact in turn; returns by how much it drops."""
    A = local(real, LARGEST_CONE * LARGEST_CONE)
    residual = local(real, LARGEST_CONE)
    old = local(real, LARGEST_CONE)
    gain = 0.0
    r = 0
    while r < n:
        size = 1
        if d.solver_cone[r] == FIRST:
            size = size_of_cone(d, r)
            load_block(d, r, size, A, old)
            for i in range(size):
                residual[i] = d.dual_residual[r + i]
            update_along_ray(d, r, size, A, residual, old)
            update_across(d, r, size, 0, A, residual, old)
            gain = gain + keep_if_cheaper(d, r, size, A, residual, old)
            for i in range(size):
                add_to_residuals(d, r + i, n, d.efc_force[r + i] - old[i])
        else:
            change, drop = update_row(d, r, d.dual_residual[r], True)
            gain = gain + drop
            add_to_residuals(d, r, n, change)
        r += size
    return gain
