"""Contacts of a plane with the convex hull of a mesh: its lowest vertex, and neighbours of that in the hull."""

from conjoint.lang import dot, kernel, norm, z_axis
from conjoint.physics.collision.hull import best_vertex, climb, hull_names, hull_neighbours, vertex_of
from conjoint.physics.collision.plane import above_plane, keep_plane_point

EXACT_KERNELS = True

MOST_CONTACTS = 3
"""Contacts of a plane and a mesh."""

APART = 0.3
"""How far from the first contact others are at least, in units of the bounding radius."""


@kernel(per_world=True)
def plane_mesh(m, d, plane, g, margin, dists, points):
    """Up to three contacts: at the lowest vertex, and at others within the margin that are not near it.

    Others are the neighbours in the hull, in the order of its graph; all vertices of a mesh without one.
    """
    way = -(d.geom_xmat[g].T @ z_axis(d.geom_xmat[plane]))
    mesh = m.geom_dataid[g]
    if m.mesh_graphadr[mesh] < 0:
        lowest = best_vertex(m, mesh, -1, way)
        n = keep_vertex(m, d, plane, g, lowest, dists, points, 0, margin)
        v = 0
        while v < m.mesh_vertnum[mesh] and n > 0 and n < MOST_CONTACTS:
            if v != lowest:
                n = keep_vertex(m, d, plane, g, v, dists, points, n, margin)
            v += 1
        return n
    names = hull_names(m, mesh)
    lowest = climb(m, mesh, 0, dot(way, vertex_of(m, mesh, m.mesh_graph[names])), way)
    n = keep_vertex(m, d, plane, g, m.mesh_graph[names + lowest], dists, points, 0, margin)
    k = hull_neighbours(m, mesh, lowest)
    while m.mesh_graph[k] >= 0 and n > 0 and n < MOST_CONTACTS:
        n = keep_vertex(m, d, plane, g, m.mesh_graph[names + m.mesh_graph[k]], dists, points, n, margin)
        k += 1
    return n


@kernel(per_world=True)
def keep_vertex(m, d, plane, g, v, dists, points, n, margin):
    """Contact number n, at vertex v of a mesh if it is within the margin; how many there are then.

    All but the first contact are closer than the margin, and not near the first.
    """
    normal, center, height = above_plane(d, plane, g)
    vertex = vertex_of(m, m.geom_dataid[g], v)
    arm = d.geom_xmat[g] @ vertex
    point = center + arm
    if n > 0:
        way = -(d.geom_xmat[g].T @ normal)
        near = norm(point - points[0]) < APART * m.geom_rbound[g]
        if near or dot(vertex, way) <= height - margin:
            return n
    return keep_plane_point(dists, points, n, margin, normal, height + dot(arm, normal), point)
