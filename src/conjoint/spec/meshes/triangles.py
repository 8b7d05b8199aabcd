"""Triangle meshes as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.int32]
AnyReals = TypeVar("AnyReals", Reals, Singles)

TINY = 1e-15
"""mjMINVAL: shorter normals, smaller areas and volumes are zero."""
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
    """

    vert: Reals
    face: Integers | None = None
    normal: Singles | None = None
    texcoord: Reals | None = None
    facenormal: Integers | None = None
    facetexcoord: Integers | None = None


def mirrored(face: Integers) -> Integers:
    """The same triangles, seen from the other side."""
    return np.ascontiguousarray(face[:, [0, 2, 1]])


def in_order(values: Reals) -> Reals:
    """Sum over the first axis, one term after the other: rounding decides about axes of symmetric meshes."""
    return np.add.accumulate(values, axis=0)[-1]


def cross(a: AnyReals, b: AnyReals) -> AnyReals:
    """Vector products, row by row."""
    out = np.empty_like(a)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[:, i] = a[:, j] * b[:, k] - a[:, k] * b[:, j]
    return out


def dot(a: AnyReals, b: AnyReals) -> AnyReals:
    """Scalar products, row by row."""
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]


def products(vert: Reals, face: Integers) -> Reals:
    """Vector products of two edges of each triangle: its normal, twice its area long."""
    corner = vert[face[:, 0]]
    return cross(vert[face[:, 1]] - corner, vert[face[:, 2]] - corner)


def surface(vert: Reals, face: Integers) -> tuple[Reals, Reals, Reals]:
    """Areas, unit normals and centers of triangles; a degenerate one has area 0."""
    normal = products(vert, face)
    length = np.sqrt(dot(normal, normal))
    length[length < TINY] = 0.0
    normal /= np.where(length > 0, length, 1.0)[:, None]
    return length / 2, normal, (vert[face[:, 0]] + vert[face[:, 1]] + vert[face[:, 2]]) / 3


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
    total = _gather(normal, face, np.ones(face.shape, bool), len(vert))
    if not smooth:
        average = total.astype(np.float64)
        square = dot(average, average)
        # an average that is too short is no direction: all triangles are at a large angle to it
        average /= np.sqrt(np.where(square < NO_DIRECTION, 1.0, square))[:, None]
        sharp = np.stack([dot(direction, average[face[:, i]]) for i in range(3)], axis=1) < SHARP
        total -= _gather(normal, face, sharp, len(vert))
    short = np.sqrt(dot(total, total))
    none = short < TINY
    total /= np.where(none, np.float32(1), short)[:, None]
    total[none] = (0.0, 0.0, 1.0)
    return total


def _gather(normal: Reals, face: Integers, use: NDArray[np.bool_], count: int) -> Singles:
    """Sum of face values at the vertices of the corners in `use`; sums are rounded to single precision at each term."""
    ids = face[use]
    values = np.repeat(normal, use.sum(axis=1), axis=0)
    out = np.zeros((count, 3), np.float32)
    for i in range(3):
        np.add.at(out[:, i], ids, values[:, i])
    return out
