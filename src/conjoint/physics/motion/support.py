"""Quantities of single points and bodies that several stages use: velocities, accelerations, Jacobians, forces."""

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
    """Return True if MuJoCo's constraint Jacobian is compressed, which affects the set of rows."""
    return compresses(m.opt.jacobian, m.nv)


@kernel
def has_limits(m, j):
    """Return True if joint j has limits; free joints have none."""
    return m.jnt_limited[j] != 0 and m.jnt_type[j] != mjtJoint.mjJNT_FREE


@formula("vec3", "spatial", "vec3", exact=True)
def velocity_of(motion, arm):
    """Return the linear velocity of a com-based motion at the point at `arm` from the reference point."""
    # angular x arm, rounded after every product. A dof whose axis meets the normal of a contact has an entry of exactly
    # zero, and the stiffest contacts would notice a rounding error instead
    ax, ay, az, x, y, z = motion
    return (x + (ay * arm[2] - az * arm[1]), y + (az * arm[0] - ax * arm[2]), z + (ax * arm[1] - ay * arm[0]))


@kernel
def tree_arm(m, d, body, point):
    """Return the vector from the reference point of a body's com-based vectors to a point."""
    return point - d.subtree_com[m.body_rootid[body]]


@kernel
def velocity_at(m, d, body, point):
    """Return the velocity of the point of a body that is now at `point`, in global axes (mj_objectVelocity)."""
    v = d.cvel[body]
    return spatial(v.angular, velocity_of(v, tree_arm(m, d, body, point)))


@kernel
def body_velocity(m, d, body):
    """Return the velocity of a body at its center of mass, in global axes."""
    return velocity_at(m, d, body, d.xipos[body])


@kernel
def acceleration_at(m, d, body, point):
    """Return the acceleration, minus gravity, of a body's point at `point`, in global axes (mj_objectAcceleration)."""
    a = d.cacc[body]
    v = velocity_at(m, d, body, point)
    # com-based accelerations are of the point fixed in space: add the motion of the body's point through it
    return spatial(a.angular, velocity_of(a, tree_arm(m, d, body, point)) + cross(v.angular, v.linear))


@kernel
def quat_at(d, q):
    """Return the quaternion at qpos[q], normalized."""
    return normalize_quat(load(quat, d.qpos, q))


@kernel
def object_pose(m, d, kind, i):
    """Return the body of object i of a type (mjtObj), the object's position, and its orientation as a matrix.

    Objects are a body's frame (xbody) or inertial frame (body), a geom, a site, a camera.
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
    """Orientation of object i as a quaternion."""
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
    """Set result[0] to the acceleration of object i, minus gravity; as `object_velocity` (mj_objectAcceleration)."""
    body, position, axes = object_pose(m, d, kind, i)
    result[0] = in_axes(acceleration_at(m, d, body, position), axes, own_axes)


@kernel
def in_axes(v, frame, own_axes):
    """Return a spatial vector, with both halves in the axes of a frame if `own_axes`."""
    if own_axes:
        return spatial(frame.T @ v.angular, frame.T @ v.linear)
    return v


@kernel
def com_wrench(m, d, body, force, torque, point):
    """Return a force and torque at a point as a com-based spatial force on a body."""
    return spatial(torque + cross(tree_arm(m, d, body, point), force), force)


@kernel
def apply_force(m, d, qfrc, force, torque, point, body):
    """Add the generalized force of a force and torque on a body at a point to a field of nv reals (mj_applyFT)."""
    wrench = com_wrench(m, d, body, force, torque, point)
    i = last_dof(m, body)
    while i >= 0:
        qfrc[i] = qfrc[i] + dot6(d.cdof[i], wrench)
        i = m.dof_parentid[i]


@kernel
def applied_wrench(m, d, b):
    """Return the com-based wrench of `xfrc_applied`, force first, at the center of mass of body b."""
    applied = d.xfrc_applied[b]
    return com_wrench(m, d, b, applied.angular, applied.linear, d.xipos[b])


@kernel
def project_body_wrenches(m, d, qfrc):
    """Add J' w of the com-based forces `body_wrench` of all bodies to qfrc; leaves subtree sums in `body_wrench`."""
    shared(project_wrenches_of_share, m, d, m.nshare, qfrc, True)


@kernel
def project_wrenches_of_share(m, d, s, qfrc, chosen):
    """Run `project_body_wrenches` for share s of the world, in the chosen worlds."""
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
    """Return force and torque of contact c on its second geom, in the contact frame."""
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
        # the force of an adhesive contact counts from the force at which it breaks
        force[0] = force[0] - d.contact_adhesion[c]
    return spatial(load(vec3, force, 3), load(vec3, force, 0))


@kernel
def encode_pyramid(edges, force, mu, count):
    """Compute forces along the edges of a friction pyramid, with tangential forces limited by the normal force.

    (mju_encodePyramid; see `decode_pyramid`)
    """
    share = force[0] / count
    for k in range(count):
        sideways = minimum(share, force[k + 1] / mu[k])
        edges[2 * k] = 0.5 * (share + sideways)
        edges[2 * k + 1] = 0.5 * (share - sideways)


@kernel
def decode_pyramid(force, edges, first, mu, count):
    """Normal and `count` tangential forces of the edges of a friction pyramid from `first` on (mju_decodePyramid).

    An edge is a unit of normal force plus or minus friction, an element of `mu`, times a tangent.
    """
    normal = 0.0
    for k in range(count):
        plus = edges[first + 2 * k]
        minus = edges[first + 2 * k + 1]
        normal = normal + plus + minus
        force[k + 1] = (plus - minus) * mu[k]
    force[0] = normal
