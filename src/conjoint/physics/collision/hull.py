"""Vertices of a mesh that are farthest in a direction."""

from conjoint.lang import abs, dot, kernel, load, maximum, vec3, where
from conjoint.schema.plan import HULL_BINS

LOWEST = -1e30
"""Lower than any vertex."""

EQUAL = 1e-11
"""Difference of heights, relative to their terms, up to which rounding decides which vertex is the highest."""


@kernel(per_world=True, exact=True)
def vertex_of(m, mesh, v):
    """Vertex v of a mesh, in its frame."""
    return load(vec3, m.mesh_vert, (m.mesh_vertadr[mesh] + v, 0))


@kernel(per_world=True)
def hull_names(m, mesh):
    """Where the numbers of the hull's vertices in the mesh are listed in `mesh_graph`."""
    return m.mesh_graphadr[mesh] + 2 + m.mesh_graph[m.mesh_graphadr[mesh]]


@kernel(per_world=True)
def hull_neighbours(m, mesh, i):
    """Where the neighbours of vertex i of the hull are listed in `mesh_graph`; a negative number ends the list."""
    first = m.mesh_graphadr[mesh]
    return first + 2 + 2 * m.mesh_graph[first] + m.mesh_graph[first + 2 + i]


@kernel(per_world=True, exact=True)
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


@kernel(per_world=True)
def cell_of(way):
    """The cell of a cube's sides through which a direction passes; see `hull_start`."""
    axis = where(abs(way.y) > abs(way.x), 1, 0)
    axis = where(abs(way.z) > abs(way[axis]), 2, axis)
    size = abs(way[axis])
    cell = 2 * axis + where(way[axis] < 0.0, 1, 0)
    for k in range(1, 3):
        x = way[(axis + k) % 3]
        cell = HULL_BINS * cell + where(x < 0.0, where(x < -0.5 * size, 0, 1), where(x < 0.5 * size, 2, 3))
    return cell


@kernel(per_world=True, exact=True)
def height_of(m, mesh, i, way):
    """How far vertex i of the hull of a mesh is in a direction."""
    return dot(way, vertex_of(m, mesh, m.mesh_graph[hull_names(m, mesh) + i]))


@kernel(per_world=True, exact=True)
def farthest_of_hull(m, mesh, start, height, way):
    """The farthest vertex of a mesh, the same as by `climb` from a vertex on.

    It begins where the directions around this one lead, if that is farther; where equal vertices leave the choice
    to the way up, that is gone.
    """
    begin = m.hull_start[mesh, cell_of(way)]
    high = height_of(m, mesh, begin, way)
    if height_of(m, mesh, start, way) > high:
        begin = start
        high = height_of(m, mesh, start, way)
    best, second = climb(m, mesh, begin, high, way)
    top = vertex_of(m, mesh, m.mesh_graph[hull_names(m, mesh) + best])
    size = abs(way.x * top.x) + abs(way.y * top.y) + abs(way.z * top.z)
    if second >= dot(way, top) - EQUAL * size:
        best, second = climb(m, mesh, start, height, way)
    return best


@kernel(per_world=True, exact=True)
def climb(m, mesh, start, height, way):
    """The farthest vertex of a mesh, by going from neighbour to better neighbour on its hull.

    `mesh_graph` has, from its address on, the number of vertices of the hull, that of its faces, and for each vertex
    where its neighbours begin, then its number in the mesh; behind these the neighbours, each list ended by -1.

    Args:
        m: model.
        mesh: a mesh with a graph of its hull.
        start: vertex of the hull to begin at.
        height: how far that is, or less: then the first step leads to its best neighbour.
        way: direction in the frame of the mesh.

    Returns:
        the vertex, counted in the hull; how far the farthest of its neighbours is.
    """
    names = hull_names(m, mesh)
    best = start + 0
    most = height
    second = height
    last = -1
    while best != last:
        last = best
        second = LOWEST
        k = hull_neighbours(m, mesh, best)
        while m.mesh_graph[k] >= 0:
            here = dot(way, vertex_of(m, mesh, m.mesh_graph[names + m.mesh_graph[k]]))
            second = maximum(second, here)
            if here > most:
                most = here
                best = m.mesh_graph[k]
            k += 1
    return best, second
