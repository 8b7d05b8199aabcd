"""Contacts of two flat faces, or of an edge and a face: the corners of what they have in common.

The outline of one is clipped at the planes through the edges of the other, perpendicular to its face (Sutherland &
Hodgman, "Reentrant polygon clipping", Communications of the ACM 17, 1974).
"""

from conjoint.lang import cross, dot, kernel, local, norm, vec3
from conjoint.physics.collision.convex.features import OUTLINE_MOST
from conjoint.physics.collision.convex.gjk import is_equal
from conjoint.schema.constants import mjMINVAL

CLIPPED_MOST = 2 * OUTLINE_MOST
"""Most corners of a clipped outline."""

KEPT = 4
"""Corners of a clipped outline that become contacts."""


@kernel
def clip(outline, count, normal, polygon, corners):
    """Clip a polygon at the edges of a clockwise outline.

    Args:
        outline: corners of a face.
        count: how many.
        normal: of that face.
        polygon: what is clipped, in place; `CLIPPED_MOST` elements.
        corners: how many corners it has.

    Returns:
        how many corners it has then.
    """
    clipped = local(vec3, CLIPPED_MOST)
    for e in range(count):
        start = outline[e]
        inward = cross(outline[(e + 1) % count] - start, start + normal - start)
        height = dot(inward, start)
        n = 0
        for k in range(corners):
            p = polygon[k]
            q = polygon[(k + 1) % corners]
            p_inside = dot(p - start, inward) > -mjMINVAL
            q_inside = dot(q - start, inward) > -mjMINVAL
            if (p_inside ^ q_inside) and n < CLIPPED_MOST:
                along = dot(inward, q - p)
                if along != 0.0:
                    part = (height - dot(inward, p)) / along
                    if part >= 0.0 and part <= 1.0:
                        clipped[n] = p + (q - p) * part
                        n += 1
            if q_inside and n < CLIPPED_MOST:
                clipped[n] = q
                n += 1
        for k in range(n):
            polygon[k] = clipped[k]
        corners = n
    return corners


@kernel
def quadrilateral_area(p, q, r, s):
    """Area of a quadrilateral, from its corners in order."""
    return 0.5 * norm(cross(s - p, q - s) + cross(r - q, p - r))


@kernel
def widest(polygon, count, chosen, area):
    """Choose four corners of a convex polygon between which there is much area, as the kernel `area` tells.

    For each corner in turn the next three go on as long as the area grows.
    """
    b = 1
    c = 2
    e = 3
    most = choose(polygon, chosen, 0, b, c, e, area)
    for a in range(count):
        grown = True
        while grown:
            grown = area(polygon[a], polygon[b], polygon[c], polygon[(e + 1) % count]) > most
            if grown:
                e = (e + 1) % count
                most = choose(polygon, chosen, a, b, c, e, area)
                while area(polygon[a], polygon[b], polygon[(c + 1) % count], polygon[e]) > most:
                    c = (c + 1) % count
                    most = choose(polygon, chosen, a, b, c, e, area)
                while area(polygon[a], polygon[(b + 1) % count], polygon[c], polygon[e]) > most:
                    b = (b + 1) % count
                    most = choose(polygon, chosen, a, b, c, e, area)
        # the corners keep their order
        if b == a:
            b = (b + 1) % count
            if c == b:
                c = (c + 1) % count
                if e == c:
                    e = (e + 1) % count


@kernel
def choose(polygon, chosen, a, b, c, e, area):
    """Choose four corners; the area between them."""
    chosen[0] = a
    chosen[1] = b
    chosen[2] = c
    chosen[3] = e
    return area(polygon[a], polygon[b], polygon[c], polygon[e])


@kernel
def keep_corners(polygon, count, chosen):
    """Choose the corners of a polygon that become contacts: all different ones, or the widest four; how many."""
    if count > KEPT:
        widest(polygon, count, chosen, quadrilateral_area)
        return KEPT
    n = 0
    for k in range(count):
        known = False
        for j in range(n):
            if is_equal(polygon[chosen[j]], polygon[k]):
                known = True
        if not known:
            chosen[n] = k
            n += 1
    return n
