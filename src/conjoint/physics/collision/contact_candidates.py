"""The contacts of two geoms before they are listed: a distance, and a position, normal and tangent each."""

from conjoint.lang import kernel, vec3, where
from conjoint.schema.constants import mjMAXCONPAIR

VECTORS = 3
"""Vectors of a contact in `points`."""

POINTS = VECTORS * mjMAXCONPAIR
"""Vectors of the contacts that one pair may have."""

MOST_IN_LANES = 4
"""Contacts that a collider in lanes may keep: how many it has found so far differs between worlds."""


@kernel
def keep(dists, points, n, dist, pos, normal):
    """Write contact number n; returns how many there are then.

    Args:
        dists: distances, a local array.
        points: `VECTORS` of each contact, a local array.
        n: its number.
        dist: distance between the surfaces, negative where they overlap (m).
        pos: midpoint between the surfaces, in the world.
        normal: unit vector from the first geom to the second.
    """
    dists[n] = dist
    points[VECTORS * n] = pos
    points[VECTORS * n + 1] = normal
    points[VECTORS * n + 2] = vec3(0.0, 0.0, 0.0)
    return n + 1


@kernel
def keep_where(near, dists, points, n, most, dist, pos, normal, tangent):
    """As `keep`, for colliders in lanes: in the worlds where the contact is `near`, and fewer than `most` are kept.

    Contacts beyond the margin, but within `m.reach` of it, are kept, too: they may be about to come. The y axis of the
    frame is near `tangent`, if that is not zero.
    """
    for i in range(most):
        chosen = near & (n == i)
        dists[i] = where(chosen, dist, dists[i])
        points[VECTORS * i] = where(chosen, pos, points[VECTORS * i])
        points[VECTORS * i + 1] = where(chosen, normal, points[VECTORS * i + 1])
        points[VECTORS * i + 2] = where(chosen, tangent, points[VECTORS * i + 2])
    return n + where(near & (n < most), 1, 0)
