"""Waking of sleeping trees; all trees of a sleep cycle wake together."""

from conjoint.lang import kernel, minimum
from conjoint.physics.sleep.awake import ASLEEP, AWAKE, STATIC, find_runs, note_states, sleeps
from conjoint.physics.status import WOKEN
from conjoint.schema.constants import FIRST_ASLEEP
from conjoint.schema.enums import mjtEq, mjtObj

NO_TREE = -1

MOVED = 0
"""Value of `tree_rest` for a tree that was disturbed: no steps at rest."""


@kernel
def wake_tree(d, t, rest):
    """Wake tree t and all trees of its sleep cycle, and set their number of steps at rest to `rest`."""
    if sleeps(d, t):
        one = t
        going = 1
        while going == 1:
            after = d.tree_rest[one] - FIRST_ASLEEP
            d.tree_rest[one] = rest
            d.sleep_awoke = d.sleep_awoke + 1
            one = after
            going = 1 if one != t and sleeps(d, one) else 0
    else:
        d.tree_rest[t] = minimum(d.tree_rest[t], rest)


# sleep states decide which trees the stages of a block skip
@kernel(single=True)
def wake_disturbed(m, d):
    """Wake trees that the user moves or pushes, then find the awake ranges, in the first stage of mj_kinematics."""
    d.sleep_awoke = 0
    for t in range(m.nsleep_tree):
        if sleeps(d, t) and is_disturbed(m, d, t):
            wake_tree(d, t, MOVED)
    note_states(m, d)
    # results for sleeping trees may belong to another world
    find_runs(m, d, 0 if m.sleep_lasts and d.sleep_known == m.plan_version else 1)


@kernel
def is_disturbed(m, d, t):
    """Return True if sleeping tree t was moved, has a velocity, or is pushed by applied forces."""
    for q in range(m.sleep_coordinates[t, 0], m.sleep_coordinates[t, 1]):
        if d.qpos[q] != d.rest_qpos[q]:
            return True
    for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1]):
        if d.qvel[i] != 0.0:
            return True
    return is_pushed(m, d, t)


@kernel
def is_pushed(m, d, t):
    """Return True if the user applies forces to tree t."""
    for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1]):
        if d.qfrc_applied[i] != 0.0:
            return True
    for b in range(m.sleep_bodies[t, 0], m.sleep_bodies[t, 1]):
        for k in range(6):
            if d.xfrc_applied[b][k] != 0.0:
                return True
    return False


@kernel
def follow_waking(m, d):
    """If any tree woke up, update the sleep states and the ranges of awake elements. Return True if so, else False."""
    if d.sleep_awoke == 0:
        return False
    d.sleep_awoke = 0
    all = 1 if covers_all(m, d) else 0
    note_states(m, d)
    find_runs(m, d, all)
    return True


@kernel
def covers_all(m, d):
    """Return True if the whole world is a single range of awake elements."""
    return d.nawake_run == 1 and d.run_bodies[0, 0] == 1 and d.run_bodies[0, 1] == m.nbody


# sleep states decide which trees the stages of a block skip
@kernel(single=True)
def wake_by_tendons(m, d):
    """Wake trees that are connected with an awake tree by a tendon at its limit, after mj_tendon."""
    for i in range(m.ntendon):
        if m.tendon_limited[i] and m.ten_J_rownnz[i] > 0:
            above = d.ten_length[i] - m.tendon_range[i, 0]
            below = m.tendon_range[i, 1] - d.ten_length[i]
            if minimum(above, below) < m.tendon_margin[i]:
                wake_pair(m, d, first_tree_of_tendon(m, i), last_tree_of_tendon(m, i))
    follow_waking(m, d)


@kernel
def first_tree_of_tendon(m, i):
    """Return the tree of the first dof that moves tendon i, or -1 if no dof moves it."""
    return m.dof_treeid[m.ten_J_colind[i, 0]] if m.ten_J_rownnz[i] > 0 else NO_TREE


@kernel
def last_tree_of_tendon(m, i):
    """Return the tree of the last dof that moves tendon i, or -1 if no dof moves it."""
    return m.dof_treeid[m.ten_J_colind[i, m.ten_J_rownnz[i] - 1]] if m.ten_J_rownnz[i] > 0 else NO_TREE


@kernel
def wake_pair(m, d, s, t):
    """If one of trees s and t sleeps and the other one is awake, wake the sleeping one; -1 stands for no tree."""
    if s >= 0 and t >= 0:
        if sleeps(d, s) and not sleeps(d, t):
            wake_tree(d, s, d.tree_rest[t])
        elif sleeps(d, t) and not sleeps(d, s):
            wake_tree(d, t, d.tree_rest[s])


# sleep states decide which trees the stages of a block skip
@kernel(single=True)
def wake_by_contacts(m, d):
    """Wake trees that touch awake bodies, after mj_collision; if any woke, request a repeated collision detection."""
    for c in range(d.ncon):
        wake_touched(m, d, d.contact_geom[c, 0], d.contact_geom[c, 1])
        wake_touched(m, d, d.contact_geom[c, 1], d.contact_geom[c, 0])
    if follow_waking(m, d):
        return WOKEN
    return 0


@kernel
def wake_touched(m, d, g, h):
    """Wake the tree of geom g if geom h, which touches g, is on an awake body, or if h is -1 (a flex)."""
    if g < 0:
        return
    if d.body_state[m.geom_bodyid[g]] == ASLEEP:
        t = m.body_treeid[m.geom_bodyid[g]]
        if h < 0:
            wake_tree(d, t, MOVED)
        elif d.body_state[m.geom_bodyid[h]] == AWAKE:
            s = m.body_treeid[m.geom_bodyid[h]]
            wake_tree(d, t, d.tree_rest[s] if s >= 0 else MOVED)


@kernel
def body_of_equality(m, e, i):
    """Return the body of object i of equality e, or -1 if there is none.

    The result is also -1 if e is not a connect, weld or joint equality.
    """
    kind = m.eq_type[e]
    if i < 0:
        return -1
    if kind == mjtEq.mjEQ_JOINT:
        return m.jnt_bodyid[i]
    if kind == mjtEq.mjEQ_CONNECT or kind == mjtEq.mjEQ_WELD:
        return m.site_bodyid[i] if m.eq_objtype[e] == mjtObj.mjOBJ_SITE else i
    return -1


# sleep states decide which trees the stages of a block skip
@kernel(single=True)
def wake_by_equalities(m, d):
    """Wake trees that an active equality connects with awake trees, or with sleeping trees of another sleep cycle."""
    for e in range(m.neq):
        if d.eq_active[e] != 0:
            b = body_of_equality(m, e, m.eq_obj1id[e])
            c = body_of_equality(m, e, m.eq_obj2id[e])
            if m.eq_type[e] == mjtEq.mjEQ_TENDON:
                wake_tendons_of_equality(m, d, e)
            elif b >= 0 and c >= 0:
                wake_connected(m, d, b, c)
    follow_waking(m, d)


@kernel
def wake_tendons_of_equality(m, d, e):
    """Wake the trees of the tendons of equality e if one of them is awake."""
    i = m.eq_obj1id[e]
    wake_pair(m, d, first_tree_of_tendon(m, i), last_tree_of_tendon(m, i))
    k = m.eq_obj2id[e]
    if k >= 0:
        wake_pair(m, d, first_tree_of_tendon(m, k), last_tree_of_tendon(m, k))
        wake_pair(m, d, first_tree_of_tendon(m, i), first_tree_of_tendon(m, k))
        wake_pair(m, d, first_tree_of_tendon(m, i), last_tree_of_tendon(m, i))
        wake_pair(m, d, first_tree_of_tendon(m, k), last_tree_of_tendon(m, k))


@kernel
def wake_connected(m, d, b, c):
    """Wake the trees of two connected bodies, unless both sleep in the same cycle or one body is static."""
    s = m.body_treeid[b]
    t = m.body_treeid[c]
    if d.body_state[b] != STATIC and d.body_state[c] != STATIC and s != t:
        first = s >= 0 and sleeps(d, s)
        second = t >= 0 and sleeps(d, t)
        if first and (not second or not sleep_together(d, s, t)):
            wake_tree(d, s, MOVED)
        if second and (not first or not sleeps(d, s)):
            wake_tree(d, t, MOVED)


@kernel
def sleep_together(d, s, t):
    """Return True if two sleeping trees are in the same sleep cycle."""
    one = d.tree_rest[s] - FIRST_ASLEEP
    while one != s and one != t:
        one = d.tree_rest[one] - FIRST_ASLEEP
    return one == t
