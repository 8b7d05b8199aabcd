"""Compiled meshes, and the volume, center and inertia of triangles (O'Rourke, Computational Geometry in C, 1.3.8)."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from conjoint.compiler.kernels.solids import SHELL, weigh
from conjoint.runtime.entry import entry
from conjoint.schema.constants import mjMINVAL
from conjoint.spec.meshes.triangles import Integers, Reals
from conjoint.spec.rotation import Quaternion, Vector, principal_axes

if TYPE_CHECKING:
    from conjoint.compiler.assets.polygons import Polygons
    from conjoint.compiler.assets.sdf import Octree
    from conjoint.compiler.bounding import Trees
    from conjoint.spec.meshes.triangles import Integers, Reals, Triangles


_weigh = entry(weigh, "real[]", "int[]", "int", "int[]", "int", "int")

ABSOLUTE, RELATIVE = 1e-9, 1e-6
"""Absolute and relative tolerance in the triangle inequality of moments of inertia."""

ALIGNED = 1e-7
"""Maximum products of inertia, relative to the largest moment, for which a mesh with exact axes is not rotated."""


@dataclass
class MassProperties:
    """Mass properties of a mesh of density one.

    Attributes:
        volume: volume in m^3; for a shell, its area in m^2.
        center: center of mass.
        quat: orientation of the principal axes.
        box: half sizes of the box with the same moments.
    """

    volume: float
    center: Reals
    quat: Quaternion
    box: Vector


def mass_properties(vert: Reals, face: Integers, solid: Integers, mode: int, exact: bool = False) -> MassProperties:
    """Compute the mass properties of a mesh.

    Args:
        vert: vertices.
        face: triangles of the mesh.
        solid: triangles that bound the mass.
        mode: inertia mode, such as `SHELL`.
        exact: whether exact principal axes are needed.

    Raises:
        ValueError: the mesh has no area or no volume, or is inside out.
    """
    area, part, center, volume, (xx, yy, zz), (xy, xz, yz) = _weigh(vert, face, len(face), solid, len(solid), mode)
    if not area >= mjMINVAL:
        raise ValueError("its surface area is too small")
    if mode != SHELL and not part >= mjMINVAL:
        if part < 0:
            raise ValueError("its volume is negative: its triangles face inwards")
        raise ValueError("its volume is too small; try inertia='shell'")
    moments = [yy + zz, xx + zz, xx + yy, -xy, -xz, -yz]
    values, quat, _ = principal_axes(moments, ALIGNED if exact else None)
    _check(values)
    x, y, z = values
    # NaN if rounding made the moments impossible for a box; as in MuJoCo, moving bodies are rejected later
    squares = (6 * sides / volume for sides in (y + z - x, x + z - y, x + y - z))
    box = tuple(0.5 * sqrt(square) if square >= 0 else nan for square in squares)
    return MassProperties(volume, np.array(center), quat, (box[0], box[1], box[2]))


def _check(values: Vector) -> None:
    """Check that moments of inertia are physically possible."""
    x, y, z = values
    if z <= 0:
        raise ValueError("an eigenvalue of its inertia is not positive")
    if x > (y + z) * (1 + RELATIVE) + ABSOLUTE:
        raise ValueError("the eigenvalues of its inertia violate A + B >= C")


class Needs(NamedTuple):
    """Optional parts of a mesh, which only some geoms need, and the physics version.

    Attributes:
        hull: whether a convex hull is needed.
        octree: whether signed distances are needed.
        newer: whether to compute axes, polygons, and the triangulation of polygons in OBJ files as MuJoCo 4.0 does.
    """

    hull: bool
    octree: bool
    newer: bool = False


@dataclass
class Mesh:
    """A compiled mesh, centered and rotated to its principal axes.

    Attributes:
        triangles: vertices, faces, normals and texture coordinates. Faces and normals always exist.
        graph: graph of the convex hull; empty if there is no hull.
        polygons: polygons of the hull, or of the mesh if there is no hull.
        volumes: bounding volumes of the faces.
        mass: volume, center, axes and equivalent box at density one.
        lower, upper: corners of the bounding box of the vertices.
        pos: position of the center in the original frame.
        octree: signed distances; None if no geom needs them.
    """

    triangles: Triangles
    graph: Integers
    polygons: Polygons
    volumes: Trees
    mass: MassProperties
    lower: Reals
    upper: Reals
    pos: tuple[float, ...]
    octree: Octree | None

    def weight(self) -> int:
        """Return the size of the mesh in bytes."""
        parts = (self.triangles, self.polygons, self.volumes, self.octree)
        values = [value for part in parts if part is not None for value in vars(part).values()]
        return self.graph.nbytes + sum(getattr(value, "nbytes", 0) for value in values)
