"""Signed distance of a gear with involute teeth (shadertoy.com/view/3lG3WR)."""

from __future__ import annotations

from math import acos, cos, pi, tan

import numpy as np

from conjoint.spec.meshes.triangles import Reals

FAR = 0.2
"""Beyond this distance from the teeth the distance from their outer circle will do."""
INSIDE = -1e6
"""Distance from an involute for points within the circle that it starts from."""


def gear_distance(
    x: Reals, y: Reals, z: Reals, alpha: float, diameter: float, teeth: float, thickness: float, innerdiameter: float
) -> Reals:
    """Gear around z.

    Args:
        alpha: angle that it is turned by.
        diameter: of the pitch circle, where teeth of two gears meet.
        teeth: their number.
        thickness: along z.
        innerdiameter: of the hole; negative: chosen to fit.
    """
    flat = _outline(x, y, alpha, diameter, teeth, innerdiameter)
    above = np.abs(z) - thickness / 2
    outside = np.sqrt(np.maximum(flat, 0.0) ** 2 + np.maximum(above, 0.0) ** 2)
    return np.minimum(np.maximum(flat, above), 0.0) + outside


def _outline(x: Reals, y: Reals, alpha: float, diameter: float, teeth: float, innerdiameter: float) -> Reals:
    """Distance in the plane."""
    per_length = teeth / diameter
    pressure_angle = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551
    outer = (diameter + 2.0 * (1.0 / per_length)) / 2.0
    depth = 2.2 / per_length
    inner = innerdiameter / 2.0 if innerdiameter >= 0 else outer - depth - 0.14 * diameter
    base = diameter * cos(pressure_angle) / 2.0
    distance = np.sqrt(x * x + y * y)
    # angles from both flanks of the nearest tooth
    stride = pi / per_length / (diameter / 2.0)
    at_pitch = acos(base / (diameter / 2.0))
    shift = stride / 2.0 - 2.0 * (tan(at_pitch) - at_pitch)
    turn = np.arctan2(y, x) + alpha
    right = _wrapped(turn + shift / 2.0, stride) - shift / 2.0
    left = _wrapped(-turn - shift + shift / 2.0, stride) - shift / 2.0
    flanks = np.maximum(_involute(distance, right, base), _involute(distance, left, base))
    walls = np.maximum(right - (stride - shift), left - (stride - shift))
    cogs = _smooth_intersection(distance - outer, np.maximum(walls, flanks), 0.0035 * diameter)
    cogs = _smooth_union(distance - (outer - depth), cogs, base - outer + depth)
    cogs = np.maximum(cogs, -(distance - inner))
    cogs = np.where(outer - distance < -FAR, distance - outer, cogs)
    return np.where(inner - distance > 0, inner - distance, cogs)


def _involute(distance: Reals, angle: Reals, base: float) -> Reals:
    """Distance from the involute of the circle `base`, along its tangent."""
    beyond = base < distance
    ratio = np.where(beyond, base / np.where(beyond, distance, 1.0), 1.0)
    tangent = np.sqrt(np.where(beyond, distance * distance - base * base, 0.0))
    return np.where(beyond, tangent - base * (angle + np.arccos(ratio)), INSIDE)


def _wrapped(value: Reals, period: float) -> Reals:
    return value - period * np.floor(value / period)


def _smooth_union(a: Reals, b: Reals, width: float) -> Reals:
    """The smaller of two distances, rounded where they differ by less than `width` (Quilez, Smooth minimum)."""
    share = np.clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b * (1.0 - share) + a * share - width * share * (1.0 - share)


def _smooth_intersection(a: Reals, b: Reals, width: float) -> Reals:
    """The larger of two distances, less the rounded rest."""
    rest = _smooth_union(np.maximum(a, -b), np.maximum(b, -a), width)
    return np.maximum(np.maximum(a, b), -rest)
