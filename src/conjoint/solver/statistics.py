"""Statistics of the solvers' iterations (mjData.solver)."""

from conjoint.lang import abs, kernel, where
from conjoint.schema.enums import mjtSolver
from conjoint.solver.cones import CONE, QUADRATIC, SATISFIED, elliptic, find_cone_states
from conjoint.solver.cost import state_of


@kernel
def record(m, d, count, iteration, row):
    """Store row states and row counts of an iteration for the first `count` rows.

    The counts are the numbers of rows that exert a force, that changed their state, and that changed the factor of the
    Hessian. A row on the surface of a cone changes the factor in every iteration. The kernel `row` maps a solver row
    index to a row of the Jacobian.
    """
    pushing = 0
    changed = 0
    updates = 0
    if elliptic(m):
        find_cone_states(d)
    for k in range(count):
        r = row(d, k)
        old = d.efc_state[r]
        state = state_of(m, d, r, k)
        pushing += where(state != SATISFIED, 1, 0)
        changed += where(state != old, 1, 0)
        if m.opt.solver == mjtSolver.mjSOL_NEWTON:
            updates += where((state == QUADRATIC) ^ (old == QUADRATIC), 1, 0)
            if elliptic(m):
                updates += where(state == CONE, 1, 0)
        d.efc_state[r] = state
    store_counts(d, iteration, pushing, changed, updates)


@kernel
def store_counts(d, iteration, pushing, changed, updates):
    """Store the row counts of an iteration, which `record` describes."""
    d.solver.nactive[iteration] = pushing
    d.solver.nchange[iteration] = changed
    d.solver.nupdate[iteration] = updates


@kernel
def store(d, iteration, improvement, gradient, slope, evaluations):
    """Store improvement, gradient, slope and number of evaluations of an iteration."""
    d.solver.improvement[iteration] = improvement
    d.solver.gradient[iteration] = gradient
    d.solver.lineslope[iteration] = abs(slope)
    d.solver.neval[iteration] = evaluations
