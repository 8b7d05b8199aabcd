"""Vertices and triangles of meshes, and which vertex is farthest in a direction."""

from conjoint.lang import all, dot, kernel, load, local, maximum, put, real, tile, vec3, where
from conjoint.lang.language.tile import TILE

EXACT_KERNELS = True

LOWEST = -1e30
"""Lower than any vertex."""

WAITING = 64
"""Most bounding volumes that wait while the tree of a mesh is gone through, depth first: trees halve what they hold."""


@kernel
def vertex_of(m, mesh, v):
    """Vertex v of a mesh, in its frame."""
    return load(vec3, m.mesh_vert, (m.mesh_vertadr[mesh] + v, 0))


@kernel
def mesh_corner(m, mesh, f, k):
    """Corner k of triangle f, counted over all meshes, of a mesh."""
    return vertex_of(m, mesh, m.mesh_face[f, k])


@kernel
def hull_names(m, mesh):
    """Where the numbers of the hull's vertices in the mesh are listed in `mesh_graph`."""
    return m.mesh_graphadr[mesh] + 2 + m.mesh_graph[m.mesh_graphadr[mesh]]


@kernel
def hull_neighbours(m, mesh, i):
    """Where the neighbours of vertex i of the hull are listed in `mesh_graph`; a negative number ends the list."""
    first = m.mesh_graphadr[mesh]
    return first + 2 + 2 * m.mesh_graph[first] + m.mesh_graph[first + 2 + i]


@kernel
def best_vertex(m, mesh, start, way):
    """Number of the farthest vertex of a mesh; of equals `start`, else the first."""
    best = 0
    most = LOWEST
    if start >= 0:
        best = start
        most = dot(way, vertex_of(m, mesh, start))
    for v in range(m.mesh_vertnum[mesh]):
        here = dot(way, vertex_of(m, mesh, v))
        if here > most:
            most = here
            best = v
    return best


# ---- climbing


@kernel
def is_lower_by(height, most, slack):
    """Whether a height is less than the most by more than `slack`."""
    return height < most - slack


@kernel
def not_asked(height, most, slack):
    """In place of that where nobody asks, which spares a comparison for each neighbour."""
    return True


@kernel
def hull_vertex(m, mesh, i):
    """Vertex i of the hull of a mesh, in its frame."""
    return vertex_of(m, mesh, m.mesh_graph[hull_names(m, mesh) + i])


@kernel
def climb(m, mesh, start, height, way):
    """The farthest vertex of a mesh, by going from neighbour to better neighbour on its hull.

    Args:
        m: model.
        mesh: a mesh with a graph of its hull.
        start: vertex of the hull to begin at.
        height: how far that is, or less: then the first step leads to its best neighbour.
        way: direction in the frame of the mesh.

    Returns:
        the vertex, counted in the hull.
    """
    best, _ = climb_from(m, mesh, start, height, way, 0.0, not_asked)
    return best


@kernel
def climb_from(m, mesh, start, height, way, slack, is_lower):
    """The same, and whether all neighbours of that vertex are lower by more than `slack` (m), as `is_lower` tells.

    `mesh_graph` has, from its address on, the number of vertices of the hull, that of its faces, and for each vertex
    where its neighbours begin, then its number in the mesh; behind these the neighbours, each list ended by -1.
    """
    if m.nmesh_extent > 0 and m.mesh_hulladr[mesh] >= 0:
        return climb_by_tiles(m, mesh, start, height, way, slack)
    names = hull_names(m, mesh)
    best = start
    most = height
    last = -1
    alone = True
    while best != last:
        last = best
        alone = True
        k = hull_neighbours(m, mesh, best)
        while m.mesh_graph[k] >= 0:
            here = dot(way, vertex_of(m, mesh, m.mesh_graph[names + m.mesh_graph[k]]))
            if not is_lower(here, most, slack):
                alone = False
            if here > most:
                most = here
                best = m.mesh_graph[k]
            k += 1
    return best, alone


@kernel
def climb_by_tiles(m, mesh, start, height, way, slack):
    """The same where the neighbours of a vertex lie together: most climbs end soon, and none of them is higher."""
    heights = local(real, TILE)
    hull = m.mesh_hulladr[mesh]
    best = start
    most = height
    last = -1
    alone = True
    while best != last:
        last = best
        alone = True
        for t in range(m.hull_tileadr[hull + last], m.hull_tileadr[hull + last + 1]):
            here = tile(way.x) * tile(m.hull_corner, 3 * TILE * t)
            here = here + tile(way.y) * tile(m.hull_corner, 3 * TILE * t + TILE)
            here = here + tile(way.z) * tile(m.hull_corner, 3 * TILE * t + 2 * TILE)
            if not all(here < tile(most - slack)):
                alone = False
                put(heights, 0, here)
                higher = most
                for k in range(TILE):
                    higher = maximum(heights[k], higher)
                if higher > most:
                    most = higher
                    for k in range(TILE):
                        best = where(heights[TILE - 1 - k] == most, m.hull_neighbour[t, TILE - 1 - k], best)
    return best, alone
