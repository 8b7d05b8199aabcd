"""Contacts of a plane with the convex hull of a mesh: its lowest vertex, and neighbors of that in the hull."""

from conjoint.lang import dot, kernel, norm, vec3, z_axis
from conjoint.physics.collision.plane import above_plane, keep_plane_point

MOST_CONTACTS = 3
"""Contacts of a plane and a mesh."""

APART = 0.3
"""How far from the first contact others are, in units of the bounding radius: at least so far."""


@kernel(per_world=True)
def mesh_vertex(m, v):
    """Vertex v of all meshes, in the frame of its geom."""
    return vec3(m.mesh_vert[v, 0], m.mesh_vert[v, 1], m.mesh_vert[v, 2])


@kernel(per_world=True)
def hull_vertex(m, graph, i):
    """Vertex i of a hull whose graph begins at `graph`, counted in its mesh."""
    return m.mesh_graph[graph + 2 + m.mesh_graph[graph] + i]


@kernel(per_world=True)
def hull_edges(m, graph, i):
    """Where the neighbors of vertex i of a hull are listed; the list ends with a negative number."""
    return graph + 2 + 2 * m.mesh_graph[graph] + m.mesh_graph[graph + 2 + i]


@kernel(per_world=True)
def climb_hull(m, first, graph, start, way):
    """Vertex of a hull that is farthest along a direction: uphill from vertex `start` to the highest neighbor.

    Args:
        m: model.
        first: first vertex of the mesh.
        graph: where the graph of its hull begins (`mesh_graphadr`).
        start: vertex of the hull.
        way: direction in the frame of the geom.

    Returns:
        the vertex, counted in the hull.
    """
    best = start
    height = dot(mesh_vertex(m, first + hull_vertex(m, graph, best)), way)
    here = -1
    while here != best:
        here = best
        edge = hull_edges(m, graph, here)
        while m.mesh_graph[edge] >= 0:
            vertex = mesh_vertex(m, first + hull_vertex(m, graph, m.mesh_graph[edge]))
            if dot(vertex, way) > height:
                height = dot(vertex, way)
                best = m.mesh_graph[edge]
            edge += 1
    return best


@kernel(per_world=True)
def highest_vertex(m, first, count, way):
    """Vertex of a mesh, counted in it, that is farthest along a direction: of all of them, the first."""
    best = 0
    for v in range(1, count):
        if dot(mesh_vertex(m, first + v), way) > dot(mesh_vertex(m, first + best), way):
            best = v
    return best


@kernel(per_world=True)
def plane_mesh(m, d, plane, g, margin, dists, points):
    """Up to three contacts: at the lowest vertex, and at others within the margin that are not near it.

    Others are the neighbors in the hull, in the order of its graph; all vertices of a mesh without one.
    """
    way = -(d.geom_xmat[g].T @ z_axis(d.geom_xmat[plane]))
    mesh = m.geom_dataid[g]
    first = m.mesh_vertadr[mesh]
    graph = m.mesh_graphadr[mesh]
    if graph < 0:
        lowest = highest_vertex(m, first, m.mesh_vertnum[mesh], way)
        n = keep_vertex(m, d, plane, g, first + lowest, way, dists, points, 0, margin)
        v = 0
        while v < m.mesh_vertnum[mesh] and n > 0 and n < MOST_CONTACTS:
            if v != lowest:
                n = keep_vertex(m, d, plane, g, first + v, way, dists, points, n, margin)
            v += 1
        return n
    lowest = climb_hull(m, first, graph, 0, way)
    vertex = first + hull_vertex(m, graph, lowest)
    n = keep_vertex(m, d, plane, g, vertex, way, dists, points, 0, margin)
    edge = hull_edges(m, graph, lowest)
    while m.mesh_graph[edge] >= 0 and n > 0 and n < MOST_CONTACTS:
        vertex = first + hull_vertex(m, graph, m.mesh_graph[edge])
        n = keep_vertex(m, d, plane, g, vertex, way, dists, points, n, margin)
        edge += 1
    return n


@kernel(per_world=True)
def keep_vertex(m, d, plane, g, v, way, dists, points, n, margin):
    """Contact number n, at vertex v of all meshes if it is within the margin; how many there are then.

    All but the first contact are closer than the margin, and not near the first. `way` is down, in the frame of g.
    """
    normal, center, height = above_plane(d, plane, g)
    vertex = mesh_vertex(m, v)
    arm = d.geom_xmat[g] @ vertex
    point = center + arm
    if n > 0:
        near = norm(point - points[0]) < APART * m.geom_rbound[g]
        if near or dot(vertex, way) <= height - margin:
            return n
    return keep_plane_point(dists, points, n, margin, normal, height + dot(arm, normal), point, vec3(0.0, 0.0, 0.0))
