"""Newton's method in the space of dofs, with compressed rows and a Hessian of blocks (see `linear.block_hessian`).

It visits the points of the space of dofs, but leaves out the parts of the scene that have settled (see `settled`), and
works in shares (see `linear.shares`): live rows and dofs are those of parts that have not settled.
"""

from conjoint.lang import STRIP, abs, kernel, put, shared, sqrt, strip, tile
from conjoint.physics.inertia import mul_M_row
from conjoint.schema.constants import SOLVER_SHARES
from conjoint.solver.cost.cone import FIRST, LAST
from conjoint.solver.cost.interval import NO_SOLUTION, bound_rows, clear_padding, is_sound, live_row
from conjoint.solver.cost.total import elliptic, prepare, store_forces, update
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
from conjoint.solver.linesearch import Line, drop_at, point_at
from conjoint.solver.method.descent import Space
from conjoint.solver.method.dofs import BALANCED, add_gradient, add_line, force_sizes, is_steep, take
from conjoint.solver.method.settled import (
    CURVATURE,
    LENGTH,
    NOISE,
    REACH,
    SIZE,
    SLOPE,
    SQUARE,
    SUMS,
    WHOLE,
    advance_settled,
    begin_parts,
    live_rows,
    settle,
    wake,
)
from conjoint.solver.method.start import add_inertial, start_cheaper
from conjoint.solver.statistics import BLOCKS, record_live

INERTIAL = CURVATURE
"""A sum of a share in `share_sum` at the start: its inertial cost. `SIZE` is that of the sizes of its residuals."""


@kernel(per_world=True)
def start(m, d, n, count, space):
    """All parts are live; see `Space`."""
    # rows of a cone act together: with cones there is one share
    share_parts(m, d, 1 if elliptic(m) else SOLVER_SHARES)
    begin_parts(m, d)
    arrange(m, d, n)
    if d.nsolver_share == 1:
        prepare(m, d, n, count)
    cost = start_cheaper(m, d, n, count, space)
    size = 0.0
    for s in range(d.nsolver_share):
        size += d.share_sum[s, SIZE]
    begin_unit(d)
    update_gradient(m, d)
    return is_sound(m, d, size), cost


@kernel(per_world=True)
def residuals(m, d, n, count, warm, space):
    """Residuals and forces at qacc_smooth, and if `warm` at qacc_warmstart; see `Space`.

    The sizes of the residuals at qacc_smooth, whose sum is finite only if their elements are, are in `share_sum`.
    """
    shared(look_at_share, m, d, d.nsolver_share, warm)
    clear_padding(d, n)
    first = n if warm else 0
    clear(d.solver_Jv, first, padded(n) - first)
    inertial = 0.0
    for s in range(d.nsolver_share):
        inertial += d.share_sum[s, INERTIAL]
    return inertial


@kernel(per_world=True)
def look_at_share(m, d, s, warm):
    """Residuals of share s at qacc_smooth, and with their forces at qacc_warmstart if that may be taken; its sums."""
    begin = d.share_row[s]
    end = d.share_row[s + 1]
    put(d.share_sum, SUMS * s, tile(0.0))
    if d.nsolver_share > 1:
        bound_rows(d, begin, end, end, live_row)
    times_places(m, d, begin, end, d.qacc_smooth, d.solver_jar)
    if warm:
        times_places(m, d, begin, end, d.qacc_warmstart, d.solver_Jv)
    size = 0.0
    for k in range(begin, end):
        r = d.live_row[k]
        d.solver_jar[k] = d.solver_jar[k] - d.efc_aref[r]
        if warm:
            d.solver_Jv[k] = d.solver_Jv[k] - d.efc_aref[r]
        d.efc_b[r] = d.solver_jar[k]
        size += abs(d.solver_jar[k])
    inertial = 0.0
    for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
        first = m.block_dof[d.live_first[j]]
        last = m.block_dof[d.live_end[j]]
        for i in range(first, last):
            d.solver_Ma[i] = d.qfrc_smooth[i]
        if warm:
            for i in range(first, last):
                mul_M_row(m, d, d.solver_Mv, d.qacc_warmstart, i)
            inertial = add_inertial(d, first, last, inertial)
    d.share_sum[s, SIZE] = size
    d.share_sum[s, INERTIAL] = inertial


@kernel(per_world=True)
def direction(m, d, n, iteration, active):
    """The search direction of the live dofs, its products, and their sums by shares; see `Space`."""
    n = live_rows(d)
    if iteration == 0 or elliptic(m):
        clear(d.solver_mask, 0, n)
    shared(search_share, m, d, d.nsolver_share, iteration)
    clear(d.solver_Jv, n, padded(n) - n)
    return n


@kernel(per_world=True)
def search_share(m, d, s, iteration):
    """The search direction of share s, its products, and the sums over them. The direction is minus the gradient over
    the Hessian, which has the rows that are springs now."""
    if iteration == 0 or elliptic(m):
        begin_blocks(m, d, s)
    add_changes(m, d, s)
    if elliptic(m):
        add_sliding(m, d, s)
    factorize_blocks(m, d, s)
    substitute_blocks(m, d, s)
    times_places(m, d, d.share_row[s], d.share_row[s + 1], d.solver_search, d.solver_Jv)
    line = Line(0.0, 0.0, 0.0, 0.0, 0.0)
    for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
        first = m.block_dof[d.live_first[j]]
        end = m.block_dof[d.live_end[j]]
        for i in range(first, end):
            mul_M_row(m, d, d.solver_Mv, d.solver_search, i)
        line = add_line(d, first, end, line)
    d.share_sum[s, SLOPE] = line.slope
    d.share_sum[s, CURVATURE] = line.curvature
    d.share_sum[s, WHOLE] = line.whole
    d.share_sum[s, NOISE] = line.noise
    d.share_sum[s, LENGTH] = line.square


@kernel(per_world=True)
def add_sliding(m, d, s):
    """Add what the rows of sliding contacts have in common to the Hessian (see `cost.cone_hessian`).

    With cones there is one share, and rows are in their order.
    """
    first = 0
    for r in range(d.share_row[s], d.share_row[s + 1]):
        place = d.solver_cone[r]
        if place == FIRST:
            first = r
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
def products(m, d, n, iteration, active, space):
    """The cost along the search direction, of live dofs and of what is settled; see `Space`."""
    curvature = d.settled_sum[CURVATURE]
    line = Line(-curvature, -curvature, curvature, d.settled_sum[LENGTH], d.settled_sum[NOISE])
    for s in range(d.nsolver_share):
        line = line + Line(
            d.share_sum[s, SLOPE], d.share_sum[s, WHOLE], d.share_sum[s, CURVATURE], d.share_sum[s, LENGTH],
            d.share_sum[s, NOISE],
        )  # fmt: skip
    return line, point_at(m, d, live_rows(d), line, 0.0)


@kernel(per_world=True)
def wakes(m, d, count, alpha):
    """Whether a step leads settled parts off their lines, which then wake up; see `Space`."""
    leaves = d.settled_num[BLOCKS] > 0 and (alpha < 0.0 or alpha > REACH)
    if leaves:
        wake(m, d, count)
        update_gradient(m, d)
    return leaves


@kernel(per_world=True)
def move(m, d, n, line, alpha, active):
    """Take the step; see `Space`."""
    n = live_rows(d)
    drop = drop_at(m, d, n, line, alpha)
    advance_settled(m, d, alpha)
    for k in range(0, n, STRIP):
        put(d.solver_jar, k, strip(d.solver_jar, k) + alpha * strip(d.solver_Jv, k))
    shared(move_share, m, d, d.nsolver_share, alpha)
    return drop


@kernel(per_world=True)
def move_share(m, d, s, alpha):
    """Take the step of the dofs of share s."""
    for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            d.qacc[i] = d.qacc[i] + alpha * d.solver_search[i]
            d.solver_Ma[i] = d.solver_Ma[i] + alpha * d.solver_Mv[i]


@kernel(per_world=True)
def gradient(m, d, n, count, iteration, active, space):
    """Forces and the length of the gradient, of all dofs; see `Space`."""
    square, size = update_gradient(m, d)
    return sqrt(square), is_steep(m, square, size)


@kernel(per_world=True)
def update_gradient(m, d):
    """Forces, qfrc_constraint and the gradient at the current residuals, of the live rows and dofs.

    Returns:
        squared length of the gradient; squared length of the forces that cancel in it, both of all dofs.
    """
    update(m, d, live_rows(d))
    shared(gradient_of_share, m, d, d.nsolver_share)
    square = d.settled_sum[SQUARE]
    size = d.settled_sum[SIZE]
    for s in range(d.nsolver_share):
        square += d.share_sum[s, SQUARE]
        size += d.share_sum[s, SIZE]
    return square, size


@kernel(per_world=True)
def gradient_of_share(m, d, s):
    """qfrc_constraint and the gradient of share s, and their sums."""
    square = 0.0
    size = 0.0
    begin = d.share_adr[s]
    for j in range(begin, begin + d.share_run[s]):
        first = m.block_dof[d.live_first[j]]
        clear(d.solver_column, 1 + first, m.block_dof[d.live_end[j]] - first)
    gather_places(m, d, d.share_row[s], d.share_row[s + 1])
    for j in range(begin, begin + d.share_run[s]):
        first = m.block_dof[d.live_first[j]]
        end = m.block_dof[d.live_end[j]]
        for i in range(first, end):
            d.grad_before[i] = d.solver_grad[i]
        square, size = add_gradient(d, first, end, 1, square, size)
    d.share_sum[s, SQUARE] = square
    d.share_sum[s, SIZE] = size


@kernel(per_world=True, rare=True)
def is_balanced(m, d, n, count, gradient, space):
    """Whether the gradient is small beside the forces that cancel in it, of all parts, which wake up; see `Space`."""
    steep = True
    if d.settled_num[BLOCKS] > 0:
        wake(m, d, count)
        square, size = update_gradient(m, d)
        gradient = sqrt(square)
        steep = is_steep(m, square, size)
    return gradient <= BALANCED * sqrt(live_force_sizes(m, d)) or not steep


@kernel(per_world=True)
def live_force_sizes(m, d):
    """What `dofs.force_sizes` returns for the live dofs."""
    square = 0.0
    clear(d.solver_column, 0, 1 + m.nv)
    for s in range(d.nsolver_share):
        gather_sizes_of_places(m, d, d.share_row[s], d.share_row[s + 1])
        for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
            square += force_sizes(d, m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]])
    return square


@kernel(per_world=True)
def finish(m, d, n, count, sound):
    """All parts wake up: forces of all rows, and NaN for qacc of a world that is not sound; see `Space`."""
    if d.settled_num[BLOCKS] > 0:
        wake(m, d, count)
        update_gradient(m, d)
    store_forces(m, d, n, count, live_row)
    for i in range(m.nv):
        d.qacc[i] = d.qacc[i] if sound else NO_SOLUTION


PARTS = Space(
    start, residuals, take, direction, products, move, gradient, record_live, finish, live_row,
    is_balanced, settle, wakes,
)  # fmt: skip
