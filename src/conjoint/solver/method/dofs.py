"""Newton's method in the space of dofs (Computation chapter, Newton), where conjugate gradients descend, too.

A point is qacc, with M qacc in `solver_Ma` and the residuals in `solver_jar`; products with rows are `space.rows`.
"""

from conjoint.lang import STRIP, Kernel, abs, any, kernel, put, sqrt, strip, where
from conjoint.physics.inertia import mul_M
from conjoint.solver.cost.cone_hessian import add_cones
from conjoint.solver.cost.interval import NO_SOLUTION, is_sound, same_row
from conjoint.solver.cost.total import elliptic, prepare, store_forces, update
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import add_outer_product, begin_hessian, factorize_hessian, substitute_hessian
from conjoint.solver.linear.rows import DENSE, Rows, gather_sizes
from conjoint.solver.linesearch import Line, drop_at, point_at
from conjoint.solver.method.descent import Space
from conjoint.solver.method.start import add_inertial, leave_free, start_cheaper
from conjoint.solver.statistics import record, scale_of

BALANCED = 1e-11
"""Gradient, over the sizes of the forces that cancel in it, up to which Newton's method may end because rounding hides
its improvement."""


@kernel
def start(m, d, n, count, space):
    """See `Space`."""
    prepare(m, d, n, count)
    size = space.rows.load(m, d, n, count)
    cost = start_cheaper(m, d, n, count, space)
    gradient(m, d, n, count, 0, count > 0, space)
    return is_sound(m, d, size), cost


@kernel
def residuals(m, d, n, count, warm, space):
    """Residuals and forces at qacc_smooth, and if `warm` at qacc_warmstart; see `Space`."""
    space.rows.times(m, d, n, d.qacc_smooth, d.solver_jar)
    for r in range(n):
        live = r < count
        d.solver_jar[r] = d.solver_jar[r] - where(live, d.efc_aref[r], 0.0)
        d.efc_b[r] = where(live, d.solver_jar[r], d.efc_b[r])
    for i in range(m.nv):
        d.solver_Ma[i] = d.qfrc_smooth[i]
    if not warm:
        clear(d.solver_Jv, 0, padded(n))
        return 0.0
    space.rows.times(m, d, n, d.qacc_warmstart, d.solver_Jv)
    mul_M(m, d, d.solver_Mv, d.qacc_warmstart)
    for r in range(n):
        d.solver_Jv[r] = d.solver_Jv[r] - where(r < count, d.efc_aref[r], 0.0)
    return add_inertial(d, 0, m.nv, 0.0)


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
    mul_M(m, d, d.solver_Mv, d.solver_search)
    space.rows.times(m, d, n, d.solver_search, d.solver_Jv)
    line = add_line(d, 0, m.nv, Line(0.0, 0.0, 0.0, 0.0, 0.0))
    return line, point_at(m, d, n, line, 0.0)


@kernel
def add_line(d, first, end, line):
    """Add what the dofs from `first` to before `end` have of the cost along the search direction."""
    for i in range(first, end):
        x = d.solver_search[i]
        slope = x * (d.solver_Ma[i] - d.qfrc_smooth[i])
        noise = abs(x) * (abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]))
        line = line + Line(slope, x * d.solver_grad[i], x * d.solver_Mv[i], x * x, noise)
    return line


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
    square, size = add_gradient(d, 0, m.nv, count, 0.0, 0.0)
    return sqrt(square), is_steep(m, square, size)


@kernel
def add_gradient(d, first, end, count, square, size):
    """qfrc_constraint and the gradient of the dofs from `first` to before `end`.

    Forces of constraints are in `solver_column`, from column 1 on.

    Returns:
        `square` and the squared length of the gradient; `size` and the squared length of the forces that cancel in it.
    """
    for i in range(first, end):
        push = d.solver_column[1 + i]
        d.qfrc_constraint[i] = where(count > 0, push, d.qfrc_constraint[i])
        g = (d.solver_Ma[i] - d.qfrc_smooth[i]) - push
        d.solver_grad[i] = g
        square = square + g * g
        size = size + d.solver_Ma[i] * d.solver_Ma[i] + d.qfrc_smooth[i] * d.qfrc_smooth[i]
    return square, size


@kernel
def is_steep(m, square, size):
    """Whether a gradient is longer than is tolerated, and than rounding of the forces that cancel in it."""
    return (sqrt(square) * scale_of(m) >= m.opt.tolerance) & (square > m.epsilon * m.epsilon * size)


@kernel(rare=True)
def is_balanced(m, d, n, count, gradient, space):
    """Whether the gradient is small beside the forces that cancel in it; see `Space`."""
    gather_sizes(m, d, n)
    return gradient <= BALANCED * sqrt(force_sizes(d, 0, m.nv))


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
def finish(m, d, n, count, sound):
    """The forces, and NaN for qacc of worlds that are not sound; see `Space`."""
    store_forces(m, d, n, count, same_row)
    for i in range(m.nv):
        d.qacc[i] = where(sound | (count == 0), d.qacc[i], NO_SOLUTION)


def space_of_dofs(direction: Kernel, rows: Rows, is_balanced: Kernel | None = None) -> Space:
    """The space of dofs, with a direction and rows as they are stored; see `Space`."""
    return Space(
        start, residuals, take, direction, products, move, gradient, record, finish, same_row, is_balanced, rows=rows
    )


@kernel
def newton_direction(m, d, n, iteration, active):
    """solver_search := minus the gradient over the Hessian, which has the rows that are springs now; see `Space`."""
    if iteration == 0 or elliptic(m):
        begin_hessian(m, d)
        clear(d.solver_mask, 0, n)
    for r in range(n):
        change = d.solver_spring[r] - d.solver_mask[r]
        if any(change != 0.0):
            d.solver_mask[r] = d.solver_spring[r]
            add_outer_product(m, d, r, change)
    if elliptic(m):
        add_cones(m, d, n)
    factorize_hessian(m, d)
    substitute_hessian(m, d)
    return n


NEWTON = space_of_dofs(newton_direction, DENSE, is_balanced)
