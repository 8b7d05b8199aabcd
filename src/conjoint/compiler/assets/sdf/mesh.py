"""Meshes of shapes that are given by their signed distance, sampled on a grid."""

from collections.abc import Mapping
from math import floor, isfinite

import numpy as np

from conjoint.compiler.assets.sdf.marching_cubes import marching_cubes
from conjoint.compiler.assets.sdf.samples import sampled
from conjoint.physics.plugin.plugin import mjpPlugin, settings
from conjoint.physics.plugins import PLUGINS
from conjoint.spec.meshes.triangles import Reals, Triangles

CELLS = 300
"""Cells along the three sides of the box together."""


def sdf_mesh(plugin: mjpPlugin, config: Mapping[str, str]) -> Triangles:
    """Mesh of the shape of a plugin, with the settings that a model gives.

    Raises:
        ValueError: the plugin has no signed distance, a setting is no number, or there is no surface.
    """
    name = plugin.name
    if plugin.sdf_staticdistance is None or plugin.sdf_aabb is None:
        known = ", ".join(other.name for other in PLUGINS if other.sdf_staticdistance is not None)
        raise ValueError(f"the plugin '{name}' has no signed distance; those that have one: {known}")
    numbers = tuple(plugin.sdf_attribute(settings(plugin, config)))
    half = tuple(plugin.sdf_aabb(*numbers))
    if not all(isfinite(size) and size > 0 for size in half):
        raise ValueError(f"the settings of '{name}' give a box of half sizes {half}, which must be positive")
    counts = [floor(CELLS / sum(half) * size) + 1 for size in half]
    if min(counts) < 2:
        raise ValueError(f"the shape of '{name}' is too thin: the grid has {counts} points")
    x, y, z = (_samples(size, count) for size, count in zip(half, counts, strict=True))
    points = x[:, None, None], y[None, :, None], z[None, None, :]
    with np.errstate(all="ignore"):
        field = sampled(plugin.sdf_staticdistance, *points, settings=numbers).astype(np.float32)
    if not np.isfinite(field).all():
        raise ValueError(f"the settings of '{name}' give distances that are not finite")
    vert, face, normal = marching_cubes(field)
    placed = [2 * size * vert[:, i].astype(np.float64) / (counts[i] - 1) - size for i, size in enumerate(half)]
    return Triangles(np.column_stack(placed).astype(np.float32).astype(np.float64), face, normal)


def _samples(half: float, count: int) -> Reals:
    """Coordinates of the grid along one axis."""
    return -half + 2 * half * np.arange(count) / (count - 1)
