"""Meshes of shapes that are given by their signed distance, sampled on a grid."""

from collections.abc import Mapping
from math import floor, isfinite

import numpy as np

from conjoint.compiler.assets.sdf.marching_cubes import marching_cubes
from conjoint.compiler.assets.sdf.shape import SHAPES, SignedDistance
from conjoint.spec.meshes.triangles import Reals, Triangles

CELLS = 300
"""Cells along the three sides of the box together."""


def sdf_mesh(name: str, config: Mapping[str, str]) -> Triangles:
    """Mesh of the shape of the plugin `name`, with the settings that a model gives.

    Raises:
        ValueError: the plugin has no signed distance, a setting is no number, or there is no surface.
    """
    if name not in SHAPES:
        raise ValueError(f"the plugin '{name}' has no signed distance; those that have one: {', '.join(SHAPES)}")
    shape = SHAPES[name]
    settings = _settings(shape, config)
    half = shape.half(settings)
    if not all(isfinite(size) and size > 0 for size in half):
        raise ValueError(f"the settings of '{name}' give a box of half sizes {half}, which must be positive")
    counts = [floor(CELLS / sum(half) * size) + 1 for size in half]
    if min(counts) < 2:
        raise ValueError(f"the shape of '{name}' is too thin: the grid has {counts} points")
    x, y, z = (_samples(size, count) for size, count in zip(half, counts, strict=True))
    with np.errstate(all="ignore"):
        field = shape.distance(x[:, None, None], y[None, :, None], z[None, None, :], **settings).astype(np.float32)
    if not np.isfinite(field).all():
        raise ValueError(f"the settings of '{name}' give distances that are not finite")
    vert, face, normal = marching_cubes(field)
    placed = [2 * size * vert[:, i].astype(np.float64) / (counts[i] - 1) - size for i, size in enumerate(half)]
    return Triangles(np.column_stack(placed).astype(np.float32).astype(np.float64), face, normal)


def _settings(shape: SignedDistance, config: Mapping[str, str]) -> dict[str, float]:
    """Numbers of all settings."""
    settings = dict(shape.settings)
    for key in shape.settings:
        text = config.get(key, "")
        if text:
            try:
                settings[key] = float(text)
            except ValueError:
                raise ValueError(f"the setting '{key}' is '{text}', expected a number") from None
    return settings


def _samples(half: float, count: int) -> Reals:
    """Coordinates of the grid along one axis."""
    return -half + 2 * half * np.arange(count) / (count - 1)
