"""Newton's method in the space of dofs, with compressed rows and a Hessian of blocks (see `linear.block_hessian`).

It visits the points of `primal.descend`, but leaves out the parts of the scene that have settled (see `settled`).
"""

from conjoint.lang import STRIP, abs, kernel, maximum, put, sqrt, strip
from conjoint.physics.inertia import mul_M_row
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.cost.cone import FIRST, LAST
from conjoint.solver.cost.interval import NO_SOLUTION, UNBOUNDED, is_sound
from conjoint.solver.cost.total import elliptic, prepare, store_forces, update
from conjoint.solver.linear.block_hessian import (
    add_changes,
    add_products,
    begin_blocks,
    factorize_blocks,
    spread_row,
    substitute_blocks,
)
from conjoint.solver.linear.compressed import gather_compressed, list_compressed, times_compressed
from conjoint.solver.linear.dense import clear
from conjoint.solver.linesearch import drop_at, line_search, slope_at
from conjoint.solver.method.primal import ROUNDINGS, start_cheaper
from conjoint.solver.method.settled import (
    CURVATURE,
    LENGTH,
    NOISE,
    REACH,
    SIZE,
    SQUARE,
    advance_settled,
    begin_parts,
    settle,
    wake,
)
from conjoint.solver.statistics import BLOCKS, record_live, record_start, scale_of


@kernel(per_world=True)
def newton_compressed(m, d, count):
    """Solve for qacc, efc_force and qfrc_constraint."""
    descend_by_parts(m, d, count, start_cheaper)


@kernel(per_world=True)
def descend_by_parts(m, d, count, start):
    """Solve for qacc, efc_force and qfrc_constraint, `count` rows; `start` is `start_cheaper` or `start_warm`."""
    n = count + 0
    prepare(m, d, n, count)
    sound = is_sound(m, d, list_compressed(m, d, n, count))
    start(m, d, n, count, times_compressed)
    begin_parts(m, d)
    square, size = update_gradient(m, d, n)
    record_start(m, d, n, count)
    iterations = 0
    scale = scale_of(m)
    while sound and iterations < m.opt.iterations:
        make_direction(m, d, n, iterations)
        slope, curvature, whole, noise, length = search_products(m, d, n)
        if not (length > mjMINVAL and length < UNBOUNDED and abs(whole) > ROUNDINGS * m.epsilon * noise):
            break
        tolerance = maximum(m.opt.tolerance * m.opt.ls_tolerance * length / scale, 4.0 * m.epsilon * noise)
        first, second = slope_at(m, d, n, slope, curvature, 0.0)
        alpha, final, evaluations = line_search(m, d, n, slope, curvature, first, second, tolerance, length > 0.0)
        if alpha == 0.0:
            break
        if d.settled_num[BLOCKS] > 0 and (alpha < 0.0 or alpha > REACH):
            # settled parts may leave their lines
            wake(m, d, n, count)
            n = count + 0
            square, size = update_gradient(m, d, n)
            continue
        drop = drop_at(m, d, n, slope, curvature, alpha)
        # the cost rises only by rounding of large sums that cancel: then the slopes at both ends tell
        improvement = (drop if drop > 0.0 else -0.5 * alpha * (whole + final)) * scale
        move(m, d, n, alpha)
        square, size = update_gradient(m, d, n)
        gradient = sqrt(square) * scale
        record_live(m, d, n, iterations, alpha != 0.0, improvement, gradient, final * scale / length, evaluations)
        iterations += 1
        if not (improvement >= m.opt.tolerance and gradient >= m.opt.tolerance):
            break
        if not square > m.epsilon * m.epsilon * size:
            break
        if not elliptic(m) and iterations < m.opt.iterations:
            n = settle(m, d, n, alpha)
    d.solver_niter[0] = iterations
    if d.settled_num[BLOCKS] > 0:
        wake(m, d, n, count)
        update_gradient(m, d, count)
    store_forces(m, d, count, count)
    for i in range(m.nv):
        d.qacc[i] = d.qacc[i] if sound else NO_SOLUTION


@kernel(per_world=True)
def update_gradient(m, d, n):
    """Forces, qfrc_constraint and the gradient at the current residuals, of the live rows and dofs.

    Returns:
        squared length of the gradient; squared length of the forces that cancel in it, both of all dofs.
    """
    update(m, d, n)
    gather_compressed(m, d, n)
    square = d.settled_sum[SQUARE] + 0.0
    size = d.settled_sum[SIZE] + 0.0
    for j in range(d.nlive):
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            push = d.solver_column[1 + i]
            d.qfrc_constraint[i] = push
            g = (d.solver_Ma[i] - d.qfrc_smooth[i]) - push
            d.grad_before[i] = d.solver_grad[i]
            d.solver_grad[i] = g
            square += g * g
            size += d.solver_Ma[i] * d.solver_Ma[i] + d.qfrc_smooth[i] * d.qfrc_smooth[i]
    return square, size


@kernel(per_world=True)
def search_products(m, d, n):
    """What `primal.search_products` does, with the sums over what is settled."""
    times_compressed(m, d, n, d.solver_search, d.solver_Jv)
    slope = -d.settled_sum[CURVATURE]
    curvature = d.settled_sum[CURVATURE] + 0.0
    whole = -d.settled_sum[CURVATURE]
    noise = d.settled_sum[NOISE] + 0.0
    square = d.settled_sum[LENGTH] + 0.0
    for j in range(d.nlive):
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            mul_M_row(m, d, d.solver_Mv, d.solver_search, i)
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            x = d.solver_search[i]
            slope += x * (d.solver_Ma[i] - d.qfrc_smooth[i])
            curvature += x * d.solver_Mv[i]
            whole += x * d.solver_grad[i]
            noise += abs(x) * (abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]))
            square += x * x
    return slope, curvature, whole, noise, sqrt(square)


@kernel(per_world=True)
def move(m, d, n, alpha):
    """Take the step."""
    advance_settled(m, d, alpha)
    for k in range(0, n, STRIP):
        put(d.solver_jar, k, strip(d.solver_jar, k) + alpha * strip(d.solver_Jv, k))
    for j in range(d.nlive):
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            d.qacc[i] = d.qacc[i] + alpha * d.solver_search[i]
            d.solver_Ma[i] = d.solver_Ma[i] + alpha * d.solver_Mv[i]


@kernel(per_world=True)
def make_direction(m, d, n, iteration):
    """solver_search := minus the gradient over the Hessian, which has the rows that are springs now."""
    if iteration == 0 or elliptic(m):
        begin_blocks(m, d)
        clear(d.solver_mask, 0, n)
    add_changes(m, d, n)
    if elliptic(m):
        add_sliding(m, d, n)
    factorize_blocks(m, d)
    substitute_blocks(m, d)


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
