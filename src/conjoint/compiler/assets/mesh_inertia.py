"""Volume, center and inertia of triangle meshes (O'Rourke, Computational Geometry in C, 1.3.8)."""

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from conjoint.schema.constants import mjMINVAL
from conjoint.spec.meshes.triangles import Integers, Reals, dot, in_order, surface
from conjoint.spec.rotation import Quaternion, Vector, principal_axes

CONVEX, EXACT, LEGACY, SHELL = range(4)
"""Modes of the attribute inertia (mjtMeshInertia)."""

PAIRS = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
"""Axes of the moments xx yy zz xy xz yz."""
FEW = 1000
"""So many triangles have all moments added at once."""
ABSOLUTE, RELATIVE = 1e-9, 1e-6
"""Slack of the triangle inequality of moments."""

ALIGNED = 1e-7
"""Products of inertia, relative to the largest moment, that leave a mesh as it is where axes are exact."""


@dataclass
class MassProperties:
    """What a mesh of density one weighs.

    Attributes:
        volume: in m^3; of a shell, its area in m^2.
        center: center of mass.
        quat: frame of the principal axes.
        box: half sizes of the box with the same moments.
    """

    volume: float
    center: Reals
    quat: Quaternion
    box: Vector


def mass_properties(vert: Reals, face: Integers, solid: Integers, mode: int, exact: bool = False) -> MassProperties:
    """Properties of a mesh whose triangles are `face`; `solid` are those that bound the mass; axes may be exact.

    Raises:
        ValueError: it has no area or no volume, or is turned inside out.
    """
    outside = surface(vert, face)
    area, _, middle = outside
    total, *moment = in_order(np.column_stack([area, area[:, None] * middle])).tolist()
    if not total >= mjMINVAL:
        raise ValueError("its surface area is too small")
    centroid = np.array(moment) / total
    if mode == SHELL:
        center = _center(area, middle, centroid)[1]
    else:
        center = _solid(outside if solid is face else surface(vert, solid), centroid, mode)
    moments, volume = _inertia(vert - center, solid, mode)
    values, quat, _ = principal_axes(moments, ALIGNED if exact else None)
    _check(values)
    x, y, z = values
    # no box has moments that rounding put out of reach; a body that moves is refused then, as in the official compiler
    squares = (6 * sides / volume for sides in (y + z - x, x + z - y, x + y - z))
    box = tuple(0.5 * sqrt(square) if square >= 0 else nan for square in squares)
    return MassProperties(volume, center, quat, (box[0], box[1], box[2]))


def _solid(triangles: tuple[Reals, Reals, Reals], centroid: Reals, mode: int) -> Reals:
    """Center of mass of the pyramids from `centroid` to the triangles, of which `surface` tells."""
    area, normal, middle = triangles
    part = dot(middle - centroid, normal) * area / 3
    volume, center = _center(np.abs(part) if mode == LEGACY else part, middle, centroid)
    if not volume >= mjMINVAL:
        if volume < 0:
            raise ValueError("its volume is negative: its triangles are turned inside out")
        raise ValueError("its volume is too small; try inertia='shell'")
    return center


def _center(part: Reals, middle: Reals, centroid: Reals) -> tuple[float, Reals]:
    """Sum of the pyramids from `centroid` to triangles around `middle`, and their center of mass."""
    total, *moment = in_order(np.column_stack([part, part[:, None] * (middle * 3 / 4 + centroid / 4)])).tolist()
    return total, np.array(moment) / total


def _inertia(vert: Reals, face: Integers, mode: int) -> tuple[list[float], float]:
    """Inertia xx yy zz xy xz yz about the origin, and the volume of the pyramids from there, or the area of a shell."""
    area, normal, middle = surface(vert, face)
    if mode == SHELL:
        part, share = area, 12
    else:
        part, share = dot(middle, normal) * area / 3, 20
        if mode == LEGACY:
            part = np.abs(part)
    corners = vert.T[:, face.T]
    weights = part / share
    if len(face) > FEW:
        columns = [weights * _products(corners, i, j) for i, j in zip(*PAIRS, strict=True)]
    else:
        columns = list(weights * _products(corners, *PAIRS))
    total, xx, yy, zz, xy, xz, yz = in_order(np.column_stack([part, *columns])).tolist()
    return [yy + zz, xx + zz, xx + yy, -xy, -xz, -yz], total


def _products(corners: Reals, i: int | list[int], j: int | list[int]) -> Reals:
    """Integrals of coordinate i times coordinate j, or of several pairs, over triangles (axis, corner, triangle)."""
    (a, b, c), (d, e, f) = corners[i].swapaxes(0, -2), corners[j].swapaxes(0, -2)
    return 2 * (a * d + b * e + c * f) + a * e + d * b + a * f + d * c + b * f + e * c


def _check(values: Vector) -> None:
    """Moments must be those of a body."""
    x, y, z = values
    if z <= 0:
        raise ValueError("an eigenvalue of its inertia is not positive")
    if x > (y + z) * (1 + RELATIVE) + ABSOLUTE:
        raise ValueError("the eigenvalues of its inertia violate A + B >= C")
