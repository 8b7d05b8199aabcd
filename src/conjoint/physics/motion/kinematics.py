"""Forward kinematics: poses of bodies, joints, geoms, sites, cameras and lights (Computation chapter, stage 2)."""

from conjoint.lang import (
    STRIP,
    cross,
    formula,
    kernel,
    load,
    mat3,
    mat_from_rows,
    mul_mat_vec,
    mul_quat,
    normalize3,
    normalize_quat,
    put,
    quat,
    quat_to_mat,
    rotate,
    shared,
    sincos,
    strip,
    vec3,
)
from conjoint.physics.motion.support import quat_at
from conjoint.physics.pair_filter import count_below
from conjoint.schema.enums import mjtCamLight, mjtJoint, mjtSameFrame


@kernel
def kinematics(m, d):
    """Compute the poses of bodies, and of all elements fixed to them, from qpos (mj_kinematics)."""
    world_pose(d)
    shared(poses_of_share, m, d, m.nshare, geoms_of_share)


@kernel
def kinematics_but_static(m, d):
    """Compute the same poses as `kinematics`, except those of static geoms (mj_kinematics)."""
    world_pose(d)
    shared(poses_of_share, m, d, m.nshare, moving_geoms_of_share)


@kernel
def poses_of_share(m, d, s, geoms):
    """Compute the poses of the bodies in work share s of the world, and of everything fixed to them.

    The kernel `geoms` computes the poses of the geoms.
    """
    half_turns(m, d, m.share_joint[s], m.share_joint[s + 1])
    for b in range(m.share_body[s], m.share_body[s + 1]):
        body_pose(m, d, b)
    geoms(m, d, s)
    for k in range(m.share_site[s], m.share_site[s + 1]):
        b = m.site_bodyid[k]
        d.site_xpos[k] = attached_position(d, b, m.site_sameframe[k], m.site_pos[k])
        d.site_xmat[k] = attached_rotation(d, b, m.site_sameframe[k], m.site_quat[k])


@kernel
def geoms_of_share(m, d, s):
    """Compute the poses of the geoms of the bodies in work share s."""
    for g in range(m.share_geom[s], m.share_geom[s + 1]):
        geom_pose(m, d, g)


@kernel
def moving_geoms_of_share(m, d, s):
    """Compute the poses of the non-static geoms of the bodies in work share s."""
    for k in range(count_below(m.posed_geom, m.nposed, m.share_geom[s]), m.nposed):
        g = m.posed_geom[k]
        if g >= m.share_geom[s + 1]:
            break
        geom_pose(m, d, g)


@kernel
def geom_pose(m, d, g):
    """Compute the pose of geom g from the pose of its body."""
    b = m.geom_bodyid[g]
    d.geom_xpos[g] = attached_position(d, b, m.geom_sameframe[g], m.geom_pos[g])
    d.geom_xmat[g] = attached_rotation(d, b, m.geom_sameframe[g], m.geom_quat[g])


@kernel
def world_pose(d):
    """Set the fixed pose of the world body."""
    origin = vec3(0.0, 0.0, 0.0)
    upright = mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    d.xpos[0] = origin
    d.xipos[0] = origin
    d.xquat[0] = quat(1.0, 0.0, 0.0, 0.0)
    d.xmat[0] = upright
    d.ximat[0] = upright


@kernel
def half_turns(m, d, first, end):
    """Compute sines and cosines of half the hinge angles of dofs first .. end - 1, several dofs at a time.

    The last register may extend into the range of another work share, which writes the same numbers.
    """
    done = 0
    for j in range(first, end):
        a = m.jnt_qposadr[j]
        if m.jnt_type[j] == mjtJoint.mjJNT_HINGE and a >= done:
            s, c = sincos(0.5 * (strip(d.qpos, a) - strip(m.qpos0, a)))
            put(d.half_sin, a, s)
            put(d.half_cos, a, c)
            done = a + STRIP


@kernel
def body_pose(m, d, b):
    """Compute the poses of body b and its joints from the pose of its parent."""
    j = m.body_jntadr[b]
    if m.body_jntnum[b] == 1 and m.jnt_type[j] == mjtJoint.mjJNT_FREE:
        pos, q = free_pose(m, d, j)
    elif m.body_mocapid[b] >= 0:
        pos, q = mocap_pose(m, d, b)
    else:
        pos, q = jointed_pose(m, d, b)
    q = normalize_quat(q)
    rotation = quat_to_mat(q)
    d.xpos[b] = pos
    d.xquat[b] = q
    d.xmat[b] = rotation
    # inertial frame
    sameframe = m.body_sameframe[b]
    if sameframe == mjtSameFrame.mjSAMEFRAME_BODY:
        d.xipos[b] = pos
        d.ximat[b] = rotation
    elif sameframe == mjtSameFrame.mjSAMEFRAME_BODYROT:
        d.xipos[b] = pos + mul_mat_vec(rotation, m.body_ipos[b])
        d.ximat[b] = rotation
    else:
        d.xipos[b] = pos + mul_mat_vec(rotation, m.body_ipos[b])
        d.ximat[b] = quat_to_mat(mul_quat(q, m.body_iquat[b]))


@kernel
def free_pose(m, d, j):
    """Return the pose of a body with free joint j, which is given by the seven coordinates of the joint."""
    a = m.jnt_qposadr[j]
    pos = load(vec3, d.qpos, a)
    d.xanchor[j] = pos
    d.xaxis[j] = m.jnt_axis[j]
    return pos, quat_at(d, a + 3)


@kernel
def mocap_pose(m, d, b):
    """Return the global pose of mocap body b, which the user sets relative to its (static) parent."""
    p = m.body_parentid[b]
    k = m.body_mocapid[b]
    pos = d.xpos[p] + mul_mat_vec(d.xmat[p], d.mocap_pos[k])
    return pos, mul_quat(d.xquat[p], normalize_quat(d.mocap_quat[k]))


@kernel
def jointed_pose(m, d, b):
    """Return the pose of body b, obtained by applying its joints in order to its reference pose in the parent frame."""
    p = m.body_parentid[b]
    pos = d.xpos[p] + mul_mat_vec(d.xmat[p], m.body_pos[b])
    q = mul_quat(d.xquat[p], m.body_quat[b])
    first = m.body_jntadr[b]
    for j in range(first, first + m.body_jntnum[b]):
        a = m.jnt_qposadr[j]
        anchor = pos + rotate(q, m.jnt_pos[j])
        axis = rotate(q, m.jnt_axis[j])
        d.xanchor[j] = anchor
        d.xaxis[j] = axis
        if m.jnt_type[j] == mjtJoint.mjJNT_SLIDE:
            pos = slid(pos, axis, d.qpos[a] - m.qpos0[a])
        else:
            # rotate about the anchor
            if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
                turn = quat_at(d, a)
            else:
                axis = m.jnt_axis[j] * d.half_sin[a]
                turn = quat(d.half_cos[a], axis.x, axis.y, axis.z)
            q = mul_quat(q, turn)
            pos = anchor - rotate(q, m.jnt_pos[j])
    return pos, q


@kernel
def attached_position(d, b, sameframe, local):
    """Return the global position of a point fixed to body b; `sameframe` is the body frame with which it coincides."""
    if sameframe == mjtSameFrame.mjSAMEFRAME_BODY:
        return d.xpos[b]
    if sameframe == mjtSameFrame.mjSAMEFRAME_INERTIA:
        return d.xipos[b]
    return mounted_position(d, b, local)


@kernel
def write_attached(m, d, position, rotation, b, sameframe, local, turn):
    """Write the global position and rotation of a frame fixed to body b (mj_local2Global)."""
    position[0] = attached_position(d, b, sameframe, local)
    rotation[0] = attached_rotation(d, b, sameframe, turn)


@kernel
def attached_rotation(d, b, sameframe, local):
    """Return the global orientation of a frame fixed to body b."""
    if sameframe == mjtSameFrame.mjSAMEFRAME_BODY or sameframe == mjtSameFrame.mjSAMEFRAME_BODYROT:
        return d.xmat[b]
    if sameframe == mjtSameFrame.mjSAMEFRAME_INERTIA or sameframe == mjtSameFrame.mjSAMEFRAME_INERTIAROT:
        return d.ximat[b]
    return mounted_rotation(d, b, local)


@formula("vec3", "vec3", "vec3", "real", exact=True)
def slid(point, axis, distance):
    """Return a point moved by a distance along an axis."""
    return tuple(point[i] + axis[i] * distance for i in range(3))


@kernel
def mounted_position(d, b, local):
    """Return the global position of a point given in the frame of body b."""
    return d.xpos[b] + mul_mat_vec(d.xmat[b], local)


@kernel
def mounted_rotation(d, b, local):
    """Return the global rotation matrix of an orientation that is given as a quaternion in the frame of body b."""
    return quat_to_mat(mul_quat(d.xquat[b], local))


@kernel
def camlight(m, d):
    """Compute the poses of cameras and lights according to their modes (mj_camlight), after the centers of mass."""
    for c in range(m.ncam):
        camera_pose(m, d, c)
    for i in range(m.nlight):
        light_pose(m, d, i)


@kernel
def camera_pose(m, d, c):
    """Compute the position and orientation (columns: right, up, back) of camera c."""
    b = m.cam_bodyid[c]
    mode = m.cam_mode[c]
    target = m.cam_targetbodyid[c]
    pos = placed_by_mode(d, b, mode, m.cam_pos[c], m.cam_pos0[c], m.cam_poscom0[c])
    d.cam_xpos[c] = pos
    if mode == mjtCamLight.mjCAMLIGHT_TRACK or mode == mjtCamLight.mjCAMLIGHT_TRACKCOM:
        d.cam_xmat[c] = m.cam_mat0[c]
    elif mode == mjtCamLight.mjCAMLIGHT_FIXED or target < 0:
        d.cam_xmat[c] = mounted_rotation(d, b, m.cam_quat[c])
    else:
        # look at the target, with a level horizon; looking straight down, right is the world's x axis
        back = normalize3(pos - target_position(d, mode, target))
        right = normalize3(cross(vec3(0.0, 0.0, 1.0), back))
        d.cam_xmat[c] = mat_from_rows(right, normalize3(cross(back, right)), back).T


@kernel
def light_pose(m, d, i):
    """Compute the position and unit direction of light i."""
    b = m.light_bodyid[i]
    mode = m.light_mode[i]
    target = m.light_targetbodyid[i]
    pos = placed_by_mode(d, b, mode, m.light_pos[i], m.light_pos0[i], m.light_poscom0[i])
    d.light_xpos[i] = pos
    if mode == mjtCamLight.mjCAMLIGHT_TRACK or mode == mjtCamLight.mjCAMLIGHT_TRACKCOM:
        d.light_xdir[i] = normalize3(m.light_dir0[i])
    elif mode == mjtCamLight.mjCAMLIGHT_FIXED or target < 0:
        d.light_xdir[i] = normalize3(mul_mat_vec(d.xmat[b], m.light_dir[i]))
    else:
        d.light_xdir[i] = normalize3(target_position(d, mode, target) - pos)


@kernel
def placed_by_mode(d, b, mode, local, from_body, from_centre):
    """Return the position of a camera or light that is fixed to body b, or tracks it or its subtree's mass center."""
    if mode == mjtCamLight.mjCAMLIGHT_TRACK:
        return d.xpos[b] + from_body
    if mode == mjtCamLight.mjCAMLIGHT_TRACKCOM:
        return d.subtree_com[b] + from_centre
    return mounted_position(d, b, local)


@kernel
def target_position(d, mode, target):
    """Return the point at which a targeting camera or light is directed."""
    if mode == mjtCamLight.mjCAMLIGHT_TARGETBODY:
        return d.xpos[target]
    return d.subtree_com[target]
