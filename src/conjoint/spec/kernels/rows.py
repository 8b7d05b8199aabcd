"""Equal rows of three integers."""

from conjoint.lang import kernel

EXACT_KERNELS = True


@kernel
def merge_rows(rows, count, slots, nslot, first, group):
    """Find distinct rows; return how many there are.

    Args:
        rows: rows (count, 3).
        slots: -1 (nslot,); scratch.
        nslot: a power of two, larger than `count`.
        first: receives where each distinct row appears first, in that order.
        group: receives which distinct row each row is.
    """
    found = 0
    for i in range(count):
        slot = hash_of(rows, 3 * i) & (nslot - 1)
        while slots[slot] >= 0 and not is_same(rows, 3 * first[slots[slot]], 3 * i):
            slot = (slot + 1) & (nslot - 1)
        if slots[slot] < 0:
            slots[slot] = found
            first[found] = i
            found += 1
        group[i] = slots[slot]
    return found


@kernel
def hash_of(rows, at):
    """Hash a row (Teschner et al., Optimized Spatial Hashing, 2003)."""
    key = (rows[at] * 73856093) ^ (rows[at + 1] * 19349663) ^ (rows[at + 2] * 83492791)
    # rows of few binary digits differ in their high bits only
    return key ^ (key >> 29) ^ (key >> 15)


@kernel
def is_same(rows, a, b):
    """True if two rows are equal."""
    return rows[a] == rows[b] and rows[a + 1] == rows[b + 1] and rows[a + 2] == rows[b + 2]
