"""Parts of a scene that have settled on a line: Newton's method leaves them out, and knows where they are.

A part is a set of blocks of dofs that rows and trees couple (`linear.fill`). Its cost is quadratic as long as none of
its rows changes its state; Newton's direction then ends at its minimum. The whole scene shares one step alpha, so that
a part goes a share alpha of the way, its next direction is the last one times 1 - alpha, and its share of any sum over
the scene is known: the slope at the step alpha along a direction with the curvature Q is -(1 - alpha) Q. In a large
scene most parts settle in the first iterations, while some body always needs another one.

A part settles where no row changed its state in the last step, and none will on the way that is left and somewhat
beyond. A step outside that wakes all parts up.
"""

from conjoint.lang import STRIP, abs, all, kernel, maximum, minimum, put, strip, tile
from conjoint.schema.enums import mjtConstraintState
from conjoint.solver.cost.interval import bound_rows
from conjoint.solver.linear.compressed import list_all
from conjoint.solver.linear.dense import padded
from conjoint.solver.statistics import BLOCKS, PUSHING

CURVATURE, SQUARE, LENGTH, NOISE, SIZE = 0, 1, 2, 3, 4
"""Sums over settled parts in `settled_sum`: of the cost's curvature along their directions, of the gradient and the
direction squared, of what rounding adds to the slope, of the forces that cancel in the gradient squared."""

REACH = 1.5
"""Largest step up to which settled parts are on their lines; the least is 0."""

ROUNDINGS = 64.0
"""Rounding errors of forces, and of that of a unit acceleration, up to which a gradient is what it should be."""

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
def settle(m, d, n, alpha):
    """Leave out the parts that settled in the step alpha; the number of live rows that are left."""
    if d.settled_num[BLOCKS] == 0:
        list_parts(m, d, n)
    find_busy(m, d, n, alpha)
    if not settle_blocks(m, d, 1.0 - alpha):
        return n
    return settle_rows(m, d, n, 1.0 - alpha)


@kernel(per_world=True)
def list_parts(m, d, n):
    """row_part, of all of the n rows."""
    part = 0
    same = 0
    for r in range(n):
        if same == 0:
            if d.efc_J_rownnz[r] > 0:
                part = d.block_root[m.dof_block[d.efc_J_colind[d.efc_J_rowadr[r]]]] + 0
            same = d.efc_J_rowsuper[r] + 1
        d.row_part[r] = part
        same -= 1


@kernel(per_world=True)
def find_busy(m, d, n, alpha):
    """part_busy: live parts with a row that changes its state, or whose gradient is not what it should be."""
    for b in range(m.nblock):
        d.part_busy[b] = 0
    left = 1.0 - alpha
    for k in range(0, n, STRIP):
        y = strip(d.solver_jar, k)
        v = strip(d.solver_Jv, k)
        # where the rows were, and where they may go
        before = y - alpha * v
        ahead = y + REACH * left * v
        least = minimum(y, minimum(before, ahead))
        most = maximum(y, maximum(before, ahead))
        low = strip(d.solver_lower, k)
        high = strip(d.solver_upper, k)
        stays = ((least > low) & (most < high)) | (least >= high) | (most <= low)
        if not all(stays):
            mark_busy(m, d, k, minimum(k + STRIP, n), alpha)
    for j in range(d.nlive):
        for b in range(d.live_first[j], d.live_end[j]):
            for i in range(m.block_dof[b], m.block_dof[b + 1]):
                forces = m.stat.meaninertia + abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]) + abs(d.solver_column[1 + i])
                if not abs(d.solver_grad[i] - left * d.grad_before[i]) <= ROUNDINGS * m.epsilon * forces:
                    d.part_busy[d.block_root[b]] = 1


@kernel(per_world=True)
def mark_busy(m, d, first, end, alpha):
    """part_busy of the rows at places `first` to `end` that change their states."""
    left = 1.0 - alpha
    for k in range(first, end):
        y = d.solver_jar[k]
        v = d.solver_Jv[k]
        before = y - alpha * v
        ahead = y + REACH * left * v
        least = minimum(y, minimum(before, ahead))
        most = maximum(y, maximum(before, ahead))
        low = d.solver_lower[k]
        high = d.solver_upper[k]
        if not (((least > low) & (most < high)) | (least >= high) | (most <= low)):
            d.part_busy[d.row_part[d.live_row[k]]] = 1


@kernel(per_world=True)
def settle_blocks(m, d, left):
    """Put dofs that settle where they go to, and list the runs of blocks that are left; whether any settles."""
    runs = 0
    settles = False
    last = -1
    for b in range(m.nblock):
        root = d.block_root[b]
        if d.part_busy[root]:
            if b != last:
                d.live_first[runs] = b
                runs += 1
            last = b + 1
            d.live_end[runs - 1] = last
        elif not d.part_settled[b]:
            settles = True
            d.part_settled[b] = 1
            d.part_left[b] = 1.0
            settle_block(m, d, b, left)
    d.nlive = runs
    return settles


@kernel(per_world=True)
def settle_block(m, d, b, left):
    """Put the dofs of a block where they go to, and add them to the sums."""
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
    d.settled_sum[CURVATURE] = d.settled_sum[CURVATURE] + curvature
    d.settled_sum[SQUARE] = d.settled_sum[SQUARE] + square
    d.settled_sum[LENGTH] = d.settled_sum[LENGTH] + length
    d.settled_sum[NOISE] = d.settled_sum[NOISE] + noise
    d.settled_sum[SIZE] = d.settled_sum[SIZE] + size
    d.settled_num[BLOCKS] = d.settled_num[BLOCKS] + 1


@kernel(per_world=True)
def settle_rows(m, d, n, left):
    """Keep where the rows of settled parts go to, and close the gaps between the others; their number."""
    count = 0
    pushing = 0
    for k in range(n):
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
    d.settled_num[PUSHING] = d.settled_num[PUSHING] + pushing
    for k in range(count, padded(count)):
        d.solver_jar[k] = 0.0
        d.solver_D[k] = 0.0
        d.solver_lower[k] = 0.0
        d.solver_upper[k] = 0.0
    return count


@kernel(per_world=True)
def wake(m, d, n, count):
    """All parts are live again, at the places where they are; n rows were, of `count`."""
    for k in range(n):
        d.settled_end[d.live_row[k]] = d.solver_jar[k]
    for r in range(count):
        root = d.row_part[r]
        d.solver_jar[r] = d.settled_end[r]
        if d.part_settled[root]:
            d.solver_jar[r] = d.settled_end[r] - d.part_left[root] * d.settled_move[r]
    for b in range(m.nblock):
        root = d.block_root[b]
        if d.part_settled[root]:
            for i in range(m.block_dof[b], m.block_dof[b + 1]):
                d.qacc[i] = d.qacc[i] - d.part_left[root] * d.solver_search[i]
                d.solver_Ma[i] = d.solver_Ma[i] - d.part_left[root] * d.solver_Mv[i]
    for k in range(count, padded(count)):
        d.solver_jar[k] = 0.0
    bound_rows(d, count, count)
    list_all(m, d, count)
    begin_parts(m, d)
