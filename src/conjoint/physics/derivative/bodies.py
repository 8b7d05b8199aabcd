"""Derivatives of fluid forces and bias forces on bodies with respect to velocities (qDeriv).

The derivative of the force on a body with respect to its own velocity is a com-based matrix of four blocks. Consider
two dofs, one an ancestor of the other. The derivative of the force on one with respect to the velocity of the other is
the sum of these matrices over the subtree of the lower dof, projected on their motion axes. Its computation takes two
passes over the tree, as for the inertia matrix. For bias forces, the matrices are twice the body-level Coriolis
matrices of Echeandia and Wensing (Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems, 2021). In addition, the velocity of every dof changes the bias acceleration of all bodies that it
moves.
"""

from conjoint.lang import cross_motion, dot6, kernel, mat3, mul_inertia, spatial, vec3
from conjoint.physics.derivative.standalone import moves_alone
from conjoint.physics.fluid.ellipsoid import INTERACTION
from conjoint.physics.fluid.forces import has_ellipsoids, relative_velocity
from conjoint.physics.fluid.slopes import Slopes, box_slopes, ellipsoid_slopes, ellipsoid_slopes_from_rest
from conjoint.physics.geometry.matrix import skew
from conjoint.physics.motion.support import tree_arm
from conjoint.physics.passive_flags import has_passive
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtIntegrator, mjtJoint


@kernel
def clear_slopes(m, d):
    """Set the derivative blocks of all bodies to zero."""
    zero = mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for b in range(m.nbody):
        d.slope_torque_spin[b] = zero
        d.slope_torque_velocity[b] = zero
        d.slope_force_spin[b] = zero
        d.slope_force_velocity[b] = zero


@kernel
def fluid_slopes(m, d):
    """Add the derivatives of fluid forces to the blocks of all bodies."""
    add_medium(m, d, ellipsoid_slopes)


@kernel
def moving_fluid_slopes(m, d):
    """Add the derivatives of fluid forces to the blocks of all bodies, in dual numbers."""
    add_medium(m, d, ellipsoid_slopes_from_rest)


@kernel
def add_medium(m, d, of_ellipsoid):
    """Add the derivatives of fluid forces; the kernel `of_ellipsoid` returns them for one ellipsoid."""
    if not has_passive(m):
        return
    for b in range(1, m.nbody):
        if m.body_mass[b] >= mjMINVAL:
            if not has_ellipsoids(m, b):
                v = relative_velocity(m, d, b, d.xipos[b], d.ximat[b])
                slopes = in_world(m, b, d.ximat[b], box_slopes(m, b, v.angular, v.linear))
                add_slopes(m, d, b, d.xipos[b], slopes)
            else:
                for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
                    if m.geom_fluid[g, INTERACTION] != 0.0:
                        v = relative_velocity(m, d, b, d.geom_xpos[g], d.geom_xmat[g])
                        slopes = in_world(m, b, d.geom_xmat[g], of_ellipsoid(m, g, v.angular, v.linear))
                        add_slopes(m, d, b, d.geom_xpos[g], slopes)


@kernel
def in_world(m, b, frame, slopes):
    """Rotate derivative blocks from a frame of body b to the world axes.

    The integrator implicitfast uses their symmetric part, except for standalone free bodies.
    """
    torque_w, torque_v, force_w, force_v = slopes.torque_w, slopes.torque_v, slopes.force_w, slopes.force_v
    if m.opt.integrator == mjtIntegrator.mjINT_IMPLICITFAST and not moves_alone(m, b):
        torque_w = (torque_w + torque_w.T) * 0.5
        force_v = (force_v + force_v.T) * 0.5
        torque_v = (torque_v + force_w.T) * 0.5
        force_w = torque_v.T
    back = frame.T
    return Slopes(frame @ torque_w @ back, frame @ torque_v @ back, frame @ force_w @ back, frame @ force_v @ back)


@kernel
def add_slopes(m, d, b, position, slopes):
    """Add derivative blocks at a position to the com-based blocks of body b."""
    # shift both the velocity and the force from the position to the reference point
    arm = skew(tree_arm(m, d, b, position))
    force_v = slopes.force_v
    force_w = slopes.force_w - force_v @ arm
    torque_w = slopes.torque_w - slopes.torque_v @ arm + arm @ force_w
    torque_v = slopes.torque_v + arm @ force_v
    d.slope_torque_spin[b] = d.slope_torque_spin[b] + torque_w
    d.slope_torque_velocity[b] = d.slope_torque_velocity[b] + torque_v
    d.slope_force_spin[b] = d.slope_force_spin[b] + force_w
    d.slope_force_velocity[b] = d.slope_force_velocity[b] + force_v


@kernel
def bias_slopes(m, d):
    """Subtract the Coriolis matrices of all bodies from their blocks, and compute dof_swing.

    The field dof_swing is the derivative of the bias acceleration with respect to the velocity of each dof.
    """
    for b in range(1, m.nbody):
        inertia = d.cinert[b]
        v = d.cvel[b]
        xx, yy, zz, xy, xz, yz = inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]
        # twice the inertia matrix minus its trace on the diagonal
        moments = mat3(
            xx - yy - zz, 2.0 * xy, 2.0 * xz, 2.0 * xy, yy - xx - zz, 2.0 * yz, 2.0 * xz, 2.0 * yz, zz - xx - yy
        )
        offset = vec3(inertia[6], inertia[7], inertia[8])
        momentum = mul_inertia(inertia, v).linear
        turning = skew(v.angular) @ moments - skew(offset) @ skew(v.linear) * 2.0
        d.slope_torque_spin[b] = d.slope_torque_spin[b] - turning
        d.slope_force_spin[b] = d.slope_force_spin[b] + skew(momentum) * 2.0
        swing_of_dofs(m, d, b)


@kernel
def swing_of_dofs(m, d, b):
    """Compute dof_swing of the dofs of body b: cdof_dot plus the rotation of the motion axis by the dof's own joint."""
    v = d.cvel[m.body_parentid[b]]
    i = m.body_dofadr[b]
    for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
        kind = m.jnt_type[j]
        if kind == mjtJoint.mjJNT_SLIDE or kind == mjtJoint.mjJNT_HINGE:
            v = swing(d, i, 1, v)
            i += 1
        else:
            if kind == mjtJoint.mjJNT_FREE:
                v = swing(d, i, 3, v)
                i += 3
            v = swing(d, i, 3, v)
            i += 3


@kernel
def swing(d, first, count, v):
    """Set dof_swing of `count` dofs that move together; v is the motion due to all preceding dofs.

    Return the motion that includes these dofs.
    """
    for i in range(first, first + count):
        v = v + d.cdof[i] * d.qvel[i]
    for i in range(first, first + count):
        d.dof_swing[i] = d.cdof_dot[i] + cross_motion(v, d.cdof[i])
    return v


@kernel
def project_slopes(m, d):
    """Add J' B J to qDeriv for the blocks B of all bodies, and replace the blocks with their sums over subtrees."""
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.slope_torque_spin[p] = d.slope_torque_spin[p] + d.slope_torque_spin[b]
            d.slope_torque_velocity[p] = d.slope_torque_velocity[p] + d.slope_torque_velocity[b]
            d.slope_force_spin[p] = d.slope_force_spin[p] + d.slope_force_spin[b]
            d.slope_force_velocity[p] = d.slope_force_velocity[p] + d.slope_force_velocity[b]
    for i in range(m.nv):
        slopes_of_dof(m, d, i)


@kernel
def slopes_of_dof(m, d, i):
    """Add the elements of qDeriv that couple dof i with itself and, in both directions, with its ancestors."""
    b = m.dof_bodyid[i]
    axis = d.cdof[i]
    torque_w = d.slope_torque_spin[b]
    torque_v = d.slope_torque_velocity[b]
    force_w = d.slope_force_spin[b]
    force_v = d.slope_force_velocity[b]
    # change in the force of the subtree due to dof i, and change in the force along dof i due to other dofs
    force = spatial(torque_w @ axis.angular + torque_v @ axis.linear, force_w @ axis.angular + force_v @ axis.linear)
    felt = spatial(
        torque_w.T @ axis.angular + force_w.T @ axis.linear, torque_v.T @ axis.angular + force_v.T @ axis.linear
    )
    momentum = mul_inertia(d.crb[b], axis)
    gyroscopic = m.opt.integrator == mjtIntegrator.mjINT_IMPLICIT
    if gyroscopic:
        force = force - mul_inertia(d.crb[b], d.dof_swing[i])
    diagonal = m.D_rowadr[i] + m.D_diag[i]
    for a in range(m.D_rowadr[i], diagonal):
        j = m.D_colind[a]
        s = dot6(felt, d.cdof[j])
        if gyroscopic:
            s = s - dot6(momentum, d.dof_swing[j])
        d.qDeriv[a] = d.qDeriv[a] + s
        # the descendants of dof j directly follow it
        across = m.D_rowadr[j] + m.D_diag[j] + i - j
        d.qDeriv[across] = d.qDeriv[across] + dot6(d.cdof[j], force)
    d.qDeriv[diagonal] = d.qDeriv[diagonal] + dot6(axis, force)
