"""Volume, inertia, surface, extent and fluid coefficients of primitive shapes in their own frame.

Shapes are given by `mjtGeom` and size. Products are in the order of MuJoCo's compiler, because rounding determines the
axes of symmetric bodies.
"""

from collections.abc import Sequence
from math import nan, pi, sqrt

from conjoint.compiler.kinds import Geom
from conjoint.schema.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD, MESH, PLANE, SDF, SPHERE
from conjoint.spec.rotation import Vector

SIZES = {PLANE: 3, HFIELD: 0, SPHERE: 1, CAPSULE: 2, ELLIPSOID: 3, CYLINDER: 2, BOX: 3, MESH: 0, SDF: 0}
"""Number of size parameters of each geom type."""
MEANING = {
    SPHERE: "the radius", CAPSULE: "radius and half length", CYLINDER: "radius and half length",
    ELLIPSOID: "three radii", BOX: "three half lengths",
}  # fmt: skip
"""Meaning of the size parameters of each geom type."""


def volume(kind: int, size: Sequence[float]) -> float:
    """Return the volume of a shape in m^3."""
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
    """Return the principal moments of inertia of a solid shape about its center, in kg m^2."""
    a, b, c = size
    if kind == SPHERE:
        moment = 2 * mass * a * a / 5
        return moment, moment, moment
    if kind == CAPSULE:
        # a cylinder and two half spheres, whose centers of mass are 3/8 radius from their flat sides
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
    """Return the half sizes of the bounding box of a shape, which must not be a plane.

    This is ten times faster than `physics.shape.half_sizes`.
    """
    a, b, c = size
    if kind == SPHERE:
        return a, a, a
    if kind == CAPSULE:
        return a, a, a + b
    if kind == CYLINDER:
        return a, a, b
    return a, b, c


def bounding_radius(kind: int, size: Sequence[float]) -> float:
    """Return the radius of a shape's bounding sphere, or 0 for a plane."""
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


THOMSEN = 1.6075
"""Exponent of Knud Thomsen's approximation of the surface of an ellipsoid (2004)."""
THICKNESS = 1e-6
"""Assumed thickness of an ellipsoid's shell, because its moments have no closed form."""


def area(kind: int, size: Sequence[float]) -> float:
    """Return the surface area of a shape in m^2."""
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
    """Return the principal moments of inertia of a shape's surface about its center, in kg m^2."""
    a, b, _ = size
    if kind == SPHERE:
        moment = 2 * mass * a * a / 3
        return moment, moment, moment
    if kind == CAPSULE:
        # a tube and two half spheres, whose centers of mass are half a radius from their open sides
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
    """Return the moments of inertia of the thin layer between an ellipsoid and a slightly larger ellipsoid."""
    larger = tuple(x + THICKNESS for x in size)
    inside, outside = volume(ELLIPSOID, size), volume(ELLIPSOID, larger)
    density = mass / (outside - inside)
    less, more = inertia(ELLIPSOID, size, inside * density), inertia(ELLIPSOID, larger, outside * density)
    return more[0] - less[0], more[1] - less[1], more[2] - less[2]


def _faces(size: Sequence[float], mass: float) -> Vector:
    """Return the moments of inertia of the six faces of a box."""
    density = 8 * mass / area(BOX, size)
    moments = [0.0, 0.0, 0.0]
    for x in range(3):
        # the two faces perpendicular to this axis, and the axes along them
        y, z = (x + 1) % 3, (x + 2) % 3
        faces = density * size[y] * size[z]
        moments[x] += faces * (size[y] ** 2 + size[z] ** 2) / 3
        moments[y] += faces * (size[z] ** 2 / 3 + size[x] ** 2)
        moments[z] += faces * (size[y] ** 2 / 3 + size[x] ** 2)
    return moments[0], moments[1], moments[2]


# Kronrod's 15 points on [-1, 1]: node and weight of the positive half, then the middle (QUADPACK, Piessens et al. 1983)
KRONROD = (
    (0.991455371120812639206854697526329, 0.022935322010529224963732008058970),
    (0.949107912342758524526189684047851, 0.063092092629978553290700663189204),
    (0.864864423359769072789712788640926, 0.104790010322250183839876322541518),
    (0.741531185599394439863864773280788, 0.140653259715525918745189590510238),
    (0.586087235467691130294144838258730, 0.169004726639267902826583426598550),
    (0.405845151377397166906606412076961, 0.190350578064785409913256402421014),
    (0.207784955007898467600689403773245, 0.204432940075298892414161999234649),
    (0.0, 0.209482141084727828012999174891714),
)
DIGITS = 8
"""Decimals of quadrature points and weights in MuJoCo's compiler. This affects the result by a relative 1e-7."""


def _nodes() -> list[tuple[float, float]]:
    """Return the quadrature points and weights on [0, inf), by the substitution l = x^3 / (1 - x)^2."""
    nodes = []
    for node, weight in KRONROD:
        for sign in (1, -1) if node else (1,):
            x, w = round(0.5 + 0.5 * sign * node, DIGITS), round(0.5 * weight, DIGITS)
            nodes.append((x**3 / (1 - x) ** 2, w * x * x * (3 - x) / (1 - x) ** 3))
    return nodes


NODES = _nodes()
NONE = (0.0,) * 12
"""Fluid coefficients of geoms that do not use the ellipsoid model."""


def fluid_coefficients(geom: Geom) -> tuple[float, ...]:
    """Return `geom_fluid`: 12 numbers, which are all 0 if the ellipsoid model is off.

    The numbers are an on/off flag, 5 coefficients, and virtual mass and virtual inertia at unit density.
    """
    if not geom.fluid_ellipsoid:
        return NONE
    a, b, c = axes = half_extent(geom.type, geom.size)
    if min(axes) <= 0:
        # as in MuJoCo, the coefficients of an infinite plane are NaN
        return (1.0, *geom.fluid_coefs, *[nan] * 6)
    kappa = [_kappa(axes[i], axes[(i + 1) % 3], axes[(i + 2) % 3]) for i in range(3)]
    volume = 4 / 3 * pi * a * b * c
    mass = [volume * k / max(1e-14, 2 - k) for k in kappa]
    inertia = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        difference, total = axes[j] ** 2 - axes[k] ** 2, axes[j] ** 2 + axes[k] ** 2
        top = difference**2 * abs(kappa[k] - kappa[j])
        inertia.append(volume / 5 * top / max(1e-14, abs(2 * difference + total * (kappa[j] - kappa[k]))))
    return (1.0, *geom.fluid_coefs, *mass, *inertia)


def _kappa(x: float, y: float, z: float) -> float:
    """Return the added mass along x: xyz times the integral of 1 / sqrt((x^2+l)^3 (y^2+l) (z^2+l)) over l > 0."""
    scale = (x**3 * y * z) ** 0.4
    total = 0.0
    for node, weight in NODES:
        at = scale * node
        ax, ay, az = 1 + at / (x * x), 1 + at / (y * y), 1 + at / (z * z)
        total += scale * weight / (ax * sqrt(ax * ay * az))
    return total / (x * x)
