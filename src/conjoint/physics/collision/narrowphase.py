"""Contacts of the pairs that the broad phase let through: one kernel for each collider in the table.

Each finds the contacts of its pairs; `list_contacts` then lists all of them in the order of `near_order`.
"""

from conjoint.lang import (
    STRIP,
    Kernel,
    any,
    kernel,
    lanes_max,
    local,
    logical_not,
    minimum,
    put,
    real,
    sqrt,
    vec3,
    where,
)
from conjoint.once import made_alike
from conjoint.physics.collision.box_box import APART, box_axis, box_box, box_contacts
from conjoint.physics.collision.box_distance import nearest_of_boxes
from conjoint.physics.collision.broadphase import lower_body, near_margin
from conjoint.physics.collision.capsule_box import capsule_box
from conjoint.physics.collision.collider_table import (
    COLLIDER_NUMBERS,
    CONVEX,
    CONVEX_COLLIDERS,
    HFIELD,
    HFIELD_COLLIDERS,
    colliders,
    is_native,
)
from conjoint.physics.collision.contact import add_contact, add_contacts
from conjoint.physics.collision.contact_candidates import MOST_IN_LANES, VECTORS
from conjoint.physics.collision.convex.bounds import are_apart
from conjoint.physics.collision.convex.collide import convex_distance
from conjoint.physics.collision.convex.planes import plane_between
from conjoint.physics.collision.flex.listing import list_flex_contacts
from conjoint.physics.collision.hfield_distance import hfield_distance
from conjoint.physics.collision.midphase import are_missed
from conjoint.physics.collision.spheres import capsule_capsule, nearest_of_capsules
from conjoint.physics.collision.sweep_misses import DOUBLE
from conjoint.schema.constants import mjMAXCONPAIR, mjMAXVAL
from conjoint.schema.enums import mjtGeom

POINTS = VECTORS * mjMAXCONPAIR
"""Vectors of the contacts that one pair may have."""

GRAZING = 1e-9
"""Overlap (m) up to which bounds may not tell that two geoms touch; what they are made of is rounded by less."""

NO_SLOT = -1
"""In `near_slot` of pairs whose contacts each world finds on its own."""


@kernel
def begin_contacts(m, d):
    """Nothing is found yet."""
    d.nfound = 0
    for k in range(d.nnear):
        d.near_slot[k] = NO_SLOT


@made_alike
def narrowphase_of(number: int, collider: Kernel) -> Kernel:
    """The kernel that finds the contacts of all near pairs of one collider."""
    find = find_contacts if collider.per_world else find_in_lanes
    if collider == box_box:
        find = find_contacts_of_boxes

    @kernel(per_world=collider.per_world)
    def narrowphase(m, d):
        """Find the contacts of the near pairs of this collider."""
        for k in range(d.nnear):
            if m.types_collider[d.near_types[k]] == number:
                find(m, d, k, collider)

    narrowphase.__name__ = f"narrowphase_{collider.__name__}"
    return narrowphase


@kernel(per_world=True)
def find_contacts(m, d, k, collider):
    """Find the contacts of near pair k, and count those for which there is no room."""
    if d.near_hit[k] != 0:
        dists = local(real, mjMAXCONPAIR)
        points = local(vec3, POINTS)
        n = collider(m, d, d.near_geom1[k], d.near_geom2[k], near_margin(m, d, k), dists, points)
        d.found_num[k] = n
        keep_found(d, k, n, dists, points)


@kernel
def separate_boxes(m, d):
    """Find the axis along which boxes near each other overlap least, in all worlds; pairs that are apart leave."""
    for k in range(d.nnear):
        if m.types_collider[d.near_types[k]] == BOXES:
            axis = box_axis(m, d, d.near_geom1[k], d.near_geom2[k], near_margin(m, d, k))
            d.near_axis[k] = axis
            d.near_hit[k] = where(axis == APART, 0, d.near_hit[k])


@kernel
def separate_convex(m, d):
    """Pairs of convex bodies between which there is a plane leave, if that is soon found.

    It is parallel to a side of a box around one of them, or across the line between them. A capsule and a box, whose
    contacts are as dear, leave the same way.
    """
    for k in range(d.nnear):
        number = m.types_collider[d.near_types[k]]
        if (number >= FIRST_CONVEX and number <= LAST_CONVEX) or number == CAPSULE_BOX:
            hit = d.near_hit[k] != 0
            if any(hit):
                g1 = d.near_geom1[k]
                g2 = d.near_geom2[k]
                hit = hit & logical_not(are_apart(m, d, g1, g2, near_margin(m, d, k)))
                if any(hit):
                    hit = hit & logical_not(plane_between(m, d, g1, g2, near_margin(m, d, k), hit))
                d.near_hit[k] = where(hit, 1, 0)


@kernel(per_world=True)
def find_contacts_of_boxes(m, d, k, collider):
    """Find the contacts of two boxes along the axis that `separate_boxes` found."""
    if d.near_hit[k] != 0:
        dists = local(real, mjMAXCONPAIR)
        points = local(vec3, POINTS)
        margin = near_margin(m, d, k)
        axis = d.near_axis[k]
        n = box_contacts(m, d, d.near_geom1[k], d.near_geom2[k], axis, margin, sqrt(m.epsilon), dists, points)
        d.found_num[k] = n
        keep_found(d, k, n, dists, points)


@kernel
def find_in_lanes(m, d, k, collider):
    """Find the contacts of near pair k in all worlds, and count those for which there is no room.

    All worlds leave room for as many as the one that has most of them.
    """
    dists = local(real, MOST_IN_LANES)
    points = local(vec3, VECTORS * MOST_IN_LANES)
    n = collider(m, d, d.near_geom1[k], d.near_geom2[k], near_margin(m, d, k), dists, points)
    found = where(d.near_hit[k] != 0, n, 0)
    d.found_num[k] = found
    d.near_slot[k] = lanes_max(d.nfound)
    keep_found(d, k, lanes_max(found), dists, points)


@kernel
def keep_found(d, k, n, dists, points):
    """Keep n contacts of near pair k behind those found before."""
    first = lanes_max(d.nfound)
    d.found_adr[k] = first
    d.nfound = first + n
    least = mjMAXVAL
    for i in range(n):
        least = where(i < d.found_num[k], minimum(least, dists[i]), least)
    d.found_least[k] = least
    if first + n <= lanes_max(d.ncon_capacity):
        for i in range(n):
            d.found_dist[first + i] = dists[i]
            for j in range(VECTORS):
                d.found_point[first + i, j] = points[VECTORS * i + j]


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
    """Whether near pair k touches in some world; where its bounds do not, it has no contacts."""
    margin = near_margin(m, d, k)
    there = d.found_num[k] > 0
    if d.near_slot[k] >= 0:
        # in one world all are within the margin, lanes find those within reach, too
        there = there & ((m.reach == 0.0) | (d.found_least[k] <= margin))
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    graze = there
    if not is_curved_and_searched(m, d, k):
        graze = there & (d.found_least[k] >= margin - GRAZING)
    # in single precision nothing tells where bodies just touch
    if m.epsilon < DOUBLE and any(graze):
        missed = graze & are_missed(m, d, d.near_pair[k], g1, g2, margin)
        d.found_num[k] = where(missed, 0, d.found_num[k])
        there = there & logical_not(missed)
    return any(there)


@kernel
def is_curved_and_searched(m, d, k):
    """Whether near pair k is searched for a contact on an ellipsoid or a cylinder: it may be found too deep."""
    number = m.types_collider[d.near_types[k]]
    kind = m.geom_type[d.near_geom1[k]]
    other = m.geom_type[d.near_geom2[k]]
    curved = kind == mjtGeom.mjGEOM_ELLIPSOID or kind == mjtGeom.mjGEOM_CYLINDER
    curved = curved or other == mjtGeom.mjGEOM_ELLIPSOID or other == mjtGeom.mjGEOM_CYLINDER
    return curved and number >= FIRST_CONVEX and number <= LAST_CONVEX


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
                first = d.near_slot[k]
                margin = near_margin(m, d, k)
                for i in range(lanes_max(d.found_num[k])):
                    there = (i < d.found_num[k]) & is_within(m, d, first + i, margin)
                    if any(there):
                        add_contacts(m, d, k, first + i, there)


@kernel(per_world=True)
def list_contacts(m, d):
    """Begin the contact list: `d.ncon`, `d.contact_*`. If there is no room, `d.ncon_needed` says for how many."""
    if d.contacts_listed == 0:
        list_each(m, d)


@kernel(per_world=True)
def list_each(m, d):
    """Begin the contact list of one world, one contact after the other."""
    d.ncon = 0
    d.ncon_needed = d.nfound
    if d.nfound <= d.ncon_capacity:
        flexible = 0
        if m.nflex > 0:
            flexible = d.nfound_geoms
        for p in range(d.ntouching):
            k = d.near_touching[p]
            if m.nflex > 0:
                # contacts of a body with flexes come after those with bodies
                flexible = list_flex_contacts(m, d, flexible, lower_body(m, d, k))
            if d.found_num[k] > 0:
                list_pair(m, d, k)
        if m.nflex > 0:
            list_flex_contacts(m, d, flexible, m.nbody + 1)


@kernel(per_world=True)
def list_pair(m, d, k):
    """Append the contacts of near pair k."""
    first = d.found_adr[k]
    margin = near_margin(m, d, k)
    for i in range(first, first + d.found_num[k]):
        if is_within(m, d, i, margin):
            pos = d.found_point[i, 0]
            add_contact(m, d, k, d.found_dist[i], pos, d.found_point[i, 1], d.found_point[i, 2])


def distance_of(collider: Kernel) -> Kernel:
    """The kernel that measures the distance of two geoms by a collider."""

    @kernel(per_world=True)
    def geom_distance(m, d, g1, g2, most):
        """Smallest distance of two geoms; see `nearest_contact`."""
        return nearest_contact(m, d, g1, g2, most, collider)

    geom_distance.__name__ = f"distance_{collider.__name__}"
    return geom_distance


@kernel(per_world=True)
def nearest_contact(m, d, g1, g2, most, collider):
    """Smallest distance of two geoms, up to `most`, and the points on them between which it is (mj_geomDistance).

    Returns:
        the distance, the point on g1, the point on g2; both zero if the distance is not below `most`.
    """
    dists = local(real, mjMAXCONPAIR)
    points = local(vec3, POINTS)
    n = collider(m, d, g1, g2, most, dists, points)
    nearest = 0
    for i in range(1, n):
        if dists[i] < dists[nearest]:
            nearest = i
    none = vec3(0.0, 0.0, 0.0)
    if n == 0:
        return most, none, none
    half = points[VECTORS * nearest + 1] * (0.5 * dists[nearest])
    middle = points[VECTORS * nearest]
    return dists[nearest], middle - half, middle + half


def contacts_name(number: int) -> str:
    """What the stage that runs collider `number` needs."""
    return f"contacts by collider {number}"


CONVEX_NUMBERS = tuple(COLLIDER_NUMBERS[collider] for collider in CONVEX_COLLIDERS.values())
FIRST_CONVEX = min(CONVEX_NUMBERS)
LAST_CONVEX = max(CONVEX_NUMBERS)
"""Numbers of the colliders of convex bodies: one of them at a time serves all their pairs."""

BOXES = COLLIDER_NUMBERS[box_box]
"""Number of the collider of two boxes."""

CAPSULE_BOX = COLLIDER_NUMBERS[capsule_box]
"""Number of the collider of a capsule and a box."""

NARROWPHASE = {contacts_name(number): narrowphase_of(number, collider) for collider, number in COLLIDER_NUMBERS.items()}
"""The narrow phase of each collider, by what its stage needs."""

NATIVE = tuple(collider for (native, _), collider in CONVEX_COLLIDERS.items() if native)
"""Colliders of convex bodies that measure no distances, since another kernel does; so it is with height fields."""

NEAREST = {capsule_capsule: nearest_of_capsules, box_box: nearest_of_boxes}
"""Colliders of which the nearest contact may be one of those that they leave out, and what finds it."""

_BY_COLLIDER = {
    collider: distance_of(NEAREST.get(collider, collider))
    for collider in COLLIDER_NUMBERS
    if collider not in (*NATIVE, *HFIELD_COLLIDERS.values())
}
"""What measures the distance of two geoms by a collider."""

DISTANCE_NUMBERS = {
    measure: number for number, measure in enumerate((*_BY_COLLIDER.values(), convex_distance, hfield_distance))
}
"""Numbers by which plans know what measures distances."""


def written(measure: Kernel) -> Kernel:
    """What writes the points that `measure` finds to six numbers, those of the second geom first if `turned`."""

    @kernel(per_world=True)
    def write_distance(m, d, g1, g2, most, turned, points):
        """Distance of two geoms (mj_geomDistance)."""
        distance, first, second = measure(m, d, g1, g2, most)
        put(points, 3 * turned, first)
        put(points, 3 - 3 * turned, second)
        return distance

    return write_distance


UNSORTED_POINTS = (convex_distance,)
"""Those whose points are in the order of types, in whichever order geoms are given (as officially)."""


def distances(disableflags: int, enableflags: int) -> dict[tuple[mjtGeom, mjtGeom], Kernel]:
    """What measures the distance of two geoms, by their types, under the flags of a model."""
    general = dict.fromkeys(HFIELD, hfield_distance)
    if is_native(disableflags):
        general |= dict.fromkeys((*CONVEX, (mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_BOX)), convex_distance)
    chosen = colliders(disableflags, enableflags)
    return {types: _BY_COLLIDER[collider] for types, collider in chosen.items() if types not in general} | general
