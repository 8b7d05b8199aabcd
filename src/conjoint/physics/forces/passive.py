"""Passive forces: springs, dampers, gravity compensation (stage 15)."""

from conjoint.lang import kernel, load, quat, shared, sub_quat, vec3, where
from conjoint.physics.motion.support import com_wrench, project_body_wrenches, quat_at
from conjoint.physics.passive_flags import acts, has_dampers, has_passive, has_springs
from conjoint.physics.tendon.paths import apply_tendon_force
from conjoint.schema.enums import mjtDisableBit, mjtJoint


@kernel
def spring_dampers(m, d):
    """qfrc_spring and qfrc_damper of joints and tendons: the first part of mj_passive."""
    shared(springs_of_share, m, d, m.nshare)
    if not has_passive(m):
        return
    for t in range(m.ntendon):
        tendon_spring_damper(m, d, t)


@kernel
def springs_of_share(m, d, s):
    """qfrc_spring and qfrc_damper of the joints of share s of the world; no other passive forces."""
    first = m.share_dof[s]
    end = m.share_dof[s + 1]
    for i in range(first, end):
        d.qfrc_spring[i] = 0.0
        d.qfrc_damper[i] = 0.0
        d.qfrc_gravcomp[i] = 0.0
        d.qfrc_fluid[i] = 0.0
        d.qfrc_passive[i] = 0.0
    if not has_passive(m):
        return
    if has_springs(m):
        for j in range(m.share_joint[s], m.share_joint[s + 1]):
            if acts(m.jnt_stiffness[j]):
                joint_spring(m, d, j)
    if has_dampers(m):
        for i in range(first, end):
            d.qfrc_damper[i] = d.qvel[i] * (-m.dof_damping[i])


@kernel
def sum_passive(m, d):
    """qfrc_gravcomp, and qfrc_passive, the sum of passive forces but those of the medium."""
    if not has_passive(m):
        return
    shared(sum_share, m, d, m.nshare)
    if m.ngravcomp > 0 and (m.opt.disableflags & mjtDisableBit.mjDSBL_GRAVITY) == 0:
        gravity_compensation(m, d)
        add_passive_compensation(m, d)


@kernel
def sum_share(m, d, s):
    """qfrc_passive of share s of the world, springs and dampers."""
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        d.qfrc_passive[i] = d.qfrc_spring[i] + d.qfrc_damper[i]


@kernel
def joint_spring(m, d, j):
    """Spring of joint j, about its position in qpos_spring."""
    i = m.jnt_dofadr[j]
    q = m.jnt_qposadr[j]
    k = m.jnt_stiffness[j]
    kind = m.jnt_type[j]
    if kind == mjtJoint.mjJNT_SLIDE or kind == mjtJoint.mjJNT_HINGE:
        d.qfrc_spring[i] = (d.qpos[q] - m.qpos_spring[q]) * (-k)
    else:
        if kind == mjtJoint.mjJNT_FREE:
            for c in range(3):
                d.qfrc_spring[i + c] = (d.qpos[q + c] - m.qpos_spring[q + c]) * (-k)
            i += 3
            q += 3
        turn = ball_displacement(m, d, q)
        d.qfrc_spring[i] = turn.x * (-k)
        d.qfrc_spring[i + 1] = turn.y * (-k)
        d.qfrc_spring[i + 2] = turn.z * (-k)


@kernel
def ball_displacement(m, d, q):
    """Rotation vector from the spring's rest to the quaternion at qpos[q]."""
    return sub_quat(quat_at(d, q), load(quat, m.qpos_spring, q))


@kernel
def tendon_displacement(m, d, t):
    """Length of tendon t beyond its dead band: positive above it, negative below, zero inside."""
    length = d.ten_length[t]
    low = m.tendon_lengthspring[t, 0]
    high = m.tendon_lengthspring[t, 1]
    return where(length > high, length - high, where(length < low, length - low, 0.0))


@kernel
def tendon_spring_damper(m, d, t):
    """Spring and damper along tendon t, as joint forces."""
    if has_springs(m) and acts(m.tendon_stiffness[t]):
        apply_tendon_force(m, d, t, tendon_displacement(m, d, t) * (-m.tendon_stiffness[t]), d.qfrc_spring)
    if has_dampers(m) and acts(m.tendon_damping[t]):
        apply_tendon_force(m, d, t, d.ten_velocity[t] * (-m.tendon_damping[t]), d.qfrc_damper)


@kernel
def gravity_compensation(m, d):
    """qfrc_gravcomp: forces against gravity at the centers of mass of bodies, in the shares that they ask for."""
    none = vec3(0.0, 0.0, 0.0)
    for b in range(m.nbody):
        lift = m.opt.gravity * (-m.body_mass[b] * m.body_gravcomp[b])
        d.body_wrench[b] = com_wrench(m, d, b, lift, none, d.xipos[b])
    project_body_wrenches(m, d, d.qfrc_gravcomp, True)


@kernel
def add_passive_compensation(m, d):
    """Compensation is passive, except on joints whose actuators provide it."""
    for i in range(m.nv):
        if not m.jnt_actgravcomp[m.dof_jntid[i]]:
            d.qfrc_passive[i] = d.qfrc_passive[i] + d.qfrc_gravcomp[i]
