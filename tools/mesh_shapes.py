"""Shapes of mesh parts, made by formulas with exact normals: lathed solids, and rounded plates of convex outlines.

A part is a list of vertices, one of normals and one of triangles. `write_msh` writes MuJoCo's MSH format, whose files
are a third of binary STL and have normals.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Circle = tuple[float, float, float]
"""Center x, y and radius (m)."""

SHARP = np.radians(25)
"""Angle (rad) between two pieces of a profile from which their edge is sharp."""


@dataclass(frozen=True)
class Part:
    """A surface of triangles.

    Attributes:
        vertices: positions (m), shape (n, 3).
        normals: outward, of length 1, shape (n, 3).
        faces: vertices of each triangle, counterclockwise from outside, shape (m, 3).
    """

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray

    def moved(self, place: Sequence[float] = (0, 0, 0), axes: Sequence[int] = (0, 1, 2)) -> Part:
        """Return the part with its axes permuted cyclically, then moved.

        Args:
            place: what is added to each vertex (m).
            axes: axis of this part that becomes x, y and z: (0, 1, 2), (1, 2, 0) or (2, 0, 1).
        """
        return Part(self.vertices[:, axes] + place, self.normals[:, axes], self.faces)


def joined(*parts: Part) -> Part:
    """Return several parts as one."""
    starts = np.cumsum([0] + [len(part.vertices) for part in parts[:-1]])
    faces = [part.faces + start for part, start in zip(parts, starts, strict=True)]
    return Part(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate(faces),
    )


def arc(center: tuple[float, float], radius: float, start: float, end: float, pieces: int = 5) -> list[np.ndarray]:
    """Return points of an arc, for profiles.

    Args:
        center: radius and height (m) of its center.
        radius: of the arc (m).
        start, end: angles (degrees) from the outward direction towards up.
        pieces: number of straight pieces.
    """
    angles = np.radians(np.linspace(start, end, pieces + 1))
    return [np.array(center) + radius * np.array([np.cos(angle), np.sin(angle)]) for angle in angles]


def lathe(profile: Sequence[Sequence[float]], sides: int = 32) -> Part:
    """Return the solid that a profile sweeps about the z-axis.

    Args:
        profile: points (radius, height) in m, from the bottom to the top on the outside; the ends are closed by disks.
        sides: number of vertices of a circle.
    """
    points = [np.asarray(point, dtype=float) for point in profile]
    points = [np.array([0.0, points[0][1]]), *points, np.array([0.0, points[-1][1]])]
    points = [a for a, b in zip(points, [*points[1:], None], strict=True) if b is None or np.linalg.norm(b - a) > 1e-9]
    ways = [np.array([b[1] - a[1], a[0] - b[0]]) / np.linalg.norm(b - a) for a, b in itertools.pairwise(points)]
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    vertices, normals, faces, count = [], [], [], 0
    for k, way in enumerate(ways):
        for point, other in ((points[k], ways[k - 1] if k else way), (points[k + 1], ways[min(k + 1, len(ways) - 1)])):
            sharp = way @ other < np.cos(SHARP)
            normal = way if sharp else (way + other) / np.linalg.norm(way + other)
            vertices.append(np.column_stack([point[0] * around, np.full(sides, point[1])]))
            normals.append(np.column_stack([normal[0] * around, np.full(sides, normal[1])]))
        faces.append(_band(count, count + sides, sides, points[k][0] > 0, points[k + 1][0] > 0))
        count += 2 * sides
    return _lean(Part(np.concatenate(vertices), np.concatenate(normals), np.concatenate(faces)))


def outline(circles: Sequence[Circle], samples: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Return the convex hull of circles: its points counterclockwise, and their outward normals.

    Args:
        circles: two for a tapered bar, four for a rectangle with round corners.
        samples: number of directions; those at which circles change are added.
    """
    centers, radii = np.array(circles)[:, :2], np.array(circles)[:, 2]

    def owner(angle: float) -> int:
        return int(np.argmax(centers @ [np.cos(angle), np.sin(angle)] + radii))

    # off the axes, where circles of a symmetric outline change
    angles = np.linspace(0, 2 * np.pi, samples, endpoint=False) + 1e-3
    found: list[tuple[float, int]] = []
    for angle, after in zip(angles, np.roll(angles, -1), strict=True):
        found.append((angle, owner(angle)))
        low, high = angle, after if after > angle else after + 2 * np.pi
        if owner(low) != owner(high):
            for _ in range(40):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if owner(middle) == owner(angle) else (low, middle)
            found += [(low, owner(low)), (high, owner(high))]
    ways = np.array([[np.cos(angle), np.sin(angle)] for angle, _ in found])
    which = [circle for _, circle in found]
    return centers[which] + radii[which, None] * ways, ways


def plate(circles: Sequence[Circle], thickness: float, fillet: float, samples: int = 40, rings: int = 4) -> Part:
    """Return a plate whose outline is the convex hull of circles, with round edges; its middle is at height 0.

    Args:
        circles: of the outline, none smaller than `fillet`.
        thickness: along z (m).
        fillet: radius of its edges (m), at most half of the thickness.
        samples: directions of the outline.
        rings: pieces of an edge.
    """
    points, ways = outline(circles, samples)
    heights, rises = [], np.concatenate([np.linspace(-90, 0, rings + 1), np.linspace(0, 90, rings + 1)])
    vertices, normals = [], []
    for k, rise in enumerate(np.radians(rises)):
        height = (thickness / 2 - fillet) * (1 if k > rings else -1) + fillet * np.sin(rise)
        heights.append(height)
        vertices.append(np.column_stack([points - fillet * (1 - np.cos(rise)) * ways, np.full(len(points), height)]))
        normals.append(np.column_stack([np.cos(rise) * ways, np.full(len(points), np.sin(rise))]))
    n = len(points)
    faces = [_band(k * n, (k + 1) * n, n) for k in range(len(rises) - 1)]
    fan = np.column_stack([np.zeros(n - 2, int), np.arange(1, n - 1), np.arange(2, n)])
    faces += [fan[:, ::-1], fan + (len(rises) - 1) * n]
    return _lean(Part(np.concatenate(vertices), np.concatenate(normals), np.concatenate(faces)))


def box(x: float, y: float, z: float, corner: float, fillet: float) -> Part:
    """Return a box about the origin with round edges.

    Args:
        x, y, z: lengths (m).
        corner: radius of the four edges along z (m), at least `fillet`.
        fillet: radius of the other edges (m).
    """
    a, b = x / 2 - corner, y / 2 - corner
    return plate([(a, b, corner), (-a, b, corner), (-a, -b, corner), (a, -b, corner)], z, fillet, samples=24, rings=3)


def _band(lower: int, upper: int, sides: int, below: bool = True, above: bool = True) -> np.ndarray:
    """Return triangles between two rings of vertices; a ring that is a point (not `below`, `above`) has none."""
    one = np.arange(sides)
    two = np.roll(one, -1)
    faces = []
    if below:
        faces.append(np.column_stack([lower + one, lower + two, upper + (two if above else one)]))
    if above:
        faces.append(np.column_stack([lower + one, upper + two, upper + one]))
    return np.concatenate(faces)


def _lean(part: Part) -> Part:
    """Return the part without triangles of no area and with equal vertices of equal normals merged."""
    rows = np.round(np.concatenate([part.vertices, part.normals], axis=1), 7) + 0.0
    unique, which = np.unique(rows, axis=0, return_inverse=True)
    faces = which.reshape(-1)[part.faces]
    full = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])
    used, faces = np.unique(faces[full], return_inverse=True)
    return Part(unique[used, :3], unique[used, 3:], faces.reshape(-1, 3))


def write_msh(part: Part, path: Path) -> None:
    """Write a part as a MSH file: four counts, then vertices, normals and faces."""
    path.parent.mkdir(parents=True, exist_ok=True)
    n = len(part.vertices)
    header = np.array([n, n, 0, len(part.faces)], "<i4")
    blocks = (header, part.vertices.astype("<f4"), part.normals.astype("<f4"), part.faces.astype("<i4"))
    path.write_bytes(b"".join(block.tobytes() for block in blocks))
