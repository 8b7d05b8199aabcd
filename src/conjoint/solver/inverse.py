"""Constraint forces from a given acceleration: in inverse dynamics they are known in closed form."""

from conjoint.lang import kernel, lanes_max, where
from conjoint.physics.constraint.reference import mul_JT, row_product
from conjoint.solver.cost.total import cost_at, prepare, store_forces
from conjoint.solver.linear.dense import clear, padded


@kernel
def inv_constraint(m, d):
    """efc_force and qfrc_constraint at qacc (mj_invConstraint)."""
    n = lanes_max(d.nefc)
    prepare(m, d, n, d.nefc)
    residuals(m, d, n, d.qacc, d.solver_jar)
    store_forces(m, d, n, d.nefc)
    mul_JT(m, d, d.qfrc_constraint, d.efc_force)


@kernel
def residuals(m, d, n, x, residual):
    """residual := J x - aref."""
    for r in range(n):
        residual[r] = where(r < d.nefc, row_product(m, d, r, x) - d.efc_aref[r], 0.0)
    clear(residual, n, padded(n) - n)


@kernel
def constraint_update(m, d, residual):
    """efc_force, efc_state, qfrc_constraint and the cost at the residuals in a field (mj_constraintUpdate)."""
    n = lanes_max(d.nefc)
    prepare(m, d, n, d.nefc)
    for r in range(n):
        d.solver_jar[r] = where(r < d.nefc, residual[r], 0.0)
    clear(d.solver_jar, n, padded(n) - n)
    store_forces(m, d, n, d.nefc)
    mul_JT(m, d, d.qfrc_constraint, d.efc_force)
    return cost_at(m, d, n, d.solver_jar)
