"""Contacts of two convex bodies in the legacy pipeline: portals, with the normals of round bodies made good."""

from conjoint.lang import dot, kernel, local, sqrt, vec3
from conjoint.physics.collision.convex.body import Body
from conjoint.physics.collision.convex.collide import keep_touch
from conjoint.physics.collision.convex.gjk import Corner
from conjoint.physics.collision.convex.normal import mend_normal
from conjoint.physics.collision.convex.portal import (
    FOUND,
    NEWEST,
    ON_RAY,
    direction,
    discover,
    is_origin,
    is_zero,
    ray_position,
    reach_origin,
    reach_surface,
)
from conjoint.physics.collision.convex.several import turned_contacts
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.physics.collision.nearest_points import nearest_of_triangle


@kernel
def penetrate_portal(m, bodies):
    """Depth, position and direction of the overlap of two bodies; depth -1 if they do not overlap."""
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
def legacy_overlap(m, bodies, ends):
    """Whether two bodies overlap, and how: see `collide.touch`."""
    depth, pos, way = penetrate_portal(m, bodies)
    if depth < 0.0 or is_origin(m, way):
        return FARTHEST, pos, way
    return -depth, pos, way


@kernel
def legacy_touch(m, bodies, ends):
    """The same, with the normals of round bodies."""
    dist, pos, way = legacy_overlap(m, bodies, ends)
    if dist < FARTHEST:
        way = mend_normal(bodies, pos, way)
    return dist, pos, way


@kernel
def legacy_convex(m, d, g1, g2, margin, dists, points):
    """One contact at most, of geoms of any convex type."""
    bodies = local(Body, 2)
    return keep_touch(m, d, g1, g2, margin, bodies, dists, points, legacy_touch)


@kernel
def legacy_convex_several(m, d, g1, g2, margin, dists, points):
    """Several contacts of geoms of any convex types."""
    bodies = local(Body, 2)
    if keep_touch(m, d, g1, g2, margin, bodies, dists, points, legacy_touch) == 0:
        return 0
    return turned_contacts(m, g1, g2, bodies, dists, points, legacy_touch)
