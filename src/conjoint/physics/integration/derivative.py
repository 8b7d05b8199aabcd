"""Derivatives of integrators in dual numbers, with the linear system and the factor that were computed for the values.

An integrator solves (M - h D) adv = M qacc, where D is the derivative of forces with respect to velocities. For
Euler, D has joint dampers only. At the solution, derivatives (marked by ') satisfy

    (M - h D) (adv' - qacc') = M' (qacc - adv) + (h D)' adv + h D qacc'.
"""

from conjoint.lang import any, change, kernel, stop_gradient
from conjoint.physics.derivative.standalone import SIZE, is_standalone, slope, solve_standalone, times_standalone
from conjoint.physics.dynamics.bias import inertial_forces
from conjoint.physics.geometry.change import moving
from conjoint.physics.inertia_matrix.factors import solve_factors
from conjoint.physics.integration.implicit import solve_LU, subtract_slopes, subtract_triangle_of_slopes
from conjoint.physics.integration.integrate import advance_state, implicit_damping


@kernel
def begin_factor(m, d):
    """Set qH to the factor of M, before `euler`, which overwrites it if any dof is damped."""
    for a in range(m.nC):
        d.qH[a] = d.qLD[a]
    for i in range(m.nv):
        d.qHDiagInv[i] = d.qLDiagInv[i]


@kernel
def differentiate_damped_inertia(m, d, dampers):
    """Call `differentiate_lost_inertia` if Euler treats dampers implicitly."""
    if is_damped(m, d, dampers):
        differentiate_lost_inertia(m, d)


@kernel
def is_damped(m, d, dampers):
    """Return True if Euler treats dampers implicitly, at the current values or along a direction of differentiation."""
    return any(implicit_damping(m, d, dampers))


@kernel
def differentiate_lost_inertia(m, d):
    """Set advance_inertia to M (qacc - advance_acc), with derivatives of M only, not of the accelerations."""
    inertial_forces(m, d, d.advance_inertia, lost_acceleration)


@kernel
def lost_acceleration(d, i):
    """Return the acceleration of dof i that implicit damping removes."""
    return stop_gradient(d.qacc[i]) - stop_gradient(d.advance_acc[i])


@kernel
def differentiate_euler(m, d, dampers):
    """Compute the derivatives of `euler`, which has computed the values, after `differentiate_damped_inertia`."""
    if is_damped(m, d, dampers):
        # dampers act at the end of the step
        for i in range(m.nv):
            damping = m.opt.timestep * dampers.slope(m, d, i)
            force = change(d.advance_inertia[i]) - change(damping) * stop_gradient(d.advance_acc[i])
            d.advance_change[i] = force - stop_gradient(damping) * change(d.qacc[i])
        solve_factors(m, d, d.qH, d.qHDiagInv, d.advance_change)
        add_change(m, d)
    else:
        for i in range(m.nv):
            d.advance_acc[i] = d.qacc[i]
    advance_state(m, d)


@kernel
def differentiate_implicit(m, d):
    """Compute the derivatives of `implicit.implicit`, which has computed the values."""
    begin_slopes(m, d)
    subtract_slopes(m, d, d.advance_moved, d.advance_change)
    add_lost_inertia(m, d)
    solve_LU(m, d.qLU, d.advance_change)
    add_change(m, d)
    advance_state(m, d)


@kernel
def differentiate_implicitfast(m, d):
    """Compute the derivatives of `implicit.implicitfast`, which has computed the values.

    Standalone free bodies are solved separately.
    """
    begin_slopes(m, d)
    subtract_triangle_of_slopes(m, d, d.advance_moved, d.advance_change)
    for j in range(m.njnt):
        if is_standalone(m, j):
            times_standalone(m, d, j, d.advance_moved, d.advance_change, slope)
    add_lost_inertia(m, d)
    for i in range(m.nv):
        d.advance_moved[i] = d.advance_change[i]
    solve_factors(m, d, d.qH, d.qHDiagInv, d.advance_change)
    for j in range(m.njnt):
        if is_standalone(m, j):
            solve_standalone(m, d, j, d.advance_moved)
            for i in range(m.jnt_dofadr[j], m.jnt_dofadr[j] + SIZE):
                d.advance_change[i] = d.advance_moved[i]
    add_change(m, d)
    advance_state(m, d)


@kernel
def begin_slopes(m, d):
    """Set advance_moved to the values of advance_acc with the derivatives of qacc, and advance_change to zero."""
    for i in range(m.nv):
        d.advance_moved[i] = moving(d.advance_acc[i], d.qacc[i])
        d.advance_change[i] = 0.0


@kernel
def add_lost_inertia(m, d):
    """Complete the right-hand side in advance_change, which contains -h D times the acceleration.

    The result has only tangents; its value is zero.
    """
    for i in range(m.nv):
        d.advance_change[i] = change(d.advance_inertia[i]) - change(d.advance_change[i])


@kernel
def add_change(m, d):
    """Set the derivatives of advance_acc to the derivatives of qacc plus advance_change."""
    for i in range(m.nv):
        d.advance_acc[i] = stop_gradient(d.advance_acc[i]) + change(d.qacc[i]) + change(d.advance_change[i])
