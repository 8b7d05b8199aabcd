"""Springs that yield: rest positions that change (ideal plasticity).

The rest position of such a spring is a part of the state, `plastic`. If a step displaces the spring from its rest
position by more than `springyield`, the rest position follows at the end of the step. This is the return mapping of
Simo and Hughes, Computational Inelasticity (1998), section 1.4.
"""

from conjoint.lang import integrate_quat, kernel, load, maximum, norm, put, quat, where
from conjoint.physics.forces.springs import displacement, stretch, turn
from conjoint.physics.passive_flags import has_springs
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtJoint


@kernel
def yield_springs(m, d):
    """Update `plastic` at the end of a step, after the positions; tendon lengths are extrapolated with velocities."""
    if has_springs(m):
        yield_joints(m, d)
        for t in range(m.ntendon):
            if m.tendon_plasticadr[t] >= 0:
                yield_tendon(m, d, t, length_ahead(m, t, d.ten_length[t], d.ten_J, t, d.qvel))


@kernel
def keep_tendons(m, d):
    """Save the lengths and Jacobians of tendons whose springs yield, at the start of a Runge-Kutta step."""
    for t in range(m.ntendon):
        a = m.tendon_plasticadr[t]
        if a >= 0:
            d.plastic_length[a] = d.ten_length[t]
            for k in range(m.ten_J_rownnz[t]):
                i = m.ten_J_colind[t, k]
                d.plastic_J[a, i] = d.ten_J[t, i]


@kernel
def yield_springs_of_start(m, d):
    """Update `plastic` after a Runge-Kutta step, with its mean velocity and the tendons saved at its start."""
    if has_springs(m):
        yield_joints(m, d)
        for t in range(m.ntendon):
            a = m.tendon_plasticadr[t]
            if a >= 0:
                yield_tendon(m, d, t, length_ahead(m, t, d.plastic_length[a], d.plastic_J, a, d.rk4_vel))


@kernel
def length_ahead(m, t, length, jacobian, row, velocity):
    """Return the length of tendon t one timestep later, at a given dof velocity; `row` is its row of `jacobian`."""
    speed = 0.0
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t, k]
        speed = speed + jacobian[row, i] * velocity[i]
    return length + speed * m.opt.timestep


@kernel
def yield_joints(m, d):
    """Move the rest positions of joint springs that are displaced beyond their yield limit."""
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
    """Return the part of the displacement x beyond the yield limit `bears` of a spring, with the sign of x."""
    return where(x > bears, x - bears, where(x < -bears, x + bears, 0.0))


@kernel
def yield_tendon(m, d, t, length):
    """Move the rest lengths of tendon t's spring; a lower rest length of zero stays zero if the tendon is stretched."""
    a = m.tendon_plasticadr[t]
    moved = past(stretch(m, d, t, length), maximum(m.tendon_springyield[t], 0.0))
    slack = (d.plastic[a] == 0.0) & (d.plastic[a + 1] > 0.0) & (moved > 0.0)
    d.plastic[a] = d.plastic[a] + where(slack, 0.0, moved)
    d.plastic[a + 1] = d.plastic[a + 1] + moved
