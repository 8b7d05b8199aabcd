"""Triangle meshes as arrays."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from conjoint.lang.errors import ModelWarning
from conjoint.lang.warn import warn
from conjoint.schema.constants import mjMINVAL

Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.int32]
YZX, ZXY = np.array([1, 2, 0]), np.array([2, 0, 1])
FEW = 100
"""So few rows are taken apart faster with all their columns at once."""
AnyReals = TypeVar("AnyReals", Reals, Singles)

NO_DIRECTION = 1e-14
"""Square of the length below which a sum of normals has no direction."""
SHARP = 0.8
"""Cosine of the angle between a triangle and the average normal at which an edge is sharp."""


@dataclass
class Triangles:
    """Vertices and what refers to them; None where there is nothing.

    Attributes:
        vert: positions (n, 3).
        face: vertices of the triangles (nface, 3), counter-clockwise seen from outside.
        normal: normals (any number, 3).
        texcoord: texture coordinates (any number, 2).
        facenormal, facetexcoord: rows of `normal` and `texcoord` of the corners of the triangles.
        left_out: polygons of the file that have too many corners.
    """

    vert: Reals
    face: Integers | None = None
    normal: Singles | None = None
    texcoord: Reals | None = None
    facenormal: Integers | None = None
    facetexcoord: Integers | None = None
    left_out: int = 0

    def check_complete(self, file: str) -> None:
        """Warn if polygons of the `file` are missing."""
        if self.left_out:
            message = f"polygons left out, as in the official reader, since they have too many corners: {self.left_out}"
            warn(f"file '{file}': {message}", ModelWarning)


def mirrored(face: Integers) -> Integers:
    """The same triangles, seen from the other side."""
    return np.ascontiguousarray(face[:, [0, 2, 1]])


def in_order(values: Reals) -> Reals:
    """Sum over the first axis, one term after the other: rounding decides about axes of symmetric meshes."""
    return np.add.accumulate(values, axis=0)[-1]


def cross(a: AnyReals, b: AnyReals) -> AnyReals:
    """Vector products, row by row."""
    if len(a) <= FEW:
        return a.take(YZX, 1) * b.take(ZXY, 1) - a.take(ZXY, 1) * b.take(YZX, 1)
    out = np.empty_like(a)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[:, i] = a[:, j] * b[:, k] - a[:, k] * b[:, j]
    return out


def dot(a: AnyReals, b: AnyReals) -> AnyReals:
    """Scalar products, row by row."""
    product = a * b
    return product[:, 0] + product[:, 1] + product[:, 2]


def products(vert: Reals, face: Integers) -> Reals:
    """Vector products of two edges of each triangle: its normal, twice its area long."""
    a, b, c = vert[face.T]
    return cross(b - a, c - a)


def surface(vert: Reals, face: Integers) -> tuple[Reals, Reals, Reals]:
    """Areas, unit normals and centers of triangles; a degenerate one has area 0."""
    a, b, c = vert[face.T]
    normal = cross(b - a, c - a)
    length = np.sqrt(dot(normal, normal))
    length[length < mjMINVAL] = 0.0
    normal /= np.where(length > 0, length, 1.0)[:, None]
    return length / 2, normal, (a + b + c) / 3


def vertex_normals(vert: Reals, face: Integers, smooth: bool) -> Singles:
    """Normals at the vertices: averages over triangles, weighted by area.

    Unless `smooth`, triangles at a large angle to the average are left out of it, so that sharp edges stay sharp.
    """
    direction = products(vert, face)
    square = dot(direction, direction)
    length = np.sqrt(np.where(square < NO_DIRECTION, 1.0, square))[:, None]
    direction[square < NO_DIRECTION] = 0.0
    # not the same as before the division: ties are common when rounding what comes from numbers of few digits
    direction /= length
    normal = direction * length
    total = _gather(np.repeat(normal, 3, axis=0), face.reshape(-1), len(vert))
    if not smooth:
        average = total.astype(np.float64)
        square = dot(average, average)
        # an average that is too short is no direction: all triangles are at a large angle to it
        average /= np.sqrt(np.where(square < NO_DIRECTION, 1.0, square))[:, None]
        corners = face.reshape(-1)
        sharp = np.flatnonzero(dot(np.repeat(direction, 3, axis=0), average[corners]) < SHARP)
        total -= _gather(normal[sharp // 3], corners[sharp], len(vert))
    short = np.sqrt(dot(total, total))
    none = short < mjMINVAL
    total /= np.where(none, np.float32(1), short)[:, None]
    total[none] = (0.0, 0.0, 1.0)
    return total


def _gather(values: Reals, ids: Integers, count: int) -> Singles:
    """Sums of rows at vertices `ids`; they are rounded to single precision at each term."""
    out = np.zeros((count, 3), np.float32)
    for i in range(3):
        np.add.at(out[:, i], ids, values[:, i])
    return out
