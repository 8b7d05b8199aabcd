"""Search for the contacts of near pairs, with one kernel for each collider in the table."""

from conjoint.lang import Kernel, dot, kernel, local, maximum, norm, normalize3, real, vec3, where
from conjoint.once import made_alike
from conjoint.physics.collision.box_box_3 import BOXES_3, box_box_3
from conjoint.physics.collision.boxes import APART, box_contacts, least_axis
from conjoint.physics.collision.collider_table import CAPSULE_BOX, FIRST_CONVEX, LAST_CONVEX
from conjoint.physics.collision.contact_candidates import POINTS, VECTORS
from conjoint.physics.collision.convex.editions import convex_3, convex_4, convex_several_3, convex_several_4
from conjoint.physics.collision.convex.planes import EXACT_TURNS, are_apart, plane_along, plane_between
from conjoint.physics.row_storage import fullest
from conjoint.physics.status import CONTACTS_FULL
from conjoint.schema.constants import mjMAXCONPAIR
from conjoint.schema.enums import mjtGeom

SEARCHES = (convex_3, convex_several_3, convex_several_4, convex_4)
"""Colliders that also report the direction along which bodies are separated."""

SPREAD = 37
"""Factor of the first geom's id in the hash of a pair, which is computed modulo `napart`."""


@kernel
def contacts_fit(m, d):
    """Return an error status if the arena is too small for all contacts, else 0."""
    d.ncon_needed = maximum(d.nfound_geoms, d.nfound)
    if d.ncon_needed > d.ncon_capacity:
        return CONTACTS_FULL
    return 0


@made_alike
def narrowphase_of(number: int, collider: Kernel) -> Kernel:
    """Return the kernel that finds the contacts of all near pairs with a given collider."""
    if collider == box_box_3:
        find = find_boxes
    elif collider in SEARCHES:
        find = unless_apart(searching(collider))
    else:
        find = finding(collider)
        if FIRST_CONVEX <= number <= LAST_CONVEX or number == CAPSULE_BOX:
            find = unless_apart(find)

    @kernel
    def narrowphase(m, d):
        """Find the contacts of the near pairs of this collider.

        Contacts have the same indices in all worlds of a block, so each pair reserves as many as the world with the
        most contacts needs.
        """
        for k in range(d.nnear):
            if d.near_collider[k] == number:
                first = d.nfound_geoms
                n = 0
                if d.near_hit[k] != 0:
                    n = find(m, d, k, first, vec3(0.0, 0.0, 0.0))
                d.found_num[k] = n
                d.found_adr[k] = first
                d.nfound_geoms = first + fullest(n)

    narrowphase.__name__ = f"narrowphase_{collider.__name__}"
    return narrowphase


@made_alike
def finding(collider: Kernel) -> Kernel:
    """Return the kernel that finds the contacts of one near pair with a collider."""

    @kernel(one_by_one=collider.one_by_one)
    def find(m, d, k, first, way):
        """Find the contacts of near pair k, and store them from index `first` on; return their number."""
        dists = local(real, mjMAXCONPAIR)
        points = local(vec3, POINTS)
        n = collider(m, d, d.near_geom1[k], d.near_geom2[k], d.near_margin[k], dists, points)
        store_found(d, first, n, dists, points)
        return n

    return find


@kernel
def find_boxes(m, d, k, first, way):
    """Find the contacts of two boxes; return their number.

    All worlds of a block search for the axis of least overlap together.
    """
    axis = least_axis(m, d, d.near_geom1[k], d.near_geom2[k], d.near_margin[k], BOXES_3)
    if axis == APART:
        return 0
    return clip_boxes(m, d, k, first, axis)


@kernel(one_by_one=box_box_3.one_by_one)
def clip_boxes(m, d, k, first, axis):
    """Find the contacts of two boxes along an axis; return their number."""
    dists = local(real, mjMAXCONPAIR)
    points = local(vec3, POINTS)
    margin = d.near_margin[k]
    n = box_contacts(m, d, d.near_geom1[k], d.near_geom2[k], axis, margin, dists, points, BOXES_3)
    store_found(d, first, n, dists, points)
    return n


@made_alike
def unless_apart(find: Kernel) -> Kernel:
    """Return a kernel that finds the contacts of a near pair only if no separating plane is found quickly.

    Planes are tested that are parallel to a side of one geom's box, or perpendicular to the line between the geoms. If
    the geoms touched in all worlds at their last search, no plane is tested, because usually there is none.
    """

    @kernel
    def test_and_find(m, d, k, first, way):
        """Find the contacts of near pair k; pass `find` the direction along which the geoms' bounds overlap least."""
        g1 = d.near_geom1[k]
        g2 = d.near_geom2[k]
        if not touched(m, d, g1, g2):
            apart = are_apart(m, d, g1, g2, d.near_margin[k])
            if not apart:
                apart, way = plane_between(m, d, g1, g2, d.near_margin[k])
            if apart:
                return 0
        return find(m, d, k, first, way)

    return test_and_find


@made_alike
def searching(collider: Kernel) -> Kernel:
    """Return a kernel that searches for contacts of convex bodies, unless a guessed plane separates them.

    The plane is perpendicular to the separating direction that the pair's last search found, which is cached.
    """

    @kernel(few=True)
    def search(m, d, k, first, way):
        """Find the contacts of near pair k; `way` is a direction along which its geoms may be separated, or zero."""
        dists = local(real, mjMAXCONPAIR)
        points = local(vec3, POINTS)
        g1 = d.near_geom1[k]
        g2 = d.near_geom2[k]
        slot = slot_of(m, g1, g2)
        way, turns = remembered_way(m, d, slot, g1, g2, way)
        apart, way = plane_along(m, d, g1, g2, d.near_margin[k], way, turns)
        n = 0
        if not apart:
            n = collider(m, d, g1, g2, d.near_margin[k], dists, points)
            if n > 0:
                way = vec3(0.0, 0.0, 0.0)
            elif norm(d.apart_found) > 0.0:
                way = normalize3(d.apart_found)
        d.apart_geoms[slot] = g1 * m.ngeom + g2
        d.apart_way[slot] = d.geom_xmat[g1].T @ way
        store_found(d, first, n, dists, points)
        return n

    return search


@kernel
def slot_of(m, g1, g2):
    """Return the cache slot for the separating direction of two geoms."""
    return (g1 * SPREAD + g2) & (m.napart - 1)


@kernel
def touched(m, d, g1, g2):
    """Return True if two geoms touched at their last search, according to the cache."""
    if m.napart == 0:
        return False
    slot = slot_of(m, g1, g2)
    way = d.apart_way[slot]
    return d.apart_geoms[slot] == g1 * m.ngeom + g2 and dot(way, way) == 0.0


@kernel
def remembered_way(m, d, slot, g1, g2, way):
    """Return the cached separating direction of two geoms, or `way` on a cache miss; and the number of planes to try.

    The direction is cached in the frame of the first geom, and zero if the geoms touched. It is only a guess, because
    it may be from another world that occupied the lane before.
    """
    if d.apart_geoms[slot] == g1 * m.ngeom + g2:
        return d.geom_xmat[g1] @ d.apart_way[slot], 1
    # Planes between primitive shapes were tested before; for meshes, only planes between their bounds were.
    meshes = m.geom_type[g1] == mjtGeom.mjGEOM_MESH or m.geom_type[g2] == mjtGeom.mjGEOM_MESH
    return way, where(meshes, EXACT_TURNS, 0)


@kernel
def store_found(d, first, n, dists, points):
    """Store n contacts from index `first` on, as far as the capacity allows."""
    for i in range(n):
        if first + i < d.ncon_capacity:
            d.found_dist[first + i] = dists[i]
            for j in range(VECTORS):
                d.found_point[first + i, j] = points[VECTORS * i + j]
