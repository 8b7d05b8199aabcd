"""Meshes that collide: start vertices of support searches, extents, and hulls in tiles.

Extents and tiles exist in batches only, which have their own copy of the model. In other models, vertices may change
between steps and are not watched. This does not affect start vertices, because a search climbs along the current
vertices from any start.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.language.name import Name, value_of
from conjoint.lang.language.tile import TILE
from conjoint.once import made_once
from conjoint.runtime.entry import entry
from conjoint.runtime.pairs import have_bits
from conjoint.schema.enums import mjtGeom
from conjoint.schema.plan import CELLS, CUBE_CELLS, DIRECTIONS

WAYS = np.array(list(itertools.product((-1, 0, 1), repeat=3)), float)
"""Directions from the center of a cube to its faces, edges and corners; the middle direction is zero."""

assert len(WAYS) == DIRECTIONS

HULL_MOST = 4096
"""Maximum number of vertices of a hull for which start vertices are computed."""

LARGE_HULL = 32
"""Minimum number of vertices of a hull for which start vertices are used in a single world.

In smaller hulls, it is faster to start from the end of the last search.
"""

hull, hull_seeds = Name("conjoint.physics.collision").hull, Name("conjoint.physics.collision").hull_seeds
_list_seeds = entry(hull_seeds.list_seeds, "int[]", "real[]", "real[]", "out int[]")


def hull_rows(m: Any, lanes: int) -> dict[str, np.ndarray]:
    """Return the rows of `schema.plan` for meshes that collide.

    Args:
        m: a model, or any object with the model's arrays as attributes.
        lanes: number of worlds that are stepped at once. With one world, only start vertices are computed.
    """
    colliding = _colliding(m)
    chosen = colliding if lanes > 1 else colliding[:0]
    # the bound of meshes that do not collide is infinite
    extents = np.full((len(m.mesh_vertadr) if len(chosen) else 0, DIRECTIONS), np.inf)
    first = np.full(len(extents), -1)
    counts, neighbors, corners = [np.zeros(0, int)], [np.zeros(0, int)], [np.zeros((0, 3))]
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
            neighbors.append(names)
            corners.append(vertices[places])
    tiles = np.concatenate(counts)
    # store tiles coordinate by coordinate
    packed = np.concatenate(corners).reshape(-1, TILE, 3).transpose(0, 2, 1)
    return {
        "mesh_extent": extents,
        "mesh_hulladr": first,
        "hull_tileadr": np.concatenate([[0], np.cumsum(tiles)]),
        "hull_neighbor": np.concatenate(neighbors).reshape(-1, TILE),
        "hull_corner": packed,
        "mesh_seed": _seeds(m, colliding, value_of(hull.FEW_VERTICES) if lanes > 1 and len(colliding) else LARGE_HULL),
    }


def _colliding(m: Any) -> np.ndarray:
    """Return the meshes of all geoms that may collide, including geoms whose type the user has changed to mesh."""
    solid = have_bits(m)
    solid[np.asarray(m.pair_geom1)] = solid[np.asarray(m.pair_geom2)] = True
    hulls = np.isin(m.geom_type, (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF))
    mesh = np.asarray(m.geom_dataid)
    # do not use np.unique: its import of masked arrays takes longer than all of this
    return np.array(sorted({*mesh[solid & hulls & (mesh >= 0)].tolist()}), np.int64)


def _neighbors(graph: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the vertices of a hull, and the lists of their neighbors.

    Args:
        graph: `mesh_graph`, starting at the address of the mesh; see `physics.collision.hull.hull_names`.

    Returns:
        Vertex indices in the mesh; index of each vertex's first neighbor; number of its neighbors; all neighbors.
    """
    count, faces = graph[:2].tolist()
    edges = graph[2 + 2 * count : 2 + 3 * count + 3 * faces]
    begins = graph[2 : 2 + count]
    # each list ends with -1
    return graph[2 + count : 2 + 2 * count], begins, np.diff(np.append(begins, len(edges))) - 1, edges


def _tiles(graph: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tiles that contain the neighbors of each vertex of a hull.

    The rest of the last tile of a vertex repeats its first neighbor.

    Returns:
        Number of tiles of each vertex; neighbors as indices in the hull; neighbors as indices in the mesh.
    """
    names, begins, degree, edges = _neighbors(graph)
    tiles = -(-degree // TILE)
    vertex = np.repeat(np.arange(len(names)), tiles * TILE)
    place = np.arange(len(vertex)) - np.repeat((np.cumsum(tiles) - tiles) * TILE, tiles * TILE)
    local = edges[begins[vertex] + np.where(place < degree[vertex], place, 0)]
    return tiles, local, names[local]


# ---- start vertices of searches


def _seeds(m: Any, meshes: np.ndarray, least: int) -> np.ndarray:
    """Return the start vertex for each mesh and direction cell (`physics.collision.hull.cell_of`); -1 for none.

    Args:
        m: a model, or any object with the model's arrays as attributes.
        meshes: meshes that collide.
        least: number of vertices of the smallest mesh with start vertices.
    """
    found = {}
    for mesh in meshes.tolist():
        # the search for local maxima takes too long uncompiled
        if jit_enabled() and m.mesh_graphadr[mesh] >= 0 and m.mesh_vertnum[mesh] >= least:
            graph = np.asarray(m.mesh_graph[m.mesh_graphadr[mesh] :])
            names, _, _, edges = _neighbors(graph)
            if len(names) <= HULL_MOST:
                vertices = np.asarray(m.mesh_vert[m.mesh_vertadr[mesh] + names])
                whole = graph[: 2 + 2 * len(names) + len(edges)]
                found[mesh] = _seeds_of(whole.tobytes(), vertices.tobytes())
    seeds = np.full((len(m.mesh_vertadr) if found else 0, CUBE_CELLS), -1, np.int32)
    for mesh, row in found.items():
        seeds[mesh] = row
    return seeds


@functools.lru_cache(maxsize=64)
def _seeds_of(graph: bytes, vertices: bytes) -> np.ndarray:
    """Return the start vertices of a hull; none for direction cells in which a climb may miss the support vertex."""
    places = np.frombuffer(vertices, np.float32).reshape(-1, 3).astype(float)
    # pad the last tile with the last vertex
    tiles = -(-len(places) // TILE)
    filled = places[np.minimum(np.arange(tiles * TILE), len(places) - 1)].reshape(tiles, TILE, 3).transpose(0, 2, 1)
    seeds = np.zeros(CUBE_CELLS, np.int32)
    _list_seeds(np.frombuffer(graph, np.int32), np.ascontiguousarray(filled).ravel(), cell_ways(), seeds)
    return seeds


@made_once
def cell_ways() -> np.ndarray:
    """Return the directions to the four corners and the center of each direction cell."""
    grid = np.linspace(-1.0, 1.0, CELLS + 1)
    ways = np.empty((6, CELLS + 1, CELLS + 1, 3))
    for face in range(6):
        axis = face // 2
        ways[face, :, :, axis] = 1.0 - 2.0 * (face % 2)
        ways[face, :, :, (axis + 1) % 3] = grid[:, None]
        ways[face, :, :, (axis + 2) % 3] = grid
    four = [ways[:, i : i + CELLS, j : j + CELLS] for i in (0, 1) for j in (0, 1)]
    return np.stack([*four, sum(four) / 4.0], axis=3).ravel()
