"""Polygons to triangles, by cutting off ears (Meisters 1975; O'Rourke, Computational Geometry in C, 1.6.5)."""

import numpy as np
from numpy.typing import NDArray

from conjoint.spec.meshes.triangles import Singles, cross

FLAT = float(np.finfo(np.float32).eps)
"""Corners with smaller vector products have no plane."""


def cut(points: Singles) -> list[tuple[int, int, int]]:
    """Triangles of the polygon `points` (n, 3), as rows of it.

    Ears are looked for from where the last was found; what cannot be cut, as the polygon crosses itself, is left out.
    The rounding of single precision decides about corners in a line, as in the official compiler's reader.
    """
    flat = points[:, _plane(points)]
    following = np.roll(flat, -1, axis=0)
    area = np.add.accumulate(flat[:, 0] * following[:, 1] - flat[:, 1] * following[:, 0])[-1]
    left = list(range(len(flat)))
    triangles = []
    at, before, tries = 0, len(left), len(left)
    # an ear found at the last try is the last one, as in the official compiler's reader
    while len(left) > 3 and tries > 0:
        count = len(left)
        at %= count
        before, tries = count, tries - 1 if before == count else count
        ear = (left[at], left[(at + 1) % count], left[(at + 2) % count])
        others = [i for i in left if i not in ear]
        a, b, c = flat[list(ear)]
        turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        if turn * area < 0 or _inside((a, b, c), flat[others]):
            at += 1
            continue
        triangles.append(ear)
        del left[(at + 1) % count]
    if len(left) == 3:
        triangles.append((left[0], left[1], left[2]))
    return triangles


def cut_quads(points: Singles) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Both triangles of quadrilaterals (n, 4, 3), as `cut` has them, and where the first corner is an ear.

    Where it is not, the triangles are to be had from `cut`.
    """
    parts = np.broadcast_to(np.array([[0, 1, 2], [0, 2, 3]]), (len(points), 2, 3))
    size = np.abs(cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 1]))
    # the plane as `_plane` chooses it
    first = (size[:, 0] > size[:, 1]) & (size[:, 0] > size[:, 2])
    last = (size[:, 2] > size[:, 0]) & (size[:, 2] > size[:, 1])
    x = np.where(first[:, None], points[:, :, 1], points[:, :, 0])
    y = np.where(last[:, None], points[:, :, 1], points[:, :, 2])
    area = (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)
    turn = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 1]) - (y[:, 1] - y[:, 0]) * (x[:, 2] - x[:, 1])
    odd = np.zeros(len(points), bool)
    for i, j in ((0, 2), (1, 0), (2, 1)):
        crosses = (y[:, i] > y[:, 3]) != (y[:, j] > y[:, 3])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = (x[:, j] - x[:, i]) * (y[:, 3] - y[:, i]) / (y[:, j] - y[:, i]) + x[:, i]
        odd ^= crosses & (x[:, 3] < at)
    return parts, (size > FLAT).any(axis=1) & (turn * area >= 0) & ~odd


def _plane(points: Singles) -> tuple[int, int]:
    """The two coordinates in which the polygon is largest, judged at its first corner that is not flat."""
    count = len(points)
    for i in range(count):
        a, b, c = points[i], points[(i + 1) % count], points[(i + 2) % count]
        size = np.abs(np.cross(b - a, c - b))
        if (size > FLAT).any():
            if size[0] > size[1] and size[0] > size[2]:
                return 1, 2
            return (0, 1) if size[2] > size[0] and size[2] > size[1] else (0, 2)
    return 1, 2


def _inside(triangle: tuple, points: Singles) -> bool:
    """True if a ray from one of the points crosses the triangle's border an odd number of times."""
    x, y = points[:, 0], points[:, 1]
    odd = np.zeros(len(points), bool)
    for a, b in zip(triangle, (triangle[2], *triangle[:2]), strict=True):
        if a[1] != b[1]:
            crosses = (a[1] > y) != (b[1] > y)
            odd ^= crosses & (x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0])
    return bool(odd.any())
