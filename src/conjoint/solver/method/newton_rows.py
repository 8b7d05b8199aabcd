"""Newton's method in the space of constraint rows, for problems with fewer rows than dofs.

Every point that the method visits is qacc = qacc_smooth + beta x + M^-1 J' lambda, stored as beta and the multipliers
lambda. At the start, lambda are the forces at qacc_warmstart, and x is the rest of qacc_warmstart. So x is small if
qacc_warmstart is nearly the solution, and nothing large cancels. With A = J M^-1 J', the Newton step becomes (A + R)
dlambda = rhs, by the matrix inversion lemma for M + J' D J. This system in the active rows is far smaller than the
Hessian. A is computed once. Iterates, costs and gradients are those of the primal method.

A row is active if its force follows the residual; `rows.listed` contains the active rows. A + R is factorized into L'
D^-1 L, from the last listed row to the first. Row a of `rows.L` contains the eliminated right-hand side in column 0 and
the unscaled row of L in columns 1 .. a + 1; `rows.pivot` contains -1 / D. In lanes, a listed row may be inactive in
some worlds. In these worlds, its pivot is 0, so that it adds nothing to other rows, and its unknown is zero.
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
"""Threshold for cancellation of the parts of a step's curvature.

The curvature counts as canceled if it is below this number times the square root of the rounding error times the sum of
the parts' magnitudes.
"""


@kernel(label="loading rows")
def load(m, d, n, count, space):
    """Compute the matrix A and the active intervals of the rows; see `Space`."""
    bound_rows(d, n, count, space.row)
    transpose_rows(m, d, n, count, d.rows.JT)
    size = half_solve(m, d, n, d.rows.JT, d.rows.half)
    gram(m, d, n, d.rows.half, d.rows.A, stride_of(n))
    return size


@kernel
def residuals(m, d, n, count, warm, space):
    """Compute residuals at qacc_smooth. If `warm`, also compute residuals at qacc_warmstart.

    In this case, L times the difference of the two accelerations is computed, too. See `Space`.
    """
    d.rows.beta = 0.0
    d.rows.lost = 0
    for r in range(padded(n)):
        d.cost.residual[r] = where(r < count, -d.efc_aref[r], 0.0)
    inertial = 0.0
    if warm:
        for i in range(m.nv):
            d.rows.Lx[i] = d.qacc_warmstart[i] - d.qacc_smooth[i]
        rows_times(m, n, d.rows.JT, d.qacc_smooth, d.cost.residual)
        for r in range(padded(n)):
            d.cost.change[r] = d.cost.residual[r]
        rows_times(m, n, d.rows.JT, d.rows.Lx, d.cost.change)
        # by M = L' D L
        mul_lower(m, d.qLD, d.rows.Lx)
        for i in range(m.nv):
            inertial = inertial + pivot_of_M(m, d, i) * (d.rows.Lx[i] * d.rows.Lx[i])
    else:
        rows_times(m, n, d.rows.JT, d.qacc_smooth, d.cost.residual)
    clear(d.rows.J_smooth, n, padded(n) - n)
    for r in range(n):
        if r < count:
            d.efc_b[r] = d.cost.residual[r]
        d.rows.J_smooth[r] = where(r < count, d.cost.residual[r] + d.efc_aref[r], 0.0)
    return inertial


@kernel
def take(m, d, n, space):
    """Start from qacc_warmstart, except for dofs outside all islands; see `Space`."""
    for r in range(padded(n)):
        d.cost.residual[r] = d.cost.change[r]
    d.rows.beta = 1.0
    if d.nisland > 0:
        # L does not couple dofs in islands with dofs outside islands
        for i in range(m.nv):
            if d.dof_island[i] < 0:
                d.rows.Lx[i] = 0.0
    # the cost is not used in this space
    return 0.0


@kernel(label="first point")
def begin(m, d, n, count, space):
    """Set the multipliers to the forces at the residuals in worlds that start from qacc_warmstart, to 0 in others.

    Let x be the part of the acceleration that the multipliers do not explain. In `rows.Lx`, L x replaces L times the
    whole acceleration. M x is stored in `rows.Mx`, and J x in `rows.Jx`. With M = L' D L, half a solve of M x is D L x.
    """
    update_forces(d, n)
    warm = d.rows.beta != 0.0
    transposed_times(m, n, d.rows.half, d.cost.force, d.rows.product)
    inertial = 0.0
    extent = 0.0
    for i in range(m.nv):
        left = where(warm, pivot_of_M(m, d, i) * d.rows.Lx[i] - d.rows.product[i], 0.0)
        lower = left * d.qLDiagInv[i]
        inertial = inertial + left * lower
        extent = extent + abs(d.qacc_smooth[i])
        d.rows.Mx[i] = left
        d.rows.Lx[i] = lower
    mul_transposed(m, d.qLD, d.rows.Mx)
    slant = 0.0
    for i in range(m.nv):
        slant = slant + d.qacc_smooth[i] * d.rows.Mx[i]
    clear(d.rows.Jx, 0, padded(n))
    rows_times(m, n, d.rows.half, d.rows.Lx, d.rows.Jx)
    for r in range(padded(n)):
        d.rows.multiplier[r] = where(warm, d.cost.force[r], 0.0)
        d.rows.excess[r] = where(warm, 0.0, -d.cost.force[r])
    d.rows.inertial = inertial
    d.rows.slant = slant
    d.rows.extent = extent


@kernel(label="system of rows")
def direction(m, d, n, iteration, active, space):
    """Compute the Newton step of the multipliers (`rows.step`) and of the residuals (`cost.change`); see `Space`."""
    # outside its interval, the multiplier of a row becomes the constant force
    loose = 0
    for r in range(padded(n)):
        step = where(d.cost.stiffness[r] != 0.0, 0.0, -d.rows.excess[r])
        d.rows.step[r] = step
        d.cost.change[r] = 0.0
        # always written, but counted only if nonzero, because a branch would be unpredictable
        d.rows.listed[loose] = r
        d.rows.steps[loose] = step
        if is_nonzero(where(active, step, 0.0)):
            loose += 1
    multiply_rows(d, n, loose)
    # inside their intervals, a linear system determines the step
    count = 0
    for r in range(n):
        d.rows.listed[count] = r
        if is_nonzero(where(active, d.cost.stiffness[r], 0.0)):
            count += 1
    solve_active(d, n, count, d.rows.beta, d.rows.steps)
    for a in range(count):
        r = d.rows.listed[a]
        d.rows.step[r] = d.rows.step[r] + d.rows.steps[a]
    multiply_rows(d, n, count)
    for r in range(padded(n)):
        d.cost.change[r] = d.cost.change[r] - d.rows.beta * d.rows.Jx[r]


@kernel
def multiply_rows(d, n, count):
    """Add A times a vector to cost.change.

    The vector contains `rows.steps` in the first `count` listed rows and zero in all other rows.
    """
    stride = stride_of(n)
    for block in range(0, n, TILE):
        sums = tile(d.cost.change, block)
        for p in range(count):
            sums += d.rows.steps[p] * tile(d.rows.A, block + d.rows.listed[p] * stride)
        put(d.cost.change, block, sums)


@kernel
def solve_active(d, n, active, beta, x):
    """Solve the linear system of the first `active` of the rows in `rows.listed`, and store the solution in x.

    The listed rows belong to n rows in all. The right-hand side depends on beta, see `begin_row`.
    """
    stride = stride_of(active + 1)
    a = active - 1
    while a >= 0:
        # process two rows at a time, because the rows below both contribute to both
        rows = 2 if a > 0 else 1
        for r in range(a, a - rows, -1):
            begin_row(d, n, r, stride, beta)
        for p in range(a + 1, active):
            for r in range(a, a - rows, -1):
                d.rows.weight[2 * p + a - r] = d.rows.L[p * stride + 1 + r] * d.rows.pivot[p]
        for c in range(0, a + 2, PANEL):
            for k in jam(range(rows)):
                o = (a - k) * stride + c
                sums = panel(d.rows.L, o)
                for p in range(active - 1, a, -1):
                    sums += d.rows.weight[2 * p + k] * panel(d.rows.L, p * stride + c)
                put(d.rows.L, o, sums)
        finish_row(d, a, stride)
        if rows == 2:
            weight = d.rows.L[a * stride + a] * d.rows.pivot[a]
            for c in range(0, a + 1, PANEL):
                o = (a - 1) * stride + c
                put(d.rows.L, o, weight * panel(d.rows.L, o + stride) + panel(d.rows.L, o))
            finish_row(d, a - 1, stride)
        a -= rows
    for a in jam(range(active)):
        sum = -d.rows.L[a * stride]
        for b in range(a):
            sum = sum + d.rows.L[a * stride + 1 + b] * x[b]
        x[a] = sum * d.rows.pivot[a]


@kernel
def begin_row(d, n, a, stride, beta):
    """Set the right-hand side and the row of A + R for the listed row a.

    `cost.change` contains the contribution of the inactive rows to residuals.
    """
    r = d.rows.listed[a]
    o = a * stride
    rest = beta * d.rows.Jx[r] - d.efc_R[r] * d.rows.excess[r] - d.cost.change[r]
    # values past the last row of a world are undefined
    d.rows.L[o] = where(d.cost.stiffness[r] != 0.0, rest, 0.0)
    for b in range(a + 1):
        d.rows.L[o + 1 + b] = d.rows.A[r * stride_of(n) + d.rows.listed[b]]
    d.rows.L[o + 1 + a] = d.rows.L[o + 1 + a] + d.efc_R[r]


@kernel
def finish_row(d, a, stride):
    """Set rows.pivot for the listed row a. It is 0 in worlds where the row is not active."""
    pivot = -1.0 / maximum(d.rows.L[a * stride + 1 + a], MINIMUM_PIVOT)
    d.rows.pivot[a] = where(d.cost.stiffness[d.rows.listed[a]] != 0.0, pivot, 0.0)


@kernel(label="products")
def products(m, d, n, iteration, active, space):
    """Compute the cost along the search direction, and mark worlds whose solution is lost to rounding (`rows.lost`).

    See `Space`. The length of the direction is measured with the inertia as metric. The direction is exact. So the full
    step is exact, too, unless rows change state on the way, and the second derivative at step 0 needs no products.
    """
    shift = strip(0.0)
    slope = strip(0.0)
    curvature = strip(0.0)
    whole = strip(0.0)
    noise = strip(0.0)
    parts = strip(0.0)
    for r in range(0, n, STRIP):
        v = strip(d.cost.change, r)
        multiplier = strip(d.rows.multiplier, r)
        step = strip(d.rows.step, r)
        rest = strip(d.rows.excess, r)
        shift = shift + strip(d.rows.Jx, r) * step
        slope = slope + multiplier * v
        curvature = curvature + step * v
        parts = parts + abs(step * v)
        whole = whole + rest * v
        noise = noise + abs(v) * (abs(multiplier) + abs(rest))
    along = d.rows.beta * (total(shift) - d.rows.beta * d.rows.inertial)
    first = total(whole) + along
    second = total(curvature) - along
    rounding = total(noise)
    # always take the first step, but later steps only if they may improve the cost
    worth = (iteration == 0) | (abs(first) * space.edition.scale(m, d) > m.opt.tolerance)
    worth = worth & active & (abs(first) > ROUNDINGS * m.epsilon * rounding)
    lost = worth & (second < CANCELLED * sqrt(m.epsilon) * total(parts))
    if lost:
        d.rows.lost = 1
    square = where(lost, 0.0, second / m.stat.meaninertia)
    return Line(total(slope) + along, first, second, square, rounding), Point(0.0, first, -first)


@kernel(label="update")
def move(m, d, n, line, alpha, active):
    """Apply the step to the active worlds, and store the values that `gradient` needs in `rows`; see `Space`."""
    downhill = strip(0.0)
    drop = strip(0.0)
    rest = strip(0.0)
    size = strip(0.0)
    for r in range(0, n, STRIP):
        y = strip(d.cost.residual, r)
        change = alpha * strip(d.cost.change, r)
        moved = where(active, y + change, y)
        low = strip(d.cost.lower, r)
        high = strip(d.cost.upper, r)
        stiffness = strip(d.cost.D, r)
        s = clip(y, low, high)
        t = clip(moved, low, high)
        multiplier = strip(d.rows.multiplier, r)
        multiplier = where(active, multiplier + alpha * strip(d.rows.step, r), multiplier)
        difference = multiplier + stiffness * t
        drop = drop + stiffness * clipped_drop(y, s, moved, t)
        downhill = downhill + difference * strip(d.rows.J_smooth, r)
        rest = rest + abs(difference)
        size = size + stiffness * abs(change)
        put(d.cost.stiffness, r, where((moved > low) & (moved < high), stiffness, 0.0))
        put(d.cost.residual, r, moved)
        put(d.rows.multiplier, r, multiplier)
        put(d.rows.excess, r, difference)
    if active:
        d.rows.beta = d.rows.beta - alpha * d.rows.beta
    d.rows.downhill = total(downhill)
    d.rows.differs = where(total(rest) <= m.epsilon * total(size), 0, 1)
    return total(drop) - inertial_rise(line, alpha)


@kernel(label="gradient")
def gradient(m, d, n, count, iteration, active, space):
    """Compute the length of the gradient in worlds in which the length matters; see `Space`.

    The component along qacc_smooth is known. If this component alone exceeds the tolerance, the length does not matter.
    """
    scale = space.edition.scale(m, d)
    steep = abs(d.rows.beta * d.rows.slant + d.rows.downhill) * scale > 2.0 * m.opt.tolerance * d.rows.extent
    differs = (d.rows.beta != 0.0) | (d.rows.differs != 0)
    length = UNBOUNDED
    if iteration < m.nsolverstat or (active and differs and not steep):
        transposed_times(m, n, d.rows.JT, d.rows.excess, d.rows.product)
        square = 0.0
        for i in range(m.nv):
            g = d.rows.beta * d.rows.Mx[i] + d.rows.product[i]
            square = square + g * g
        length = sqrt(square)
    return length, differs & (steep | (length * scale >= m.opt.tolerance))


@kernel
def gap(m, d, n):
    """Return the duality gap at the first point, and the length of the gradient; see `Space`.

    At qacc_warmstart, x is the difference between the point and the acceleration due to the forces. At qacc_smooth, the
    gradient consists of the forces alone.
    """
    transposed_times(m, n, d.rows.half, d.rows.excess, d.rows.product)
    product = 0.0
    for i in range(m.nv):
        product = product + d.rows.product[i] * d.rows.product[i] * d.qLDiagInv[i]
    transposed_times(m, n, d.rows.JT, d.rows.excess, d.rows.product)
    square = 0.0
    for i in range(m.nv):
        g = d.rows.beta * d.rows.Mx[i] + d.rows.product[i]
        square = square + g * g
    return 0.5 * where(d.rows.beta != 0.0, d.rows.inertial, product), sqrt(square)


@kernel(label="solution")
def finish(m, d, n, count, sound, space):
    """Compute qacc from the multipliers, and forces from the residuals, except in worlds in which `rows.lost` is True.

    See `Space`.
    """
    solved = where(d.rows.lost != 0, 0, count)
    store_forces(m, d, n, solved, space.row)
    transposed_times(m, n, d.rows.JT, d.cost.force, d.rows.product)
    transposed_times(m, n, d.rows.half, d.rows.multiplier, d.rows.acc)
    for i in range(m.nv):
        if solved > 0:
            d.qfrc_constraint[i] = d.rows.product[i]
        d.rows.acc[i] = d.rows.acc[i] * d.qLDiagInv[i] + d.rows.beta * d.rows.Lx[i]
    solve_lower(m, d.qLD, d.rows.acc, 0, 0, m.nv)
    for i in range(m.nv):
        if solved > 0:
            d.qacc[i] = where(sound, d.rows.acc[i] + d.qacc_smooth[i], NO_SOLUTION)


ROWS = Space(load, residuals, take, begin, direction, products, move, gradient, finish, gap)
"""The space of rows.

A world is given up (`rows.lost`) if the effects of its multipliers cancel down to rounding. An example is a contact
along whose normal nothing can move.

`is_balanced` is not used: rounding of the cost hides improvements only if huge forces cancel. Such forces belong to
rows far stiffer than the inertia they act on, and these worlds are solved in the space of dofs (`forward.softness`).
"""
