"""Detection of edits to model fields that set the positions of geoms relative to their bodies."""

from conjoint.lang import kernel


@kernel
def note_edits(m, d):
    """Increment `placed_times` if model fields that place geoms have changed, or in the first step."""
    if d.static_version != m.plan_version or is_edited(m, d):
        d.static_version = m.plan_version
        d.placed_times += 1
        for i in range(m.nplacing):
            d.placed[i] = m.placing[i]


@kernel
def is_edited(m, d):
    """Return True if geoms may have other sizes or positions relative to their bodies than when they were last placed.

    In batches, where worlds may have their own values, a field counts as changed if a program has a reference to
    its array.
    """
    changed = 0
    if m.placing_exposed != 0:
        changed = 1 if m.nplacing == 0 else 0
        for i in range(m.nplacing):
            changed |= m.placing[i] ^ d.placed[i]
    return changed != 0
