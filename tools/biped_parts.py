"""Shapes of the biped's parts: shells of the trunk, the head, the limbs and the feet. x points ahead, z points up.

Limbs hang down (-z) from their joint, which is the origin. All parts are symmetric about y = 0, so the left and the
right side share them.
"""

from __future__ import annotations

from tools.shapes import Shape, box, cylinder, loft

THIGH, SHIN, UPPER_ARM, FOREARM = 0.36, 0.36, 0.22, 0.21
"""Lengths of limbs from joint to joint (m)."""

DOWN, UP = "-z+y+x", "+z+y-x"
"""Values of the argument `axes` of `Shape.moved` for lofts that extend down or up.

The width of the loft stays along y.
"""


def shapes() -> dict[str, Shape]:
    """Return the meshes of the biped's parts, by file name without suffix."""
    return {
        "pelvis": pelvis(),
        "torso": torso(),
        "pack": box((0.035, 0.085, 0.11), 0.02, 2),
        "head": head(),
        "visor": visor(),
        "thigh": limb(THIGH, (0.058, 0.052, 0.046), (0.052, 0.058, 0.044), (0.036, 0.046)),
        "shin": limb(SHIN, (0.046, 0.044, 0.032), (0.046, 0.054, 0.032), (0.034, 0.026)),
        "upper_arm": limb(UPPER_ARM, (0.038, 0.036, 0.03), (0.038, 0.038, 0.03), (0.026, 0.026)),
        "forearm": limb(FOREARM, (0.032, 0.033, 0.024), (0.032, 0.035, 0.024), (0.022, 0.02)),
        "grip": grip(),
        "foot": foot(),
        "sole": sole(),
        "motor": cylinder(0.05, 0.05, 0.01, 16).moved(axes="+z+x+y"),
    }


def limb(length: float, width: tuple[float, ...], depth: tuple[float, ...], gaps: tuple[float, float]) -> Shape:
    """Return the shell of a limb, which is thickest above its middle.

    Args:
        length: distance from joint to joint (m).
        width: half widths along y (m) at the upper end, at 38 percent of the length, and at the lower end.
        depth: half depths along x (m) at the same three heights.
        gaps: lengths left free for the motors at the upper and the lower end (m).
    """
    places = (gaps[0], 0.38 * length, length - gaps[1])
    shift = (0.0, 0.006, 0.0)
    stations = [(at, w, d, 0, s, 3.2) for at, w, d, s in zip(places, width, depth, shift, strict=True)]
    return loft(stations, ends=(0.02, 0.012), count=14, steps=2).moved(axes=DOWN)


def grip() -> Shape:
    """Return a closed hand that hangs down from the wrist (the origin)."""
    stations = [(-0.004, 0.02, 0.022, 0, 0, 2.6), (0.025, 0.024, 0.036, 0, 0.006, 3), (0.06, 0.022, 0.038, 0, 0.01, 3)]
    return loft(stations, ends=(0.006, 0.016), count=12, steps=2).moved(axes=DOWN)


def pelvis() -> Shape:
    """Return the pelvis, which has the hip joints at y = -0.1 and y = 0.1, and the waist on top."""
    across = [(-0.1, 0.045, 0.03, 0, 0.035, 4), (0, 0.06, 0.045, 0, 0.035, 4), (0.1, 0.045, 0.03, 0, 0.035, 4)]
    return loft(across, ends=(0.02, 0.02), count=14, steps=2).moved(axes="+y-x+z")


def torso() -> Shape:
    """Return the chest, from the waist (the origin) upwards."""
    stations = [
        # height, half width, half depth, y, -x, exponent
        (0.0, 0.075, 0.062, 0, 0, 3.2),
        (0.1, 0.1, 0.078, 0, -0.004, 3.4),
        (0.24, 0.146, 0.095, 0, -0.008, 3.4),
        (0.345, 0.124, 0.08, 0, 0.0, 3),
    ]
    return loft(stations, ends=(0.02, 0.04), count=20, steps=3).moved(axes=UP)


def head() -> Shape:
    """Return the head, which extends upwards from the neck (the origin) and faces +x."""
    stations = [(0.0, 0.06, 0.07, 0, -0.004, 3), (0.075, 0.082, 0.094, 0, -0.006, 3), (0.17, 0.07, 0.08, 0, 0.004, 2.8)]
    return loft(stations, ends=(0.024, 0.045), count=18, steps=3).moved(axes=UP)


def visor() -> Shape:
    """Return the dark visor at the front of the head."""
    stations = [(-0.07, 0.036, 0.02, 0, 0, 3.5), (0, 0.042, 0.034, 0, -0.014, 3.5), (0.07, 0.036, 0.02, 0, 0, 3.5)]
    return loft(stations, ends=(0.012, 0.012), count=14, steps=2).moved((0.074, 0, 0.09), axes="+y+z-x")


def foot() -> Shape:
    """Return the upper part of a foot; the origin is the ankle, 0.07 m above the floor."""
    stations = [
        (-0.075, 0.034, 0.02, 0, -0.03, 3),
        (-0.01, 0.042, 0.034, 0, -0.022, 3),
        (0.06, 0.045, 0.022, 0, -0.036, 3),
    ]
    stations += [(0.15, 0.04, 0.01, 0, -0.05, 3)]
    return loft(stations, ends=(0.015, 0.008), count=14, steps=2)


def sole() -> Shape:
    """Return the rubber sole of a foot; the origin is the ankle."""
    stations = [
        (-0.085, 0.036, 0.008, 0, -0.062, 6),
        (0.04, 0.048, 0.008, 0, -0.062, 6),
        (0.16, 0.044, 0.008, 0, -0.062, 6),
    ]
    return loft(stations, ends=(0.006, 0.006), count=14, steps=1)
