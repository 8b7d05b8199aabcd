"""Triangle meshes as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from conjoint.lang.errors import ModelWarning
from conjoint.lang.warn import warn
from conjoint.runtime.entry import entry
from conjoint.spec.kernels.triangles import find_normals

Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.int32]
YZX, ZXY = np.array([1, 2, 0]), np.array([2, 0, 1])
FEW = 100
"""Maximum number of rows for which it is faster to split all columns at once."""
AnyReals = TypeVar("AnyReals", Reals, Singles)

_find_normals = entry(
    find_normals, "real[]", "int", "int[]", "int", "bool", "out real[]", "out real[]", "out float[]", "out float[]"
)


@dataclass
class Triangles:
    """A triangle mesh as arrays. Missing arrays are None.

    Attributes:
        vert: positions (n, 3).
        face: vertices of the triangles (nface, 3), counter-clockwise seen from outside.
        normal: normals (any number, 3).
        texcoord: texture coordinates (any number, 2).
        facenormal, facetexcoord: indices of rows of `normal` and `texcoord` at the corners of the triangles.
        left_out: number of polygons in the file with too many corners.
    """

    vert: Reals
    face: Integers | None = None
    normal: Singles | None = None
    texcoord: Reals | None = None
    facenormal: Integers | None = None
    facetexcoord: Integers | None = None
    left_out: int = 0

    def check_complete(self, file: str) -> None:
        """Warn if polygons of the `file` were omitted because they have too many corners."""
        if self.left_out:
            message = f"polygons with too many corners were skipped, as in MuJoCo: {self.left_out}"
            warn(f"file '{file}': {message}", ModelWarning)

    def reverse(self) -> None:
        """Reverse all triangles, with the normals and texture coordinates of their corners."""
        for name in ("face", "facenormal", "facetexcoord"):
            rows = getattr(self, name)
            setattr(self, name, None if rows is None else reversed_faces(rows))


def mirrors(scale: Sequence[float]) -> bool:
    """Return True if scale factors along the axes mirror a mesh, which turns it inside out."""
    return bool(np.prod(np.sign(scale)) < 0)


def reversed_faces(face: Integers) -> Integers:
    """Return the triangles with their corners in reverse order. The first corner stays first."""
    return np.ascontiguousarray(face[:, [0, 2, 1]])


def cross(a: AnyReals, b: AnyReals) -> AnyReals:
    """Return the cross products of two arrays of 3-vectors, row by row."""
    if len(a) <= FEW:
        return a.take(YZX, 1) * b.take(ZXY, 1) - a.take(ZXY, 1) * b.take(YZX, 1)
    out = np.empty_like(a)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[:, i] = a[:, j] * b[:, k] - a[:, k] * b[:, j]
    return out


def dot(a: AnyReals, b: AnyReals) -> AnyReals:
    """Return the dot products of two arrays of 3-vectors, row by row."""
    product = a * b
    return product[:, 0] + product[:, 1] + product[:, 2]


def products(vert: Reals, face: Integers) -> Reals:
    """Return the cross product of two edges of each triangle, which is the normal times twice the area."""
    a, b, c = vert[face.T]
    return cross(b - a, c - a)


def vertex_normals(vert: Reals, face: Integers, smooth: bool) -> Singles:
    """Return the normals at the vertices: averages over triangles, weighted by area.

    Unless `smooth`, triangles at a large angle to the average are excluded, so that sharp edges stay sharp.
    """
    nvert, nface = len(vert), len(face)
    total, away = np.zeros((2, nvert, 3), np.float32)
    _find_normals(vert, nvert, face, nface, smooth, np.empty((nface, 4)), np.empty((nvert, 3)), away, total)
    return total
