"""Contacts of a plane and a mesh, as the official engine finds them since version 3.13.

The first is at the lowest vertex. Of the faces there the one that is turned most against the plane has the others: at
most three more of its corners, which with the first have much area between them.
"""

from conjoint.lang import cross, dot, kernel, local, norm, vec3, z_axis
from conjoint.physics.collision.convex.body import FEW_VERTICES
from conjoint.physics.collision.hull import best_vertex, hull_names, vertex_of
from conjoint.physics.collision.hull_cells import highest_vertex
from conjoint.physics.collision.plane import keep_plane_point

EXACT_KERNELS = True

CORNERS = 4
"""Most contacts of a plane and a mesh."""

NO_FACE = -1


@kernel(one_by_one="its indices and branches are those of the state")
def plane_manifold(m, d, plane, g, margin, dists, points):
    """Up to four contacts: the lowest vertex, and corners within the margin of the face that is turned to the plane."""
    normal = z_axis(d.geom_xmat[plane])
    mesh = m.geom_dataid[g]
    way = -(d.geom_xmat[g].T @ normal)
    lowest = lowest_vertex(m, mesh, way)
    n = keep_corner(m, d, plane, g, lowest, margin, dists, points, 0)
    face = NO_FACE
    if n > 0:
        face = facing_polygon(m, mesh, lowest, way)
    if face == NO_FACE:
        return n
    polygon = m.mesh_polyadr[mesh] + face
    first = m.mesh_polyvertadr[polygon]
    count = m.mesh_polyvertnum[polygon]
    chosen = local(int, CORNERS)
    chosen[0] = 0
    for k in range(count):
        if m.mesh_polyvert[first + count - 1 - k] == lowest:
            chosen[0] = count - 1 - k
    corners = choose_from(m, mesh, polygon, chosen)
    for k in range(1, corners):
        v = m.mesh_polyvert[first + chosen[k]]
        if dot(normal, d.geom_xmat[g] @ vertex_of(m, mesh, v)) <= 0.0:
            n = keep_corner(m, d, plane, g, v, margin, dists, points, n)
    return n


@kernel
def keep_corner(m, d, plane, g, v, margin, dists, points, n):
    """Contact number n, at vertex v of a mesh if it is within the margin; how many there are then."""
    normal = z_axis(d.geom_xmat[plane])
    point = d.geom_xpos[g] + d.geom_xmat[g] @ vertex_of(m, m.geom_dataid[g], v)
    return keep_plane_point(dists, points, n, margin, normal, dot(point - d.geom_xpos[plane], normal), point)


@kernel
def lowest_vertex(m, mesh, way):
    """The vertex of a mesh that is farthest in a direction."""
    if m.mesh_graphadr[mesh] < 0 or m.mesh_vertnum[mesh] < FEW_VERTICES:
        return best_vertex(m, mesh, -1, way)
    names = hull_names(m, mesh)
    return m.mesh_graph[names + highest_vertex(m, mesh, 0, dot(way, vertex_of(m, mesh, m.mesh_graph[names])), way)]


@kernel
def facing_polygon(m, mesh, v, way):
    """The polygon at a vertex whose normal is turned most along a direction, the first of equals; -1: there is none."""
    best = NO_FACE
    most = -1.0
    for k in range(m.mesh_polymapnum[m.mesh_vertadr[mesh] + v]):
        polygon = m.mesh_polymap[m.mesh_polymapadr[m.mesh_vertadr[mesh] + v] + k]
        along = dot(m.mesh_polynormal[m.mesh_polyadr[mesh] + polygon], way)
        if along > most:
            most = along
            best = polygon
    return best


@kernel
def choose_from(m, mesh, polygon, chosen):
    """Choose corners of a polygon beside that which is chosen first, so that there is much area between them.

    The three after it go on as long as the area grows.

    Returns:
        how many corners are chosen.
    """
    count = m.mesh_polyvertnum[polygon]
    for k in range(1, CORNERS):
        chosen[k] = (chosen[0] + k) % count
    if count <= CORNERS:
        return count
    most = area_between(m, mesh, polygon, chosen, -1)
    before = -1.0
    while most > before:
        before = most
        most = grow(m, mesh, polygon, chosen, 3, most)
        if most > before:
            for k in range(2, 0, -1):
                area = -1.0
                while most > area:
                    area = most
                    most = grow(m, mesh, polygon, chosen, k, most)
    return CORNERS


@kernel
def grow(m, mesh, polygon, chosen, k, most):
    """Let chosen corner k go on to the next one, if the area is larger then; the larger area."""
    area = area_between(m, mesh, polygon, chosen, k)
    if area > most:
        chosen[k] = (chosen[k] + 1) % m.mesh_polyvertnum[polygon]
        return area
    return most


@kernel
def area_between(m, mesh, polygon, chosen, ahead):
    """Area between four chosen corners of a polygon, of which number `ahead` goes on to the next."""
    corners = local(vec3, CORNERS)
    for k in range(CORNERS):
        place = chosen[k]
        if k == ahead:
            place = (place + 1) % m.mesh_polyvertnum[polygon]
        corners[k] = vertex_of(m, mesh, m.mesh_polyvert[m.mesh_polyvertadr[polygon] + place])
    return 0.5 * norm(cross(corners[0] - corners[2], corners[1] - corners[3]))
