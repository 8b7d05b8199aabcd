"""Boxes around few geoms, in plain floats: what `volumes` finds for many, without the cost of small arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

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
