"""Subtree masses, inertias and inverse inertias of dofs and bodies in the initial configuration (mj_setConst).

Constraints are scaled by inverse inertias (Computation chapter, "Constraint model", on the approximate diagonal
of the inverse inertia). The inverse of M is never formed. Instead, the responses of a body or joint to unit
forces are computed along the chain of dofs that move it.
"""

from conjoint.lang import dot6, kernel, mul_inertia, put, sqrt, tile, vec2
from conjoint.lang.language.tile import TILE
from conjoint.physics.constants.ordered import chain_products, list_chain, solve_chain
from conjoint.physics.inertia_matrix.composite import add_bodies
from conjoint.physics.motion.chains import first_of_tree, last_dof
from conjoint.physics.motion.support import tree_arm, velocity_of
from conjoint.physics.motors import dof_inertia
from conjoint.schema.constants import ONLY_SLIDES, mjMINVAL
from conjoint.schema.enums import mjtJoint


@kernel(writes_model=True)
def subtree_mass(m, d):
    """Set body_subtreemass, the total mass of every body and its descendants."""
    for b in range(m.nbody):
        m.body_subtreemass[b] = m.body_mass[b]
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        m.body_subtreemass[p] = m.body_subtreemass[p] + m.body_subtreemass[b]


@kernel(writes_model=True)
def reference_inertia(m, d):
    """Set dof_M0, the diagonal of the inertia matrix without tendon armatures."""
    add_bodies(m, d, 1, m.nbody)
    for i in range(m.nv):
        axis = d.cdof[i]
        m.dof_M0[i] = dof_inertia(m, i) + dot6(axis, mul_inertia(d.crb[m.dof_bodyid[i]], axis))


@kernel(writes_model=True)
def inverse_weights(m, d):
    """Compute dof_invweight0 and body_invweight0, after mj_factorM."""
    for i in range(m.nv):
        mark_singular(m, d, i)
    for j in range(m.njnt):
        joint_weight(m, d, j)
    for b in range(m.nbody):
        body_weight(m, d, b)


@kernel
def mark_singular(m, d, i):
    """Make all solves of a tree return NaN if the pivot of dof i is too small for its inertia to have an inverse."""
    if d.qLDiagInv[i] >= 1.0 / mjMINVAL:
        d.qLDiagInv[first_of_tree(m, i)] = sqrt(-1.0)


@kernel(writes_model=True)
def joint_weight(m, d, j):
    """Set dof_invweight0 of joint j from the diagonal of inv(M).

    The value is averaged over the three axes of a 3D rotation, and over the three axes of a free translation.
    """
    i = m.jnt_dofadr[j]
    b = m.jnt_bodyid[j]
    if m.body_simple[b] == ONLY_SLIDES:
        m.dof_invweight0[i] = 1.0 / m.body_mass[b]
    elif m.jnt_type[j] == mjtJoint.mjJNT_FREE:
        unit_responses(m, d, i, 6)
        equal_weights(m, d, i, 0)
        equal_weights(m, d, i + 3, 3)
    elif m.jnt_type[j] == mjtJoint.mjJNT_BALL:
        unit_responses(m, d, i, 3)
        equal_weights(m, d, i, 0)
    else:
        unit_responses(m, d, i, 1)
        m.dof_invweight0[i] = d.chain.work[0]


@kernel
def unit_responses(m, d, i, n):
    """Set chain.work to the accelerations of n dofs, starting at dof i, each due to a unit force on that dof."""
    count = list_chain(m, d, i + n - 1)
    for t in range(count):
        put(d.chain.force, TILE * t, tile(0.0))
    for k in range(n):
        d.chain.force[count - n + k, k] = 1.0
    solve_chain(m, d, count)
    put(d.chain.work, 0, chain_products(m, d, count))


@kernel(writes_model=True)
def equal_weights(m, d, i, k):
    """Set the inverse weights of dofs i, i+1 and i+2 to the mean of three elements that start at chain.work[k]."""
    mean = (d.chain.work[k] + d.chain.work[k + 1] + d.chain.work[k + 2]) / 3.0
    for n in range(3):
        m.dof_invweight0[i + n] = mean


@kernel(writes_model=True)
def body_weight(m, d, b):
    """Set body_invweight0, the mean diagonal of J inv(M) J' for the center of mass and for the rotation of body b."""
    i = last_dof(m, b)
    if i < 0:
        # welded to the world
        m.body_invweight0[b] = vec2(0.0, 0.0)
    elif m.body_simple[b] == ONLY_SLIDES:
        m.body_invweight0[b] = vec2(1.0 / m.body_mass[b], 0.0)
    else:
        count = list_chain(m, d, i)
        arm = tree_arm(m, d, b, d.xipos[b])
        for t in range(count):
            axis = d.cdof[d.chain.dof[t]]
            put(d.chain.force, TILE * t, tile(0.0))
            put(d.chain.force, TILE * t, velocity_of(axis, arm))
            put(d.chain.force, TILE * t + 3, axis.angular)
        solve_chain(m, d, count)
        put(d.chain.work, 0, chain_products(m, d, count))
        moving = (d.chain.work[0] + d.chain.work[1] + d.chain.work[2]) / 3.0
        turning = (d.chain.work[3] + d.chain.work[4] + d.chain.work[5]) / 3.0
        m.body_invweight0[b] = vec2(moving, turning)
