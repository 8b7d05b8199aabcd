"""Distance of two boxes where their collider measures it."""

from conjoint.lang import kernel, norm
from conjoint.physics.collision.box_box import box_axis, box_contacts
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.convex.collide import convex_distance
from conjoint.schema.constants import mjMAXVAL


@kernel(per_world=True)
def nearest_of_boxes(m, d, g1, g2, margin, dists, points):
    """All contacts of two boxes; where some overlap but the boxes do not, the one between their nearest points.

    Corners of boxes that meet with their edges seem to overlap if they are beyond the other face, however far.
    """
    n = box_contacts(m, d, g1, g2, box_axis(m, d, g1, g2, margin), margin, mjMAXVAL, dists, points)
    overlap = False
    for i in range(n):
        if dists[i] < 0.0:
            overlap = True
    if overlap:
        dist, first, second = convex_distance(m, d, g1, g2, margin)
        between = norm(second - first)
        if dist > 0.0:
            n = 0
        if dist > 0.0 and between > 0.0:
            n = keep(dists, points, 0, dist, (first + second) * 0.5, (second - first) * (1.0 / between))
    return n
