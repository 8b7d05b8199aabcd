"""Newton's method in the space of constraint rows, for problems with fewer rows than dofs.

Every point the method visits is qacc = qacc_smooth + beta x + M^-1 J' lambda: it is kept as beta and the multipliers
lambda. At the start lambda are the forces that belong to qacc_warmstart, so x, what they do not explain of it, is small
where qacc_warmstart is nearly the solution, and nothing large cancels. With A = J M^-1 J' the Newton step of the primal
problem becomes a system in the active rows, (A + R) dlambda = rhs, far smaller than the Hessian; A is
computed once (matrix inversion lemma applied to M + J' D J). Iterates, costs and gradients are those of the primal
method.

Active are the rows whose force follows the residual; they are listed in `solver_row`. A + R is factorized into
L' D^-1 L, from the last listed row to the first, into `solver_L`: its row a holds the eliminated right-hand side in
column 0 and the unscaled row of L in columns 1 .. a + 1; `solver_pivot` holds -1 / D. A row that is not active in some
world of the lanes gets the pivot 0 there: it adds nothing to others, and its x is zero.
"""

from conjoint.lang import (
    PANEL,
    STRIP,
    abs,
    clip,
    jam,
    kernel,
    maximum,
    panel,
    put,
    sqrt,
    strip,
    tile,
    total,
    where,
)
from conjoint.lang.language.tile import TILE
from conjoint.physics.inertia_matrix.factors import mul_lower, mul_transposed, pivot_of_M, solve_lower
from conjoint.physics.row_storage import is_nonzero
from conjoint.solver.cost import NO_SOLUTION, UNBOUNDED, bound_rows, clipped_drop, store_forces, update_forces
from conjoint.solver.linear.dense import MINIMUM_PIVOT, clear, padded, stride_of
from conjoint.solver.linear.project import gram, half_solve, rows_times, transpose_rows, transposed_times
from conjoint.solver.linesearch import Line, Point, inertial_rise
from conjoint.solver.method.descent import ROUNDINGS, Space

CANCELLED = 64.0
"""Square roots of the rounding error, times the parts of a step's curvature, below which these have cancelled."""


@kernel
def load(m, d, n, count, space):
    """The matrix A, and the intervals of the rows; see `Space`."""
    bound_rows(d, n, count, space.row)
    transpose_rows(m, d, n, count, d.solver_JT)
    size = half_solve(m, d, n, d.solver_JT, d.solver_half)
    gram(m, d, n, d.solver_half, d.solver_A, stride_of(n))
    return size


@kernel
def residuals(m, d, n, count, warm, space):
    """Residuals at qacc_smooth, and if `warm` at qacc_warmstart, with L times the way there; see `Space`."""
    d.solver_beta = 0.0
    d.solver_lost = 0
    for r in range(padded(n)):
        d.solver_jar[r] = where(r < count, -d.efc_aref[r], 0.0)
    inertial = 0.0
    if warm:
        for i in range(m.nv):
            d.solver_search[i] = d.qacc_warmstart[i] - d.qacc_smooth[i]
        rows_times(m, n, d.solver_JT, d.qacc_smooth, d.solver_jar)
        for r in range(padded(n)):
            d.solver_Jv[r] = d.solver_jar[r]
        rows_times(m, n, d.solver_JT, d.solver_search, d.solver_Jv)
        # by M = L' D L
        mul_lower(m, d.qLD, d.solver_search)
        for i in range(m.nv):
            inertial = inertial + pivot_of_M(m, d, i) * (d.solver_search[i] * d.solver_search[i])
    else:
        rows_times(m, n, d.solver_JT, d.qacc_smooth, d.solver_jar)
    clear(d.solver_smooth, n, padded(n) - n)
    for r in range(n):
        if r < count:
            d.efc_b[r] = d.solver_jar[r]
        d.solver_smooth[r] = where(r < count, d.solver_jar[r] + d.efc_aref[r], 0.0)
    return inertial


@kernel
def take(m, d, n, space):
    """Start from qacc_warmstart, but for dofs in no island; see `Space`."""
    for r in range(padded(n)):
        d.solver_jar[r] = d.solver_Jv[r]
    d.solver_beta = 1.0
    if d.nisland > 0:
        # L joins no dof in an island with one in none
        for i in range(m.nv):
            if d.dof_island[i] < 0:
                d.solver_search[i] = 0.0
    # nobody asks for the cost
    return 0.0


@kernel
def begin(m, d, n, count, space):
    """Take the forces at the residuals for the multipliers in worlds that start from qacc_warmstart, 0 in others.

    With x, what they leave of the acceleration, L x goes to `solver_search`, where L times the whole acceleration was,
    M x to `solver_Ma` and J x to `solver_warm`: with M = L' D L, D L x is what half a solve leaves.
    """
    update_forces(d, n)
    warm = d.solver_beta != 0.0
    transposed_times(m, n, d.solver_half, d.solver_force, d.solver_grad)
    inertial = 0.0
    extent = 0.0
    for i in range(m.nv):
        left = where(warm, pivot_of_M(m, d, i) * d.solver_search[i] - d.solver_grad[i], 0.0)
        lower = left * d.qLDiagInv[i]
        inertial = inertial + left * lower
        extent = extent + abs(d.qacc_smooth[i])
        d.solver_Ma[i] = left
        d.solver_search[i] = lower
    mul_transposed(m, d.qLD, d.solver_Ma)
    slant = 0.0
    for i in range(m.nv):
        slant = slant + d.qacc_smooth[i] * d.solver_Ma[i]
    clear(d.solver_warm, 0, padded(n))
    rows_times(m, n, d.solver_half, d.solver_search, d.solver_warm)
    for r in range(padded(n)):
        d.solver_lambda[r] = where(warm, d.solver_force[r], 0.0)
        d.solver_rest[r] = where(warm, 0.0, -d.solver_force[r])
    d.solver_inertial = inertial
    d.solver_slant = slant
    d.solver_extent = extent


@kernel
def direction(m, d, n, iteration, active, space):
    """Newton step of the multipliers into `solver_step`, of the residuals into `solver_Jv`; see `Space`."""
    # outside its interval a row's multiplier goes to the constant force
    loose = 0
    for r in range(padded(n)):
        step = where(d.solver_active_D[r] != 0.0, 0.0, -d.solver_rest[r])
        d.solver_step[r] = step
        d.solver_Jv[r] = 0.0
        # written in any case, and kept where it counts: whether it does is hard to foresee for a processor
        d.solver_row[loose] = r
        d.solver_Mv[loose] = step
        if is_nonzero(where(active, step, 0.0)):
            loose += 1
    multiply_rows(d, n, loose)
    # inside, a system decides
    count = 0
    for r in range(n):
        d.solver_row[count] = r
        if is_nonzero(where(active, d.solver_active_D[r], 0.0)):
            count += 1
    solve_active(d, n, count, d.solver_beta, d.solver_Mv)
    for a in range(count):
        r = d.solver_row[a]
        d.solver_step[r] = d.solver_step[r] + d.solver_Mv[a]
    multiply_rows(d, n, count)
    for r in range(padded(n)):
        d.solver_Jv[r] = d.solver_Jv[r] - d.solver_beta * d.solver_warm[r]


@kernel
def multiply_rows(d, n, count):
    """solver_Jv += A times a vector that is `solver_Mv` in the first `count` rows of `solver_row`, zero in others."""
    stride = stride_of(n)
    for block in range(0, n, TILE):
        sums = tile(d.solver_Jv, block)
        for p in range(count):
            sums += d.solver_Mv[p] * tile(d.solver_A, block + d.solver_row[p] * stride)
        put(d.solver_Jv, block, sums)


@kernel
def solve_active(d, n, active, beta, x):
    """x := solution for the first `active` rows of `solver_row`, out of n rows."""
    stride = stride_of(active + 1)
    a = active - 1
    while a >= 0:
        # two rows at a time: what is below both meets both
        rows = 2 if a > 0 else 1
        for r in range(a, a - rows, -1):
            begin_row(d, n, r, stride, beta)
        for p in range(a + 1, active):
            for r in range(a, a - rows, -1):
                d.solver_weight[2 * p + a - r] = d.solver_L[p * stride + 1 + r] * d.solver_pivot[p]
        for c in range(0, a + 2, PANEL):
            for k in jam(range(rows)):
                o = (a - k) * stride + c
                sums = panel(d.solver_L, o)
                for p in range(active - 1, a, -1):
                    sums += d.solver_weight[2 * p + k] * panel(d.solver_L, p * stride + c)
                put(d.solver_L, o, sums)
        finish_row(d, a, stride)
        if rows == 2:
            weight = d.solver_L[a * stride + a] * d.solver_pivot[a]
            for c in range(0, a + 1, PANEL):
                o = (a - 1) * stride + c
                put(d.solver_L, o, weight * panel(d.solver_L, o + stride) + panel(d.solver_L, o))
            finish_row(d, a - 1, stride)
        a -= rows
    for a in jam(range(active)):
        sum = -d.solver_L[a * stride]
        for b in range(a):
            sum = sum + d.solver_L[a * stride + 1 + b] * x[b]
        x[a] = sum * d.solver_pivot[a]


@kernel
def begin_row(d, n, a, stride, beta):
    """The right-hand side and the row of A + R of the listed row a.

    `solver_Jv` has what rows that are not active contribute to residuals.
    """
    r = d.solver_row[a]
    o = a * stride
    rest = beta * d.solver_warm[r] - d.efc_R[r] * d.solver_rest[r] - d.solver_Jv[r]
    # what a world has beyond its last row may be anything
    d.solver_L[o] = where(d.solver_active_D[r] != 0.0, rest, 0.0)
    for b in range(a + 1):
        d.solver_L[o + 1 + b] = d.solver_A[r * stride_of(n) + d.solver_row[b]]
    d.solver_L[o + 1 + a] = d.solver_L[o + 1 + a] + d.efc_R[r]


@kernel
def finish_row(d, a, stride):
    """solver_pivot of the listed row a; 0 in worlds where the row is not active."""
    pivot = -1.0 / maximum(d.solver_L[a * stride + 1 + a], MINIMUM_PIVOT)
    d.solver_pivot[a] = where(d.solver_active_D[d.solver_row[a]] != 0.0, pivot, 0.0)


@kernel
def products(m, d, n, iteration, active, space):
    """The cost along the search direction, and the worlds that are lost; see `Space`.

    The length of the direction is that by the inertia. The direction is exact: so is the whole step, unless rows change
    state on the way, and no products are needed to know the second derivative at step 0.
    """
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
    along = d.solver_beta * (total(shift) - d.solver_beta * d.solver_inertial)
    first = total(whole) + along
    second = total(curvature) - along
    rounding = total(noise)
    # a first step is worth taking, others if they may improve the cost
    worth = (iteration == 0) | (abs(first) * space.edition.scale(m, d) > m.opt.tolerance)
    worth = worth & active & (abs(first) > ROUNDINGS * m.epsilon * rounding)
    lost = worth & (second < CANCELLED * sqrt(m.epsilon) * total(parts))
    if lost:
        d.solver_lost = 1
    square = where(lost, 0.0, second / m.stat.meaninertia)
    return Line(total(slope) + along, first, second, square, rounding), Point(0.0, first, -first)


@kernel
def move(m, d, n, line, alpha, active):
    """Take the step in the active worlds; see `Space`. What the gradient is told by is left in `solver_*`."""
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
        put(d.solver_active_D, r, where((moved > low) & (moved < high), stiffness, 0.0))
        put(d.solver_jar, r, moved)
        put(d.solver_lambda, r, multiplier)
        put(d.solver_rest, r, difference)
    if active:
        d.solver_beta = d.solver_beta - alpha * d.solver_beta
    d.solver_downhill = total(downhill)
    d.solver_differs = where(total(rest) <= m.epsilon * total(size), 0, 1)
    return total(drop) - inertial_rise(line, alpha)


@kernel
def gradient(m, d, n, count, iteration, active, space):
    """The length of the gradient where it is needed; see `Space`.

    Along qacc_smooth the gradient is known: where that is enough for it to be long, its length does not matter.
    """
    scale = space.edition.scale(m, d)
    steep = abs(d.solver_beta * d.solver_slant + d.solver_downhill) * scale > 2.0 * m.opt.tolerance * d.solver_extent
    differs = (d.solver_beta != 0.0) | (d.solver_differs != 0)
    length = UNBOUNDED
    if iteration < m.nsolverstat or (active and differs and not steep):
        transposed_times(m, n, d.solver_JT, d.solver_rest, d.solver_grad)
        square = 0.0
        for i in range(m.nv):
            g = d.solver_beta * d.solver_Ma[i] + d.solver_grad[i]
            square = square + g * g
        length = sqrt(square)
    return length, differs & (steep | (length * scale >= m.opt.tolerance))


@kernel
def gap(m, d, n):
    """The duality gap at the first point, and the length of the gradient; see `Space`. Where that is qacc_warmstart,
    x leads there from what the forces do; where it is qacc_smooth the forces themselves are the gradient."""
    transposed_times(m, n, d.solver_half, d.solver_rest, d.solver_grad)
    product = 0.0
    for i in range(m.nv):
        product = product + d.solver_grad[i] * d.solver_grad[i] * d.qLDiagInv[i]
    transposed_times(m, n, d.solver_JT, d.solver_rest, d.solver_grad)
    square = 0.0
    for i in range(m.nv):
        g = d.solver_beta * d.solver_Ma[i] + d.solver_grad[i]
        square = square + g * g
    return 0.5 * where(d.solver_beta != 0.0, d.solver_inertial, product), sqrt(square)


@kernel
def finish(m, d, n, count, sound, space):
    """qacc from the multipliers, forces from the residuals, but for worlds that are lost; see `Space`."""
    solved = where(d.solver_lost != 0, 0, count)
    store_forces(m, d, n, solved, space.row)
    transposed_times(m, n, d.solver_JT, d.solver_force, d.solver_grad)
    transposed_times(m, n, d.solver_half, d.solver_lambda, d.solver_Mv)
    for i in range(m.nv):
        if solved > 0:
            d.qfrc_constraint[i] = d.solver_grad[i]
        d.solver_Mv[i] = d.solver_Mv[i] * d.qLDiagInv[i] + d.solver_beta * d.solver_search[i]
    solve_lower(m, d.qLD, d.solver_Mv, 0, 0, m.nv)
    for i in range(m.nv):
        if solved > 0:
            d.qacc[i] = where(sound, d.solver_Mv[i] + d.qacc_smooth[i], NO_SOLUTION)


ROWS = Space(load, residuals, take, begin, direction, products, move, gradient, finish, gap)
"""The space of rows. A world that is `solver_lost` is given up: multipliers do nearly nothing together, as those of a
contact along whose normal nothing can move, so that what they do is rounding.

`is_balanced` is not asked: rounding of the cost hides improvements where huge forces cancel. These are forces of rows
that are harder by far than what they act on, and such worlds are solved among dofs (`forward.softness`)."""
