"""Projected Gauss-Seidel: the dual problem, one row after the other (Computation chapter, PGS)."""

from conjoint.lang import any, kernel, lanes_max, maximum, minimum, where
from conjoint.physics.constraint.reference import mul_JT
from conjoint.physics.inertia import solve_M
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.cost.interval import NO_SOLUTION, bound_rows, is_sound
from conjoint.solver.cost.total import store_forces
from conjoint.solver.inverse import residuals
from conjoint.solver.linear.dense import BLOCK, clear, padded
from conjoint.solver.linear.project import project_constraint
from conjoint.solver.statistics import record, scale_of

ROUNDING = 1e-10
"""A row's update that raises the cost by more than this is undone."""


@kernel
def pgs(m, d, count):
    """Solve for efc_force, qfrc_constraint and qacc in the worlds where `count`, their number of rows, is not zero."""
    n = lanes_max(count)
    sound = is_sound(m, d, project_constraint(m, d))
    bound_rows(d, n, count)
    start(m, d, n, count)
    active = sound & (count > 0)
    iterations = where(active, 0, 0)
    zero = where(active, 0.0, 0.0)
    scale = scale_of(m)
    for iteration in range(m.opt.iterations):
        improvement = sweep(d, n, count, active) * scale
        residuals_of_forces(d, n, count)
        record(m, d, n, count, iteration, active, improvement, zero, zero, where(active, 0, 0))
        iterations = iterations + where(active, 1, 0)
        active = active & (improvement >= m.opt.tolerance)
        if not any(active):
            break
    d.solver_niter[0] = iterations
    finish(m, d, sound)


@kernel
def start(m, d, n, count):
    """efc_b, and the forces at qacc_warmstart if they cost less than none."""
    residuals(m, d, n, d.qacc_smooth, d.solver_Jv)
    for r in range(n):
        d.efc_b[r] = d.solver_Jv[r] + 0.0
    residuals(m, d, n, d.qacc_warmstart, d.solver_jar)
    store_forces(m, d, n, count)
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) != 0:
        clear(d.efc_force, 0, n)
    # dual cost
    cost = 0.0
    for r in range(n):
        d.efc_force[r] = where(r < count, d.efc_force[r], 0.0)
    clear(d.efc_force, n, padded(n) - n)
    for r in range(n):
        cost = cost + where(r < count, d.efc_force[r] * (d.efc_b[r] + 0.5 * row_product(d, r, n)), 0.0)
    for r in range(n):
        d.efc_force[r] = where(cost > 0.0, 0.0, d.efc_force[r])


@kernel
def row_product(d, r, n):
    """Row r of efc_AR times efc_force."""
    o = r * d.nefc_dual
    s = 0.0
    for block in range(0, n, BLOCK):
        for c in range(block, block + BLOCK):
            s = s + d.efc_AR[o + c] * d.efc_force[c]
    return s


@kernel
def sweep(d, n, count, active):
    """Minimise the dual cost over each force in turn; returns by how much it drops."""
    gain = 0.0
    diagonal = d.nefc_dual + 1
    for r in range(n):
        live = active & (r < count)
        pivot = d.efc_AR[r * diagonal]
        residual = d.efc_b[r] + row_product(d, r, n)
        old = d.efc_force[r]
        force = limited(d, r, old - residual / pivot)
        change = force - old
        cost = change * (0.5 * change * pivot + residual)
        better = live & (cost <= ROUNDING)
        d.efc_force[r] = where(better, force, old)
        gain = gain - where(better, cost, 0.0)
    return gain


@kernel
def limited(d, r, force):
    """Force of row r within what its kind admits: any, at most the friction loss, not negative."""
    loss = d.efc_frictionloss[r]
    dry = minimum(maximum(force, -loss), loss)
    return where(r < d.ne, force, where(r < d.ne + d.nf, dry, maximum(force, 0.0)))


@kernel
def residuals_of_forces(d, n, count):
    """solver_jar := the residuals that would cause the forces, by which the states are told."""
    for r in range(n):
        d.solver_jar[r] = where(r < count, -d.efc_force[r] * d.efc_R[r], 0.0)


@kernel
def finish(m, d, sound):
    """qfrc_constraint and qacc from the forces."""
    mul_JT(m, d, d.qfrc_constraint, d.efc_force)
    for i in range(m.nv):
        d.qacc[i] = d.qfrc_constraint[i] + 0.0
    solve_M(m, d, d.qacc)
    for i in range(m.nv):
        solution = where(sound, d.qacc[i] + d.qacc_smooth[i], NO_SOLUTION)
        d.qacc[i] = where(d.nefc > 0, solution, d.qacc_smooth[i])
