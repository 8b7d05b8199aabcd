"""Bias forces and spatial forces between bodies by the recursive Newton-Euler algorithm (stages 18 and 22).

Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5. Gravity is modeled as an upward acceleration of the world.
"""

from conjoint.lang import cross_force, dot6, kernel, mul_inertia, shared, spatial, vec3
from conjoint.physics.motion.support import applied_wrench
from conjoint.physics.motors import dof_inertia, tendon_inertia
from conjoint.schema.enums import mjtDisableBit


@kernel
def rne(m, d):
    """Compute qfrc_bias: Coriolis, centrifugal and gravitational forces (mj_rne)."""
    rne_bias(m, d, d.qfrc_bias)


@kernel
def rne_bias(m, d, result):
    """Set result to the nv generalized forces that produce zero qacc (mj_rne without acceleration)."""
    world_acceleration(m, d, d.rne_acc)
    shared(forces_of_share, m, d, m.nshare, result, swing)


@kernel
def rne_acceleration(m, d, result):
    """Set result to M qacc + qfrc_bias, without armatures (mj_rne with acceleration)."""
    world_acceleration(m, d, d.rne_acc)
    shared(forces_of_share, m, d, m.nshare, result, accelerate)


@kernel
def forces_of_share(m, d, s, result, acceleration_of):
    """Compute the generalized forces on the dofs in work share s, with body accelerations from `acceleration_of`."""
    for b in range(m.share_body[s], m.share_body[s + 1]):
        a = acceleration_of(m, d, b, d.rne_acc[m.body_parentid[b]])
        d.rne_acc[b] = a
        d.rne_frc[b] = body_force(d, b, a)
    project_forces(m, d, s, result)


@kernel
def world_acceleration(m, d, acceleration):
    """Set the acceleration of the world body to minus gravity."""
    none = vec3(0.0, 0.0, 0.0)
    if m.opt.disableflags & mjtDisableBit.mjDSBL_GRAVITY:
        acceleration[0] = spatial(none, none)
    else:
        acceleration[0] = spatial(none, none - m.opt.gravity)


@kernel
def swing(m, d, b, parent):
    """Return the acceleration of body b at zero qacc, given the acceleration of its parent."""
    a = parent
    first = m.body_dofadr[b]
    for i in range(first, first + m.body_dofnum[b]):
        a = a + d.cdof_dot[i] * d.qvel[i]
    return a


@kernel
def accelerate(m, d, b, parent):
    """Return the acceleration of body b with the current qacc, given the acceleration of its parent."""
    a = parent
    first = m.body_dofadr[b]
    for i in range(first, first + m.body_dofnum[b]):
        a = a + d.cdof_dot[i] * d.qvel[i] + d.cdof[i] * d.qacc[i]
    return a


@kernel
def body_force(d, b, a):
    """Return the spatial force that gives body b the acceleration a (Newton-Euler equation)."""
    v = d.cvel[b]
    inertia = d.cinert[b]
    return mul_inertia(inertia, a) + cross_force(v, mul_inertia(inertia, v))


@kernel
def project_forces(m, d, s, result):
    """Sum the forces on the bodies in work share s from leaves to roots, and project them on the motion axes."""
    for b in range(m.share_body[s + 1] - 1, m.share_body[s] - 1, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.rne_frc[p] = d.rne_frc[p] + d.rne_frc[b]
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        result[i] = dot6(d.cdof[i], d.rne_frc[m.dof_bodyid[i]])


@kernel
def inertial_forces(m, d, result, acceleration):
    """Set result to M times the accelerations of the dofs, by recursion over the bodies, without M itself.

    `acceleration` is a kernel (d, i) that returns the acceleration of dof i.
    """
    none = vec3(0.0, 0.0, 0.0)
    d.inertial_acc[0] = spatial(none, none)
    for b in range(1, m.nbody):
        a = d.inertial_acc[m.body_parentid[b]]
        first = m.body_dofadr[b]
        for i in range(first, first + m.body_dofnum[b]):
            a = a + d.cdof[i] * acceleration(d, i)
        d.inertial_acc[b] = a
        d.inertial_frc[b] = mul_inertia(d.cinert[b], a)
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.inertial_frc[p] = d.inertial_frc[p] + d.inertial_frc[b]
    for i in range(m.nv):
        inertia = dot6(d.cdof[i], d.inertial_frc[m.dof_bodyid[i]])
        result[i] = inertia + dof_inertia(m, i) * acceleration(d, i)
    for t in range(m.ntendon):
        add_tendon_inertia(m, d, t, tendon_inertia(m, t), result, acceleration)


@kernel
def add_tendon_inertia(m, d, t, armature, result, acceleration):
    """Add the product of J' armature J of a tendon and the dof accelerations to result.

    Only elements of this matrix whose two dofs are on the same branch are included (see `tendon_armature`).
    """
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t, k]
        arm = d.ten_J[t, i] * armature
        result[i] = result[i] + arm * d.ten_J[t, i] * acceleration(d, i)
        j = m.dof_parentid[i]
        while j >= 0:
            share = arm * d.ten_J[t, j]
            result[i] = result[i] + share * acceleration(d, j)
            result[j] = result[j] + share * acceleration(d, i)
            j = m.dof_parentid[j]


@kernel
def rne_post(m, d):
    """Compute cacc and cfrc_int from cfrc_ext, in the last stage of mj_rnePostConstraint."""
    world_acceleration(m, d, d.cacc)
    none = vec3(0.0, 0.0, 0.0)
    d.cfrc_int[0] = spatial(none, none)
    for b in range(1, m.nbody):
        a = accelerate(m, d, b, d.cacc[m.body_parentid[b]])
        d.cacc[b] = a
        d.cfrc_int[b] = body_force(d, b, a) - d.cfrc_ext[b]
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        d.cfrc_int[p] = d.cfrc_int[p] + d.cfrc_int[b]


@kernel
def external_forces(m, d):
    """Set cfrc_ext to the forces that the user applied to bodies, in the first stage of mj_rnePostConstraint."""
    none = vec3(0.0, 0.0, 0.0)
    d.cfrc_ext[0] = spatial(none, none)
    for b in range(1, m.nbody):
        d.cfrc_ext[b] = applied_wrench(m, d, b)
