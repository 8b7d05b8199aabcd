"""Overlap test of edition 3.3.5, which moves a tetrahedron of the Minkowski difference until it contains the origin.

If only overlap matters, a search no longer measures distances once its simplex is a tetrahedron.
"""

from conjoint.lang import cross, dot, kernel, local, real, sqrt, vec3, where
from conjoint.physics.collision.convex.body import NATIVE, TINY
from conjoint.physics.collision.convex.gjk import APART, FARTHEST, OVERLAP, UNDECIDED, Search, find_corner
from conjoint.schema.constants import mjMAXVAL

SPARE = 4
"""Index of the first spare corner for this test, after the corners of the simplex."""


@kernel
def face_plane(p, q, r):
    """Return the unit normal of a face, and its height above the origin, which is `FARTHEST` if it has no normal."""
    normal = cross(r - p, q - p)
    square = dot(normal, normal)
    if square > TINY and square < mjMAXVAL * mjMAXVAL:
        normal = normal * (1.0 / sqrt(square))
        return normal, dot(normal, p)
    return normal, FARTHEST


@kernel
def enclose(m, bodies, corners, turn):
    """Move a tetrahedron, corners 0 to 3, toward the origin, until the origin is inside or certainly outside.

    In each iteration, the face beyond which the origin is farthest is found. The corner opposite to it is replaced by
    the support point in the direction of the face's normal.

    Returns:
        `OVERLAP`, `APART` or `UNDECIDED`; the number of iterations so far. The corners are changed only for `OVERLAP`.
    """
    points = local(vec3, 4)
    order = local(int, 4)
    for k in range(4):
        points[k] = corners[k].point
        order[k] = SPARE + k
        corners[SPARE + k] = corners[k]
    while turn < m.opt.ccd_iterations:
        worst, normal, height = lowest_face(points)
        if height == 0.0:
            return UNDECIDED, turn
        if height > 0.0:
            for k in range(4):
                corners[k] = corners[order[k]]
            return OVERLAP, turn
        corner = corners[fourth_of(order, worst)]
        find_corner(m, bodies, corner, normal, NATIVE)
        if dot(normal, corner.point) < 0.0:
            bodies[0].away = normal
            return APART, turn
        put_corner(points, order, worst, corner.point)
        turn += 1
    return UNDECIDED, turn


@kernel
def lowest_face(points):
    """Find the face of a tetrahedron beyond which the origin is farthest.

    Returns:
        the corner opposite to the face; its outward normal; its height above the origin, 0 if the height of any face is
        0.
    """
    heights = local(real, 4)
    normals = local(vec3, 4)
    for k in range(4):
        # the other three corners, seen from outside in the same orientation
        a = where(k == 0, 2, where(k == 2, 1, 0))
        b = where(k == 0, 1, where(k == 1, 2, where(k == 2, 0, 1)))
        c = where(k == 3, 2, 3)
        normal, height = face_plane(points[a], points[b], points[c])
        normals[k] = normal
        heights[k] = height
    touched = (heights[0] == 0.0) | (heights[1] == 0.0) | (heights[2] == 0.0) | (heights[3] == 0.0)
    first = heights[0] < heights[1]
    third = heights[2] < heights[3]
    low = where(first, heights[0], heights[1])
    high = where(third, heights[2], heights[3])
    front = low < high
    worst = where(front, where(first, 0, 1), where(third, 2, 3))
    normal = where(front, where(first, normals[0], normals[1]), where(third, normals[2], normals[3]))
    return worst, normal, where(touched, 0.0, where(front, low, high))


@kernel
def fourth_of(order, k):
    """Return element k of an array of four, without indexing."""
    return where(k < 2, where(k == 0, order[0], order[1]), where(k == 2, order[2], order[3]))


@kernel
def put_corner(points, order, worst, point):
    """Replace the point of corner `worst`, and swap the next two corners to restore the orientation of the faces."""
    old_points = local(vec3, 4)
    old_order = local(int, 4)
    for k in range(4):
        old_points[k] = points[k]
        old_order[k] = order[k]
    for k in range(4):
        up = worst == ((k + 3) & 3)
        down = worst == ((k + 2) & 3)
        other = where(up, old_points[(k + 1) & 3], where(down, old_points[(k + 3) & 3], old_points[k]))
        points[k] = where(worst == k, point, other)
        order[k] = where(up, old_order[(k + 1) & 3], where(down, old_order[(k + 3) & 3], old_order[k]))


ENCLOSING = Search(enclose)
"""Search variant of edition 3.3.5; it is also used to measure all distances from height fields."""
