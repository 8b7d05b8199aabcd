"""The contacts of two geoms before they are listed: a distance, and a position, normal and tangent each."""

from conjoint.lang import kernel, unique, vec3
from conjoint.schema.constants import mjMAXCONPAIR

VECTORS = 3
"""Vectors of a contact in `points`."""

POINTS = VECTORS * mjMAXCONPAIR
"""Vectors of the contacts that one pair may have."""


@kernel
def keep(dists, points, n, dist, pos, normal):
    """Write contact number n, of which the frame may have any y axis; returns how many there are then."""
    return keep_along(dists, points, n, dist, pos, normal, vec3(0.0, 0.0, 0.0))


@kernel
def keep_along(dists, points, n, dist, pos, normal, tangent):
    """Write contact number n; returns how many there are then.

    Args:
        dists: distances, a local array.
        points: `VECTORS` of each contact, a local array.
        n: its number.
        dist: distance between the surfaces, negative where they overlap (m).
        pos: midpoint between the surfaces, in the world.
        normal: unit vector from the first geom to the second.
        tangent: what the y axis of its frame is near to, if that is not zero.
    """
    for i in unique(n):
        dists[i] = dist
        points[VECTORS * i] = pos
        points[VECTORS * i + 1] = normal
        points[VECTORS * i + 2] = tangent
    return n + 1
