"""Mesh parts of models/arm.xml: shells, joints and rings of the arm, its gripper, and the bench."""

from __future__ import annotations

from tools.mesh_shapes import Circle, Part, arc, box, joined, lathe, plate

UPRIGHT = (1, 2, 0)
"""Axes that make a plate stand: its x goes up, its y is across, its thickness is along y."""


def disk(radius: float, height: float, bevel: float) -> Part:
    """Return a cylinder about the origin with round edges (m)."""
    inside, end = radius - bevel, height / 2 - bevel
    return lathe([*arc((inside, -end), bevel, -90, 0, 2), *arc((inside, end), bevel, 0, 90, 2)])


def ears(circles: list[Circle], gap: float, thickness: float, fillet: float) -> Part:
    """Return two upright plates, `gap` apart along y (m); circles are (up, across, radius)."""
    one, offset = plate(circles, thickness, fillet, 32, 3).moved(axes=UPRIGHT), (gap + thickness) / 2
    return joined(one.moved((0, offset, 0)), one.moved((0, -offset, 0)))


def column() -> Part:
    """Return the column on the foot, which widens downwards."""
    return lathe([(0.078, 0.0), (0.0745, 0.006), (0.071, 0.018), (0.0685, 0.034), (0.0675, 0.05), (0.0675, 0.1)], 36)


def turret() -> Part:
    """Return what turns on the base: a drum with two ears."""
    drum = lathe([*arc((0.064, 0.006), 0.006, -90, 0, 3), *arc((0.058, 0.028), 0.012, 0, 90, 4)])
    return joined(drum, ears([(0.026, 0.036, 0.018), (0.026, -0.036, 0.018), (0.112, 0, 0.056)], 0.1, 0.024, 0.008))


def upper_shell() -> Part:
    """Return the shell between shoulder and elbow."""
    return plate([(0.0, 0, 0.05), (0.30, 0, 0.042)], 0.084, 0.026, 40, 5).moved(axes=UPRIGHT)


def forearm_shell() -> Part:
    """Return the fork of the elbow and the bell into which it runs."""
    fork = ears([(0, 0, 0.046), (0.098, 0, 0.016)], 0.09, 0.02, 0.008)
    bell = lathe(
        [*arc((0.055, 0.076), 0.012, -90, 0, 4), (0.067, 0.098), (0.0655, 0.112), (0.0615, 0.126), (0.0555, 0.14)]
        + [(0.05, 0.152), (0.047, 0.163), (0.0455, 0.176), *arc((0.0415, 0.182), 0.004, 0, 90, 3)]
    )
    return joined(fork, bell)


def roll_shell() -> Part:
    """Return the turning end of the forearm with the fork of the wrist."""
    tube = lathe(
        [*arc((0.0385, 0.012), 0.004, -90, 0, 3), (0.042, 0.03), (0.0425, 0.044), *arc((0.036, 0.05), 0.007, 0, 90, 4)]
    )
    return joined(tube, ears([(0.036, 0.012, 0.014), (0.036, -0.012, 0.014), (0.092, 0, 0.032)], 0.056, 0.015, 0.005))


def neck() -> Part:
    """Return the short neck between wrist and hand."""
    return lathe([(0.022, 0.0), (0.024, 0.02), (0.03, 0.034), *arc((0.0315, 0.044), 0.0045, 0, 90, 3)])


def palm() -> Part:
    """Return the shell of the hand, above the rail of the fingers."""
    return box(0.062, 0.148, 0.046, 0.028, 0.012).moved((0, 0, 0.037))


def finger() -> Part:
    """Return the left finger: a carriage on the rail and a tapered bar, whose inner side is at y = 0."""
    carriage = box(0.04, 0.03, 0.016, 0.006, 0.003).moved((0, 0.017, 0.012))
    bar = plate([(0.012, 0.015, 0.009), (0.012, 0.022, 0.009), (0.078, 0.012, 0.006)], 0.022, 0.004, 28, 3)
    return joined(carriage, Part(bar.vertices[:, [2, 1, 0]], bar.normals[:, [2, 1, 0]], bar.faces[:, ::-1]))


PARTS = {
    "foot": lambda: disk(0.092, 0.028, 0.006),
    "base_ring": lambda: disk(0.0675, 0.012, 0.002),
    "shoulder": lambda: disk(0.056, 0.099, 0.006),
    "shoulder_cap": lambda: disk(0.042, 0.162, 0.005),
    "elbow": lambda: disk(0.046, 0.089, 0.005),
    "elbow_cap": lambda: disk(0.034, 0.138, 0.004),
    "roll_ring": lambda: disk(0.0425, 0.012, 0.002),
    "wrist": lambda: disk(0.031, 0.055, 0.004),
    "wrist_cap": lambda: disk(0.023, 0.092, 0.003),
    "flange": lambda: disk(0.036, 0.016, 0.003),
    "column": column,
    "turret": turret,
    "upper": upper_shell,
    "forearm": forearm_shell,
    "roll": roll_shell,
    "neck": neck,
    "palm": palm,
    "rail": lambda: box(0.046, 0.156, 0.018, 0.006, 0.003),
    "finger": finger,
    "pad": lambda: box(0.02, 0.006, 0.034, 0.0029, 0.0015),
    "bench_top": lambda: box(0.9, 1.2, 0.03, 0.07, 0.012),
}
"""Functions of the parts, by name of the file."""
