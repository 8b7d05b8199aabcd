"""One descent for Newton's method in every space, and for conjugate gradients.

All minimise the cost

    (qacc - qacc_smooth)' M (qacc - qacc_smooth) / 2 + sum of the constraints' costs

(Computation chapter, Constraint model: primal problem) by exact searches along directions. They visit the same points,
in the same order, and end by the same rule. A `Space` says what a point is made of and which direction comes next:

    newton_rows         multipliers of the rows             Newton: a system in the rows
    dofs                accelerations of the dofs           Newton: the Hessian, dense in its blocks of columns
    newton_blocks       accelerations of the dofs           Newton: the Hessian, in blocks of dofs
    conjugate           accelerations of the dofs           conjugate gradients, preconditioned by M

Each world is on its own: one that has come to its end stays where it is while others go on.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, abs, any, formula, kernel, lanes_max, logical_not, maximum, sqrt, where
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.cost.interval import UNBOUNDED
from conjoint.solver.cost.total import store_states
from conjoint.solver.linear.rows import Rows
from conjoint.solver.linesearch import line_search
from conjoint.solver.statistics import record, scale_of, store

ROUNDINGS = 32.0
"""Rounding errors that the slope along a direction must exceed to be worth a search."""

FINEST_TOLERANCE = 1e-12
"""Tolerance below which Newton's method goes on as far as rounding of its slopes allows."""


@dataclass(frozen=True)
class Space(Group):
    """What a descent moves, and how: kernels of the model, the data, and the number of rows, n in the widest world and
    `count` in each. What may be None is left out.

    Attributes:
        start: (m, d, n, count, space) goes to the first point; the worlds whose problem is finite, and its cost there.
        residuals: (m, d, n, count, warm, space) the residuals at qacc_smooth into `solver_jar` and, if `warm`, those at
            qacc_warmstart into `solver_Jv`; the inertial cost of that, doubled. See `start`.
        take: (m, d, n, taken, space) starts from qacc_warmstart in the worlds `taken`; the cost of dofs that do not.
        direction: (m, d, n, iteration, active) makes the next direction.
        products: (m, d, n, iteration, active, space) the `Line` of the direction, and the `Point` at step 0.
        move: (m, d, n, line, alpha, active) takes the step; by how much the cost drops.
        gradient: (m, d, n, count, iteration, active, space) the forces; the length of the gradient; the worlds in which
            that is more than is tolerated, and more than rounding.
        finish: (m, d, n, count, sound, space) the solution.
        row: (d, place) the row at a place of the solver's rows.
        is_balanced: (m, d, n, count, gradient, space) whether the gradient is small beside the forces in it: then the
            descent ends where rounding hides by how much the cost drops.
        rows: the rows as they are stored, in spaces that leave it open.
        always: True to start from qacc_warmstart whatever it costs.
    """

    start: Kernel
    residuals: Kernel
    take: Kernel
    direction: Kernel
    products: Kernel
    move: Kernel
    gradient: Kernel
    finish: Kernel
    row: Kernel
    is_balanced: Kernel | None = None
    rows: Rows | None = None
    always: bool = False


@kernel
def descend(m, d, count, space):
    """Solve for qacc, efc_force and qfrc_constraint in the worlds where `count`, their number of rows, is not zero."""
    n = lanes_max(count)
    sound, cost = space.start(m, d, n, count, space)
    if m.nsolverstat > 0:
        # the first iteration counts the rows that change their states
        store_states(m, d, n, count, space.row)
    active = sound & (count > 0)
    iterations = 0
    scale = scale_of(m)
    for iteration in range(m.opt.iterations):
        if not any(active):
            break
        line, point, evaluations = search(m, d, n, iteration, active, space)
        alpha = point.alpha
        active = active & (alpha != 0.0)
        if not any(active):
            break
        drop = space.move(m, d, n, line, alpha, active)
        # the cost rises only by rounding of large sums that cancel: then the slopes at both ends tell
        drop = where(drop > 0.0, drop, -0.5 * alpha * (line.whole + point.slope))
        improvement = drop * scale
        going = active & (improvement >= m.opt.tolerance)
        gradient, steep = space.gradient(m, d, n, count, iteration, going, space)
        if iteration < m.nsolverstat:
            record(m, d, n, count, iteration, active, space.row)
            slope = point.slope * scale / sqrt(line.square)
            store(d, iteration, active, improvement, gradient * scale, slope, evaluations)
        iterations = iterations + where(active, 1, 0)
        active = going & steep
        if space.is_balanced:
            hidden = active & is_hidden(m, cost, drop, scale)
            if any(hidden):
                active = active & logical_not(hidden & space.is_balanced(m, d, n, count, gradient, space))
            cost = cost - where(active, drop, 0.0)
    d.solver_niter[0] = where(count > 0, iterations, d.solver_niter[0])
    space.finish(m, d, n, count, sound, space)


@kernel
def search(m, d, n, iteration, active, space):
    """Search along the next direction in the active worlds.

    Returns:
        the cost along it; the point found, at step 0 where the direction leads nowhere; the number of evaluations.
    """
    space.direction(m, d, n, iteration, active)
    line, start = space.products(m, d, n, iteration, active, space)
    length = sqrt(line.square)
    searching = active & (length > mjMINVAL) & (length < UNBOUNDED)
    searching = searching & (abs(line.whole) > ROUNDINGS * m.epsilon * line.noise)
    tolerance = m.opt.tolerance * m.opt.ls_tolerance * length / scale_of(m)
    tolerance = maximum(tolerance, 4.0 * m.epsilon * line.noise)
    point, evaluations = line_search(m, d, n, line, start, tolerance, searching)
    return line, point, evaluations


@kernel
def is_hidden(m, cost, drop, scale):
    """Whether rounding hides by how much the cost drops.

    The official engine takes the difference of two costs. Where forces are huge that is rounding, and it mostly ends.
    So does Newton's method among dofs once forces balance, unless the tolerance is below the finest; conjugate
    gradients, which take many small steps, would end far from the solution.
    """
    return (m.opt.tolerance >= FINEST_TOLERANCE) & (rounded_drop(cost, drop) * scale < m.opt.tolerance)


@formula("real", "real", "real", exact=True)
def rounded_drop(cost, drop):
    """Difference of two costs that differ by `drop`, as it is left by the rounding of the lower one."""
    return cost - (cost - drop)
