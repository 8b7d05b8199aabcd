"""Newton's method in the space of dofs, with compressed rows and a Hessian of blocks (see `linear.block_hessian`).

It visits the points of `primal.descend`, but leaves out the parts of the scene that have settled (see `settled`).
"""

from conjoint.lang import STRIP, abs, kernel, maximum, put, shared, sqrt, strip
from conjoint.physics.inertia import mul_M_row
from conjoint.schema.constants import SOLVER_SHARES, mjMINVAL
from conjoint.solver.cost.cone import FIRST, LAST
from conjoint.solver.cost.interval import NO_SOLUTION, UNBOUNDED, is_sound
from conjoint.solver.cost.total import elliptic, prepare, update
from conjoint.solver.linear.block_hessian import (
    add_changes,
    add_products,
    begin_blocks,
    begin_unit,
    factorize_blocks,
    spread_row,
    substitute_blocks,
)
from conjoint.solver.linear.compressed import gather_places, gather_sizes_of_places, times_places
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.shares import arrange, share_parts
from conjoint.solver.linesearch import drop_at, line_search, slope_at
from conjoint.solver.method.primal import BALANCED, ROUNDINGS, force_sizes, is_hidden
from conjoint.solver.method.settled import (
    CURVATURE,
    LENGTH,
    NOISE,
    REACH,
    SIZE,
    SLOPE,
    SQUARE,
    WHOLE,
    advance_settled,
    begin_parts,
    settle,
    wake,
)
from conjoint.solver.method.start_shares import start_by_shares
from conjoint.solver.statistics import BLOCKS, record_live, record_start_live, scale_of, store_live_states


@kernel(per_world=True)
def newton_compressed(m, d, count):
    """Solve for qacc, efc_force and qfrc_constraint."""
    descend_by_parts(m, d, count, False)


@kernel(per_world=True)
def descend_by_parts(m, d, count, always):
    """Solve for qacc, efc_force and qfrc_constraint, `count` rows; start from qacc_warmstart if it is cheaper, or
    `always`."""
    n = count + 0
    begin_parts(m, d)
    # rows of a cone act together: with cones there is one share
    share_parts(m, d, 1 if elliptic(m) else SOLVER_SHARES)
    arrange(m, d, n)
    if d.nsolver_share == 1:
        prepare(m, d, n, count)
    residuals, cost = start_by_shares(m, d, n, always)
    sound = is_sound(m, d, residuals)
    begin_unit(d)
    square, size = update_gradient(m, d, n)
    record_start_live(m, d, n)
    iterations = 0
    scale = scale_of(m)
    while sound and iterations < m.opt.iterations:
        if iterations == 0 or elliptic(m):
            clear(d.solver_mask, 0, n)
        shared(search_share, m, d, d.nsolver_share, iterations)
        clear(d.solver_Jv, n, padded(n) - n)
        slope, curvature, whole, noise, length = search_sums(d)
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
        record_live(m, d, iterations, alpha != 0.0, improvement, gradient, final * scale / length, evaluations)
        iterations += 1
        if not (improvement >= m.opt.tolerance and gradient >= m.opt.tolerance):
            break
        if is_hidden(m, cost, improvement / scale, scale):
            if d.settled_num[BLOCKS] > 0:
                wake(m, d, n, count)
                n = count + 0
                square, size = update_gradient(m, d, n)
            if square <= BALANCED * BALANCED * live_force_sizes(m, d):
                break
        cost -= improvement / scale
        if not square > m.epsilon * m.epsilon * size:
            break
        if not elliptic(m) and iterations < m.opt.iterations:
            n = settle(m, d, n, alpha)
    d.solver_niter[0] = iterations
    if d.settled_num[BLOCKS] > 0:
        wake(m, d, n, count)
        update_gradient(m, d, count)
    store_live_forces(m, d, count)
    for i in range(m.nv):
        d.qacc[i] = d.qacc[i] if sound else NO_SOLUTION


@kernel(per_world=True)
def update_gradient(m, d, n):
    """Forces, qfrc_constraint and the gradient at the current residuals, of the live rows and dofs.

    Returns:
        squared length of the gradient; squared length of the forces that cancel in it, both of all dofs.
    """
    update(m, d, n)
    shared(gradient_of_share, m, d, d.nsolver_share)
    square = d.settled_sum[SQUARE] + 0.0
    size = d.settled_sum[SIZE] + 0.0
    for s in range(d.nsolver_share):
        square += d.share_sum[s, SQUARE]
        size += d.share_sum[s, SIZE]
    return square, size


@kernel(per_world=True)
def live_force_sizes(m, d):
    """What `primal.force_sizes` returns for the live dofs."""
    square = 0.0
    clear(d.solver_column, 0, 1 + m.nv)
    for s in range(d.nsolver_share):
        gather_sizes_of_places(m, d, d.share_row[s], d.share_row[s + 1])
        for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
            square += force_sizes(d, m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]])
    return square


@kernel(per_world=True)
def gradient_of_share(m, d, s):
    """qfrc_constraint and the gradient of share s, and their sums."""
    square = 0.0
    size = 0.0
    first = d.share_adr[s]
    end = first + d.share_run[s]
    for j in range(first, end):
        i = m.block_dof[d.live_first[j]]
        clear(d.solver_column, 1 + i, m.block_dof[d.live_end[j]] - i)
    gather_places(m, d, d.share_row[s], d.share_row[s + 1])
    for j in range(first, end):
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            push = d.solver_column[1 + i]
            d.qfrc_constraint[i] = push
            g = (d.solver_Ma[i] - d.qfrc_smooth[i]) - push
            d.grad_before[i] = d.solver_grad[i]
            d.solver_grad[i] = g
            square += g * g
            size += d.solver_Ma[i] * d.solver_Ma[i] + d.qfrc_smooth[i] * d.qfrc_smooth[i]
    d.share_sum[s, SQUARE] = square
    d.share_sum[s, SIZE] = size


@kernel(per_world=True)
def search_sums(d):
    """What `primal.search_products` returns, with the sums over what is settled."""
    slope = -d.settled_sum[CURVATURE]
    curvature = d.settled_sum[CURVATURE] + 0.0
    whole = -d.settled_sum[CURVATURE]
    noise = d.settled_sum[NOISE] + 0.0
    square = d.settled_sum[LENGTH] + 0.0
    for s in range(d.nsolver_share):
        slope += d.share_sum[s, SLOPE]
        curvature += d.share_sum[s, CURVATURE]
        whole += d.share_sum[s, WHOLE]
        noise += d.share_sum[s, NOISE]
        square += d.share_sum[s, LENGTH]
    return slope, curvature, whole, noise, sqrt(square)


@kernel(per_world=True)
def search_share(m, d, s, iteration):
    """The search direction of share s, its products, and the sums over them."""
    make_direction(m, d, s, iteration)
    times_places(m, d, d.share_row[s], d.share_row[s + 1], d.solver_search, d.solver_Jv)
    slope = 0.0
    curvature = 0.0
    whole = 0.0
    noise = 0.0
    square = 0.0
    for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            mul_M_row(m, d, d.solver_Mv, d.solver_search, i)
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            x = d.solver_search[i]
            slope += x * (d.solver_Ma[i] - d.qfrc_smooth[i])
            curvature += x * d.solver_Mv[i]
            whole += x * d.solver_grad[i]
            noise += abs(x) * (abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]))
            square += x * x
    d.share_sum[s, SLOPE] = slope
    d.share_sum[s, CURVATURE] = curvature
    d.share_sum[s, WHOLE] = whole
    d.share_sum[s, NOISE] = noise
    d.share_sum[s, LENGTH] = square


@kernel(per_world=True)
def move(m, d, n, alpha):
    """Take the step."""
    advance_settled(m, d, alpha)
    for k in range(0, n, STRIP):
        put(d.solver_jar, k, strip(d.solver_jar, k) + alpha * strip(d.solver_Jv, k))
    shared(move_share, m, d, d.nsolver_share, alpha)


@kernel(per_world=True)
def move_share(m, d, s, alpha):
    """Take the step of the dofs of share s."""
    for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            d.qacc[i] = d.qacc[i] + alpha * d.solver_search[i]
            d.solver_Ma[i] = d.solver_Ma[i] + alpha * d.solver_Mv[i]


@kernel(per_world=True)
def make_direction(m, d, s, iteration):
    """solver_search := minus the gradient over the Hessian, which has the rows that are springs now, of share s."""
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
            first = r + 0
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


@kernel(per_world=True)
def store_live_forces(m, d, n):
    """efc_force and efc_state at the residuals in `solver_jar`, of all rows, n."""
    update(m, d, n)
    for k in range(n):
        d.efc_force[d.live_row[k]] = d.solver_force[k]
    store_live_states(m, d, n)
