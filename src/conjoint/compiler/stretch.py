"""Linear maps of the contents of frames whose scale factors differ between the axes (XML Reference, frame/scale).

A map is a matrix of three rows, in the coordinates of a frame or body. It is applied to positions; orientations do not
change. Shapes get the factors along their own axes, which must keep their directions under the map.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians

import numpy as np

from conjoint.schema.kinds import CAPSULE, CYLINDER, SPHERE
from conjoint.spec import Element
from conjoint.spec.rotation import Quaternion, quat_to_mat

Stretch = tuple[tuple[float, ...], ...]

NEAR = radians(2)
"""Tolerance for the rotation of an axis by a map (rad), and relative tolerance for equal factors."""
ROUND = 12
"""Number of decimal digits to which linear maps are rounded for comparison."""


def in_frame(stretch: Stretch | None, length: float, quat: Quaternion, sizes: Sequence[float] = (1, 1, 1)) -> Stretch:
    """Return a linear map in the coordinates of a frame with orientation `quat`, including the frame's own factors.

    Args:
        stretch: linear map outside the frame; None to scale by `length` in all directions.
        length: factor that is used if `stretch` is None.
        quat: orientation of the frame.
        sizes: factors along the axes of the frame.
    """
    turn = np.array(quat_to_mat(quat)).reshape(3, 3)
    around = length * np.eye(3) if stretch is None else np.array(stretch)
    return _rows(turn.T @ around @ turn @ np.diag(sizes))


def _rows(matrix: np.ndarray) -> Stretch:
    return tuple(map(tuple, matrix.tolist()))


def moved(stretch: Stretch, vector: Sequence[float]) -> tuple[float, ...]:
    """Apply a linear map to a vector, or to several concatenated vectors."""
    rows = np.array(vector, float).reshape(-1, 3) @ np.array(stretch).T
    return tuple(rows.ravel().tolist())


def along(stretch: Stretch, axis: Sequence[float]) -> tuple[float, bool]:
    """Return the scale factor along an axis, and True if the map preserves the direction of the axis."""
    before = np.array(axis, float)
    after = np.array(stretch) @ before
    lengths = float(np.linalg.norm(before)), float(np.linalg.norm(after))
    if not all(lengths):
        return 1.0, True
    return lengths[1] / lengths[0], float(before @ after) >= cos(NEAR) * lengths[0] * lengths[1]


def shape_factors(stretch: Stretch, quat: Quaternion, kind: int) -> tuple[tuple[float, ...], str]:
    """Return the factors along the axes of an oriented shape, and an error message if the shape cannot be mapped.

    Args:
        stretch: the map.
        quat: orientation of the shape.
        kind: geom type of the shape.
    """
    turn = np.array(quat_to_mat(quat)).reshape(3, 3)
    found = [along(stretch, turn[:, i].tolist()) for i in range(3)]
    x, y, _ = factors = tuple(factor for factor, _ in found)
    still = [stays for _, stays in found]
    if kind == SPHERE:
        alike = max(factors) - min(factors) <= NEAR * min(factors)
        return factors, "" if alike else "a sphere can only be scaled by equal factors: use an ellipsoid"
    if kind in (CAPSULE, CYLINDER):
        if not still[2]:
            return factors, "its axis is not one of those of the scale"
        across = abs(x - y) <= NEAR * min(x, y) and all(still)
        return factors, "" if across else "its factors across its axis must be equal"
    return factors, "" if all(still) else "its axes are not those of the scale"


def local(stretch: Stretch, quat: Quaternion) -> Stretch:
    """Return the map in the coordinates of a shape with orientation `quat`, rounded so that almost equal maps agree."""
    matrix = np.array(in_frame(stretch, 1.0, quat)).round(ROUND)
    return _rows(np.where(matrix == 0, 0.0, matrix))


def diagonal(stretch: Stretch) -> tuple[float, ...] | None:
    """Return the factors along the coordinate axes, or None if the map is not diagonal."""
    matrix = np.array(stretch)
    alone = np.abs(matrix - np.diag(np.diag(matrix))).max() <= 10.0**-ROUND * np.abs(matrix).max()
    return tuple(np.diag(matrix).tolist()) if alone else None


def inertia(stretch: Stretch, mass: float, moments: np.ndarray) -> np.ndarray:
    """Return the inertia matrix of a body after applying a map, about the map's fixed point.

    `mass` is the mass factor.
    """
    second = 0.5 * np.trace(moments) * np.eye(3) - moments
    matrix = np.array(stretch)
    mapped = mass * matrix @ second @ matrix.T
    return np.asarray(np.trace(mapped) * np.eye(3) - mapped)


def full_inertia(inertial: Element, quat: Quaternion) -> np.ndarray:
    """Return the inertia matrix of an inertial element with orientation `quat`."""
    if inertial.fullinertia is not None:
        xx, yy, zz, xy, xz, yz = inertial.fullinertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turn = np.array(quat_to_mat(quat)).reshape(3, 3)
    return np.asarray(turn @ np.diag(inertial.inertia) @ turn.T)
