"""Whether a program has changed a number of the model on which it depends where geoms are in their bodies."""

from conjoint.lang import kernel


@kernel
def note_edits(m, d):
    """Count the changes of the rows of the model that place geoms, in `placed_times`; the first step is one."""
    if d.static_version != m.plan_version or is_edited(m, d):
        d.static_version = m.plan_version
        d.placed_times += 1
        for i in range(m.nplacing):
            d.placed[i] = m.placing[i]


@kernel
def is_edited(m, d):
    """Return True if geoms may be elsewhere in their bodies than when they were placed, or have another size.

    In batches, where worlds may have rows of their own, what programs hold counts as changed.
    """
    changed = 0
    if m.placing_lent != 0:
        changed = 1 if m.nplacing == 0 else 0
        for i in range(m.nplacing):
            changed |= m.placing[i] ^ d.placed[i]
    return changed != 0
