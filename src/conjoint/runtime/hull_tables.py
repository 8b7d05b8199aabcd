"""Tables of hulls by cells of directions: where climbs begin, when they end falsely, which vertices are farthest."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.language.name import Name, value_of
from conjoint.lang.language.tile import TILE
from conjoint.once import made_once
from conjoint.runtime.entry import entry
from conjoint.schema.plan import CELLS, CUBE_CELLS

LARGE_HULL = 32
"""Vertices, at least, of hulls that have a table in one world: others are soon searched. In batches all have one."""

OUTSIDE = 1e30
"""How far against the directions of a cell those vertices lie that fill its last tile."""

hull_cells, hull_table = Name("conjoint.physics.collision").hull_cells, Name("conjoint.physics.collision").hull_table
_make_table = entry(hull_table.make_table, "int[]", "real[]", "out int[]", "out int[]", "out real[]")
_list_cells = entry(hull_cells.list_cells, "real[]", "int", "real", "out int[]", "out int[]")


def hull_tables(m: Any, meshes: np.ndarray, listing: bool) -> dict[str, np.ndarray]:
    """The rows of `schema.plan` about them.

    Args:
        m: a model, or anything with its arrays as attributes.
        meshes: those that collide.
        listing: whether vertices are listed by cells; they must be as they are as long as the plan is used.
    """
    hulls = {mesh: _hull_of(m, mesh) for mesh in meshes.tolist() if jit_enabled() and m.mesh_graphadr[mesh] >= 0}
    if hulls:
        least = value_of(Name("conjoint.physics.collision").convex.body.FEW_VERTICES) if listing else LARGE_HULL
        fewest, most = 1 if listing else LARGE_HULL, value_of(hull_cells.HULL_MOST)
        hulls = {mesh: hull for mesh, hull in hulls.items() if least <= m.mesh_vertnum[mesh]}
        hulls = {mesh: hull for mesh, hull in hulls.items() if fewest <= _count(hull) <= most}
    seeds = np.full((len(m.mesh_vertadr) if hulls else 0, CUBE_CELLS), -1, np.int32)
    cones_begin = np.zeros(len(seeds) + 1, int)
    tops, cones = [np.zeros((0, TILE), int)], [np.zeros((0, 4, TILE))]
    cells = np.full((len(seeds) if listing else 0, CUBE_CELLS), -1, np.int32)
    slacks, listed, begin = np.zeros(len(cells)), [np.zeros((0, 4, TILE))], 0
    for mesh in range(len(seeds)):
        cones_begin[mesh + 1] = cones_begin[mesh]
        if mesh in hulls:
            seeds[mesh], false_tops, found = _table(*hulls[mesh])
            tops.append(false_tops)
            cones.append(found)
            cones_begin[mesh + 1] += len(found)
            if listing and seeds[mesh, 0] >= 0:
                cells[mesh], tiles, slacks[mesh] = _lists(*hulls[mesh])
                cells[mesh] += np.where(cells[mesh] < 0, 0, begin << value_of(hull_cells.TILE_BITS))
                listed.append(tiles)
                begin += len(tiles)
    return {
        "mesh_seed": seeds,
        "mesh_coneadr": cones_begin,
        "false_top": np.concatenate(tops),
        "hull_cone": np.concatenate(cones),
        "mesh_cell": cells,
        "mesh_slack": slacks,
        "cell_corner": np.concatenate(listed),
    }


def _hull_of(m: Any, mesh: int) -> tuple[bytes, bytes]:
    """The graph of a hull, and where its vertices are."""
    graph = np.asarray(m.mesh_graph[m.mesh_graphadr[mesh] :])
    count, faces = graph[:2].tolist()
    names = graph[2 + count : 2 + 2 * count]
    vertices = np.asarray(m.mesh_vert[m.mesh_vertadr[mesh] + names])
    return graph[: 2 + 3 * count + 3 * faces].tobytes(), vertices.tobytes()


def _count(hull: tuple[bytes, bytes]) -> int:
    """Vertices of a hull."""
    return len(hull[1]) // 12


@functools.lru_cache(maxsize=64)
def _table(graph: bytes, vertices: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The table of a hull: a vertex for each cell of directions, and tiles of false tops and their cones."""
    places = np.frombuffer(vertices, np.float32).reshape(-1, 3).astype(float)
    # the last vertex fills the last tile
    tiles = -(-len(places) // TILE)
    packed = places[np.minimum(np.arange(tiles * TILE), len(places) - 1)].reshape(tiles, TILE, 3).transpose(0, 2, 1)
    seeds = np.zeros(CUBE_CELLS, np.int32)
    most = value_of(hull_table.CONES_MOST)
    tops = np.full((most // TILE, TILE), -1, np.int32)
    # no direction is in a cone with such a cosine
    cones = np.zeros((most // TILE, 4, TILE))
    cones[:, 3] = 2.0
    corners = np.ascontiguousarray(packed).ravel()
    count = _make_table(np.frombuffer(graph, np.int32), corners, seeds, tops.ravel(), cones.ravel())
    if count < 0:
        seeds[:] = -1
    filled = -(-max(count, 0) // TILE)
    return seeds, tops[:filled], cones[:filled]


@functools.lru_cache(maxsize=64)
def _lists(graph: bytes, vertices: bytes) -> tuple[np.ndarray, np.ndarray, float]:
    """What cells of directions list of a hull: the rows `mesh_cell`, `cell_corner` and `mesh_slack`."""
    places = np.frombuffer(vertices, np.float32).reshape(-1, 3).astype(float)
    slack = value_of(hull_table.SAME_HEIGHT) * float(np.max(np.sum(np.abs(places), axis=1)))
    kernels = value_of(hull_cells)
    most = kernels.LISTED_MOST
    counts, listed = np.zeros(CUBE_CELLS, np.int32), np.zeros((CUBE_CELLS, most), np.int32)
    _list_cells(places.ravel(), len(places), slack, counts, listed.ravel())
    tiles = -(-counts // TILE)
    # cells of a face that list the same share their tiles
    known: dict[tuple[int, bytes], int] = {}
    chosen, total = [], 0
    cells = np.full(CUBE_CELLS, -1, np.int32)
    for cell, (count, row) in enumerate(zip(counts.tolist(), listed, strict=True)):
        if count:
            key = cell // (CELLS * CELLS), row[:count].tobytes()
            more = -(-count // TILE) - 1
            if key not in known:
                known[key] = total
                chosen.append(cell)
                total += more + 1
            cells[cell] = (known[key] << kernels.TILE_BITS) + more
    cells[(cells >= 0) & _are_doubtful(graph, vertices, places)] += kernels.DOUBT
    within = np.arange(most // TILE) < tiles[chosen, None]
    names = listed[chosen].reshape(len(chosen), -1, TILE)[within]
    filled = (np.arange(most).reshape(-1, TILE) < counts[chosen, None, None])[within]
    # what fills the last tile lies far behind the middle of the cell
    behind = -OUTSIDE * np.repeat(_middles()[chosen], tiles[chosen], axis=0)
    corners = np.where(filled[:, None], places[names].transpose(0, 2, 1), behind[:, :, None])
    return cells, np.concatenate([corners, names[:, None]], axis=1), slack


def _are_doubtful(graph: bytes, vertices: bytes, places: np.ndarray) -> np.ndarray:
    """Whether a false top may be as high as its neighbours in a direction of each cell.

    It is not where one of these is higher in all corners of the cell.
    """
    _, tops, _ = _table(graph, vertices)
    numbers = np.frombuffer(graph, np.int32)
    doubtful, same = np.zeros(CUBE_CELLS, bool), value_of(hull_table.SAME_HEIGHT)
    for top in tops[tops >= 0].tolist():
        first = 2 + 2 * numbers[0] + numbers[2 + top]
        around = numbers[first : first + np.flatnonzero(numbers[first:] < 0)[0]]
        ahead = _corners() @ (places[around] - places[top]).T
        doubtful |= ~np.any(np.min(ahead, axis=1) > same * np.sum(np.abs(places[top])), axis=1)
    return doubtful


@made_once
def _corners() -> np.ndarray:
    """Directions to the four corners of the cells."""
    cells = [(cell // (CELLS * CELLS), cell // CELLS % CELLS, cell % CELLS) for cell in range(CUBE_CELLS)]
    corner_of_cell = value_of(hull_table.corner_of_cell)
    ways = [[corner_of_cell(f, i + k // 2, j + k % 2) for k in range(4)] for f, i, j in cells]
    return np.array([[[*way] for way in four] for four in ways])


@made_once
def _middles() -> np.ndarray:
    """Unit vectors to the middles of the cells."""
    middles = np.mean(_corners(), axis=1)
    return middles / np.linalg.norm(middles, axis=1)[:, None]
