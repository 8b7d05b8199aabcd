"""Area, and inertia of mass on the surface, of primitive shapes (own frame), by `mjtGeom` and size.

Thin shells have the mass of their surface; their moments follow from the parallel axis theorem (Goldstein, Classical
Mechanics, 3rd ed., 5.3), piece by piece.
"""

from collections.abc import Sequence
from math import pi

from conjoint.compiler.shape import inertia, volume
from conjoint.schema.geoms import BOX, CAPSULE, CYLINDER, ELLIPSOID, SPHERE
from conjoint.spec.rotation import Vector

THOMSEN = 1.6075
"""Exponent of Knud Thomsen's approximation of the surface of an ellipsoid (2004)."""
THICKNESS = 1e-6
"""An ellipsoid's shell is taken to be this thick; there is no closed form of its moments."""


def area(kind: int, size: Sequence[float]) -> float:
    """Area of the surface in m^2."""
    a, b, c = size
    if kind == SPHERE:
        return 4 * pi * a * a
    if kind == CAPSULE:
        return 4 * pi * a * a + 2 * pi * a * 2 * b
    if kind == CYLINDER:
        return 2 * pi * a * a + 2 * pi * a * 2 * b
    if kind == ELLIPSOID:
        mean = ((a * b) ** THOMSEN + (b * c) ** THOMSEN + (c * a) ** THOMSEN) / 3
        return 4 * pi * mean ** (1 / THOMSEN)
    if kind == BOX:
        return 8 * (a * b + b * c + c * a)
    return 0.0


def shell_inertia(kind: int, size: Sequence[float], mass: float) -> Vector:
    """Principal moments of inertia about the center, in kg m^2."""
    a, b, _ = size
    if kind == SPHERE:
        moment = 2 * mass * a * a / 3
        return moment, moment, moment
    if kind == CAPSULE:
        # a tube and two half spheres, whose centers of mass lie half a radius from their rims
        tube = mass * b / (a + b)
        ball = mass - tube
        across = tube * (a * a / 2 + b * b / 3) + ball * (2 * a * a / 3 + b * b + a * b)
        return across, across, tube * a * a + 2 * ball * a * a / 3
    if kind == CYLINDER:
        tube = mass * 2 * b / (a + 2 * b)
        ends = mass - tube
        across = tube * (a * a / 2 + b * b / 3) + ends * (a * a / 4 + b * b)
        return across, across, tube * a * a + ends * a * a / 2
    if kind == ELLIPSOID:
        return _between(size, mass)
    if kind == BOX:
        return _faces(size, mass)
    return 0.0, 0.0, 0.0


def _between(size: Sequence[float], mass: float) -> Vector:
    """Moments of the body between an ellipsoid and a slightly larger one."""
    larger = tuple(x + THICKNESS for x in size)
    inside, outside = volume(ELLIPSOID, size), volume(ELLIPSOID, larger)
    density = mass / (outside - inside)
    less, more = inertia(ELLIPSOID, size, inside * density), inertia(ELLIPSOID, larger, outside * density)
    return more[0] - less[0], more[1] - less[1], more[2] - less[2]


def _faces(size: Sequence[float], mass: float) -> Vector:
    """Moments of the six faces of a box."""
    density = 8 * mass / area(BOX, size)
    moments = [0.0, 0.0, 0.0]
    for x in range(3):
        # the two faces across this axis, and the axes along them
        y, z = (x + 1) % 3, (x + 2) % 3
        faces = density * size[y] * size[z]
        moments[x] += faces * (size[y] ** 2 + size[z] ** 2) / 3
        moments[y] += faces * (size[z] ** 2 / 3 + size[x] ** 2)
        moments[z] += faces * (size[y] ** 2 / 3 + size[x] ** 2)
    return moments[0], moments[1], moments[2]
