"""Local surfaces of convex bodies (`Spot`), and those of polytopes: hulls of meshes, and prisms of height fields."""

from conjoint.lang import abs, cross, dot, kernel, local, maximum, norm, real, stop_gradient, struct, vec3, where
from conjoint.physics.collision.convex.body import PRISM_CORNERS
from conjoint.physics.collision.hull import vertex_of
from conjoint.physics.geometry.matrix import column, largest_axis, on_axis

PARALLEL = 1e-5
"""Sine of the angle up to which planes count as parallel."""

ALIKE = 1e-10
"""Difference of heights of vertices that count as touched together, in units of the size of their body."""

ROUNDED = 1e-6
"""Distance of a corner of a mesh from its rounded sides, in units of its distance from the origin."""

ALL_CORNERS, BELOW, ABOVE = 63, 7, 56
"""Bits of corners of a prism: all, those of its base, and those of the surface."""


FAR = 1e30
"""Distance (m) of a missing edge."""


@struct
def Spot(point=vec3, count=int, ways=(vec3, 2), bend=vec3, radius=real, inside=int):
    """A point of the core of a body, in the world, and the number of tangent directions of the core's surface there.

    `inside` is 1 if the point is not on the surface: a search that ended early may have found one.

    Second derivatives along these, each times the outward normal, are minus the `bend`: first-first, first-second and
    second-second. The surface of the body is at `radius` from that of the core.
    """


@kernel
def still(v):
    """Return a vector without its derivative."""
    return vec3(stop_gradient(v.x), stop_gradient(v.y), stop_gradient(v.z))


@kernel
def in_body(body, v):
    """Return a direction of the world in the frame of a body; the frame counts as constant."""
    x = dot(still(column(body.frame, 0)), v)
    y = dot(still(column(body.frame, 1)), v)
    return vec3(x, y, dot(still(column(body.frame, 2)), v))


@kernel
def across(normal):
    """Return two unit vectors perpendicular to a unit vector and to each other."""
    axis = largest_axis(vec3(-abs(normal.x), -abs(normal.y), -abs(normal.z)))
    first = cross(normal, on_axis(axis, 1.0))
    first = first * (1.0 / norm(first))
    return first, cross(normal, first)


@kernel
def set_point(body, p, spot):
    """Put a spot at a point in the frame of the body."""
    spot.point = body.pos + body.frame @ p


@kernel
def add_way(body, way, spot):
    """Add a tangent direction of the surface, in the frame of the body."""
    spot.ways[spot.count] = body.frame @ way
    spot.count += 1


# ---- polytopes


@struct
def Planes(count=int, normals=(vec3, 2)):
    """Normals of planes through a point: the number of linearly independent ones, and the first two of these."""


@kernel
def note_plane(planes, normal):
    """Add a plane through the point by its unit normal."""
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
    """List unit vectors in all planes, or across a normal if there are no planes; return their number."""
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
    """Describe the hull of a mesh where its sides meet at the point."""
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
        # the normal of the triangle differs from that of its side
        planes.count = 0
    if planes.count == 2:
        # planes of sides that are not quite flat meet along another line
        add_way(body, edge, spot)
    else:
        for k in range(ways_in(planes, way, ways)):
            add_way(body, ways[k], spot)


@kernel
def outline_near(m, mesh, polygon, p):
    """Compare the outline of a side of a mesh with a point.

    Edition 4.0 joins triangles to sides that are flat to 0.01 rad only.

    Returns:
        the distance of the point outside, seen along the normal (m; negative inside); direction of the edge that is
        farthest; the largest distance of corners from the plane (m).
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
    """Describe the hull of a mesh whose normal is exact: the farthest vertices span a corner, an edge or a side.

    Sides of meshes are flat only up to rounding, so a triangle or a diagonal of a side may be a feature of its own.
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
    """Describe a prism of a height field, in the frame of that: a corner, an edge or a side moves with the corners."""
    shared = ALL_CORNERS
    for side in range(5):
        # the lower side, the upper one, and the three between
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
    """Move the point of a spot along its ways to the foot of a point at a distance, in constant shares."""
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
