"""Signed distance of a gear with involute teeth.

The flank of a tooth is an involute of the base circle: a point of it is as far from the base circle, along a tangent,
as the arc is long that was unwound (Budynas & Nisbett, Shigley's Mechanical Engineering Design, 13-4). The proportions
of the teeth, and how far what is rounded, are those of shadertoy.com/view/3lG3WR, as in the official plugin.
"""

from math import cos, pi, tan

import numpy as np

from conjoint.spec.meshes.triangles import Reals

FAR = 0.2
"""Beyond this distance from the teeth the distance from their outer circle will do."""


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
    module = diameter / teeth
    outer = diameter / 2 + module
    root = outer - 2.2 * module
    inner = innerdiameter / 2 if innerdiameter >= 0 else root - 0.14 * diameter
    pressure_angle = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551
    base = diameter / 2 * cos(pressure_angle)
    # a tooth is as wide as a gap on the pitch circle; inwards it gets wider by what its flanks turn
    half = pi / teeth / 2 + tan(pressure_angle) - pressure_angle

    distance = np.sqrt(x * x + y * y)
    within = half - _from_nearest(np.arctan2(y, x) + alpha - half, 2 * pi / teeth)
    flat = _smooth_intersection(distance - outer, _flank(distance, within, base), 0.0035 * diameter)
    flat = _smooth_union(distance - root, flat, base - root)
    # in the hole, and far from the teeth, only the circle counts
    hole, rim = inner - distance, distance - outer
    flat = np.select([hole > 0, rim > FAR], [hole, rim], np.maximum(flat, hole))
    return _extruded(flat, np.abs(z) - thickness / 2)


def _from_nearest(value: Reals, period: float) -> Reals:
    """Distance from the nearest multiple of a period."""
    return np.abs(value - period * np.round(value / period))


def _flank(distance: Reals, within: Reals, base: float) -> Reals:
    """Distance from a flank that starts at the circle `base`; further in, the angle from its start.

    Args:
        distance: from the center.
        within: angle from the start of the flank, positive on the side of the tooth.
    """
    beyond = distance > base
    tangent = np.sqrt(np.where(beyond, distance * distance - base * base, 0.0))
    # the tangent's point is seen at the angle whose tangent is this ratio
    unwound = base * (within + np.arctan2(tangent, base))
    return np.maximum(np.where(beyond, tangent - unwound, -np.inf), -within)


def _extruded(flat: Reals, above: Reals) -> Reals:
    """Distance from what has the distance `flat` in the plane and `above` across it (Quilez, Distance functions)."""
    outside = np.sqrt(np.maximum(flat, 0.0) ** 2 + np.maximum(above, 0.0) ** 2)
    return np.minimum(np.maximum(flat, above), 0.0) + outside


def _smooth_union(a: Reals, b: Reals, width: float) -> Reals:
    """The smaller of two distances, rounded where they differ by less than `width` (Quilez, Smooth minimum)."""
    share = np.clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b * (1.0 - share) + a * share - width * share * (1.0 - share)


def _smooth_intersection(a: Reals, b: Reals, width: float) -> Reals:
    """The larger of two distances, less the rounded union of what only one of them holds."""
    rest = _smooth_union(np.maximum(a, -b), np.maximum(b, -a), width)
    return np.maximum(np.maximum(a, b), -rest)
