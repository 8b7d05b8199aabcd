"""Bounding boxes of a body's geoms, and the inertia of a uniform body with this shape."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from conjoint.api.mju.quaternions import mju_quat2Mat
from conjoint.doctor.subject import INFINITE, Subject

THIN = 0.2
"""Minimum thickness that the bounding box of a body is assumed to have, relative to its longest edge."""
CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))


@dataclass(frozen=True)
class Shape:
    """Mass distribution of a body according to its geoms.

    Attributes:
        least: lower bound of the volume (m^3), from the boxes around each geom.
        most: upper bound of the volume (m^3), from the bounding box of all geoms.
        size: edge lengths of the bounding box of all geoms (m).
        inertia: inertia of a uniform body of 1 kg, about its own center, in the frame of the body (m^2).
    """

    least: float
    most: float
    size: np.ndarray
    inertia: np.ndarray


def rotation(quat: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion."""
    matrix = np.zeros(9)
    mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)


def shape_of(subject: Subject, body: int) -> Shape | None:
    """Return the shape of a body; None if it has no geoms with a volume."""
    model = subject.model
    first = int(model.body_geomadr[body])
    geoms = [g for g in range(first, first + int(model.body_geomnum[body])) if model.geom_type[g] not in INFINITE]
    if not geoms:
        return None
    corners, volumes, centers, tensors = [], [], [], []
    for g in geoms:
        center, half = model.geom_aabb[g, :3], model.geom_aabb[g, 3:]
        turn = rotation(model.geom_quat[g])
        corners.append(model.geom_pos[g] + (center + CORNERS * half) @ turn.T)
        volumes.append(8 * float(np.prod(half)))
        centers.append(model.geom_pos[g] + turn @ center)
        squares = half**2 / 3
        tensors.append(turn @ np.diag(squares.sum() - squares) @ turn.T)
    points = np.concatenate(corners)
    size = np.ptp(points, axis=0)
    total = sum(volumes)
    if total <= 0 or size.min() <= 0:
        return None
    weights = np.array(volumes) / total
    middle = weights @ np.array(centers)
    offsets = np.array(centers) - middle
    inertia = sum(
        weight * (tensor + (offset @ offset) * np.eye(3) - np.outer(offset, offset))
        for weight, tensor, offset in zip(weights, tensors, offsets, strict=True)
    )
    # a thin geom may represent a thicker part
    thick = np.maximum(size, THIN * size.max())
    return Shape(min(total, float(np.prod(size))), float(np.prod(thick)), size, np.asarray(inertia))


def tensor_of(subject: Subject, body: int) -> np.ndarray:
    """Return the inertia of a body about its center of mass, in the body's frame (kg m^2)."""
    model = subject.model
    axes = rotation(model.body_iquat[body])
    return axes @ np.diag(model.body_inertia[body]) @ axes.T
