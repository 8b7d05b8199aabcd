"""Octrees of meshes used as signed distance fields (`oct_*`; MuJoCo Programming chapter, mjModel).

A cell is divided if it intersects a triangle, down to `DEPTH`. Its coefficients are the signed distances at its
corners, which collisions interpolate.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conjoint.compiler.assets.sdf.distance import MeshDistance
from conjoint.compiler.bounding import Trees
from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot

Indices = NDArray[np.int64]
Grid = NDArray[np.bool_]

MOST = 1 << 17
"""Maximum number of pairs of a triangle and a cell that are tested at once."""


def cells_with_triangles(vert: Reals, face: Integers, ends: list[Reals]) -> list[Grid]:
    """Return the cells that intersect a triangle, for each level of an octree (2^level cells along each axis).

    Args:
        vert, face: vertices and triangles.
        ends: for each level, ends (axis, lower or upper, 2^level) of the cells along the axes.
    """
    grids = [np.zeros((1 << level,) * 3, bool) for level in range(len(ends))]
    corner = vert[face]
    low, high = corner.min(axis=1), corner.max(axis=1)
    for start in range(0, len(face), MOST):
        triangle = np.arange(start, min(start + MOST, len(face)))
        _mark(grids, corner, (low, high), ends, triangle, np.zeros((len(triangle), 3), np.int64), 0)
    return grids


def _mark(
    grids: list[Grid],
    corner: Reals,
    box: tuple[Reals, Reals],
    ends: list[Reals],
    triangle: Indices,
    cell: Indices,
    level: int,
) -> None:
    """Mark the cells of intersecting pairs (triangle, cell), and recursively their intersecting descendants."""
    if level + 1 == len(ends):
        # on the last level, one intersecting triangle per cell is enough
        unmarked = ~grids[level][tuple(cell.T)]
        triangle, cell = triangle[unmarked], cell[unmarked]
    meets = _meet(corner[triangle], ends[level], cell)
    triangle, cell = triangle[meets], cell[meets]
    grids[level][tuple(cell.T)] = True
    if level + 1 == len(ends):
        return
    cell = 2 * cell
    for axis in range(3):
        # the bounding box of a triangle may extend into both halves
        lower = box[0][triangle, axis] <= ends[level + 1][axis, 1, cell[:, axis]]
        upper = np.flatnonzero(box[1][triangle, axis] >= ends[level + 1][axis, 0, cell[:, axis] + 1])
        other = cell[upper]
        other[:, axis] += 1
        triangle, cell = np.concatenate([triangle[lower], triangle[upper]]), np.concatenate([cell[lower], other])
    for start in range(0, len(triangle), MOST):
        part = slice(start, start + MOST)
        _mark(grids, corner, box, ends, triangle[part], cell[part], level + 1)


def _meet(corner: Reals, ends: Reals, cell: Indices) -> Grid:
    """Return a mask of the pairs of triangles (n, 3, 3) and cells (n, 3) that intersect."""
    low, high = (np.stack([ends[axis, side, cell[:, axis]] for axis in range(3)], axis=1) for side in (0, 1))
    inside: Grid = np.any(np.all((corner >= low[:, None]) & (corner <= high[:, None]), axis=2), axis=1)
    rest = np.flatnonzero(~inside)
    center, half = (low[rest] + high[rest]) / 2, (high[rest] - low[rest]) / 2
    inside[rest] = ~_separated(corner[rest] - center[:, None], half)
    return inside


def _separated(corner: Reals, half: Reals) -> Grid:
    """Return a mask of the triangles that some axis separates from their boxes, which are centered at the origin."""
    a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
    apart: Grid = np.any((corner.min(axis=1) > half) | (corner.max(axis=1) < -half), axis=1)
    edges = b - a, c - b, a - c
    normal = cross(edges[0], edges[1])
    apart |= np.abs(dot(normal, a)) > dot(half, np.abs(normal))
    for axis in range(3):
        j, k = (axis + 1) % 3, (axis + 2) % 3
        for edge in edges:
            # cross product of the box axis and the edge
            reach = half[:, j] * np.abs(edge[:, k]) + half[:, k] * np.abs(edge[:, j])
            along = [point[:, k] * edge[:, j] - point[:, j] * edge[:, k] for point in (a, b, c)]
            apart |= (np.minimum(np.minimum(*along[:2]), along[2]) > reach) | (
                np.maximum(np.maximum(*along[:2]), along[2]) < -reach
            )
    return apart


DEPTH = 6
"""Depth of the smallest cells of an octree."""
HUGE = 1e60
"""Maximum coordinate. Squares and products of larger coordinates overflow."""
INFLATION = 1.1
"""Size of the largest cell, relative to the bounding box of the mesh."""
CORNERS = np.array([(corner & 1, corner >> 1 & 1, corner >> 2) for corner in range(8)])
"""Corners of a cell: along each axis, 0 for the lower end and 1 for the upper. Children are in the opposite order."""


@dataclass
class Octree:
    """Cells of an octree in depth-first order, each before its children.

    Attributes:
        depth: distance of every cell from the root.
        child: (ncell, 8) indices of the children; -1 for none.
        aabb: (ncell, 6) center and half sizes.
        coeff: (ncell, 8) signed distances at the corners, negative inside; the x axis changes fastest.
    """

    depth: Integers
    child: Integers
    aabb: Reals
    coeff: Reals


def mesh_octree(vert: Reals, face: Integers, volumes: Trees) -> Octree:
    """Return the octree of a mesh. `volumes` are the bounding volumes of its faces.

    Raises:
        ValueError: the mesh is so large that squared distances overflow.
    """
    if not np.abs(vert).max() < HUGE:
        raise ValueError(f"a signed distance needs coordinates that are smaller than {HUGE:g}")
    ends = _intervals(vert)
    divided = cells_with_triangles(vert, face, ends[:DEPTH])
    place = _numbered(divided)
    depth = np.concatenate([np.full(len(cells), level) for level, (cells, _) in enumerate(place)])
    number = np.concatenate([numbers for _, numbers in place])
    child = np.full((len(depth), 8), -1, np.int32)
    aabb, coeff = np.empty((len(depth), 6)), np.empty((len(depth), 8))
    values = _corner_distances(MeshDistance(vert, face, volumes), ends, [cells for cells, _ in place])
    for level, (cells, numbers) in enumerate(place):
        low, high = (np.stack([ends[level][axis, side, cells[:, axis]] for axis in range(3)], 1) for side in (0, 1))
        aabb[numbers] = np.concatenate([(low + high) / 2, (high - low) / 2], axis=1)
        corners = (cells[:, None] + CORNERS) << (DEPTH - level)
        coeff[numbers] = values[tuple(np.moveaxis(corners, 2, 0))]
        if level:
            parents, siblings = place[level - 1]
            inner = siblings[divided[level - 1][tuple(parents.T)]]
            child[inner] = numbers.reshape(-1, 8)
    order = np.empty(len(depth), np.int32)
    order[number] = depth
    return Octree(order, child, aabb, coeff)


def _intervals(vert: Reals) -> list[Reals]:
    """Return the rounded ends (axis, lower or upper, 2^level) of the cells of all levels along the axes."""
    lower, upper = vert.min(axis=0), vert.max(axis=0)
    center, half = (lower + upper) / 2, (upper - lower) / 2 * INFLATION
    levels = [np.stack([center - half, center + half], axis=1)[:, :, None]]
    for _ in range(DEPTH):
        low, high = levels[-1][:, 0], levels[-1][:, 1]
        middle, half = (low + high) / 2, (high - low) / 2
        lows = np.stack([middle - half, middle], axis=2).reshape(3, -1)
        highs = np.stack([middle, middle + half], axis=2).reshape(3, -1)
        levels.append(np.stack([lows, highs], axis=1))
    return levels


def _numbered(divided: list[Grid]) -> list[tuple[Indices, Indices]]:
    """Return the cells (n, 3) of each level, and their indices in depth-first order.

    Children of a cell are consecutive.
    """
    # number of cells in each subtree, including its root
    sizes = [np.ones((1 << DEPTH,) * 3, np.int64)]
    for grid in reversed(divided):
        n = len(grid)
        below = sizes[0].reshape(n, 2, n, 2, n, 2).sum(axis=(1, 3, 5))
        sizes.insert(0, 1 + np.where(grid, below, 0))
    place = [(np.zeros((1, 3), np.int64), np.zeros(1, np.int64))]
    for level, grid in enumerate(divided):
        cells, numbers = place[-1]
        inner = grid[tuple(cells.T)]
        children = 2 * cells[inner][:, None] + (1 - CORNERS)
        size = sizes[level + 1][tuple(np.moveaxis(children, 2, 0))]
        first = numbers[inner][:, None] + 1 + np.cumsum(size, axis=1) - size
        place.append((children.reshape(-1, 3), first.reshape(-1)))
    return place


def _corner_distances(mesh: MeshDistance, ends: list[Reals], cells: list[Indices]) -> Reals:
    """Return signed distances at the corners of cells, on a grid of all possible corners.

    Corners are processed level by level: the nearest surface points of neighboring corners are candidates for a new
    corner.
    """
    count = (1 << DEPTH) + 1
    values, foot = np.full((count,) * 3, np.nan), np.empty((count, count, count, 3))
    position = np.empty((3, count))
    position[:, [0, -1]] = ends[0][:, :, 0]
    for level, members in enumerate(cells):
        step = 1 << DEPTH - level
        if level:
            # the first level that contains a corner determines its position
            position[:, step :: 2 * step] = ends[level][:, 0, 1::2]
        wanted = np.zeros((count,) * 3, bool)
        wanted[tuple(((members[:, None] + CORNERS) * step).reshape(-1, 3).T)] = True
        new = np.argwhere(wanted & np.isnan(values))
        # indices of the nearest corners of the previous level, below and above
        below, above = new // (2 * step), -(-new // (2 * step))
        around = np.where(CORNERS, above[:, None], below[:, None]) * 2 * step
        near = foot[tuple(np.moveaxis(around, 2, 0))] if level else np.empty((len(new), 0, 3))
        points = np.stack([position[axis, new[:, axis]] for axis in range(3)], axis=1)
        place = tuple(new.T)
        values[place], foot[place] = mesh.signed(points, near)
    return values
