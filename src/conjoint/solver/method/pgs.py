"""Projected Gauss-Seidel: the dual problem, one row or one elliptic contact after the other (Computation chapter, PGS).

Where rows act alone worlds are swept in lanes. At which row a contact begins differs between worlds: elliptic contacts
are swept in one world at a time.
"""

from conjoint.lang import abs, any, kernel, local, real, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.enums import mjtDisableBit
from conjoint.schema.semantics import EDITION_3
from conjoint.solver.cost import FIRST, NO_SOLUTION, elliptic, is_sound, prepare, store_forces
from conjoint.solver.inverse import residuals
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.half_rows import LARGEST_CONE
from conjoint.solver.linear.hessian import same_row
from conjoint.solver.method.cone_forces import update_across, update_along_ray
from conjoint.solver.method.dual import (
    ROUNDING,
    STORED,
    change_force,
    compute_residuals,
    dual_states,
    element_of,
    keep_if_cheaper,
    limited,
    load_block,
    record_sweep,
    residual_of,
    size_of_cone,
)

REFRESHED = 32
"""Sweeps after which residuals are computed anew, so that rounding does not add up."""


@kernel
def begin_dual(m, d, J, count):
    """efc_b, and the forces at qacc_warmstart."""
    n = fullest(count)
    prepare(m, d, n, count, same_row)
    residuals(m, d, J, n, d.qacc_smooth, d.solver_Jv)
    for r in range(n):
        d.efc_b[r] = d.solver_Jv[r]
    residuals(m, d, J, n, d.qacc_warmstart, d.solver_jar)
    store_forces(m, d, n, count, same_row)
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) != 0:
        clear(d.efc_force, 0, n)
    for r in range(n):
        if r >= count:
            d.efc_force[r] = 0.0
    clear(d.efc_force, n, padded(n) - n)


@kernel
def begin_sweeps(m, d, count, matrix):
    """Keep the forces at qacc_warmstart if they cost less than none, in the worlds with `count` rows.

    In worlds that have no solution the forces are none either.
    """
    n = fullest(count)
    sound = is_sound(m, d, d.dual_size)
    compute_residuals(m, d, n, count, matrix)
    cost = 0.0
    for r in range(n):
        product = 0.5 * d.efc_force[r] * (d.efc_b[r] + residual_of(m, d, r, matrix))
        cost = cost + where(r < count, product, 0.0)
    if not sound or cost > 0.0:
        for r in range(count):
            d.efc_force[r] = where(sound, 0.0, NO_SOLUTION)


@kernel
def in_lanes(m, matrix):
    """Whether worlds are swept side by side: where rows act alone, and in all of them the same one is next."""
    if matrix.by_rules:
        return not elliptic(m) and m.edition == EDITION_3
    return not elliptic(m)


@kernel
def sweep_rows(m, d, matrix):
    """Sweep over rows that act alone, and begin with those that do not, in the worlds that have the matrix stored, and
    in those that have it by rows."""
    stored = where(d.dual_stored != 0, d.nefc, 0)
    others = d.nefc - stored
    begin_sweeps(m, d, stored, STORED)
    begin_sweeps(m, d, others, matrix)
    if in_lanes(m, matrix):
        minimize(m, d, stored, sweep, STORED, matrix.scale)
        minimize(m, d, others, sweep, matrix, matrix.scale)


@kernel(one_by_one="together 0.39 (humanoid), 1.09 (pile), 1.26 (quadruped) of the speed")
def sweep_cones(m, d, matrix):
    """Sweep over rows and elliptic contacts, until the dual cost drops no more (mj_fwdConstraint)."""
    if elliptic(m) and d.nefc > 0:
        if d.dual_stored != 0:
            minimize(m, d, d.nefc, sweep_blocks, STORED, matrix.scale)
        else:
            minimize(m, d, d.nefc, sweep_blocks, matrix, matrix.scale)


@kernel
def minimize(m, d, count, sweep, matrix, scale_of):
    """Sweep until the dual cost drops no more, in the worlds that have rows.

    Args:
        m, d, count: model, data, rows of each world.
        sweep: a kernel with the arguments of `sweep`.
        matrix: the matrix, a `DualMatrix`.
        scale_of: a kernel, what the drop of the cost is multiplied by to be compared with the tolerance.
    """
    n = fullest(count)
    active = count > 0
    iterations = 0
    scale = scale_of(m, d)
    if m.nsolverstat > 0:
        # the first sweep counts the rows that change their states
        dual_states(m, d, count)
    for iteration in range(m.opt.iterations):
        if not any(active):
            break
        if iteration % REFRESHED == 0:
            compute_residuals(m, d, n, count, matrix)
        improvement = sweep(m, d, n, count, active, matrix) * scale
        if active:
            record_sweep(m, d, count, iteration, improvement)
            iterations += 1
        # the cost rises only by rounding, or where a slice of a cone is searched to some digits: that is no end
        active = active & (abs(improvement) >= m.opt.tolerance)
    if count > 0:
        d.solver_niter[0] = iterations
        dual_states(m, d, count)


@kernel
def sweep(m, d, n, count, active, matrix):
    """Minimise the dual cost over each force in turn; returns by how much it drops."""
    gain = 0.0
    for r in range(n):
        gain = gain + update_row(m, d, r, n, active & (r < count), matrix)
    return gain


@kernel
def update_row(m, d, r, n, live, matrix):
    """Minimise the dual cost over the force of row r in the worlds where it is live; by how much the cost drops."""
    residual = residual_of(m, d, r, matrix)
    pivot = element_of(d, r, 0, matrix)
    old = d.efc_force[r]
    force = limited(d, r, old - residual / pivot)
    change = force - old
    cost = change * (0.5 * change * pivot + residual)
    better = live & (cost <= ROUNDING)
    if better:
        d.efc_force[r] = force
    change_force(m, d, r, n, where(better, change, 0.0), matrix)
    return where(better, -cost, 0.0)


@kernel
def sweep_blocks(m, d, n, count, active, matrix):
    """Minimise the dual cost over the force of each row or contact in turn; returns by how much it drops."""
    gain = 0.0
    r = 0
    while active and r < count:
        gain = gain + update_block(m, d, r, n, matrix)
        if d.solver_cone[r] == FIRST:
            r += size_of_cone(d, r)
        else:
            r += 1
    return gain


@kernel
def update_block(m, d, r, n, matrix):
    """Minimise the dual cost over the force of row r, or of the elliptic contact that begins there; by how much it
    drops. `n` rows follow the change."""
    if d.solver_cone[r] != FIRST:
        return update_row(m, d, r, n, n > 0, matrix)
    A = local(real, LARGEST_CONE * LARGEST_CONE)
    residual = local(real, LARGEST_CONE)
    old = local(real, LARGEST_CONE)
    size = size_of_cone(d, r)
    load_block(d, r, size, A, old, matrix)
    for i in range(size):
        residual[i] = residual_of(m, d, r + i, matrix)
    update_along_ray(d, r, size, A, residual, old)
    update_across(d, r, size, size, size > 0, 0, A, residual, old)
    drop = keep_if_cheaper(d, r, size, size, size > 0, A, residual, old)
    for i in range(size):
        change_force(m, d, r + i, n, d.efc_force[r + i] - old[i], matrix)
    return drop
