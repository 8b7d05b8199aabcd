"""Filters that exclude sleeping objects from contacts and constraints."""

from conjoint.lang import kernel
from conjoint.physics.sleep.awake import AWAKE
from conjoint.schema.enums import mjtEq, mjtObj


@kernel
def everything_rests(m, d):
    """Return True if everything sleeps: the model allows sleep, has no mocap bodies, and has no awake tree."""
    return m.nsleep_tree > 0 and d.nawake_tree == 0 and m.nmocap == 0


@kernel
def geoms_rest(m, d, g1, g2):
    """Return True if neither of two geoms belongs to an awake body."""
    if m.nsleep_tree == 0:
        return False
    return d.body_state[m.geom_bodyid[g1]] != AWAKE and d.body_state[m.geom_bodyid[g2]] != AWAKE


@kernel
def bodies_rest(m, d, b, c):
    """Return True if neither of two bodies is awake."""
    if m.nsleep_tree == 0:
        return False
    return d.body_state[b] != AWAKE and d.body_state[c] != AWAKE


@kernel
def dof_rests(m, d, i):
    """Return True if dof i belongs to a sleeping tree."""
    if m.nsleep_tree == 0:
        return False
    return d.tree_state[m.dof_treeid[i]] != AWAKE


@kernel
def joint_rests(m, d, j):
    """Return True if joint j belongs to a sleeping tree."""
    return dof_rests(m, d, m.jnt_dofadr[j])


@kernel
def tendon_rests(m, d, t):
    """Return True if some dof moves tendon t and all such dofs belong to sleeping trees."""
    if m.nsleep_tree == 0:
        return False
    for k in range(m.ten_J_rownnz[t]):
        if d.tree_state[m.dof_treeid[m.ten_J_colind[t, k]]] == AWAKE:
            return False
    return m.ten_J_rownnz[t] > 0


@kernel
def equality_rests(m, d, e):
    """Return True if none of the objects of equality e is awake."""
    if m.nsleep_tree == 0:
        return False
    kind = m.eq_type[e]
    first = m.eq_obj1id[e]
    second = m.eq_obj2id[e]
    if kind == mjtEq.mjEQ_CONNECT or kind == mjtEq.mjEQ_WELD:
        if m.eq_objtype[e] == mjtObj.mjOBJ_SITE:
            return bodies_rest(m, d, m.site_bodyid[first], m.site_bodyid[second])
        return bodies_rest(m, d, first, second)
    if kind == mjtEq.mjEQ_JOINT:
        return joint_rests(m, d, first) and (second < 0 or joint_rests(m, d, second))
    if kind == mjtEq.mjEQ_TENDON:
        return tendon_rests(m, d, first) and (second < 0 or tendon_rests(m, d, second))
    return False
