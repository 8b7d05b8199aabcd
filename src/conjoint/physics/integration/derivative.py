"""What replaces an integrator in dual numbers: its system is solved with the factor that the values have left.

At the solution of (M + h D) adv = M qacc the derivatives satisfy
(M + h D) (adv' - qacc') = M' (qacc - adv) - (h D)' adv - h D qacc'.
"""

from conjoint.lang import kernel, stop_gradient
from conjoint.physics.derivative.change import change
from conjoint.physics.dynamics.bias import inertial_forces
from conjoint.physics.inertia_matrix.factors import solve_factors
from conjoint.physics.integration.integrate import advance_state, implicit_damping


@kernel
def differentiate_damped_inertia(m, d):
    """advance_inertia := M (qacc - advance_acc), in which M changes and the accelerations do not."""
    if implicit_damping(m):
        inertial_forces(m, d, d.advance_inertia, lost_acceleration)


@kernel
def lost_acceleration(d, i):
    """What implicit damping takes from the acceleration of dof i."""
    return stop_gradient(d.qacc[i]) - stop_gradient(d.advance_acc[i])


@kernel
def differentiate_euler(m, d):
    """`euler`, where it has run with values."""
    if implicit_damping(m):
        for i in range(m.nv):
            damping = m.opt.timestep * m.dof_damping[i]
            force = change(d.advance_inertia[i]) - change(damping) * stop_gradient(d.advance_acc[i])
            d.advance_change[i] = force - stop_gradient(damping) * change(d.qacc[i])
        solve_factors(m, d, d.qH, d.qHDiagInv, d.advance_change)
        for i in range(m.nv):
            d.advance_acc[i] = stop_gradient(d.advance_acc[i]) + change(d.qacc[i]) + change(d.advance_change[i])
    else:
        for i in range(m.nv):
            d.advance_acc[i] = d.qacc[i]
    advance_state(m, d)
