"""Status values that stages return to stop the pipeline, and the stages that return them."""

from conjoint.lang import kernel
from conjoint.schema.constants import mjNWARNING

CONTACTS_FULL = 1
"""Status: the arena is too small for all contacts. The caller enlarges it and runs the previous stage again."""

ROWS_FULL = 2
"""Status: the arena is too small for all constraint rows. The caller enlarges it and runs the previous stage again."""

PLAN_STALE = 3
"""Status: the model no longer matches its plan, because it was changed, or the arena is too small for the plan."""

WARNED = 4
"""Status: a warning was counted that Python has not issued yet."""

WAS_RESET = 5
"""Status: the world diverged and was reset. The caller runs forward dynamics on it again."""

DIVERGED = 7
"""Status: some worlds are marked in `was_reset`. The caller resets them, then continues with the next stage."""

CALLBACK_REQUESTED = 6
"""Status: the caller must run the user callback with the stage's name, then continue with the next stage."""


NEAR_FULL = 8
"""Status: the arena is too small for all candidate pairs of geoms. The caller enlarges it and runs the stage again."""


FILL_FULL = 9
"""Status: the arena is too small for all blocks of the Hessian. The caller enlarges it and runs the stage again."""

DUAL_FULL = 12
"""Status: the arena is too small for the half-solved constraint rows of dual solvers.

The caller enlarges it and runs the stage again.
"""

VOLUMES_REQUESTED = 10
"""Status: the caller must mark the bounding volumes that collision detection tests, then continue the pipeline."""

NONZEROS_REQUESTED = 11
"""Status: the caller must compute solver_nnz, then continue with the next stage."""

WOKEN = 13
"""Status: contacts woke sleeping trees. The caller repeats collision detection."""

SLEPT = 14
"""Status: trees fell asleep. The caller recomputes everything that depends on velocities, and repeats the stage."""

POISON_REQUESTED = 15
"""Status: the caller must fill the results that the step recomputes with poison values, then continue."""

NEVER, LATER, ALWAYS = range(3)
"""States of a request for a value that is computed on demand: `bvh_active` or `solver_nnz`.

In order: the user does not read the value, may read it later, or has a reference to the array.
"""


@kernel
def rows_fit(m, d):
    """Stop the pipeline if the arena is too small for the constraint rows or for their elements."""
    if d.nefc_needed > d.nefc_capacity or d.nJ_needed > d.nJ_capacity:
        return ROWS_FULL
    return 0


@kernel
def plan_holds(m, d):
    """Stop the pipeline if the plan no longer matches the model."""
    if (d.plan_version ^ m.plan_version) | watched_change(m) != 0:
        return PLAN_STALE
    return 0


@kernel
def watched_change(m):
    """Return 0 if no watched model row, which the user may change through array views, differs from the plan."""
    changed = 0
    for i in range(m.lent_from, m.nwatched):
        changed |= m.watched[i] ^ m.planned[i]
    return changed


@kernel
def nonzeros_wanted(m, d):
    """Stop the pipeline if solver_nnz of Newton's method must be computed now for compressed rows.

    See `runtime.solver_nnz`.
    """
    if d.nonzeros_requested == ALWAYS and d.nonzeros_pending != 0:
        return NONZEROS_REQUESTED
    return 0


@kernel
def warnings_reported(m, d):
    """Stop the pipeline if a counted warning has not been issued since its counter was last zero."""
    counted = 0
    for w in range(mjNWARNING):
        if d.warning.number[w] > 0:
            counted += 1 << w
    if (counted & d.warning_reported) != counted:
        return WARNED
    d.warning_reported = counted
    return 0


@kernel
def reset_requested(m, d):
    """Stop the pipeline if a check found that a world must be reset."""
    if d.was_reset > 0:
        return DIVERGED
    return 0


@kernel
def forward_if_reset(m, d):
    """Stop the pipeline if an acceleration was bad and its world was reset.

    The caller runs mj_forward again and clears `was_reset`.
    """
    if d.was_reset != 0:
        return WAS_RESET
    return 0


@kernel
def not_built(m, d):
    """Do nothing in place of a stage that is not implemented; models that need the stage are rejected."""
    return 0


@kernel
def callback_requested(m, d):
    """Stop the pipeline to run a user callback."""
    return CALLBACK_REQUESTED


@kernel
def timer_begins(m, d):
    """Stop the pipeline to start a timer."""
    return CALLBACK_REQUESTED


@kernel
def timer_ends(m, d):
    """Stop the pipeline to end a timer."""
    return CALLBACK_REQUESTED


@kernel
def poison_requested(m, d):
    """Stop the pipeline to fill memory with poison values (`runtime.reset`)."""
    return POISON_REQUESTED
