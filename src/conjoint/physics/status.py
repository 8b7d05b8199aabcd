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
"""A kind of warning was counted that Python has not reported yet."""

WAS_RESET = 5
"""The world diverged and was reset: run forward dynamics on it again."""

DIVERGED = 7
"""Worlds are marked in `was_reset`: reset them; the pipeline goes on behind the stage."""

CALLBACK_ASKED = 6
"""The user's callback of the stage's name shall run here; the pipeline goes on behind it."""


NEAR_FULL = 8
"""The arena has no room for all pairs of geoms near each other: enlarge it and run the stage again."""


FILL_FULL = 9
"""The arena has no room for all blocks of the Hessian: enlarge it and run the stage again."""

DUAL_FULL = 12
"""The arena has no room for half a solve of all constraint rows: enlarge it and run the stage again."""

VOLUMES_ASKED = 10
"""The bounding volumes that collision reaches shall be found here; the pipeline goes on behind the stage."""

NONZEROS_ASKED = 11
"""solver_nnz shall be counted here; the pipeline goes on behind the stage."""

WOKEN = 13
"""Trees woke up that touch something: look for contacts again."""

SLEPT = 14
"""Trees fell asleep: find what depends on their velocities again, and run the stage again."""

POISON_ASKED = 15
"""What the step must compute anew shall be filled with what has no meaning; the pipeline goes on behind the stage."""

NOBODY, LATER, ALWAYS = range(3)
"""Requests for what is computed on demand, `bvh_active` (`volumes_asked`) and `solver_nnz` (`nonzeros_asked`): nobody
reads it; a program may read it later; a program holds the array."""


@kernel
def rows_fit(m, d):
    """Stop if there are more constraint rows than the arena holds, or more elements of them."""
    if d.nefc_needed > d.nefc_capacity or d.nJ_needed > d.nJ_capacity:
        return ROWS_FULL
    return 0


@kernel
def plan_holds(m, d):
    """Stop if the model no longer is what the plan was made for."""
    if (d.plan_version ^ m.plan_version) | watched_change(m) != 0:
        return PLAN_STALE
    return 0


@kernel
def watched_change(m):
    """0 if the watched rows of the model still are those that the plan was made for, as far as programs hold any."""
    changed = 0
    for i in range(m.lent_from, m.nwatched):
        changed |= m.watched[i] ^ m.planned[i]
    return changed


@kernel
def nonzeros_wanted(m, d):
    """Stop if solver_nnz of Newton's method with compressed rows shall be counted here (`runtime.solver_nnz`)."""
    if d.nonzeros_asked == ALWAYS and d.nonzeros_due != 0:
        return NONZEROS_ASKED
    return 0


@kernel
def warnings_reported(m, d):
    """Stop if a kind of warning was counted that was not told since it was last zero."""
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
    """Stop if a check found a world to be reset."""
    if d.was_reset > 0:
        return DIVERGED
    return 0


@kernel
def forward_if_reset(m, d):
    """Stop if an acceleration was bad and its world was reset; who runs forward dynamics again clears `was_reset`."""
    if d.was_reset != 0:
        return WAS_RESET
    return 0


@kernel
def not_built(m, d):
    """In place of what is not built: models that need it are refused."""
    return 0


@kernel
def callback_asked(m, d):
    """Stop to let a Python function of the user run."""
    return CALLBACK_ASKED


@kernel
def timer_begins(m, d):
    """Stop to let a timer begin."""
    return CALLBACK_ASKED


@kernel
def timer_ends(m, d):
    """Stop to let a timer end."""
    return CALLBACK_ASKED


@kernel
def poison_asked(m, d):
    """Stop to let memory be poisoned (`runtime.reset`)."""
    return POISON_ASKED
