"""The farthest vertex of a hull: in batches, among the few that a cell of directions has.

Directions are divided into cells (`hull_table.cell_of`). For each cell all vertices are listed that are farthest in
one of its directions, or nearly so: mostly fewer than a tile. Where one of them is higher than all others by more than
what decides a climb (`hull_table.SAME_HEIGHT`), every climb ends there, unless a false top holds it up. Only some cells
have directions for which there is one.
"""

from conjoint.lang import any, dot, integer, kernel, local, maximum, put, real, tile, total, vec3, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.collision.hull import LOWEST
from conjoint.physics.collision.hull_table import cell_of, corner_of_cell, may_end_falsely, top_vertex
from conjoint.schema.plan import CELLS

EXACT_KERNELS = False

NO_VERTEX = -1
"""Where a cell does not tell which vertex is found."""

TILE_BITS = 4
MORE_TILES = 7
DOUBT = 8
"""Of a cell, the first of its tiles, behind four bits: how many more there are, and whether a false top may be met."""

LISTED_MOST = 64
"""Vertices that a cell lists, at most; of cells with more, none are."""

NUMBERS = 4 * TILE
"""Numbers in a tile of vertices: three coordinates, then the number of each in the hull."""

COARSE = 4
"""Cells of a row that are listed together first: what all of them leave out, none lists."""

WITNESSES = 5
"""Vertices that are farthest in the corners and the middle of a cell: others that are lower everywhere are left out."""

HULL_MOST = 4096
"""Vertices of a hull, at most, that has lists."""


@kernel
def listed_top(m, mesh, way):
    """The farthest vertex of a mesh in a direction (in its frame, of unit length), among those in its cell.

    Returns:
        its number in the hull, `NO_VERTEX` if the cell does not tell which one a climb would find; where it is.
    """
    heights = local(real, TILE)
    cell = m.mesh_cell[mesh, cell_of(way)]
    if cell < 0:
        return NO_VERTEX, vec3(0.0, 0.0, 0.0)
    first = cell >> TILE_BITS
    x = tile(m.cell_corner, NUMBERS * first)
    y = tile(m.cell_corner, NUMBERS * first + TILE)
    z = tile(m.cell_corner, NUMBERS * first + 2 * TILE)
    names = tile(m.cell_corner, NUMBERS * first + 3 * TILE)
    top = tile(way.x) * x + tile(way.y) * y + tile(way.z) * z
    second = tile(LOWEST)
    for t in range(first + 1, first + 1 + (cell & MORE_TILES)):
        next_x = tile(m.cell_corner, NUMBERS * t)
        next_y = tile(m.cell_corner, NUMBERS * t + TILE)
        next_z = tile(m.cell_corner, NUMBERS * t + 2 * TILE)
        here = tile(way.x) * next_x + tile(way.y) * next_y + tile(way.z) * next_z
        higher = here > top
        lower = where(higher, top, here)
        second = where(lower > second, lower, second)
        x = where(higher, next_x, x)
        y = where(higher, next_y, y)
        z = where(higher, next_z, z)
        names = where(higher, tile(m.cell_corner, NUMBERS * t + 3 * TILE), names)
        top = where(higher, here, top)
    put(heights, 0, top)
    most = maximum(maximum(heights[0], heights[1]), maximum(heights[2], heights[3]))
    most = maximum(most, maximum(maximum(heights[4], heights[5]), maximum(heights[6], heights[7])))
    close = tile(most - m.mesh_slack[mesh])
    near = top > close
    nothing = tile(0.0)
    found = vec3(total(where(near, x, nothing)), total(where(near, y, nothing)), total(where(near, z, nothing)))
    if total(where(near, tile(1.0), nothing)) != 1.0 or any(second > close):
        return NO_VERTEX, found
    if (cell & DOUBT) != 0 and may_end_falsely(m, mesh, way):
        return NO_VERTEX, found
    return integer(total(where(near, names, nothing))), found


@kernel
def highest_vertex(m, mesh, start, height, way):
    """The farthest vertex of a mesh, counted in the hull: as `hull_table.top_vertex`, from the cell if that tells."""
    if m.nmesh_cell > 0:
        best, _ = listed_top(m, mesh, way)
        if best != NO_VERTEX:
            return best
    return top_vertex(m, mesh, start, height, way, m.nmesh_cell == 0)


# ---- making the lists


@kernel
def list_cells(corners, count, slack, counts, listed):
    """List for each cell the vertices that are at most `slack` (m) lower than the farthest in one of its directions.

    Args:
        corners: vertices of a hull, coordinate after coordinate.
        count: how many there are, `HULL_MOST` at most.
        slack: see above.
        counts: receives how many are listed for each cell; 0 if they are too many.
        listed: receives them, with room for `LISTED_MOST` of each cell.
    """
    everything = local(int, HULL_MOST)
    some = local(int, HULL_MOST)
    few = local(int, HULL_MOST)
    for v in range(count):
        everything[v] = v
    for face in range(6):
        for row in range(0, CELLS, COARSE):
            for column in range(0, CELLS, COARSE):
                length = keep_high(corners, slack, face, row, column, COARSE, everything, count, some)
                for i in range(COARSE):
                    for j in range(COARSE):
                        found = keep_high(corners, slack, face, row + i, column + j, 1, some, length, few)
                        cell = (face * CELLS + row + i) * CELLS + column + j
                        counts[cell] = where(found <= LISTED_MOST, found, 0)
                        for k in range(counts[cell]):
                            listed[LISTED_MOST * cell + k] = few[k]


@kernel
def keep_high(corners, slack, face, row, column, width, given, count, kept):
    """Keep of `count` given vertices those of which no witness is higher by more than the slack, in all of a square.

    A direction in a square of a face is a mean of its corners, of length 1 to the square root of 3: what is lower by
    twice the slack in all corners is lower by the slack in every direction of unit length.

    Returns:
        how many are kept.
    """
    ways = local(vec3, WITNESSES)
    witnesses = local(vec3, WITNESSES)
    for k in range(4):
        ways[k] = corner_of_cell(face, row + width * (k // 2), column + width * (k % 2))
    ways[4] = (ways[0] + ways[1] + ways[2] + ways[3]) * 0.25
    for k in range(WITNESSES):
        witnesses[k] = highest_of(corners, given, count, ways[k])
    found = 0
    for i in range(count):
        corner = vertex_in(corners, given[i])
        low = False
        for k in range(WITNESSES):
            ahead = witnesses[k] - corner
            least = dot(ways[0], ahead)
            for j in range(1, 4):
                least = where(dot(ways[j], ahead) < least, dot(ways[j], ahead), least)
            low = low or least > 2.0 * slack
        if not low:
            kept[found] = given[i]
            found += 1
    return found


@kernel
def highest_of(corners, given, count, way):
    """The farthest of some vertices."""
    best = vertex_in(corners, given[0])
    for i in range(1, count):
        corner = vertex_in(corners, given[i])
        best = where(dot(corner, way) > dot(best, way), corner, best)
    return best


@kernel
def vertex_in(corners, v):
    """Vertex v of those that lie one after another."""
    return vec3(corners[3 * v], corners[3 * v + 1], corners[3 * v + 2])
