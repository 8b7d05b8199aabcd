"""Polygon clipping at the outline of a face, and the choice of four corners that span a large area.

Contacts of two flat faces, or of an edge and a face, are at the corners of their overlap. A polygon is clipped at the
plane through each edge of the outline in turn, perpendicular to the face (Sutherland & Hodgman, Reentrant polygon
clipping, Communications of the ACM 17, 1974). Four corners of a convex polygon are chosen by advancing each to the next
corner while the area of their quadrilateral grows. This is the method of Dobkin & Snyder (On a general method for
maximizing and minimizing among certain geometric problems, FOCS 1979).

A polygon is an array of vec3 with a capacity of `CLIPPED_MOST`, and a number of corners. The corners of an outline are
in clockwise order, seen from outside the face. An edge is a polygon of two corners.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, cross, dot, kernel, local, norm, normalize3, vec3
from conjoint.schema.constants import mjMINVAL

OUTLINE_MOST = 150
"""Maximum number of corners of an outline."""

CLIPPED_MOST = 2 * OUTLINE_MOST
"""Maximum number of corners of a clipped polygon."""

CHOSEN = 4
"""Number of corners chosen from a polygon."""


@dataclass(frozen=True)
class Cut(Group):
    """Rounding rules of polygon clipping: for corners on edges, the last bit decides whether they are inside.

    Attributes:
        unit: True to measure heights above the plane through an edge in meters, False to leave them multiplied by the
            length of the edge.
        crossing: kernel that returns the point where a side crosses that plane, and True if it does; see `crossing_3`.
    """

    unit: bool
    crossing: Kernel


@kernel
def crossing_3(p, q, start, inward):
    """Find the point where the side from p to q crosses the plane through `start` with normal `inward`.

    Return the point, and False if rounding hides the crossing.
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
"""Rounding rules of polygon clipping in editions 3.3.5 and 4.0."""


@kernel
def clip(outline, count, normal, polygon, corners, cut):
    """Clip a polygon at the edges of a clockwise outline.

    Args:
        outline: corners of a face.
        count: number of corners of the outline.
        normal: outward normal of the face.
        polygon: polygon that is clipped in place, an array of `CLIPPED_MOST` elements.
        corners: number of corners of the polygon.
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
    """Return the area of a flat quadrilateral, from its corners in order, as the sum of two triangles."""
    return 0.5 * norm(cross(s - p, q - s) + cross(r - q, p - r))


@kernel
def area_by_diagonals(p, q, r, s):
    """Return the area of a flat quadrilateral from its diagonals.

    The rounding differs from that of `area_by_sides`. It determines which of several equally large quadrilaterals is
    chosen.
    """
    return 0.5 * norm(cross(p - r, q - s))


@kernel
def choose_widest(polygon, count, chosen, area):
    """Choose four corners of a convex polygon that span a large area, measured by the kernel `area`.

    Each corner of the polygon in turn is tried as the first chosen corner. For each, the search for the other three
    begins where the previous search ended.
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
    """Choose corner 0 of a convex polygon, and up to three more corners such that all of them span a large area."""
    place_from(chosen, 0, count)
    best = local(int, CHOSEN)
    copy(chosen, best)
    if count > CHOSEN:
        grow(polygon, count, chosen, best, area_between(polygon, chosen, area), area)


@kernel
def place_from(chosen, first, count):
    """Choose four consecutive corners of a polygon, starting with corner `first`."""
    for k in range(CHOSEN):
        chosen[k] = (first + k) % count


@kernel
def copy(chosen, to):
    """Copy the indices of the chosen corners to the array `to`."""
    for k in range(CHOSEN):
        to[k] = chosen[k]


@kernel
def area_between(polygon, chosen, area):
    """Return the area of the quadrilateral formed by four chosen corners of a polygon."""
    return area(polygon[chosen[0]], polygon[chosen[1]], polygon[chosen[2]], polygon[chosen[3]])


@kernel
def grow(polygon, count, chosen, best, most, area):
    """Advance three of four chosen corners while the area of their quadrilateral grows; return the largest area.

    The last corner is advanced first, then the two before it. `best` receives the corners with the largest area so far.
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
    """Move chosen corner k to the next corner if this enlarges the quadrilateral; return the larger area."""
    here = chosen[k]
    chosen[k] = (here + 1) % count
    larger = area_between(polygon, chosen, area)
    if larger > most:
        copy(chosen, best)
        return larger
    chosen[k] = here
    return most
