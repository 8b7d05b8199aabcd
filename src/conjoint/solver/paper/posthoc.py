"""Post-hoc mode of the 2012 paper (section II.G): a mode in which every constraint solver can be inverted.

Constraint forces are computed without the forces tau of actuators and the applied forces, which are unknown in inverse
dynamics. The forces tau act at the end of the step, on an inertia that constraints increase:

    qacc = qacc without tau + (M + wE JE' JE + wC JC' JC)^-1 tau
"""

from conjoint.lang import kernel, where
from conjoint.physics.constraint.jacobian import row_times, transposed_times
from conjoint.physics.inertia_matrix.composite import mul_M
from conjoint.physics.inertia_matrix.factors import solve_M

ROUNDINGS = 4.0
"""Residual at which the iteration ends, in multiples of the rounding error of its initial value."""


@kernel
def split_forces(m, d):
    """Move the effects of actuator and applied forces from qfrc_smooth and qacc_smooth to posthoc.frc."""
    for i in range(m.nv):
        inner = d.qfrc_passive[i] - d.qfrc_bias[i]
        d.posthoc.frc[i] = d.qfrc_smooth[i] - inner
    forces_without(m, d)


@kernel
def keep_acceleration(m, d):
    """Save the given acceleration and the warm start, and remove actuator and applied forces from qfrc_smooth."""
    for i in range(m.nv):
        d.posthoc.acc[i] = d.qacc[i]
        d.posthoc.warm[i] = d.qacc_warmstart[i]
    forces_without(m, d)


@kernel
def forces_without(m, d):
    """Compute qfrc_smooth and qacc_smooth from passive and bias forces alone."""
    for i in range(m.nv):
        d.qfrc_smooth[i] = d.qfrc_passive[i] - d.qfrc_bias[i]
        d.qacc_smooth[i] = d.qfrc_smooth[i]
    solve_M(m, d, d.qacc_smooth)


@kernel
def find_posthoc(m, d, J):
    """Compute qfrc_inverse := increased inertia times the unexplained acceleration (mj_inversePosthoc).

    The unexplained acceleration is the given acceleration minus the acceleration without actuator and applied forces.
    """
    for i in range(m.nv):
        d.greater.search[i] = d.posthoc.acc[i] - d.qacc[i]
    times_greater(m, d, J, d.qfrc_inverse, d.greater.search)
    for i in range(m.nv):
        d.qacc[i] = d.posthoc.acc[i]
        d.qacc_warmstart[i] = d.posthoc.warm[i]


@kernel
def times_greater(m, d, J, result, x):
    """Compute result := (M + wE JE' JE + wC JC' JC) x.

    Rows of dof and tendon friction are not violations, and add nothing.
    """
    for r in range(d.nefc):
        weight = where(r < d.ne, d.posthoc.equality, where(r < d.ne + d.nf, 0.0, d.posthoc.contact))
        d.greater.row[r] = weight * row_times(m, d, J, r, x)
    transposed_times(m, d, J, d.greater.added, d.greater.row)
    mul_M(m, d, result, x)
    for i in range(m.nv):
        result[i] = result[i] + d.greater.added[i]


@kernel
def add_forces(m, d, J):
    """Add the inverse of the increased inertia times posthoc.frc to qacc (mj_forwardPosthoc).

    The system is solved by conjugate gradients, preconditioned by M.

    M^-1 times the increased inertia is the identity plus a matrix of the rank of the rows. So the number of steps is at
    most the number of rows plus one, except for rounding (Nocedal and Wright, Numerical Optimization, 2006, section
    5.1).
    """
    size = 0.0
    for i in range(m.nv):
        d.greater.left[i] = d.posthoc.frc[i]
        d.greater.solved[i] = d.posthoc.frc[i]
    solve_M(m, d, d.greater.solved)
    for i in range(m.nv):
        d.greater.search[i] = d.greater.solved[i]
        size = size + d.greater.left[i] * d.greater.solved[i]
    square = size
    enough = size * (ROUNDINGS * m.epsilon) * (ROUNDINGS * m.epsilon)
    for _ in range(2 * (d.nefc + 1)):
        times_greater(m, d, J, d.greater.image, d.greater.search)
        curvature = 0.0
        for i in range(m.nv):
            curvature = curvature + d.greater.search[i] * d.greater.image[i]
        if not (square > enough and curvature > 0.0):
            break
        length = square / curvature
        for i in range(m.nv):
            d.qacc[i] = d.qacc[i] + length * d.greater.search[i]
            d.greater.left[i] = d.greater.left[i] - length * d.greater.image[i]
            d.greater.solved[i] = d.greater.left[i]
        solve_M(m, d, d.greater.solved)
        after = 0.0
        for i in range(m.nv):
            after = after + d.greater.left[i] * d.greater.solved[i]
        share = after / square
        square = after
        for i in range(m.nv):
            d.greater.search[i] = d.greater.solved[i] + share * d.greater.search[i]
