"""What all constraints cost: rows with a cost of their own, and cones where the model has them."""

from conjoint.lang import kernel, where
from conjoint.schema.enums import mjtCone
from conjoint.solver.cost.cone import NOTHING, cones_line, find_cones, update_cones
from conjoint.solver.cost.interval import (
    bound_rows,
    row_state,
    rows_cost,
    rows_drop,
    rows_slope,
    update_forces,
)


@kernel
def elliptic(m):
    """True if contacts have elliptic cones."""
    return m.opt.cone == mjtCone.mjCONE_ELLIPTIC


@kernel
def prepare(m, d, n, count, row):
    """What costs and forces of the first `count` rows of each world depend on, besides residuals; `row` is as in
    `store_states`."""
    bound_rows(d, n, count, row)
    if elliptic(m):
        find_cones(d, n, count)
        for r in range(n):
            d.solver_lower[r] = where(d.solver_cone[r] != NOTHING, 0.0, d.solver_lower[r])


@kernel
def cost_at(m, d, n, y):
    """Cost of the constraints at the residuals in field y."""
    cost = rows_cost(d, n, y)
    if elliptic(m):
        cones, _, _ = cones_line(d, n, y, 0.0)
        cost = cost + cones
    return cost


@kernel
def line_at(m, d, n, alpha):
    """Derivative of the cost near the step alpha along `solver_Jv`: a line, by its value at 0 and its slope."""
    first, second = rows_slope(d, n, alpha)
    if elliptic(m):
        _, slope, bend = cones_line(d, n, d.solver_jar, alpha)
        first = first + (slope - alpha * bend)
        second = second + bend
    return first, second


@kernel
def drop_by(m, d, n, alpha):
    """Cost at `solver_jar` minus that at the step alpha along `solver_Jv`."""
    drop = rows_drop(d, n, alpha)
    if elliptic(m):
        before, _, _ = cones_line(d, n, d.solver_jar, 0.0)
        after, _, _ = cones_line(d, n, d.solver_jar, alpha)
        drop = drop + (before - after)
    return drop


@kernel
def update(m, d, n):
    """Forces at the residuals in `solver_jar`, and stiffnesses of the rows."""
    update_forces(d, n)
    if elliptic(m):
        update_cones(d, n)


@kernel
def state_of(m, d, r, k):
    """State of row r (mjtConstraintState), at place k of the solver's rows, at the last update."""
    state = row_state(d, r, k, d.solver_jar[k])
    if elliptic(m):
        state = where(d.solver_cone[k] != NOTHING, d.cone_state[k], state)
    return state


@kernel
def store_states(m, d, n, count, row):
    """efc_state at the last update; `row` is a kernel that tells which row is at a place."""
    for k in range(n):
        r = row(d, k)
        d.efc_state[r] = where(k < count, state_of(m, d, r, k), d.efc_state[r])


@kernel
def store_forces(m, d, n, count, row):
    """efc_force and efc_state at the residuals in `solver_jar`; `row` is as in `store_states`."""
    update(m, d, n)
    for k in range(n):
        r = row(d, k)
        d.efc_force[r] = where(k < count, d.solver_force[k], d.efc_force[r])
    store_states(m, d, n, count, row)
