"""Inverse dynamics: the forces that cause a given acceleration, and the comparison with forward dynamics (stage 24).

Positions and velocities are computed before `inverse_begin`. With the flag invdiscrete,
`implicit.discrete_acceleration` runs directly after `inverse_begin`. Constraint forces (mj_invConstraint) for the
acceleration qacc are computed before `inverse_end`.
"""

from conjoint.lang import kernel, sqrt, where
from conjoint.physics.actuation.forces import add_applied_wrenches
from conjoint.physics.inertia_matrix.composite import mul_M


@kernel
def inverse_begin(m, d):
    """Save qacc, which may be converted from discrete time to continuous time."""
    for i in range(m.nv):
        d.inverse_acc[i] = d.qacc[i]


@kernel
def inverse_end(m, d):
    """Set qfrc_inverse = M qacc + qfrc_bias - qfrc_passive - qfrc_constraint (mj_inverse), and restore qacc."""
    mul_M(m, d, d.qfrc_inverse, d.qacc)
    for i in range(m.nv):
        inner = d.qfrc_passive[i] + d.qfrc_constraint[i]
        d.qfrc_inverse[i] = d.qfrc_inverse[i] + d.qfrc_bias[i] - inner
        d.qacc[i] = d.inverse_acc[i]


@kernel
def compare_begin(m, d):
    """Save the constraint forces of forward dynamics, which inverse dynamics overwrites (mj_compareFwdInv)."""
    for i in range(m.nv):
        d.compare.frc[i] = d.qfrc_constraint[i]
        d.compare.inverse[i] = d.qfrc_inverse[i]
    for r in range(d.nefc):
        d.compare.efc[r] = d.efc_force[r]


@kernel
def compare_end(m, d):
    """Set solver_fwdinv to the norms of the differences between forward and inverse dynamics, and restore the forces.

    The differences are in constraint force and in total force. Without constraints, the norms are zero.
    """
    # expected result of inverse dynamics
    for i in range(m.nv):
        d.compare.forces[i] = d.qfrc_applied[i] + d.qfrc_actuator[i]
    add_applied_wrenches(m, d, d.compare.forces)
    constraint = 0.0
    total = 0.0
    for i in range(m.nv):
        missed = d.compare.frc[i] - d.qfrc_constraint[i]
        constraint = constraint + missed * missed
        left = d.compare.forces[i] - d.qfrc_inverse[i]
        total = total + left * left
        d.qfrc_constraint[i] = d.compare.frc[i]
        # do nothing without constraints, as in MuJoCo
        if d.nefc == 0:
            d.qfrc_inverse[i] = d.compare.inverse[i]
    for r in range(d.nefc):
        d.efc_force[r] = d.compare.efc[r]
    d.solver_fwdinv[0] = where(d.nefc > 0, sqrt(constraint), 0.0)
    d.solver_fwdinv[1] = where(d.nefc > 0, sqrt(total), 0.0)
