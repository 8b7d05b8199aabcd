"""Filters for pairs of geoms and bodies that may touch, and their contact margins.

See the Computation chapter, "Collision detection / Selection". Expressions with & and | also work on arrays:
`runtime.pairs` uses them to filter lists of pairs.
"""

from conjoint.lang import group, kernel, maximum, minimum
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit

NO_CONTACTS = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_CONTACT)
"""Disable flags that leave the contact list empty."""


@kernel
def margin_in_force(m, margin):
    """Return the global contact margin if contact parameters are overridden, else `margin`."""
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        return m.opt.o_margin
    return margin


@group
def Margins(listed, acting):
    """Distances (m) below which contacts of a pair are listed, and below which they exert forces."""


@kernel
def margins_of_geoms(m, explicit, g1, g2, edition):
    """Return the margins of a pair of geoms.

    Args:
        m: model.
        explicit: id of the explicit contact pair of the two geoms, or -1.
        g1, g2: ids of the geoms.
        edition: margin rules of a MuJoCo version.
    """
    if explicit >= 0:
        listed, acting = edition.margins(m, m.pair_margin[explicit], m.pair_gap[explicit])
        return Margins(listed, acting)
    return margins_between(m, m.geom_margin[g1], m.geom_gap[g1], m.geom_margin[g2], m.geom_gap[g2], edition)


@kernel
def margins_between(m, margin1, gap1, margin2, gap2, edition):
    """Return the margins of a pair of objects from the margin and gap of each."""
    listed, acting = edition.margins(m, edition.both(margin1, margin2), edition.both(gap1, gap2))
    return Margins(listed, acting)


@kernel
def margin_bound(m, g):
    """Return an upper bound of the contribution of geom g to the contact distance (m), for all MuJoCo versions."""
    return widest(m.geom_margin[g], m.geom_gap[g])


@kernel
def widest(margin, gap):
    """Return the largest distance (m) at which a margin and a gap may list contacts, for all MuJoCo versions."""
    return maximum(maximum(margin, margin + gap), 0.0)


@kernel
def margin_bound_in_force(m, g):
    """Return the global margin if contact parameters are overridden, else `margin_bound` of geom g."""
    return maximum(margin_in_force(m, margin_bound(m, g)), 0.0)


@kernel
def bits_match(contype, conaffinity, other_contype, other_conaffinity):
    """Return True if the contact bits of two objects match: the affinity of one has a bit of the type of the other."""
    return ((contype & other_conaffinity) != 0) | ((other_contype & conaffinity) != 0)


@kernel
def are_related(m, b, c):
    """Return True if two bodies do not collide, because of the way in which they are connected.

    They are welded together, no dof moves either of them, or they are parent and child and not welded to the world.
    """
    filtered = (m.opt.disableflags & mjtDisableBit.mjDSBL_FILTERPARENT) == 0
    return (m.body_weldid[b] == m.body_weldid[c]) | are_still(m, b, c) | (filtered & are_family(m, b, c))


@kernel
def are_still(m, b, c):
    """Return True if no dof moves either of the two bodies."""
    return (m.body_dofnum[m.body_weldid[b]] == 0) & (m.body_dofnum[m.body_weldid[c]] == 0)


@kernel
def are_family(m, b, c):
    """Return True if two bodies are parent and child, and neither is welded to the world."""
    v = m.body_weldid[b]
    w = m.body_weldid[c]
    child = (m.body_weldid[m.body_parentid[v]] == w) | (m.body_weldid[m.body_parentid[w]] == v)
    return (v != 0) & (w != 0) & child


@kernel
def may_touch(m, g, h):
    """Return True if geoms g and h pass the collision filters of the model (see `runtime.pairs`)."""
    b = m.geom_bodyid[g]
    c = m.geom_bodyid[h]
    bits = bits_match(m.geom_contype[g], m.geom_conaffinity[g], m.geom_contype[h], m.geom_conaffinity[h])
    if not bits or are_related(m, b, c):
        return False
    if holds(m.sweep_excluded, m.nexcluded, (minimum(b, c) << 16) + maximum(b, c)):
        return False
    return not holds(m.sweep_covered, m.ncovered, minimum(g, h) * m.ngeom + maximum(g, h))


@kernel
def holds(numbers, count, number):
    """Return True if the first `count` elements of an ascending list contain a number."""
    place = count_below(numbers, count, number)
    return place < count and numbers[minimum(place, count - 1)] == number


@kernel
def count_below(numbers, count, number):
    """Return the number of elements less than `number` in an ascending list of `count` elements."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low
