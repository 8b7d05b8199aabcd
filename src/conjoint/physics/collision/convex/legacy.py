"""Contacts of two convex bodies in the legacy pipeline: portals, with the normals of round bodies made good."""

from conjoint.lang import dot, kernel, local, real, sqrt, vec3
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.convex.body import (
    TWO_MARKS,
    TWO_REALS,
    set_geoms,
)
from conjoint.physics.collision.convex.normal import mend_normal
from conjoint.physics.collision.convex.portal import (
    FOUND,
    ON_RAY,
    PORTAL_POINTS,
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


@kernel(per_world=True, exact=True)
def penetrate_portal(m, reals, marks):
    """Depth, position and direction of the overlap of two bodies; depth -1 if they do not overlap."""
    points = local(vec3, PORTAL_POINTS)
    none = vec3(0.0, 0.0, 0.0)
    answer = discover(m, reals, marks, points)
    if answer == ON_RAY:
        return sqrt(dot(points[3], points[3])), (points[4] + points[5]) * 0.5, direction(points[3])
    if answer != FOUND or not reach_origin(m, reals, marks, points):
        return -1.0, none, none
    reach_surface(m, reals, marks, points)
    nearest = nearest_of_triangle(points[3], points[6], points[9], m.epsilon)
    depth = sqrt(dot(nearest, nearest))
    if is_zero(m, depth):
        return -1.0, none, none
    return depth, ray_position(m, points), direction(nearest)


@kernel(per_world=True, exact=True)
def legacy_overlap(m, reals, marks, ends):
    """Whether two bodies overlap, and how: see `collide.touch`."""
    depth, pos, way = penetrate_portal(m, reals, marks)
    if depth < 0.0 or is_origin(m, way):
        return FARTHEST, pos, way
    return -depth, pos, way


@kernel(per_world=True, exact=True)
def legacy_touch(m, reals, marks, ends):
    """The same, with the normals of round bodies."""
    dist, pos, way = legacy_overlap(m, reals, marks, ends)
    if dist < FARTHEST:
        way = mend_normal(reals, marks, pos, way)
    return dist, pos, way


@kernel(per_world=True, exact=True)
def legacy_convex(m, d, g1, g2, margin, dists, points):
    """One contact at most, of geoms of any convex type."""
    reals = local(real, TWO_REALS)
    marks = local(int, TWO_MARKS)
    set_geoms(m, d, g1, g2, margin, reals, marks)
    return keep_touch(m, reals, marks, margin, dists, points)


@kernel(per_world=True, exact=True)
def legacy_convex_several(m, d, g1, g2, margin, dists, points):
    """Several contacts of geoms of any convex types."""
    reals = local(real, TWO_REALS)
    marks = local(int, TWO_MARKS)
    set_geoms(m, d, g1, g2, margin, reals, marks)
    if keep_touch(m, reals, marks, margin, dists, points) == 0:
        return 0
    return turned_contacts(m, d, g1, g2, reals, marks, dists, points, legacy_touch)


@kernel(per_world=True, exact=True)
def keep_touch(m, reals, marks, margin, dists, points):
    """Keep the contact of two bodies, if they touch; how many."""
    ends = local(vec3, 2)
    dist, pos, normal = legacy_touch(m, reals, marks, ends)
    if dist >= FARTHEST:
        return 0
    return keep(dists, points, 0, margin + dist, pos, normal, vec3(0.0, 0.0, 0.0))
