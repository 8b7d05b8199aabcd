"""Coefficients of the ellipsoid model of fluid forces (Computation chapter, Fluid forces)."""

from math import nan, pi, sqrt
from typing import Any

from conjoint.compiler.shape import half_extent

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
"""Decimals of points and weights in the official compiler, which change the result by 1e-7 of it."""


def _nodes() -> list[tuple[float, float]]:
    """Points and weights on [0, inf), by the substitution l = x^3 / (1 - x)^2."""
    nodes = []
    for node, weight in KRONROD:
        for sign in (1, -1) if node else (1,):
            x, w = round(0.5 + 0.5 * sign * node, DIGITS), round(0.5 * weight, DIGITS)
            nodes.append((x**3 / (1 - x) ** 2, w * x * x * (3 - x) / (1 - x) ** 3))
    return nodes


NODES = _nodes()
NONE = (0.0,) * 12
"""Coefficients of a geom that is no ellipsoid to the fluid."""


def fluid_coefficients(geom: Any) -> tuple[float, ...]:
    """The 12 numbers of `geom_fluid`: switch, 5 coefficients, virtual mass and inertia at unit density; zero if off."""
    if not geom.fluid_ellipsoid:
        return NONE
    a, b, c = axes = half_extent(geom.type, geom.size)
    if min(axes) <= 0:
        # an infinite plane: not numbers, as in the official compiler
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
    """Added mass along the axis x: xyz times the integral of 1 / sqrt((x^2+l)^3 (y^2+l) (z^2+l)) over l > 0."""
    scale = (x**3 * y * z) ** 0.4
    total = 0.0
    for node, weight in NODES:
        at = scale * node
        ax, ay, az = 1 + at / (x * x), 1 + at / (y * y), 1 + at / (z * z)
        total += scale * weight / (ax * sqrt(ax * ay * az))
    return total / (x * x)
