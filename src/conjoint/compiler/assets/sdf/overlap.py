"""Which cells of an octree triangles meet.

Triangles and boxes are apart if an axis separates them (Akenine-Moeller, Fast 3D triangle-box overlap testing, 2001).
"""

import numpy as np
from numpy.typing import NDArray

from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot

Indices = NDArray[np.int64]
Grid = NDArray[np.bool_]

MOST = 1 << 17
"""So many pairs of triangles and cells are tested at once."""


def cells_with_triangles(vert: Reals, face: Integers, ends: list[Reals]) -> list[Grid]:
    """For each level of an octree the cells (2^level along each axis) that a triangle meets.

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
    """Mark the cells of pairs that meet, and what they meet on the levels below."""
    if level + 1 == len(ends):
        # to know one triangle is enough
        unmarked = ~grids[level][tuple(cell.T)]
        triangle, cell = triangle[unmarked], cell[unmarked]
    meets = _meet(corner[triangle], ends[level], cell)
    triangle, cell = triangle[meets], cell[meets]
    grids[level][tuple(cell.T)] = True
    if level + 1 == len(ends):
        return
    cell = 2 * cell
    for axis in range(3):
        # the bounding box of a triangle may reach into both halves
        lower = box[0][triangle, axis] <= ends[level + 1][axis, 1, cell[:, axis]]
        upper = np.flatnonzero(box[1][triangle, axis] >= ends[level + 1][axis, 0, cell[:, axis] + 1])
        other = cell[upper]
        other[:, axis] += 1
        triangle, cell = np.concatenate([triangle[lower], triangle[upper]]), np.concatenate([cell[lower], other])
    for start in range(0, len(triangle), MOST):
        part = slice(start, start + MOST)
        _mark(grids, corner, box, ends, triangle[part], cell[part], level + 1)


def _meet(corner: Reals, ends: Reals, cell: Indices) -> Grid:
    """Which triangles (n, 3, 3) and cells (n, 3) have a point in common."""
    low, high = (np.stack([ends[axis, side, cell[:, axis]] for axis in range(3)], axis=1) for side in (0, 1))
    inside: Grid = np.any(np.all((corner >= low[:, None]) & (corner <= high[:, None]), axis=2), axis=1)
    rest = np.flatnonzero(~inside)
    center, half = (low[rest] + high[rest]) / 2, (high[rest] - low[rest]) / 2
    inside[rest] = ~_separated(corner[rest] - center[:, None], half)
    return inside


def _separated(corner: Reals, half: Reals) -> Grid:
    """Which triangles and boxes around the origin an axis separates."""
    a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
    apart: Grid = np.any((corner.min(axis=1) > half) | (corner.max(axis=1) < -half), axis=1)
    edges = b - a, c - b, a - c
    normal = cross(edges[0], edges[1])
    apart |= np.abs(dot(normal, a)) > dot(half, np.abs(normal))
    for axis in range(3):
        j, k = (axis + 1) % 3, (axis + 2) % 3
        for edge in edges:
            # the axis of the box times the edge
            reach = half[:, j] * np.abs(edge[:, k]) + half[:, k] * np.abs(edge[:, j])
            along = [point[:, k] * edge[:, j] - point[:, j] * edge[:, k] for point in (a, b, c)]
            apart |= (np.minimum(np.minimum(*along[:2]), along[2]) > reach) | (
                np.maximum(np.maximum(*along[:2]), along[2]) < -reach
            )
    return apart
