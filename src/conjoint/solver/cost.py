"""Costs of constraints: the separate costs of single rows, and the joint costs of elliptic cones.

A row with residual y = J qacc - aref costs D s (y - s / 2) and exerts the force -D s (Computation chapter, primal
problem). Here s is y clipped to an interval. The interval is all reals for an equality, and the negative reals for a
limit or a contact. For dry friction, it is [-c, c] with c equal to R times the friction loss, which makes the cost a
Huber function. Inside its interval, a row is *active*: its force follows the residual. The expression is the same for
all types of rows, so that lanes with rows of different types compute together. Rows past the last row of a world have
the interval [0, 0] and exert no force.

Rows of elliptic cones have the interval [0, 0], too: `cones` computes their joint cost.
"""

from conjoint.lang import STRIP, abs, clip, formula, kernel, put, strip, total, where
from conjoint.schema.enums import mjtConstraintState
from conjoint.solver.cones import (
    NOTHING,
    QUADRATIC,
    SATISFIED,
    begin_cones_line,
    cones_at,
    cones_drop,
    cones_line,
    elliptic,
    find_cone_states,
    prepare_cones,
    sizes_of,
    update_cones,
)
from conjoint.solver.linear.dense import padded
from conjoint.solver.sums import sum_of_dofs

UNBOUNDED = float("inf")
NO_SOLUTION = float("nan")
"""Acceleration of a world whose rows are not finite. The check of accelerations reports it."""

HARD = 1e9
"""Ratio of a row's stiffness to the mean inertia above which removing the row from a sum leaves a noticeable error."""

LINEARNEG = mjtConstraintState.mjCNSTRSTATE_LINEARNEG.value
LINEARPOS = mjtConstraintState.mjCNSTRSTATE_LINEARPOS.value


@kernel
def prepare(m, d, n, count, row):
    """Compute the parts of costs and forces that do not depend on residuals, for the first `count` rows of each world.

    `row` is the kernel described in `bound_rows`.
    """
    bound_rows(d, n, count, row)
    if elliptic(m):
        prepare_cones(d, n, count)


@kernel
def bound_rows(d, n, count, row):
    """Set stiffnesses and active intervals of the first n solver rows; in each world, the first `count` of these exist.

    Elements from n up to the end of the last tile are set to zero. The kernel `row` maps a solver row index to a row of
    the Jacobian.
    """
    for k in range(n):
        r = row(d, k)
        live = k < count
        two_sided = r < d.ne + d.nf
        limit = where(r < d.ne, UNBOUNDED, d.efc_frictionloss[r] * d.efc_R[r])
        d.cost.D[k] = where(live, d.efc_D[r], 0.0)
        d.cost.lower[k] = where(live, where(two_sided, -limit, -UNBOUNDED), 0.0)
        d.cost.upper[k] = where(live & two_sided, limit, 0.0)
    for k in range(n, padded(n)):
        d.cost.D[k] = 0.0
        d.cost.lower[k] = 0.0
        d.cost.upper[k] = 0.0


@kernel
def has_hard_rows(m, d, n):
    """Return True if some row's ratio of stiffness to mean inertia exceeds `HARD`."""
    limit = HARD * m.stat.meaninertia
    hard = strip(0.0)
    for k in range(0, padded(n), STRIP):
        hard = hard + where(strip(d.cost.D, k) > limit, 1.0, 0.0)
    return total(hard) > 0.0


@kernel
def is_sound(m, d, size):
    """Return True if a world's problem is finite: qacc_smooth, and `size`, the sum of absolute values in its rows.

    Methods skip an element only if it is zero in all worlds, and zero times infinity is not zero. The results of a
    world that is not finite would therefore depend on the other worlds.
    """
    return size + sum_of_dofs(m, d, 0.0, size_of_dof) < UNBOUNDED


@kernel
def size_of_dof(d, i):
    """Return the absolute value of the smooth acceleration of dof i."""
    return abs(d.qacc_smooth[i])


@kernel
def clipped_rows(d, r, y):
    """Return residuals y, clipped to their intervals, for the strip of rows that starts at r."""
    return clip(y, strip(d.cost.lower, r), strip(d.cost.upper, r))


@kernel
def cost_at(m, d, n, y):
    """Return the cost of the constraints for the residuals in field y."""
    costs = strip(0.0)
    for r in range(0, sizes_of(m, d, n).plain, STRIP):
        x = strip(y, r)
        s = clipped_rows(d, r, x)
        costs = costs + strip(d.cost.D, r) * s * (x - 0.5 * s)
    cost = total(costs)
    if elliptic(m):
        cost = cost + cones_at(d, y)
    return cost


@kernel
def line_at(m, d, sizes, alpha):
    """Return a linear model of the derivative of the cost near step alpha along `cost.change`.

    Returns:
        The value of the model at step 0, and its slope.
    """
    firsts = strip(0.0)
    seconds = strip(0.0)
    for r in range(0, sizes.plain, STRIP):
        v = strip(d.cost.change, r)
        y = strip(d.cost.residual, r) + alpha * v
        low = strip(d.cost.lower, r)
        high = strip(d.cost.upper, r)
        stiffness = strip(d.cost.D, r)
        firsts = firsts + v * (stiffness * where((y > low) & (y < high), strip(d.cost.residual, r), clip(y, low, high)))
        seconds = seconds + v * where((y > low) & (y < high), stiffness * v, 0.0)
    first, second = total(firsts), total(seconds)
    if elliptic(m):
        slope, bend = cones_line(d, sizes, alpha)
        first = first + slope
        second = second + bend
    return first, second


@kernel
def begin_line(m, d):
    """Precompute the costs of cones along `cost.change`; residuals and their changes are already computed."""
    if elliptic(m):
        begin_cones_line(d)


@formula("real", "real", "real", "real", "real")
def clipped_drop(y, s, z, t):
    """Return the cost of a row of unit stiffness at residual y minus its cost at z; s and t are y and z, clipped."""
    return 0.5 * (s - t) * (s + t) + (s * (y - s) - t * (z - t))


@kernel
def drop_by(m, d, sizes, alpha):
    """Return the cost at `cost.residual` minus the cost at step alpha along `cost.change`.

    The differences are computed row by row, without cancellation.
    """
    drops = strip(0.0)
    for r in range(0, sizes.plain, STRIP):
        y = strip(d.cost.residual, r)
        z = y + alpha * strip(d.cost.change, r)
        drops = drops + strip(d.cost.D, r) * clipped_drop(y, clipped_rows(d, r, y), z, clipped_rows(d, r, z))
    drop = total(drops)
    if elliptic(m):
        drop = drop + cones_drop(d, sizes, alpha)
    return drop


@kernel
def update(m, d, n):
    """Compute forces and stiffnesses of the rows at the residuals in `cost.residual`."""
    update_forces(d, n)
    if elliptic(m):
        update_cones(d)


@kernel
def update_forces(d, n):
    """Compute forces of the rows at `cost.residual`, and their stiffnesses, which are zero for constant forces."""
    for r in range(0, padded(n), STRIP):
        y = strip(d.cost.residual, r)
        low = strip(d.cost.lower, r)
        high = strip(d.cost.upper, r)
        stiffness = strip(d.cost.D, r)
        put(d.cost.force, r, -stiffness * clip(y, low, high))
        put(d.cost.stiffness, r, where((y > low) & (y < high), stiffness, 0.0))


@kernel
def state_of(m, d, r, k):
    """Return the state (mjtConstraintState) of row r, which has index k among the solver's rows, at the last update."""
    y = d.cost.residual[k]
    above = where(r < d.ne + d.nf, LINEARPOS, SATISFIED)
    state = where(y >= d.cost.upper[k], above, where(y <= d.cost.lower[k], LINEARNEG, QUADRATIC))
    if elliptic(m):
        state = where(d.cone.place[k] != NOTHING, d.cone.state[k], state)
    return state


@kernel
def store_states(m, d, n, count, row):
    """Store efc_state at the last update; `row` is the kernel described in `bound_rows`."""
    if elliptic(m):
        find_cone_states(d)
    for k in range(n):
        r = row(d, k)
        if k < count:
            d.efc_state[r] = state_of(m, d, r, k)


@kernel
def store_forces(m, d, n, count, row):
    """Store efc_force and efc_state for the residuals in `cost.residual`; `row` is described in `bound_rows`."""
    update(m, d, n)
    for k in range(n):
        r = row(d, k)
        if k < count:
            d.efc_force[r] = d.cost.force[k]
    store_states(m, d, n, count, row)
