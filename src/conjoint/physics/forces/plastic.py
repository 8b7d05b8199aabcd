"""Springs that yield: what they are at rest about, and how that moves (ideal plasticity).

Where such a spring is at rest is a part of the state, `plastic`. At the end of a step the rest of a spring that is
displaced by more than it bears, `springyield`, follows: the return mapping of Simo and Hughes, Computational
Inelasticity (1998), section 1.4. Other stages compute the springs about where they are at rest in the model; what is
here adds what is different about them.
"""

from conjoint.lang import integrate_quat, kernel, load, maximum, norm, put, quat, sub_quat, where
from conjoint.physics.forces.nonlinear import energy_beyond, excess
from conjoint.physics.forces.passive import ball_displacement, tendon_displacement
from conjoint.physics.motion.support import quat_at
from conjoint.physics.passive_flags import has_springs
from conjoint.physics.tendon.paths import apply_tendon_force
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtJoint


@kernel
def plastic_forces(m, d):
    """Add to qfrc_spring what springs that have yielded do more than those of the model."""
    if not has_springs(m):
        return
    for j in range(m.njnt):
        if m.jnt_plasticadr[j] >= 0:
            i = m.jnt_dofadr[j]
            if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
                turn = spring_torque(m, j, turn_from_rest(m, d, j))
                turn = turn - spring_torque(m, j, ball_displacement(m, d, m.jnt_qposadr[j]))
                d.qfrc_spring[i] = d.qfrc_spring[i] + turn.x
                d.qfrc_spring[i + 1] = d.qfrc_spring[i + 1] + turn.y
                d.qfrc_spring[i + 2] = d.qfrc_spring[i + 2] + turn.z
            else:
                q = m.jnt_qposadr[j]
                now = spring_force(m, j, way_from_rest(m, d, j))
                d.qfrc_spring[i] = d.qfrc_spring[i] + (now - spring_force(m, j, d.qpos[q] - m.qpos_spring[q]))
    for t in range(m.ntendon):
        if m.tendon_plasticadr[t] >= 0:
            now = tension(m, t, beyond_rest(m, d, t, d.ten_length[t]))
            apply_tendon_force(m, d, t, now - tension(m, t, tendon_displacement(m, d, t)), d.qfrc_spring)


@kernel
def plastic_energy(m, d):
    """Energy of springs that have yielded, beyond that of those of the model."""
    total = 0.0
    for j in range(m.njnt):
        if m.jnt_plasticadr[j] >= 0:
            q = m.jnt_qposadr[j]
            if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
                now = norm(turn_from_rest(m, d, j))
                before = norm(ball_displacement(m, d, q))
            else:
                now = way_from_rest(m, d, j)
                before = d.qpos[q] - m.qpos_spring[q]
            total = total + (now * now - before * before) * (0.5 * m.jnt_stiffness[j])
            total = total + energy_beyond(m.jnt_stiffnesspoly, j, now) - energy_beyond(m.jnt_stiffnesspoly, j, before)
    for t in range(m.ntendon):
        if m.tendon_plasticadr[t] >= 0:
            now = beyond_rest(m, d, t, d.ten_length[t])
            before = tendon_displacement(m, d, t)
            total = total + (now * now - before * before) * (0.5 * m.tendon_stiffness[t])
            total = total + energy_beyond(m.tendon_stiffnesspoly, t, now)
            total = total - energy_beyond(m.tendon_stiffnesspoly, t, before)
    return total


# --- displacements, and forces against them ---


@kernel
def way_from_rest(m, d, j):
    """Displacement of a hinge or slide joint from where its spring is at rest."""
    return d.qpos[m.jnt_qposadr[j]] - d.plastic[m.jnt_plasticadr[j]]


@kernel
def turn_from_rest(m, d, j):
    """Rotation vector of a ball joint from where its spring is at rest."""
    return sub_quat(quat_at(d, m.jnt_qposadr[j]), load(quat, d.plastic, m.jnt_plasticadr[j]))


@kernel
def beyond_rest(m, d, t, length):
    """How far a length of tendon t is above the lengths at which its spring is at rest; negative below, zero inside."""
    a = m.tendon_plasticadr[t]
    low = d.plastic[a]
    high = d.plastic[a + 1]
    return where(length > high, length - high, where(length < low, length - low, 0.0))


@kernel
def spring_force(m, j, x):
    """Force of the spring of a hinge or slide joint at a displacement."""
    return -x * (m.jnt_stiffness[j] + excess(m.jnt_stiffnesspoly, j, x))


@kernel
def spring_torque(m, j, turn):
    """Torque of the spring of a ball joint at a rotation vector."""
    return turn * -(m.jnt_stiffness[j] + excess(m.jnt_stiffnesspoly, j, norm(turn)))


@kernel
def tension(m, t, x):
    """Force of the spring of a tendon at a displacement."""
    return -x * (m.tendon_stiffness[t] + excess(m.tendon_stiffnesspoly, t, x))


# --- return mapping ---


@kernel
def yield_springs(m, d):
    """plastic at the end of a step, after the positions: of tendons by the lengths that their velocities lead to."""
    if has_springs(m):
        yield_joints(m, d)
        for t in range(m.ntendon):
            if m.tendon_plasticadr[t] >= 0:
                yield_tendon(m, d, t, length_ahead(m, t, d.ten_length[t], d.ten_J, t, d.qvel))


@kernel
def keep_tendons(m, d):
    """Lengths and Jacobians of tendons whose springs yield, at the start of a step of Runge-Kutta."""
    for t in range(m.ntendon):
        a = m.tendon_plasticadr[t]
        if a >= 0:
            d.plastic_length[a] = d.ten_length[t]
            for k in range(m.ten_J_rownnz[t]):
                i = m.ten_J_colind[t, k]
                d.plastic_J[a, i] = d.ten_J[t, i]


@kernel
def yield_springs_of_start(m, d):
    """`yield_springs` at the end of a step of Runge-Kutta: by the mean velocity, with the tendons of its start."""
    if has_springs(m):
        yield_joints(m, d)
        for t in range(m.ntendon):
            a = m.tendon_plasticadr[t]
            if a >= 0:
                yield_tendon(m, d, t, length_ahead(m, t, d.plastic_length[a], d.plastic_J, a, d.rk4_vel))


@kernel
def length_ahead(m, t, length, jacobian, row, velocity):
    """Length of tendon t after a timestep at a velocity of the dofs; `row` of `jacobian` is its own."""
    speed = 0.0
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t, k]
        speed = speed + jacobian[row, i] * velocity[i]
    return length + speed * m.opt.timestep


@kernel
def yield_joints(m, d):
    """The same of joints."""
    for j in range(m.njnt):
        a = m.jnt_plasticadr[j]
        if a >= 0:
            bears = maximum(m.jnt_springyield[j], 0.0)
            if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
                turn = turn_from_rest(m, d, j)
                angle = norm(turn)
                share = where(angle > bears, (angle - bears) / maximum(angle, mjMINVAL), 0.0)
                rest = load(quat, d.plastic, a)
                moved = integrate_quat(rest, turn * share, 1.0)
                put(d.plastic, a, where(angle > bears, moved, rest))
            else:
                d.plastic[a] = d.plastic[a] + past(way_from_rest(m, d, j), bears)


@kernel
def past(x, bears):
    """How far a displacement is past what a spring bears, to either side."""
    return where(x > bears, x - bears, where(x < -bears, x + bears, 0.0))


@kernel
def yield_tendon(m, d, t, length):
    """The lengths at which the spring of tendon t is at rest follow; a slack one stays so down to zero."""
    a = m.tendon_plasticadr[t]
    moved = past(beyond_rest(m, d, t, length), maximum(m.tendon_springyield[t], 0.0))
    slack = (d.plastic[a] == 0.0) & (d.plastic[a + 1] > 0.0) & (moved > 0.0)
    d.plastic[a] = d.plastic[a] + where(slack, 0.0, moved)
    d.plastic[a + 1] = d.plastic[a + 1] + moved
