"""Signed distances of a bolt and a nut that fit each other (shadertoy.com/view/XtffzX).

Both have the same hexagonal head, 1 across its flats, from z = -0.5 to 0; the shaft of the bolt goes down to -1.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from conjoint.spec.meshes.triangles import Reals

TURNS = 12.0
"""Turns of the thread per unit of length."""
DIAGONAL = sqrt(2) / 2


def bolt_distance(x: Reals, y: Reals, z: Reals, radius: float) -> Reals:
    """Bolt whose thread has its grooves at `radius`."""
    beyond = np.sqrt(x * x + y * y) - radius
    shaft = np.maximum(_thread(x, y, z, beyond), -(0.5 - np.abs(z + 0.5)))
    # a cone makes the tip
    shaft = np.maximum(shaft, -((z - beyond) * DIAGONAL + DIAGONAL))
    return np.minimum(shaft, _head(x, y, z, beyond))


def nut_distance(x: Reals, y: Reals, z: Reals, radius: float) -> Reals:
    """Nut with a hole for a bolt of `radius`, which opens at both ends."""
    beyond = np.sqrt(x * x + y * y) - radius
    cone = (z - beyond) * DIAGONAL
    hole = np.maximum(_thread(x, y, z, beyond), -(cone + 0.5 * DIAGONAL))
    hole = np.minimum(hole, -cone - 0.05 * DIAGONAL)
    return np.maximum(_head(x, y, z, beyond), -hole)


def _thread(x: Reals, y: Reals, z: Reals, beyond: Reals) -> Reals:
    """A triangle wave along z, which turns with the azimuth."""
    phase = z * TURNS - np.arctan2(y, x) / pi / 2
    wave = np.abs(phase - np.floor(phase) - 0.5)
    return (beyond - wave / TURNS) * DIAGONAL


def _head(x: Reals, y: Reals, z: Reals, beyond: Reals) -> Reals:
    """A hexagonal prism whose upper edges are taken off by a cone."""
    sectors = 6 / pi / 2
    angle = -np.floor(np.arctan2(y, x) * sectors + 0.5) / sectors
    # turned into the sector around the x axis
    across = np.sin(angle + pi * 0.5) * x - np.sin(angle) * y
    head = np.maximum(across - 0.5, np.abs(z + 0.25) - 0.25)
    return np.maximum(head, (z + beyond - 0.22) * DIAGONAL)
