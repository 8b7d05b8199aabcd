"""Where Newton's method with compressed rows starts: what `primal.start_cheaper` and `start_warm` do, by shares."""

from conjoint.lang import abs, kernel, put, shared, tile
from conjoint.physics.inertia import mul_M_row
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.cost.interval import bound_places, clear_padding
from conjoint.solver.cost.total import cost_at
from conjoint.solver.linear.compressed import times_places
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.method.primal import inertial_part, leave_free

SIZE, INERTIAL = 0, 1
"""Sums of a share in `share_sum` at the start: of the sizes of its residuals, and of its inertial cost."""

SUMS = 8
"""Room for the sums of a share."""


@kernel(per_world=True)
def start_by_shares(m, d, n, always):
    """Start from qacc_smooth, or from qacc_warmstart where that costs less or if `always`: qacc, M qacc, residuals.

    Returns:
        sum of the sizes of the residuals of the n rows at qacc_smooth, which is finite only if their elements are; the
        cost.
    """
    warm = always | ((m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) == 0)
    shared(look_at_share, m, d, d.nsolver_share, warm)
    clear_padding(d, n)
    first = n if warm else 0
    clear(d.solver_Jv, first, padded(n) - first)
    size = 0.0
    inertial = 0.0
    for s in range(d.nsolver_share):
        size += d.share_sum[s, SIZE]
        inertial += d.share_sum[s, INERTIAL]
    cost = cost_at(m, d, n, d.solver_jar)
    if warm:
        warm_cost = cost_at(m, d, n, d.solver_Jv) + 0.5 * inertial
        if always or warm_cost <= cost:
            shared(take_share, m, d, d.nsolver_share)
            cost = warm_cost + 0.0
            if not always:
                cost -= leave_free(m, d, d.nisland > 0)
    return size, cost


@kernel(per_world=True)
def look_at_share(m, d, s, warm):
    """Residuals of share s at qacc_smooth, and with their forces at qacc_warmstart if that may be taken; its sums."""
    begin = d.share_row[s]
    end = d.share_row[s + 1]
    put(d.share_sum, SUMS * s, tile(0.0))
    if d.nsolver_share > 1:
        bound_places(d, begin, end)
    times_places(m, d, begin, end, d.qacc_smooth, d.solver_jar)
    if warm:
        times_places(m, d, begin, end, d.qacc_warmstart, d.solver_Jv)
    size = 0.0
    for k in range(begin, end):
        r = d.live_row[k]
        d.solver_jar[k] = d.solver_jar[k] - d.efc_aref[r]
        if warm:
            d.solver_Jv[k] = d.solver_Jv[k] - d.efc_aref[r]
        d.efc_b[r] = d.solver_jar[k] + 0.0
        size += abs(d.solver_jar[k])
    inertial = 0.0
    for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
        first = m.block_dof[d.live_first[j]]
        last = m.block_dof[d.live_end[j]]
        for i in range(first, last):
            d.solver_Ma[i] = d.qfrc_smooth[i] + 0.0
        if warm:
            for i in range(first, last):
                mul_M_row(m, d, d.solver_Mv, d.qacc_warmstart, i)
            for i in range(first, last):
                inertial += inertial_part(d, d.solver_Mv, d.qacc_warmstart, i)
    d.share_sum[s, SIZE] = size
    d.share_sum[s, INERTIAL] = inertial


@kernel(per_world=True)
def take_share(m, d, s):
    """Start share s from qacc_warmstart."""
    for k in range(d.share_row[s], d.share_row[s + 1]):
        d.solver_jar[k] = d.solver_Jv[k]
    for j in range(d.share_adr[s], d.share_adr[s] + d.share_run[s]):
        for i in range(m.block_dof[d.live_first[j]], m.block_dof[d.live_end[j]]):
            d.qacc[i] = d.qacc_warmstart[i]
            d.solver_Ma[i] = d.solver_Mv[i]
