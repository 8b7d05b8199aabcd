"""Newton's method in the space of constraint rows, for problems with fewer rows than dofs.

Every point the method visits is qacc = qacc_smooth + beta x + M^-1 J' lambda: it is kept as beta and the multipliers
lambda. At the start lambda are the forces that belong to qacc_warmstart, so x, what they do not explain of it, is small
where qacc_warmstart is nearly the solution, and nothing large cancels. With A = J M^-1 J' the Newton step of the primal
problem becomes a system in the rows that act as springs, (A + R) dlambda = rhs, far smaller than the Hessian; A is
computed once (matrix inversion lemma applied to M + J' D J). Iterates, costs and gradients are those of the primal
method.
"""

from conjoint.lang import (
    STRIP,
    abs,
    any,
    clip,
    kernel,
    lanes_max,
    logical_not,
    maximum,
    put,
    sqrt,
    strip,
    total,
    where,
)
from conjoint.physics.factors import mul_lower, mul_transposed, solve_lower
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.cost.interval import (
    NO_SOLUTION,
    UNBOUNDED,
    bound_rows,
    clipped_drop,
    is_sound,
    rows_cost,
    update_forces,
)
from conjoint.solver.cost.total import store_forces
from conjoint.solver.linear.dense import BLOCK, add_listed_rows, clear, padded, stride_of
from conjoint.solver.linear.project import (
    gram,
    half_solve,
    rows_times,
    rows_times_two,
    transpose_rows,
    transposed_times,
)
from conjoint.solver.linear.springs import solve_springs
from conjoint.solver.linesearch import line_search
from conjoint.solver.method.primal import ROUNDINGS, is_free
from conjoint.solver.statistics import record, record_start, scale_of

CANCELLED = 64.0
"""Square roots of the rounding error, times the parts of a step's curvature, below which these have cancelled."""


@kernel
def newton_rows(m, d, count):
    """Solve for qacc, efc_force and qfrc_constraint in the worlds where `count`, their number of rows, is not zero.

    Returns:
        the worlds that are given up: multipliers do nearly nothing together, as those of a contact along whose normal
        nothing can move, so that what they do is rounding.
    """
    n = lanes_max(count)
    bound_rows(d, n, count)
    transpose_rows(m, d, n, count, d.solver_JT)
    size = half_solve(m, d, n, d.solver_JT, d.solver_half)
    gram(m, d, n, d.solver_half, d.solver_A, stride_of(n))
    beta, inertial, along = start(m, d, n, count)
    extent = smooth_extent(m, d)
    sound = is_sound(m, d, size)
    active = sound & (count > 0)
    lost = count < 0
    record_start(m, d, n, count)
    iterations = where(active, 0, 0)
    scale = scale_of(m)
    for iteration in range(m.opt.iterations):
        search_direction(m, d, n, beta, active)
        slope, curvature, whole, noise, parts = slopes(d, n, beta, inertial)
        active = active & (abs(whole) > ROUNDINGS * m.epsilon * noise)
        # a first step is worth taking, others if they may improve the cost
        worth = (iteration == 0) | (abs(whole) * scale > m.opt.tolerance)
        lost = lost | (active & worth & (curvature < CANCELLED * sqrt(m.epsilon) * parts))
        # length of the direction, by the inertia
        length = sqrt(curvature / m.stat.meaninertia)
        active = active & logical_not(lost) & (length > mjMINVAL) & (length < UNBOUNDED)
        tolerance = maximum(m.opt.tolerance * m.opt.ls_tolerance * length / scale, 4.0 * m.epsilon * noise)
        # the direction is exact: so is the whole step, unless rows change state on the way
        alpha, final, evaluations = line_search(m, d, n, slope, curvature, whole, -whole, tolerance, active)
        active = active & (alpha != 0.0)
        if not any(active):
            break
        drop, settled, downhill = move(m, d, n, alpha, active)
        improvement = (drop - alpha * (slope + 0.5 * alpha * curvature)) * scale
        beta = where(active, beta - alpha * beta, beta)
        iterations = iterations + where(active, 1, 0)
        goes_on = active & (improvement >= m.opt.tolerance) & ((beta != 0.0) | logical_not(settled))
        recorded = iteration < m.nsolverstat
        # along qacc_smooth the gradient is known: where that is enough for it to be long, its length does not matter
        steep = abs(beta * along + downhill) * scale > 2.0 * m.opt.tolerance * extent
        if recorded or any(goes_on & logical_not(steep)):
            gradient = gradient_norm(m, d, n, beta) * scale
            if recorded:
                record(m, d, n, count, iteration, active, improvement, gradient, final * scale / length, evaluations)
            goes_on = goes_on & (steep | (gradient >= m.opt.tolerance))
        active = goes_on
        if not any(active):
            break
    solved = where(lost, 0, count)
    d.solver_niter[0] = where(solved > 0, iterations, d.solver_niter[0])
    finish(m, d, n, solved, sound, beta)
    return lost


@kernel
def start(m, d, n, count):
    """Start from qacc_warmstart where it costs less than qacc_smooth.

    Returns:
        beta: 1 in the worlds that start from qacc_warmstart, else 0; the inertial cost of what its forces leave of it,
            doubled; M times that, times qacc_smooth.
    """
    # residuals at qacc_smooth, and what qacc_warmstart adds
    for r in range(padded(n)):
        d.solver_jar[r] = where(r < count, -d.efc_aref[r], 0.0)
    cheaper = count < 0
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) == 0:
        for i in range(m.nv):
            d.solver_search[i] = d.qacc_warmstart[i] - d.qacc_smooth[i]
        rows_times_two(m, n, d.solver_JT, d.qacc_smooth, d.solver_search, d.solver_jar, d.solver_Jv)
        # by M = L' D L
        mul_lower(m, d.qLD, d.solver_search)
        inertial = 0.0
        for i in range(m.nv):
            pivot = d.qLD[m.M_rowadr[i] + m.M_rownnz[i] - 1]
            inertial = inertial + pivot * (d.solver_search[i] * d.solver_search[i])
        cheaper = rows_cost(d, n, d.solver_Jv) + 0.5 * inertial <= rows_cost(d, n, d.solver_jar)
        cheaper = cheaper & (count > 0)
        if any(d.nisland > 0):
            # L joins no dof in an island with one in none
            for i in range(m.nv):
                d.solver_search[i] = where(is_free(d, i), 0.0, d.solver_search[i])
    else:
        rows_times(m, n, d.solver_JT, d.qacc_smooth, d.solver_jar)
    clear(d.solver_smooth, n, padded(n) - n)
    for r in range(n):
        d.efc_b[r] = where(r < count, d.solver_jar[r], d.efc_b[r])
        d.solver_smooth[r] = where(r < count, d.solver_jar[r] + d.efc_aref[r], 0.0)
    clear(d.solver_lambda, 0, padded(n))
    if any(cheaper):
        for r in range(padded(n)):
            d.solver_jar[r] = where(cheaper, d.solver_Jv[r], d.solver_jar[r])
    update_forces(d, n)
    for r in range(padded(n)):
        d.solver_rest[r] = -d.solver_force[r]
    beta = where(cheaper, 1.0, 0.0)
    if any(cheaper):
        inertial, along = explain(m, d, n, cheaper)
        return beta, inertial, along
    clear(d.solver_search, 0, m.nv)
    clear(d.solver_Ma, 0, m.nv)
    clear(d.solver_warm, 0, padded(n))
    return beta, beta, beta


@kernel
def explain(m, d, n, warm):
    """Take the forces at the residuals for the multipliers in the `warm` worlds.

    With x, what they leave of the acceleration, L x goes to `solver_search`, where L times the whole acceleration was,
    M x to `solver_Ma` and J x to `solver_warm`: with M = L' D L, D L x is what half a solve leaves.

    Returns:
        The inertial cost of what is left, doubled; M times that, times qacc_smooth.
    """
    transposed_times(m, n, d.solver_half, d.solver_force, d.solver_grad)
    inertial = 0.0
    for i in range(m.nv):
        pivot = d.qLD[m.M_rowadr[i] + m.M_rownnz[i] - 1]
        left = where(warm, pivot * d.solver_search[i] - d.solver_grad[i], 0.0)
        lower = left * d.qLDiagInv[i]
        inertial = inertial + left * lower
        d.solver_Ma[i] = left
        d.solver_search[i] = lower
    mul_transposed(m, d.qLD, d.solver_Ma)
    along = 0.0
    for i in range(m.nv):
        along = along + d.qacc_smooth[i] * d.solver_Ma[i]
    clear(d.solver_warm, 0, padded(n))
    rows_times(m, n, d.solver_half, d.solver_search, d.solver_warm)
    for r in range(padded(n)):
        d.solver_lambda[r] = where(warm, d.solver_force[r], 0.0)
        d.solver_rest[r] = where(warm, 0.0, -d.solver_force[r])
    return inertial, along


@kernel
def smooth_extent(m, d):
    """Sum of the sizes of qacc_smooth, which is not less than its length."""
    extent = 0.0
    for i in range(m.nv):
        extent = extent + abs(d.qacc_smooth[i])
    return extent


@kernel
def search_direction(m, d, n, beta, active):
    """Newton step of the multipliers into `solver_step`, of the residuals into `solver_Jv`, in the active worlds."""
    # outside its interval a row's multiplier goes to the constant force
    loose = 0
    for r in range(padded(n)):
        step = where(d.solver_spring[r] != 0.0, 0.0, -d.solver_rest[r])
        d.solver_step[r] = step
        d.solver_Jv[r] = 0.0
        # written in any case, and kept where it counts: whether it does is hard to foresee for a processor
        d.solver_row[loose] = r
        d.solver_Mv[loose] = step
        if any((step != 0.0) & active):
            loose += 1
    multiply_rows(d, n, loose)
    # inside, a system decides
    springs = 0
    for r in range(n):
        d.solver_row[springs] = r
        if any((d.solver_spring[r] != 0.0) & active):
            springs += 1
    solve_springs(d, n, springs, beta, d.solver_Mv)
    for a in range(springs):
        r = d.solver_row[a]
        d.solver_step[r] = d.solver_step[r] + d.solver_Mv[a]
    multiply_rows(d, n, springs)
    for r in range(padded(n)):
        d.solver_Jv[r] = d.solver_Jv[r] - beta * d.solver_warm[r]


@kernel
def multiply_rows(d, n, count):
    """solver_Jv += A times a vector that is `solver_Mv` in the first `count` rows of `solver_row`, zero in others."""
    stride = stride_of(n)
    for block in range(0, n, BLOCK):
        add_listed_rows(count, d.solver_row, d.solver_Mv, d.solver_A, block, stride, d.solver_Jv, block)


@kernel
def slopes(d, n, beta, inertial):
    """Derivatives of the cost along the search direction, at step 0.

    Returns:
        first and second derivative of the inertial part; first derivative of the cost; what rounding may contribute to
        it, over the relative rounding error; the sum of the sizes of the parts of the second derivative.
    """
    along = -beta * inertial
    shift = strip(0.0)
    slope = strip(0.0)
    curvature = strip(0.0)
    whole = strip(0.0)
    noise = strip(0.0)
    parts = strip(0.0)
    for r in range(0, n, STRIP):
        v = strip(d.solver_Jv, r)
        multiplier = strip(d.solver_lambda, r)
        step = strip(d.solver_step, r)
        rest = strip(d.solver_rest, r)
        shift = shift + strip(d.solver_warm, r) * step
        slope = slope + multiplier * v
        curvature = curvature + step * v
        parts = parts + abs(step * v)
        whole = whole + rest * v
        noise = noise + abs(v) * (abs(multiplier) + abs(rest))
    along = beta * (along + total(shift))
    return total(slope) + along, total(curvature) - along, total(whole) + along, total(noise), total(parts)


@kernel
def move(m, d, n, alpha, active):
    """Take the step in the active worlds.

    Returns:
        by how much the rows' cost drops; whether multipliers and forces are equal but for rounding; J' times what they
        differ by, times qacc_smooth.
    """
    downhill = strip(0.0)
    drop = strip(0.0)
    rest = strip(0.0)
    size = strip(0.0)
    for r in range(0, n, STRIP):
        y = strip(d.solver_jar, r)
        change = alpha * strip(d.solver_Jv, r)
        moved = where(active, y + change, y)
        low = strip(d.solver_lower, r)
        high = strip(d.solver_upper, r)
        stiffness = strip(d.solver_D, r)
        s = clip(y, low, high)
        t = clip(moved, low, high)
        multiplier = strip(d.solver_lambda, r)
        multiplier = where(active, multiplier + alpha * strip(d.solver_step, r), multiplier)
        difference = multiplier + stiffness * t
        drop = drop + stiffness * clipped_drop(y, s, moved, t)
        downhill = downhill + difference * strip(d.solver_smooth, r)
        rest = rest + abs(difference)
        size = size + stiffness * abs(change)
        put(d.solver_spring, r, where((moved > low) & (moved < high), stiffness, 0.0))
        put(d.solver_jar, r, moved)
        put(d.solver_lambda, r, multiplier)
        put(d.solver_rest, r, difference)
    return total(drop), total(rest) <= m.epsilon * total(size), total(downhill)


@kernel
def gradient_norm(m, d, n, beta):
    """Length of the gradient of the cost, from `solver_rest`."""
    transposed_times(m, n, d.solver_JT, d.solver_rest, d.solver_grad)
    square = 0.0
    for i in range(m.nv):
        g = beta * d.solver_Ma[i] + d.solver_grad[i]
        square = square + g * g
    return sqrt(square)


@kernel
def finish(m, d, n, count, sound, beta):
    """qacc from the multipliers, forces from the residuals."""
    store_forces(m, d, n, count)
    transposed_times(m, n, d.solver_JT, d.solver_force, d.solver_grad)
    transposed_times(m, n, d.solver_half, d.solver_lambda, d.solver_Mv)
    for i in range(m.nv):
        d.qfrc_constraint[i] = where(count > 0, d.solver_grad[i], d.qfrc_constraint[i])
        d.solver_Mv[i] = d.solver_Mv[i] * d.qLDiagInv[i] + beta * d.solver_search[i]
    solve_lower(m, d.qLD, d.solver_Mv, 0)
    for i in range(m.nv):
        solution = d.solver_Mv[i] + d.qacc_smooth[i]
        d.qacc[i] = where(count > 0, where(sound, solution, NO_SOLUTION), d.qacc[i])
