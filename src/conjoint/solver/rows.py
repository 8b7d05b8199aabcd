"""Constraint rows as the solvers see them.

Row r is scaled by the square root of its stiffness efc_D: with residual y = sqrt(D) (J qacc - aref), a row costs s (y -
s / 2) and pushes with -s, where s is y clipped to an interval: all reals for an equality, plus and minus the friction
loss for dry friction (a Huber function), the negative reals for limits and contacts (Computation chapter, Constraint
model: primal problem). One expression serves all kinds of rows, hence all lanes. Rows beyond a world's nefc have the
interval [0, 0] and do nothing.
"""

from conjoint.lang import STRIP, abs, clip, kernel, sqrt, strip, total, where
from conjoint.schema.enums import mjtConstraintState
from conjoint.solver.blocks import padded

UNBOUNDED = float("inf")
NO_SOLUTION = float("nan")
"""Acceleration of a world whose rows are not finite: the check of accelerations reports it."""

SATISFIED = mjtConstraintState.mjCNSTRSTATE_SATISFIED.value
QUADRATIC = mjtConstraintState.mjCNSTRSTATE_QUADRATIC.value
LINEARNEG = mjtConstraintState.mjCNSTRSTATE_LINEARNEG.value
LINEARPOS = mjtConstraintState.mjCNSTRSTATE_LINEARPOS.value


@kernel
def bound_rows(d, n, count):
    """Scale of every row, and the interval in which it acts as a spring; of the first `count` rows of each world."""
    for r in range(padded(n)):
        live = r < count
        two_sided = r < d.ne + d.nf
        scale = where(live, sqrt(d.efc_D[r]), 0.0)
        limit = where(r < d.ne, UNBOUNDED, d.efc_frictionloss[r] * d.efc_R[r] * scale)
        d.solver_scale[r] = scale
        d.solver_lower[r] = where(live, where(two_sided, -limit, -UNBOUNDED), 0.0)
        d.solver_upper[r] = where(two_sided, limit, 0.0)


@kernel
def is_sound(m, d, size):
    """True where the sum `size` of a world's constraint rows, and qacc_smooth, are finite.

    A factor of zero only cancels finite numbers: where a method passes over what is zero, no other world must decide.
    """
    for i in range(m.nv):
        size = size + abs(d.qacc_smooth[i])
    return size < UNBOUNDED


@kernel
def is_spring(d, r, y):
    """True where residual y of row r is inside the interval: the row costs y^2 / 2."""
    return (y > d.solver_lower[r]) & (y < d.solver_upper[r])


@kernel
def clipped(d, r, y):
    """Residual y of row r clipped to its interval: minus the scaled force."""
    return clip(y, d.solver_lower[r], d.solver_upper[r])


@kernel
def clipped_rows(d, r, y):
    """Residuals y of eight rows from r on, clipped to their intervals."""
    return clip(y, strip(d.solver_lower, r), strip(d.solver_upper, r))


@kernel
def cost_drop(d, r, y, z):
    """Cost of eight rows from r on at residuals y minus that at z, without cancellation."""
    s = clipped_rows(d, r, y)
    t = clipped_rows(d, r, z)
    return 0.5 * (s - t) * (s + t) + (s * (y - s) - t * (z - t))


@kernel
def rows_cost(d, n, y):
    """Cost of the constraints at the scaled residuals in field y."""
    cost = strip(0.0)
    for r in range(0, n, STRIP):
        x = strip(y, r)
        s = clipped_rows(d, r, x)
        cost = cost + s * (x - 0.5 * s)
    return total(cost)


@kernel
def row_state(d, r, y):
    """State of row r (mjtConstraintState) at residual y."""
    above = where(r < d.ne + d.nf, LINEARPOS, SATISFIED)
    return where(y >= d.solver_upper[r], above, where(y <= d.solver_lower[r], LINEARNEG, QUADRATIC))


@kernel
def store_states(d, n, count):
    """efc_state at the residuals in `solver_jar`."""
    for r in range(n):
        d.efc_state[r] = where(r < count, row_state(d, r, d.solver_jar[r]), d.efc_state[r])


@kernel
def store_forces(d, n, count):
    """efc_force and efc_state at the residuals in `solver_jar`."""
    for r in range(n):
        d.efc_force[r] = where(r < count, -clipped(d, r, d.solver_jar[r]) * d.solver_scale[r], d.efc_force[r])
    store_states(d, n, count)
