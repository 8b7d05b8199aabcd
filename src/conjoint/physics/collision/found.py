"""The contacts of two geoms before they are listed: a distance, and a position, normal and tangent each."""

from conjoint.lang import kernel

VECTORS = 3
"""Vectors of a contact in `points`."""


@kernel(per_world=True)
def keep(dists, points, n, dist, pos, normal, tangent):
    """Write contact number n; returns how many there are then.

    Args:
        dists: distances, a local array.
        points: `VECTORS` of each contact, a local array.
        n: its number.
        dist: distance between the surfaces, negative where they overlap (m).
        pos: midpoint between the surfaces, in the world.
        normal: unit vector from the first geom to the second.
        tangent: preferred direction of the frame's y axis, or zero.
    """
    dists[n] = dist
    points[VECTORS * n] = pos
    points[VECTORS * n + 1] = normal
    points[VECTORS * n + 2] = tangent
    return n + 1
