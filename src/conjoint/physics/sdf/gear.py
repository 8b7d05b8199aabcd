"""Signed distance of a gear with involute teeth.

The flank of a tooth is an involute of the base circle (Budynas & Nisbett, Shigley's Mechanical Engineering Design,
13-4). The distance of a point of it from the base circle, along a tangent, is the length of the arc that was unwound.
The proportions of the teeth and the radii of rounding are those of shadertoy.com/view/3lG3WR, as in the official
plugin.
"""

from conjoint.lang import abs, atan2, clip, floor, formula, maximum, sincos, sqrt, where
from conjoint.physics.geometry.signed_distance import extruded

CIRCLE = 6.283185307179586
"""Angle of a turn."""

FAR = 0.2
"""Beyond this distance from the teeth the distance from their outer circle will do."""


@formula("real", *["real"] * 8)
def gear_distance(x, y, z, alpha, diameter, teeth, thickness, innerdiameter):
    """Gear around z.

    Args:
        alpha: angle that it is rotated by.
        diameter: of the pitch circle, where teeth of two gears meet.
        teeth: their number.
        thickness: along z.
        innerdiameter: of the hole; negative: chosen to fit.
    """
    module = diameter / teeth
    outer = diameter / 2 + module
    root = outer - 2.2 * module
    inner = where(innerdiameter >= 0.0, innerdiameter / 2, root - 0.14 * diameter)
    pressure_angle = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551
    sine, cosine = sincos(pressure_angle)
    base = diameter / 2 * cosine
    # a tooth is as wide as a gap on the pitch circle; inwards it gets wider by what its flanks turn
    half = CIRCLE / teeth / 4 + sine / cosine - pressure_angle

    distance = sqrt(x * x + y * y)
    within = half - _from_nearest(atan2(y, x) + alpha - half, CIRCLE / teeth)
    flat = _smooth_intersection(distance - outer, _flank(distance, within, base), 0.0035 * diameter)
    flat = _smooth_union(distance - root, flat, base - root)
    # in the hole, and far from the teeth, only the circle counts
    hole, rim = inner - distance, distance - outer
    flat = where(hole > 0.0, hole, where(rim > FAR, rim, maximum(flat, hole)))
    return extruded(flat, abs(z) - thickness / 2)


@formula("real", *["real"] * 2)
def _from_nearest(value, period):
    """Return the distance from the nearest multiple of a period."""
    return abs(value - period * floor(value / period + 0.5))


@formula("real", *["real"] * 3)
def _flank(distance, within, base):
    """Return the distance from a flank that starts at the circle `base`; further in, the angle from its start.

    Args:
        distance: from the center.
        within: angle from the start of the flank, positive on the side of the tooth.
    """
    beyond = distance > base
    tangent = sqrt(where(beyond, distance * distance - base * base, 0.0))
    # the tangent's point is seen at the angle whose tangent is this ratio
    unwound = base * (within + atan2(tangent, base))
    return where(beyond, maximum(tangent - unwound, -within), -within)


@formula("real", *["real"] * 3)
def _smooth_union(a, b, width):
    """Return the smaller of two distances, rounded where they differ by less than `width` (Quilez, Smooth minimum)."""
    share = clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b * (1.0 - share) + a * share - width * share * (1.0 - share)


@formula("real", *["real"] * 3)
def _smooth_intersection(a, b, width):
    """Return the larger of two distances, minus the rounded union of the parts in only one of them."""
    rest = _smooth_union(maximum(a, -b), maximum(b, -a), width)
    return maximum(maximum(a, b), -rest)
