"""Surface of a convex body near a point: its tangent directions and its curvature.

A body consists of a core and all points within a radius of it. The core of a ball is a point, the core of a capsule a
segment. Near a point of the core there is a corner, an edge, a flat side or a round surface; a `Spot` describes each of
them to second order. The feature of a polytope at the point is fixed. In dual numbers, a spot depends on the pose and
the sizes of its body.
"""

from conjoint.lang import (
    abs,
    cross,
    dot,
    kernel,
    local,
    maximum,
    minimum,
    norm,
    real,
    sqrt,
    stop_gradient,
    vec3,
    where,
)
from conjoint.physics.collision.convex.body import FLEXIBLE, is_flat
from conjoint.physics.collision.convex.polytope_surface import (
    across,
    add_way,
    in_body,
    set_point,
    spot_of_mesh,
    spot_of_prism,
    spot_of_vertices,
    still,
)
from conjoint.physics.geometry.matrix import largest_axis, on_axis
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

EXACT = 1e-9
"""Rounding error of a point, in units of the size of its body."""

CLOSE = 1e-5
"""Error of a point on a round body, in units of the body's size, because the search may end early."""

SEARCHED = 2.0
"""Largest distance along the surface between the result of a search and the exact result.

The unit is sqrt(tolerance x body size), the arc over which a round surface deviates from its tangent plane by about
the tolerance.
"""

WIDER = 10.0
"""Factor by which the slack grows while the surface is not perpendicular to the normal.

In that case, the point is on an edge or a corner of the surface.
"""

LEAST_WEIGHT = 1e-4
"""Weight of a corner of a flex element below which a contact point does not depend on the corner."""


@kernel
def find_spot(m, body, end, outward, exact, spot):
    """Set `spot` to the local surface of a body at a contact point.

    Args:
        m: model, for its meshes and tolerances.
        body: the body, see `body`.
        end: contact point on the surface, without its derivative.
        outward: unit normal at the contact point, without its derivative.
        exact: True if the normal is exact up to rounding.
        spot: receives the local surface.
    """
    spot.radius = 0.5 * body.margin
    kind = body.kind
    if kind == mjtGeom.mjGEOM_SPHERE or kind == mjtGeom.mjGEOM_CAPSULE or kind == FLEXIBLE:
        spot.radius = spot.radius + body.size.x
    core = end - outward * stop_gradient(spot.radius)
    size = norm(still(body.size))
    slack = slack_of(m, body)
    most = SEARCHED * sqrt(stop_gradient(m.opt.ccd_tolerance) * size)
    describe(m, body, core, outward, exact, slack, spot)
    while slack < most and slope_against(spot, outward) * size > most:
        slack = minimum(most, WIDER * slack)
        describe(m, body, core, outward, exact, slack, spot)


@kernel
def slope_against(spot, outward):
    """Return the sine of the largest angle between tangents of the surface and the plane perpendicular to a normal."""
    largest = 0.0
    for k in range(spot.count):
        way = still(spot.ways[k])
        largest = maximum(largest, abs(dot(way, outward)) / norm(way))
    return largest


@kernel
def describe(m, body, core, outward, exact, slack, spot):
    """Set `spot` to the local surface of a body's core at one of its points.

    Sides, edges and ends within the distance `slack` of the point count as containing it.
    """
    spot.count = 0
    spot.inside = 0
    spot.bend = vec3(0.0, 0.0, 0.0)
    kind = body.kind
    if kind == FLEXIBLE:
        spot_of_element(body, core, spot)
    elif kind == mjtGeom.mjGEOM_HFIELD:
        spot_of_prism(body, core, slack, spot)
    else:
        p = in_body(body, core - still(body.pos))
        way = in_body(body, outward)
        if kind == mjtGeom.mjGEOM_CAPSULE:
            spot_of_axis(body, p, slack, spot)
        elif kind == mjtGeom.mjGEOM_ELLIPSOID:
            spot_of_ellipsoid(body, p, way, spot)
        elif kind == mjtGeom.mjGEOM_CYLINDER:
            spot_of_cylinder(body, p, way, slack, spot)
        elif kind == mjtGeom.mjGEOM_BOX:
            spot_of_box(body, p, way, slack, spot)
        elif kind == mjtGeom.mjGEOM_SPHERE:
            spot.point = body.pos
        elif exact:
            spot_of_vertices(m, body, p, way, spot)
        else:
            spot_of_mesh(m, body, p, way, slack, spot)


@kernel
def slack_of(m, body):
    """Return the maximum error (m) of a contact point that should be on a side, an edge or an end of a body.

    Contact points of flat bodies are means of corners. For round bodies, and for bodies with a margin, searches end
    when successive points are close to each other.
    """
    size = norm(still(body.size))
    if is_flat(body):
        return EXACT * size
    return EXACT * size + CLOSE * (size + stop_gradient(body.margin)) + 2.0 * m.opt.ccd_tolerance


@kernel
def spot_of_axis(body, p, slack, spot):
    """Set `spot` to the local shape of a capsule's axis: one of its ends, or a point between them."""
    half = body.size.y
    if abs(p.z) < half - slack:
        set_point(body, vec3(0.0, 0.0, p.z), spot)
        add_way(body, vec3(0.0, 0.0, 1.0), spot)
    else:
        set_point(body, vec3(0.0, 0.0, where(p.z < 0.0, -half, half)), spot)


@kernel
def spot_of_ellipsoid(body, p, way, spot):
    """Set `spot` to the local surface of an ellipsoid, the image of a unit ball.

    The second derivatives of the unit ball's surface at a point, along unit tangents, are minus the point.
    """
    size = body.size
    y = vec3(p.x / stop_gradient(size.x), p.y / stop_gradient(size.y), p.z / stop_gradient(size.z))
    y = y * (1.0 / norm(y))
    first, second = across(y)
    point = vec3(size.x * y.x, size.y * y.y, size.z * y.z)
    set_point(body, point, spot)
    add_way(body, vec3(size.x * first.x, size.y * first.y, size.z * first.z), spot)
    add_way(body, vec3(size.x * second.x, size.y * second.y, size.z * second.z), spot)
    height = stop_gradient(dot(point, way))
    spot.bend = vec3(height, 0.0, height)


@kernel
def spot_of_cylinder(body, p, way, slack, spot):
    """Set `spot` to the local surface of a cylinder: a cap, the round side, or the edge between them."""
    size = body.size
    radius = sqrt(p.x * p.x + p.y * p.y)
    on_cap = abs(p.z) > size.y - slack
    on_side = radius > size.x - slack
    if not on_cap and not on_side:
        on_cap = abs(way.z) > 0.7
        on_side = not on_cap
    z = p.z
    if on_cap:
        z = where(p.z < 0.0, -size.y, size.y)
    if not on_side:
        set_point(body, vec3(p.x, p.y, z), spot)
        add_way(body, vec3(1.0, 0.0, 0.0), spot)
        add_way(body, vec3(0.0, 1.0, 0.0), spot)
        return
    out = vec3(p.x / radius, p.y / radius, 0.0)
    set_point(body, vec3(out.x * size.x, out.y * size.x, z), spot)
    add_way(body, vec3(-out.y, out.x, 0.0), spot)
    if not on_cap:
        add_way(body, vec3(0.0, 0.0, 1.0), spot)
    spot.bend = vec3(stop_gradient(dot(out, way) / size.x), 0.0, 0.0)


@kernel
def spot_of_box(body, p, way, slack, spot):
    """Set `spot` to the local surface of a box: a corner, an edge or a side."""
    size = body.size
    # the point is on one side at least
    most = largest_axis(vec3(abs(way.x), abs(way.y), abs(way.z)))
    point = local(real, 3)
    for k in range(3):
        point[k] = p[k]
        if k == most or abs(p[k]) >= size[k] - slack:
            point[k] = where(where(k == most, way[k], p[k]) < 0.0, -size[k], size[k])
        else:
            add_way(body, on_axis(k, 1.0), spot)
    set_point(body, vec3(point[0], point[1], point[2]), spot)


# ---- elements of flexes


@kernel
def weigh_corners(body, p, weights):
    """Compute weights of a flex element's corners such that their weighted mean is p; unused corners get weight 0.

    The weights solve the normal equations for the projection of p, by Cramer's rule.
    """
    a = still(body.corners[0])
    u = still(body.corners[1]) - a
    q = p - a
    weights[2] = 0.0
    weights[3] = 0.0
    if body.mesh == 2:
        weights[1] = dot(q, u) / dot(u, u)
    else:
        v = still(body.corners[2]) - a
        w = cross(u, v)
        if body.mesh == 4:
            w = still(body.corners[3]) - a
            weights[3] = dot(q, cross(u, v)) / dot(w, cross(u, v))
        volume = dot(w, cross(u, v))
        weights[1] = dot(q, cross(v, w)) / volume
        weights[2] = dot(q, cross(w, u)) / volume
    weights[0] = 1.0 - weights[1] - weights[2] - weights[3]
    # a point of the surface is in the plane of three corners at most
    least = 0
    for k in range(body.mesh):
        if weights[k] < weights[least]:
            least = k
    total = 0.0
    for k in range(body.mesh):
        if weights[k] < LEAST_WEIGHT or (body.mesh == 4 and k == least):
            weights[k] = 0.0
        total = total + weights[k]
    for k in range(body.mesh):
        weights[k] = weights[k] / total


@kernel
def spot_of_element(body, p, spot):
    """Set `spot` to the local surface of a flex element; its point, a weighted mean of corners, moves with them."""
    weights = local(real, 4)
    weigh_corners(body, p, weights)
    point = vec3(0.0, 0.0, 0.0)
    first = -1
    for k in range(body.mesh):
        weight = stop_gradient(weights[k])
        if weight > 0.0:
            point = point + body.corners[k] * weight
            if first < 0:
                first = k
            else:
                way = body.corners[k] - body.corners[first]
                spot.ways[spot.count] = way * (1.0 / maximum(stop_gradient(norm(way)), mjMINVAL))
                spot.count += 1
    spot.point = point
