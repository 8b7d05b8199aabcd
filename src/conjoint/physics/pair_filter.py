"""Which geoms and bodies the model lets touch, and from which distance on.

See the Computation chapter, "Collision detection / Selection". What is written with & and | filters arrays, too: lists
of pairs, in `runtime.pairs`.
"""

from conjoint.lang import kernel, maximum, minimum
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit
from conjoint.schema.semantics import EDITION_4

NO_CONTACTS = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_CONTACT)
"""Flags that leave the contact list empty."""


@kernel
def margin_of(m, pair, g1, g2):
    """Distance (m) below which two geoms get contacts; `pair` is the id of their explicit pair, or -1."""
    if pair >= 0:
        return margin_in_force(m, widened(m, m.pair_margin[pair], m.pair_gap[pair]))
    return margin_from(m, m.geom_margin[g1], m.geom_gap[g1], m.geom_margin[g2], m.geom_gap[g2])


@kernel
def margin_from(m, margin1, gap1, margin2, gap2):
    """Distance (m) below which two things with these margins and gaps get contacts."""
    return margin_in_force(m, widened(m, both(m, margin1, margin2), both(m, gap1, gap2)))


@kernel
def margin_alone(m, g):
    """What geom g adds at most to the distance (m) below which it and another geom get contacts."""
    return margin_in_force(m, widened(m, m.geom_margin[g], m.geom_gap[g]))


@kernel
def both(m, first, second):
    """The margin, or gap, of two things: the larger one, or their sum, by the rule "margins"."""
    if m.edition == EDITION_4:
        return first + second
    return maximum(first, second)


@kernel
def widened(m, margin, gap):
    """The distance (m) below which contacts are listed: the margin, or that and the gap, by the rule "gap"."""
    if m.edition == EDITION_4:
        return margin + gap
    return margin


@kernel
def acting_margin(m, margin, gap):
    """Distance (m) below which contacts act that have this margin and gap."""
    if m.edition == EDITION_4:
        return margin_in_force(m, margin)
    return margin_in_force(m, margin) - gap


@kernel
def margin_in_force(m, margin):
    """A margin of contacts, or the one of all contacts if margins are overridden."""
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        return m.opt.o_margin
    return margin


@kernel
def bits_match(contype, conaffinity, other_contype, other_conaffinity):
    """Whether one of two things collides with the type of the other."""
    return ((contype & other_conaffinity) != 0) | ((other_contype & conaffinity) != 0)


@kernel
def are_related(m, b, c):
    """Whether two bodies do not collide: they are welded together, or nothing moves them, or they are parent and child,
    and neither welded to the world."""
    filtered = (m.opt.disableflags & mjtDisableBit.mjDSBL_FILTERPARENT) == 0
    return (m.body_weldid[b] == m.body_weldid[c]) | are_still(m, b, c) | (filtered & are_family(m, b, c))


@kernel
def are_still(m, b, c):
    """Whether no dof moves either of two bodies."""
    return (m.body_dofnum[m.body_weldid[b]] == 0) & (m.body_dofnum[m.body_weldid[c]] == 0)


@kernel
def are_family(m, b, c):
    """Whether two bodies are parent and child, and neither is fixed to the world."""
    v = m.body_weldid[b]
    w = m.body_weldid[c]
    child = (m.body_weldid[m.body_parentid[v]] == w) | (m.body_weldid[m.body_parentid[w]] == v)
    return (v != 0) & (w != 0) & child


@kernel
def may_touch(m, g, h):
    """Whether geoms g and h pass the filters of the model: see `runtime.pairs`."""
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
    """Whether a list of ascending numbers has a number."""
    place = count_below(numbers, count, number)
    return place < count and numbers[minimum(place, count - 1)] == number


@kernel
def count_below(numbers, count, number):
    """How many of a list of ascending numbers are below a number."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low
