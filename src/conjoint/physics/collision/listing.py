"""Listing the contacts that were found, in the order of `near_order`: those of pairs that touch become contacts."""

from conjoint.lang import STRIP, any, kernel, lanes_max, where
from conjoint.physics.collision.broadphase import lower_body, near_margin
from conjoint.physics.collision.collider_table import FIRST_CONVEX, LAST_CONVEX
from conjoint.physics.collision.contact import add_contact
from conjoint.physics.collision.flex.listing import list_flex_contacts
from conjoint.physics.official.midphase import without_missed


@kernel
def select_touching(m, d):
    """List the near pairs that touch in some world of a block, in the order of contacts: `near_touching`."""
    touching = 0
    # where there was no room for all of them collision is done again, and none are looked at
    lost = lanes_max(d.nfound) > lanes_max(d.ncon_capacity)
    for p in range(d.nnear):
        k = d.near_order[p]
        d.found_num[k] = where(d.near_hit[k] != 0, d.found_num[k], 0)
        if any(d.found_num[k] > 0) and (lost or touches(m, d, k)):
            d.near_touching[touching] = k
            touching += 1
    d.ntouching = touching


@kernel
def touches(m, d, k):
    """Whether near pair k touches in some world."""
    margin = near_margin(m, d, k)
    number = m.types_collider[d.near_types[k]]
    there = d.found_num[k] > 0
    if d.near_slot[k] >= 0:
        # in one world all are within the margin, lanes find those within reach, too
        there = there & ((m.reach == 0.0) | (d.found_least[k] <= margin))
    return any(without_missed(m, d, k, there, margin, number >= FIRST_CONVEX and number <= LAST_CONVEX))


@kernel
def is_within(m, d, i, margin):
    """Whether found contact i is within its margin: in one world all are, lanes find those within reach, too."""
    return (m.reach == 0.0) | (d.found_dist[i] <= margin)


@kernel
def list_side_by_side(m, d):
    """`list_contacts` for all worlds of a block at once, if lanes found all contacts and there is room for them."""
    d.contacts_listed = 0
    if STRIP == 1 and m.nflex == 0:
        alone = 0
        for p in range(d.ntouching):
            if d.near_slot[d.near_touching[p]] < 0:
                alone += 1
        if alone == 0 and lanes_max(d.nfound) <= lanes_max(d.ncon_capacity):
            d.contacts_listed = 1
            d.ncon = 0
            d.ncon_needed = d.nfound
            for p in range(d.ntouching):
                k = d.near_touching[p]
                list_pair(m, d, k, d.near_slot[k])


@kernel(one_by_one="its indices and branches are those of the state")
def list_contacts(m, d):
    """Begin the contact list: `d.ncon`, `d.contact_*`. If there is no room, `d.ncon_needed` says for how many."""
    if d.contacts_listed == 0:
        d.ncon = 0
        d.ncon_needed = d.nfound
        if d.nfound <= d.ncon_capacity:
            flexible = d.nfound_geoms
            for p in range(d.ntouching):
                k = d.near_touching[p]
                if m.nflex > 0:
                    # contacts of a body with flexes come after those with bodies
                    flexible = list_flex_contacts(m, d, flexible, lower_body(m, d, k))
                list_pair(m, d, k, d.found_adr[k])
            if m.nflex > 0:
                list_flex_contacts(m, d, flexible, m.nbody + 1)


@kernel
def list_pair(m, d, k, first):
    """Append the contacts of near pair k, from found contact `first` on."""
    margin = near_margin(m, d, k)
    for i in range(lanes_max(d.found_num[k])):
        there = (i < d.found_num[k]) & is_within(m, d, first + i, margin)
        if any(there):
            add_contact(m, d, k, first + i, there)
