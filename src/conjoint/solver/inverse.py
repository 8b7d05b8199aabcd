"""Constraint forces from a given acceleration, which inverse dynamics computes in closed form."""

from conjoint.lang import kernel, where
from conjoint.physics.constraint.jacobian import mul_JT, row_times, transposed_times
from conjoint.physics.row_storage import fullest
from conjoint.solver.cost import cost_at, prepare, store_forces
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import same_row


@kernel
def inv_constraint(m, d, J):
    """Compute efc_force and qfrc_constraint at qacc (mj_invConstraint)."""
    n = fullest(d.nefc)
    prepare(m, d, n, d.nefc, same_row)
    residuals(m, d, J, n, d.qacc, d.cost.residual)
    store_forces(m, d, n, d.nefc, same_row)
    transposed_times(m, d, J, d.qfrc_constraint, d.efc_force)


@kernel
def residuals(m, d, J, n, x, residual):
    """Compute residual := J x - aref for the acceleration x."""
    for r in range(n):
        residual[r] = where(r < d.nefc, row_times(m, d, J, r, x) - d.efc_aref[r], 0.0)
    clear(residual, n, padded(n) - n)


@kernel
def constraint_update(m, d, residual):
    """Compute efc_force, efc_state, qfrc_constraint and the cost from residuals (mj_constraintUpdate).

    Returns:
        The cost.
    """
    n = fullest(d.nefc)
    prepare(m, d, n, d.nefc, same_row)
    for r in range(n):
        d.cost.residual[r] = where(r < d.nefc, residual[r], 0.0)
    clear(d.cost.residual, n, padded(n) - n)
    store_forces(m, d, n, d.nefc, same_row)
    mul_JT(m, d, d.qfrc_constraint, d.efc_force)
    return cost_at(m, d, n, d.cost.residual)
