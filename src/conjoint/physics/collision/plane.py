"""Contacts between a plane and a convex shape, at the shape's support points in the direction opposite to the normal.

The normal is the plane's z axis. A contact lies halfway between a point of the shape and the projection of that point
onto the plane. The choice and order of points are as in MuJoCo.
"""

from conjoint.lang import abs, cross, dot, kernel, local, minimum, norm, normalize3, vec3, where, x_axis, z_axis
from conjoint.physics.collision.contact_candidates import keep, keep_along
from conjoint.physics.collision.convex.clip import CHOSEN, CLIPPED_MOST, area_by_diagonals, choose_from
from conjoint.physics.collision.hull import (
    FEW_VERTICES,
    VertexSearch,
    farthest_vertex,
    hull_names,
    hull_neighbors,
    vertex_of,
)
from conjoint.physics.geometry.change import moving
from conjoint.physics.geometry.shape import corner_of
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

COS_120 = -0.5
SIN_120 = 0.8660254037844386
"""Sine of 120 degrees, the angle between the corners of an equilateral triangle seen from its center.

`COS_120` is the cosine of the same angle.
"""

ANY_HULL = VertexSearch(few=0, stays=True)
LARGE_HULL = VertexSearch(few=FEW_VERTICES, stays=True)
"""Search for the lowest vertex of a mesh in edition 4.0; `ANY_HULL` is the search in edition 3.3.5."""

MESH_CONTACTS = 3
"""Maximum number of contacts between a plane and a mesh in edition 3.3.5."""

NO_FACE = -1

APART = 0.3
"""Minimum distance of a mesh's other contacts from its first contact, in units of the mesh's bounding radius."""


@kernel
def above_plane(d, plane, g):
    """Return the normal of a plane, the center of geom g, and the height of that center above the plane."""
    normal = z_axis(d.geom_xmat[plane])
    center = d.geom_xpos[g]
    return normal, center, dot(center - d.geom_xpos[plane], normal)


@kernel
def keep_plane_point(dists, points, n, margin, normal, height, point):
    """Store contact number n, of a point `height` above a plane, if within margin; return the number of contacts."""
    if height > margin:
        return n
    return keep(dists, points, n, height, point - normal * (0.5 * height), normal)


@kernel
def keep_ball(d, plane, center, radius, limit, tangent, dists, points, n):
    """Store contact number n of a ball above a plane if its height is within `limit`; return the number of contacts."""
    normal = z_axis(d.geom_xmat[plane])
    height = dot(center - d.geom_xpos[plane], normal) - radius
    # a NaN position gives no contact
    if not height <= limit:
        return n
    return keep_along(dists, points, n, height, center - normal * (0.5 * height + radius), normal, tangent)


@kernel
def plane_sphere(m, d, plane, ball, margin, dists, points):
    """Find the contact between a plane and a sphere, below the sphere's center."""
    any_tangent = vec3(0.0, 0.0, 0.0)
    radius = m.geom_size[ball].x
    return keep_ball(d, plane, d.geom_xpos[ball], radius, margin + m.reach, any_tangent, dists, points, 0)


@kernel
def plane_capsule(m, d, plane, capsule, margin, dists, points):
    """Find up to two contacts between a plane and a capsule, one per end; contact frames follow the capsule's axis."""
    axis = z_axis(d.geom_xmat[capsule])
    radius = m.geom_size[capsule].x
    n = 0
    for end in range(2):
        center = d.geom_xpos[capsule] + axis * (m.geom_size[capsule].y * (1.0 - 2.0 * end))
        n = keep_ball(d, plane, center, radius, margin + m.reach, axis, dists, points, n)
    return n


@kernel
def plane_ellipsoid(m, d, plane, ellipsoid, margin, dists, points):
    """Find the contact between a plane and an ellipsoid, at the point whose outward normal faces the plane."""
    normal = z_axis(d.geom_xmat[plane])
    size = m.geom_size[ellipsoid]
    # In the ellipsoid's frame, scaled so that it is a unit ball, the lowest point is straight down.
    local = d.geom_xmat[ellipsoid].T @ normal
    down = normalize3(vec3(-local.x * size.x, -local.y * size.y, -local.z * size.z))
    lowest = vec3(down.x * size.x, down.y * size.y, down.z * size.z)
    point = d.geom_xpos[ellipsoid] + d.geom_xmat[ellipsoid] @ lowest
    any_tangent = vec3(0.0, 0.0, 0.0)
    return keep_ball(d, plane, point, 0.0, margin + m.reach, any_tangent, dists, points, 0)


@kernel
def plane_cylinder(m, d, plane, cylinder, margin, dists, points):
    """Find up to four contacts between a plane and a cylinder.

    The contacts are at the lowest points of both caps, and at two more points that complete a triangle on the lower
    cap.
    """
    normal, center, height = above_plane(d, plane, cylinder)
    frame = d.geom_xmat[cylinder]
    radius = m.geom_size[cylinder].x
    # `axis` leads from the center to the lower cap, and `lowest` from there to the cap's lowest point
    axis = z_axis(frame)
    lean = dot(normal, axis)
    axis = where(lean > 0.0, -axis, axis)
    lean = -abs(lean)
    lowest = axis * lean - normal
    length = norm(lowest)
    # if a cap is parallel to the plane, all points of its edge are equally low
    lowest = where(length < mjMINVAL, x_axis(frame) * radius, lowest * (radius / length))
    drop = dot(lowest, normal)
    axis = axis * m.geom_size[cylinder].y
    lean = lean * m.geom_size[cylinder].y
    sideways = normalize3(cross(lowest, axis)) * (radius * SIN_120)
    n = 0
    for k in range(4):
        rise, spot = height + lean + drop, center + lowest + axis
        if k == 1:
            rise, spot = height - lean + drop, center + lowest - axis
        if k > 1:
            # the other two corners of the triangle
            spot = center + sideways * (5.0 - 2.0 * k) + axis + lowest * COS_120
            # if the cap is parallel to the plane, a tilt raises these corners even if it does not raise the lowest
            # point
            rise = moving(height + lean + drop * COS_120, dot(spot - d.geom_xpos[plane], normal))
        # if the lowest point is not within the margin, no other point is
        if k == 0 or n > 0:
            n = keep_plane_point(dists, points, n, margin + m.reach, normal, rise, spot)
    return n


@kernel
def plane_box(m, d, plane, box, margin, dists, points):
    """Find up to four contacts between a plane and a box, at corners that are not above the box's center.

    Corners are tested in binary order, and the first four within the margin become contacts.
    """
    normal, center, height = above_plane(d, plane, box)
    n = 0
    for i in range(8):
        corner = d.geom_xmat[box] @ corner_of(m.geom_size[box], i)
        rise = dot(corner, normal)
        if rise <= 0.0 and n < 4:
            n = keep_plane_point(dists, points, n, margin, normal, height + rise, center + corner)
    return n


# ---- meshes


@kernel
def plane_mesh(m, d, plane, g, margin, dists, points):
    """Find up to three contacts between a plane and a mesh in edition 3.3.5.

    The contacts are at the lowest vertex, and at those of its neighbors in the hull that are not close to it. Neighbors
    are tested in the order of the hull's graph. If a mesh has no graph, all vertices are tested in order.
    """
    lowest, place, _, n = keep_lowest(m, d, plane, g, margin, dists, points, ANY_HULL)
    mesh = m.geom_dataid[g]
    if m.mesh_graphadr[mesh] < 0:
        v = 0
        while v < m.mesh_vertnum[mesh] and n > 0 and n < MESH_CONTACTS:
            if v != lowest:
                n = keep_neighbor(m, d, plane, g, v, margin, dists, points, n)
            v += 1
        return n
    names = hull_names(m, mesh)
    k = hull_neighbors(m, mesh, place)
    while m.mesh_graph[k] >= 0 and n > 0 and n < MESH_CONTACTS:
        n = keep_neighbor(m, d, plane, g, m.mesh_graph[names + m.mesh_graph[k]], margin, dists, points, n)
        k += 1
    return n


@kernel
def plane_mesh_4(m, d, plane, g, margin, dists, points):
    """Find up to four contacts between a plane and a mesh in edition 4.0.

    The contacts are at the lowest vertex, and at corners of the face at this vertex that faces the plane. The corners
    are chosen such that they and the lowest vertex span a large area.
    """
    lowest, _, way, n = keep_lowest(m, d, plane, g, margin, dists, points, LARGE_HULL)
    mesh = m.geom_dataid[g]
    face = NO_FACE
    if n > 0:
        face = facing_polygon(m, mesh, lowest, way)
    if face == NO_FACE:
        return n
    polygon = local(vec3, CLIPPED_MOST)
    chosen = local(int, CHOSEN)
    first = m.mesh_polyvertadr[m.mesh_polyadr[mesh] + face]
    count = m.mesh_polyvertnum[m.mesh_polyadr[mesh] + face]
    start = 0
    for k in range(count):
        if m.mesh_polyvert[first + count - 1 - k] == lowest:
            start = count - 1 - k
    corners = minimum(count, CLIPPED_MOST)
    for k in range(corners):
        polygon[k] = vertex_of(m, mesh, m.mesh_polyvert[first + (start + k) % count])
    choose_from(polygon, corners, chosen, area_by_diagonals)
    for k in range(1, minimum(corners, CHOSEN)):
        if dot(polygon[chosen[k]], way) >= 0.0:
            n = keep_vertex(m, d, plane, g, polygon[chosen[k]], margin, dists, points, n)
    return n


@kernel
def keep_lowest(m, d, plane, g, margin, dists, points, search):
    """Store the contact at the lowest vertex of a mesh.

    Returns:
        the index of the vertex in the mesh and its index in the hull; the direction toward the plane in the frame
        of the mesh; the number of contacts.
    """
    way = -(d.geom_xmat[g].T @ z_axis(d.geom_xmat[plane]))
    mesh = m.geom_dataid[g]
    lowest, place = farthest_vertex(m, mesh, way, -1, search)
    return lowest, place, way, keep_vertex(m, d, plane, g, vertex_of(m, mesh, lowest), margin, dists, points, 0)


@kernel
def keep_vertex(m, d, plane, g, vertex, margin, dists, points, n):
    """Store contact number n, at a vertex of a mesh, if it is within the margin; return the number of contacts."""
    normal, center, height = above_plane(d, plane, g)
    arm = d.geom_xmat[g] @ vertex
    return keep_plane_point(dists, points, n, margin, normal, height + dot(arm, normal), center + arm)


@kernel
def keep_neighbor(m, d, plane, g, v, margin, dists, points, n):
    """Store contact number n, at vertex v of a mesh; return the number of contacts.

    The vertex is skipped if it is not within the margin, or if it is close to the first contact.
    """
    normal, center, height = above_plane(d, plane, g)
    way = -(d.geom_xmat[g].T @ normal)
    vertex = vertex_of(m, m.geom_dataid[g], v)
    # most neighbors are too high above the plane
    if dot(vertex, way) <= height - margin:
        return n
    arm = d.geom_xmat[g] @ vertex
    if norm(center + arm - points[0]) < APART * m.geom_rbound[g]:
        return n
    return keep_plane_point(dists, points, n, margin, normal, height + dot(arm, normal), center + arm)


@kernel
def facing_polygon(m, mesh, v, way):
    """Return the polygon at vertex v whose normal is closest to a direction, the first on ties; -1 if there is none."""
    best = NO_FACE
    most = -1.0
    for k in range(m.mesh_polymapnum[m.mesh_vertadr[mesh] + v]):
        polygon = m.mesh_polymap[m.mesh_polymapadr[m.mesh_vertadr[mesh] + v] + k]
        along = dot(m.mesh_polynormal[m.mesh_polyadr[mesh] + polygon], way)
        if along > most:
            most = along
            best = polygon
    return best
