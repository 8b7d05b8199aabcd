"""Products and solves with the inertia matrix, and inverse dynamics, for a vector that a user gives.

The vector comes in the scratch field `advance_acc`; results are left there, or in `stage_vel`. Both are free between
steps.
"""

from conjoint.lang import kernel
from conjoint.physics.bias import rne_acceleration
from conjoint.physics.inertia import mul_M, mul_M2, solve_M, solve_transposed


@kernel
def solve_operand(m, d):
    """advance_acc := M^-1 advance_acc."""
    solve_M(m, d, d.advance_acc)


@kernel
def half_solve_operand(m, d):
    """advance_acc := L'^-1 advance_acc."""
    solve_transposed(m, d.qLD, d.advance_acc, 0)


@kernel
def multiply_operand(m, d):
    """stage_vel := M advance_acc."""
    mul_M(m, d, d.stage_vel, d.advance_acc)


@kernel
def half_multiply_operand(m, d):
    """stage_vel := D^1/2 L advance_acc."""
    mul_M2(m, d, d.stage_vel, d.advance_acc)


@kernel
def rne_operand(m, d):
    """advance_acc := M qacc + qfrc_bias, without armatures."""
    rne_acceleration(m, d, d.advance_acc)
