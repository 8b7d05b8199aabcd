"""Bounding volumes of few geoms, in plain floats: what `bounding` finds for many, without the cost of small arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from conjoint.compiler.bounding import THIN, Trees
from conjoint.spec.rotation import IDENTITY, Quaternion, Vector, conj_quat, cross, minus

SIGNS = [tuple(1.0 if corner >> axis & 1 else -1.0 for axis in range(3)) for corner in range(8)]
"""Signs of the coordinates of the corners of a box."""


class Box(NamedTuple):
    """A geom in the inertial frame of its body: corners of the box around it, and where it is."""

    low: Vector
    high: Vector
    position: Vector


def geom_box(geom: Any, body: Any) -> Box:
    """Box around the box of `geom`, in the inertial frame of `body`."""
    turn = conj_quat(body.iquat)
    position = _turned(minus(geom.pos, body.ipos), turn)
    box, pos, center = geom.aabb, geom.pos, body.ipos
    if geom.quat == IDENTITY and body.iquat == IDENTITY:
        low = minus(_plus(minus(box, box[3:]), pos), center)
        return Box(low, minus(_plus(_plus(box, box[3:]), pos), center), position)
    points = []
    for signs in SIGNS:
        corner = _turned([box[i] + signs[i] * box[3 + i] for i in range(3)], geom.quat)
        points.append(_turned(minus(_plus(corner, pos), center), turn))
    return Box(*_around(points, points), position)


def _plus(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Sum of 3-vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _turned(point: Sequence[float], quat: Quaternion) -> Vector:
    """`point` turned by a unit quaternion with the rounding of `volumes`: v + 2 q x (w v + q x v)."""
    x, y, z = point
    if quat[1] == quat[2] == quat[3] == 0:
        return x, y, z
    axis, w = quat[1:], quat[0]
    a, b, c = cross(axis, point)
    a, b, c = cross(axis, (w * x + a, w * y + b, w * z + c))
    return x + 2 * a, y + 2 * b, z + 2 * c


def _around(low: Sequence[Vector], high: Sequence[Vector]) -> tuple[Vector, Vector]:
    """Corners of the box around boxes."""
    x, y, z = zip(*low, strict=True)
    u, v, w = zip(*high, strict=True)
    return (min(x), min(y), min(z)), (max(u), max(v), max(w))


def finite(boxes: list[Box]) -> bool:
    """True if all numbers are: comparisons of others are left to arrays."""
    return all(isfinite(sum(box.low) + sum(box.high) + sum(box.position)) for box in boxes)


def few_trees(boxes: list[Box], counts: list[int]) -> Trees:
    """As `bounding_trees` of these boxes, of which each tree has so many as `counts` says."""
    ranks = [_ranks([box.position[axis] for box in boxes]) for axis in range(3)] if max(counts) > 1 else []
    nodes: list[tuple[int, tuple[int, int], int, Vector, Vector]] = []

    def grow(members: list[int], depth: int, root: int) -> None:
        """Add the node of `members` and those below it."""
        half = len(members) // 2
        if not half:
            nodes.append((depth, (-1, -1), members[0], *_thickened(*boxes[members[0]][:2])))
            return
        low, high = _thickened(*_around([boxes[i].low for i in members], [boxes[i].high for i in members]))
        node = len(nodes)
        nodes.append((depth, (node + 1 - root, node + 2 * half - root), -1, low, high))
        members = sorted(members, key=ranks[_longest(low, high)].__getitem__)
        grow(members[:half], depth + 1, root)
        grow(members[half:], depth + 1, root)

    adr, first = [], 0
    for count in counts:
        adr.append(len(nodes))
        if count:
            grow(list(range(first, first + count)), 0, len(nodes))
        first += count
    depth, child, element, lower, upper = (np.array(column) for column in zip(*nodes, strict=True))
    aabb = np.concatenate([(upper + lower) / 2, (upper - lower) / 2], axis=1)
    return Trees(np.array(adr), np.diff([*adr, len(nodes)]), depth, child, element, aabb)


def _ranks(values: list[float]) -> list[int]:
    """Place of every number in their order; of those that are the same up to `THIN` the first comes first."""
    order = sorted(range(len(values)), key=values.__getitem__)
    group, keys = 0, [(0, order[0])]
    for before, i in pairwise(order):
        group += values[i] - values[before] > THIN
        keys.append((group, i))
    ranks = [0] * len(values)
    for place, (_, i) in enumerate(sorted(keys)):
        ranks[i] = place
    return ranks


def _thickened(low: Vector, high: Vector) -> tuple[Vector, Vector]:
    """Corners of a box that is not flat."""
    flat = [THIN if abs(a - b) < THIN else 0.0 for a, b in zip(low, high, strict=True)]
    return minus(low, flat), _plus(high, flat)


def _longest(low: Vector, high: Vector) -> int:
    """Axis of the longest side, as `bounding` chooses it."""
    x, y, z = minus(high, low)
    axis, longest = (0, x) if x + THIN > y else (1, y)
    return axis if longest + THIN > z else 2
