"""Shapes of the robot arm's parts (shells, joints, rings, gripper), of its bench, and of a bowl."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tools.shapes import Reals, Shape, grid, joined, lathe

Circle = tuple[float, float, float]
"""A circle: x and y of its center, and its radius (m)."""

UPRIGHT = "+z+x+y"
"""Value of the argument `axes` of `Shape.moved` for an upright plate.

The plate's x axis points up, its y axis points along x, and its thickness is along y.
"""

SIDES = 32
"""Number of corners of the cross section of a round part."""


def shapes() -> dict[str, Shape]:
    """Return the meshes of the arm's parts, its bench and the bowl, by file name without suffix."""
    return {
        "foot": disk(0.092, 0.028, 0.006),
        "base_ring": disk(0.0675, 0.012, 0.002),
        "column": column(),
        "turret": turret(),
        "shoulder": disk(0.056, 0.099, 0.006),
        "shoulder_cap": disk(0.042, 0.162, 0.005),
        "upper": plate([(0.0, 0, 0.05), (0.30, 0, 0.042)], 0.084, 0.026, rings=5).moved(axes=UPRIGHT),
        "elbow": disk(0.046, 0.089, 0.005),
        "elbow_cap": disk(0.034, 0.138, 0.004),
        "forearm": forearm(),
        "roll_ring": disk(0.0425, 0.012, 0.002),
        "roll": roll(),
        "wrist": disk(0.031, 0.055, 0.004),
        "wrist_cap": disk(0.023, 0.092, 0.003),
        "neck": lathe([(0.022, 0.0), (0.024, 0.02), (0.03, 0.034), *arc((0.0315, 0.044), 0.0045, 0, 90, 3)], SIDES),
        "flange": disk(0.036, 0.016, 0.003),
        "palm": block(0.062, 0.148, 0.046, 0.028, 0.012).moved((0, 0, 0.037)),
        "rail": block(0.046, 0.156, 0.018, 0.006, 0.003),
        "finger": finger(),
        "pad": block(0.02, 0.006, 0.034, 0.0029, 0.0015),
        "bench_top": block(0.9, 1.2, 0.03, 0.07, 0.0),
        "bowl": bowl(),
    }


def arc(center: tuple[float, float], radius: float, start: float, end: float, pieces: int) -> list[tuple[float, float]]:
    """Return points of an arc in the profile of a part that is turned on a lathe, as (radius, height).

    Args:
        center: radius and height (m) of the arc's center.
        radius: radius of the arc (m).
        start, end: angles (degrees), measured from the outward direction towards the upward direction.
        pieces: number of straight pieces that approximate the arc.
    """
    angles = np.radians(np.linspace(start, end, pieces + 1))
    return [(center[0] + radius * float(np.cos(a)), center[1] + radius * float(np.sin(a))) for a in angles]


def outline(circles: Sequence[Circle], samples: int = 40) -> tuple[Reals, Reals]:
    """Return points on the convex hull of circles, counterclockwise, and the outward normals at these points.

    Args:
        circles: two circles for a tapered bar, four for a rectangle with round corners.
        samples: number of evenly spaced normals; more are added where the outline passes from one circle to another.
    """
    centers, radii = np.array(circles)[:, :2], np.array(circles)[:, 2]

    def owner(angle: float) -> int:
        return int(np.argmax(centers @ [np.cos(angle), np.sin(angle)] + radii))

    # offset from the axes, because a symmetric outline passes from one circle to another there
    angles = np.linspace(0, 2 * np.pi, samples, endpoint=False) + 1e-3
    found: list[tuple[float, int]] = []
    for angle, after in zip(angles, np.roll(angles, -1), strict=True):
        found.append((angle, owner(angle)))
        low, high = angle, after if after > angle else after + 2 * np.pi
        if owner(low) != owner(high):
            for _ in range(40):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if owner(middle) == owner(angle) else (low, middle)
            found += [(low, owner(low)), (high, owner(high))]
    ways = np.array([[np.cos(angle), np.sin(angle)] for angle, _ in found])
    which = [circle for _, circle in found]
    return centers[which] + radii[which, None] * ways, ways


def plate(circles: Sequence[Circle], thickness: float, fillet: float, samples: int = 40, rings: int = 4) -> Shape:
    """Return a plate with rounded edges, centered at height 0, whose outline is the convex hull of circles.

    Args:
        circles: circles of the outline, with radii of at least `fillet`.
        thickness: extent along z (m).
        fillet: radius of the rounded edges (m), at most half of the thickness.
        samples: number of evenly spaced normals of the outline.
        rings: number of straight pieces that approximate the profile of an edge.
    """
    points, ways = outline(circles, samples)
    surface = []
    for sign, rises in ((-1, np.linspace(-90, 0, rings + 1)), (1, np.linspace(0, 90, rings + 1))):
        for rise in np.radians(rises):
            height = sign * (thickness / 2 - fillet) + fillet * np.sin(rise)
            inset = fillet * (1 - np.cos(rise))
            surface.append(np.column_stack([points - inset * ways, np.full(len(points), height)]))
    return grid(np.array(surface))


def block(x: float, y: float, z: float, corner: float, fillet: float) -> Shape:
    """Return a box with round edges, centered at the origin.

    Args:
        x, y, z: side lengths (m).
        corner: radius of the four edges along z (m), at least `fillet`.
        fillet: radius of the other edges (m), 0 for sharp edges.
    """
    a, b = x / 2 - corner, y / 2 - corner
    return plate([(a, b, corner), (-a, b, corner), (-a, -b, corner), (a, -b, corner)], z, fillet, samples=24, rings=3)


def disk(radius: float, height: float, bevel: float) -> Shape:
    """Return a cylinder along z with beveled edges, centered at the origin; lengths are in meters."""
    inside, end = radius - bevel, height / 2 - bevel
    return lathe([*arc((inside, -end), bevel, -90, 0, 2), *arc((inside, end), bevel, 0, 90, 2)], SIDES)


def ears(circles: Sequence[Circle], gap: float, thickness: float, fillet: float) -> Shape:
    """Return two upright plates, `gap` meters apart along y; circles are (z, x, radius) in meters."""
    one, offset = plate(circles, thickness, fillet, 32, 3).moved(axes=UPRIGHT), (gap + thickness) / 2
    return joined(one.moved((0, offset, 0)), one.moved((0, -offset, 0)))


def column() -> Shape:
    """Return the column, which stands on the foot and widens downwards."""
    return lathe([(0.078, 0.0), (0.0745, 0.006), (0.071, 0.018), (0.0685, 0.034), (0.0675, 0.05), (0.0675, 0.1)], 36)


def turret() -> Shape:
    """Return the part that rotates on the base: a drum with two ears."""
    drum = lathe([*arc((0.064, 0.006), 0.006, -90, 0, 3), *arc((0.058, 0.028), 0.012, 0, 90, 4)], SIDES)
    return joined(drum, ears([(0.026, 0.036, 0.018), (0.026, -0.036, 0.018), (0.112, 0, 0.056)], 0.1, 0.024, 0.008))


def forearm() -> Shape:
    """Return the forearm: a fork at the elbow that merges into a bell-shaped shell."""
    fork = ears([(0, 0, 0.046), (0.098, 0, 0.016)], 0.09, 0.02, 0.008)
    bell = lathe(
        [*arc((0.055, 0.076), 0.012, -90, 0, 4), (0.067, 0.098), (0.0655, 0.112), (0.0615, 0.126), (0.0555, 0.14)]
        + [(0.05, 0.152), (0.047, 0.163), (0.0455, 0.176), *arc((0.0415, 0.182), 0.004, 0, 90, 3)],
        SIDES,
    )
    return joined(fork, bell)


def roll() -> Shape:
    """Return the rotating end of the forearm, with the fork of the wrist."""
    tube = lathe(
        [*arc((0.0385, 0.012), 0.004, -90, 0, 3), (0.042, 0.03), (0.0425, 0.044), *arc((0.036, 0.05), 0.007, 0, 90, 4)],
        SIDES,
    )
    return joined(tube, ears([(0.036, 0.012, 0.014), (0.036, -0.012, 0.014), (0.092, 0, 0.032)], 0.056, 0.015, 0.005))


def finger() -> Shape:
    """Return the left finger: a carriage on the rail, and a tapered bar whose inner side is at y = 0."""
    carriage = block(0.04, 0.03, 0.016, 0.006, 0.003).moved((0, 0.017, 0.012))
    bar = plate([(0.012, 0.015, 0.009), (0.012, 0.022, 0.009), (0.078, 0.012, 0.006)], 0.022, 0.004, 28, 3)
    return joined(carriage, bar.moved(axes="+z+y+x"))


def bowl() -> Shape:
    """Return a bowl with a wall that leans outward."""
    outside = [(0.034, 0.0), (0.036, 0.006), (0.05, 0.016), (0.064, 0.034), (0.073, 0.056)]
    inside = [(0.0685, 0.056), (0.06, 0.036), (0.046, 0.02), (0.03, 0.011), (0.0, 0.009)]
    return lathe([*outside, *arc((0.0708, 0.0562), 0.0023, 0, 180, 4), *inside], 40)
