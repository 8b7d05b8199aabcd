"""Quantities of points and bodies that several stages use: velocities, accelerations, forces, object poses."""

from conjoint.lang import (
    cross,
    dot,
    dot6,
    formula,
    kernel,
    load,
    local,
    minimum,
    mul_quat,
    normalize_quat,
    put,
    quat,
    real,
    shared,
    spatial,
    vec3,
    where,
)
from conjoint.physics.motion.chains import last_dof
from conjoint.physics.row_storage import compresses
from conjoint.schema.enums import mjtConstraint, mjtJoint, mjtObj


@kernel
def total_mass(m):
    """Return the sum of the masses of all bodies except the world (mj_getTotalmass)."""
    mass = 0.0
    for b in range(1, m.nbody):
        mass += m.body_mass[b]
    return mass


@kernel
def is_sparse(m):
    """Return True if MuJoCo's constraint Jacobian would be compressed, which affects the set of rows."""
    return compresses(m.opt.jacobian, m.nv)


@kernel
def has_limits(m, j):
    """Return True if joint j has limits, which a free joint cannot have."""
    return m.jnt_limited[j] != 0 and m.jnt_type[j] != mjtJoint.mjJNT_FREE


@formula("vec3", "spatial", "vec3", exact=True)
def velocity_of(motion, arm):
    """Return the linear velocity of a com-based motion at the point whose offset from the reference point is `arm`."""
    # angular x arm, rounded after every product: if the axis of a dof intersects a contact normal, its entry must be
    # exactly zero, because a rounding error there would change the forces of the stiffest contacts
    ax, ay, az, x, y, z = motion
    return (x + (ay * arm[2] - az * arm[1]), y + (az * arm[0] - ax * arm[2]), z + (ax * arm[1] - ay * arm[0]))


@kernel
def tree_arm(m, d, body, point):
    """Return the offset of a point from the reference point of a body's com-based vectors."""
    return point - d.subtree_com[m.body_rootid[body]]


@kernel
def velocity_at(m, d, body, point):
    """Return the velocity of a body at its material point at `point`, in global axes (mj_objectVelocity)."""
    v = d.cvel[body]
    return spatial(v.angular, velocity_of(v, tree_arm(m, d, body, point)))


@kernel
def body_velocity(m, d, body):
    """Return the velocity of a body at its center of mass, in global axes."""
    return velocity_at(m, d, body, d.xipos[body])


@kernel
def acceleration_at(m, d, body, point):
    """Return the acceleration, minus gravity, of a body at its material point at `point`, in global axes.

    This is mj_objectAcceleration.
    """
    a = d.cacc[body]
    v = velocity_at(m, d, body, point)
    # com-based accelerations refer to a point fixed in space: add the motion of the material point through it
    return spatial(a.angular, velocity_of(a, tree_arm(m, d, body, point)) + cross(v.angular, v.linear))


@kernel
def quat_at(d, q):
    """Return the quaternion that starts at qpos[q], normalized."""
    return normalize_quat(load(quat, d.qpos, q))


@kernel
def object_pose(m, d, kind, i):
    """Return the body, position and orientation matrix of object i of a given type (mjtObj).

    An object is a body's frame (xbody) or inertial frame (body), a geom, a site, or a camera.
    """
    if kind == mjtObj.mjOBJ_XBODY:
        return i, d.xpos[i], d.xmat[i]
    if kind == mjtObj.mjOBJ_GEOM:
        return m.geom_bodyid[i], d.geom_xpos[i], d.geom_xmat[i]
    if kind == mjtObj.mjOBJ_SITE:
        return m.site_bodyid[i], d.site_xpos[i], d.site_xmat[i]
    if kind == mjtObj.mjOBJ_CAMERA:
        return m.cam_bodyid[i], d.cam_xpos[i], d.cam_xmat[i]
    return i, d.xipos[i], d.ximat[i]


@kernel
def object_quat(m, d, kind, i):
    """Return the orientation of object i of a given type (mjtObj) as a quaternion."""
    if kind == mjtObj.mjOBJ_XBODY:
        return d.xquat[i]
    if kind == mjtObj.mjOBJ_GEOM:
        return mul_quat(d.xquat[m.geom_bodyid[i]], m.geom_quat[i])
    if kind == mjtObj.mjOBJ_SITE:
        return mul_quat(d.xquat[m.site_bodyid[i]], m.site_quat[i])
    if kind == mjtObj.mjOBJ_CAMERA:
        return mul_quat(d.xquat[m.cam_bodyid[i]], m.cam_quat[i])
    return mul_quat(d.xquat[i], m.body_iquat[i])


@kernel
def object_velocity(m, d, result, kind, i, own_axes):
    """Set result[0] to the velocity of object i, rotation first, in global or in its own axes (mj_objectVelocity)."""
    body, position, axes = object_pose(m, d, kind, i)
    result[0] = in_axes(velocity_at(m, d, body, position), axes, own_axes)


@kernel
def object_acceleration(m, d, result, kind, i, own_axes):
    """Set result[0] to the acceleration of object i, minus gravity and rotation first (mj_objectAcceleration).

    It is in global axes, or in the object's axes if `own_axes` is set.
    """
    body, position, axes = object_pose(m, d, kind, i)
    result[0] = in_axes(acceleration_at(m, d, body, position), axes, own_axes)


@kernel
def in_axes(v, frame, own_axes):
    """Return a spatial vector, with both halves rotated into the axes of a frame if `own_axes` is set."""
    if own_axes:
        return spatial(frame.T @ v.angular, frame.T @ v.linear)
    return v


@kernel
def com_wrench(m, d, body, force, torque, point):
    """Return a force and a torque at a point of a body as a com-based spatial force."""
    return spatial(torque + cross(tree_arm(m, d, body, point), force), force)


@kernel
def apply_force(m, d, qfrc, force, torque, point, body):
    """Add the generalized force of a force and a torque at a point of a body to a field of nv reals (mj_applyFT)."""
    wrench = com_wrench(m, d, body, force, torque, point)
    i = last_dof(m, body)
    while i >= 0:
        qfrc[i] = qfrc[i] + dot6(d.cdof[i], wrench)
        i = m.dof_parentid[i]


@kernel
def applied_wrench(m, d, b):
    """Return the com-based spatial force of `xfrc_applied` (force first) at the center of mass of body b."""
    applied = d.xfrc_applied[b]
    return com_wrench(m, d, b, applied.angular, applied.linear, d.xipos[b])


@kernel
def project_body_wrenches(m, d, qfrc):
    """Add the joint forces J' w of the com-based forces `body_wrench` of all bodies to qfrc.

    `body_wrench` is overwritten by its sums over subtrees.
    """
    shared(project_wrenches_of_share, m, d, m.nshare, qfrc, True)


@kernel
def project_wrenches_of_share(m, d, s, qfrc, chosen):
    """Run `project_body_wrenches` for the bodies in work share s, in the worlds where `chosen` is true."""
    for b in range(m.share_body[s + 1] - 1, m.share_body[s] - 1, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.body_wrench[p] = d.body_wrench[p] + d.body_wrench[b]
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        axis = d.cdof[i]
        wrench = d.body_wrench[m.dof_bodyid[i]]
        push = dot(axis.angular, wrench.angular) + dot(axis.linear, wrench.linear)
        qfrc[i] = where(chosen, qfrc[i] + push, qfrc[i])


@kernel
def has_geom(m, b, g):
    """Return True if geom g belongs to body b; the geoms of a body are consecutive."""
    return g >= m.body_geomadr[b] and g < m.body_geomadr[b] + m.body_geomnum[b]


@kernel
def body_of_side(m, d, c, side):
    """Return the body of the geom on one side of contact c, or -1 for a flex."""
    g = d.contact_geom[c, side]
    if g < 0:
        return -1
    return m.geom_bodyid[g]


@kernel
def contact_force(m, d, result, c):
    """Set result[0] to force, then torque, of contact c on its second geom, in the contact frame (mj_contactForce)."""
    wrench = contact_wrench(m, d, c)
    result[0] = spatial(wrench.linear, wrench.angular)


@kernel
def contact_wrench(m, d, c):
    """Return the force and torque of contact c on its second geom, in the contact frame."""
    force = local(real, 6)
    for k in range(6):
        force[k] = 0.0
    row = d.contact_efc_address[c]
    if row >= 0:
        dim = d.contact_dim[c]
        if d.efc_type[row] == mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL:
            mu = local(real, 5)
            put(mu, 0, d.contact_friction[c])
            decode_pyramid(force, d.efc_force, row, mu, dim - 1)
        else:
            for k in range(dim):
                force[k] = d.efc_force[row + k]
        # the force of an adhesive contact is relative to the force at which it breaks
        force[0] = force[0] - d.contact_adhesion[c]
    return spatial(load(vec3, force, 3), load(vec3, force, 0))


@kernel
def encode_pyramid(edges, force, mu, count):
    """Compute the forces along the edges of a friction pyramid from contact forces (mju_encodePyramid).

    Tangential forces are limited by the normal force. See `decode_pyramid`.
    """
    share = force[0] / count
    for k in range(count):
        sideways = minimum(share, force[k + 1] / mu[k])
        edges[2 * k] = 0.5 * (share + sideways)
        edges[2 * k + 1] = 0.5 * (share - sideways)


@kernel
def decode_pyramid(force, edges, first, mu, count):
    """Compute the normal force and `count` tangential forces of friction pyramid edges (mju_decodePyramid).

    The edge forces start at edges[first]. An edge is a unit normal force plus or minus a tangent times its friction
    coefficient, an element of `mu`.
    """
    normal = 0.0
    for k in range(count):
        plus = edges[first + 2 * k]
        minus = edges[first + 2 * k + 1]
        normal = normal + plus + minus
        force[k + 1] = (plus - minus) * mu[k]
    force[0] = normal
