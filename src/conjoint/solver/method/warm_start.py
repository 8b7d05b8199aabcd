"""Where a descent starts: from qacc_warmstart, the last solution, where that costs less than qacc_smooth."""

from conjoint.lang import any, kernel, where
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.cost.total import cost_at


@kernel
def start_cheaper(m, d, n, count, space):
    """Start from qacc_warmstart in the worlds where it costs less than qacc_smooth, or in all of them if the space says
    so, else from qacc_smooth; the cost there."""
    warm = space.always or uses_warm_start(m)
    inertial = space.residuals(m, d, n, count, warm, space)
    cost = cost_at(m, d, n, d.solver_jar)
    if warm:
        cost_there = warm_cost(m, d, n, inertial)
        taken = count > 0
        if not space.always:
            taken = taken & (cost_there <= cost)
        cost = where(taken, cost_there, cost)
        if any(taken):
            cost = cost - space.take(m, d, n, taken, space)
    return cost


@kernel
def uses_warm_start(m):
    """Whether a solution may start from the last one."""
    return (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) == 0


@kernel
def warm_cost(m, d, n, inertial):
    """Cost of qacc_warmstart at the residuals in `solver_Jv`, with its inertial part, which is given doubled."""
    return cost_at(m, d, n, d.solver_Jv) + 0.5 * inertial


@kernel
def inertial_cost(m, d):
    """Inertial cost of qacc_warmstart, doubled; M times qacc_warmstart is in `solver_Mv`."""
    inertial = 0.0
    for i in range(m.nv):
        inertial = inertial + inertial_part(d, i)
    return inertial


@kernel
def inertial_part(d, i):
    """What dof i has of the inertial cost of qacc_warmstart, doubled."""
    return (d.solver_Mv[i] - d.qfrc_smooth[i]) * (d.qacc_warmstart[i] - d.qacc_smooth[i])


@kernel
def leave_free(m, d, taken, space):
    """Where islands were found, but are solved together, dofs in none of them start from qacc_smooth, as officially.

    Returns:
        the inertial cost that they had at qacc_warmstart in the worlds where that was taken.
    """
    saved = 0.0
    if not space.always and any(d.nisland > 0):
        for i in range(m.nv):
            free = taken & is_free(d, i)
            saved = saved + where(free, 0.5 * inertial_part(d, i), 0.0)
            d.qacc[i] = where(free, d.qacc_smooth[i], d.qacc[i])
            d.solver_Ma[i] = where(free, d.qfrc_smooth[i], d.solver_Ma[i])
    return saved


@kernel
def is_free(d, i):
    """Whether islands were found, and dof i is in none of them."""
    return (d.nisland > 0) & (d.dof_island[i] < 0)
