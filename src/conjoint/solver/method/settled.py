"""Parts of a scene that have settled on a line: Newton's method leaves them out, and knows where they are.

A part is a set of blocks of dofs that rows and trees couple (`linear.fill`). Its cost is quadratic as long as none of
its rows changes its state; Newton's direction then ends at its minimum. The whole scene shares one step alpha, so that
a part goes a share alpha of the way, its next direction is the last one times 1 - alpha, and its share of any sum over
the scene is known: the slope at the step alpha along a direction with the curvature Q is -(1 - alpha) Q. In a large
scene most parts settle in the first iterations, while some body always needs another one.

A part settles where no row changed its state in the last step, and none will on the way that is left and somewhat
beyond. A step outside that wakes all parts up.
"""

from conjoint.lang import STRIP, abs, all, kernel, maximum, minimum, put, shared, strip, tile
from conjoint.schema.enums import mjtConstraintState
from conjoint.solver.cost.interval import bound_rows, clear_padding, live_row
from conjoint.solver.cost.total import elliptic
from conjoint.solver.linear.shares import arrange, list_parts, list_runs
from conjoint.solver.statistics import BLOCKS, PUSHING

CURVATURE, SQUARE, LENGTH, NOISE, SIZE = 0, 1, 2, 3, 4
"""Sums over settled parts in `settled_sum`: of the cost's curvature along their directions, of the gradient and the
direction squared, of what rounding adds to the slope, of the forces that cancel in the gradient squared."""

SLOPE, WHOLE = 5, 6
"""More sums of a share in `share_sum`: the slopes of the inertial part of the cost, and of all of it."""

REACH = 1.5
"""Largest step up to which settled parts are on their lines; the least is 0."""

ROUNDINGS = 64.0
"""Rounding errors of forces, and of that of a unit acceleration, up to which a gradient is what it should be."""

SUMS = 8
"""Sums of a share in `share_sum`."""

SATISFIED = mjtConstraintState.mjCNSTRSTATE_SATISFIED.value


@kernel(per_world=True)
def begin_parts(m, d):
    """No part is settled."""
    for b in range(m.nblock):
        d.part_settled[b] = 0
        d.part_left[b] = 0.0
    put(d.settled_sum, 0, tile(0.0))
    d.settled_num[PUSHING] = 0
    d.settled_num[BLOCKS] = 0
    for s in range(d.nsolver_share):
        list_runs(d, s)


@kernel(per_world=True)
def advance_settled(m, d, alpha):
    """A step alpha of the settled parts."""
    left = 1.0 - alpha
    for b in range(m.nblock):
        d.part_left[b] = d.part_left[b] * left
    d.settled_sum[CURVATURE] = left * left * d.settled_sum[CURVATURE]
    d.settled_sum[SQUARE] = left * left * d.settled_sum[SQUARE]
    d.settled_sum[LENGTH] = left * left * d.settled_sum[LENGTH]
    d.settled_sum[NOISE] = abs(left) * d.settled_sum[NOISE]


@kernel(per_world=True)
def live_rows(d):
    """The number of live rows."""
    return d.share_row[d.nsolver_share]


@kernel(per_world=True)
def settle(m, d, iteration, alpha):
    """Leave out the parts that settled in the last step, alpha; see `descent.Space`."""
    if iteration > 0 and not elliptic(m):
        n = live_rows(d)
        if d.settled_num[BLOCKS] == 0 and d.nsolver_share == 1:
            list_parts(m, d, n)
        find_busy(m, d, n, alpha)
        shared(settle_share, m, d, d.nsolver_share, 1.0 - alpha)
        if add_settled(d) > 0:
            settle_rows(d, n, 1.0 - alpha)


@kernel(per_world=True)
def find_busy(m, d, n, alpha):
    """part_busy: live parts with a row that changes its state."""
    for b in range(m.nblock):
        d.part_busy[b] = 0
    for k in range(0, n, STRIP):
        y, v = strip(d.solver_jar, k), strip(d.solver_Jv, k)
        if not all(stays(y, v, strip(d.solver_lower, k), strip(d.solver_upper, k), alpha)):
            mark_busy(d, k, minimum(k + STRIP, n), alpha)


@kernel(per_world=True)
def stays(y, v, low, high, alpha):
    """Whether rows at the residuals y after a step alpha along v keep their states where they were and may go."""
    before = y - alpha * v
    ahead = y + REACH * (1.0 - alpha) * v
    least = minimum(y, minimum(before, ahead))
    most = maximum(y, maximum(before, ahead))
    return ((least > low) & (most < high)) | (least >= high) | (most <= low)


@kernel(per_world=True)
def find_unsettled(m, d, s, left):
    """part_busy also of live parts of share s whose gradient is not what it should be."""
    for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
        for b in range(d.live_first[j], d.live_end[j]):
            for i in range(m.block_dof[b], m.block_dof[b + 1]):
                forces = m.stat.meaninertia + abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]) + abs(d.solver_column[1 + i])
                if not abs(d.solver_grad[i] - left * d.grad_before[i]) <= ROUNDINGS * m.epsilon * forces:
                    d.part_busy[d.block_root[b]] = 1


@kernel(per_world=True)
def mark_busy(d, first, end, alpha):
    """part_busy of the rows at places `first` to `end` that change their states."""
    for k in range(first, end):
        if not stays(d.solver_jar[k], d.solver_Jv[k], d.solver_lower[k], d.solver_upper[k], alpha):
            d.part_busy[d.row_part[d.live_row[k]]] = 1


@kernel(per_world=True)
def settle_share(m, d, s, left):
    """Put dofs of share s that settle where they go to, and list the runs of blocks that are left."""
    find_unsettled(m, d, s, left)
    put(d.share_sum, SUMS * s, tile(0.0))
    settled = 0
    for k in range(d.share_adr[s], d.share_adr[s + 1]):
        b = d.share_block[k]
        if not (d.part_busy[d.block_root[b]] or d.part_settled[b]):
            settled += 1
            d.part_settled[b] = 1
            d.part_left[b] = 1.0
            settle_block(m, d, s, b, left)
    list_runs(d, s)
    d.share_settled[s] = settled


@kernel(per_world=True)
def add_settled(d):
    """Add what settled in all shares to the sums; the number of blocks."""
    settled = 0
    for s in range(d.nsolver_share):
        if d.share_settled[s] > 0:
            settled += d.share_settled[s]
            put(d.settled_sum, 0, tile(d.settled_sum, 0) + tile(d.share_sum, SUMS * s))
    d.settled_num[BLOCKS] = d.settled_num[BLOCKS] + settled
    return settled


@kernel(per_world=True)
def settle_block(m, d, s, b, left):
    """Put the dofs of a block where they go to, and add them to the sums of share s."""
    curvature = 0.0
    square = 0.0
    length = 0.0
    noise = 0.0
    size = 0.0
    for i in range(m.block_dof[b], m.block_dof[b + 1]):
        x = left * d.solver_search[i]
        grad = d.solver_grad[i]
        # the direction is minus the gradient over the Hessian
        curvature -= x * left * d.grad_before[i]
        square += grad * grad
        length += x * x
        noise += abs(x) * (abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]))
        size += d.solver_Ma[i] * d.solver_Ma[i] + d.qfrc_smooth[i] * d.qfrc_smooth[i]
        force = left * d.solver_Mv[i]
        d.solver_search[i] = x
        d.solver_Mv[i] = force
        d.qacc[i] = d.qacc[i] + x
        d.solver_Ma[i] = d.solver_Ma[i] + force
    d.share_sum[s, CURVATURE] = d.share_sum[s, CURVATURE] + curvature
    d.share_sum[s, SQUARE] = d.share_sum[s, SQUARE] + square
    d.share_sum[s, LENGTH] = d.share_sum[s, LENGTH] + length
    d.share_sum[s, NOISE] = d.share_sum[s, NOISE] + noise
    d.share_sum[s, SIZE] = d.share_sum[s, SIZE] + size


@kernel(per_world=True)
def settle_rows(d, n, left):
    """Keep where the rows of settled parts go to, and close the gaps between the others."""
    count = 0
    pushing = 0
    share = 0
    for k in range(n):
        while k == d.share_row[share + 1]:
            # places before this one belong to shares that are over
            share += 1
            d.share_row[share] = count
        r = d.live_row[k]
        if d.part_busy[d.row_part[r]]:
            d.live_row[count] = r
            d.solver_jar[count] = d.solver_jar[k]
            d.solver_D[count] = d.solver_D[k]
            d.solver_lower[count] = d.solver_lower[k]
            d.solver_upper[count] = d.solver_upper[k]
            d.solver_spring[count] = d.solver_spring[k]
            count += 1
        else:
            move = left * d.solver_Jv[k]
            d.settled_end[r] = d.solver_jar[k] + move
            d.settled_move[r] = move
            if d.efc_state[r] != SATISFIED:
                pushing += 1
    for s in range(share + 1, d.nsolver_share + 1):
        d.share_row[s] = count
    d.settled_num[PUSHING] = d.settled_num[PUSHING] + pushing
    clear_padding(d, count)


@kernel(per_world=True)
def wake(m, d, count):
    """All parts are live again, with all rows, `count`, at the places where they are."""
    for k in range(live_rows(d)):
        d.settled_end[d.live_row[k]] = d.solver_jar[k]
    arrange(m, d, count)
    for k in range(count):
        r = d.live_row[k]
        root = d.row_part[r]
        d.solver_jar[k] = d.settled_end[r]
        if d.part_settled[root]:
            d.solver_jar[k] = d.settled_end[r] - d.part_left[root] * d.settled_move[r]
    bound_rows(d, 0, count, count, live_row)
    clear_padding(d, count)
    for b in range(m.nblock):
        root = d.block_root[b]
        if d.part_settled[root]:
            for i in range(m.block_dof[b], m.block_dof[b + 1]):
                d.qacc[i] = d.qacc[i] - d.part_left[root] * d.solver_search[i]
                d.solver_Ma[i] = d.solver_Ma[i] - d.part_left[root] * d.solver_Mv[i]
    begin_parts(m, d)
