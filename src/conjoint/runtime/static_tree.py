"""The tree of geoms that never move: which of them lie side by side in it, found when a plan is made.

Its boxes are found where the geoms are (`physics.collision.static_tree`); here is only who belongs together. Geoms are
divided in two halves along the axis in which their centres are spread most, and so on, until eight are left (Bentley,
Multidimensional binary search trees, Comm. ACM 18, 1975). Three divisions make the eight children of a node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang import mul_quat, rotate
from conjoint.lang.language.tile import TILE
from conjoint.schema.enums import mjtGeom

LEAST_STATIC = 48
"""Geoms in a tree, at least: fewer are gone through as quickly one by one."""

NOBODY = -1
"""Where a node has fewer children than there is room for."""

Indices = np.ndarray


def bodies_at_rest(m: Any) -> np.ndarray:
    """Whether each body stays where it is: the world and what is fixed to it, but for what motion capture moves."""
    parent, mocap = np.asarray(m.body_parentid), np.asarray(m.body_mocapid) >= 0
    still = np.asarray(m.body_weldid) == 0
    if mocap.any():
        # bodies are numbered depth first: a parent is looked at before its children
        for b in range(len(parent)):
            still[b] = still[b] and not mocap[b] and still[parent[b]]
    return still


def geoms_in_tree(m: Any) -> Indices:
    """Geoms that never move and have bounds, if they are enough for a tree."""
    if len(m.geom_bodyid) < LEAST_STATIC:
        return np.zeros(0, np.int64)
    found = np.flatnonzero(bodies_at_rest(m)[np.asarray(m.geom_bodyid)])
    bounded = found[np.asarray(m.geom_type)[found] != mjtGeom.mjGEOM_PLANE]
    return bounded if len(bounded) >= LEAST_STATIC else bounded[:0]


def tree_rows(m: Any) -> dict[str, np.ndarray]:
    """The rows of `schema.plan` about geoms that never move, of a model or anything with its arrays as attributes."""
    geoms = geoms_in_tree(m)
    if not len(geoms):
        none = np.zeros(0, int)
        return {
            "nstatic_leaf": np.array(0), "static_child": none.reshape(0, TILE), "static_geom": none, "posed_geom": none,
            "outside_geom": none,
        }  # fmt: skip
    # where they are when they are moved decides how tight the boxes are, not whether pairs are found
    children = [_padded(_side_by_side(geoms, _centres(m, geoms)))]
    # the nodes of a level are the children of the next one, until there is one root
    first = 0
    while len(children[-1]) > 1:
        count = len(children[-1])
        children.append(_padded(np.arange(first, first + count)))
        first += count
    still = bodies_at_rest(m)[np.asarray(m.geom_bodyid)]
    outside = np.ones(len(still), bool)
    outside[geoms] = False
    return {
        "nstatic_leaf": np.array(len(children[0])),
        "static_child": np.concatenate(children),
        "static_geom": np.flatnonzero(still),
        "posed_geom": np.flatnonzero(~still),
        "outside_geom": np.flatnonzero(outside),
    }


def _padded(numbers: Indices) -> np.ndarray:
    """Numbers in rows of eight."""
    rows = np.full((-(-len(numbers) // TILE), TILE), NOBODY)
    rows.reshape(-1)[: len(numbers)] = numbers
    return rows


def _side_by_side(geoms: Indices, centres: np.ndarray) -> Indices:
    """Geoms in an order in which neighbours, eight and eight of them, are near each other."""
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
    """Where some geoms that never move are."""
    body = np.asarray(m.geom_bodyid)[geoms]
    pos, quat = np.array(m.body_pos, float), np.array(m.body_quat, float)
    pos[0], quat[0] = 0.0, (1.0, 0.0, 0.0, 0.0)
    # the children of the world are where they say
    inner = np.zeros(len(pos), bool)
    inner[body] = np.asarray(m.body_parentid)[body] > 0
    for b in np.flatnonzero(inner).tolist():
        pos[b], quat[b] = _placed(m, b)
    offset = rotate(list(quat[body].T), list(np.asarray(m.geom_pos, float)[geoms].T))
    return pos[body] + np.stack(list(offset), axis=1)


def _placed(m: Any, b: int) -> tuple[np.ndarray, np.ndarray]:
    """Position and orientation of a body that never moves, up the tree."""
    pos, quat = np.asarray(m.body_pos[b], float), np.asarray(m.body_quat[b], float)
    while m.body_parentid[b] > 0:
        b = int(m.body_parentid[b])
        turn = np.asarray(m.body_quat[b], float).tolist()
        pos = np.asarray(m.body_pos[b], float) + np.array(list(rotate(turn, pos.tolist())))
        quat = np.array(list(mul_quat(turn, quat.tolist())))
    return pos, quat
