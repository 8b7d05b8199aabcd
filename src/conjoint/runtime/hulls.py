"""Meshes that collide: where searches for their farthest vertices begin, how far they reach, and hulls by tiles.

The last two are known in batches only, which have models of their own: the vertices of other models may be changed
between steps, and are not watched. Where a search begins decides nothing: it climbs among the vertices as they are.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from conjoint.lang.language.tile import TILE
from conjoint.runtime.hull_tables import hull_tables
from conjoint.runtime.pairs import have_bits
from conjoint.schema.enums import mjtGeom
from conjoint.schema.plan import DIRECTIONS

WAYS = np.array(list(itertools.product((-1, 0, 1), repeat=3)), float)
"""Directions to the faces, edges and corners of a cube; the one in the middle is none."""

assert len(WAYS) == DIRECTIONS


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
        **hull_tables(m, colliding, listing=lanes > 1),
    }


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
