"""Signed distances of a bolt and a nut that fit each other; the sizes are those of shadertoy.com/view/XtffzX.

Both are intersections (the larger of two distances) and unions (the smaller) of solids of revolution with flanks of 45
degrees, of which a thread is one whose flank winds up in a helix, and of a hexagonal prism (I. Quilez, Distance
functions). Both have the same head, 1 across its flats, from z = -0.5 to 0; the shaft of the bolt goes down to -1.
"""

from math import pi, sqrt

import numpy as np

from conjoint.spec.meshes.triangles import Reals

TURNS = 12.0
"""Turns of the thread per unit of length."""


def bolt_distance(x: Reals, y: Reals, z: Reals, radius: float) -> Reals:
    """Bolt whose thread has its grooves at `radius`."""
    beyond = np.sqrt(x * x + y * y) - radius
    tip = _flank(beyond, -z, 1.0)
    shaft = np.maximum(np.maximum(_thread(x, y, z, beyond), _slab(z, -1.0, 0.0)), tip)
    return np.minimum(shaft, _head(x, y, z, beyond))


def nut_distance(x: Reals, y: Reals, z: Reals, radius: float) -> Reals:
    """Nut with a hole for a bolt of `radius`, which opens at both ends."""
    beyond = np.sqrt(x * x + y * y) - radius
    hole = np.maximum(_thread(x, y, z, beyond), _flank(beyond, -z, 0.5))
    hole = np.minimum(hole, _flank(beyond, -z, 0.05))
    return np.maximum(_head(x, y, z, beyond), -hole)


def _flank(beyond: Reals, along: Reals, reach: float) -> Reals:
    """Inside of a cone around z: it is `reach` beyond the radius at 0 and gets narrower by what one goes along."""
    return (beyond + along - reach) * sqrt(0.5)


def _slab(z: Reals, low: float, high: float) -> Reals:
    """Between two planes across z."""
    return np.abs(z - (low + high) / 2) - (high - low) / 2


def _thread(x: Reals, y: Reals, z: Reals, beyond: Reals) -> Reals:
    """Flanks that rise and fall once per turn of a helix."""
    turns = z * TURNS - np.arctan2(y, x) / (2 * pi)
    ridge = np.abs(turns - np.floor(turns) - 0.5) / TURNS
    return _flank(beyond, -ridge, 0.0)


def _head(x: Reals, y: Reals, z: Reals, beyond: Reals) -> Reals:
    """A hexagonal prism, common to slabs in three directions, whose upper edges are taken off by a cone."""
    flats = np.maximum(np.abs(x), np.abs(0.5 * x) + np.abs(sqrt(0.75) * y)) - 0.5
    return np.maximum(np.maximum(flats, _slab(z, -0.5, 0.0)), _flank(beyond, z, 0.22))
