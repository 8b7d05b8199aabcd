"""Quantities at the centers of mass of kinematic subtrees: positions, inertias and motion axes (stage 3).

Each kinematic tree has one reference point, the center of mass of the whole tree. Com-based spatial vectors of all its
bodies are expressed there, with axes parallel to the world, so that they can be added without transformation.
"""

from conjoint.lang import com_inertia, cross, inertia, kernel, maximum, shared, spatial, vec3, where
from conjoint.physics.motion.support import tree_arm
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtJoint


@kernel
def com_pos(m, d):
    """Compute subtree centers of mass, com-based body inertias, and motion axes of all dofs (mj_comPos)."""
    gather(m, d)
    whole_center(m, d, gathered_moment)
    refer(m, d)


@kernel
def gather(m, d):
    """Compute the mass of each subtree, and its center of mass times this mass."""
    shared(gather_share, m, d, m.nshare)


@kernel
def gathered_moment(m, d, b):
    """Return the center of mass of the subtree of body b times its mass; `gather` must have run."""
    return d.subtree_com[b]


@kernel
def refer(m, d):
    """Compute subtree centers of mass, com-based body inertias, and motion axes, after `gather`."""
    shared(refer_share, m, d, m.nshare)


@kernel
def refer_share(m, d, s):
    """Compute the results of `refer` for work share s of the world, after `gather_share`."""
    for b in range(m.share_body[s], m.share_body[s + 1]):
        finish_centre(m, d, b)
    for b in range(m.share_body[s], m.share_body[s + 1]):
        offset = tree_arm(m, d, b, d.xipos[b])
        d.cinert[b] = com_inertia(d.ximat[b], m.body_inertia[b], offset, m.body_mass[b])
    for j in range(m.share_joint[s], m.share_joint[s + 1]):
        motion_axes(m, d, j)


@kernel
def gather_share(m, d, s):
    """Compute subtree masses of work share s of the world from body masses, which may change after compilation.

    `subtree_com` receives the subtree centers of mass times these masses.
    """
    first = m.share_body[s]
    end = m.share_body[s + 1]
    for b in range(first, end):
        d.subtree_com[b] = vec3(0.0, 0.0, 0.0)
        d.subtree_mass[b] = 0.0
    for b in range(end - 1, first - 1, -1):
        # add the body after its children, as in MuJoCo, because model constants depend on the last bit
        d.subtree_com[b] = d.subtree_com[b] + d.xipos[b] * m.body_mass[b]
        d.subtree_mass[b] = d.subtree_mass[b] + m.body_mass[b]
        p = m.body_parentid[b]
        if p > 0:
            d.subtree_com[p] = d.subtree_com[p] + d.subtree_com[b]
            d.subtree_mass[p] = d.subtree_mass[p] + d.subtree_mass[b]


@kernel
def whole_center(m, d, moment_of):
    """Compute the center of mass of the whole world.

    `moment_of` is a kernel that returns the center of mass of the subtree of a child of the world, times its mass.
    """
    centre = vec3(0.0, 0.0, 0.0)
    mass = 0.0
    for b in range(m.nbody - 1, 0, -1):
        if m.body_parentid[b] == 0:
            centre = centre + moment_of(m, d, b)
            mass = mass + d.subtree_mass[b]
    d.subtree_com[0] = centre + d.xipos[0] * m.body_mass[0]
    d.subtree_mass[0] = mass + m.body_mass[0]
    finish_centre(m, d, 0)
    d.cinert[0] = inertia(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def finish_centre(m, d, b):
    """Compute subtree_com of body b from its mass and the center of mass times mass."""
    mass = d.subtree_mass[b]
    centre = d.subtree_com[b] * (1.0 / maximum(mass, mjMINVAL))
    d.subtree_com[b] = where(mass < mjMINVAL, d.xipos[b], centre)


@kernel
def motion_axes(m, d, j):
    """Compute the motion axes of joint j: the com-based velocity of its body at unit velocity of each dof."""
    b = m.jnt_bodyid[j]
    i = m.jnt_dofadr[j]
    kind = m.jnt_type[j]
    still = vec3(0.0, 0.0, 0.0)
    if kind == mjtJoint.mjJNT_SLIDE:
        d.cdof[i] = spatial(still, d.xaxis[j])
    else:
        # from the joint to the reference point
        offset = -tree_arm(m, d, b, d.xanchor[j])
        if kind == mjtJoint.mjJNT_HINGE:
            axis = d.xaxis[j]
            d.cdof[i] = spatial(axis, cross(axis, offset))
        else:
            if kind == mjtJoint.mjJNT_FREE:
                d.cdof[i] = spatial(still, vec3(1.0, 0.0, 0.0))
                d.cdof[i + 1] = spatial(still, vec3(0.0, 1.0, 0.0))
                d.cdof[i + 2] = spatial(still, vec3(0.0, 0.0, 1.0))
                i += 3
            # free and ball joints rotate about the axes of the body
            rotation = d.xmat[b]
            for k in range(3):
                axis = vec3(rotation[k], rotation[3 + k], rotation[6 + k])
                d.cdof[i + k] = spatial(axis, cross(axis, offset))
