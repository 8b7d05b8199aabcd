"""A point of the surface of a convex body, and the directions along which the surface goes on there."""

from conjoint.lang import abs, cross, dot, kernel, norm, real, stop_gradient, struct, vec3
from conjoint.physics.geometry.matrix import column, largest_axis, on_axis


@struct
def Spot(point=vec3, count=int, ways=(vec3, 2), bend=vec3, radius=real, inside=int):
    """A point of the core of a body, in the world, and along how many directions the surface of the core goes on.

    `inside` is 1 if the point is not on the surface: a search that ended early may have found one.

    Second derivatives along these, each times the outward normal, are minus the `bend`: along both the first, along the
    first and the second, along both the second. The surface of the body is at `radius` from that of the core.
    """


@kernel
def still(v):
    """A vector that derivatives take for a constant."""
    return vec3(stop_gradient(v.x), stop_gradient(v.y), stop_gradient(v.z))


@kernel
def in_body(body, v):
    """The components in the frame of a body of a direction of the world; the frame counts as constant."""
    x = dot(still(column(body.frame, 0)), v)
    y = dot(still(column(body.frame, 1)), v)
    return vec3(x, y, dot(still(column(body.frame, 2)), v))


@kernel
def across(normal):
    """Two unit vectors perpendicular to a unit vector and to each other."""
    axis = largest_axis(vec3(-abs(normal.x), -abs(normal.y), -abs(normal.z)))
    first = cross(normal, on_axis(axis, 1.0))
    first = first * (1.0 / norm(first))
    return first, cross(normal, first)


@kernel
def set_point(body, p, spot):
    """The spot is at a point in the frame of the body."""
    spot.point = body.pos + body.frame @ p


@kernel
def add_way(body, way, spot):
    """The surface goes on along a direction in the frame of the body."""
    spot.ways[spot.count] = body.frame @ way
    spot.count += 1
