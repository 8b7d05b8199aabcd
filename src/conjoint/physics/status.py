"""Status values that stages return to stop the pipeline, and the stages that return them."""

from conjoint.lang import kernel
from conjoint.schema.constants import mjNWARNING

CONTACTS_FULL = 1
"""The arena is too small for all contacts: enlarge it and run the previous stage again."""

ROWS_FULL = 2
"""The arena is too small for all constraint rows: enlarge it and run the previous stage again."""

PLAN_STALE = 3
"""The model no longer matches its plan, because it was changed, or the arena is too small for the plan."""

WARNED = 4
"""A warning was counted that Python has not issued yet."""

WAS_RESET = 5
"""The world diverged and was reset: run forward dynamics on it again."""

DIVERGED = 7
"""Some worlds are marked in `was_reset`: reset them, then continue the pipeline with the next stage."""

CALLBACK_REQUESTED = 6
"""Run the user callback with the stage's name, then continue the pipeline with the next stage."""


NEAR_FULL = 8
"""The arena is too small for all candidate pairs of geoms: enlarge it and run the stage again."""


FILL_FULL = 9
"""The arena is too small for all blocks of the Hessian: enlarge it and run the stage again."""

DUAL_FULL = 12
"""The arena is too small for the half-solved constraint rows of dual solvers: enlarge it and run the stage again."""

VOLUMES_REQUESTED = 10
"""Mark the bounding volumes that collision detection tests, then continue the pipeline with the next stage."""

NONZEROS_REQUESTED = 11
"""Compute solver_nnz, then continue the pipeline with the next stage."""

WOKEN = 13
"""Contacts woke sleeping trees: repeat collision detection."""

SLEPT = 14
"""Trees fell asleep: recompute everything that depends on their velocities, and run the stage again."""

POISON_REQUESTED = 15
"""Fill the results that the step must recompute with poison values, then continue with the next stage."""

NO_BODY, LATER, ALWAYS = range(3)
"""States of a request for a value that is computed on demand: `bvh_active` or `solver_nnz`.

The user does not read it, the user may read it later, or the user has a reference to the array.
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
    """Return 0 if the plan still matches the watched model rows that the user may change through array views."""
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
