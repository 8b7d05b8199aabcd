"""Meshes that collide: where searches for their farthest vertices begin, how far they reach, and hulls by tiles.

The last two are known in batches only, which have models of their own: the vertices of other models may be changed
between steps, and are not watched. Where a search begins decides nothing: it climbs among the vertices as they are.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.language.tile import TILE
from conjoint.physics.collision.hull_table import CONES_MOST, make_table
from conjoint.runtime.entry import entry
from conjoint.runtime.pairs import have_bits
from conjoint.schema.enums import mjtGeom
from conjoint.schema.plan import CUBE_CELLS, DIRECTIONS

WAYS = np.array(list(itertools.product((-1, 0, 1), repeat=3)), float)
"""Directions to the faces, edges and corners of a cube; the one in the middle is none."""

assert len(WAYS) == DIRECTIONS

LARGE_HULL = 32
HUGE_HULL = 4096
"""Vertices of hulls that have a table of where to begin: others are soon searched, or their tables are too dear."""

_make_table = entry(make_table, "int[]", "real[]", "out int[]", "out int[]", "out real[]")


def hull_rows(m: Any, lanes: int) -> dict[str, np.ndarray]:
    """The rows of `schema.plan` about meshes that collide.

    Args:
        m: a model, or anything with its arrays as attributes.
        lanes: worlds that are stepped at once; one knows only where searches begin.
    """
    colliding = _colliding(m)
    chosen = colliding if lanes > 1 else colliding[:0]
    # meshes that do not collide have no bound
    extents = np.full((len(m.mesh_vertadr) if len(chosen) else 0, DIRECTIONS), np.inf)
    first = np.full(len(extents), -1)
    counts, neighbours, corners = [np.zeros(0, int)], [np.zeros(0, int)], [np.zeros((0, 3))]
    begin = 0
    for mesh in chosen:
        at = m.mesh_vertadr[mesh]
        vertices = np.asarray(m.mesh_vert[at : at + m.mesh_vertnum[mesh]], float)
        extents[mesh] = np.max(vertices @ WAYS.T, axis=0)
        if m.mesh_graphadr[mesh] >= 0:
            first[mesh] = begin
            tiles, names, places = _tiles(np.asarray(m.mesh_graph[m.mesh_graphadr[mesh] :]))
            begin += len(tiles)
            counts.append(tiles)
            neighbours.append(names)
            corners.append(vertices[places])
    tiles = np.concatenate(counts)
    # coordinate by coordinate within a tile
    packed = np.concatenate(corners).reshape(-1, TILE, 3).transpose(0, 2, 1)
    return {
        "mesh_extent": extents,
        "mesh_hulladr": first,
        "hull_tileadr": np.concatenate([[0], np.cumsum(tiles)]),
        "hull_neighbour": np.concatenate(neighbours).reshape(-1, TILE),
        "hull_corner": packed,
        **_tables(m, colliding),
    }


def _tables(m: Any, meshes: np.ndarray) -> dict[str, np.ndarray]:
    """Where searches on large hulls begin, and when that decides nothing; see `physics.collision.hull_table`."""
    tables = {}
    for mesh in meshes[np.asarray(m.mesh_graphadr)[meshes] >= 0].tolist() if jit_enabled() else ():
        graph = np.asarray(m.mesh_graph[m.mesh_graphadr[mesh] :])
        count, faces = graph[:2].tolist()
        if LARGE_HULL <= count <= HUGE_HULL:
            vertices = np.asarray(m.mesh_vert[m.mesh_vertadr[mesh] + graph[2 + count : 2 + 2 * count]])
            tables[mesh] = _table(graph[: 2 + 3 * count + 3 * faces].tobytes(), vertices.tobytes())
    seeds = np.full((len(m.mesh_vertadr) if tables else 0, CUBE_CELLS), -1, np.int32)
    first = np.zeros(len(seeds) + 1, int)
    tops, cones = [np.zeros((0, TILE), int)], [np.zeros((0, 4, TILE))]
    for mesh in range(len(seeds)):
        first[mesh + 1] = first[mesh]
        if mesh in tables:
            seeds[mesh], false_tops, found = tables[mesh]
            tops.append(false_tops)
            cones.append(found)
            first[mesh + 1] += len(found)
    return {
        "mesh_seed": seeds,
        "mesh_coneadr": first,
        "false_top": np.concatenate(tops),
        "hull_cone": np.concatenate(cones),
    }


@functools.lru_cache(maxsize=64)
def _table(graph: bytes, vertices: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The table of a hull: a vertex for each cell of directions, and tiles of false tops and their cones."""
    places = np.frombuffer(vertices, np.float32).reshape(-1, 3).astype(float)
    # the last vertex fills the last tile
    tiles = -(-len(places) // TILE)
    packed = places[np.minimum(np.arange(tiles * TILE), len(places) - 1)].reshape(tiles, TILE, 3).transpose(0, 2, 1)
    seeds = np.zeros(CUBE_CELLS, np.int32)
    tops = np.full((CONES_MOST // TILE, TILE), -1, np.int32)
    # no direction is in a cone with such a cosine
    cones = np.zeros((CONES_MOST // TILE, 4, TILE))
    cones[:, 3] = 2.0
    corners = np.ascontiguousarray(packed).ravel()
    count = _make_table(np.frombuffer(graph, np.int32), corners, seeds, tops.ravel(), cones.ravel())
    if count < 0:
        seeds[:] = -1
    filled = -(-max(count, 0) // TILE)
    return seeds, tops[:filled], cones[:filled]


def _colliding(m: Any) -> np.ndarray:
    """Meshes of geoms that may collide; programs may have made meshes of geoms that have none."""
    solid = have_bits(m)
    solid[np.asarray(m.pair_geom1)] = solid[np.asarray(m.pair_geom2)] = True
    hulls = np.isin(m.geom_type, (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF))
    mesh = np.asarray(m.geom_dataid)
    # np.unique imports masked arrays, which takes longer than all of this
    return np.array(sorted({*mesh[solid & hulls & (mesh >= 0)].tolist()}), np.int64)


def _tiles(graph: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How many tiles the neighbours of each vertex of a hull fill, and what is in them.

    Args:
        graph: `mesh_graph` from the address of the mesh on; see `physics.collision.hull.climb`.

    Returns:
        tiles of each vertex; neighbours, numbered in the hull; the same, numbered in the mesh. What is left of the last
        tile of a vertex repeats its first neighbour.
    """
    count, faces = graph[:2]
    begins, names = graph[2 : 2 + count], graph[2 + count : 2 + 2 * count]
    edges = graph[2 + 2 * count : 2 + 3 * count + 3 * faces]
    # each list is ended by -1
    degree = np.diff(np.append(begins, len(edges))) - 1
    tiles = -(-degree // TILE)
    vertex = np.repeat(np.arange(count), tiles * TILE)
    place = np.arange(len(vertex)) - np.repeat((np.cumsum(tiles) - tiles) * TILE, tiles * TILE)
    local = edges[begins[vertex] + np.where(place < degree[vertex], place, 0)]
    return tiles, local, names[local]
