"""Differences between the editions in contacts of convex bodies, and the rules of the legacy pipeline.

In edition 3.3.5, contacts at the corners of two faces all have the penetration depth of the bodies, and only boxes and
meshes have such contacts. In edition 4.0, each contact has its own depth or distance, and cylinders and capsules have
such contacts, too. In edition 4.0, bodies with a margin are first searched without it, and with it only if they overlap
by more than the margin.
"""

from conjoint.lang import abs, change, dot, kernel, local, minimum, norm, normalize3, stop_gradient
from conjoint.physics.collision.contact_candidates import collider_by
from conjoint.physics.collision.convex.body import Body
from conjoint.physics.collision.convex.clip import (
    CHOSEN,
    CUT_3,
    CUT_4,
    OUTLINE_MOST,
    area_by_diagonals,
    area_by_sides,
    choose_widest,
)
from conjoint.physics.collision.convex.collide import Touch, geom_distance, keep_touch, native_overlap, one_contact
from conjoint.physics.collision.convex.enclosing import ENCLOSING
from conjoint.physics.collision.convex.gjk import MEASURED, Search, is_equal
from conjoint.physics.collision.convex.manifold import NO_FACE, Manifold, same_level, several_contacts, turned_contacts
from conjoint.physics.collision.convex.normal import mend_normal
from conjoint.physics.collision.convex.portal import legacy_overlap
from conjoint.schema.constants import mjMINVAL

TOUCH_3, TOUCH_4 = Touch(native_overlap, ENCLOSING), Touch(native_overlap, MEASURED, raised=False)
"""Contact searches for convex bodies.

The first is for flex elements and geoms in edition 3.3.5, the second for flex elements and height-field prisms in
edition 4.0.
"""

PRISM_3 = Touch(native_overlap, ENCLOSING, mend_normal)
"""Contact search for a geom and a height-field prism in edition 3.3.5."""

CORES_4 = Touch(native_overlap, Search(cores=True))
"""Contact search for geoms in edition 4.0."""

PORTAL, LEGACY = Touch(legacy_overlap, MEASURED), Touch(legacy_overlap, MEASURED, mend_normal)
"""Contact searches of the legacy pipeline, for flex elements and for geoms."""


# ---- features in edition 3.3.5

FACES_ALIGNED_3 = 0.99999872
"""Cosine of the angle up to which faces count as parallel in edition 3.3.5."""

EDGE_ALIGNED_3 = 0.00159999931
"""Sine of the angle up to which an edge and a face count as parallel in edition 3.3.5."""


@kernel
def first_facing_3(first, second, between):
    """Find the first pair of faces, one of each body, that are parallel and face each other; see `best_facing_4`."""
    for i in range(first.count):
        for j in range(second.count):
            if dot(first.normals[i], second.normals[j]) < -FACES_ALIGNED_3:
                return OUTLINE_MOST * i + j
    return NO_FACE


@kernel
def first_along_3(faces, ways, count, between):
    """Find the first face that is parallel to one of `count` edges; see `best_facing_4`."""
    for i in range(faces.count):
        for j in range(count):
            if abs(dot(faces.normals[i], ways[j])) < EDGE_ALIGNED_3:
                return OUTLINE_MOST * i + j
    return NO_FACE


@kernel
def always_3(shared, corner, margin):
    """Return True, because in edition 3.3.5 all corners of the overlap become contacts."""
    return True


@kernel
def choose_different_3(polygon, corners, chosen, is_edge):
    """Choose the distinct corners of a polygon, or four corners that span a large area; return their number.

    Four corners are chosen if the polygon has more than four.
    """
    if corners > CHOSEN:
        choose_widest(polygon, corners, chosen, area_by_sides)
        return CHOSEN
    n = 0
    for k in range(corners):
        known = False
        for j in range(n):
            if is_equal(polygon[chosen[j]], polygon[k]):
                known = True
        if not known:
            chosen[n] = k
            n += 1
    return n


@kernel
def place_level_3(shared, corner, dist):
    """Return distance, position and normal of the contact at a corner; the distance is the same for all corners."""
    first = corner - shared.opposite * (-shared.sign * shared.depth)
    return dist, (first + corner) * 0.5, normalize3(first - corner)


@kernel
def level_of_deepest(dist, shared):
    """Return the distance that all contacts of a pair share, with the derivative of the lowest corner's height.

    For each direction of differentiation, the lowest corner is the corner that becomes the deepest.
    """
    if shared.corners < 1:
        return dist
    lowest = change(dot(shared.normal, shared.polygon[0] - shared.outline[0]))
    for k in range(1, shared.corners):
        lowest = minimum(lowest, change(dot(shared.normal, shared.polygon[k] - shared.outline[0])))
    return stop_gradient(dist) + lowest


MANIFOLD_3 = Manifold(
    touch=TOUCH_3, flat=True, aligned=FACES_ALIGNED_3, retries=False, facing=first_facing_3, along=first_along_3,
    cut=CUT_3, stays=always_3, choose=choose_different_3, place=place_level_3, level=same_level,
)  # fmt: skip


# ---- features in edition 4.0

FACES_ALIGNED_4 = 0.996
"""Cosine of the angle up to which faces count as parallel in edition 4.0."""

EDGE_ALIGNED_4 = 0.0888
"""Sine of the angle up to which an edge and a face count as parallel in edition 4.0."""


@kernel
def best_facing_4(first, second, between):
    """Find the pair of faces, one of each body, that face each other and are most nearly parallel.

    Args:
        first, second: faces of the first and the second body.
        between: vector from the deepest point of the first body to the deepest point of the second.

    Returns:
        the index of the first body's face, times `OUTLINE_MOST`, plus the index of the second body's face; `NO_FACE` if
        no faces are parallel.
    """
    least = EDGE_ALIGNED_4 * norm(between)
    best = -FACES_ALIGNED_4
    found = NO_FACE
    for i in range(first.count):
        if dot(first.normals[i], between) < -least:
            for j in range(second.count):
                cosine = dot(first.normals[i], second.normals[j])
                if dot(second.normals[j], between) > least and cosine < best:
                    best = cosine
                    found = OUTLINE_MOST * i + j
    return found


@kernel
def first_along_4(faces, ways, count, between):
    """Find the first face that faces `between` and is parallel to one of `count` edges; see `best_facing_4`."""
    for i in range(faces.count):
        if dot(faces.normals[i], between) > mjMINVAL:
            for j in range(count):
                if abs(dot(faces.normals[i], ways[j])) < EDGE_ALIGNED_4:
                    return OUTLINE_MOST * i + j
    return NO_FACE


@kernel
def is_within_4(shared, corner, margin):
    """Return True if the height of a corner above the face below it is at most the margin."""
    return dot(corner - shared.outline[0], shared.normal) <= margin


@kernel
def choose_all_4(polygon, corners, chosen, is_edge):
    """Choose the corners of a polygon that become contacts; return their number.

    For an edge, these are both ends. For a polygon of more than four corners, these are four corners that span a large
    area; otherwise all corners.
    """
    if is_edge != 0:
        return choose_ends_4(polygon, corners, chosen)
    if corners > CHOSEN:
        choose_widest(polygon, corners, chosen, area_by_diagonals)
        return CHOSEN
    for k in range(corners):
        chosen[k] = k
    return corners


@kernel
def choose_ends_4(polygon, corners, chosen):
    """Choose the two points of an edge that are farthest from each other, or all points if there are at most two.

    Return the number of chosen points.
    """
    chosen[0] = 0
    chosen[1] = 1
    most = 0.0
    if corners > 2:
        for i in range(corners):
            for k in range(i + 1, corners):
                between = polygon[k] - polygon[i]
                if dot(between, between) > most:
                    most = dot(between, between)
                    chosen[0] = i
                    chosen[1] = k
    return minimum(corners, 2)


@kernel
def place_corner_4(shared, corner, dist):
    """Return distance, position and normal of the contact between a corner and the face below it."""
    height = dot(corner - shared.outline[0], shared.normal)
    foot = corner - shared.normal * height
    own = dot(foot - corner, shared.opposite)
    return own, foot - shared.opposite * (0.5 * own), shared.opposite * shared.sign


MANIFOLD_4 = Manifold(
    touch=CORES_4, flat=False, aligned=FACES_ALIGNED_4, retries=True, facing=best_facing_4, along=first_along_4,
    cut=CUT_4, stays=is_within_4, choose=choose_all_4, place=place_corner_4, level=same_level,
)  # fmt: skip


# ---- colliders


convex_3 = collider_by("convex_3", one_contact, TOUCH_3)
convex_4 = collider_by("convex_4", one_contact, CORES_4)
convex_several_3 = collider_by("convex_several_3", several_contacts, MANIFOLD_3)
convex_several_4 = collider_by("convex_several_4", several_contacts, MANIFOLD_4)
legacy_convex = collider_by("legacy_convex", one_contact, LEGACY)
"""Collider that finds one contact of two convex geoms in the legacy pipeline.

For editions 3.3.5 and 4.0 of the native pipeline, `convex_*` finds one contact, and `convex_several_*` several.
"""


@kernel
def legacy_convex_several(m, d, g1, g2, margin, dists, points):
    """Find several contacts of two convex geoms in the legacy pipeline; return their number."""
    bodies = local(Body, 2)
    if keep_touch(m, d, g1, g2, margin, bodies, dists, points, LEGACY) == 0:
        return 0
    return turned_contacts(m, g1, g2, bodies, dists, points, LEGACY)


# ---- distances


@kernel
def convex_distance_3(m, d, g1, g2, most):
    """Measure the distance between two convex geoms in edition 3.3.5; see `collide.geom_distance`."""
    return geom_distance(m, d, g1, g2, most, ENCLOSING)


@kernel
def convex_distance_4(m, d, g1, g2, most):
    """Measure the distance between two convex geoms in edition 4.0; see `collide.geom_distance`."""
    return geom_distance(m, d, g1, g2, most, MEASURED)
