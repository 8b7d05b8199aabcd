"""Signed distances of a torus and a bowl (I. Quilez, Distance functions)."""

import numpy as np

from conjoint.spec.meshes.triangles import Reals


def torus_distance(x: Reals, y: Reals, z: Reals, radius1: float, radius2: float) -> Reals:
    """Torus around z: `radius1` of the ring, `radius2` of the tube."""
    across = np.sqrt(x * x + y * y) - radius1
    return np.sqrt(across * across + z * z) - radius2


def bowl_distance(x: Reals, y: Reals, z: Reals, height: float, radius: float, thickness: float) -> Reals:
    """Hollow sphere of a radius, cut off at a height above its center; the wall reaches a thickness to both sides."""
    rim = np.sqrt(radius * radius - height * height)
    across = np.sqrt(x * x + y * y)
    from_rim = np.sqrt((across - rim) ** 2 + (z - height) ** 2)
    from_sphere = np.abs(np.sqrt(across * across + z * z) - radius)
    return np.where(height * across < rim * z, from_rim, from_sphere) - thickness
