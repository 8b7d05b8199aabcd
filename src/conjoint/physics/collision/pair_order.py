"""Near pairs that are found in every step, not listed by the plan: their filters, and the order of contacts.

The order is by lower body, higher body, explicit pairs first, then by geoms (`runtime.pairs`).
"""

from conjoint.lang import any, kernel, maximum, minimum, where
from conjoint.physics.collision.broadphase import is_near, list_pair, lower_body
from conjoint.physics.pair_filter import margin_of, may_touch
from conjoint.schema.enums import mjtDisableBit, mjtGeom

COUNTED = 4
"""Numbers that counting goes through for each pair, at most, where it is quicker than merging."""


@kernel
def list_if_near(m, d, g, h, n):
    """List geoms g and h as near pair n if they may touch and their bounds are within margin and reach in some world.

    Returns:
        number of near pairs.
    """
    # geoms are numbered by body: the lower body's first, unless its type is the larger
    g1 = minimum(g, h)
    g2 = maximum(g, h)
    if m.geom_type[g1] > m.geom_type[g2]:
        g1 = g2
        g2 = minimum(g, h)
    if m.geom_type[g2] <= mjtGeom.mjGEOM_HFIELD:
        return n
    hit = is_near(m, d, g1, g2, margin_of(m, -1, g1, g2) + m.reach)
    if any(hit) and may_touch(m, g1, g2):
        if n < d.nnear_capacity:
            list_pair(d, n, g1, g2, -1, types_of(m, g1, g2), where(hit, 1, 0))
        n += 1
    return n


@kernel
def types_of(m, g1, g2):
    """Number of the pair of types of two geoms."""
    return m.geom_type[g1] * mjtGeom.mjNGEOMTYPES + m.geom_type[g2]


@kernel
def order_pairs(m, d):
    """Put all near pairs in order."""
    n = d.nnear
    # counting takes a pass over all bodies or geoms for each number, merging a pass over the pairs for each doubling
    if COUNTED * n > m.nsweep_count:
        # what matters least is sorted by first
        sort_by(m, d, n, d.near_order, d.near_sorted, second_number)
        sort_by(m, d, n, d.near_sorted, d.near_order, first_number)
        sort_by(m, d, n, d.near_order, d.near_sorted, higher_body)
        sort_by(m, d, n, d.near_sorted, d.near_order, lower_body)
    else:
        merge_pairs(m, d, n)


@kernel
def merge_pairs(m, d, n):
    """Sort the first n near pairs: runs that are in order are merged, two at a time."""
    for k in range(n):
        d.near_key[0, k] = lower_body(m, d, k) * m.nbody + higher_body(m, d, k)
        d.near_key[1, k] = first_number(m, d, k) * m.nsweep_count + second_number(m, d, k)
    size = 1
    while size < n:
        start = 0
        while start < n:
            merge_two(d, start, minimum(start + size, n), minimum(start + 2 * size, n))
            start += 2 * size
        for k in range(n):
            d.near_order[k] = d.near_sorted[k]
        size = 2 * size


@kernel
def merge_two(d, start, middle, end):
    """Merge the runs start .. middle - 1 and middle .. end - 1 of `near_order` into `near_sorted`."""
    a = start
    b = middle
    for k in range(start, end):
        if b >= end or (a < middle and comes_first(d, d.near_order[a], d.near_order[b])):
            d.near_sorted[k] = d.near_order[a]
            a += 1
        else:
            d.near_sorted[k] = d.near_order[b]
            b += 1


@kernel
def comes_first(d, p, q):
    """Whether near pair p comes before near pair q."""
    if d.near_key[0, p] != d.near_key[0, q]:
        return d.near_key[0, p] < d.near_key[0, q]
    return d.near_key[1, p] < d.near_key[1, q]


@kernel
def sort_by(m, d, n, source, target, number):
    """target := the pairs in `source` by ascending `number(m, d, pair)`, by counting; equal ones stay in order."""
    for c in range(m.nsweep_count):
        d.sweep_count[c] = 0
    for p in range(n):
        c = number(m, d, source[p])
        d.sweep_count[c] = d.sweep_count[c] + 1
    before = 0
    for c in range(m.nsweep_count):
        count = d.sweep_count[c]
        d.sweep_count[c] = before
        before += count
    for p in range(n):
        c = number(m, d, source[p])
        target[d.sweep_count[c]] = source[p]
        d.sweep_count[c] = d.sweep_count[c] + 1


@kernel
def higher_body(m, d, k):
    """The higher body of near pair k."""
    return maximum(m.geom_bodyid[d.near_geom1[k]], m.geom_bodyid[d.near_geom2[k]])


@kernel
def first_number(m, d, k):
    """What orders the pairs of two bodies first: explicit ones, then the first geom."""
    if d.near_pair[k] >= 0:
        return 0
    if m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE:
        return 1 + minimum(d.near_geom1[k], d.near_geom2[k])
    return 1 + d.near_geom1[k]


@kernel
def second_number(m, d, k):
    """What orders them next: the explicit pair, or the second geom."""
    if d.near_pair[k] >= 0:
        return d.near_pair[k]
    if m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE:
        return maximum(d.near_geom1[k], d.near_geom2[k])
    return d.near_geom2[k]
