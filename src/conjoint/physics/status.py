"""Answers of stages that stop the pipeline, and the stages that give them."""

from conjoint.lang import kernel
from conjoint.schema.constants import mjNWARNING

CONTACTS_FULL = 1
"""The arena has no room for all contacts: enlarge it and run the stage before again."""

ROWS_FULL = 2
"""The arena has no room for all constraint rows: enlarge it and run the stage before again."""

PLAN_STALE = 3
"""The model was changed in a way that the plan depends on, or the arena is too small for the plan."""

WARNED = 4
"""A type of warning was counted that Python has not reported yet."""

WAS_RESET = 5
"""The world diverged and was reset: run forward dynamics on it again."""

DIVERGED = 7
"""Worlds are marked in `was_reset`: reset them, then continue the pipeline after the stage."""

CALLBACK_ASKED = 6
"""Run the user's callback of the stage's name here, then continue the pipeline after the stage."""


NEAR_FULL = 8
"""The arena has no room for all pairs of geoms near each other: enlarge it and run the stage again."""


FILL_FULL = 9
"""The arena has no room for all blocks of the Hessian: enlarge it and run the stage again."""

DUAL_FULL = 12
"""The arena has no room for half a solve of all constraint rows: enlarge it and run the stage again."""

VOLUMES_ASKED = 10
"""Mark the bounding volumes that collision reaches here, then continue the pipeline after the stage."""

NONZEROS_ASKED = 11
"""Count solver_nnz here, then continue the pipeline after the stage."""

WOKEN = 13
"""Contacts woke trees: repeat collision detection."""

SLEPT = 14
"""Trees fell asleep: recompute everything that depends on their velocities, and run the stage again."""

POISON_ASKED = 15
"""Fill the results that the step must recompute with poison values, then continue the pipeline after the stage."""

NOBODY, LATER, ALWAYS = range(3)
"""Requests for values computed on demand, `bvh_active` (`volumes_asked`) and `solver_nnz` (`nonzeros_asked`): no
reader; the user may read it later; the user holds the array."""


@kernel
def rows_fit(m, d):
    """Stop if there are more constraint rows than the arena holds, or more elements of them."""
    if d.nefc_needed > d.nefc_capacity or d.nJ_needed > d.nJ_capacity:
        return ROWS_FULL
    return 0


@kernel
def plan_holds(m, d):
    """Stop if the model no longer matches its plan."""
    if (d.plan_version ^ m.plan_version) | watched_change(m) != 0:
        return PLAN_STALE
    return 0


@kernel
def watched_change(m):
    """Return 0 if the watched rows of the model, as far as the user holds views of them, still match the plan."""
    changed = 0
    for i in range(m.lent_from, m.nwatched):
        changed |= m.watched[i] ^ m.planned[i]
    return changed


@kernel
def nonzeros_wanted(m, d):
    """Stop if solver_nnz of Newton's method with compressed rows must be counted here (`runtime.solver_nnz`)."""
    if d.nonzeros_asked == ALWAYS and d.nonzeros_due != 0:
        return NONZEROS_ASKED
    return 0


@kernel
def warnings_reported(m, d):
    """Stop if a warning was counted that has not been issued since its counter was last zero."""
    counted = 0
    for w in range(mjNWARNING):
        if d.warning.number[w] > 0:
            counted += 1 << w
    if (counted & d.warning_reported) != counted:
        return WARNED
    d.warning_reported = counted
    return 0


@kernel
def reset_asked(m, d):
    """Stop if a check requires a world to be reset."""
    if d.was_reset > 0:
        return DIVERGED
    return 0


@kernel
def forward_if_reset(m, d):
    """Stop if an acceleration was bad and its world was reset; the caller reruns mj_forward and clears `was_reset`."""
    if d.was_reset != 0:
        return WAS_RESET
    return 0


@kernel
def not_built(m, d):
    """Do nothing: placeholder for stages that are not implemented; models that need them are rejected."""
    return 0


@kernel
def callback_asked(m, d):
    """Stop to run a Python function of the user."""
    return CALLBACK_ASKED


@kernel
def timer_begins(m, d):
    """Stop to start a timer."""
    return CALLBACK_ASKED


@kernel
def timer_ends(m, d):
    """Stop to end a timer."""
    return CALLBACK_ASKED


@kernel
def poison_asked(m, d):
    """Stop to poison memory (`runtime.reset`)."""
    return POISON_ASKED
