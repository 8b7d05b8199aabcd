"""Quantities at the centres of mass of kinematic subtrees: positions, inertias, motion axes (stage 3).

Each kinematic tree has one reference point, the centre of mass of the whole tree; com-based spatial vectors of all its
bodies are expressed there, with axes parallel to the world, so that they can be added without transformation.
"""

from conjoint.lang import com_inertia, cross, inertia, kernel, maximum, spatial, vec3, where, x_axis, y_axis, z_axis
from conjoint.physics.support import tree_arm
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtJoint


@kernel
def com_pos(m, d):
    """Subtree centres of mass, body inertias and motion axes of all dofs (mj_comPos)."""
    subtree_centers(m, d)
    d.cinert[0] = inertia(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for b in range(1, m.nbody):
        offset = tree_arm(m, d, b, d.xipos[b])
        d.cinert[b] = com_inertia(d.ximat[b], m.body_inertia[b], offset, m.body_mass[b])
    for j in range(m.njnt):
        motion_axes(m, d, j)


@kernel
def subtree_centers(m, d):
    """Centre of mass of every body together with its descendants, whose masses may have changed since compilation."""
    for b in range(m.nbody):
        d.subtree_com[b] = vec3(0.0, 0.0, 0.0)
        d.subtree_mass[b] = 0.0
    for b in range(m.nbody - 1, -1, -1):
        # after its children, as officially: constants of the model show the last bit
        d.subtree_com[b] = d.subtree_com[b] + d.xipos[b] * m.body_mass[b]
        d.subtree_mass[b] = d.subtree_mass[b] + m.body_mass[b]
        if b > 0:
            p = m.body_parentid[b]
            d.subtree_com[p] = d.subtree_com[p] + d.subtree_com[b]
            d.subtree_mass[p] = d.subtree_mass[p] + d.subtree_mass[b]
    for b in range(m.nbody):
        mass = d.subtree_mass[b]
        centre = d.subtree_com[b] * (1.0 / maximum(mass, mjMINVAL))
        d.subtree_com[b] = where(mass < mjMINVAL, d.xipos[b], centre)


@kernel
def motion_axes(m, d, j):
    """com-based axes of the dofs of joint j: unit velocities they give to the body."""
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
            # rotations of free and ball joints: the body's axes
            rotation = d.xmat[b]
            x = x_axis(rotation)
            y = y_axis(rotation)
            z = z_axis(rotation)
            d.cdof[i] = spatial(x, cross(x, offset))
            d.cdof[i + 1] = spatial(y, cross(y, offset))
            d.cdof[i + 2] = spatial(z, cross(z, offset))
