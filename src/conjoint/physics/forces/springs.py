"""Forces of the springs of joints and tendons, which may be nonlinear.

A spring with coefficients a, b, c pulls with x (a + b x + c x^2) against a displacement x (Computation chapter,
"Polynomial forces"). For 3D rotations and the translations of free joints, x is the magnitude of the displacement, and
the force acts along it. The rest positions are in the model, or, for springs that yield, in the state (`plastic`).
"""

from conjoint.lang import dot, kernel, load, norm, put, quat, sub_quat, vec3, where
from conjoint.physics.motion.support import quat_at
from conjoint.physics.passive_flags import acts
from conjoint.schema.enums import mjtJoint


@kernel
def is_spring(stiffness, polynomial, k):
    """Return True if spring k has a nonzero stiffness coefficient of any order."""
    return acts(stiffness[k]) or acts(polynomial[k, 0]) or acts(polynomial[k, 1])


@kernel
def stiffness_at(stiffness, polynomial, k, x):
    """Return the stiffness of spring k at displacement x."""
    return stiffness[k] + x * (polynomial[k, 0] + x * polynomial[k, 1])


@kernel
def energy_at(stiffness, polynomial, k, x, square):
    """Return the energy of spring k at displacement x, whose square is also given."""
    return square * (0.5 * stiffness[k] + x * (polynomial[k, 0] / 3.0 + x * (polynomial[k, 1] / 4.0)))


@kernel
def slides(m, j):
    """Return True if joint j is a hinge or slide joint, which has one coordinate."""
    return m.jnt_type[j] == mjtJoint.mjJNT_SLIDE or m.jnt_type[j] == mjtJoint.mjJNT_HINGE


@kernel
def displacement(m, d, j):
    """Return the displacement of hinge or slide joint j from the rest position of its spring."""
    q = m.jnt_qposadr[j]
    a = m.jnt_plasticadr[j]
    rest = d.plastic[a] if a >= 0 else m.qpos_spring[q]
    return d.qpos[q] - rest


@kernel
def shift(m, d, j):
    """Return the translation of free joint j from the rest position of its spring."""
    q = m.jnt_qposadr[j]
    return load(vec3, d.qpos, q) - load(vec3, m.qpos_spring, q)


@kernel
def turn(m, d, j):
    """Return the rotation vector of ball or free joint j from the rest orientation of its spring."""
    q = m.jnt_qposadr[j]
    if m.jnt_type[j] == mjtJoint.mjJNT_FREE:
        q += 3
    a = m.jnt_plasticadr[j]
    rest = load(quat, d.plastic, a) if a >= 0 else load(quat, m.qpos_spring, q)
    return sub_quat(quat_at(d, q), rest)


@kernel
def stretch(m, d, t, length):
    """Return the signed distance of a length of tendon t from its range of rest lengths, or zero within the range."""
    a = m.tendon_plasticadr[t]
    low = d.plastic[a] if a >= 0 else m.tendon_lengthspring[t, 0]
    high = d.plastic[a + 1] if a >= 0 else m.tendon_lengthspring[t, 1]
    return where(length > high, length - high, where(length < low, length - low, 0.0))


@kernel
def joint_spring(m, d, j):
    """Set qfrc_spring of joint j."""
    i = m.jnt_dofadr[j]
    if slides(m, j):
        x = displacement(m, d, j)
        d.qfrc_spring[i] = x * (-stiffness_at(m.jnt_stiffness, m.jnt_stiffnesspoly, j, x))
    else:
        if m.jnt_type[j] == mjtJoint.mjJNT_FREE:
            pull(m, d, i, j, shift(m, d, j))
            i += 3
        pull(m, d, i, j, turn(m, d, j))


@kernel
def pull(m, d, i, j, way):
    """Set qfrc_spring of three dofs, starting at dof i, to the force of joint j's spring against a 3D displacement."""
    put(d.qfrc_spring, i, way * (-stiffness_at(m.jnt_stiffness, m.jnt_stiffnesspoly, j, norm(way))))


@kernel
def tendon_pull(m, d, t):
    """Return the force of the spring of tendon t, positive if it lengthens the tendon."""
    x = stretch(m, d, t, d.ten_length[t])
    return x * (-stiffness_at(m.tendon_stiffness, m.tendon_stiffnesspoly, t, x))


@kernel
def spring_energy(m, d):
    """Return the potential energy of the springs of joints and tendons."""
    total = 0.0
    for j in range(m.njnt):
        if is_spring(m.jnt_stiffness, m.jnt_stiffnesspoly, j):
            if slides(m, j):
                x = displacement(m, d, j)
                total = total + energy_at(m.jnt_stiffness, m.jnt_stiffnesspoly, j, x, x * x)
            else:
                if m.jnt_type[j] == mjtJoint.mjJNT_FREE:
                    total = total + energy_in_space(m, j, shift(m, d, j))
                total = total + energy_in_space(m, j, turn(m, d, j))
    for t in range(m.ntendon):
        x = stretch(m, d, t, d.ten_length[t])
        total = total + energy_at(m.tendon_stiffness, m.tendon_stiffnesspoly, t, x, x * x)
    return total


@kernel
def energy_in_space(m, j, way):
    """Return the energy of the spring of joint j at a 3D displacement."""
    return energy_at(m.jnt_stiffness, m.jnt_stiffnesspoly, j, norm(way), dot(way, way))
