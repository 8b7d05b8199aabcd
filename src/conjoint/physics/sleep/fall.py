"""Falling asleep: all trees of an island together, or a tree outside all islands, after some steps at rest."""

from conjoint.lang import abs, kernel
from conjoint.physics.history import keep_controls
from conjoint.physics.sleep.actuators import keep_activations
from conjoint.physics.sleep.awake import ASLEEP, READY, find_runs, note_states, sleeps
from conjoint.physics.sleep.wake import is_pushed
from conjoint.physics.status import SLEPT
from conjoint.schema.constants import FIRST_ASLEEP
from conjoint.schema.enums_newer import mjtSleepPolicy

AUTO_NEVER, NEVER = int(mjtSleepPolicy.mjSLEEP_AUTO_NEVER), int(mjtSleepPolicy.mjSLEEP_NEVER)
INIT = int(mjtSleepPolicy.mjSLEEP_INIT)

UNKNOWN_STATE = -1


# sleep states decide which trees the stages of a block skip
@kernel(single=True)
def fall_asleep(m, d):
    """Count the steps at rest of each tree, and let trees fall asleep, before positions are integrated.

    If any tree falls asleep, its velocity becomes zero. In that case, stop the pipeline, so that everything that
    depends on velocities is recomputed first.
    """
    if d.sleep_again != 0:
        d.sleep_again = 0
    else:
        # contacts between trees are known only if islands were computed
        if d.nefc == 0 or d.nisland > 0:
            for t in range(m.nsleep_tree):
                count_rest(m, d, t)
            if let_sleep(m, d):
                keep_activations(m, d)
                # the controls of this step apply when forces are computed again
                keep_controls(m, d, d.time)
                d.sleep_again = 1
                return SLEPT
        keep_activations(m, d)
    note_states(m, d)
    find_runs(m, d, 0)
    return 0


@kernel
def count_rest(m, d, t):
    """Add this step to the steps at rest of tree t, or reset the count if the tree moves."""
    if not sleeps(d, t):
        if may_sleep(m, d, t):
            d.tree_rest[t] = d.tree_rest[t] + (1 if d.tree_rest[t] < READY else 0)
        else:
            d.tree_rest[t] = 0


@kernel
def may_sleep(m, d, t):
    """Return True if tree t is slow, not pushed by the user, and allowed to sleep."""
    never = m.tree_sleep_policy[t] == AUTO_NEVER or m.tree_sleep_policy[t] == NEVER
    # a mocap body that carries the tree may be moved at any time
    carried = m.body_mocapid[m.body_rootid[m.sleep_bodies[t, 0]]] >= 0
    if never or carried or is_pushed(m, d, t):
        return False
    for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1]):
        if m.sleep_length[i] * abs(d.qvel[i]) >= m.opt.sleep_tolerance:
            return False
    return True


@kernel
def let_sleep(m, d):
    """Let islands with only ready trees, and ready trees outside islands, fall asleep; return True if any did."""
    for k in range(d.nisland):
        d.sleep_ready[k] = 1
        d.sleep_first[k] = UNKNOWN_STATE
    for t in range(m.nsleep_tree):
        k = d.tree_island[t]
        if k >= 0 and d.tree_rest[t] != READY:
            d.sleep_ready[k] = 0
    found = False
    for t in range(m.nsleep_tree):
        if d.tree_rest[t] == READY:
            k = d.tree_island[t]
            if k < 0:
                d.tree_rest[t] = FIRST_ASLEEP + t
                stop_tree(m, d, t)
                found = True
            elif d.sleep_ready[k] == 1:
                link_tree(d, k, t)
                stop_tree(m, d, t)
                found = True
    return found


@kernel
def link_tree(d, k, t):
    """Append tree t to the sleep cycle of island k: the previous tree points to t, and t to the first tree."""
    if d.sleep_first[k] == UNKNOWN_STATE:
        d.sleep_first[k] = t
    else:
        d.tree_rest[d.sleep_last[k]] = FIRST_ASLEEP + t
    d.sleep_last[k] = t
    d.tree_rest[t] = FIRST_ASLEEP + d.sleep_first[k]


@kernel
def stop_tree(m, d, t):
    """Save the position of tree t, and zero its velocity and acceleration."""
    for q in range(m.sleep_coordinates[t, 0], m.sleep_coordinates[t, 1]):
        d.rest_qpos[q] = d.qpos[q]
    for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1]):
        d.qvel[i] = 0.0
        d.qacc[i] = 0.0


# sleep states decide which trees the stages of a block skip
@kernel(single=True)
def begin_asleep(m, d):
    """Let trees with sleep policy `init` fall asleep in the reference configuration, after mj_forward."""
    for t in range(m.nsleep_tree):
        d.tree_rest[t] = READY if m.tree_sleep_policy[t] == INIT else 0
        count_rest(m, d, t)
    let_sleep(m, d)
    for t in range(m.nsleep_tree):
        if d.tree_rest[t] == READY:
            d.tree_rest[t] = 0
        # no forces have acted on trees that were never awake
        for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1] if sleeps(d, t) else 0):
            d.qfrc_smooth[i] = 0.0
            d.qacc_smooth[i] = 0.0
    note_states(m, d)
    find_runs(m, d, 0)


@kernel
def hold_still(m, d):
    """Restore the positions and zero the velocities of sleeping trees, after an integrator that moves all trees."""
    for t in range(m.nsleep_tree):
        if d.tree_state[t] == ASLEEP:
            for q in range(m.sleep_coordinates[t, 0], m.sleep_coordinates[t, 1]):
                d.qpos[q] = d.rest_qpos[q]
            for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1]):
                d.qvel[i] = 0.0


@kernel
def only_awake(m, d):
    """Restrict the following stages to awake trees, because all results for sleeping trees are up to date."""
    if m.sleep_lasts:
        d.sleep_known = m.plan_version
    find_runs(m, d, 0)
