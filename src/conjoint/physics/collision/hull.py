"""Vertices and triangles of meshes, and the search for the farthest vertex in a direction.

The farthest vertex of a convex hull is found by hill climbing, from neighbor to better neighbor (Cameron, Enhancing
GJK, ICRA 1997). The start of a climb affects only its duration, with two exceptions: vertices may be about equally
high, or slivers among the faces may stop the climb. The plan lists a start vertex, the seed, for each cell of
directions (see `hull_seeds`). A climb begins there only where neither exception applies.
"""

from dataclasses import dataclass

from conjoint.lang import (
    Group,
    abs,
    all,
    dot,
    integer,
    kernel,
    load,
    local,
    maximum,
    minimum,
    put,
    real,
    tile,
    vec3,
    where,
)
from conjoint.lang.language.tile import TILE
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.plan import CELLS

EXACT_KERNELS = True

LOWEST = -1e30
"""Height below that of any vertex."""

WAITING = 64
"""Capacity of the stack in a depth-first traversal of a mesh's tree; a node contains half of its parent's triangles."""

FEW_VERTICES = 10
"""Number of vertices of a mesh below which searches of the native pipeline test all vertices."""

SAME_HEIGHT = 8e-6
"""Relative height difference below which the start of a climb affects its result.

Coordinates of meshes are in single precision, and hulls are convex only up to the rounding of single precision.
"""


@kernel
def vertex_of(m, mesh, v):
    """Return vertex v of a mesh, in the frame of the mesh."""
    return load(vec3, m.mesh_vert, (m.mesh_vertadr[mesh] + v, 0))


@kernel
def mesh_corner(m, mesh, f, k):
    """Return corner k of triangle f of a mesh, in the frame of the mesh; f counts the triangles of all meshes."""
    return vertex_of(m, mesh, m.mesh_face[f, k])


@kernel
def hull_names(m, mesh):
    """Return the address in `mesh_graph` of the list that gives the mesh vertex of each hull vertex.

    At the address of a mesh, `mesh_graph` begins with the numbers of vertices and faces of the hull. Two lists with one
    element per hull vertex follow: the start of the vertex's neighbors, and its index in the mesh. Last are the
    neighbors, a list for each vertex that ends with -1.
    """
    return m.mesh_graphadr[mesh] + 2 + m.mesh_graph[m.mesh_graphadr[mesh]]


@kernel
def hull_neighbors(m, mesh, i):
    """Return the address in `mesh_graph` of the neighbors of hull vertex i; a negative number ends the list."""
    first = m.mesh_graphadr[mesh]
    return first + 2 + 2 * m.mesh_graph[first] + m.mesh_graph[first + 2 + i]


@kernel
def hull_vertex(m, mesh, i):
    """Return vertex i of the hull of a mesh, in the frame of the mesh."""
    return vertex_of(m, mesh, m.mesh_graph[hull_names(m, mesh) + i])


# ---- the farthest vertex


@dataclass(frozen=True)
class VertexSearch(Group):
    """Variant of the search for the farthest vertex; it determines which of several equally far vertices is found.

    Attributes:
        few: number of vertices below which all vertices are tested, as in meshes without a hull.
        stays: True if a climb leaves its first vertex only for a higher one; if False, the first step always leads to a
            neighbor.
    """

    few: int
    stays: bool


@kernel
def farthest_vertex(m, mesh, way, hint, search):
    """Find the vertex of a mesh that is farthest in a direction.

    Args:
        m: model.
        mesh: index of the mesh.
        way: unit vector of the direction, in the frame of the mesh.
        hint: hint that the previous search returned, or -1.
        search: a `VertexSearch`.

    Returns:
        the index of the vertex in the mesh; the hint for the next search, which is the vertex's index in the hull, or
        in the mesh if all vertices of the mesh were tested.
    """
    if m.mesh_graphadr[mesh] < 0 or m.mesh_vertnum[mesh] < search.few:
        best = highest_of_all(m, mesh, way, hint)
        return best, best
    cell = 0
    if m.nmesh_seed > 0:
        cell = cell_of(way)
    best = farthest_by_climb(m, mesh, way, cell, hint, search)
    return m.mesh_graph[hull_names(m, mesh) + best], best


@kernel(one_by_one="worlds together run at 0.5 of the speed (jaco): hill climbs follow different paths")
def farthest_by_climb(m, mesh, way, cell, hint, search):
    """Find the farthest vertex of a hull, starting at the seed of a cell of directions or at the hint.

    The arguments are those of `farthest_vertex`; the result is an index in the hull.
    """
    best = -1
    if m.nmesh_seed > 0:
        seed = m.mesh_seed[mesh, cell]
        if seed >= 0:
            best = climb_from_seed(m, mesh, way, seed)
    if best < 0:
        start = where(hint < 0, 0, hint)
        height = LOWEST
        if search.stays:
            height = dot(way, hull_vertex(m, mesh, start))
        best, _ = climb(m, mesh, way, start, height, 0.0, not_needed)
    return best


@kernel
def highest_of_all(m, mesh, way, start):
    """Return the vertex of a mesh that is farthest in a direction, by testing all vertices.

    On ties, return `start` if it is one of the farthest vertices, else the first of them.
    """
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


# A separate function, because climbs of small hulls are slower if it is inlined.
@kernel(rare=True)
def climb_from_seed(m, mesh, way, seed):
    """Climb from a seed; return the highest vertex, or -1 if one of its neighbors is about equally high."""
    vertex = hull_vertex(m, mesh, seed)
    slack = SAME_HEIGHT * (abs(vertex.x) + abs(vertex.y) + abs(vertex.z))
    best, is_single = climb(m, mesh, way, seed, dot(way, vertex), slack, is_lower_by)
    return where(is_single, best, -1)


@kernel
def is_lower_by(height, most, slack):
    """Return True if `height` is below `most` by more than `slack`."""
    return height < most - slack


@kernel
def not_needed(height, most, slack):
    """Stand-in for `is_lower_by` when its result is unused; it saves a comparison for each neighbor."""
    return True


@kernel
def climb(m, mesh, way, start, height, slack, is_lower):
    """Move from neighbor to better neighbor on the hull of a mesh until no neighbor is higher.

    Args:
        m: model.
        mesh: index of a mesh with a hull graph.
        way: direction in the frame of the mesh.
        start: hull vertex at which the climb begins.
        height: height of `start`, or a smaller number to force the first step to its best neighbor.
        slack: minimum height difference (m) for the second result.
        is_lower: `is_lower_by` or `not_needed`.

    Returns:
        the index in the hull of a vertex without higher neighbors; True if all its neighbors are lower by more than the
        slack.
    """
    if m.nmesh_extent > 0 and m.mesh_hulladr[mesh] >= 0:
        return climb_by_tiles(m, mesh, way, start, height, slack)
    names = hull_names(m, mesh)
    best = start
    most = height
    last = -1
    is_single = True
    while best != last:
        last = best
        is_single = True
        k = hull_neighbors(m, mesh, best)
        while m.mesh_graph[k] >= 0:
            here = dot(way, vertex_of(m, mesh, m.mesh_graph[names + m.mesh_graph[k]]))
            is_single = is_single & is_lower(here, most, slack)
            if here > most:
                most = here
                best = m.mesh_graph[k]
            k += 1
    return best, is_single


@kernel
def climb_by_tiles(m, mesh, way, start, height, slack):
    """Climb in a batch, where the neighbors of a vertex are stored together; most climbs end at or near their start."""
    heights = local(real, TILE)
    hull = m.mesh_hulladr[mesh]
    best = start
    most = height
    last = -1
    is_single = True
    while best != last:
        last = best
        is_single = True
        for t in range(m.hull_tileadr[hull + last], m.hull_tileadr[hull + last + 1]):
            here = tile(way.x) * tile(m.hull_corner, 3 * TILE * t)
            here = here + tile(way.y) * tile(m.hull_corner, 3 * TILE * t + TILE)
            here = here + tile(way.z) * tile(m.hull_corner, 3 * TILE * t + 2 * TILE)
            if not all(here < tile(most - slack)):
                is_single = False
                put(heights, 0, here)
                higher, k = highest_of_tile(heights)
                if higher > most:
                    most = higher
                    best = m.hull_neighbor[t, k]
    return best, is_single


@kernel
def highest_of_tile(heights):
    """Return the largest height of a tile and its index, the first on ties, by pairwise comparison."""
    one, i = higher_of(heights[0], 0, heights[1], 1)
    two, j = higher_of(heights[2], 2, heights[3], 3)
    one, i = higher_of(one, i, two, j)
    two, j = higher_of(heights[4], 4, heights[5], 5)
    three, k = higher_of(heights[6], 6, heights[7], 7)
    two, j = higher_of(two, j, three, k)
    return higher_of(one, i, two, j)


@kernel
def higher_of(one, i, two, j):
    """Return the larger of two heights and its index, the first on ties."""
    higher = two > one
    return where(higher, two, one), where(higher, j, i)


@kernel
def cell_of(way):
    """Return the cell of a direction on a cube: each face has `CELLS` rows and `CELLS` columns of cells."""
    x = abs(way.x)
    y = abs(way.y)
    z = abs(way.z)
    axis = where((x >= y) & (x >= z), 0, where(y >= z, 1, 2))
    scale = 0.5 * CELLS / maximum(maximum(x, y), maximum(z, mjMINVAL))
    first = where(axis == 0, way.x, where(axis == 1, way.y, way.z))
    row = place_of(where(axis == 0, way.y, where(axis == 1, way.z, way.x)) * scale)
    column = place_of(where(axis == 0, way.z, where(axis == 1, way.x, way.y)) * scale)
    return ((2 * axis + where(first < 0.0, 1, 0)) * CELLS + row) * CELLS + column


@kernel
def place_of(x):
    """Return the row or column of cells that contains coordinate x, which is from -`CELLS` / 2 to `CELLS` / 2."""
    return integer(maximum(minimum(x + 0.5 * CELLS, CELLS - 1.0), 0.0))
