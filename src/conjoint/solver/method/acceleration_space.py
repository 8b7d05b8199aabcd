"""The space of dofs, whose points are accelerations qacc, with M qacc in `dofs.Ma` and residuals in `cost.residual`.

Newton's method with the Hessian, and the conjugate gradient method, descend in this space (see `Space`).
"""

from conjoint.lang import STRIP, Kernel, abs, kernel, maximum, put, sqrt, strip, vec2, where
from conjoint.physics.constraint.jacobian import plus_product, plus_size
from conjoint.physics.inertia_matrix.composite import mul_M
from conjoint.physics.inertia_matrix.factors import solve_transposed
from conjoint.solver.cones import sizes_of
from conjoint.solver.cost import NO_SOLUTION, begin_line, has_hard_rows, prepare, store_forces, update
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import Rows
from conjoint.solver.linesearch import Line, drop_at, point_at
from conjoint.solver.method.descent import Space, inertial_cost, leave_free
from conjoint.solver.sums import sum_of_dofs

BALANCED = 1e-11
"""Largest ratio of the gradient to the forces that cancel in it at which Newton's method may end early.

It ends early only if rounding also hides the improvement of the cost. If the relative rounding error is larger than
this ratio, it replaces the ratio.
"""

BALANCED_HARD = 1e-13
"""Value of `BALANCED` for rows far stiffer than the inertia, where even a very small gradient still moves bodies."""


@kernel(label="loading rows")
def load(m, d, n, count, space):
    """Load the rows and their costs; see `Space`."""
    size = space.rows.load(m, d, n, count)
    prepare(m, d, n, count, space.row)
    return size


@kernel
def residuals(m, d, n, count, warm, space):
    """Compute residuals and M times the acceleration at qacc_smooth and, if `warm`, at qacc_warmstart; see `Space`."""
    space.rows.times(m, d, n, d.qacc_smooth, d.cost.residual)
    for k in range(n):
        r = space.row(d, k)
        live = k < count
        d.cost.residual[k] = d.cost.residual[k] - where(live, d.efc_aref[r], 0.0)
        d.efc_b[r] = where(live, d.cost.residual[k], d.efc_b[r])
    for i in range(m.nv):
        d.dofs.Ma[i] = d.qfrc_smooth[i]
    if not warm:
        clear(d.cost.change, 0, padded(n))
        return 0.0
    multiply(m, d, n, d.qacc_warmstart, space.rows)
    for k in range(n):
        d.cost.change[k] = d.cost.change[k] - where(k < count, d.efc_aref[space.row(d, k)], 0.0)
    return inertial_cost(m, d)


@kernel
def multiply(m, d, n, x, rows):
    """Multiply a vector by M into `dofs.Mv` and by J into `cost.change`."""
    if rows.products:
        rows.products(m, d, n, x)
    else:
        mul_M(m, d, d.dofs.Mv, x)
        rows.times(m, d, n, x, d.cost.change)


@kernel
def take(m, d, n, space):
    """Start the descent from qacc_warmstart; see `Space`."""
    for r in range(padded(n)):
        d.cost.residual[r] = d.cost.change[r]
    for i in range(m.nv):
        d.qacc[i] = d.qacc_warmstart[i]
        d.dofs.Ma[i] = d.dofs.Mv[i]
    return leave_free(m, d, space)


@kernel(label="first point")
def begin(m, d, n, count, space):
    """Compute the forces and the gradient at the starting point; see `Space`."""
    gradient(m, d, n, count, 0, count > 0, space)


@kernel(label="products")
def products(m, d, n, iteration, active, space):
    """Compute M and J times the search direction, and the cost along it; see `Space`."""
    multiply(m, d, n, d.dofs.search, space.rows)
    begin_line(m, d)
    line = sum_of_dofs(m, d, Line(0.0, 0.0, 0.0, 0.0, 0.0), line_of_dof)
    return line, point_at(m, d, sizes_of(m, d, n), line, 0.0)


@kernel
def line_of_dof(d, i):
    """Return the contribution of dof i to the `Line` of the search direction."""
    x = d.dofs.search[i]
    slope = x * (d.dofs.Ma[i] - d.qfrc_smooth[i])
    noise = abs(x) * (abs(d.dofs.Ma[i]) + abs(d.qfrc_smooth[i]))
    return Line(slope, x * d.dofs.gradient[i], x * d.dofs.Mv[i], x * x, noise)


@kernel(label="update")
def move(m, d, n, line, alpha, active):
    """Apply the step to the active worlds; see `Space`."""
    drop = drop_at(m, d, sizes_of(m, d, n), line, alpha)
    for r in range(0, n, STRIP):
        y = strip(d.cost.residual, r)
        put(d.cost.residual, r, where(active, y + alpha * strip(d.cost.change, r), y))
    for i in range(m.nv):
        d.qacc[i] = where(active, d.qacc[i] + alpha * d.dofs.search[i], d.qacc[i])
        d.dofs.Ma[i] = where(active, d.dofs.Ma[i] + alpha * d.dofs.Mv[i], d.dofs.Ma[i])
    return drop


@kernel(label="gradient")
def gradient(m, d, n, count, iteration, active, space):
    """Compute forces, qfrc_constraint and the gradient at the current residuals; see `Space`."""
    update(m, d, n)
    space.rows.gather(m, d, n, plus_product)
    for i in range(m.nv):
        push = d.packed.column[1 + i]
        if count > 0:
            d.qfrc_constraint[i] = push
        d.dofs.gradient[i] = (d.dofs.Ma[i] - d.qfrc_smooth[i]) - push
    squares = sum_of_dofs(m, d, vec2(0.0, 0.0), squares_of_dof)
    length = sqrt(squares.x)
    steep = length * space.edition.scale(m, d) >= m.opt.tolerance
    return length, steep & (squares.x > m.epsilon * m.epsilon * squares.y)


@kernel
def squares_of_dof(d, i):
    """Return the square of the gradient of dof i, and the sum of squares of the forces that cancel in it."""
    forces = d.dofs.Ma[i] * d.dofs.Ma[i] + d.qfrc_smooth[i] * d.qfrc_smooth[i]
    return vec2(square_of_gradient(d, i), forces)


@kernel
def square_of_gradient(d, i):
    """Return the square of the gradient of dof i."""
    return d.dofs.gradient[i] * d.dofs.gradient[i]


@kernel(rare=True)
def is_balanced(m, d, n, count, gradient, space):
    """Return True if the gradient is small compared to the forces that cancel in it; see `Space`."""
    space.rows.gather(m, d, n, plus_size)
    share = where(has_hard_rows(m, d, n), BALANCED_HARD, BALANCED)
    return gradient <= maximum(share, m.epsilon) * sqrt(sum_of_dofs(m, d, 0.0, square_of_sizes))


@kernel
def square_of_sizes(d, i):
    """Return the square of the sum of the absolute values of the forces on dof i."""
    size = abs(d.dofs.Ma[i]) + abs(d.qfrc_smooth[i]) + d.packed.column[1 + i]
    return size * size


@kernel(label="solution")
def finish(m, d, n, count, sound, space):
    """Store the forces, and set qacc to NaN in worlds whose rows are not finite; see `Space`."""
    store_forces(m, d, n, count, space.row)
    if count > 0 and not sound:
        for i in range(m.nv):
            d.qacc[i] = NO_SOLUTION


@kernel
def gap(m, d, n):
    """Return the duality gap at the first point, and the length of the gradient; see `Space`."""
    for i in range(m.nv):
        d.dofs.search[i] = d.dofs.gradient[i]
    # by M = L' D L
    solve_transposed(m, d.qLD, d.dofs.search, 0, 0, m.nv)
    product = sum_of_dofs(m, d, 0.0, scaled_square)
    return 0.5 * product, sqrt(sum_of_dofs(m, d, 0.0, square_of_gradient))


@kernel
def scaled_square(d, i):
    """Return the squared search direction of dof i times the dof's element of D^-1."""
    return d.dofs.search[i] * d.dofs.search[i] * d.qLDiagInv[i]


def space_of_dofs(direction: Kernel, rows: Rows, is_balanced: Kernel | None = None) -> Space:
    """Return the space of dofs with the given direction kernel and storage format of rows; see `Space`."""
    return Space(
        load, residuals, take, begin, direction, products, move, gradient, finish, gap, rows.row, is_balanced, rows
    )
