"""Detection of edits of model fields that set the positions of geoms in their bodies."""

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
    """Return True if geoms may have other positions in their bodies, or other sizes, than when they were placed.

    In batches, where worlds may have their own rows, arrays that a program holds count as changed.
    """
    changed = 0
    if m.placing_lent != 0:
        changed = 1 if m.nplacing == 0 else 0
        for i in range(m.nplacing):
            changed |= m.placing[i] ^ d.placed[i]
    return changed != 0
