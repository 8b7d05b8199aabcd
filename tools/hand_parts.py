"""Shapes of the hand's parts: palm, phalanges, fingertips, joints, forearm and stand.

The fingers point along +x, the palm faces +z, and the thumb is at -y: a right hand, palm up. Phalanges begin at their
joint, which is the origin. They have the size of the index finger; the model scales them for the other fingers.
"""

from __future__ import annotations

from tools.shapes import Shape, box, cylinder, joined, lathe, loft

PHALANGES = {"proximal": 0.046, "middle": 0.028, "metacarpal": 0.044, "thumb_proximal": 0.034}
"""Lengths of phalanges from joint to joint (m)."""


def shapes() -> dict[str, Shape]:
    """Return the meshes of the hand's parts, by file name without suffix."""
    return {
        "palm": palm(),
        "pads": pads(),
        "proximal": phalanx(PHALANGES["proximal"], 0.0094, 0.0084),
        "middle": phalanx(PHALANGES["middle"], 0.0086, 0.0078),
        "metacarpal": phalanx(PHALANGES["metacarpal"], 0.0125, 0.0098),
        "thumb_proximal": phalanx(PHALANGES["thumb_proximal"], 0.0104, 0.0096),
        "nail": nail(),
        "tip": tip(),
        "joint": cylinder(0.0082, 0.0078, 0.0022, 16).moved(axes="+z+x+y"),
        "forearm": forearm(),
        "stand": stand(),
    }


def palm() -> Shape:
    """Return the palm, from the wrist (the origin) to the knuckles: narrow at the wrist, and hollow at +z."""
    stations = [
        # x, half width, half height, y, z, exponent
        (0.0, 0.026, 0.013, 0.0, -0.002, 3.2),
        (0.03, 0.036, 0.0135, 0.001, -0.003, 3.6),
        (0.062, 0.043, 0.012, 0.001, -0.004, 4),
        (0.09, 0.0445, 0.011, 0.001, -0.002, 4.5),
    ]
    return loft(stations, ends=(0.006, 0.006), count=24, steps=2)


def pads() -> Shape:
    """Return the soft pads of the palm: at the thumb, at the opposite edge, and below the fingers."""
    thumb = [(0.004, 0.012, 0.008, -0.017, 0.006, 2.2), (0.03, 0.0135, 0.0105, -0.024, 0.006, 2.2)]
    thumb += [(0.058, 0.009, 0.007, -0.031, 0.004, 2.2)]
    edge = [(0.006, 0.010, 0.007, 0.017, 0.006, 2.2), (0.034, 0.0115, 0.009, 0.026, 0.005, 2.2)]
    edge += [(0.066, 0.0085, 0.006, 0.034, 0.004, 2.2)]
    below = [(-0.038, 0.007, 0.006, 0, 0, 2.4), (0, 0.0085, 0.0065, 0, 0, 2.4), (0.038, 0.007, 0.006, 0, 0, 2.4)]
    across = loft(below, (0.005, 0.005), 12, 2).moved((0.087, 0.001, 0.003), axes="+y-x+z")
    return joined(loft(thumb, (0.006, 0.006), 12, 2), loft(edge, (0.006, 0.006), 12, 2), across)


def phalanx(length: float, start: float, end: float) -> Shape:
    """Return the shell of a phalanx, between its two joints; it is narrower in the middle.

    Args:
        length: distance between the two joints (m).
        start, end: half widths at the two ends (m).
    """
    waist = 0.9 * (start + end) / 2
    stations = [
        (0.0055, start, start, 0, 0, 2.8),
        (0.5 * length, waist, waist, 0, -0.0003, 2.6),
        (length - 0.0055, end, end, 0, 0, 2.8),
    ]
    return loft(stations, ends=(0.0028, 0.0028), count=14, steps=2)


def nail() -> Shape:
    """Return the shell between the last joint and the fingertip."""
    stations = [(0.0055, 0.0084, 0.0078, 0, 0, 2.8), (0.0105, 0.0079, 0.0074, 0, 0, 2.6)]
    return loft(stations, ends=(0.0025, 0.0012), count=14, steps=2)


def tip() -> Shape:
    """Return the soft fingertip, which bulges towards the palm (+z)."""
    stations = [
        (0.0102, 0.0081, 0.0076, 0, 0.0002, 2.4),
        (0.0175, 0.0083, 0.0078, 0, 0.0004, 2.2),
        (0.0278, 0.0074, 0.0066, 0, 0.0008, 2.1),
    ]
    return loft(stations, ends=(0.0012, 0.0068), count=14, steps=3)


def forearm() -> Shape:
    """Return the forearm, which extends along +x from its open end to the wrist (the origin)."""
    outline = [
        (0.024, -0.15),
        (0.031, -0.148),
        (0.034, -0.142),
        (0.034, -0.07),
        (0.0285, -0.03),
        (0.0265, -0.022),
        (0.02, -0.02),
    ]
    return lathe(outline, 24).moved(axes="+y+z+x", scale=(1, 1, 1))


def stand() -> Shape:
    """Return the stand, which extends from the floor (the origin) to the forearm's axis, 0.16 m above it."""
    foot = lathe(
        [
            (0.066, 0),
            (0.07, 0.003),
            (0.07, 0.009),
            (0.064, 0.013),
            (0.028, 0.02),
            (0.021, 0.03),
            (0.018, 0.06),
            (0.018, 0.14),
        ],
        28,
    )
    return joined(foot, box((0.026, 0.019, 0.015), 0.005, 2).moved((0, 0, 0.128)))
