"""Contacts of the pairs that the broad phase let through: one kernel for each pair of types in the table.

Each finds the contacts of its pairs; `list_contacts` then lists all of them in the order of `near_order`.
"""

from conjoint.lang import Kernel, kernel, lanes_max, local, real, vec3, where
from conjoint.physics.collision.box_box import box_box
from conjoint.physics.collision.broadphase import near_margin
from conjoint.physics.collision.contact import add_contact
from conjoint.physics.collision.found import MOST_IN_LANES, VECTORS
from conjoint.physics.collision.table import COLLIDERS, types_number
from conjoint.schema.constants import mjMAXCONPAIR

POINTS = VECTORS * mjMAXCONPAIR
"""Vectors of the contacts that one pair may have."""


@kernel
def begin_contacts(m, d):
    """Nothing is found yet."""
    d.nfound = 0


def narrowphase_of(name: str, number: int, collider: Kernel) -> Kernel:
    """The kernel that finds the contacts of all near pairs of one pair of types."""
    find = find_contacts if collider.per_world else find_in_lanes

    @kernel(per_world=collider.per_world)
    def narrowphase(m, d):
        """Find the contacts of the near pairs of these types."""
        for k in range(d.nnear):
            if d.near_types[k] == number:
                find(m, d, k, collider)

    narrowphase.__name__ = f"narrowphase_{name}"
    return narrowphase


@kernel(per_world=True)
def find_contacts(m, d, k, collider):
    """Find the contacts of near pair k; those for which there is no room are counted."""
    if d.near_hit[k] != 0:
        dists = local(real, mjMAXCONPAIR)
        points = local(vec3, POINTS)
        n = collider(m, d, d.near_geom1[k], d.near_geom2[k], near_margin(m, d, k), dists, points)
        d.found_num[k] = n
        keep_found(d, k, n, dists, points)


@kernel
def find_in_lanes(m, d, k, collider):
    """Find the contacts of near pair k in all worlds; those for which there is no room are counted.

    All worlds leave room for as many as the one that has most of them.
    """
    dists = local(real, MOST_IN_LANES)
    points = local(vec3, VECTORS * MOST_IN_LANES)
    n = collider(m, d, d.near_geom1[k], d.near_geom2[k], near_margin(m, d, k), dists, points)
    found = where(d.near_hit[k] != 0, n, 0)
    d.found_num[k] = found
    keep_found(d, k, lanes_max(found), dists, points)


@kernel
def keep_found(d, k, n, dists, points):
    """Keep n contacts of near pair k behind those found before."""
    first = lanes_max(d.nfound)
    d.found_adr[k] = first
    d.nfound = first + n
    if first + n <= lanes_max(d.ncon_capacity):
        for i in range(n):
            d.found_dist[first + i] = dists[i]
            for j in range(VECTORS):
                d.found_point[first + i, j] = points[VECTORS * i + j]


@kernel(per_world=True)
def list_contacts(m, d):
    """Fill the contact list: `d.ncon`, `d.contact_*`. If there is no room, `d.ncon_needed` says for how many."""
    d.ncon = 0
    d.ncon_needed = d.nfound
    if d.nfound <= d.ncon_capacity:
        for p in range(d.nnear):
            k = d.near_order[p]
            if d.near_hit[k] != 0:
                first = d.found_adr[k]
                for i in range(first, first + d.found_num[k]):
                    pos = d.found_point[i, 0]
                    add_contact(m, d, k, d.found_dist[i], pos, d.found_point[i, 1], d.found_point[i, 2])


def distance_of(collider: Kernel) -> Kernel:
    """The kernel that measures the distance of two geoms of one pair of types."""

    @kernel(per_world=True)
    def geom_distance(m, d, g1, g2, most):
        """Smallest distance of two geoms of these types; see `nearest_contact`."""
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
    return dists[nearest] + 0.0, middle - half, middle + half


NARROWPHASE = {
    types: narrowphase_of(collider.__name__, types_number(*types), collider) for types, collider in COLLIDERS.items()
}
"""The narrow phase of each pair of types."""

DISTANCES = {types: distance_of(collider) for types, collider in COLLIDERS.items() if collider is not box_box}
"""What measures the distance of two geoms, by their types. (How far boxes are apart is more than along which axis.)"""
