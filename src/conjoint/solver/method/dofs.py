"""Newton's method in the space of dofs (Computation chapter, Newton), where conjugate gradients descend, too.

A point is qacc, with M qacc in `solver_Ma` and the residuals in `solver_jar`; products with rows are `space.rows`.
"""

from conjoint.lang import STRIP, Kernel, abs, any, kernel, put, sqrt, strip, where
from conjoint.solver.cost.cone_hessian import add_cones
from conjoint.solver.cost.interval import NO_SOLUTION, is_sound
from conjoint.solver.cost.total import elliptic, prepare, store_forces, update
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import add_outer_product, begin_hessian, factorize_hessian, substitute_hessian
from conjoint.solver.linear.rows import DENSE, Rows
from conjoint.solver.linesearch import Line, drop_at, point_at
from conjoint.solver.method.descent import Space
from conjoint.solver.method.warm_start import inertial_cost, leave_free, start_cheaper
from conjoint.solver.statistics import scale_of

BALANCED = 1e-11
"""Gradient, over the sizes of the forces that cancel in it, up to which Newton's method may end because rounding hides
its improvement."""


@kernel
def start(m, d, n, count, space):
    """See `Space`."""
    size = space.rows.load(m, d, n, count)
    prepare(m, d, n, count, space.row)
    cost = start_cheaper(m, d, n, count, space)
    gradient(m, d, n, count, 0, count > 0, space)
    return is_sound(m, d, size), cost


@kernel
def residuals(m, d, n, count, warm, space):
    """Residuals and forces at qacc_smooth, and if `warm` at qacc_warmstart; see `Space`."""
    space.rows.times(m, d, n, d.qacc_smooth, d.solver_jar)
    for k in range(n):
        r = space.row(d, k)
        live = k < count
        d.solver_jar[k] = d.solver_jar[k] - where(live, d.efc_aref[r], 0.0)
        d.efc_b[r] = where(live, d.solver_jar[k], d.efc_b[r])
    for i in range(m.nv):
        d.solver_Ma[i] = d.qfrc_smooth[i]
    if not warm:
        clear(d.solver_Jv, 0, padded(n))
        return 0.0
    space.rows.products(m, d, n, d.qacc_warmstart)
    for k in range(n):
        d.solver_Jv[k] = d.solver_Jv[k] - where(k < count, d.efc_aref[space.row(d, k)], 0.0)
    return inertial_cost(m, d)


@kernel
def take(m, d, n, taken, space):
    """Start from qacc_warmstart in the worlds where it is taken; see `Space`."""
    for r in range(padded(n)):
        d.solver_jar[r] = where(taken, d.solver_Jv[r], d.solver_jar[r])
    for i in range(m.nv):
        d.qacc[i] = where(taken, d.qacc_warmstart[i], d.qacc[i])
        d.solver_Ma[i] = where(taken, d.solver_Mv[i], d.solver_Ma[i])
    return leave_free(m, d, taken, space)


@kernel
def products(m, d, n, iteration, active, space):
    """M and J times the search direction, and the cost along it; see `Space`."""
    space.rows.products(m, d, n, d.solver_search)
    line = Line(0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(m.nv):
        x = d.solver_search[i]
        slope = x * (d.solver_Ma[i] - d.qfrc_smooth[i])
        noise = abs(x) * (abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]))
        line = line + Line(slope, x * d.solver_grad[i], x * d.solver_Mv[i], x * x, noise)
    return line, point_at(m, d, n, line, 0.0)


@kernel
def move(m, d, n, line, alpha, active):
    """Take the step in the active worlds; see `Space`."""
    drop = drop_at(m, d, n, line, alpha)
    for r in range(0, n, STRIP):
        y = strip(d.solver_jar, r)
        put(d.solver_jar, r, where(active, y + alpha * strip(d.solver_Jv, r), y))
    for i in range(m.nv):
        d.qacc[i] = where(active, d.qacc[i] + alpha * d.solver_search[i], d.qacc[i])
        d.solver_Ma[i] = where(active, d.solver_Ma[i] + alpha * d.solver_Mv[i], d.solver_Ma[i])
    return drop


@kernel
def gradient(m, d, n, count, iteration, active, space):
    """Forces, qfrc_constraint and the gradient at the current residuals; see `Space`."""
    update(m, d, n)
    space.rows.gather(m, d, n)
    square = 0.0
    # squared length of the forces that cancel in it
    size = 0.0
    for i in range(m.nv):
        push = d.solver_column[1 + i]
        d.qfrc_constraint[i] = where(count > 0, push, d.qfrc_constraint[i])
        g = (d.solver_Ma[i] - d.qfrc_smooth[i]) - push
        d.solver_grad[i] = g
        square = square + g * g
        size = size + d.solver_Ma[i] * d.solver_Ma[i] + d.qfrc_smooth[i] * d.qfrc_smooth[i]
    length = sqrt(square)
    return length, (length * scale_of(m) >= m.opt.tolerance) & (square > m.epsilon * m.epsilon * size)


@kernel(rare=True)
def is_balanced(m, d, n, count, gradient, space):
    """Whether the gradient is small beside the forces that cancel in it; see `Space`."""
    space.rows.gather_sizes(m, d, n)
    square = 0.0
    for i in range(m.nv):
        size = abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]) + d.solver_column[1 + i]
        square = square + size * size
    return gradient <= BALANCED * sqrt(square)


@kernel
def finish(m, d, n, count, sound, space):
    """The forces, and NaN for qacc of worlds that are not sound; see `Space`."""
    store_forces(m, d, n, count, space.row)
    for i in range(m.nv):
        d.qacc[i] = where(sound | (count == 0), d.qacc[i], NO_SOLUTION)


def space_of_dofs(direction: Kernel, rows: Rows, is_balanced: Kernel | None = None) -> Space:
    """The space of dofs, with a direction and rows as they are stored; see `Space`."""
    return Space(start, residuals, take, direction, products, move, gradient, finish, rows.row, is_balanced, rows)


@kernel
def newton_direction(m, d, n, iteration, active):
    """solver_search := minus the gradient over the Hessian, which has the active rows; see `Space`."""
    if iteration == 0 or elliptic(m):
        begin_hessian(m, d)
        clear(d.solver_mask, 0, n)
    for r in range(n):
        change = d.solver_active_D[r] - d.solver_mask[r]
        if any(change != 0.0):
            d.solver_mask[r] = d.solver_active_D[r]
            add_outer_product(m, d, r, change)
    if elliptic(m):
        add_cones(m, d, n)
    factorize_hessian(m, d)
    substitute_hessian(m, d)


NEWTON = space_of_dofs(newton_direction, DENSE, is_balanced)
