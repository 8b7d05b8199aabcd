"""Jacobians of points, axes, subtree centers of mass and subtree angular momenta with respect to dof velocities.

A Jacobian has three rows of nv reals. A body is moved only by the dofs between it and the world. Their columns are
computed from the com-based motion axes `cdof` (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 3.4).
"""

from conjoint.lang import cross, cross_motion, kernel, mul_inertia, spatial, vec3
from conjoint.physics.motion.chains import last_dof
from conjoint.physics.motion.support import object_pose, tree_arm, velocity_at, velocity_of
from conjoint.schema.enums import mjtJoint


@kernel
def point_jacobian(m, d, jacobian, point, body):
    """Write the Jacobian of the material point of a body that is at `point` (mj_jac)."""
    clear(m, jacobian)
    add_point(m, d, jacobian, point, body, 1.0)


@kernel
def object_jacobian(m, d, jacobian, kind, i):
    """Write the Jacobian of the position of object i of a given type (mjtObj)."""
    body, position, _ = object_pose(m, d, kind, i)
    point_jacobian(m, d, jacobian, position, body)


@kernel
def rotation_jacobian(m, d, jacobian, body):
    """Write the Jacobian of the angular velocity of a body."""
    clear(m, jacobian)
    i = last_dof(m, body)
    while i >= 0:
        add_column(m, jacobian, i, d.cdof[i].angular)
        i = m.dof_parentid[i]


@kernel
def axis_jacobian(m, d, jacobian, axis, body):
    """Write the Jacobian of the direction `axis`, which is fixed to a body (mj_jacPointAxis)."""
    clear(m, jacobian)
    i = last_dof(m, body)
    while i >= 0:
        add_column(m, jacobian, i, cross(d.cdof[i].angular, axis))
        i = m.dof_parentid[i]


@kernel
def subtree_jacobian(m, d, jacobian, body):
    """Write the Jacobian of the center of mass of a subtree (mj_jacSubtreeCom)."""
    clear(m, jacobian)
    for b in range(body, m.nbody):
        if is_below(m, b, body):
            add_point(m, d, jacobian, d.xipos[b], b, m.body_mass[b])
    for k in range(3 * m.nv):
        jacobian[k] = jacobian[k] / m.body_subtreemass[body]


@kernel
def momentum_jacobian(m, d, jacobian, body):
    """Write the Jacobian of the angular momentum of a subtree about its center of mass (mj_angmomMat)."""
    clear(m, jacobian)
    for b in range(body, m.nbody):
        if is_below(m, b, body):
            offset = tree_arm(m, d, b, d.subtree_com[body])
            i = last_dof(m, b)
            while i >= 0:
                momentum = mul_inertia(d.cinert[b], d.cdof[i])
                add_column(m, jacobian, i, momentum.angular - cross(offset, momentum.linear))
                i = m.dof_parentid[i]


@kernel
def point_jacobian_rate(m, d, jacobian, point, body):
    """Write the time derivative of `point_jacobian` (mj_jacDot)."""
    clear(m, jacobian)
    arm = tree_arm(m, d, body, point)
    velocity = velocity_at(m, d, body, point).linear
    i = last_dof(m, body)
    while i >= 0:
        add_column(m, jacobian, i, velocity_of(axis_rate(m, d, i), arm) + cross(d.cdof[i].angular, velocity))
        i = m.dof_parentid[i]


@kernel
def rotation_jacobian_rate(m, d, jacobian, body):
    """Write the time derivative of `rotation_jacobian` (mj_jacDot)."""
    clear(m, jacobian)
    i = last_dof(m, body)
    while i >= 0:
        add_column(m, jacobian, i, axis_rate(m, d, i).angular)
        i = m.dof_parentid[i]


@kernel
def bias_acceleration_at(m, d, body, point):
    """Return the linear acceleration, at zero qacc and without gravity, of the material point of a body at `point`.

    This is the time derivative of its Jacobian times qvel.
    """
    return bias_at(m, d, body, point, axis_rate).linear


@kernel
def bias_at(m, d, body, point, rate):
    """Return the acceleration, at zero qacc and without gravity, of a body at its material point at `point`.

    `rate` is a kernel of (m, d, dof) that returns the rate of change of a dof's motion axis.
    """
    none = vec3(0.0, 0.0, 0.0)
    total = spatial(none, none)
    i = last_dof(m, body)
    while i >= 0:
        total = total + rate(m, d, i) * d.qvel[i]
        i = m.dof_parentid[i]
    v = velocity_at(m, d, body, point)
    return spatial(total.angular, velocity_of(total, tree_arm(m, d, body, point)) + cross(v.angular, v.linear))


@kernel
def motion_rate(m, d, i):
    """Return the rate of change of the motion axis of dof i."""
    return d.cdof_dot[i]


@kernel
def axis_rate(m, d, i):
    """Return the rate of change of the motion axis of dof i, where axes of ball and free joints rotate with their body.

    As in MuJoCo 3.3.5, the rate includes the rotation by later joints of the body, although it should not.
    """
    j = m.dof_jntid[i]
    kind = m.jnt_type[j]
    if kind == mjtJoint.mjJNT_BALL or (kind == mjtJoint.mjJNT_FREE and i >= m.jnt_dofadr[j] + 3):
        return cross_motion(d.cvel[m.dof_bodyid[i]], d.cdof[i])
    return d.cdof_dot[i]


@kernel
def is_below(m, b, body):
    """Return True if body b belongs to the subtree of `body`."""
    while b > body:
        b = m.body_parentid[b]
    return b == body


@kernel
def clear(m, jacobian):
    """Set all elements of a Jacobian to zero."""
    for k in range(3 * m.nv):
        jacobian[k] = 0.0


@kernel
def add_point(m, d, jacobian, point, body, weight):
    """Add `weight` times the Jacobian of the material point of a body at `point`."""
    arm = tree_arm(m, d, body, point)
    i = last_dof(m, body)
    while i >= 0:
        add_column(m, jacobian, i, velocity_of(d.cdof[i], arm) * weight)
        i = m.dof_parentid[i]


@kernel
def add_column(m, jacobian, i, v):
    """Add the vector v to column i of a Jacobian."""
    for k in range(3):
        jacobian[k * m.nv + i] = jacobian[k * m.nv + i] + v[k]
