"""Level of detail for scenes with many geoms: skip invisible geoms, and draw small round shapes with few sides."""

from __future__ import annotations

import numpy as np

from conjoint.render.instances import Instances
from conjoint.schema.enums import mjtGeom

MANY = 2000
"""Minimum number of geoms for simplification; smaller scenes are drawn in full detail."""

SIDES = ((1.2, 4), (3.0, 6), (7.0, 8), (15.0, 12), (30.0, 20))
"""Maximum radius (pixels) for each number of sides of a round shape. The error is below half a pixel."""

COLOR_TOLERANCE, NUMBER_TOLERANCE, SHADOW_TOLERANCE = 1.0, 0.2, 4.0
"""Permitted radius errors, in half pixels: in color pictures, in depth and segmentation pictures, in shadow maps."""

ROUND = (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER)
"""Geom types whose first size is their radius."""

BOUNDED = (*ROUND, mjtGeom.mjGEOM_ELLIPSOID, mjtGeom.mjGEOM_BOX)
"""Geom types that lie within a sphere whose radius is the sum of their sizes."""


def simplified(
    shown: Instances, chosen: np.ndarray, sight: np.ndarray, size: tuple[int, int], tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the chosen geoms that may be visible, and their numbers of sides; 0 stands for the model's number.

    Args:
        shown: the geoms of the scene.
        chosen: indices of the geoms to test.
        sight: matrix from the world to clip coordinates, shape (4, 4).
        size: width and height of the picture (pixels).
        tolerance: permitted radius error, in half pixels.
    """
    if shown.count < MANY:
        return chosen, np.zeros(len(chosen), int)
    kind, pos, sizes = shown.type[chosen], shown.pos[chosen].astype(float), shown.size[chosen].astype(float)
    # signed distances of the geom centers from the four side planes of the view volume
    sides = np.stack([sight[3] + sight[0], sight[3] - sight[0], sight[3] + sight[1], sight[3] - sight[1]])
    sides /= np.linalg.norm(sides[:, :3], axis=1, keepdims=True)
    near = (pos @ sides[:, :3].T + sides[:, 3] > -sizes.sum(axis=1)[:, np.newaxis]).all(axis=1)
    visible = near | ~np.isin(kind, BOUNDED)
    chosen, kind, pos, sizes = chosen[visible], kind[visible], pos[visible], sizes[visible]
    away = np.maximum(pos @ sight[3, :3] + sight[3, 3], 1e-6)
    scale = 1 / tolerance * max(np.linalg.norm(sight[k, :3]) * size[k] / 2 for k in range(2))
    radius = np.where(np.isin(kind, ROUND), sizes[:, 0] * scale / away, np.inf)
    most = np.array([0, *(pixels for pixels, _ in SIDES)])
    place = np.searchsorted(most[1:], radius)
    return chosen, np.array([*(count for _, count in SIDES), 0])[place]
