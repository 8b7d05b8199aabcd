"""Local surface of a convex body (`Spot`), and its computation for polytopes: mesh hulls and height-field prisms."""

from conjoint.lang import abs, cross, dot, kernel, local, maximum, norm, real, stop_gradient, struct, vec3, where
from conjoint.physics.collision.convex.body import PRISM_CORNERS
from conjoint.physics.collision.hull import vertex_of
from conjoint.physics.geometry.matrix import column, largest_axis, on_axis

PARALLEL = 1e-5
"""Sine of the angle up to which planes count as parallel."""

ALIKE = 1e-10
"""Height difference up to which vertices count as touching together, in units of the size of their body."""

ROUNDED = 1e-6
"""Distance of a mesh vertex from its sides because of rounding, in units of the vertex's distance from the origin."""

ALL_CORNERS, BELOW, ABOVE = 63, 7, 56
"""Bit sets of prism corners: all corners, those of the base, and those of the surface."""


FAR = 1e30
"""Stand-in for the distance (m) of a missing edge."""


@struct
def Spot(point=vec3, count=int, ways=(vec3, 2), bend=vec3, radius=real, inside=int):
    """A point on the core of a body, in world coordinates, and the local shape of the core's surface.

    `ways` contains `count` tangent directions of the core's surface at the point. The second derivatives of the surface
    along these directions, each times the outward normal, are minus the `bend`: first-first, first-second and
    second-second. The surface of the body is at distance `radius` from the surface of the core. `inside` is 1 if the
    point is not on the surface, which may happen if a search ended early.
    """


@kernel
def still(v):
    """Return a vector without its derivative."""
    return vec3(stop_gradient(v.x), stop_gradient(v.y), stop_gradient(v.z))


@kernel
def in_body(body, v):
    """Return a world direction in the frame of a body, without the derivative of the frame."""
    x = dot(still(column(body.frame, 0)), v)
    y = dot(still(column(body.frame, 1)), v)
    return vec3(x, y, dot(still(column(body.frame, 2)), v))


@kernel
def across(normal):
    """Return two unit vectors that are perpendicular to a unit vector and to each other."""
    axis = largest_axis(vec3(-abs(normal.x), -abs(normal.y), -abs(normal.z)))
    first = cross(normal, on_axis(axis, 1.0))
    first = first * (1.0 / norm(first))
    return first, cross(normal, first)


@kernel
def set_point(body, p, spot):
    """Set the point of a spot to point p in the frame of the body."""
    spot.point = body.pos + body.frame @ p


@kernel
def add_way(body, way, spot):
    """Add a tangent direction of the surface, given in the frame of the body, to a spot."""
    spot.ways[spot.count] = body.frame @ way
    spot.count += 1


# ---- polytopes


@struct
def Planes(count=int, normals=(vec3, 2)):
    """Planes through a point: the number of linearly independent normals, and the first two of them."""


@kernel
def note_plane(planes, normal):
    """Add a plane through the point, given by its unit normal."""
    if planes.count == 0:
        planes.normals[0] = normal
        planes.count = 1
    elif planes.count == 1:
        if norm(cross(planes.normals[0], normal)) > PARALLEL:
            planes.normals[1] = normal
            planes.count = 2
    elif planes.count == 2 and abs(dot(cross(planes.normals[0], planes.normals[1]), normal)) > PARALLEL * PARALLEL:
        planes.count = 3


@kernel
def ways_in(planes, normal, ways):
    """List unit vectors that are parallel to all planes; return their number.

    If there are no planes, list two unit vectors that are perpendicular to `normal`.
    """
    if planes.count == 2:
        way = cross(planes.normals[0], planes.normals[1])
        ways[0] = way * (1.0 / norm(way))
        return 1
    if planes.count == 3:
        return 0
    if planes.count == 1:
        normal = planes.normals[0]
    first, second = across(normal)
    ways[0] = first
    ways[1] = second
    return 2


@kernel
def spot_of_mesh(m, body, p, way, slack, spot):
    """Set `spot` to the local surface of a mesh's hull at point p, from the sides that meet there."""
    mesh = body.mesh
    planes = local(Planes, 1)[0]
    ways = local(vec3, 2)
    planes.count = 0
    nearest = FAR
    edge = way
    rough = False
    for k in range(m.mesh_polynum[mesh]):
        polygon = m.mesh_polyadr[mesh] + k
        normal = m.mesh_polynormal[polygon]
        corner = vertex_of(m, mesh, m.mesh_polyvert[m.mesh_polyvertadr[polygon]])
        near = slack + ROUNDED * norm(corner)
        apart, side, uneven = outline_near(m, mesh, polygon, p)
        height = abs(dot(normal, p - corner))
        if height < near or (height < near + uneven and apart < near):
            note_plane(planes, normal)
            rough = rough or height >= near
            if abs(apart) < nearest:
                nearest = abs(apart)
                edge = side
    set_point(body, p, spot)
    if planes.count == 1 and rough:
        # the normal of the triangle differs from the normal of its side
        planes.count = 0
    if planes.count == 2:
        # planes of sides that are not quite flat would intersect in another line than the edge
        add_way(body, edge, spot)
    else:
        for k in range(ways_in(planes, way, ways)):
            add_way(body, ways[k], spot)


@kernel
def outline_near(m, mesh, polygon, p):
    """Compare the outline of a side of a mesh with point p.

    In edition 4.0, triangles are merged into sides that are flat only up to 0.01 rad.

    Returns:
        the distance by which the point is outside the outline, in the plane of the side (m; negative inside); the
        direction of the edge for which this distance is largest; the largest distance of corners from the plane (m).
    """
    first = m.mesh_polyvertadr[polygon]
    count = m.mesh_polyvertnum[polygon]
    normal = m.mesh_polynormal[polygon]
    corner = vertex_of(m, mesh, m.mesh_polyvert[first])
    outside = -FAR
    direction = normal
    uneven = 0.0
    start = vertex_of(m, mesh, m.mesh_polyvert[first + count - 1])
    for k in range(count):
        end = vertex_of(m, mesh, m.mesh_polyvert[first + k])
        uneven = maximum(uneven, abs(dot(normal, end - corner)))
        length = norm(end - start)
        if length > 0.0:
            along = (end - start) * (1.0 / length)
            out = dot(cross(along, normal), p - start)
            if out > outside:
                outside = out
                direction = along
        start = end
    return outside, direction, uneven


@kernel
def spot_of_vertices(m, body, p, way, spot):
    """Set `spot` to the local surface of a mesh's hull, given an exact normal.

    The farthest vertices along the normal form a corner, an edge or a side. Sides of meshes are flat only up to
    rounding, so a triangle or a diagonal of a side may be a feature of its own.
    """
    mesh = body.mesh
    slack = ALIKE * norm(still(body.size))
    height = dot(way, p)
    first = vec3(0.0, 0.0, 0.0)
    edge = vec3(0.0, 0.0, 0.0)
    count = 0
    for v in range(m.mesh_vertnum[mesh]):
        vertex = vertex_of(m, mesh, v)
        if abs(dot(way, vertex) - height) < slack:
            if count == 0:
                first = vertex
                count = 1
            elif count == 1:
                if norm(vertex - first) > slack:
                    edge = vertex - first
                    edge = edge * (1.0 / norm(edge))
                    count = 2
            elif count == 2 and norm(cross(vertex - first, edge)) > slack:
                count = 3
    set_point(body, p, spot)
    spot.inside = where(count == 0, 1, 0)
    if count == 2:
        add_way(body, edge, spot)
    elif count == 3:
        side, other = across(way)
        add_way(body, side, spot)
        add_way(body, other, spot)


@kernel
def spot_of_prism(body, p, slack, spot):
    """Set `spot` to the local surface of a height-field prism at point p, in the frame of the field.

    It is a corner, an edge or a side, and the point moves with the corners of this feature.
    """
    shared = ALL_CORNERS
    for side in range(5):
        # the base, the top, and the three sides between them
        a = where(side == 1, 3, where(side < 2, 0, side - 2))
        b = where(side == 1, 4, where(side < 2, 1, (side - 1) % 3))
        c = where(side == 1, 5, where(side < 2, 2, PRISM_CORNERS - 5 + side))
        corner = still(body.corners[a])
        normal = cross(still(body.corners[b]) - corner, still(body.corners[c]) - corner)
        normal = normal * (1.0 / norm(normal))
        if abs(dot(normal, p - corner)) < slack:
            both = 9 * ((1 << a) | (1 << b))
            shared = shared & where(side == 0, BELOW, where(side == 1, ABOVE, both))
    first = -1
    for k in range(PRISM_CORNERS):
        if (shared >> k) & 1 == 1 and shared != ALL_CORNERS:
            if first < 0:
                first = k
            elif spot.count < 2:
                spot.ways[spot.count] = body.corners[k] - body.corners[first]
                spot.count += 1
    if first < 0:
        spot.point = p
        spot.count = 2
        spot.ways[0], spot.ways[1] = across(vec3(0.0, 0.0, 1.0))
    else:
        spot.point = body.corners[first]
        go_along(spot, p - still(spot.point))


@kernel
def go_along(spot, distance):
    """Move the point of a spot along its tangent directions, by the projection of the vector `distance` on them.

    The coefficients of the directions are constant.
    """
    if spot.count > 0:
        u = still(spot.ways[0])
        first = dot(distance, u) / dot(u, u)
        if spot.count == 2:
            v = still(spot.ways[1])
            w = cross(u, v)
            size = dot(w, w)
            first = dot(distance, cross(v, w)) / size
            spot.point = spot.point + spot.ways[1] * (dot(distance, cross(w, u)) / size)
        spot.point = spot.point + spot.ways[0] * first
