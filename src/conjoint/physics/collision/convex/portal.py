"""How deep two convex bodies overlap: Minkowski portal refinement, of the legacy pipeline.

A portal is a triangle of corners of the Minkowski difference that the ray from an inner point of it through the origin
passes. It is moved outwards until it lies on the surface; the answer is its point nearest to the origin, and depends
on the inner point. Snethen, "XenoCollide: complex collision made simple", Game Programming Gems 7 (2008); tolerances
and order of the tests are those of libccd, with which the official engine computes it.

Corners are three points each: difference, on the first body, on the second. Corner 0 is the inner point, 1 to 3 are the
portal, 4 is the newest.
"""

from conjoint.lang import abs, cross, dot, formula, kernel, maximum, minimum, sqrt, vec3
from conjoint.physics.collision.convex.body import middle_of
from conjoint.physics.collision.convex.legacy_body import legacy_farthest

NEWEST = 4
PORTAL_POINTS = 15
"""Number of the newest corner, and how many points five corners have."""

MISSED = 0
FOUND = 1
ON_RAY = 2
TOUCHING = 3
"""What became of a portal: the origin is outside; there is one; the origin lies on the ray to corner 1, or there."""

MOST = 1000
"""Turns after which a search that does not end finds nothing."""


@formula("real", "vec3", "vec3", "vec3")
def triple(p, q, r):
    """Six times the signed volume of the tetrahedron with corners p, q, r and the origin: (p x q) . r."""
    return dot(cross(p, q), r)


@kernel(per_world=True, exact=True)
def is_zero(m, x):
    """Whether a number is zero but for rounding."""
    return abs(x) < m.epsilon


@kernel(per_world=True, exact=True)
def is_origin(m, p):
    """Whether a point is the origin but for rounding."""
    return is_zero(m, p.x) and is_zero(m, p.y) and is_zero(m, p.z)


@kernel(per_world=True, exact=True)
def is_ahead(m, p, way):
    """Whether a point lies ahead of the origin, seen along a direction, by more than rounding."""
    return dot(p, way) >= m.epsilon


@kernel(per_world=True, exact=True)
def direction(way):
    """A unit vector along `way`; not a number if that is zero, which no comparison is true of."""
    return way * (1.0 / sqrt(dot(way, way)))


@kernel(per_world=True, exact=True)
def portal_corner(m, reals, marks, points, place, way):
    """Keep at `place` the corner of the difference that is farthest in a direction."""
    first = legacy_farthest(m, reals, marks, 0, way)
    second = legacy_farthest(m, reals, marks, 1, -way)
    points[3 * place] = first - second
    points[3 * place + 1] = first
    points[3 * place + 2] = second


@kernel(per_world=True, exact=True)
def take_corner(points, place, source):
    """Corner `place` becomes equal to corner `source`."""
    for k in range(3):
        points[3 * place + k] = points[3 * source + k]


@kernel(per_world=True, exact=True)
def discover(m, reals, marks, points):
    """Find a first portal; what became of it."""
    points[1] = middle_of(reals, marks, 0)
    points[2] = middle_of(reals, marks, 1)
    points[0] = points[1] - points[2]
    if is_origin(m, points[0]):
        points[0] = points[0] + vec3(10.0 * m.epsilon, 0.0, 0.0)
    way = direction(-points[0])
    portal_corner(m, reals, marks, points, 1, way)
    if not is_ahead(m, points[3], way):
        return MISSED
    way = cross(points[0], points[3])
    if is_zero(m, dot(way, way)):
        if is_origin(m, points[3]):
            return TOUCHING
        return ON_RAY
    way = direction(way)
    portal_corner(m, reals, marks, points, 2, way)
    if not is_ahead(m, points[6], way):
        return MISSED
    way = direction(cross(points[3] - points[0], points[6] - points[0]))
    # its corners run counter-clockwise, seen from outside
    if dot(way, points[0]) > 0.0:
        take_corner(points, NEWEST, 1)
        take_corner(points, 1, 2)
        take_corner(points, 2, NEWEST)
        way = -way
    for _ in range(MOST):
        portal_corner(m, reals, marks, points, 3, way)
        if not is_ahead(m, points[9], way):
            return MISSED
        # the ray passes the triangle, or one of two sides on the wrong side
        if triple(points[3], points[9], points[0]) <= -m.epsilon:
            take_corner(points, 2, 3)
        elif triple(points[9], points[6], points[0]) <= -m.epsilon:
            take_corner(points, 1, 3)
        else:
            return FOUND
        way = direction(cross(points[3] - points[0], points[6] - points[0]))
    return MISSED


@kernel(per_world=True, exact=True)
def portal_way(points):
    """Direction in which the portal faces."""
    return direction(cross(points[6] - points[3], points[9] - points[3]))


@kernel(per_world=True, exact=True)
def is_outermost(m, points, way):
    """Whether the newest corner, found along `way`, lies no farther out than the portal, within the tolerance."""
    height = dot(points[12], way)
    gain = minimum(height - dot(points[3], way), height - dot(points[6], way))
    gain = minimum(gain, height - dot(points[9], way))
    tolerance = m.opt.ccd_tolerance
    near = abs(gain - tolerance) < m.epsilon * maximum(1.0, maximum(abs(gain), tolerance))
    return near or gain < tolerance


@kernel(per_world=True, exact=True)
def move_portal(points):
    """Replace the corner of the portal without which the newest and the other two still have the ray between them."""
    side = cross(points[12], points[0])
    place = 1
    if dot(points[3], side) > 0.0:
        if dot(points[6], side) <= 0.0:
            place = 3
    elif dot(points[9], side) > 0.0:
        place = 2
    take_corner(points, place, NEWEST)


@kernel(per_world=True, exact=True)
def reach_origin(m, reals, marks, points):
    """Move the portal outwards until the origin is inside of it; whether it ever is."""
    for _ in range(MOST):
        way = portal_way(points)
        height = dot(way, points[3])
        if height > -m.epsilon:
            return True
        portal_corner(m, reals, marks, points, NEWEST, way)
        if not (dot(points[12], way) > -m.epsilon) or is_outermost(m, points, way):
            return False
        move_portal(points)
    return False


@kernel(per_world=True, exact=True)
def reach_surface(m, reals, marks, points):
    """Move the portal outwards as far as it goes."""
    for turn in range(m.opt.ccd_iterations + 2):
        way = portal_way(points)
        portal_corner(m, reals, marks, points, NEWEST, way)
        if is_outermost(m, points, way) or turn > m.opt.ccd_iterations:
            break
        move_portal(points)


# ---- what the portal tells


@kernel(per_world=True, exact=True)
def ray_position(m, points):
    """Where the bodies overlap: the mean of the points on them that are the origin in the difference."""
    v0 = points[0]
    v1 = points[3]
    v2 = points[6]
    v3 = points[9]
    b0 = triple(v1, v2, v3)
    b1 = triple(v3, v2, v0)
    b2 = triple(v0, v1, v3)
    b3 = triple(v2, v1, v0)
    total = b0 + b1 + b2 + b3
    if total < m.epsilon:
        way = portal_way(points)
        b0 = 0.0
        b1 = triple(v2, v3, way)
        b2 = triple(v3, v1, way)
        b3 = triple(v1, v2, way)
        total = b1 + b2 + b3
    scale = 1.0 / total
    first = (points[1] * b0 + points[4] * b1 + points[7] * b2 + points[10] * b3) * scale
    second = (points[2] * b0 + points[5] * b1 + points[8] * b2 + points[11] * b3) * scale
    return (first + second) * 0.5
