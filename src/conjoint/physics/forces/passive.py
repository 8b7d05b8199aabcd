"""Passive forces: springs, dampers and gravity compensation (stage 15)."""

from conjoint.lang import kernel, shared, vec3
from conjoint.physics.forces.springs import is_spring, joint_spring, tendon_pull
from conjoint.physics.motion.support import com_wrench, project_body_wrenches
from conjoint.physics.motors import dof_resistance, tendon_resistance
from conjoint.physics.passive_flags import acts, has_dampers, has_passive, has_springs
from conjoint.physics.tendon.paths import apply_tendon_force
from conjoint.schema.enums import mjtDisableBit


@kernel
def spring_dampers(m, d):
    """Compute qfrc_spring and qfrc_damper of joints and tendons, in the first part of mj_passive."""
    shared(springs_of_share, m, d, m.nshare)
    for t in range(m.ntendon):
        if has_springs(m) and is_spring(m.tendon_stiffness, m.tendon_stiffnesspoly, t):
            apply_tendon_force(m, d, t, tendon_pull(m, d, t), d.qfrc_spring)
        if has_dampers(m):
            resisting = tendon_resistance(m, t, d.ten_velocity[t])
            if acts(resisting):
                apply_tendon_force(m, d, t, -resisting, d.qfrc_damper)


@kernel
def springs_of_share(m, d, s):
    """Compute qfrc_spring and qfrc_damper of the joints of work share s of the world.

    All other passive forces of the share become zero.
    """
    first = m.share_dof[s]
    end = m.share_dof[s + 1]
    for i in range(first, end):
        d.qfrc_spring[i] = 0.0
        d.qfrc_damper[i] = 0.0
        d.qfrc_gravcomp[i] = 0.0
        d.qfrc_fluid[i] = 0.0
        d.qfrc_passive[i] = 0.0
    if has_springs(m):
        for j in range(m.share_joint[s], m.share_joint[s + 1]):
            if is_spring(m.jnt_stiffness, m.jnt_stiffnesspoly, j):
                joint_spring(m, d, j)
    if has_dampers(m):
        for i in range(first, end):
            d.qfrc_damper[i] = -dof_resistance(m, i, d.qvel[i])


@kernel
def sum_passive(m, d):
    """Compute qfrc_gravcomp, and qfrc_passive, the sum of all passive forces except fluid forces."""
    if not has_passive(m):
        return
    shared(sum_share, m, d, m.nshare)
    if m.ngravcomp > 0 and (m.opt.disableflags & mjtDisableBit.mjDSBL_GRAVITY) == 0:
        gravity_compensation(m, d)
        add_passive_compensation(m, d)


@kernel
def sum_share(m, d, s):
    """Set qfrc_passive of work share s of the world to the sum of springs and dampers."""
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        d.qfrc_passive[i] = d.qfrc_spring[i] + d.qfrc_damper[i]


@kernel
def gravity_compensation(m, d):
    """Compute qfrc_gravcomp, the joint forces that compensate gravity, scaled by each body's gravcomp."""
    none = vec3(0.0, 0.0, 0.0)
    for b in range(m.nbody):
        lift = m.opt.gravity * (-m.body_mass[b] * m.body_gravcomp[b])
        d.body_wrench[b] = com_wrench(m, d, b, lift, none, d.xipos[b])
    project_body_wrenches(m, d, d.qfrc_gravcomp)


@kernel
def add_passive_compensation(m, d):
    """Add gravity compensation to qfrc_passive, except at joints whose actuators must provide it."""
    for i in range(m.nv):
        if not m.jnt_actgravcomp[m.dof_jntid[i]]:
            d.qfrc_passive[i] = d.qfrc_passive[i] + d.qfrc_gravcomp[i]
