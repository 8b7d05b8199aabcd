"""Octrees of meshes that are used as signed distances (fields `oct_*`; MuJoCo Programming chapter, mjModel).

A cell is divided where a triangle meets it, down to `DEPTH`. Its coefficients are the signed distances of its corners,
from which collisions interpolate.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conjoint.compiler.assets.sdf.distance import MeshDistance
from conjoint.compiler.assets.sdf.overlap import cells_with_triangles
from conjoint.compiler.bounding import Trees
from conjoint.spec.meshes.triangles import Integers, Reals

Indices = NDArray[np.int64]
Grid = NDArray[np.bool_]

DEPTH = 6
"""Depth of the smallest cells."""
HUGE = 1e60
"""Coordinates whose squares and products are no numbers any more."""
INFLATION = 1.1
"""Size of the largest cell, relative to the bounding box of the mesh."""
CORNERS = np.array([(corner & 1, corner >> 1 & 1, corner >> 2) for corner in range(8)])
"""Corners of a cell: 0, the lower end of an axis, or 1. The children come in the opposite order."""


@dataclass
class Octree:
    """Cells, each before its children, and all below the first child before the second.

    Attributes:
        depth: distance of every cell from the root.
        child: (ncell, 8) children; -1: none.
        aabb: (ncell, 6) center and half sizes.
        coeff: (ncell, 8) signed distance of the corners, negative inside; the x axis changes fastest.
    """

    depth: Integers
    child: Integers
    aabb: Reals
    coeff: Reals


def mesh_octree(vert: Reals, face: Integers, volumes: Trees) -> Octree:
    """Octree of a mesh whose faces have the bounding `volumes`.

    Raises:
        ValueError: the mesh is so large that squares of distances are infinite.
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
    """Ends (axis, lower or upper, 2^level) of the cells of all levels along the axes, with their rounding."""
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
    """Cells (n, 3) of each level and their numbers; children of a cell are side by side in their order."""
    # how many cells there are in each, itself included
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
    """Signed distances at the corners of cells, on a grid of all places where corners may be.

    Corners come level by level: what of the surface is nearest to the corners around a new one is near to it, too.
    """
    count = (1 << DEPTH) + 1
    values, foot = np.full((count,) * 3, np.nan), np.empty((count, count, count, 3))
    position = np.empty((3, count))
    position[:, [0, -1]] = ends[0][:, :, 0]
    for level, members in enumerate(cells):
        step = 1 << DEPTH - level
        if level:
            # a place is where the first level that has it puts it
            position[:, step :: 2 * step] = ends[level][:, 0, 1::2]
        wanted = np.zeros((count,) * 3, bool)
        wanted[tuple(((members[:, None] + CORNERS) * step).reshape(-1, 3).T)] = True
        new = np.argwhere(wanted & np.isnan(values))
        # places of the level before, below and above
        below, above = new // (2 * step), -(-new // (2 * step))
        around = np.where(CORNERS, above[:, None], below[:, None]) * 2 * step
        near = foot[tuple(np.moveaxis(around, 2, 0))] if level else np.empty((len(new), 0, 3))
        points = np.stack([position[axis, new[:, axis]] for axis in range(3)], axis=1)
        place = tuple(new.T)
        values[place], foot[place] = mesh.signed(points, near)
    return values
