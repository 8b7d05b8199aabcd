"""Volume, inertia and extent of primitive shapes (density one, own frame), by `mjtGeom` and size.

Products are in the order of the official compiler: rounding decides about the axes of symmetric bodies.
"""

from collections.abc import Sequence
from math import pi, sqrt

from conjoint.schema.geoms import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD, MESH, PLANE, SDF, SPHERE
from conjoint.spec.rotation import Vector

SIZES = {PLANE: 3, HFIELD: 0, SPHERE: 1, CAPSULE: 2, ELLIPSOID: 3, CYLINDER: 2, BOX: 3, MESH: 0, SDF: 0}
"""How many numbers the size of a type has."""
MEANING = {
    SPHERE: "the radius", CAPSULE: "radius and half length", CYLINDER: "radius and half length",
    ELLIPSOID: "three radii", BOX: "three half lengths",
}  # fmt: skip
"""What the numbers of a size are."""


def volume(kind: int, size: Sequence[float]) -> float:
    """Volume in m^3."""
    a, b, c = size
    if kind == SPHERE:
        return 4 * pi * a * a * a / 3
    if kind == CAPSULE:
        return pi * (a * a * (2 * b) + 4 * a * a * a / 3)
    if kind == CYLINDER:
        return pi * a * a * 2 * b
    if kind == ELLIPSOID:
        return 4 * pi * a * b * c / 3
    if kind == BOX:
        return 8 * a * b * c
    return 0.0


def inertia(kind: int, size: Sequence[float], mass: float) -> Vector:
    """Principal moments of inertia about the center, in kg m^2."""
    a, b, c = size
    if kind == SPHERE:
        moment = 2 * mass * a * a / 5
        return moment, moment, moment
    if kind == CAPSULE:
        # a cylinder and two half spheres, whose centers of mass lie 3/8 radius from their flat sides
        height = 2 * b
        ball = mass * 4 * a / (4 * a + 3 * height)
        tube = mass - ball
        moment = 2 * ball * a * a / 5
        across = tube * (3 * a * a + height * height) / 12 + (moment + ball * height * (3 * a + 2 * height) / 8)
        return across, across, tube * a * a / 2 + moment
    if kind == CYLINDER:
        across = mass * (3 * a * a + 4 * b * b) / 12
        return across, across, mass * a * a / 2
    if kind == ELLIPSOID:
        return mass * (b * b + c * c) / 5, mass * (a * a + c * c) / 5, mass * (a * a + b * b) / 5
    if kind == BOX:
        return mass * (b * b + c * c) / 3, mass * (a * a + c * c) / 3, mass * (a * a + b * b) / 3
    return 0.0, 0.0, 0.0


def half_extent(kind: int, size: Sequence[float]) -> Vector:
    """Half sizes of the box around a shape that is no plane, as `physics.shape.half_sizes`, in a tenth of the time."""
    a, b, c = size
    if kind == SPHERE:
        return a, a, a
    if kind == CAPSULE:
        return a, a, a + b
    if kind == CYLINDER:
        return a, a, b
    return a, b, c


def bounding_radius(kind: int, size: Sequence[float]) -> float:
    """Radius of the bounding sphere; 0 for a plane."""
    a, b, c = size
    if kind == SPHERE:
        return a
    if kind == CAPSULE:
        return a + b
    if kind == CYLINDER:
        return sqrt(a * a + b * b)
    if kind == ELLIPSOID:
        return max(a, b, c)
    if kind == BOX:
        return sqrt(a * a + b * b + c * c)
    return 0.0
