"""Motors of actuators: inertia and damping that they add to the joint or tendon they drive, reflected by the gear.

A gear scales forces as well as velocities, so both count times its square (XML Reference, actuator/general, damping and
armature). Tendons and joints of which no motor has either are told by `jnt_actuatorid` and `tendon_actuatorid`.
"""

from conjoint.lang import abs, kernel
from conjoint.physics.passive_flags import acts
from conjoint.physics.tendon.paths import apply_tendon_force, bias_acceleration, is_fixed
from conjoint.schema.enums import mjtJoint, mjtTrn


@kernel
def drives_joint(m, u):
    """Whether the motor of actuator u acts on a joint."""
    kind = m.actuator_trntype[u]
    if kind == mjtTrn.mjTRN_JOINT or kind == mjtTrn.mjTRN_JOINTINPARENT:
        return m.jnt_actuatorid[m.actuator_trnid[u, 0]] != -1
    return False


@kernel
def drives_tendon(m, u):
    """Whether the motor of actuator u acts on a tendon."""
    if m.actuator_trntype[u] == mjtTrn.mjTRN_TENDON:
        return m.tendon_actuatorid[m.actuator_trnid[u, 0]] != -1
    return False


@kernel
def square_of_gear(m, u):
    """What inertia and damping of the motor of actuator u are multiplied with."""
    gear = m.actuator_gear[m.actuator_outadr[u], 0]
    return gear * gear


@kernel
def dofs_of(m, j):
    """Number of dofs of joint j."""
    kind = m.jnt_type[j]
    if kind == mjtJoint.mjJNT_FREE:
        return 6
    if kind == mjtJoint.mjJNT_BALL:
        return 3
    return 1


@kernel
def odd_polynomial(a, b, c, v):
    """a v + b v |v| + c v^3: the force of a damper, less its sign."""
    size = abs(v)
    return v * (a + size * (b + size * c))


@kernel
def odd_slope(a, b, c, v):
    """Derivative of `odd_polynomial` by v."""
    size = abs(v)
    return a + size * (2.0 * b + size * (3.0 * c))


@kernel
def motor_force(m, u, v):
    """Force of the damper of the motor of actuator u, by the velocity of what it drives."""
    resisting = odd_polynomial(m.actuator_damping[u], m.actuator_dampingpoly[u, 0], m.actuator_dampingpoly[u, 1], v)
    return -square_of_gear(m, u) * resisting


@kernel
def motor_slope(m, u, v):
    """How the damper of the motor of actuator u resists more at a higher velocity."""
    slope = odd_slope(m.actuator_damping[u], m.actuator_dampingpoly[u, 0], m.actuator_dampingpoly[u, 1], v)
    return square_of_gear(m, u) * slope


@kernel
def add_motor_dampers(m, d):
    """Add the dampers of motors to qfrc_damper."""
    for u in range(m.nactuator):
        target = m.actuator_trnid[u, 0]
        if drives_joint(m, u):
            first = m.jnt_dofadr[target]
            for i in range(first, first + dofs_of(m, target)):
                d.qfrc_damper[i] = d.qfrc_damper[i] + motor_force(m, u, d.qvel[i])
        elif drives_tendon(m, u):
            apply_tendon_force(m, d, target, motor_force(m, u, d.ten_velocity[target]), d.qfrc_damper)


@kernel
def add_motor_inertia(m, d):
    """Add the inertia of motors to qM and M, behind mj_makeM; dofs that are simple have it from `dof_M0`."""
    for u in range(m.nactuator):
        inertia = square_of_gear(m, u) * m.actuator_armature[u]
        target = m.actuator_trnid[u, 0]
        if drives_joint(m, u):
            first = m.jnt_dofadr[target]
            for i in range(first, first + dofs_of(m, target)):
                if m.dof_simplenum[i] == 0:
                    d.qM[m.dof_Madr[i]] = d.qM[m.dof_Madr[i]] + inertia
        elif drives_tendon(m, u):
            for k in range(m.ten_J_rownnz[target]):
                i = m.ten_J_colind[target, k]
                a = m.dof_Madr[i]
                arm = d.ten_J[target, i] * inertia
                j = i
                while j >= 0:
                    d.qM[a] = d.qM[a] + arm * d.ten_J[target, j]
                    a += 1
                    j = m.dof_parentid[j]
    for a in range(m.nC):
        d.M[a] = d.qM[m.mapM2M[a]]


@kernel(writes_model=True)
def motor_reference_inertia(m, d):
    """Add the inertia of motors of joints to dof_M0."""
    for u in range(m.nactuator):
        if drives_joint(m, u):
            target = m.actuator_trnid[u, 0]
            first = m.jnt_dofadr[target]
            for i in range(first, first + dofs_of(m, target)):
                m.dof_M0[i] = m.dof_M0[i] + square_of_gear(m, u) * m.actuator_armature[u]


@kernel
def motor_bias(m, d):
    """Add the bias force of moving tendons that motors give inertia to qfrc_bias, after mj_rne."""
    for u in range(m.nactuator):
        inertia = square_of_gear(m, u) * m.actuator_armature[u]
        if drives_tendon(m, u) and acts(inertia):
            t = m.actuator_trnid[u, 0]
            if not is_fixed(m, t):
                apply_tendon_force(m, d, t, inertia * bias_acceleration(m, d, t), d.qfrc_bias)
