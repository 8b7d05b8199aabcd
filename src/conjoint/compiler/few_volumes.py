"""Boxes around few geoms, in plain floats: what `volumes` finds for many, without the cost of small arrays."""

from collections.abc import Sequence
from itertools import pairwise, product
from math import isfinite
from typing import Any, NamedTuple

from conjoint.compiler.bounding import Nodes, split_trees
from conjoint.compiler.kernels import THIN
from conjoint.spec.rotation import IDENTITY, Quaternion, Vector, conj_quat, minus


class Box(NamedTuple):
    """A geom in the inertial frame of its body: corners of the box around it, and where it is."""

    low: Vector
    high: Vector
    position: Vector


def geom_box(geom: Any, body: Any) -> Box:
    """Box around the box of `geom`, in the inertial frame of `body`."""
    box, pos, center = geom.aabb, geom.pos, body.ipos
    if geom.quat == IDENTITY and body.iquat == IDENTITY:
        (a, b, c, i, j, k), (p, q, r), (u, v, w) = box, pos, center
        low, high = (a - i + p - u, b - j + q - v, c - k + r - w), (a + i + p - u, b + j + q - v, c + k + r - w)
        return Box(low, high, (p - u, q - v, r - w))
    turn = conj_quat(body.iquat)
    position = _turned(minus(pos, center), turn)
    x, y, z = ((box[i] - box[3 + i], box[i] + box[3 + i]) for i in range(3))
    corners = [_turned(corner, geom.quat) for corner in product(x, y, z)]
    return Box(*_around([_turned(minus(_plus(corner, pos), center), turn) for corner in corners]), position)


def _plus(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Sum of 3-vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _turned(point: Sequence[float], quat: Quaternion) -> Vector:
    """`point` turned by a unit quaternion with the rounding of `volumes`: v + 2 q x (w v + q x v)."""
    x, y, z = point
    w, i, j, k = quat
    if i == j == k == 0:
        return x, y, z
    a, b, c = w * x + (j * z - k * y), w * y + (k * x - i * z), w * z + (i * y - j * x)
    return x + 2 * (j * c - k * b), y + 2 * (k * a - i * c), z + 2 * (i * b - j * a)


def _around(points: Sequence[Vector]) -> tuple[Vector, Vector]:
    """Corners of the box around points."""
    x, y, z = zip(*points, strict=True)
    return (min(x), min(y), min(z)), (max(x), max(y), max(z))


def finite(boxes: list[Box]) -> bool:
    """True if all numbers are: comparisons of others are left to arrays."""
    return all(isfinite(sum(box.low) + sum(box.high) + sum(box.position)) for box in boxes)


def few_trees(boxes: Sequence[Box], counts: Sequence[int]) -> tuple[Nodes, list[tuple[float, ...]]]:
    """Nodes of the trees of boxes, of which each tree has so many as `counts` says; centers and half sizes of nodes."""
    several = max(counts) > 1
    places = [_places(values) for values in zip(*[box.position for box in boxes], strict=True)] if several else []
    nodes = split_trees([(*box.low, *box.high) for box in boxes], places, counts)
    return nodes, [_middle(corners) for corners in nodes.corners]


def _places(values: Sequence[float]) -> list[int]:
    """Numbers in whose order the `values` are: those that differ less than `THIN` from the next agree, in turn."""
    count = len(values)
    order = sorted(range(count), key=values.__getitem__)
    places, group = [0] * count, 0
    for before, here in pairwise([order[0], *order]):
        group += values[here] - values[before] > THIN
        places[here] = group * count + here
    return places


def _middle(corners: Sequence[float]) -> tuple[float, ...]:
    """Center and half sizes of a box, which is not flat."""
    a, b, c, x, y, z = corners
    if abs(a - x) < THIN:
        a, x = a - THIN, x + THIN
    if abs(b - y) < THIN:
        b, y = b - THIN, y + THIN
    if abs(c - z) < THIN:
        c, z = c - THIN, z + THIN
    return (x + a) / 2, (y + b) / 2, (z + c) / 2, (x - a) / 2, (y - b) / 2, (z - c) / 2
