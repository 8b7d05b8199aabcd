"""Finding the contacts of the pairs that the broad phase let through: one kernel for each collider in the table."""

from conjoint.lang import (
    Kernel,
    dot,
    kernel,
    local,
    maximum,
    minimum,
    norm,
    normalize3,
    real,
    vec3,
    where,
)
from conjoint.once import made_alike
from conjoint.physics.collision.box_box_3 import BOXES_3, box_box_3
from conjoint.physics.collision.boxes import APART, box_contacts, least_axis
from conjoint.physics.collision.broadphase import near_margin
from conjoint.physics.collision.collider_table import BOXES, CAPSULE_BOX, FIRST_CONVEX, LAST_CONVEX
from conjoint.physics.collision.contact_candidates import VECTORS
from conjoint.physics.collision.convex.collide import convex
from conjoint.physics.collision.convex.manifold import convex_cores, convex_manifold
from conjoint.physics.collision.convex.planes import EXACT_TURNS, are_apart, plane_along, plane_between
from conjoint.physics.collision.convex.several import convex_several
from conjoint.physics.row_storage import fullest
from conjoint.physics.status import CONTACTS_FULL
from conjoint.schema.constants import mjMAXCONPAIR, mjMAXVAL
from conjoint.schema.enums import mjtGeom

SEARCHES = (convex, convex_several, convex_manifold, convex_cores)
"""Of these, the colliders that tell along which direction bodies are apart."""

SPREAD = 37
"""Of two numbers of geoms, makes one that hardly any other pair has, modulo `napart`."""


@kernel
def begin_contacts(m, d):
    """Nothing is found yet."""
    d.nfound = 0
    d.nfound_geoms = 0


@kernel
def contacts_fit(m, d):
    """Stop if the arena has no room for all contacts that were found."""
    d.ncon_needed = maximum(d.nfound_geoms, d.nfound)
    if d.ncon_needed > d.ncon_capacity:
        return CONTACTS_FULL
    return 0


@kernel
def separate_boxes(m, d):
    """Find the axis along which boxes near each other overlap least; pairs that are apart leave."""
    for k in range(d.nnear):
        if m.types_collider[d.near_types[k]] == BOXES:
            axis = least_axis(m, d, d.near_geom1[k], d.near_geom2[k], near_margin(m, d, k), BOXES_3)
            d.near_axis[k] = axis
            if axis == APART:
                d.near_hit[k] = 0


@kernel
def slot_of(m, g1, g2):
    """Return where it is remembered how two geoms were apart."""
    return (g1 * SPREAD + g2) & (m.napart - 1)


@kernel
def touched(m, d, g1, g2):
    """Return True if two geoms touched when they were last searched, and that is remembered."""
    if m.napart == 0:
        return False
    slot = slot_of(m, g1, g2)
    way = d.apart_way[slot]
    return d.apart_geoms[slot] == g1 * m.ngeom + g2 and dot(way, way) == 0.0


@kernel
def separate_convex(m, d):
    """Pairs of convex bodies between which there is a plane leave, if that is soon found.

    It is parallel to a side of a box around one of them, or across the line between them. A capsule and a box, whose
    contacts are as dear, leave the same way. Where a pair touched in all worlds when it was last searched, no plane is
    sought: mostly there is none.
    """
    for k in range(d.nnear):
        number = m.types_collider[d.near_types[k]]
        if (number >= FIRST_CONVEX and number <= LAST_CONVEX) or number == CAPSULE_BOX:
            g1 = d.near_geom1[k]
            g2 = d.near_geom2[k]
            # no direction is likely
            d.near_way[k] = vec3(0.0, 0.0, 0.0)
            if d.near_hit[k] != 0 and not touched(m, d, g1, g2):
                apart = are_apart(m, d, g1, g2, near_margin(m, d, k))
                if not apart:
                    apart, way = plane_between(m, d, g1, g2, near_margin(m, d, k))
                    d.near_way[k] = way
                if apart:
                    d.near_hit[k] = 0


@kernel
def collide_boxes(m, d, k, margin, dists, points):
    """Contacts of two boxes along the axis that `separate_boxes` found."""
    g1 = d.near_geom1[k]
    return box_contacts(m, d, g1, d.near_geom2[k], d.near_axis[k], margin, dists, points, BOXES_3)


@kernel
def remembered_way(m, d, slot, g1, g2, way):
    """The direction along which two geoms were apart when they were last searched, else `way`; planes worth a trial.

    It is remembered in the frame of the first geom: it may have been found in another world that had the lane before,
    and is no more than a good guess. Zero if they touched.
    """
    if d.apart_geoms[slot] == g1 * m.ngeom + g2:
        return d.geom_xmat[g1] @ d.apart_way[slot], 1
    # planes were turned between shapes before; between meshes only what contains them was
    meshes = m.geom_type[g1] == mjtGeom.mjGEOM_MESH or m.geom_type[g2] == mjtGeom.mjGEOM_MESH
    return way, where(meshes, EXACT_TURNS, 0)


@made_alike
def convex_by(collider: Kernel) -> Kernel:
    """What finds contacts of convex bodies by a collider, where no plane is between them."""

    @kernel(few=True)
    def collide_convex(m, d, k, margin, dists, points):
        """Contacts of near pair k, which leaves if a plane across a likely direction is between its geoms."""
        g1 = d.near_geom1[k]
        g2 = d.near_geom2[k]
        slot = slot_of(m, g1, g2)
        way, turns = remembered_way(m, d, slot, g1, g2, d.near_way[k])
        apart, way = plane_along(m, d, g1, g2, margin, way, turns)
        n = 0
        if not apart:
            n = collider(m, d, g1, g2, margin, dists, points)
            if n > 0:
                way = vec3(0.0, 0.0, 0.0)
            elif norm(d.apart_found) > 0.0:
                way = normalize3(d.apart_found)
        d.apart_geoms[slot] = g1 * m.ngeom + g2
        d.apart_way[slot] = d.geom_xmat[g1].T @ way
        return n

    return collide_convex


@made_alike
def narrowphase_of(number: int, collider: Kernel) -> Kernel:
    """The kernel that finds the contacts of all near pairs of one collider."""

    @kernel
    def collide(m, d, k, margin, dists, points):
        """Contacts of near pair k."""
        return collider(m, d, d.near_geom1[k], d.near_geom2[k], margin, dists, points)

    find = collide
    if collider == box_box_3:
        find = collide_boxes
    elif collider in SEARCHES:
        find = convex_by(collider)

    @kernel(one_by_one=collider.one_by_one)
    def find_pair(m, d, k, first):
        """Find the contacts of near pair k, and keep them from number `first` on; how many there are."""
        dists = local(real, mjMAXCONPAIR)
        points = local(vec3, VECTORS * mjMAXCONPAIR)
        n = find(m, d, k, near_margin(m, d, k), dists, points)
        keep_found(d, k, first, n, dists, points)
        return n

    @kernel
    def narrowphase(m, d):
        """Find the contacts of the near pairs of this collider."""
        for k in range(d.nnear):
            if m.types_collider[d.near_types[k]] == number:
                find_contacts(m, d, k, find_pair)

    narrowphase.__name__ = f"narrowphase_{collider.__name__}"
    return narrowphase


@kernel
def find_contacts(m, d, k, find):
    """Find the contacts of near pair k, and count those for which there is no room.

    They lie at the same places in all worlds of a block, so there is room for as many as the world that has most.
    """
    first = d.nfound_geoms
    n = 0
    if d.near_hit[k] != 0:
        n = find(m, d, k, first)
    d.found_num[k] = n
    d.found_adr[k] = first
    d.nfound_geoms = first + fullest(n)


@kernel
def keep_found(d, k, first, n, dists, points):
    """Keep n contacts of near pair k from number `first` on, as far as there is room."""
    least = mjMAXVAL
    for i in range(n):
        least = minimum(least, dists[i])
        if first + i < d.ncon_capacity:
            d.found_dist[first + i] = dists[i]
            for j in range(VECTORS):
                d.found_point[first + i, j] = points[VECTORS * i + j]
    d.found_least[k] = least
