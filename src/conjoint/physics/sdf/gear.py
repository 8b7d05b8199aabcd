"""Signed distance of a gear with involute teeth.

The flank of a tooth is an involute of the base circle (Budynas & Nisbett, Shigley's Mechanical Engineering
Design, 13-4). The distance of a point on the flank from the base circle, measured along a tangent of the
circle, is the length of the unwound arc. The proportions of the teeth and the rounding radii are those of
shadertoy.com/view/3lG3WR, as in MuJoCo's plugin.
"""

from conjoint.lang import abs, atan2, clip, floor, formula, maximum, sincos, sqrt, where
from conjoint.physics.geometry.signed_distance import extruded

CIRCLE = 6.283185307179586
"""Full turn in radians."""

FAR = 0.2
"""Distance from the teeth beyond which the distance from their outer circle is used instead."""


@formula("real", *["real"] * 8)
def gear_distance(x, y, z, alpha, diameter, teeth, thickness, innerdiameter):
    """Return the signed distance of (x, y, z) from a gear about the z axis.

    Args:
        alpha: rotation angle of the gear.
        diameter: diameter of the pitch circle, where the teeth of two gears meet.
        teeth: number of teeth.
        thickness: thickness along z.
        innerdiameter: diameter of the hole; negative to derive it from the other sizes.
    """
    module = diameter / teeth
    outer = diameter / 2 + module
    root = outer - 2.2 * module
    inner = where(innerdiameter >= 0.0, innerdiameter / 2, root - 0.14 * diameter)
    pressure_angle = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551
    sine, cosine = sincos(pressure_angle)
    base = diameter / 2 * cosine
    # on the pitch circle, a tooth is as wide as a gap; inward it gets wider by the angle of its flanks
    half = CIRCLE / teeth / 4 + sine / cosine - pressure_angle

    distance = sqrt(x * x + y * y)
    within = half - _from_nearest(atan2(y, x) + alpha - half, CIRCLE / teeth)
    flat = _smooth_intersection(distance - outer, _flank(distance, within, base), 0.0035 * diameter)
    flat = _smooth_union(distance - root, flat, base - root)
    # in the hole, and far from the teeth, only the distance from the circle counts
    hole, rim = inner - distance, distance - outer
    flat = where(hole > 0.0, hole, where(rim > FAR, rim, maximum(flat, hole)))
    return extruded(flat, abs(z) - thickness / 2)


@formula("real", *["real"] * 2)
def _from_nearest(value, period):
    """Return the distance from the nearest multiple of a period."""
    return abs(value - period * floor(value / period + 0.5))


@formula("real", *["real"] * 3)
def _flank(distance, within, base):
    """Return the distance from a flank that starts at a circle of radius `base`; inside the circle, return -`within`.

    Args:
        distance: distance from the center.
        within: angle from the start of the flank, positive on the side of the tooth.
    """
    beyond = distance > base
    tangent = sqrt(where(beyond, distance * distance - base * base, 0.0))
    # the tangent point is at the angle whose tangent is this ratio
    unwound = base * (within + atan2(tangent, base))
    return where(beyond, maximum(tangent - unwound, -within), -within)


@formula("real", *["real"] * 3)
def _smooth_union(a, b, width):
    """Return the smaller of two distances, smoothed if they differ by less than `width` (Quilez, Smooth minimum)."""
    share = clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b * (1.0 - share) + a * share - width * share * (1.0 - share)


@formula("real", *["real"] * 3)
def _smooth_intersection(a, b, width):
    """Return the distance from the intersection of two shapes with distances a and b, with rounded edges.

    It is the maximum of a, b and minus the smooth union of the two parts that are inside only one shape.
    """
    rest = _smooth_union(maximum(a, -b), maximum(b, -a), width)
    return maximum(maximum(a, b), -rest)
