"""Constants of the initial configuration: poses of cameras and lights, and constraint references (mj_setConst)."""

from conjoint.lang import conj_quat, kernel, load, mul_quat, normalize_quat, put, quat, vec3
from conjoint.physics.motion.kinematics import mounted_position, mounted_rotation
from conjoint.schema.enums import mjtEq, mjtObj


@kernel(writes_model=True)
def view_constants(m, d):
    """Store the offsets of cameras and lights from their body and from a subtree's center of mass, in world axes."""
    for c in range(m.ncam):
        b = m.cam_bodyid[c]
        pos = mounted_position(d, b, m.cam_pos[c])
        m.cam_pos0[c] = pos - d.xpos[b]
        m.cam_poscom0[c] = pos - d.subtree_com[aim(m.cam_targetbodyid[c], b)]
        m.cam_mat0[c] = mounted_rotation(d, b, m.cam_quat[c])
    for i in range(m.nlight):
        b = m.light_bodyid[i]
        pos = mounted_position(d, b, m.light_pos[i])
        m.light_pos0[i] = pos - d.xpos[b]
        m.light_poscom0[i] = pos - d.subtree_com[aim(m.light_targetbodyid[i], b)]
        m.light_dir0[i] = d.xmat[b] @ m.light_dir[i]


@kernel
def aim(target, body):
    """Return the body whose subtree center of mass is the reference point for a camera or light offset.

    It is the target body if there is one, else `body`, as in MuJoCo.
    """
    if target >= 0:
        return target
    return body


@kernel(writes_model=True)
def equality_constants(m, d):
    """Set the reference poses of connects and welds of bodies from the current poses.

    Reference poses that the model specifies are not changed.
    """
    for e in range(m.neq):
        if m.eq_objtype[e] == mjtObj.mjOBJ_BODY:
            a = m.eq_obj1id[e]
            b = m.eq_obj2id[e]
            if m.eq_type[e] == mjtEq.mjEQ_CONNECT:
                # the anchor in the first body, expressed in the frame of the second
                anchor_constant(m, d, e, a, b)
            elif m.eq_type[e] == mjtEq.mjEQ_WELD:
                rotation = load(quat, m.eq_data, (e, 6))
                if rotation[0] == 0.0 and rotation[1] == 0.0 and rotation[2] == 0.0 and rotation[3] == 0.0:
                    # the anchor in the second body, expressed in the frame of the first, and the rotation between them
                    anchor_constant(m, d, e, b, a)
                    rotation = mul_quat(conj_quat(d.xquat[a]), d.xquat[b])
                else:
                    rotation = normalize_quat(rotation)
                put(m.eq_data, (e, 6), rotation)


@kernel(writes_model=True)
def anchor_constant(m, d, e, body, other):
    """Set the second anchor of equality e, in the frame of `other`, to the position of the first, a point of `body`."""
    local = load(vec3, m.eq_data, (e, 0))
    put(m.eq_data, (e, 3), d.xmat[other].T @ (mounted_position(d, body, local) - d.xpos[other]))
