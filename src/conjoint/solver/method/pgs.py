"""Projected Gauss-Seidel: the dual problem, one row or one elliptic contact after the other (Computation chapter, PGS).

Where rows act alone worlds are swept in lanes. At which row a contact begins differs between worlds: elliptic contacts
are swept in one world at a time.
"""

from conjoint.lang import abs, any, kernel, lanes_max, local, logical_not, real, where
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.cost.cone import FIRST
from conjoint.solver.cost.interval import NO_SOLUTION, is_sound
from conjoint.solver.cost.total import elliptic, prepare, store_forces
from conjoint.solver.inverse import residuals
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.method.cone_forces import update_across, update_along_ray
from conjoint.solver.method.dual import (
    LARGEST_CONE,
    ROUNDING,
    dual_states,
    keep_if_cheaper,
    limited,
    load_block,
    record_sweep,
    residual_of,
    row_product,
    size_of_cone,
)
from conjoint.solver.statistics import record, record_start, scale_of


@kernel
def begin_dual(m, d, count, project, product):
    """efc_AR, efc_b, and the forces at qacc_warmstart if they cost less than none.

    In worlds that have no solution the forces are none either. `project` and `product` are kernels of the rows as they
    are stored: what makes efc_AR, and a row times a vector.
    """
    n = lanes_max(count)
    sound = is_sound(m, d, project(m, d))
    prepare(m, d, n, count)
    residuals(m, d, n, d.qacc_smooth, d.solver_Jv, product)
    for r in range(n):
        d.efc_b[r] = d.solver_Jv[r] + 0.0
    residuals(m, d, n, d.qacc_warmstart, d.solver_jar, product)
    store_forces(m, d, n, count)
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) != 0:
        clear(d.efc_force, 0, n)
    for r in range(n):
        d.efc_force[r] = where(r < count, d.efc_force[r], 0.0)
    clear(d.efc_force, n, padded(n) - n)
    cost = 0.0
    for r in range(n):
        cost = cost + where(r < count, d.efc_force[r] * (d.efc_b[r] + 0.5 * row_product(d, r, n)), 0.0)
    for r in range(n):
        force = where(cost > 0.0, 0.0, d.efc_force[r])
        d.efc_force[r] = where(sound | (r >= count), force, NO_SOLUTION)


@kernel
def sweep_rows(m, d, count):
    """Sweep over rows that act alone, until the dual cost drops no more."""
    n = lanes_max(count)
    active = count > 0
    iterations = where(active, 0, 0)
    zero = where(active, 0.0, 0.0)
    scale = scale_of(m)
    residuals_of_forces(d, n, count)
    record_start(m, d, n, count)
    for iteration in range(m.opt.iterations):
        improvement = sweep(d, n, count, active) * scale
        residuals_of_forces(d, n, count)
        record(m, d, n, count, iteration, active, improvement, zero, zero, where(active, 0, 0))
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
        gain = gain + update_row(d, r, n, active & (r < count))
    return gain


@kernel
def update_row(d, r, n, live):
    """Minimise the dual cost over the force of row r in the worlds where it is live; returns by how much it drops."""
    pivot = d.efc_AR[r * (d.nefc_dual + 1)]
    residual = residual_of(d, r, n)
    old = d.efc_force[r]
    force = limited(d, r, old - residual / pivot)
    change = force - old
    cost = change * (0.5 * change * pivot + residual)
    better = live & (cost <= ROUNDING)
    d.efc_force[r] = where(better, force, old)
    return where(better, -cost, 0.0)


@kernel
def residuals_of_forces(d, n, count):
    """solver_jar := the residuals that would cause the forces, by which the states are told."""
    for r in range(n):
        d.solver_jar[r] = where(r < count, -d.efc_force[r] * d.efc_R[r], 0.0)


@kernel(per_world=True)
def sweep_cones(m, d):
    """Sweep over rows and elliptic contacts, until the dual cost drops no more (mj_fwdConstraint)."""
    if not elliptic(m):
        return
    n = d.nefc
    if n > 0:
        dual_states(d, n)
        iterations = 0
        for iteration in range(m.opt.iterations):
            improvement = sweep_blocks(d, n) * scale_of(m)
            record_sweep(m, d, iteration, improvement)
            iterations += 1
            if logical_not(abs(improvement) >= m.opt.tolerance):
                break
        d.solver_niter[0] = iterations


@kernel(per_world=True)
def sweep_blocks(d, n):
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
            load_block(d, r, size, n, True, A, residual, old)
            update_along_ray(d, r, size, A, residual, old)
            update_across(d, r, size, 0, A, residual, old)
            gain = gain + keep_if_cheaper(d, r, size, A, residual, old)
        else:
            gain = gain + update_row(d, r, n, True)
        r += size
    return gain
