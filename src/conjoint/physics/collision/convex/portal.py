"""Penetration depth of two convex bodies by Minkowski portal refinement (MPR), in the legacy pipeline.

A portal is a triangle of corners of the Minkowski difference, through which the ray from an inner point to the
origin passes. It is moved outward until it is on the surface. The result is the point of the portal nearest to
the origin, and depends on the inner point. See Snethen, "XenoCollide: complex collision made simple", Game
Programming Gems 7 (2008). Tolerances and the order of tests are those of libccd, which MuJoCo uses.

Corner 0 is the inner point, corners 1 to 3 are the portal, and corner 4 is the newest corner.
"""

from conjoint.lang import abs, cross, dot, formula, kernel, local, maximum, minimum, normalize3, sign, sqrt, vec3
from conjoint.physics.collision.convex.body import Support, primitive_support, set_middles
from conjoint.physics.collision.convex.gjk import FARTHEST, Corner, find_corner
from conjoint.physics.collision.hull import VertexSearch
from conjoint.physics.collision.nearest_points import nearest_of_triangle
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

NEWEST = 4
"""Index of the newest corner, the last of five."""

MISSED = 0
FOUND = 1
ON_RAY = 2
TOUCHING = 3
"""Result of the search for a portal if the origin is at corner 1.

The other results are `MISSED` if the origin is outside, `FOUND` if there is a portal, and `ON_RAY` if the
origin is on the ray to corner 1.
"""

MOST = 1000
"""Maximum number of iterations in a search for a portal."""


# ---- support points: if a flat side is perpendicular to the direction, its middle


@kernel
def legacy_primitive(kind, size, way):
    """Return a support point as in `body.primitive_support`, with a different order of rounding."""
    if kind == mjtGeom.mjGEOM_BOX:
        return vec3(sign(way.x) * size.x, sign(way.y) * size.y, sign(way.z) * size.z)
    if kind == mjtGeom.mjGEOM_CYLINDER:
        length = sqrt(way.x * way.x + way.y * way.y)
        if length > mjMINVAL:
            return vec3(way.x / length * size.x, way.y / length * size.x, sign(way.z) * size.y)
        return vec3(0.0, 0.0, sign(way.z) * size.y)
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        ball = normalize3(vec3(way.x * size.x, way.y * size.y, way.z * size.z))
        return vec3(ball.x * size.x, ball.y * size.y, ball.z * size.z)
    point = primitive_support(mjtGeom.mjGEOM_SPHERE, size, way)
    if kind == mjtGeom.mjGEOM_CAPSULE:
        point = vec3(point.x, point.y, point.z + sign(way.z) * size.y)
    return point


LEGACY = Support(legacy_primitive, VertexSearch(few=0, stays=True), turned=True)
"""Support point conventions of portal refinement (MPR) in the legacy pipeline."""


# ---- portals


@formula("real", "vec3", "vec3", "vec3")
def triple(p, q, r):
    """Return six times the signed volume of the tetrahedron with corners p, q, r and the origin: (p x q) . r."""
    return dot(cross(p, q), r)


@kernel
def is_zero(m, x):
    """Return True if a number is zero up to rounding."""
    return abs(x) < m.epsilon


@kernel
def is_origin(m, p):
    """Return True if a point is the origin up to rounding."""
    return is_zero(m, p.x) and is_zero(m, p.y) and is_zero(m, p.z)


@kernel
def is_ahead(m, p, way):
    """Return True if a point is ahead of the origin along a direction, by more than the rounding error."""
    return dot(p, way) >= m.epsilon


@kernel
def direction(way):
    """Return the unit vector along `way`; if `way` is zero, return NaN, for which all comparisons are false."""
    return way * (1.0 / sqrt(dot(way, way)))


@kernel
def discover(m, bodies, corners):
    """Search for an initial portal; return `MISSED`, `FOUND`, `ON_RAY` or `TOUCHING`."""
    set_middles(bodies, corners[0].on)
    corners[0].point = corners[0].on[0] - corners[0].on[1]
    if is_origin(m, corners[0].point):
        corners[0].point = corners[0].point + vec3(10.0 * m.epsilon, 0.0, 0.0)
    way = direction(-corners[0].point)
    find_corner(m, bodies, corners[1], way, LEGACY)
    if not is_ahead(m, corners[1].point, way):
        return MISSED
    way = cross(corners[0].point, corners[1].point)
    if is_zero(m, dot(way, way)):
        if is_origin(m, corners[1].point):
            return TOUCHING
        return ON_RAY
    way = direction(way)
    find_corner(m, bodies, corners[2], way, LEGACY)
    if not is_ahead(m, corners[2].point, way):
        return MISSED
    way = direction(cross(corners[1].point - corners[0].point, corners[2].point - corners[0].point))
    # the corners of the portal are in counter-clockwise order, seen from outside
    if dot(way, corners[0].point) > 0.0:
        corners[NEWEST] = corners[1]
        corners[1] = corners[2]
        corners[2] = corners[NEWEST]
        way = -way
    for _ in range(MOST):
        find_corner(m, bodies, corners[3], way, LEGACY)
        if not is_ahead(m, corners[3].point, way):
            return MISSED
        # the ray passes through the triangle, or beyond one of two sides
        if triple(corners[1].point, corners[3].point, corners[0].point) <= -m.epsilon:
            corners[2] = corners[3]
        elif triple(corners[3].point, corners[2].point, corners[0].point) <= -m.epsilon:
            corners[1] = corners[3]
        else:
            return FOUND
        way = direction(cross(corners[1].point - corners[0].point, corners[2].point - corners[0].point))
    return MISSED


@kernel
def portal_way(corners):
    """Return the unit normal of the portal, which points outward."""
    return direction(cross(corners[2].point - corners[1].point, corners[3].point - corners[1].point))


@kernel
def is_outermost(m, corners, way):
    """Return True if the newest corner, found along `way`, is no farther out than the portal."""
    height = dot(corners[NEWEST].point, way)
    gain = minimum(height - dot(corners[1].point, way), height - dot(corners[2].point, way))
    gain = minimum(gain, height - dot(corners[3].point, way))
    tolerance = m.opt.ccd_tolerance
    near = abs(gain - tolerance) < m.epsilon * maximum(1.0, maximum(abs(gain), tolerance))
    return near or gain < tolerance


@kernel
def move_portal(corners):
    """Replace a corner of the portal with the newest one so that the ray still passes through the portal."""
    side = cross(corners[NEWEST].point, corners[0].point)
    place = 1
    if dot(corners[1].point, side) > 0.0:
        if dot(corners[2].point, side) <= 0.0:
            place = 3
    elif dot(corners[3].point, side) > 0.0:
        place = 2
    corners[place] = corners[NEWEST]


@kernel
def reach_origin(m, bodies, corners):
    """Move the portal outward until it is beyond the origin; return False if the surface is reached first."""
    for _ in range(MOST):
        way = portal_way(corners)
        height = dot(way, corners[1].point)
        if height > -m.epsilon:
            return True
        find_corner(m, bodies, corners[NEWEST], way, LEGACY)
        if not (dot(corners[NEWEST].point, way) > -m.epsilon) or is_outermost(m, corners, way):
            return False
        move_portal(corners)
    return False


@kernel
def reach_surface(m, bodies, corners):
    """Move the portal outward until it is on the surface."""
    for turn in range(m.opt.ccd_iterations + 2):
        way = portal_way(corners)
        find_corner(m, bodies, corners[NEWEST], way, LEGACY)
        if is_outermost(m, corners, way) or turn > m.opt.ccd_iterations:
            break
        move_portal(corners)


# ---- results from a portal


@kernel
def ray_position(m, corners):
    """Return the position of the overlap: the mean of the points of both bodies whose difference is the origin."""
    v0 = corners[0].point
    v1 = corners[1].point
    v2 = corners[2].point
    v3 = corners[3].point
    b0 = triple(v1, v2, v3)
    b1 = triple(v3, v2, v0)
    b2 = triple(v0, v1, v3)
    b3 = triple(v2, v1, v0)
    total = b0 + b1 + b2 + b3
    if total < m.epsilon:
        way = portal_way(corners)
        b0 = 0.0
        b1 = triple(v2, v3, way)
        b2 = triple(v3, v1, way)
        b3 = triple(v1, v2, way)
        total = b1 + b2 + b3
    scale = 1.0 / total
    ends = local(vec3, 2)
    for k in range(2):
        on = corners[0].on[k] * b0 + corners[1].on[k] * b1 + corners[2].on[k] * b2 + corners[3].on[k] * b3
        ends[k] = on * scale
    return (ends[0] + ends[1]) * 0.5


@kernel
def penetrate_portal(m, bodies):
    """Find depth, position and direction of the overlap of two bodies; the depth is -1 if they do not overlap."""
    corners = local(Corner, NEWEST + 1)
    none = vec3(0.0, 0.0, 0.0)
    answer = discover(m, bodies, corners)
    if answer == ON_RAY:
        way = corners[1].point
        return sqrt(dot(way, way)), (corners[1].on[0] + corners[1].on[1]) * 0.5, direction(way)
    if answer != FOUND or not reach_origin(m, bodies, corners):
        return -1.0, none, none
    reach_surface(m, bodies, corners)
    nearest = nearest_of_triangle(corners[1].point, corners[2].point, corners[3].point, m.epsilon)
    depth = sqrt(dot(nearest, nearest))
    if is_zero(m, depth):
        return -1.0, none, none
    return depth, ray_position(m, corners), direction(nearest)


@kernel
def legacy_overlap(m, bodies, ends, search):
    """Find the overlap of two bodies by portals, as `collide.native_overlap` does by GJK and EPA.

    The distance is `FARTHEST` if the bodies do not overlap.
    """
    depth, pos, way = penetrate_portal(m, bodies)
    if depth < 0.0 or is_origin(m, way):
        return FARTHEST, pos, way
    return -depth, pos, way
