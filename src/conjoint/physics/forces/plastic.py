"""Springs that yield: their rest positions, and how these move (ideal plasticity).

The rest position of such a spring is a part of the state, `plastic`. If a step displaces the spring from it by more
than `springyield`, the rest position follows at the end of the step. This is the return mapping of Simo and Hughes,
Computational Inelasticity (1998), section 1.4.
"""

from conjoint.lang import integrate_quat, kernel, load, maximum, norm, put, quat, where
from conjoint.physics.forces.springs import displacement, stretch, turn
from conjoint.physics.passive_flags import has_springs
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtJoint


@kernel
def yield_springs(m, d):
    """Update `plastic` at the end of a step, after the positions; tendon lengths follow from their velocities."""
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
    """Do `yield_springs` after a Runge-Kutta step: with the mean velocity, and tendons at the start of the step."""
    if has_springs(m):
        yield_joints(m, d)
        for t in range(m.ntendon):
            a = m.tendon_plasticadr[t]
            if a >= 0:
                yield_tendon(m, d, t, length_ahead(m, t, d.plastic_length[a], d.plastic_J, a, d.rk4_vel))


@kernel
def length_ahead(m, t, length, jacobian, row, velocity):
    """Return the length of tendon t one timestep later at a dof velocity; `row` is its row of `jacobian`."""
    speed = 0.0
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t, k]
        speed = speed + jacobian[row, i] * velocity[i]
    return length + speed * m.opt.timestep


@kernel
def yield_joints(m, d):
    """Let the rest of the springs of joints follow their displacements."""
    for j in range(m.njnt):
        a = m.jnt_plasticadr[j]
        if a >= 0:
            bears = maximum(m.jnt_springyield[j], 0.0)
            if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
                way = turn(m, d, j)
                angle = norm(way)
                share = where(angle > bears, (angle - bears) / maximum(angle, mjMINVAL), 0.0)
                rest = load(quat, d.plastic, a)
                moved = integrate_quat(rest, way * share, 1.0)
                put(d.plastic, a, where(angle > bears, moved, rest))
            else:
                d.plastic[a] = d.plastic[a] + past(displacement(m, d, j), bears)


@kernel
def past(x, bears):
    """Return the part of a displacement beyond the yield limit of a spring, with its sign."""
    return where(x > bears, x - bears, where(x < -bears, x + bears, 0.0))


@kernel
def yield_tendon(m, d, t, length):
    """Move the rest lengths of tendon t's spring; a slack spring stays slack down to zero."""
    a = m.tendon_plasticadr[t]
    moved = past(stretch(m, d, t, length), maximum(m.tendon_springyield[t], 0.0))
    slack = (d.plastic[a] == 0.0) & (d.plastic[a + 1] > 0.0) & (moved > 0.0)
    d.plastic[a] = d.plastic[a] + where(slack, 0.0, moved)
    d.plastic[a + 1] = d.plastic[a + 1] + moved
