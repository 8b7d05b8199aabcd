"""Tables of hulls: in which vertex a search for the farthest one may begin, and when that decides nothing.

A vertex of a convex hull that is higher than its neighbours is the highest: wherever a climb begins, it ends there. So
it may as well begin at the vertex that is farthest in about that direction. But vertices of meshes are
rounded, and some hulls have slivers for faces. Where a vertex of these has no neighbour on one of its sides, climbs may
end that get nowhere near the top. It is a *false top* for a cone of directions. False tops are known, and climbs of
which one may be the end, as well as those among vertices that are about as high, go the way that they always went.
"""

from conjoint.lang import (
    abs,
    any,
    cross,
    dot,
    integer,
    kernel,
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
from conjoint.physics.collision.hull import (
    LOWEST,
    climb,
    climb_from,
    hull_names,
    hull_neighbours,
    hull_vertex,
    is_lower_by,
    vertex_of,
)
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.plan import CELLS, CUBE_CELLS

EXACT_KERNELS = True

SAME_HEIGHT = 8e-6
"""Vertices whose heights differ by less, relative to where they are, are about as high: coordinates of meshes are in
single precision, and hulls are convex but for its rounding."""

FALSE_HEIGHT = 1e-6
"""How much lower than the farthest a vertex that is higher than its neighbours may be, the same way."""

NEIGHBOURS_MOST = 128
"""Neighbours of a vertex, at most, of hulls that have tables."""

CONES_MOST = 64
"""False tops of a hull, at most, that has a table."""

FLAT = 1e-11
"""Cosine that is zero but for rounding."""

CONE_SLACK = 2e-6
"""By how much the cosines of cones are less than they are found to be."""


@kernel
def top_vertex(m, mesh, start, height, way, asked):
    """The farthest vertex of a mesh: what `climb` finds, sooner where the hull has a table.

    Args:
        m: model.
        mesh: a mesh with a graph of its hull.
        start: vertex of the hull to begin at.
        height: how far that is, or less: see `climb`.
        way: direction in the frame of the mesh, of unit length.
        asked: whether the table is asked; it does not tell what a list of vertices has not told.

    Returns:
        the vertex, counted in the hull.
    """
    if asked and m.nmesh_seed > 0:
        seed = m.mesh_seed[mesh, cell_of(way)]
        if seed >= 0:
            best = top_from(m, mesh, start, seed, way)
            if best >= 0:
                return best
    return climb(m, mesh, start, height, way)


# apart: climbs of small hulls are slower beside this
@kernel(rare=True)
def top_from(m, mesh, start, seed, way):
    """The same from a vertex that the table tells, or from `start` if that is farther; -1 if that decides nothing."""
    vertex = hull_vertex(m, mesh, seed)
    most = dot(way, vertex)
    before = dot(way, hull_vertex(m, mesh, start))
    first = where(before > most, start, seed)
    slack = SAME_HEIGHT * (abs(vertex.x) + abs(vertex.y) + abs(vertex.z))
    best, alone = climb_from(m, mesh, first, maximum(before, most), way, slack, is_lower_by)
    if alone and not may_end_falsely(m, mesh, way):
        return best
    return -1


@kernel
def may_end_falsely(m, mesh, way):
    """Whether a climb in a direction may end at a false top: one that is higher than its neighbours now."""
    found = False
    ahead = local(real, TILE)
    for t in range(m.mesh_coneadr[mesh], m.mesh_coneadr[mesh + 1]):
        along = tile(way.x) * tile(m.hull_cone, 4 * TILE * t) + tile(way.y) * tile(m.hull_cone, 4 * TILE * t + TILE)
        along = along + tile(way.z) * tile(m.hull_cone, 4 * TILE * t + 2 * TILE)
        along = along - tile(m.hull_cone, 4 * TILE * t + 3 * TILE)
        if any(along >= tile(0.0)):
            put(ahead, 0, along)
            for k in range(TILE):
                if ahead[k] >= 0.0 and not found:
                    found = is_top(m, mesh, m.false_top[t, k], way)
    return found


@kernel
def is_top(m, mesh, v, way):
    """Whether a vertex of a hull is as high as its neighbours, as `climb` measures them."""
    names = hull_names(m, mesh)
    height = dot(way, hull_vertex(m, mesh, v))
    k = hull_neighbours(m, mesh, v)
    while m.mesh_graph[k] >= 0:
        if dot(way, vertex_of(m, mesh, m.mesh_graph[names + m.mesh_graph[k]])) > height:
            return False
        k += 1
    return True


# ---- directions


@kernel
def cell_of(way):
    """The cell of directions: the face of a cube around the origin, and the place on it."""
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
    """The cell of a row in which x is, from minus to plus half their number."""
    return integer(maximum(minimum(x + 0.5 * CELLS, CELLS - 1.0), 0.0))


@kernel
def middle_of_cell(cell):
    """A direction to the middle of a cell."""
    return direction_on(cell // (CELLS * CELLS), cell // CELLS % CELLS + 0.5, cell % CELLS + 0.5)


@kernel
def corner_of_cell(face, row, column):
    """A direction to the corner of cells before a row and a column of a face."""
    return direction_on(face, 1.0 * row, 1.0 * column)


@kernel
def direction_on(face, y, x):
    """A direction to a place on a face of the cube, in cells from its first row and column."""
    axis = face // 2
    row = 2.0 * y / CELLS - 1.0
    column = 2.0 * x / CELLS - 1.0
    out = where(face % 2 == 0, 1.0, -1.0)
    return vec3(
        where(axis == 0, out, where(axis == 1, column, row)),
        where(axis == 1, out, where(axis == 2, column, row)),
        where(axis == 2, out, where(axis == 0, column, row)),
    )


# ---- making a table


@kernel
def make_table(graph, corners, seeds, tops, cones):
    """Find the farthest vertex in the middle of each cell, and the false tops of a hull.

    Args:
        graph: what `mesh_graph` has about the hull, from the address of its mesh on; see `hull.climb_from`.
        corners: its vertices, in tiles, coordinate by coordinate; the last tile is full.
        seeds: receives a vertex for each cell, `CUBE_CELLS` integers.
        tops: receives the false tops, up to `CONES_MOST` of them.
        cones: receives axis and least cosine of the their cones of directions, in tiles.

    Returns:
        number of false tops; -1 if there are more, or if a vertex has too many neighbours.
    """
    edges = local(vec3, NEIGHBOURS_MOST)
    count = graph[0]
    for cell in range(CUBE_CELLS):
        seeds[cell] = vertex_at(corners, count, middle_of_cell(cell))
    found = 0
    for v in range(count):
        corner = corner_at(corners, v)
        degree = set_edges(graph, corners, v, edges)
        if degree < 0 or found == CONES_MOST:
            return -1
        height = FALSE_HEIGHT * (abs(corner.x) + abs(corner.y) + abs(corner.z))
        axis, missed = axis_of_rays(edges, degree, corners, count, corner, height)
        if missed:
            axis = normalize3(axis)
            place = 4 * TILE * (found // TILE) + found % TILE
            tops[found] = v
            cones[place] = axis.x
            cones[place + TILE] = axis.y
            cones[place + 2 * TILE] = axis.z
            cones[place + 3 * TILE] = least_cosine(edges, degree, axis) - CONE_SLACK
            found += 1
    return found


@kernel
def corner_at(corners, v):
    """Vertex v of those in tiles."""
    place = 3 * TILE * (v // TILE) + v % TILE
    return vec3(corners[place], corners[place + TILE], corners[place + 2 * TILE])


@kernel
def heights_of(corners, t, way):
    """How far the vertices of a tile are."""
    here = tile(way.x) * tile(corners, 3 * TILE * t) + tile(way.y) * tile(corners, 3 * TILE * t + TILE)
    return here + tile(way.z) * tile(corners, 3 * TILE * t + 2 * TILE)


@kernel
def reach_of(corners, count, way):
    """How far the farthest vertex is."""
    heights = local(real, TILE)
    most = heights_of(corners, 0, way)
    for t in range(1, (count + TILE - 1) // TILE):
        here = heights_of(corners, t, way)
        most = where(here > most, here, most)
    put(heights, 0, most)
    reach = heights[0]
    for k in range(1, TILE):
        reach = maximum(reach, heights[k])
    return reach


@kernel
def vertex_at(corners, count, way):
    """The farthest vertex, the first of equals."""
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
def set_edges(graph, corners, v, edges):
    """Directions to the neighbours of a vertex; how many, -1 if there are too many."""
    k = 2 + 2 * graph[0] + graph[2 + v]
    degree = 0
    while graph[k] >= 0:
        if degree == NEIGHBOURS_MOST:
            return -1
        edges[degree] = normalize3(corner_at(corners, graph[k]) - corner_at(corners, v))
        degree += 1
        k += 1
    return degree


@kernel
def ray_between(edges, degree, i, j):
    """The direction across two edges of a vertex, and whether no neighbour is higher along it, and along its opposite.

    Such rays bound the cone of directions in which the vertex is higher than its neighbours.
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
def axis_of_rays(edges, degree, corners, count, corner, height):
    """Sum of the rays of a vertex, and whether the hull reaches farther than that by more than `height` along one."""
    total = vec3(0.0, 0.0, 0.0)
    missed = False
    for i in range(degree):
        for j in range(i + 1, degree):
            ray, upward, downward = ray_between(edges, degree, i, j)
            if upward:
                total = total + ray
                if not missed:
                    missed = reach_of(corners, count, ray) > dot(ray, corner) + height
            if downward:
                total = total - ray
                if not missed:
                    missed = reach_of(corners, count, -ray) > dot(-ray, corner) + height
    return total, missed


@kernel
def least_cosine(edges, degree, axis):
    """Least cosine of the angles between the rays of a vertex and an axis; -2, less than any, if one is beyond it."""
    least = 1.0
    for i in range(degree):
        for j in range(i + 1, degree):
            ray, upward, downward = ray_between(edges, degree, i, j)
            if upward:
                least = minimum(least, dot(ray, axis))
            if downward:
                least = minimum(least, -dot(ray, axis))
    return where(least < 0.0, -2.0, least)
