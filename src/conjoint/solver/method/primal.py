"""Descent in the space of dofs: the loop that Newton's method and conjugate gradients share.

Both minimise the cost 1/2 (qacc - qacc_smooth)' M (qacc - qacc_smooth) + sum of the constraints' costs (Computation
chapter, Constraint model: primal problem), and differ in the direction in which they search. Each world is on its own:
one that has come to its end stays where it is while others go on.
"""

from conjoint.lang import STRIP, abs, any, formula, kernel, lanes_max, logical_not, maximum, put, sqrt, strip, where
from conjoint.physics.inertia import mul_M
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtDisableBit, mjtSolver
from conjoint.solver.cost.interval import NO_SOLUTION, UNBOUNDED, is_sound
from conjoint.solver.cost.total import cost_at, prepare, store_forces, update
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linesearch import drop_at, line_search, slope_at
from conjoint.solver.statistics import record, record_start, scale_of

ROUNDINGS = 32.0
"""Rounding errors that the slope along a direction must exceed to be worth a search."""

BALANCED = 1e-11
"""Gradient, over the sizes of the forces that cancel in it, up to which Newton's method may end because rounding hides
its improvement."""

FINEST_TOLERANCE = 1e-12
"""Tolerance below which Newton's method goes on as far as rounding of its slopes allows."""


@kernel
def descend(m, d, count, direction, load, times, gather, gather_sizes, start):
    """Solve for qacc, efc_force and qfrc_constraint in the worlds where `count`, their number of rows, is not zero.

    Args:
        m: model.
        d: data.
        count: rows of each world.
        direction: kernel (m, d, n, iteration, memory) that makes `solver_search` of `solver_grad`; what it returns is
            its memory in the next iteration.
        load, times, gather, gather_sizes: kernels of the rows as they are stored, like those of `linear.rows`.
        start: `start_cheaper` or `start_warm`.
    """
    n = lanes_max(count)
    prepare(m, d, n, count)
    sound = is_sound(m, d, load(m, d, n, count))
    cost = start(m, d, n, count, times)
    active = sound & (count > 0)
    iterations = where(active, 0, 0)
    zero = where(active, 0.0, 0.0)
    memory = zero
    scale = scale_of(m)
    square, size = update_gradient(m, d, n, count, gather)
    record_start(m, d, n, count)
    for iteration in range(m.opt.iterations):
        memory = direction(m, d, n, iteration, memory)
        slope, curvature, whole, noise, length = search_products(m, d, n, times)
        active = active & (length > mjMINVAL) & (length < UNBOUNDED) & (abs(whole) > ROUNDINGS * m.epsilon * noise)
        tolerance = maximum(m.opt.tolerance * m.opt.ls_tolerance * length / scale, 4.0 * m.epsilon * noise)
        first, second = slope_at(m, d, n, slope, curvature, zero)
        alpha, final, evaluations = line_search(m, d, n, slope, curvature, first, second, tolerance, active)
        active = active & (alpha != 0.0)
        if not any(active):
            break
        drop = drop_at(m, d, n, slope, curvature, alpha)
        # the cost rises only by rounding of large sums that cancel: then the slopes at both ends tell
        improvement = where(drop > 0.0, drop, -0.5 * alpha * (whole + final)) * scale
        move(m, d, n, alpha, active)
        square, size = update_gradient(m, d, n, count, gather)
        gradient = sqrt(square) * scale
        record(m, d, n, count, iteration, active, improvement, gradient, final * scale / length, evaluations)
        iterations = iterations + where(active, 1, 0)
        active = active & (improvement >= m.opt.tolerance) & (gradient >= m.opt.tolerance)
        hidden = active & is_hidden(m, cost, improvement / scale, scale)
        if any(hidden):
            active = active & logical_not(hidden & is_balanced(m, d, n, square, gather_sizes))
        cost = cost - where(active, improvement / scale, 0.0)
        active = active & (square > m.epsilon * m.epsilon * size)
        if not any(active):
            break
    d.solver_niter[0] = where(count > 0, iterations, d.solver_niter[0])
    store_forces(m, d, n, count)
    for i in range(m.nv):
        d.qacc[i] = where(sound | (count == 0), d.qacc[i], NO_SOLUTION)


@kernel
def is_hidden(m, cost, drop, scale):
    """Whether rounding hides by how much the cost drops.

    The official engine takes the difference of two costs. Where forces are huge that is rounding, and it mostly ends.
    So does Newton's method once forces balance, unless the tolerance is below the finest; conjugate gradients, which
    take many small steps, would end far from the solution.
    """
    follows = (m.opt.solver == mjtSolver.mjSOL_NEWTON) & (m.opt.tolerance >= FINEST_TOLERANCE)
    return follows & (rounded_drop(cost, drop) * scale < m.opt.tolerance)


@kernel(rare=True)
def is_balanced(m, d, n, square, gather_sizes):
    """Whether a gradient, of this squared length, is small beside the forces that cancel in it."""
    gather_sizes(m, d, n)
    return square <= BALANCED * BALANCED * force_sizes(d, 0, m.nv)


@formula("real", "real", "real", exact=True)
def rounded_drop(cost, drop):
    """Difference of two costs that differ by `drop`, as it is left by the rounding of the lower one."""
    return cost - (cost - drop)


@kernel
def force_sizes(d, first, end):
    """Squared length of the sizes of the forces that cancel in the gradient of the dofs from `first` to before `end`.

    Those of constraints are in `solver_column`, from column 1 on.
    """
    square = 0.0
    for i in range(first, end):
        size = abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]) + d.solver_column[1 + i]
        square = square + size * size
    return square


@kernel
def start_cheaper(m, d, n, count, times):
    """Start from qacc_warmstart where it costs less than qacc_smooth: qacc, M qacc, the residuals; returns the cost."""
    start_smooth(m, d, n, count, times)
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) != 0:
        clear(d.solver_Jv, 0, padded(n))
        return cost_at(m, d, n, d.solver_jar)
    look_at_warm(m, d, n, count, times)
    smooth = cost_at(m, d, n, d.solver_jar)
    warm = cost_at(m, d, n, d.solver_Jv) + inertial_cost(m, d, d.solver_Mv, d.qacc_warmstart)
    cheaper = warm <= smooth
    take_warm(m, d, n, cheaper & (count > 0))
    return where(cheaper, warm - leave_free(m, d, cheaper & (count > 0)), smooth)


@kernel
def start_warm(m, d, n, count, times):
    """Start from qacc_warmstart: qacc, M qacc and the residuals; returns the cost."""
    start_smooth(m, d, n, count, times)
    look_at_warm(m, d, n, count, times)
    take_warm(m, d, n, count > 0)
    return cost_at(m, d, n, d.solver_Jv) + inertial_cost(m, d, d.solver_Mv, d.qacc_warmstart)


@kernel
def start_smooth(m, d, n, count, times):
    """Residuals and forces at qacc_smooth, from which qacc starts."""
    times(m, d, n, d.qacc_smooth, d.solver_jar)
    for r in range(n):
        live = r < count
        d.solver_jar[r] = d.solver_jar[r] - where(live, d.efc_aref[r], 0.0)
        d.efc_b[r] = where(live, d.solver_jar[r], d.efc_b[r])
    for i in range(m.nv):
        d.solver_Ma[i] = d.qfrc_smooth[i] + 0.0


@kernel
def look_at_warm(m, d, n, count, times):
    """solver_Jv, solver_Mv := residuals and forces at qacc_warmstart."""
    times(m, d, n, d.qacc_warmstart, d.solver_Jv)
    mul_M(m, d, d.solver_Mv, d.qacc_warmstart)
    for r in range(n):
        d.solver_Jv[r] = d.solver_Jv[r] - where(r < count, d.efc_aref[r], 0.0)


@kernel
def inertial_cost(m, d, Ma, qacc):
    """Inertial part of the cost at an acceleration with its forces."""
    cost = 0.0
    for i in range(m.nv):
        cost = cost + inertial_part(d, Ma, qacc, i)
    return 0.5 * cost


@kernel
def inertial_part(d, Ma, qacc, i):
    """What dof i has of the inertial cost, doubled."""
    return (Ma[i] - d.qfrc_smooth[i]) * (qacc[i] - d.qacc_smooth[i])


@kernel
def take_warm(m, d, n, taken):
    """Start from qacc_warmstart in the worlds where it is taken."""
    for r in range(padded(n)):
        d.solver_jar[r] = where(taken, d.solver_Jv[r], d.solver_jar[r])
    for i in range(m.nv):
        d.qacc[i] = where(taken, d.qacc_warmstart[i], d.qacc[i])
        d.solver_Ma[i] = where(taken, d.solver_Mv[i], d.solver_Ma[i])


@kernel
def leave_free(m, d, taken):
    """Where islands were found, but are solved together, dofs in none of them start from qacc_smooth, as officially.

    Returns:
        the inertial cost that they had at qacc_warmstart in the worlds where that was taken.
    """
    saved = 0.0
    if any(d.nisland > 0):
        for i in range(m.nv):
            free = taken & is_free(d, i)
            saved = saved + where(free, 0.5 * inertial_part(d, d.solver_Mv, d.qacc_warmstart, i), 0.0)
            d.qacc[i] = where(free, d.qacc_smooth[i], d.qacc[i])
            d.solver_Ma[i] = where(free, d.qfrc_smooth[i], d.solver_Ma[i])
    return saved


@kernel
def is_free(d, i):
    """Whether islands were found, and dof i is in none of them."""
    return (d.nisland > 0) & (d.dof_island[i] < 0)


@kernel
def update_gradient(m, d, n, count, gather):
    """Forces, qfrc_constraint and the gradient at the current residuals.

    Returns:
        squared length of the gradient; squared length of the forces that cancel in it.
    """
    update(m, d, n)
    gather(m, d, n)
    square = 0.0
    size = 0.0
    for i in range(m.nv):
        push = d.solver_column[1 + i]
        d.qfrc_constraint[i] = where(count > 0, push, d.qfrc_constraint[i])
        g = (d.solver_Ma[i] - d.qfrc_smooth[i]) - push
        d.solver_grad[i] = g
        square = square + g * g
        size = size + d.solver_Ma[i] * d.solver_Ma[i] + d.qfrc_smooth[i] * d.qfrc_smooth[i]
    return square, size


@kernel
def search_products(m, d, n, times):
    """M and J times the search direction, and derivatives of the cost along it, at step 0.

    Returns:
        first and second derivative of the inertial part; first derivative of the cost; what rounding may contribute to
        it, over the relative rounding error; length of the direction.
    """
    mul_M(m, d, d.solver_Mv, d.solver_search)
    times(m, d, n, d.solver_search, d.solver_Jv)
    slope = 0.0
    curvature = 0.0
    whole = 0.0
    noise = 0.0
    square = 0.0
    for i in range(m.nv):
        x = d.solver_search[i]
        slope = slope + x * (d.solver_Ma[i] - d.qfrc_smooth[i])
        curvature = curvature + x * d.solver_Mv[i]
        whole = whole + x * d.solver_grad[i]
        noise = noise + abs(x) * (abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]))
        square = square + x * x
    return slope, curvature, whole, noise, sqrt(square)


@kernel
def move(m, d, n, alpha, active):
    """Take the step in the active worlds."""
    for r in range(0, n, STRIP):
        y = strip(d.solver_jar, r)
        put(d.solver_jar, r, where(active, y + alpha * strip(d.solver_Jv, r), y))
    for i in range(m.nv):
        d.qacc[i] = where(active, d.qacc[i] + alpha * d.solver_search[i], d.qacc[i])
        d.solver_Ma[i] = where(active, d.solver_Ma[i] + alpha * d.solver_Mv[i], d.solver_Ma[i])
