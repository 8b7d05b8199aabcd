"""Polygons: clipping one to the outline of a face, and choosing four corners with a large area between them.

Contacts of two flat faces, or of an edge and a face, are at the corners of their overlap. A polygon is clipped at the
plane through each edge of the outline in turn, perpendicular to the face (Sutherland & Hodgman, Reentrant polygon
clipping, Communications of the ACM 17, 1974). Four corners of a convex polygon are chosen by advancing each to the next
corner while the area between them grows. This is the method of Dobkin & Snyder (On a general method for maximizing and
minimizing among certain geometric problems, FOCS 1979).

A polygon is an array of vec3 with room for `CLIPPED_MOST`, and a number of corners; an outline runs clockwise, seen
from outside of the face. An edge is a polygon of two corners.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, cross, dot, kernel, local, norm, normalize3, vec3
from conjoint.schema.constants import mjMINVAL

OUTLINE_MOST = 150
"""Most corners of an outline."""

CLIPPED_MOST = 2 * OUTLINE_MOST
"""Maximum number of corners of a clipped polygon."""

CHOSEN = 4
"""Number of corners chosen from a polygon."""


@dataclass(frozen=True)
class Cut(Group):
    """Rounding rules of polygon clipping: for corners on edges, the last bit decides whether they are inside.

    Attributes:
        unit: True to measure heights above the plane through an edge in meters, not times its length.
        crossing: finds the point where a side crosses that plane, and returns True if it does; see `crossing_3`.
    """

    unit: bool
    crossing: Kernel


@kernel
def crossing_3(p, q, start, inward):
    """Find the crossing of the side from p to q with the plane across `inward` through a point; return False if
    rounding hides it.
    """
    along = dot(inward, q - p)
    part = -1.0
    if along != 0.0:
        part = (dot(inward, start) - dot(inward, p)) / along
    return p + (q - p) * part, part >= 0.0 and part <= 1.0


@kernel
def crossing_4(p, q, start, inward):
    """Find the same point as `crossing_3` from the heights a and b of p and q: p + a / (a - b) (q - p)."""
    before = dot(p - start, inward)
    after = dot(q - start, inward)
    return p + (q - p) * (before / (before - after)), True


CUT_3, CUT_4 = Cut(False, crossing_3), Cut(True, crossing_4)
"""Rounding of cuts in edition 3.3.5, and in 4.0."""


@kernel
def clip(outline, count, normal, polygon, corners, cut):
    """Clip a polygon at the edges of a clockwise outline.

    Args:
        outline: corners of a face.
        count: their number.
        normal: outward normal of that face.
        polygon: the polygon to clip in place; `CLIPPED_MOST` elements.
        corners: its number of corners.
        cut: a `Cut`.

    Returns:
        the number of corners after clipping.
    """
    clipped = local(vec3, CLIPPED_MOST)
    for e in range(count):
        start = outline[e]
        inward = cross(outline[(e + 1) % count] - start, start + normal - start)
        if cut.unit:
            inward = normalize3(inward)
        n = 0
        for k in range(corners):
            p = polygon[k]
            q = polygon[(k + 1) % corners]
            p_inside = dot(p - start, inward) > -mjMINVAL
            q_inside = dot(q - start, inward) > -mjMINVAL
            if (p_inside ^ q_inside) and n < CLIPPED_MOST:
                point, found = cut.crossing(p, q, start, inward)
                if found:
                    clipped[n] = point
                    n += 1
            if q_inside and n < CLIPPED_MOST:
                clipped[n] = q
                n += 1
        for k in range(n):
            polygon[k] = clipped[k]
        corners = n
    return corners


@kernel
def area_by_sides(p, q, r, s):
    """Return the area of a flat quadrilateral, from its corners in order, as the area of two triangles."""
    return 0.5 * norm(cross(s - p, q - s) + cross(r - q, p - r))


@kernel
def area_by_diagonals(p, q, r, s):
    """Return the area of a flat quadrilateral by its diagonals: rounding decides between equally large ones."""
    return 0.5 * norm(cross(p - r, q - s))


@kernel
def choose_widest(polygon, count, chosen, area):
    """Choose four corners of a convex polygon with a large area between them, as the kernel `area` returns it.

    Each corner in turn is the first; the other three begin where the one before it left them.
    """
    place_from(chosen, 0, count)
    best = local(int, CHOSEN)
    most = area_between(polygon, chosen, area)
    copy(chosen, best)
    for first in range(count):
        chosen[0] = first
        most = grow(polygon, count, chosen, best, most, area)
        # the corners keep their order
        k = 1
        while k < CHOSEN and chosen[k] == chosen[k - 1]:
            chosen[k] = (chosen[k] + 1) % count
            k += 1
    copy(best, chosen)


@kernel
def choose_from(polygon, count, chosen, area):
    """Choose up to three corners besides the first one of a convex polygon, with a large area between them."""
    place_from(chosen, 0, count)
    best = local(int, CHOSEN)
    copy(chosen, best)
    if count > CHOSEN:
        grow(polygon, count, chosen, best, area_between(polygon, chosen, area), area)


@kernel
def place_from(chosen, first, count):
    """Choose four corners of a polygon that follow each other."""
    for k in range(CHOSEN):
        chosen[k] = (first + k) % count


@kernel
def copy(chosen, to):
    """Copy the indices of chosen corners."""
    for k in range(CHOSEN):
        to[k] = chosen[k]


@kernel
def area_between(polygon, chosen, area):
    """Return the area between four chosen corners of a polygon."""
    return area(polygon[chosen[0]], polygon[chosen[1]], polygon[chosen[2]], polygon[chosen[3]])


@kernel
def grow(polygon, count, chosen, best, most, area):
    """Advance the last three of four corners as long as the area grows: the last one, then the two before it.

    `best` receives the corners with the largest area so far, which is returned.
    """
    before = -1.0
    while most > before:
        before = most
        most = advance(polygon, count, chosen, best, 3, most, area)
        if most > before:
            for k in range(2, 0, -1):
                less = -1.0
                while most > less:
                    less = most
                    most = advance(polygon, count, chosen, best, k, most, area)
    return most


@kernel
def advance(polygon, count, chosen, best, k, most, area):
    """Move chosen corner k to the next one if the area grows; return the larger area."""
    here = chosen[k]
    chosen[k] = (here + 1) % count
    larger = area_between(polygon, chosen, area)
    if larger > most:
        copy(chosen, best)
        return larger
    chosen[k] = here
    return most
