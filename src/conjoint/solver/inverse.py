"""Constraint forces from a given acceleration: in inverse dynamics they are known in closed form."""

from conjoint.lang import kernel, lanes_max, where
from conjoint.solver.cost.interval import bound_rows, store_forces
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.rows import plus_product


@kernel
def inv_constraint(m, d):
    """efc_force and qfrc_constraint at qacc (mj_invConstraint)."""
    n = lanes_max(d.nefc)
    for i in range(m.nv):
        d.qfrc_constraint[i] = 0.0
    bound_rows(d, n, d.nefc)
    residuals(m, d, n, d.qacc, d.solver_jar)
    store_forces(d, n, d.nefc)
    add_constraint_forces(m, d, n)


@kernel
def residuals(m, d, n, x, residual):
    """residual := J x - aref."""
    for r in range(n):
        s = 0.0
        for i in range(m.nv):
            s = s + d.efc_J[r * m.nv + i] * x[i]
        residual[r] = where(r < d.nefc, s - d.efc_aref[r], 0.0)
    clear(residual, n, padded(n) - n)


@kernel
def add_constraint_forces(m, d, n):
    """qfrc_constraint += J' efc_force."""
    for r in range(n):
        live = r < d.nefc
        force = d.efc_force[r]
        for i in range(m.nv):
            pushed = plus_product(d.qfrc_constraint[i], d.efc_J[r * m.nv + i], force)
            d.qfrc_constraint[i] = where(live, pushed, d.qfrc_constraint[i])
