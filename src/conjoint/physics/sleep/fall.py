"""When trees fall asleep: whole islands whose trees were at rest for some steps, and trees that nothing touches."""

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

NOT_KNOWN = -1


# who sleeps decides what the stages of a block leave out
@kernel(single=True)
def fall_asleep(m, d):
    """Count steps at rest, and let trees fall asleep; before positions move on.

    Where some do, all that depends on velocities is found again first, since theirs are zero now.
    """
    if d.sleep_again != 0:
        d.sleep_again = 0
    else:
        # without islands nobody knows who touches whom
        if d.nefc == 0 or d.nisland > 0:
            for t in range(m.nsleep_tree):
                count_rest(m, d, t)
            if let_sleep(m, d):
                keep_activations(m, d)
                # those of this step count already when forces are found once more
                keep_controls(m, d, d.time)
                d.sleep_again = 1
                return SLEPT
        keep_activations(m, d)
    note_states(m, d)
    find_runs(m, d, 0)
    return 0


@kernel
def count_rest(m, d, t):
    """Count a step of tree t at rest; start anew if it moves."""
    if not sleeps(d, t):
        if may_sleep(m, d, t):
            d.tree_rest[t] = d.tree_rest[t] + (1 if d.tree_rest[t] < READY else 0)
        else:
            d.tree_rest[t] = 0


@kernel
def may_sleep(m, d, t):
    """Whether tree t is slow, not pushed, and allowed to sleep."""
    never = m.tree_sleep_policy[t] == AUTO_NEVER or m.tree_sleep_policy[t] == NEVER
    # what it hangs from may be moved at any time
    carried = m.body_mocapid[m.body_rootid[m.sleep_bodies[t, 0]]] >= 0
    if never or carried or is_pushed(m, d, t):
        return False
    for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1]):
        if m.sleep_length[i] * abs(d.qvel[i]) >= m.opt.sleep_tolerance:
            return False
    return True


@kernel
def let_sleep(m, d):
    """Let islands of which all trees are ready fall asleep, and trees in none; whether any did."""
    for k in range(d.nisland):
        d.sleep_ready[k] = 1
        d.sleep_first[k] = NOT_KNOWN
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
    """Tree t of island k is asleep: it is the next one of the last one before, and the first one is its next."""
    if d.sleep_first[k] == NOT_KNOWN:
        d.sleep_first[k] = t
    else:
        d.tree_rest[d.sleep_last[k]] = FIRST_ASLEEP + t
    d.sleep_last[k] = t
    d.tree_rest[t] = FIRST_ASLEEP + d.sleep_first[k]


@kernel
def stop_tree(m, d, t):
    """Tree t is where it is, and does not move."""
    for q in range(m.sleep_coordinates[t, 0], m.sleep_coordinates[t, 1]):
        d.rest_qpos[q] = d.qpos[q]
    for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1]):
        d.qvel[i] = 0.0
        d.qacc[i] = 0.0


# who sleeps decides what the stages of a block leave out
@kernel(single=True)
def begin_asleep(m, d):
    """Let trees sleep that do so in the reference configuration, after mj_forward."""
    for t in range(m.nsleep_tree):
        d.tree_rest[t] = READY if m.tree_sleep_policy[t] == INIT else 0
        count_rest(m, d, t)
    let_sleep(m, d)
    for t in range(m.nsleep_tree):
        if d.tree_rest[t] == READY:
            d.tree_rest[t] = 0
        # what never was awake has not been driven yet
        for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1] if sleeps(d, t) else 0):
            d.qfrc_smooth[i] = 0.0
            d.qacc_smooth[i] = 0.0
    note_states(m, d)
    find_runs(m, d, 0)


@kernel
def hold_still(m, d):
    """Trees that sleep stay where they were, after an integrator that moves everything."""
    for t in range(m.nsleep_tree):
        if d.tree_state[t] == ASLEEP:
            for q in range(m.sleep_coordinates[t, 0], m.sleep_coordinates[t, 1]):
                d.qpos[q] = d.rest_qpos[q]
            for i in range(m.sleep_dofs[t, 0], m.sleep_dofs[t, 1]):
                d.qvel[i] = 0.0


@kernel
def only_awake(m, d):
    """From here on stages go through what is awake alone; all is known of what sleeps."""
    if m.sleep_lasts:
        d.sleep_known = m.plan_version
    find_runs(m, d, 0)
