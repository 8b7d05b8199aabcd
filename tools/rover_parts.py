"""Shapes of the rover's parts (body, wheels, suspension, mast, lidar), of stones, and of the ground under the rover."""

from __future__ import annotations

import numpy as np
from PIL import Image

from tools.shapes import Reals, Shape, box, cylinder, grid, joined, lathe, loft, rock, tube

HALF_WIDTH = 0.055
"""Half the width of a wheel (m)."""

GROUSERS = 14
"""Number of bars across the tread of a wheel."""

CELLS = 128
"""Number of rows, and of columns, of the height field."""


def shapes() -> dict[str, Shape]:
    """Return the meshes of the rover's parts and of the stones, by file name without suffix."""
    return {
        "body": body(),
        "tire": tire(),
        "rim": rim(),
        "rocker": rocker(),
        "bogie": bogie(),
        "bracket": bracket(),
        "knuckle": knuckle(),
        "mast": mast(),
        "head": head(),
        "lidar": lidar(),
        "dish": dish(),
        "stone_a": rock(7, (0.2, 0.16, 0.13)),
        "stone_b": rock(12, (0.14, 0.18, 0.16)),
    }


def body() -> Shape:
    """Return the shell that contains the electronics, wider at the top than at the bottom; its front is at +x."""
    stations = [
        # x, half width, half height, y, z, exponent
        (-0.34, 0.19, 0.075, 0, 0.01, 6),
        (-0.12, 0.215, 0.09, 0, 0, 6),
        (0.16, 0.215, 0.09, 0, 0, 6),
        (0.36, 0.17, 0.065, 0, 0.015, 6),
    ]
    return loft(stations, ends=(0.035, 0.045), count=24, steps=2)


def tire() -> Shape:
    """Return the tread of a wheel whose axis is y: a drum with open sides, and bars that grip soft ground."""
    points = 4 * GROUSERS
    around = 2 * np.pi * np.arange(points) / points
    # two of every four points are on a bar, which protrudes by 9 mm
    bar = np.where(np.arange(points) % 4 < 2, 0.0, -0.009)
    # side, radius (m), and 1 where bars protrude: a bowl on either side, and the tread between the bowls
    across = [
        (-0.3, 0.09, 0), (-1.0, 0.107, 0), (-0.93, 0.127, 1), (0, 0.13, 1), (0.93, 0.127, 1), (1.0, 0.107, 0),
        (0.3, 0.09, 0),
    ]  # fmt: skip
    rings = []
    for side, radius, with_bars in across:
        r = radius + with_bars * bar
        rings.append(np.stack([r * np.cos(around), r * np.sin(around), np.full(points, side * HALF_WIDTH)], -1))
    return grid(np.array(rings)).moved(axes="+z+x+y")


def rim() -> Shape:
    """Return the spokes of a wheel whose axis is y, with the hub's cap at +y."""
    hub = lathe([(0.034, -0.02), (0.036, 0.01), (0.03, 0.02), (0.018, 0.024)], 18)
    spokes = [box((0.037, 0.011, 0.007), 0.005, 1).moved((0.06, 0, 0)).turned(np.pi / 3 * k) for k in range(6)]
    return joined(hub, *spokes).moved(axes="+z+x+y")


def rocker() -> Shape:
    """Return a rocker of the suspension, which both sides share.

    It connects its pivot (the origin) with the front steering motor and with the bogie.
    """
    front = tube([(0, 0, 0), (0.2, 0, 0.035), (0.36, 0, -0.01), (0.42, 0, -0.05)], (0.024, 0.022, 0.02, 0.019), 7, 3)
    back = tube([(0, 0, 0), (-0.12, 0, -0.02), (-0.21, 0, -0.09)], (0.024, 0.022, 0.02), 7, 3)
    return joined(front, back, pivot(0.044, 0.034), pivot(0.032, 0.028).moved((-0.21, 0, -0.09)))


def bogie() -> Shape:
    """Return a bogie, which connects its pivot (the origin) with the middle wheel's hub and the back steering motor."""
    middle = tube([(0, 0, 0), (0.1, 0, -0.02), (0.18, 0, -0.08), (0.21, 0, -0.14)], 0.018, 7, 3)
    back = tube([(0, 0, 0), (-0.1, 0, 0.04), (-0.17, 0, 0.06), (-0.21, 0, 0.04)], 0.018, 7, 3)
    hub = pivot(0.036, 0.045).moved((0.21, 0, -0.14))
    return joined(middle, back, hub)


def bracket() -> Shape:
    """Return the bracket that holds a left steering motor at the end of an arm; the motor's center is the origin."""
    return joined(box((0.022, 0.05, 0.016), 0.006, 2).moved((0, -0.05, 0)), cylinder(0.038, 0.018, 0.006, 12))


def knuckle() -> Shape:
    """Return the steering motor and the fork of a left corner wheel; the wheel's center is the origin."""
    motor = cylinder(0.032, 0.04, 0.008, 14).moved((0, 0, 0.18))
    fork = tube([(0, 0, 0.158), (0, -0.06, 0.156), (0, -0.085, 0.12), (0, -0.08, 0)], 0.014, 7, 3)
    return joined(motor, fork, pivot(0.036, 0.024).moved((0, -0.068, 0)))


def pivot(radius: float, half: float) -> Shape:
    """Return the housing of a bearing whose axis is y."""
    return cylinder(radius, half, 0.006, 12).moved(axes="+z+x+y")


def mast() -> Shape:
    """Return the mast, which extends upwards from the deck (the origin)."""
    foot = lathe([(0.05, 0), (0.05, 0.008), (0.042, 0.016), (0.026, 0.03), (0.021, 0.06), (0.019, 0.3)], 20)
    return joined(foot, lathe([(0.024, 0.27), (0.028, 0.275), (0.028, 0.3), (0.022, 0.306)], 20))


def head() -> Shape:
    """Return the camera head, which faces +x: a box with a hood and two lenses."""
    case = loft(
        [(-0.05, 0.075, 0.034, 0, 0, 5), (0.03, 0.082, 0.038, 0, 0, 5), (0.05, 0.082, 0.038, 0, 0, 5)],
        (0.014, 0.008),
        16,
        2,
    )
    barrel = [(0.022, 0.0), (0.026, 0.004), (0.026, 0.022), (0.023, 0.026), (0.019, 0.024), (0.017, 0.016)]
    lenses = [lathe(barrel, 12).moved((0.045, y, 0), axes="+y+z+x") for y in (-0.046, 0.046)]
    return joined(case, *lenses)


def lidar() -> Shape:
    """Return the housing of the lidar, which extends upwards from the deck (the origin), with a window groove."""
    outline = [
        (0.056, 0), (0.06, 0.004), (0.06, 0.024), (0.052, 0.03), (0.052, 0.066), (0.058, 0.07), (0.058, 0.084),
        (0.05, 0.092), (0.02, 0.094),
    ]  # fmt: skip
    return lathe(outline, 22)


def dish() -> Shape:
    """Return the antenna: a dish that faces up, on a post that stands on the deck (the origin)."""
    post = lathe([(0.024, 0), (0.024, 0.01), (0.012, 0.02), (0.01, 0.1)], 14)
    bowl = lathe(
        [(0.02, 0.09), (0.07, 0.105), (0.105, 0.13), (0.108, 0.134), (0.1, 0.132), (0.065, 0.113), (0.015, 0.102)], 22
    )
    return joined(post, bowl, lathe([(0.006, 0.1), (0.006, 0.15), (0.012, 0.154), (0.008, 0.164)], 10))


def images() -> dict[str, Image.Image]:
    """Return the images of the ground's heights and colors, by file name without suffix."""
    return {"ground": Image.fromarray((255 * ground()).round().astype(np.uint8)), "sand": sand()}


def waves(shape: int, frequencies: tuple[int, ...], seed: int) -> Reals:
    """Return a periodic sum of random waves on a square, scaled to the range from 0 to 1.

    Args:
        shape: number of rows, and of columns.
        frequencies: largest frequency of each octave, in waves across the square; each octave has half the amplitude of
            the previous one.
        seed: seed of the random directions and phases.
    """
    generator = np.random.default_rng(seed)
    y, x = np.meshgrid(*[np.arange(shape) / shape] * 2, indexing="ij")
    total = np.zeros((shape, shape))
    for octave, frequency in enumerate(frequencies):
        for _ in range(6):
            across, down = generator.integers(-frequency, frequency + 1, 2)
            total += 0.5**octave * np.sin(2 * np.pi * (across * x + down * y + generator.uniform()))
    return (total - total.min()) / np.ptp(total)


def ground() -> Reals:
    """Return heights of dunes and craters from 0 to 1, level at the border; row 0 is at the far side."""
    y, x = np.meshgrid(*[np.linspace(-1, 1, CELLS)] * 2, indexing="ij")
    height = 0.5 * waves(CELLS, (2, 3, 5), 5) ** 1.2
    generator = np.random.default_rng(9)
    for _ in range(7):
        far, angle = generator.uniform(0.35, 0.75), generator.uniform(0, 2 * np.pi)
        radius = generator.uniform(0.07, 0.16)
        away = np.hypot(x - far * np.cos(angle), y - far * np.sin(angle)) / radius
        # a bowl inside the crater, and a raised edge that fades outside
        height += radius * np.where(away < 1, 0.9 * away**2 - 0.5, 0.4 * np.exp(-2.5 * (away - 1)))
    # a hill at the back, and level ground where the rover starts
    height += 0.25 * np.exp(-(((x + 0.1) / 0.5) ** 2) - ((y + 0.6) / 0.25) ** 2)
    start = np.exp(-((np.hypot(x, y) / 0.2) ** 4))
    height += start * (np.average(height, weights=start) - height)
    border = np.clip((1 - np.maximum(np.abs(x), np.abs(y))) / 0.2, 0, 1)
    height = (height - height.min()) * (border**2 * (3 - 2 * border))
    return height / height.max()


def sand() -> Image.Image:
    """Return the colors of a tileable square of sand, with grains, and ripples perpendicular to the wind."""
    size = 160
    y, x = np.meshgrid(*[np.arange(size) / size] * 2, indexing="ij")
    bends = waves(size, (1, 2, 4), 3)
    ripples = np.sin(2 * np.pi * (9 * y + 2 * x + 1.6 * bends))
    grains = np.random.default_rng(4).normal(size=(size, size))
    light = 0.5 + 0.12 * ripples * waves(size, (1, 2), 8) + 0.25 * (bends - 0.5) + 0.03 * grains
    low, high = np.array([0.58, 0.51, 0.44]), np.array([0.78, 0.72, 0.64])
    color = low + light.clip(0, 1)[..., None] * (high - low)
    return Image.fromarray((255 * color).astype(np.uint8)).quantize(20, dither=Image.Dither.NONE)
