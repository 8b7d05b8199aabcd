"""Bounding volume trees of static geoms, or of the geoms of a part (geoms of a kinematic tree or of welded bodies).

The layout of the trees is computed when a plan is created. This module groups the geoms;
`physics.collision.box_trees` computes the boxes. Geoms are divided into two halves along the axis along which their
centers are spread most. Each half is divided again until eight geoms are left (Bentley, Multidimensional binary search
trees, Comm. ACM 18, 1975). Three divisions yield the eight children of a node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.lang import mul_quat, rotate
from conjoint.lang.language.tile import TILE
from conjoint.schema.enums import mjtGeom

LEAST_STATIC = 48
"""Minimum number of geoms for which a tree is built; testing fewer geoms one by one is as fast."""

PADDING = -1
"""Id of a missing child of a node."""

Indices = np.ndarray


def bodies_at_rest(m: Any) -> np.ndarray:
    """Return a mask of the bodies that never move: the world, and bodies fixed to it that are not mocap bodies."""
    parent, mocap = np.asarray(m.body_parentid), np.asarray(m.body_mocapid) >= 0
    still = np.asarray(m.body_weldid) == 0
    if mocap.any():
        # bodies are numbered depth first, so parents are processed before their children
        for b in range(len(parent)):
            still[b] = still[b] and not mocap[b] and still[parent[b]]
    return still


def geoms_in_tree(m: Any) -> Indices:
    """Return the static geoms with finite bounds, if there are enough of them for a tree."""
    if len(m.geom_bodyid) < LEAST_STATIC:
        return np.zeros(0, np.int64)
    found = np.flatnonzero(bodies_at_rest(m)[np.asarray(m.geom_bodyid)])
    bounded = found[np.asarray(m.geom_type)[found] != mjtGeom.mjGEOM_PLANE]
    return bounded if len(bounded) >= LEAST_STATIC else bounded[:0]


def tree_rows(m: Any, pairs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the rows of `schema.plan` for bounding volume trees.

    Args:
        m: a model, or any object with the model's arrays as attributes.
        pairs: rows that describe the parts (`runtime.pairs`).
    """
    forest, none = Forest(), np.zeros(0, int)
    found = {"static_geom": none, "posed_geom": none, "outside_geom": none}
    geoms = geoms_in_tree(m)
    if len(geoms):
        # positions affect how tight the boxes are, but not which pairs are found
        forest.plant(_side_by_side(geoms, _centres(m, geoms)))
        still = bodies_at_rest(m)[np.asarray(m.geom_bodyid)]
        outside = np.ones(len(still), bool)
        outside[geoms] = False
        for name, chosen in zip(found, (still, ~still, outside), strict=True):
            found[name] = np.flatnonzero(chosen)
    static = forest.size
    ends = [static]
    for part in np.split(pairs["part_geom"], pairs["part_adr"][1:-1]) if len(pairs["part_geom"]) else ():
        if len(part) > 1:
            forest.plant(_along_bodies(m, part))
        ends.append(forest.size)
    return found | {
        "nstatic_node": np.array(static),
        "node_child": np.concatenate([np.zeros((0, TILE), int), *forest.children]),
        "node_leaf": np.concatenate([none, *forest.leaves]),
        "part_node": np.array(ends),
    }


class Forest:
    """Trees of nodes with eight children, stored one after another; children precede their parents.

    Attributes:
        size: number of nodes.
        children: ids of the children of each node, which are geoms or nodes.
        leaves: 1 for nodes whose children are geoms, 0 for other nodes.
    """

    def __init__(self) -> None:
        self.size = 0
        self.children: list[np.ndarray] = []
        self.leaves: list[np.ndarray] = []

    def plant(self, geoms: Indices) -> None:
        """Add a tree of geoms, which must be sorted so that neighbors in the list are close to each other in space."""
        level = _padded(geoms)
        kind = 1
        while True:
            self.children.append(level)
            self.leaves.append(np.full(len(level), kind))
            first, self.size, kind = self.size, self.size + len(level), 0
            if len(level) == 1:
                return
            # the nodes of a level become the children of the next level, until only the root is left
            level = _padded(np.arange(first, self.size))


def _along_bodies(m: Any, part: Indices) -> Indices:
    """Return the geoms of a part, ordered by body, so that neighbors in the list are close to each other in space."""
    if len(part) <= TILE:
        return part
    body = np.asarray(m.geom_bodyid)[part]
    pos = np.asarray(m.geom_pos, float)
    groups = np.split(part, np.flatnonzero(np.diff(body)) + 1)
    return np.concatenate([_side_by_side(group, pos[group]) if len(group) > TILE else group for group in groups])


def _padded(numbers: Indices) -> np.ndarray:
    """Arrange ids in rows of eight, padded with `PADDING`."""
    rows = np.full((-(-len(numbers) // TILE), TILE), PADDING)
    rows.reshape(-1)[: len(numbers)] = numbers
    return rows


def _side_by_side(geoms: Indices, centres: np.ndarray) -> Indices:
    """Sort geoms so that each group of eight neighbors in the list is close together in space."""
    count = len(geoms)
    order = np.arange(count)
    half = TILE << max(0, int(np.ceil(np.log2(count / TILE))) - 1)
    while half >= TILE:
        block = np.arange(count) // (2 * half)
        placed = centres[order]
        starts = np.arange(0, count, 2 * half)
        spread = np.maximum.reduceat(placed, starts) - np.minimum.reduceat(placed, starts)
        along = placed[np.arange(count), spread.argmax(axis=1)[block]]
        order = order[np.lexsort((along, block))]
        half //= 2
    return geoms[order]


def _centres(m: Any, geoms: Indices) -> np.ndarray:
    """Return the positions of geoms that never move."""
    body = np.asarray(m.geom_bodyid)[geoms]
    pos, quat = np.array(m.body_pos, float), np.array(m.body_quat, float)
    pos[0], quat[0] = 0.0, (1.0, 0.0, 0.0, 0.0)
    # children of the world need no transformation
    inner = np.zeros(len(pos), bool)
    inner[body] = np.asarray(m.body_parentid)[body] > 0
    for b in np.flatnonzero(inner).tolist():
        pos[b], quat[b] = _placed(m, b)
    offset = rotate(list(quat[body].T), list(np.asarray(m.geom_pos, float)[geoms].T))
    return pos[body] + np.stack(list(offset), axis=1)


def _placed(m: Any, b: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the global position and orientation of a body that never moves."""
    pos, quat = np.asarray(m.body_pos[b], float), np.asarray(m.body_quat[b], float)
    while m.body_parentid[b] > 0:
        b = int(m.body_parentid[b])
        turn = np.asarray(m.body_quat[b], float).tolist()
        pos = np.asarray(m.body_pos[b], float) + np.array(list(rotate(turn, pos.tolist())))
        quat = np.array(list(mul_quat(turn, quat.tolist())))
    return pos, quat
