"""Damping and inertia of dofs and tendons, including those of their motors.

A damper with coefficients a, b, c resists a velocity v with the force v (a + b |v| + c v^2) (Computation chapter,
"Polynomial forces"). A gear scales both forces and velocities, so the damping and inertia of a motor are multiplied by
the square of its gear (XML Reference, actuator/general, damping and armature).
"""

from conjoint.lang import abs, kernel, maximum
from conjoint.schema.enums import mjtTrn

NO_MOTOR = -1
"""Value of `jnt_actuatorid` and `tendon_actuatorid` if no motor of the joint or tendon has damping or armature.

Lower values mean several motors.
"""


@kernel
def resistance(a, polynomial, k, v):
    """Return the force of damper k, with linear coefficient a, against velocity v."""
    size = abs(v)
    return v * (a + size * (polynomial[k, 0] + size * polynomial[k, 1]))


@kernel
def resistance_slope(a, polynomial, k, v):
    """Return the derivative of `resistance` with respect to velocity."""
    size = abs(v)
    return a + size * (2.0 * polynomial[k, 0] + size * (3.0 * polynomial[k, 1]))


@kernel
def motor_armature(m, u, v):
    """Return the armature inertia of the motor of actuator u."""
    return m.actuator_armature[u]


@kernel
def motor_resistance(m, u, v):
    """Return the damping force of the motor of actuator u."""
    return resistance(m.actuator_damping[u], m.actuator_dampingpoly, u, v)


@kernel
def motor_slope(m, u, v):
    """Return the derivative of the damping force of the motor of actuator u with respect to velocity."""
    return resistance_slope(m.actuator_damping[u], m.actuator_dampingpoly, u, v)


@kernel
def of_motors(m, known, j, t, v, quantity):
    """Return the sum of a quantity over the motors of joint j or tendon t, each multiplied by its squared gear.

    Args:
        m: model.
        known: value of `jnt_actuatorid` or `tendon_actuatorid`: a motor, none or several.
        j, t: index of the joint and of the tendon, one of which is -1.
        v: velocity of the joint or tendon.
        quantity: kernel of model, actuator and velocity that returns the quantity to sum.
    """
    total = 0.0
    if known != NO_MOTOR:
        for u in range(maximum(known, 0), known + 1 if known >= 0 else m.nactuator):
            kind = m.actuator_trntype[u]
            driven = j
            if kind == mjtTrn.mjTRN_TENDON:
                driven = t
            elif kind != mjtTrn.mjTRN_JOINT and kind != mjtTrn.mjTRN_JOINTINPARENT:
                driven = -1
            if driven >= 0 and m.actuator_trnid[u, 0] == driven:
                gear = m.actuator_gear[m.actuator_outadr[u], 0]
                total = total + gear * gear * quantity(m, u, v)
    return total


@kernel
def dof_inertia(m, i):
    """Return the armature of dof i plus the reflected inertia of its motors."""
    j = m.dof_jntid[i]
    return m.dof_armature[i] + of_motors(m, m.jnt_actuatorid[j], j, -1, 0.0, motor_armature)


@kernel
def dof_resistance(m, i, v):
    """Return the damping force of dof i and its motors against velocity v."""
    j = m.dof_jntid[i]
    own = resistance(m.dof_damping[i], m.dof_dampingpoly, i, v)
    return own + of_motors(m, m.jnt_actuatorid[j], j, -1, v, motor_resistance)


@kernel
def dof_slope(m, i, v):
    """Return the derivative of `dof_resistance` with respect to velocity."""
    j = m.dof_jntid[i]
    own = resistance_slope(m.dof_damping[i], m.dof_dampingpoly, i, v)
    return own + of_motors(m, m.jnt_actuatorid[j], j, -1, v, motor_slope)


@kernel
def tendon_inertia(m, t):
    """Return the armature of tendon t plus the reflected inertia of its motors."""
    return m.tendon_armature[t] + of_motors(m, m.tendon_actuatorid[t], -1, t, 0.0, motor_armature)


@kernel
def tendon_resistance(m, t, v):
    """Return the damping force of tendon t and its motors against velocity v."""
    own = resistance(m.tendon_damping[t], m.tendon_dampingpoly, t, v)
    return own + of_motors(m, m.tendon_actuatorid[t], -1, t, v, motor_resistance)


@kernel
def tendon_slope(m, t, damping, v):
    """Return the derivative of `tendon_resistance` with respect to velocity, with linear coefficient `damping`."""
    own = resistance_slope(damping, m.tendon_dampingpoly, t, v)
    return own + of_motors(m, m.tendon_actuatorid[t], -1, t, v, motor_slope)
