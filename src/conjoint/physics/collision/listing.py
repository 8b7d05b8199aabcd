"""Listing the contacts that were found, in the order of `near_order`: those of pairs that touch become contacts."""

from conjoint.lang import any, kernel
from conjoint.physics.collision.broadphase import lower_body, near_margin
from conjoint.physics.collision.collider_table import FIRST_CONVEX, LAST_CONVEX
from conjoint.physics.collision.contact import add_contact
from conjoint.physics.collision.flex.listing import list_flex_contacts
from conjoint.physics.official.midphase import is_missed


@kernel
def select_touching(m, d):
    """List the near pairs that touch in some world of a block, in the order of contacts: `near_touching`."""
    touching = 0
    for p in range(d.nnear):
        k = d.near_order[p]
        if any(touches(m, d, k)):
            d.near_touching[touching] = k
            touching += 1
    d.ntouching = touching


@kernel
def touches(m, d, k):
    """Whether near pair k touches, and the official engine sees it; else no contact of it counts."""
    if d.near_hit[k] == 0 or d.found_num[k] == 0:
        d.found_num[k] = 0
        return False
    margin = near_margin(m, d, k)
    # in one world all are within the margin, lanes find those within reach, too
    if m.reach > 0.0 and d.found_least[k] > margin:
        return False
    number = m.types_collider[d.near_types[k]]
    if is_missed(m, d, k, margin, number >= FIRST_CONVEX and number <= LAST_CONVEX):
        d.found_num[k] = 0
        return False
    return True


@kernel(one_by_one="together 0.61 (rings), 0.77 (humanoid) of the speed: numbers of contacts differ between worlds")
def list_contacts(m, d):
    """Begin the contact list: `d.ncon`, `d.contact_*`."""
    d.ncon = 0
    flexible = d.nfound_geoms
    for p in range(d.ntouching):
        k = d.near_touching[p]
        if m.nflex > 0:
            # contacts of a body with flexes come after those with bodies
            flexible = list_flex_contacts(m, d, flexible, lower_body(m, d, k))
        list_pair(m, d, k)
    if m.nflex > 0:
        list_flex_contacts(m, d, flexible, m.nbody + 1)


@kernel
def list_pair(m, d, k):
    """Append the contacts of near pair k that are within its margin: some colliders find those within reach, too."""
    margin = near_margin(m, d, k)
    first = d.found_adr[k]
    for i in range(d.found_num[k]):
        if m.reach == 0.0 or d.found_dist[first + i] <= margin:
            add_contact(m, d, k, first + i)
