"""Com-based velocities of bodies, rates of change of motion axes, and momenta of subtrees (stages 13, 14, 16)."""

from conjoint.lang import cross, cross_motion, kernel, maximum, shared, spatial, vec3
from conjoint.physics.motion.support import body_velocity
from conjoint.physics.tendon.paths import tendon_velocity
from conjoint.physics.transmission.joints import actuator_velocity
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtJoint


@kernel
def transmission_velocity(m, d):
    """Compute tendon and actuator velocities, in the first part of mj_fwdVelocity."""
    if m.ntendon > 0:
        tendon_velocity(m, d)
    actuator_velocity(m, d)


@kernel
def com_vel(m, d):
    """Compute the body velocities cvel and the rates of change cdof_dot of motion axes (mj_comVel)."""
    d.cvel[0] = spatial(vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0))
    shared(velocities_of_share, m, d, m.nshare)


@kernel
def velocities_of_share(m, d, s):
    """Compute cvel of the bodies and cdof_dot of the dofs of work share s of the world."""
    rest = spatial(vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0))
    for b in range(m.share_body[s], m.share_body[s + 1]):
        v = d.cvel[m.body_parentid[b]]
        first = m.body_jntadr[b]
        i = m.body_dofadr[b]
        for j in range(first, first + m.body_jntnum[b]):
            kind = m.jnt_type[j]
            if kind == mjtJoint.mjJNT_SLIDE or kind == mjtJoint.mjJNT_HINGE:
                axis = d.cdof[i]
                d.cdof_dot[i] = cross_motion(v, axis)
                v = v + axis * d.qvel[i]
                i += 1
            else:
                if kind == mjtJoint.mjJNT_FREE:
                    # translations of a free joint are along fixed axes
                    for k in range(3):
                        d.cdof_dot[i + k] = rest
                        v = v + d.cdof[i + k] * d.qvel[i + k]
                    i += 3
                # the three rotations share one frame: all of them use the velocity before the joint
                for k in range(3):
                    d.cdof_dot[i + k] = cross_motion(v, d.cdof[i + k])
                for k in range(3):
                    v = v + d.cdof[i + k] * d.qvel[i + k]
                i += 3
        d.cvel[b] = v


@kernel
def subtree_vel(m, d):
    """Compute the velocity of each subtree's center of mass, and its angular momentum about it (mj_subtreeVel)."""
    # momenta of single bodies
    for b in range(m.nbody):
        v = body_velocity(m, d, b)
        rotation = d.ximat[b]
        spin = rotation.T @ v.angular
        moments = m.body_inertia[b]
        d.subtree_linvel[b] = v.linear * m.body_mass[b]
        d.subtree_angmom[b] = rotation @ vec3(moments.x * spin.x, moments.y * spin.y, moments.z * spin.z)
    # linear velocity: sum of momenta, divided by mass
    for b in range(m.nbody - 1, -1, -1):
        if b > 0:
            p = m.body_parentid[b]
            d.subtree_linvel[p] = d.subtree_linvel[p] + d.subtree_linvel[b]
        d.subtree_linvel[b] = d.subtree_linvel[b] * (1.0 / maximum(m.body_subtreemass[b], mjMINVAL))
    # angular momentum: refer each body, then each subtree, to the center of mass of its parent; the world has no mass
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        v = body_velocity(m, d, b)
        own = cross(d.xipos[b] - d.subtree_com[b], (v.linear - d.subtree_linvel[b]) * m.body_mass[b])
        whole = d.subtree_angmom[b] + own
        d.subtree_angmom[b] = whole
        relative = (d.subtree_linvel[b] - d.subtree_linvel[p]) * m.body_subtreemass[b]
        d.subtree_angmom[p] = d.subtree_angmom[p] + whole + cross(d.subtree_com[b] - d.subtree_com[p], relative)
