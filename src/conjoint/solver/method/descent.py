"""Descent loop shared by Newton's method in every space and the conjugate gradient method.

All of them minimize the cost

    (qacc - qacc_smooth)' M (qacc - qacc_smooth) / 2 + sum of the constraints' costs

(Computation chapter, Constraint model: primal problem) by exact line searches. Newton's method visits the same points,
in the same order, in every space, and ends by the same rule. A `Space` defines the variables and the next direction:

    newton_rows         multipliers of the rows             Newton: a system in the rows
    dofs                accelerations of the dofs           Newton: the Hessian, dense in its blocks of columns
    dofs                accelerations of the dofs           conjugate gradients, preconditioned by M
    newton_blocks       accelerations of the dofs           Newton: the Hessian, in blocks of dofs
    newton_paths        accelerations of the dofs           Newton: the Hessian, along branches of trees

Worlds are independent: a converged world no longer changes while the others continue. The space of dofs is in
`acceleration_space`.
"""

from dataclasses import dataclass

from conjoint.lang import (
    Group,
    Kernel,
    abs,
    any,
    formula,
    kernel,
    maximum,
    sqrt,
    where,
)
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.cones import sizes_of
from conjoint.solver.cost import UNBOUNDED, cost_at, is_sound, store_states
from conjoint.solver.linear.hessian import Rows, same_row
from conjoint.solver.linesearch import Point, line_search, newton_point
from conjoint.solver.method.editions import Edition
from conjoint.solver.statistics import record, store
from conjoint.solver.sums import sum_of_dofs

ROUNDINGS = 32.0
"""Minimum slope along a direction for which a line search is done, in multiples of the slope's rounding error."""

FINEST_TOLERANCE = 1e-12
"""Tolerance below which Newton's method continues until its slopes are lost to rounding."""


@dataclass(frozen=True)
class Space(Group):
    """Variables of a descent, and kernels that operate on them.

    The kernels' arguments are the model, the data, and the number of rows: n in the world with most rows, and `count`
    in each world. Fields that may be None are optional.

    Attributes:
        load: (m, d, n, count, space) prepares the rows; returns the sum of the absolute values of their elements.
        residuals: (m, d, n, count, warm, space) computes `cost.residual` at qacc_smooth. If `warm`, it also computes
            the residuals at qacc_warmstart into `cost.change` and returns twice the inertial cost of qacc_warmstart.
        take: (m, d, n, space) starts from qacc_warmstart. Some dofs may start from qacc_smooth instead; it returns by
            how much this lowers the cost.
        begin: (m, d, n, count, space) completes the first point.
        direction: (m, d, n, iteration, active, space) computes the next search direction.
        products: (m, d, n, iteration, active, space) returns the `Line` of the direction and the `Point` at step 0.
        move: (m, d, n, line, alpha, active) moves to step alpha; returns the decrease of the cost.
        gradient: (m, d, n, count, iteration, active, space) computes the forces. It returns the length of the gradient,
            and True in worlds in which the length exceeds the tolerance and the rounding error.
        finish: (m, d, n, count, sound, space) stores the solution.
        gap: (m, d, n) returns the duality gap at the first point, and the length of the gradient.
        row: (d, place) returns the row at index `place` of the solver's rows.
        is_balanced: (m, d, n, count, gradient, space) returns True if the gradient is small compared to the forces that
            cancel in it. The descent then ends if rounding hides the decrease of the cost.
        rows: storage of the rows, in spaces that support several storage formats.
        always: True to start from qacc_warmstart regardless of its cost.
        edition: rules of the edition of the physics; None until `dataclasses.replace` sets it.
    """

    load: Kernel
    residuals: Kernel
    take: Kernel
    begin: Kernel
    direction: Kernel
    products: Kernel
    move: Kernel
    gradient: Kernel
    finish: Kernel
    gap: Kernel
    row: Kernel = same_row
    is_balanced: Kernel | None = None
    rows: Rows | None = None
    always: bool = False
    edition: Edition | None = None


@kernel
def descend(m, d, count, space):
    """Solve for qacc, efc_force and qfrc_constraint in the worlds whose number of rows, `count`, is not zero."""
    n = fullest(count)
    if n == 0:
        return
    size = space.load(m, d, n, count, space)
    cost = start_cheaper(m, d, n, count, space)
    space.begin(m, d, n, count, space)
    sound = is_sound(m, d, size)
    if m.nsolverstat > 0:
        # the first iteration counts the rows that change their states
        store_states(m, d, n, count, space.row)
    active = sound & (count > 0)
    iterations = 0
    scale = space.edition.scale(m, d)
    if space.edition.is_certain:
        active = active and not space.edition.is_certain(m, d, n, scale, space)
    for iteration in range(m.opt.iterations):
        if not any(active):
            break
        line, point, evaluations = search(m, d, n, iteration, active, space)
        alpha = point.alpha
        active = active & (alpha != 0.0)
        if not any(active):
            break
        drop = space.move(m, d, n, line, alpha, active)
        if space.edition.exact_drop:
            drop = space.edition.exact_drop(drop, line, point)
        improvement = drop * scale
        going = active & (improvement >= m.opt.tolerance)
        if space.edition.may_rise:
            going = going | (active & (drop < 0.0))
        length, steep = space.gradient(m, d, n, count, iteration, going, space)
        if iteration < m.nsolverstat and active:
            record(m, d, count, iteration, space.row)
            slope = point.slope * scale / sqrt(line.square)
            store(d, iteration, improvement, length * scale, slope, evaluations)
        iterations = iterations + where(active, 1, 0)
        active = going & steep
        if space.is_balanced:
            if active and is_hidden(m, cost, drop, scale):
                active = not space.is_balanced(m, d, n, count, length, space)
            cost = cost - where(active, drop, 0.0)
    if count > 0:
        d.solver_niter[0] = iterations
    space.finish(m, d, n, count, sound, space)


@kernel(label="warm start")
def start_cheaper(m, d, n, count, space):
    """Start from qacc_warmstart, the last solution, if it costs less than qacc_smooth; otherwise from qacc_smooth.

    If `space.always`, all worlds start from qacc_warmstart.

    Returns:
        The cost at the start.
    """
    warm = space.always or uses_warm_start(m)
    inertial = space.residuals(m, d, n, count, warm, space)
    cost = cost_at(m, d, n, d.cost.residual)
    if warm:
        cost_there = warm_cost(m, d, n, inertial)
        if count > 0 and (space.always or cost_there <= cost):
            cost = cost_there - space.take(m, d, n, space)
    return cost


@kernel
def uses_warm_start(m):
    """Return True if the solver may start from the last solution."""
    return (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) == 0


@kernel
def warm_cost(m, d, n, inertial):
    """Return the cost of qacc_warmstart, given its residuals in `cost.change` and twice its inertial cost."""
    return cost_at(m, d, n, d.cost.change) + 0.5 * inertial


@kernel
def inertial_cost(m, d):
    """Return twice the inertial cost of qacc_warmstart; M times qacc_warmstart is in `dofs.Mv`."""
    return sum_of_dofs(m, d, 0.0, inertial_part)


@kernel
def inertial_part(d, i):
    """Return the contribution of dof i to twice the inertial cost of qacc_warmstart."""
    return (d.dofs.Mv[i] - d.qfrc_smooth[i]) * (d.qacc_warmstart[i] - d.qacc_smooth[i])


@kernel
def leave_free(m, d, space):
    """Start dofs outside all islands from qacc_smooth, as in MuJoCo, if islands exist but are solved together.

    Returns:
        The inertial cost of these dofs at qacc_warmstart.
    """
    saved = 0.0
    if not space.always and d.nisland > 0:
        for i in range(m.nv):
            if d.dof_island[i] < 0:
                saved = saved + 0.5 * inertial_part(d, i)
                d.qacc[i] = d.qacc_smooth[i]
                d.dofs.Ma[i] = d.qfrc_smooth[i]
    return saved


@kernel(label="line search")
def search(m, d, n, iteration, active, space):
    """Search along the next direction in the active worlds.

    Returns:
        The cost along the direction, the point found (at step 0 if no step is better), and the number of evaluations.
    """
    scale = space.edition.scale(m, d)
    space.direction(m, d, n, iteration, active, space)
    line, start = space.products(m, d, n, iteration, active, space)
    length = sqrt(line.square)
    searching = active & (length > mjMINVAL) & (length < UNBOUNDED)
    searching = searching & (abs(line.whole) > ROUNDINGS * m.epsilon * line.noise)
    if space.edition.promises_little:
        searching = searching and not space.edition.promises_little(m, iteration, line, scale)
    # in all worlds, because most worlds need it and a mask costs more
    sizes = sizes_of(m, d, n)
    first = newton_point(m, d, sizes, line, start)
    point = Point(0.0, start.slope, start.curvature)
    evaluations = 0
    if searching:
        tolerance = m.opt.tolerance * m.opt.ls_tolerance * length / scale
        tolerance = maximum(tolerance, 4.0 * m.epsilon * line.noise)
        point, evaluations = line_search(m, d, sizes, line, start, first, tolerance, space)
    return line, point, evaluations


@kernel
def is_hidden(m, cost, drop, scale):
    """Return True if rounding hides the decrease of the cost.

    MuJoCo computes the difference of two costs. With huge forces, that difference is rounding error, and MuJoCo usually
    stops. Newton's method in the space of dofs then also stops if forces balance, unless the tolerance is below
    `FINEST_TOLERANCE`. The conjugate gradient method does not, because its many small steps would end far from the
    solution.
    """
    return (m.opt.tolerance >= FINEST_TOLERANCE) & (rounded_drop(cost, drop) * scale < m.opt.tolerance)


@formula("real", "real", "real", exact=True)
def rounded_drop(cost, drop):
    """Return the computed value of `cost - lower`, where `lower` is `cost - drop` rounded to floating point."""
    return cost - (cost - drop)
