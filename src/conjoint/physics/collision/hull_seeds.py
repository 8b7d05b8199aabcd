"""Seeds, the start vertices of hill climbing on a convex hull: vertices that are farthest in similar directions.

Directions are divided into cells, see `hull.cell_of`. The seed of a cell is the farthest vertex in the direction of the
cell's middle. The start of a climb must not affect its result, so some cells have no seed: the coordinates of vertices
are rounded, and some hulls have sliver faces. If a vertex of such a hull has no neighbor on one side, it is a false top
for a cone of directions. In these directions it is higher than its neighbors, but it is not the highest vertex, and
climbs may end at it.
"""

from conjoint.lang import (
    abs,
    any,
    cross,
    dot,
    kernel,
    load,
    local,
    maximum,
    minimum,
    norm,
    normalize3,
    put,
    real,
    tile,
    vec3,
    where,
)
from conjoint.lang.language.tile import TILE
from conjoint.physics.collision.hull import LOWEST, SAME_HEIGHT
from conjoint.schema.plan import CUBE_CELLS

EXACT_KERNELS = True

NEIGHBORS_MOST = 128
"""Maximum number of neighbors of a vertex in hulls that have seeds."""

FALSE_HEIGHT = 1e-6
"""Height by which a vertex without higher neighbors may be below the highest vertex, relative to its coordinates."""

WAYS = 15
"""Number of coordinates of five directions: to the four corners of a cell, and to its middle."""

FLAT = 1e-11
"""Largest cosine that is counted as zero because of rounding."""


@kernel
def list_seeds(graph, corners, ways, seeds):
    """List the seed vertex of each cell of directions; -1 for cells in which a climb may end at a false top.

    Args:
        graph: `mesh_graph`, starting at the address of the mesh; see `hull.hull_names`.
        corners: vertices of the hull in tiles, coordinate by coordinate; the last vertex is repeated to fill the last
            tile.
        ways: directions to the four corners of each cell, and to its middle.
        seeds: receives the seeds; all are -1 if a vertex has too many neighbors.
    """
    edges = local(vec3, NEIGHBORS_MOST)
    for cell in range(CUBE_CELLS):
        seeds[cell] = highest(corners, graph[0], load(vec3, ways, WAYS * cell + WAYS - 3))
    for v in range(graph[0]):
        degree = set_edges(graph, corners, v, edges)
        if degree < 0 or is_false_top(edges, degree, corners, graph[0], corner_at(corners, v)):
            for cell in range(CUBE_CELLS):
                if degree < 0 or not is_passed(graph, corners, v, ways, cell):
                    seeds[cell] = -1


@kernel
def highest(corners, count, way):
    """Return the vertex of a hull that is farthest in a direction, the first on ties."""
    heights = local(real, TILE)
    most = LOWEST
    best = 0
    for t in range((count + TILE - 1) // TILE):
        here = heights_of(corners, t, way)
        if any(here > tile(most)):
            put(heights, 0, here)
            for k in range(TILE):
                higher = (heights[k] > most) & (TILE * t + k < count)
                most = where(higher, heights[k], most)
                best = where(higher, TILE * t + k, best)
    return best


@kernel
def heights_of(corners, t, way):
    """Return the heights of the vertices of tile t along a direction."""
    here = tile(way.x) * tile(corners, 3 * TILE * t) + tile(way.y) * tile(corners, 3 * TILE * t + TILE)
    return here + tile(way.z) * tile(corners, 3 * TILE * t + 2 * TILE)


@kernel
def is_passed(graph, corners, v, ways, cell):
    """Return True if no climb in any direction of a cell can end at vertex v.

    This is the case if one neighbor is higher than v in all of these directions. It is enough to check the directions
    of the cell's four corners.
    """
    corner = corner_at(corners, v)
    least = SAME_HEIGHT * size_of(corner)
    k = 2 + 2 * graph[0] + graph[2 + v]
    while graph[k] >= 0:
        edge = corner_at(corners, graph[k]) - corner
        lowest = dot(edge, load(vec3, ways, WAYS * cell))
        for i in range(1, 4):
            lowest = minimum(lowest, dot(edge, load(vec3, ways, WAYS * cell + 3 * i)))
        if lowest > least:
            return True
        k += 1
    return False


@kernel
def size_of(corner):
    """Return the sum of the absolute coordinates of a vertex."""
    return abs(corner.x) + abs(corner.y) + abs(corner.z)


@kernel
def corner_at(corners, v):
    """Return vertex v from an array of vertices that is stored in tiles."""
    place = 3 * TILE * (v // TILE) + v % TILE
    return vec3(corners[place], corners[place + TILE], corners[place + 2 * TILE])


@kernel
def set_edges(graph, corners, v, edges):
    """Set `edges` to unit directions from vertex v to its neighbors; return their number, -1 if there are too many."""
    k = 2 + 2 * graph[0] + graph[2 + v]
    degree = 0
    while graph[k] >= 0:
        if degree == NEIGHBORS_MOST:
            return -1
        edges[degree] = normalize3(corner_at(corners, graph[k]) - corner_at(corners, v))
        degree += 1
        k += 1
    return degree


@kernel
def is_false_top(edges, degree, corners, count, corner):
    """Return True if a vertex has no higher neighbor in some direction, although it is not the hull's highest vertex.

    These directions form a cone. The excess height of the hull is convex and homogeneous in the direction. So it is
    enough to test the rays that bound the cone, each perpendicular to two edges.
    """
    slack = FALSE_HEIGHT * size_of(corner)
    for i in range(degree):
        for j in range(i + 1, degree):
            ray, upward, downward = ray_between(edges, degree, i, j)
            if upward and reaches_beyond(corners, count, ray, dot(ray, corner) + slack):
                return True
            if downward and reaches_beyond(corners, count, -ray, slack - dot(ray, corner)):
                return True
    return False


@kernel
def ray_between(edges, degree, i, j):
    """Return a direction perpendicular to two edges of a vertex, and two flags.

    The first flag is True if no neighbor is higher in this direction, the second if none is higher in the opposite one.
    """
    ray = cross(edges[i], edges[j])
    length = norm(ray)
    upward = length > FLAT
    downward = upward
    ray = ray * (1.0 / maximum(length, FLAT))
    k = 0
    while k < degree and (upward or downward):
        along = dot(ray, edges[k])
        upward = upward and along <= FLAT
        downward = downward and along >= -FLAT
        k += 1
    return ray, upward, downward


@kernel
def reaches_beyond(corners, count, way, height):
    """Return True if a vertex of a hull is farther than `height` in a direction."""
    t = 0
    tiles = (count + TILE - 1) // TILE
    while t < tiles and not any(heights_of(corners, t, way) > tile(height)):
        t += 1
    return t < tiles
