"""Constraint forces from a given acceleration: in inverse dynamics they are known in closed form."""

from conjoint.lang import kernel, lanes_max, where
from conjoint.physics.constraint.reference import (
    compressed_mul_JT,
    compressed_product,
    mul_JT,
    row_product,
    stored_mul_JT,
)
from conjoint.solver.cost.interval import same_row
from conjoint.solver.cost.total import cost_at, prepare, store_forces
from conjoint.solver.linear.dense import clear, padded


@kernel
def inv_constraint(m, d):
    """efc_force and qfrc_constraint at qacc (mj_invConstraint)."""
    inverse_forces(m, d, row_product)
    mul_JT(m, d, d.qfrc_constraint, d.efc_force)


@kernel(per_world=True)
def inv_compressed(m, d):
    """efc_force and qfrc_constraint at qacc, of compressed rows (mj_invConstraint)."""
    inverse_forces(m, d, compressed_product)
    compressed_mul_JT(m, d, d.qfrc_constraint, d.efc_force)


@kernel
def inverse_forces(m, d, product):
    """efc_force at qacc; `product` multiplies a row with a vector."""
    n = lanes_max(d.nefc)
    prepare(m, d, n, d.nefc, same_row)
    residuals(m, d, n, d.qacc, d.solver_jar, product)
    store_forces(m, d, n, d.nefc, same_row)


@kernel
def residuals(m, d, n, x, residual, product):
    """residual := J x - aref."""
    for r in range(n):
        residual[r] = where(r < d.nefc, product(m, d, r, x) - d.efc_aref[r], 0.0)
    clear(residual, n, padded(n) - n)


@kernel(per_world=True)
def constraint_update(m, d, residual):
    """efc_force, efc_state, qfrc_constraint and the cost at the residuals in a field (mj_constraintUpdate)."""
    n = lanes_max(d.nefc)
    prepare(m, d, n, d.nefc, same_row)
    for r in range(n):
        d.solver_jar[r] = where(r < d.nefc, residual[r], 0.0)
    clear(d.solver_jar, n, padded(n) - n)
    store_forces(m, d, n, d.nefc, same_row)
    stored_mul_JT(m, d, d.qfrc_constraint, d.efc_force)
    return cost_at(m, d, n, d.solver_jar)
