"""Shapes of robot parts for `tools.make_meshes`: rounded boxes, revolved and lofted parts, tubes, rocks.

Lengths are in meters. A shape is a closed mesh whose triangles are counterclockwise when seen from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]
Indices = NDArray[np.int64]

CREASE = 0.6
"""Angle between faces (rad) above which an edge stays sharp, because the two faces get separate vertices."""


@dataclass(frozen=True)
class Shape:
    """Triangle mesh.

    Attributes:
        vert: positions of the vertices (nvert, 3).
        face: vertex indices of the triangles (nface, 3).
    """

    vert: Reals
    face: Indices

    def moved(self, pos: Sequence[float] = (0, 0, 0), axes: str = "+x+y+z", scale: ArrayLike = 1.0) -> Shape:
        """Return a copy that is scaled, rotated and then translated.

        Args:
            pos: translation (3).
            axes: new directions of the shape's three axes; for example, "+y+z+x" maps x to y, y to z, and z to x.
            scale: one factor, or a factor for each axis (3). Negative factors mirror the shape.
        """
        matrix = np.zeros((3, 3))
        for column in range(3):
            sign, letter = axes[2 * column], axes[2 * column + 1]
            matrix["xyz".index(letter), column] = -1.0 if sign == "-" else 1.0
        matrix = matrix * np.asarray(scale, float)
        face = self.face if np.linalg.det(matrix) > 0 else self.face[:, ::-1]
        return Shape(self.vert @ matrix.T + np.asarray(pos, float), face)

    def turned(self, angle: float, axis: int = 2) -> Shape:
        """Return a copy rotated about a coordinate axis by an angle (rad)."""
        one, two = (axis + 1) % 3, (axis + 2) % 3
        vert = self.vert.copy()
        vert[:, one] = np.cos(angle) * self.vert[:, one] - np.sin(angle) * self.vert[:, two]
        vert[:, two] = np.sin(angle) * self.vert[:, one] + np.cos(angle) * self.vert[:, two]
        return Shape(vert, self.face)


def joined(*shapes: Shape) -> Shape:
    """Return a mesh that contains several shapes, which may overlap."""
    starts = np.cumsum([0, *(len(shape.vert) for shape in shapes)])
    faces = [shape.face + start for shape, start in zip(shapes, starts, strict=False)]
    return Shape(np.concatenate([shape.vert for shape in shapes]), np.concatenate(faces))


def grid(rings: Reals) -> Shape:
    """Return the surface through closed rings of points (nring, npoint, 3), with flat ends.

    Rings run counterclockwise, seen against the direction from the first to the last ring. Equal points are merged.
    """
    nring, npoint = rings.shape[:2]
    number = np.arange(nring * npoint).reshape(nring, npoint)
    a, b = number[:-1], np.roll(number, -1, axis=1)[:-1]
    c, d = np.roll(number, -1, axis=1)[1:], number[1:]
    sides = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    fan = np.arange(1, npoint - 1)
    first = np.stack([np.zeros_like(fan), fan + 1, fan], -1)
    last = np.stack([np.zeros_like(fan), fan, fan + 1], -1) + (nring - 1) * npoint
    return merged(Shape(rings.reshape(-1, 3), np.concatenate([sides, first, last])))


def merged(shape: Shape) -> Shape:
    """Return a copy of a shape in which equal vertices are merged, without triangles that have two equal vertices."""
    vert, number = np.unique(shape.vert.round(7), axis=0, return_inverse=True)
    face = number.reshape(-1)[shape.face]
    whole = (face[:, 0] != face[:, 1]) & (face[:, 1] != face[:, 2]) & (face[:, 2] != face[:, 0])
    return Shape(vert, face[whole])


def box(half: Sequence[float], radius: float, steps: int = 3) -> Shape:
    """Return a box with rounded edges, centered at the origin.

    Args:
        half: half lengths of the sides, including the rounding (3).
        radius: radius of the rounded edges.
        steps: number of segments that approximate a quarter circle.
    """
    core = np.asarray(half, float) - radius
    quarter = np.linspace(0, np.pi / 2, steps + 1)
    rings = []
    for sign, rise in ((-1, quarter[::-1]), (1, quarter)):
        for angle in rise:
            ring = []
            for turn, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
                around = quarter + turn * np.pi / 2
                flat = radius * np.cos(angle)
                height = np.full(steps + 1, sign * (core[2] + radius * np.sin(angle)))
                ring += [
                    np.stack([x * core[0] + flat * np.cos(around), y * core[1] + flat * np.sin(around), height], -1)
                ]
            rings.append(np.concatenate(ring))
    return grid(np.array(rings))


def lathe(profile: Sequence[tuple[float, float]], count: int = 24) -> Shape:
    """Return a solid of revolution about the z axis.

    Args:
        profile: radii and heights of the outline's points, from bottom to top.
        count: number of points around the axis.
    """
    around = 2 * np.pi * np.arange(count) / count
    circle = np.stack([np.cos(around), np.sin(around), np.zeros(count)], -1)
    return grid(np.array([radius * circle + [0, 0, height] for radius, height in profile]))


def cylinder(radius: float, half: float, bevel: float, count: int = 24) -> Shape:
    """Return a cylinder along z whose edges are rounded by two bevels each.

    Args:
        radius: radius of the cylinder.
        half: half of its length.
        bevel: width of the rounded edges.
        count: number of points around the axis.
    """
    cut = 0.3 * bevel
    outline = [(radius - bevel, half), (radius - cut, half - cut), (radius, half - bevel)]
    return lathe([(r, -z) for r, z in outline] + [(r, z) for r, z in reversed(outline)], count)


def loft(stations: Sequence[Sequence[float]], ends: tuple[float, float], count: int = 20, steps: int = 3) -> Shape:
    """Return a smooth solid along the x axis whose cross sections are superellipses.

    Args:
        stations: a row for each given cross section: x, half width (y), half height (z), center (y, z), and exponent (2
            for an ellipse, 4 for nearly a rectangle). The surface is smooth between them.
        ends: radii of the rounded ends, at the first and at the last station.
        count: number of points around a cross section.
        steps: number of cross sections between two stations, and in each rounded end.
    """
    rows = smooth(np.array(stations, float), steps)
    rising = np.linspace(0, np.pi / 2, steps + 1)
    first = [rounded_end(rows, rows[0, 0] + ends[0] * (1 - np.cos(a)), ends[0] * (1 - np.sin(a))) for a in rising]
    last = [rounded_end(rows, rows[-1, 0] - ends[1] * (1 - np.cos(a)), ends[1] * (1 - np.sin(a))) for a in rising[::-1]]
    inner = [row for row in rows[1:-1] if first[-1][0] < row[0] < last[0][0]]
    around = 2 * np.pi * (np.arange(count) + 0.5) / count
    rings = []
    for x, width, height, y, z, exponent in [*first, *inner, *last]:
        c, s = np.cos(around), np.sin(around)
        ring_y = y + width * np.sign(c) * np.abs(c) ** (2 / exponent)
        ring_z = z + height * np.sign(s) * np.abs(s) ** (2 / exponent)
        rings.append(np.stack([np.full(count, x), ring_y, ring_z], -1))
    return grid(np.array(rings))


def rounded_end(rows: Reals, x: float, inset: float) -> Reals:
    """Return the cross section of a loft at `x`, reduced by `inset` on all sides."""
    row = np.array([np.interp(x, rows[:, 0], column) for column in rows.T])
    row[1:3] = np.maximum(row[1:3] - inset, 0.02 * row[1:3])
    return row


def smooth(rows: Reals, steps: int) -> Reals:
    """Return points on the Catmull-Rom curve through the given rows: `steps` points per interval, and the last row."""
    padded = np.concatenate([rows[:1], rows, rows[-1:]])
    t = (np.arange(steps) / steps)[:, None]
    parts = []
    for p, a, b, q in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        slope, other = (b - p) / 2, (q - a) / 2
        parts.append(a + t * slope + t**2 * (3 * (b - a) - 2 * slope - other) + t**3 * (2 * (a - b) + slope + other))
    return np.concatenate([*parts, rows[-1:]])


def tube(path: Sequence[Sequence[float]], radius: float | Sequence[float], count: int = 12, steps: int = 3) -> Shape:
    """Return a round tube along a smooth curve through points (n, 3), with one radius or a radius for each point."""
    points = np.array(path, float)
    rows = smooth(np.column_stack([points, np.broadcast_to(radius, len(points))]), steps)
    centers, radii = rows[:, :3], rows[:, 3]
    along = np.gradient(centers, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along[0], np.eye(3)[np.argmin(np.abs(along[0]))])
    around = 2 * np.pi * np.arange(count)[:, None] / count
    rings = []
    for center, ahead, thick in zip(centers, along, radii, strict=True):
        # transport the frame along the curve without twist
        side = side - (side @ ahead) * ahead
        side /= np.linalg.norm(side)
        rings.append(center + thick * (np.cos(around) * side + np.sin(around) * np.cross(ahead, side)))
    return grid(np.array(rings))


def rock(seed: int, half: Sequence[float], detail: int = 2) -> Shape:
    """Return a convex stone: an icosphere that is cut by random planes and scaled to the semi-axes `half`."""
    generator = np.random.default_rng(seed)
    sphere = icosphere(detail)
    cuts = generator.normal(size=(14, 3))
    cuts /= np.linalg.norm(cuts, axis=1, keepdims=True)
    reach = generator.uniform(0.62, 0.95, 14)
    # each ray from the center ends at the first plane that it meets
    ahead = np.maximum(sphere.vert @ cuts.T, 1e-9)
    radius = np.minimum((reach / ahead).min(axis=1), 1.0)
    return Shape(sphere.vert * radius[:, None] * np.asarray(half, float), sphere.face)


def icosphere(detail: int) -> Shape:
    """Return a unit sphere: an icosahedron whose triangles are subdivided `detail` times."""
    g = (1 + 5**0.5) / 2
    corners: list[tuple[float, float, float]] = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
    corners += [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    text = "0,11,5 0,5,1 0,1,7 0,7,10 0,10,11 1,5,9 5,11,4 11,10,2 10,7,6 7,1,8"
    text += " 3,9,4 3,4,2 3,2,6 3,6,8 3,8,9 4,9,5 2,4,11 6,2,10 8,6,7 9,8,1"
    vert = np.array(corners, float)
    face = np.array([[int(number) for number in triple.split(",")] for triple in text.split()])
    for _ in range(detail):
        a, b, c = vert[face[:, 0]], vert[face[:, 1]], vert[face[:, 2]]
        parts = [(a, a + b, c + a), (b, b + c, a + b), (c, c + a, b + c), (a + b, b + c, c + a)]
        scaled = [
            np.stack([corner / np.linalg.norm(corner, axis=1, keepdims=True) for corner in part], 1) for part in parts
        ]
        every = np.concatenate(scaled).reshape(-1, 3)
        unit = merged(Shape(every, np.arange(len(every)).reshape(-1, 3)))
        vert, face = unit.vert, unit.face
    return Shape(vert / np.linalg.norm(vert, axis=1, keepdims=True), face)


def creased(shape: Shape) -> Shape:
    """Return a copy of a shape whose smooth patches have separate vertices.

    So edges sharper than `CREASE` are rendered as sharp edges.
    """
    a, b, c = (shape.vert[shape.face[:, corner]] for corner in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    normal /= np.maximum(area, 1e-20)[:, None]
    around: list[list[tuple[int, int]]] = [[] for _ in shape.vert]
    for number, triple in enumerate(shape.face):
        for corner, vertex in enumerate(triple):
            around[vertex].append((number, corner))
    vert: list[Reals] = []
    face = np.empty_like(shape.face)
    for vertex, uses in enumerate(around):
        patches: list[list[tuple[int, int]]] = []
        # visit large faces first, so that bevels join the flat surfaces that they round
        for use in sorted(uses, key=lambda use: -area[use[0]]):
            for patch in patches:
                if normal[use[0]] @ normal[patch[0][0]] > np.cos(CREASE):
                    patch.append(use)
                    break
            else:
                patches.append([use])
        for patch in patches:
            for number, corner in patch:
                face[number, corner] = len(vert)
            vert.append(shape.vert[vertex])
    return Shape(np.array(vert), face)


def write_obj(shape: Shape, path: Path, title: str, decimals: int) -> None:
    """Write a shape to a Wavefront OBJ file.

    Args:
        shape: shape with positions in meters.
        path: path of the file.
        title: comment at the start of the file.
        decimals: number of decimal places of positions.
    """
    ready = creased(shape)
    lines = [f"# {title}"]
    rounded = ready.vert.round(decimals) + 0.0
    lines += ["v " + " ".join(f"{number:.{decimals}f}".rstrip("0").rstrip(".") for number in row) for row in rounded]
    lines += ["f " + " ".join(str(number + 1) for number in row) for row in ready.face]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
