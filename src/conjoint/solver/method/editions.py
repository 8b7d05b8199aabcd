"""Rules by which solvers differ between the two editions of the physics, in one group per edition (docs/semantics.md).

Edition 3.3.5 follows the documentation. In edition 4.0, a line search continues from its first Newton step, and an
iteration may end at a higher cost. A descent stops if a bound on the improvement is below the tolerance. Conjugate
gradients follow Hager and Zhang, and Gauss-Seidel methods solve each island separately. In this edition, projected
Gauss-Seidel visits blocks in pseudo-random order and uses momentum.

Momentum is Nesterov's: the sweep after the k-th sweep since a restart begins at x + (k - 1) / (k + 2) (x - y), moved
back into the cones. Here x and y are the forces after the last two sweeps. Momentum restarts when a sweep moves against
the extrapolation from which it began. This is the gradient scheme of O'Donoghue and Candes (Adaptive restart for
accelerated gradient schemes, 2015), with a sweep as the step of gradient descent.

Pseudo-random numbers come from O'Neill's PCG32 (PCG: A family of simple fast space-efficient statistically good
algorithms for random number generation, 2014). It is a 64-bit linear congruential generator, whose high bits determine
the rotation of the other bits. Its state is stored in four quarters of 16 bits, so that no number exceeds the 31 bits
of integers in lanes. Each solve begins with the same numbers, so it depends only on the problem.
"""

from dataclasses import dataclass, replace

from conjoint.lang import Group, Kernel, kernel, local, maximum, minimum, sqrt, where
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtSolver
from conjoint.solver.cost import UNBOUNDED
from conjoint.solver.linesearch import drop_at
from conjoint.solver.method.dual import limited, move_force, size_of_block
from conjoint.solver.sums import sum_of_dofs

LEAST_GRADIENT = 0.01
"""Constant eta in Hager and Zhang's lower bound -1 / (|d| min(eta, |g|)) on the coefficient of a direction d."""

QUARTERS = 4
BITS = 16
LOW = (1 << BITS) - 1
BYTE = 255
FACTOR = 6364136223846793005
INCREMENT = 1

AGE = QUARTERS
STATE = QUARTERS + 1
"""Number of integers in the state of a `Pace`.

They are the state of the generator, and the number of sweeps since momentum restarted.
"""


@dataclass(frozen=True)
class Pace(Group):
    """Order of sweeps, and the forces from which each sweep begins.

    Attributes:
        start: (state) sets the state before the first sweep.
        begin: (m, d, blocks, state, sweeps) orders the blocks in `pace.order`, and moves the forces by a fraction of
            their last change; returns that fraction.
        end: (m, d, blocks, share, state) updates the state after the sweep.
    """

    start: Kernel
    begin: Kernel
    end: Kernel


@dataclass(frozen=True)
class Edition(Group):
    """Rules of an edition for solvers. Fields that may be None are optional.

    Attributes:
        scale: (m, d) returns the factor by which improvements and gradient lengths are scaled for comparison with the
            tolerance.
        share: (m, d) returns the coefficient of the last direction in the next direction of conjugate gradients.
        first_point: (m, d, sizes, line, start, point) returns the point from which a line search continues.
        exact_drop: (drop, line, point) returns the decrease of the cost up to a point, without the rounding of large
            sums.
        may_rise: True to continue after an iteration that ends at a higher cost.
        is_certain: (m, d, n, scale, space) returns True if the first point is good enough.
        promises_little: (m, iteration, line, scale) returns True if a step promises too little improvement.
        pace: order of the sweeps of projected Gauss-Seidel; None: the order of rows.
        by_islands: True if Gauss-Seidel methods solve each island separately.
    """

    scale: Kernel
    share: Kernel
    first_point: Kernel | None = None
    exact_drop: Kernel | None = None
    may_rise: bool = False
    is_certain: Kernel | None = None
    promises_little: Kernel | None = None
    pace: Pace | None = None
    by_islands: bool = False


# edition 3.3.5


@kernel
def scale_3(m, d):
    """Return the factor that makes improvements and gradients comparable between models.

    See the Computation chapter, Termination.
    """
    return 1.0 / (m.stat.meaninertia * m.nv)


@kernel
def share_3(m, d):
    """Return Polak and Ribiere's coefficient of the last direction in the next direction, which is at least zero.

    See Nocedal and Wright, Numerical Optimization, 2006, section 5.2.
    """
    change = sum_of_dofs(m, d, 0.0, change_of_square)
    return where(change > 0.0, change / maximum(d.conjugate.product, mjMINVAL), 0.0)


@kernel
def change_of_square(d, i):
    """Return the gradient of dof i times the change in M^-1 gradient since the previous iteration."""
    return d.dofs.gradient[i] * (d.conjugate.Mgrad[i] - d.conjugate.before[i])


@kernel
def first_point_3(m, d, sizes, line, start, point):
    """Return `point`, or `start` if `point` is past the minimum and costs more."""
    across = where(start.slope < 0.0, point.slope > 0.0, point.slope < 0.0)
    if across and drop_at(m, d, sizes, line, point.alpha) < 0.0:
        return start
    return point


@kernel
def exact_drop_3(drop, line, point):
    """Return the decrease of the cost up to a point of a line, corrected for rounding.

    A search does not end at a higher cost, so a negative decrease is due to the rounding of large sums that cancel.
    Then the decrease is computed from the slopes at both ends.
    """
    return where(drop > 0.0, drop, -0.5 * point.alpha * (line.whole + point.slope))


# edition 4.0


@kernel
def note_scale_4(m, d):
    """Compute cost.scale, the scaling factor, from the trace of the current inertia matrix (mj_fwdConstraint)."""
    trace = 0.0
    for i in range(m.nv):
        # the diagonal element is the last element of its row
        trace = trace + d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1]
    # without dofs there is nothing to scale
    d.cost.scale = 1.0 / maximum(trace, mjMINVAL)


@kernel
def scale_4(m, d):
    """Return the factor computed by `note_scale_4`."""
    return d.cost.scale


@kernel
def note_warmstart_4(m, d):
    """Save qacc_warmstart, because the solver must not change it (mj_fwdConstraint)."""
    for i in range(m.nv):
        d.posthoc.warm[i] = d.qacc_warmstart[i]


@kernel
def restore_warmstart_4(m, d):
    """Restore qacc_warmstart after the solver."""
    for i in range(m.nv):
        d.qacc_warmstart[i] = d.posthoc.warm[i]


@kernel
def keep_warmstart_4(m, d):
    """Save the acceleration of this step as the warm start of the next one."""
    for i in range(m.nv):
        d.qacc_warmstart[i] = d.qacc[i]


@kernel
def share_4(m, d):
    """Return Hager and Zhang's coefficient of the last direction in the next direction, with M as the metric.

    See A new conjugate gradient method with guaranteed descent and an efficient line search, SIAM J. Optim. 16, 2005.
    `conjugate.slope` is the slope along the last direction at its start.
    """
    slope = 0.0
    change = 0.0
    product = 0.0
    length = 0.0
    gradient = 0.0
    for i in range(m.nv):
        g = d.dofs.gradient[i]
        last = d.dofs.search[i]
        slope = slope + last * g
        product = product + d.conjugate.Mgrad[i] * g
        change = change + g * (d.conjugate.Mgrad[i] - d.conjugate.before[i])
        length = length + last * last
        gradient = gradient + g * g
    # y is the change in the gradient: compute y M^-1 y, and y along the last direction
    square = 2.0 * change - product + d.conjugate.product
    along = slope - d.conjugate.slope
    safe = maximum(along, mjMINVAL)
    share = (change - 2.0 * square * slope / safe) / safe
    least = -1.0 / maximum(sqrt(length) * minimum(LEAST_GRADIENT, sqrt(gradient)), mjMINVAL)
    return where(along < mjMINVAL, 0.0, maximum(share, least))


@kernel
def is_certain_4(m, d, n, scale, space):
    """Return True if the first point is good enough, because the duality gap bounds its excess over the minimum cost.

    The curvature of the cost is at least M, so the gap is half the square of the gradient in the norm of M^-1 (Boyd and
    Vandenberghe, Convex Optimization, 9.1.2). Newton's method needs a small gradient, too.
    """
    gap, length = space.gap(m, d, n)
    certain = gap * scale < m.opt.tolerance
    if m.opt.solver == mjtSolver.mjSOL_NEWTON:
        certain = certain & (length * scale < m.opt.tolerance)
    return certain


@kernel
def promises_little_4(m, iteration, line, scale):
    """Return True if a Newton step, other than the first, promises an improvement below the tolerance.

    The promised improvement is half the slope along the step, the Newton decrement (Boyd and Vandenberghe, section
    9.5.1).
    """
    little = line.whole > UNBOUNDED
    if iteration > 0 and m.opt.solver == mjtSolver.mjSOL_NEWTON:
        little = -0.5 * line.whole * scale < m.opt.tolerance
    return little


@kernel
def start_pace(state):
    """Set the state before the first sweep: no momentum, and a generator seeded with 0 that has skipped one number."""
    for k in range(STATE):
        state[k] = INCREMENT if k == 0 else 0


@kernel
def begin_sweep(m, d, blocks, state, sweeps):
    """Shuffle the blocks, and extrapolate the forces; see `Pace`."""
    shuffle(d, blocks, state)
    share = 0.0
    if state[AGE] > 1:
        share = (state[AGE] - 1.0) / (state[AGE] + 2.0)
    for b in range(blocks):
        r = d.pace.order[b]
        size = size_of_block(m, d, r)
        if share > 0.0:
            for i in range(r, r + size):
                d.pace.point[i] = d.efc_force[i] + share * (d.efc_force[i] - d.pace.before[i])
            bring_inside(d, r, size)
        for i in range(r, r + size):
            d.pace.before[i] = d.efc_force[i]
            if share > 0.0:
                move_force(m, d, i, d.nefc, d.pace.point[i], sweeps)
    return share


@kernel
def bring_inside(d, r, size):
    """Move `pace.point` at the block of row r into the limits of the block's constraint type.

    For a contact, friction is scaled down to the cone.
    """
    if size == 1:
        d.pace.point[r] = limited(d, r, d.pace.point[r])
        return
    normal = d.pace.point[r]
    if normal < mjMINVAL:
        for i in range(r, r + size):
            d.pace.point[i] = 0.0
        return
    square = 0.0
    for i in range(r + 1, r + size):
        scaled = d.pace.point[i] / d.cone_scale[i]
        square = square + scaled * scaled
    factor = sqrt(normal * normal / maximum(square, mjMINVAL))
    if factor < 1.0:
        for i in range(r + 1, r + size):
            d.pace.point[i] = factor * d.pace.point[i]


@kernel
def end_sweep(m, d, blocks, share, state):
    """Increase momentum, or restart it if the sweep moved against the extrapolation from which it began; see `Pace`."""
    turn = 0.0
    if share > 0.0:
        for b in range(blocks):
            r = d.pace.order[b]
            for i in range(r, r + size_of_block(m, d, r)):
                turn = turn + (d.pace.point[i] - d.efc_force[i]) * (d.pace.point[i] - d.pace.before[i])
    state[AGE] = 0 if turn > 0.0 else state[AGE] + 1


@kernel
def shuffle(d, count, state):
    """Shuffle the first `count` entries of `pace.order` (Fisher and Yates), and advance the generator."""
    for i in range(count - 1, 0, -1):
        high, low = output_of(state)
        advance(state)
        # a number of 32 bits modulo i + 1
        j = high % (i + 1)
        j = (256 * j + (low >> 8)) % (i + 1)
        j = (256 * j + (low & BYTE)) % (i + 1)
        entry = d.pace.order[i]
        d.pace.order[i] = d.pace.order[j]
        d.pace.order[j] = entry


@kernel
def output_of(state):
    """Return the 32-bit output of a generator in the given state, as its high and low halves."""
    s1, s2, s3 = state[1], state[2], state[3]
    # XOR of the state and the state shifted right by 18 bits, from bit 27 up
    m1 = s1 ^ ((s2 >> 2) | ((s3 & 3) << 14))
    m2 = s2 ^ (s3 >> 2)
    low = (m1 >> 11) | ((m2 & 2047) << 5)
    high = (m2 >> 11) | ((s3 & 2047) << 5)
    turn = s3 >> 11
    if turn >= BITS:
        turn -= BITS
        high, low = low, high
    rest = BITS - turn
    return ((high >> turn) | (low << rest)) & LOW, ((low >> turn) | (high << rest)) & LOW


@kernel
def advance(state):
    """Advance the state of the generator: multiply it by the factor, and add the increment, modulo 2^64."""
    sums = local(int, QUARTERS)
    for k in range(QUARTERS):
        sums[k] = INCREMENT if k == 0 else 0
    for i in range(QUARTERS):
        for j in range(QUARTERS - i):
            factor = (FACTOR >> (BITS * j)) & LOW
            lower = state[i] * (factor & BYTE)
            upper = state[i] * (factor >> 8) + (lower >> 8)
            sums[i + j] = sums[i + j] + ((upper & BYTE) << 8) + (lower & BYTE)
            if i + j < QUARTERS - 1:
                sums[i + j + 1] = sums[i + j + 1] + (upper >> 8)
    carry = 0
    for k in range(QUARTERS):
        sum = sums[k] + carry
        state[k] = sum & LOW
        carry = sum >> BITS


EDITION_3 = Edition(scale_3, share_3, first_point_3, exact_drop_3)
EDITION_4 = Edition(
    scale_4, share_4, may_rise=True, is_certain=is_certain_4, promises_little=promises_little_4,
    pace=Pace(start_pace, begin_sweep, end_sweep), by_islands=True,
)  # fmt: skip
EDITIONS = EDITION_3, EDITION_4
IN_ISLAND = EDITION_3, replace(EDITION_4, scale=scale_3)
"""Variants of `EDITIONS` for islands, in the same order, which scale by the island's current mean inertia."""
