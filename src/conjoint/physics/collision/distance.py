"""Distances between two geoms (mj_geomDistance), measured by the collider for their types or for convex bodies."""

from conjoint.lang import Kernel, kernel, local, norm, put, real, vec3, where
from conjoint.physics.collision.box_box_3 import ALL_OF_BOXES_3
from conjoint.physics.collision.boxes import box_box
from conjoint.physics.collision.contact_candidates import POINTS, VECTORS, keep
from conjoint.physics.collision.convex.editions import convex_distance_3
from conjoint.physics.collision.distance_table import NOT_MEASURED
from conjoint.physics.status import watched_change
from conjoint.schema.constants import mjMAXCONPAIR


def distance_of(collider: Kernel) -> Kernel:
    """Return the kernel that measures the distance between two geoms with a collider."""

    @kernel
    def geom_distance(m, d, g1, g2, most):
        """Return the smallest distance between two geoms; see `nearest_contact`."""
        return nearest_contact(m, d, g1, g2, most, collider)

    geom_distance.__name__ = f"distance_{collider.__name__}"
    return geom_distance


@kernel
def nearest_contact(m, d, g1, g2, most, collider):
    """Return the signed distance between two geoms, at most `most`, and their nearest points (mj_geomDistance).

    Returns:
        The distance, the nearest point on g1 and the nearest point on g2. Both points are zero if the distance is not
        below `most`.
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


@kernel
def nearest_of_boxes(m, d, g1, g2, margin, dists, points):
    """Find all contacts of two boxes, or the contact between their nearest points if the boxes are apart.

    Corners of boxes that meet at edges may have a negative distance although the boxes are apart, if they are beyond
    the plane of the other box's face, however far away. So a negative distance is checked by the convex search.
    """
    n = box_box(m, d, g1, g2, margin, dists, points, ALL_OF_BOXES_3)
    overlap = False
    for i in range(n):
        if dists[i] < 0.0:
            overlap = True
    if overlap:
        dist, first, second = convex_distance_3(m, d, g1, g2, margin)
        between = norm(second - first)
        if dist > 0.0:
            n = 0
        if dist > 0.0 and between > 0.0:
            n = keep(dists, points, 0, dist, (first + second) * 0.5, (second - first) * (1.0 / between))
    return n


UNSORTED_POINTS = (convex_distance_3,)
"""Kernels that return points in the order of geom types, even if the caller passes the geoms in the other order."""


def written(measure: Kernel) -> Kernel:
    """Return a kernel that measures a distance, and writes both nearest points to an array of six numbers."""
    sorted_back = int(measure not in UNSORTED_POINTS)

    @kernel
    def write_distance(m, d, geom1, geom2, most, points):
        """Write the nearest points of two geoms to `points`, and return their distance (mj_geomDistance)."""
        if geom1 < 0 or geom2 < 0 or watched_change(m) != 0:
            return NOT_MEASURED
        # the geom with the smaller type comes first
        swapped = where(m.geom_type[geom1] > m.geom_type[geom2], 1, 0)
        g1 = where(swapped == 0, geom1, geom2)
        g2 = where(swapped == 0, geom2, geom1)
        distance, first, second = measure(m, d, g1, g2, most)
        put(points, 3 * sorted_back * swapped, first)
        put(points, 3 - 3 * sorted_back * swapped, second)
        return distance

    return write_distance
