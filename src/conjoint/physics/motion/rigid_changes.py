"""Derivatives of forward kinematics in dual numbers if only qpos changes, computed as rigid motions of bodies.

`kinematics` must have computed the values. Everything fixed to a body changes with two vectors: the body's spin and the
motion of its origin. This is cheaper than `kinematics`, which would differentiate quaternions, their products and the
matrices of each geom. Both vectors are those of the parent plus the motion of the joints; a hinge adds its axis times
the change in its angle (Featherstone, Rigid Body Dynamics Algorithms, 2008, 3.3).
"""

from conjoint.lang import (
    change,
    conj_quat,
    cross,
    formula,
    kernel,
    load,
    mul_mat_vec,
    mul_quat,
    quat,
    stop_gradient,
    vec3,
)
from conjoint.physics.motion.kinematics import world_pose
from conjoint.schema.enums import mjtJoint, mjtSameFrame


@formula("vec3", "vec3")
def fixed(v):
    """Return a vector as a constant, without derivatives."""
    return tuple(stop_gradient(x) for x in v)


@formula("quat", "quat")
def fixed_quat(q):
    """Return a quaternion as a constant, without derivatives."""
    return tuple(stop_gradient(x) for x in q)


@formula("mat3", "mat3")
def fixed_matrix(matrix):
    """Return a matrix as a constant, without derivatives."""
    return tuple(stop_gradient(x) for x in matrix)


@formula("real", "quat")
def square(q):
    """Return the squared norm of a quaternion."""
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]


@formula("mat3", "mat3", "vec3")
def turned(matrix, spin):
    """Return a matrix as a constant, with the derivatives of a rotation by the given spin."""
    values = [stop_gradient(x) for x in matrix]
    a, b, c = values[:3], values[3:6], values[6:]
    x, y, z = spin
    rows = (
        [y * c[k] - z * b[k] for k in range(3)],
        [z * a[k] - x * c[k] for k in range(3)],
        [x * b[k] - y * a[k] for k in range(3)],
    )
    return tuple(value + change for value, change in zip(values, [x for row in rows for x in row], strict=True))


@kernel
def move_rigidly(m, d):
    """Add the derivatives of `kinematics`, which has computed the values, if only qpos changes."""
    world_pose(d)
    d.body_spin[0] = vec3(0.0, 0.0, 0.0)
    for b in range(1, m.nbody):
        move_body(m, d, b)
    for g in range(m.ngeom):
        b = m.geom_bodyid[g]
        d.geom_xpos[g] = carried(d, b, d.geom_xpos[g])
        d.geom_xmat[g] = turned(d.geom_xmat[g], d.body_spin[b])
    for k in range(m.nsite):
        b = m.site_bodyid[k]
        d.site_xpos[k] = carried(d, b, d.site_xpos[k])
        d.site_xmat[k] = turned(d.site_xmat[k], d.body_spin[b])


@kernel
def carried(d, b, point):
    """Return a point fixed to body b with the derivatives of the body's motion."""
    from_body = fixed(point) - fixed(d.xpos[b])
    return d.xpos[b] + from_body + cross(d.body_spin[b], from_body)


@kernel
def move_body(m, d, b):
    """Compute the derivatives of the poses of body b, its joints and its inertial frame from those of the parent."""
    p = m.body_parentid[b]
    origin = fixed(d.xpos[b])
    spin = d.body_spin[p]
    pos = carried(d, p, origin)
    first = m.body_jntadr[b]
    for j in range(first, first + m.body_jntnum[b]):
        pos, spin = move_joint(m, d, b, j, pos, spin)
    d.body_spin[b] = spin
    d.xpos[b] = pos
    q = fixed_quat(d.xquat[b])
    d.xquat[b] = q + mul_quat(quat(0.0, spin.x, spin.y, spin.z), q) * 0.5
    rotation = turned(d.xmat[b], spin)
    d.xmat[b] = rotation
    d.xipos[b] = carried(d, b, d.xipos[b])
    kind = m.body_sameframe[b]
    if kind == mjtSameFrame.mjSAMEFRAME_BODY or kind == mjtSameFrame.mjSAMEFRAME_BODYROT:
        d.ximat[b] = rotation
    else:
        d.ximat[b] = turned(d.ximat[b], spin)


@kernel
def move_joint(m, d, b, j, pos, spin):
    """Return the position and spin of body b after joint j, from the position and spin before it."""
    a = m.jnt_qposadr[j]
    kind = m.jnt_type[j]
    if kind == mjtJoint.mjJNT_FREE:
        pos = load(vec3, d.qpos, a)
        d.xanchor[j] = pos
        spin = spin_of(load(quat, d.qpos, a + 3))
    else:
        # the joints before this one move the anchor and the axis
        from_origin = fixed(d.xanchor[j]) - fixed(d.xpos[b])
        axis = fixed(d.xaxis[j])
        d.xanchor[j] = pos + from_origin + cross(spin, from_origin)
        d.xaxis[j] = axis + cross(spin, axis)
        if kind == mjtJoint.mjJNT_SLIDE:
            pos = pos + axis * change(d.qpos[a])
        else:
            if kind == mjtJoint.mjJNT_BALL:
                # no joint that rotates follows a ball joint
                turn = mul_mat_vec(fixed_matrix(d.xmat[b]), own_spin_of(load(quat, d.qpos, a)))
            else:
                turn = axis * change(d.qpos[a])
            spin = spin + turn
            pos = pos - cross(turn, from_origin)
    return pos, spin


@kernel
def spin_of(q):
    """Return the spin of a changing quaternion, 2 Im(dq conj(q)) after normalization; only its tangents are nonzero."""
    unit = fixed_quat(q)
    return imaginary_change(mul_quat(q, conj_quat(unit))) * (2.0 / square(unit))


@kernel
def own_spin_of(q):
    """Return the spin of a changing quaternion in its own rotated frame, 2 Im(conj(q) dq) after normalization."""
    unit = fixed_quat(q)
    return imaginary_change(mul_quat(conj_quat(unit), q)) * (2.0 / square(unit))


@kernel
def imaginary_change(q):
    """Return the imaginary part of the change in a quaternion."""
    x, y, z = q[1], q[2], q[3]
    return vec3(change(x), change(y), change(z))
