"""Masses of subtrees, and the inertia in the initial configuration (mj_setConst)."""

from conjoint.lang import dot6, kernel, mul_inertia
from conjoint.physics.inertia_matrix.composite import composite_bodies


@kernel(per_world=True, writes_model=True)
def subtree_mass(m, d):
    """body_subtreemass: of every body together with its descendants."""
    for b in range(m.nbody):
        m.body_subtreemass[b] = m.body_mass[b]
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        m.body_subtreemass[p] = m.body_subtreemass[p] + m.body_subtreemass[b]


@kernel(per_world=True, writes_model=True)
def reference_inertia(m, d):
    """dof_M0: diagonal of the inertia matrix, without the armature of tendons."""
    composite_bodies(m, d)
    for i in range(m.nv):
        axis = d.cdof[i]
        m.dof_M0[i] = m.dof_armature[i] + dot6(axis, mul_inertia(d.crb[m.dof_bodyid[i]], axis))
