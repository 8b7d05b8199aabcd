"""Springs and dampers of higher order, and dampers of motors (Computation chapter, "Polynomial forces").

A spring pulls with a x + b x^2 + c x^3, a damper with a v + b v |v| + c v^3. For rotations in space and translations of
free joints x is the size of the displacement, and the force is along it. What is of first order is in `passive`.
"""

from conjoint.lang import kernel, norm, vec3
from conjoint.physics.forces.motors import (
    add_motor_dampers,
    dofs_of,
    drives_joint,
    motor_slope,
    odd_polynomial,
    odd_slope,
)
from conjoint.physics.forces.passive import ball_displacement, tendon_displacement
from conjoint.physics.passive_flags import acts, has_dampers, has_springs
from conjoint.physics.tendon.paths import apply_tendon_force
from conjoint.schema.enums import mjtJoint


@kernel
def nonlinear_forces(m, d):
    """Add to qfrc_spring and qfrc_damper what is not of first order, and the dampers of motors."""
    if has_springs(m):
        for j in range(m.njnt):
            if is_curved(m.jnt_stiffnesspoly, j):
                nonlinear_spring(m, d, j)
    if has_dampers(m):
        for i in range(m.nv):
            if is_curved(m.dof_dampingpoly, i):
                force = odd_polynomial(0.0, m.dof_dampingpoly[i, 0], m.dof_dampingpoly[i, 1], d.qvel[i])
                d.qfrc_damper[i] = d.qfrc_damper[i] - force
        add_motor_dampers(m, d)
    for t in range(m.ntendon):
        if has_springs(m) and is_curved(m.tendon_stiffnesspoly, t):
            x = tendon_displacement(m, d, t)
            force = -x * excess(m.tendon_stiffnesspoly, t, x)
            apply_tendon_force(m, d, t, force, d.qfrc_spring)
        if has_dampers(m) and is_curved(m.tendon_dampingpoly, t):
            v = d.ten_velocity[t]
            force = odd_polynomial(0.0, m.tendon_dampingpoly[t, 0], m.tendon_dampingpoly[t, 1], v)
            apply_tendon_force(m, d, t, -force, d.qfrc_damper)


@kernel
def is_curved(polynomial, k):
    """Whether element k has coefficients of higher order."""
    return acts(polynomial[k, 0]) or acts(polynomial[k, 1])


@kernel
def excess(polynomial, k, x):
    """Stiffness at displacement x of element k, beyond that of first order."""
    return x * (polynomial[k, 0] + x * polynomial[k, 1])


@kernel
def nonlinear_spring(m, d, j):
    """Spring of joint j, beyond the part of first order."""
    i = m.jnt_dofadr[j]
    q = m.jnt_qposadr[j]
    kind = m.jnt_type[j]
    if kind == mjtJoint.mjJNT_SLIDE or kind == mjtJoint.mjJNT_HINGE:
        x = d.qpos[q] - m.qpos_spring[q]
        d.qfrc_spring[i] = d.qfrc_spring[i] - x * excess(m.jnt_stiffnesspoly, j, x)
    else:
        if kind == mjtJoint.mjJNT_FREE:
            pull(d, i, shift(m, d, q), m.jnt_stiffnesspoly, j)
            i += 3
            q += 3
        pull(d, i, ball_displacement(m, d, q), m.jnt_stiffnesspoly, j)


@kernel
def shift(m, d, q):
    """Displacement of a free joint whose coordinates begin at q."""
    x, y, z = m.qpos_spring[q], m.qpos_spring[q + 1], m.qpos_spring[q + 2]
    return vec3(d.qpos[q] - x, d.qpos[q + 1] - y, d.qpos[q + 2] - z)


@kernel
def pull(d, i, displacement, polynomial, j):
    """Force of the spring of joint j against a displacement in space, on the dofs from i on."""
    stiffness = excess(polynomial, j, norm(displacement))
    d.qfrc_spring[i] = d.qfrc_spring[i] - displacement.x * stiffness
    d.qfrc_spring[i + 1] = d.qfrc_spring[i + 1] - displacement.y * stiffness
    d.qfrc_spring[i + 2] = d.qfrc_spring[i + 2] - displacement.z * stiffness


@kernel
def energy_beyond(polynomial, k, x):
    """Energy of the spring of element k at displacement x, beyond the part of first order."""
    return x * x * x * (polynomial[k, 0] / 3.0 + x * (polynomial[k, 1] / 4.0))


@kernel
def nonlinear_energy(m, d):
    """Energy of all springs, beyond the parts of first order."""
    total = 0.0
    for j in range(m.njnt):
        if is_curved(m.jnt_stiffnesspoly, j):
            q = m.jnt_qposadr[j]
            kind = m.jnt_type[j]
            if kind == mjtJoint.mjJNT_SLIDE or kind == mjtJoint.mjJNT_HINGE:
                total = total + energy_beyond(m.jnt_stiffnesspoly, j, d.qpos[q] - m.qpos_spring[q])
            else:
                if kind == mjtJoint.mjJNT_FREE:
                    total = total + energy_beyond(m.jnt_stiffnesspoly, j, norm(shift(m, d, q)))
                    q += 3
                total = total + energy_beyond(m.jnt_stiffnesspoly, j, norm(ball_displacement(m, d, q)))
    for t in range(m.ntendon):
        if is_curved(m.tendon_stiffnesspoly, t):
            total = total + energy_beyond(m.tendon_stiffnesspoly, t, tendon_displacement(m, d, t))
    return total


@kernel
def damping_slopes(m, d):
    """dof_slope: how the dampers of each dof resist more at a higher velocity, those of its motors too."""
    for i in range(m.nv):
        d.dof_slope[i] = odd_slope(m.dof_damping[i], m.dof_dampingpoly[i, 0], m.dof_dampingpoly[i, 1], d.qvel[i])
    for u in range(m.nactuator):
        if drives_joint(m, u):
            target = m.actuator_trnid[u, 0]
            first = m.jnt_dofadr[target]
            for i in range(first, first + dofs_of(m, target)):
                d.dof_slope[i] = d.dof_slope[i] + motor_slope(m, u, d.qvel[i])
