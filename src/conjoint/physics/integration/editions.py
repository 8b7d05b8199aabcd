"""Integration in MuJoCo 4.0: Runge-Kutta stages that add rotation vectors, and the mean acceleration."""

from conjoint.lang import abs, cross, dot, formula, kernel, load, put, sincos, sqrt, vec3, where
from conjoint.schema.enums import mjtJoint


@kernel
def rk4_turn_half_4(m, d):
    """Set the rates of rotation vectors over half a step, before the middle Runge-Kutta stages (MuJoCo 4.0)."""
    turn_rates(m, d, 0.5)


@kernel
def rk4_turn_whole_4(m, d):
    """Set the rates of rotation vectors over a whole step, before the last Runge-Kutta stage (MuJoCo 4.0)."""
    turn_rates(m, d, 1.0)


@kernel
def turn_rates(m, d, fraction):
    """Replace qvel of ball and free joints by the rate of the rotation vector from the start of the step.

    A Runge-Kutta method can add rotation vectors, but not angular velocities, because each of these is in the frame of
    a different instant. For a rotation vector u and an angular velocity w in the body frame,
    u' = w + u x w / 2 + c u x (u x w). Here c = (1 - |u| / 2 cot(|u| / 2)) / |u|^2, about 1 / 12 (Munthe-Kaas,
    Runge-Kutta methods on Lie groups, BIT 38, 1998).
    """
    h = m.opt.timestep * fraction
    for j in range(m.njnt):
        kind = m.jnt_type[j]
        if kind == mjtJoint.mjJNT_FREE or kind == mjtJoint.mjJNT_BALL:
            i = m.jnt_dofadr[j]
            if kind == mjtJoint.mjJNT_FREE:
                i += 3
            u = load(vec3, d.stage_vel, i) * h
            w = load(vec3, d.qvel, i)
            turn = cross(u, w)
            put(d.qvel, i, w + turn * 0.5 + cross(u, turn) * cotangent_term(dot(u, u)))


@formula("real", "real")
def cotangent_term(square):
    """Return (1 - x / 2 cot(x / 2)) / x^2, given the square of x."""
    small = square < 1e-4
    x = sqrt(where(small, 1.0, square))
    s, c = sincos(0.5 * x)
    whole = abs(s) < 1e-9
    return where(
        small,
        (1.0 / 12.0) + square * (1.0 / 720.0),
        (1.0 - 0.5 * x * c / where(whole, 1.0, s)) / where(small, 1.0, square),
    )


@kernel
def rk4_mean_4(m, d):
    """Set qacc to the mean acceleration of the step (MuJoCo 4.0)."""
    for i in range(m.nv):
        d.qacc[i] = d.rk4_acc[i]
