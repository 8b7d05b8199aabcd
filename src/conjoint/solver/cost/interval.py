"""Constraint rows, each with a cost of its own.

A row with residual y = J qacc - aref costs D s (y - s / 2) and pushes with -D s, where s is y clipped to an interval:
all reals for an equality, plus and minus R times the friction loss for dry friction (a Huber function), the negative
reals for limits and contacts (Computation chapter, Constraint model: primal problem). Inside it a row is *active*: its
force follows the residual. One expression serves all kinds of rows, hence all lanes. Rows beyond those of a world have
the interval [0, 0] and do nothing.
"""

from conjoint.lang import STRIP, abs, clip, formula, kernel, put, strip, total, where
from conjoint.schema.enums import mjtConstraintState
from conjoint.solver.linear.dense import padded

UNBOUNDED = float("inf")
NO_SOLUTION = float("nan")
"""Acceleration of a world whose rows are not finite: the check of accelerations reports it."""

SATISFIED = mjtConstraintState.mjCNSTRSTATE_SATISFIED.value
QUADRATIC = mjtConstraintState.mjCNSTRSTATE_QUADRATIC.value
LINEARNEG = mjtConstraintState.mjCNSTRSTATE_LINEARNEG.value
LINEARPOS = mjtConstraintState.mjCNSTRSTATE_LINEARPOS.value


@kernel
def bound_rows(d, n, count, row):
    """Stiffness of the rows at the first n places, of `count` in each world, and the intervals in which they are
    active; none behind them, up to a whole tile. `row` is a kernel that tells which row is at a place."""
    for k in range(n):
        r = row(d, k)
        live = k < count
        two_sided = r < d.ne + d.nf
        limit = where(r < d.ne, UNBOUNDED, d.efc_frictionloss[r] * d.efc_R[r])
        d.solver_D[k] = where(live, d.efc_D[r], 0.0)
        d.solver_lower[k] = where(live, where(two_sided, -limit, -UNBOUNDED), 0.0)
        d.solver_upper[k] = where(live & two_sided, limit, 0.0)
    for k in range(n, padded(n)):
        d.solver_D[k] = 0.0
        d.solver_lower[k] = 0.0
        d.solver_upper[k] = 0.0


@kernel
def is_sound(m, d, size):
    """True where the sum `size` of a world's constraint rows, and qacc_smooth, are finite.

    A factor of zero only cancels finite numbers: where a method passes over what is zero, no other world must decide.
    """
    for i in range(m.nv):
        size = size + abs(d.qacc_smooth[i])
    return size < UNBOUNDED


@kernel
def clipped_rows(d, r, y):
    """Residuals y of a strip of rows from r on, clipped to their intervals."""
    return clip(y, strip(d.solver_lower, r), strip(d.solver_upper, r))


@kernel
def update_forces(d, n):
    """Forces of the rows at the residuals in `solver_jar`, and their stiffnesses, zero where the force is constant."""
    for r in range(0, padded(n), STRIP):
        y = strip(d.solver_jar, r)
        low = strip(d.solver_lower, r)
        high = strip(d.solver_upper, r)
        stiffness = strip(d.solver_D, r)
        put(d.solver_force, r, -stiffness * clip(y, low, high))
        put(d.solver_active_D, r, where((y > low) & (y < high), stiffness, 0.0))


@kernel
def rows_cost(d, n, y):
    """Cost of the constraints at the residuals in field y."""
    cost = strip(0.0)
    for r in range(0, n, STRIP):
        x = strip(y, r)
        s = clipped_rows(d, r, x)
        cost = cost + strip(d.solver_D, r) * s * (x - 0.5 * s)
    return total(cost)


@kernel
def rows_slope(d, n, alpha):
    """Derivative of the rows' cost near the step alpha along `solver_Jv`: a line, by its value at 0 and its slope."""
    first = strip(0.0)
    second = strip(0.0)
    for r in range(0, n, STRIP):
        v = strip(d.solver_Jv, r)
        y = strip(d.solver_jar, r) + alpha * v
        low = strip(d.solver_lower, r)
        high = strip(d.solver_upper, r)
        stiffness = strip(d.solver_D, r)
        first = first + v * (stiffness * where((y > low) & (y < high), strip(d.solver_jar, r), clip(y, low, high)))
        second = second + v * where((y > low) & (y < high), stiffness * v, 0.0)
    return total(first), total(second)


@formula("real", "real", "real", "real", "real")
def clipped_drop(y, s, z, t):
    """Cost of a row of unit stiffness at the residual y minus that at z, which are s and t when clipped."""
    return 0.5 * (s - t) * (s + t) + (s * (y - s) - t * (z - t))


@kernel
def rows_drop(d, n, alpha):
    """Cost of the rows at `solver_jar` minus that at the step alpha along `solver_Jv`, without cancellation."""
    drop = strip(0.0)
    for r in range(0, n, STRIP):
        y = strip(d.solver_jar, r)
        z = y + alpha * strip(d.solver_Jv, r)
        drop = drop + strip(d.solver_D, r) * clipped_drop(y, clipped_rows(d, r, y), z, clipped_rows(d, r, z))
    return total(drop)


@kernel
def row_state(d, r, k, y):
    """State of row r (mjtConstraintState), at place k of the solver's rows, at residual y."""
    above = where(r < d.ne + d.nf, LINEARPOS, SATISFIED)
    return where(y >= d.solver_upper[k], above, where(y <= d.solver_lower[k], LINEARNEG, QUADRATIC))
