"""Points and elements of flexcomp shapes (XML Reference, body/flexcomp)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from conjoint.schema.enums import mjtMeshInertia

Count = tuple[int, int, int]
Vector = tuple[float, float, float]

MOST_POINTS = 5_000_000
"""Maximum number of points of a shape."""

# corners of a cube: numbered around the bottom, then around the top
_CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
_TETRAHEDRA = ((0, 3, 1, 7), (0, 1, 4, 7), (1, 3, 2, 7), (1, 2, 6, 7), (1, 5, 4, 7), (1, 6, 5, 7))
"""Tetrahedra that fill a cube."""
_TRIANGLES = ((0, 1, 2), (0, 2, 3))
_OTHER_TRIANGLES = ((0, 1, 3), (1, 2, 3))
"""Two triangles of a square that is cut from corner 1 to corner 3; `_TRIANGLES` are cut from corner 0 to corner 2."""


@dataclass
class Shape:
    """Points and elements of a flex.

    Attributes:
        dim: 1, 2 or 3: lines, triangles or tetrahedra.
        points: (npoint, 3) in m.
        elements: (nelement, dim + 1) points of each element.
        texcoord: (n, 2) texture coordinates; empty if the shape has none.
        texcoord_ids: ids of texture coordinates at the corners of elements; empty if each point has one.
    """

    dim: int
    points: np.ndarray
    elements: np.ndarray
    texcoord: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    texcoord_ids: np.ndarray = field(default_factory=lambda: np.zeros(0, int))


def grid(dim: int, count: Count, spacing: Vector, disc: bool = False) -> Shape:
    """Return a regular grid centered at the origin.

    For a `disc`, the diagonals of the squares are chosen so that they form a round pattern.

    Raises:
        ValueError: there are too few or too many points.
    """
    counts = np.array([*count[:dim], *(1,) * (3 - dim)])
    if min(count) < 1:
        raise ValueError("all counts must be at least 1")
    if dim == 2 and count[2] != 1:
        raise ValueError("in two dimensions the third count must be 1")
    if np.prod(counts.astype(float)) > MOST_POINTS:
        raise ValueError(f"more than {MOST_POINTS} points")
    if not np.isfinite(spacing).all():
        raise ValueError("the spacing must be finite")
    index = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    points = (index - 0.5 * (counts - 1)) * spacing
    texcoord = index[:, :2] / np.maximum(counts[:2] - 1, 1) if dim > 1 else np.zeros((0, 2))
    cells = index[(index[:, :dim] < counts[:dim] - 1).all(axis=1)]
    if not len(cells):
        raise ValueError("it has no elements: in each dimension two points are needed")
    numbers = np.array([counts[1] * counts[2], counts[2], 1])

    def corner(offset: tuple[int, int, int]) -> np.ndarray:
        """Return, for each cell, the index of the point at one of its corners."""
        return (cells + offset) @ numbers

    if dim == 1:
        elements = np.stack([corner((0, 0, 0)), corner((1, 0, 0))], axis=1)
    elif dim == 2:
        corners = np.stack([corner(offset) for offset in _CORNERS[:4]], axis=1)
        half = counts[:2] // 2
        other = (cells[:, 0] < half[0]) != (cells[:, 1] < half[1]) if disc else np.zeros(len(cells), bool)
        elements = np.where(other[:, None, None], corners[:, _OTHER_TRIANGLES], corners[:, _TRIANGLES]).reshape(-1, 3)
    else:
        elements = np.stack([corner(offset) for offset in _CORNERS], axis=1)[:, _TETRAHEDRA].reshape(-1, 4)
    return Shape(dim, points, elements, texcoord)


def disc(count: Count, spacing: Vector) -> Shape:
    """Return a grid deformed to a disc: concentric squares of points become circles or ellipses."""
    shape = grid(2, count, spacing, disc=True)
    size = np.array([0.5 * spacing[0] * (count[0] - 1), 0.5 * spacing[1] * (count[1] - 1)])
    shape.points = _round(shape.points, size)
    return shape


def circle(count: Count, spacing: Vector) -> Shape:
    """Return a closed polygon of `count - 1` points with sides of length `spacing`."""
    sides = count[0] - 1
    if not 2 <= sides <= MOST_POINTS:
        raise ValueError("a circle needs a count of at least 3")
    radius = spacing[0] / (2 * np.sin(np.pi / sides))
    # in MuJoCo's order: a cable in contact with a cylinder depends on the last bit
    angle = np.arange(sides) * (2 * np.pi / sides)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(sides)], axis=1)
    index = np.arange(sides)
    return Shape(1, points, np.stack([index, (index + 1) % sides], axis=1))


def shell(kind: str, count: Count, spacing: Vector) -> Shape:
    """Return a box, cylinder or ellipsoid of tetrahedra between its surface and its center, which is point 0.

    Raises:
        ValueError: there are too few or too many points.
    """
    sides = [(axis, end) for axis in (2, 1, 0) for end in (0, count[axis] - 1)]
    numbers, texcoord = _surface(sides, count)
    elements: list[tuple[int, ...]] = []
    for axis, end in sides:
        for a, b, c, d in _squares(axis, end, count, numbers):
            elements += [(0, a + 1, b + 1, c + 1), (0, a + 1, d + 1, c + 1)]
    points = np.concatenate([np.zeros((1, 3)), _placed(kind, count, spacing, numbers)])
    return Shape(3, points, np.array(elements), np.array([(0.0, 0.0), *texcoord]))


def open_shell(kind: str, count: Count, spacing: Vector) -> Shape:
    """Return the surface of a box, cylinder or ellipsoid without the top, as triangles that face outward.

    Raises:
        ValueError: there are too few or too many points.
    """
    sides = [(2, 0), *((axis, end) for axis in (1, 0) for end in (0, count[axis] - 1))]
    numbers, _ = _surface(sides, count)
    elements: list[tuple[int, ...]] = []
    for axis, end in sides:
        # go around the square, as seen from outside
        forward = (axis == 1) == (end == 0)
        for a, b, c, d in _squares(axis, end, count, numbers):
            if axis == 2:
                elements += [(a, c, b), (a, d, c)]
            else:
                elements += [(a, b, c), (a, c, d)] if forward else [(b, a, d), (b, d, c)]
    return Shape(2, _placed(kind, count, spacing, numbers), np.array(elements))


def _surface(
    sides: Iterable[tuple[int, int]], count: Count
) -> tuple[dict[tuple[int, ...], int], list[tuple[float, float]]]:
    """Number the points on some sides of a grid, one side after the other, and compute their texture coordinates.

    Returns:
        Indices of the points by grid coordinates, and texture coordinates.

    Raises:
        ValueError: there are too few or too many points.
    """
    if min(count) < 2:
        raise ValueError("all counts must be at least 2")
    if 2.0 * (count[0] * count[1] + count[1] * count[2] + count[0] * count[2]) > MOST_POINTS:
        raise ValueError(f"more than {MOST_POINTS} points")
    numbers: dict[tuple[int, ...], int] = {}
    texcoord = []
    for axis, end in sides:
        u, v = (other for other in range(3) if other != axis)
        for i, j in product(range(count[u]), range(count[v])):
            place = _at(axis, end, i, j)
            if place not in numbers:
                numbers[place] = len(numbers)
                texcoord.append((i / (count[u] - 1), j / (count[v] - 1)))
    return numbers, texcoord


def _squares(axis: int, end: int, count: Count, numbers: dict[tuple[int, ...], int]) -> Iterator[tuple[int, ...]]:
    """Yield, for each square on the side `end` of `axis`, the indices of its corners in order around the square."""
    u, v = (other for other in range(3) if other != axis)
    for i, j in product(range(count[u] - 1), range(count[v] - 1)):
        corners = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
        yield tuple(numbers[_at(axis, end, *corner)] for corner in corners)


def _placed(kind: str, count: Count, spacing: Vector, places: Iterable[tuple[int, ...]]) -> np.ndarray:
    """Return the positions of surface points, given their grid coordinates."""
    unit = 2.0 * np.array(list(places)) / (np.array(count) - 1) - 1.0
    if kind == "ellipsoid":
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    elif kind == "cylinder":
        unit = _round(unit, np.ones(2))
    return unit * (0.5 * np.array(spacing) * (np.array(count) - 1))


def _at(axis: int, end: int, i: int, j: int) -> tuple[int, ...]:
    """Return the grid coordinates of the point (i, j) on the side `end` of `axis`."""
    place = [i, j]
    place.insert(axis, end)
    return tuple(place)


def _round(points: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Move points from squares around the z axis to ellipses around it.

    The semi-axes are half the side of the square times `size`.
    """
    reach = np.abs(points[:, :2]).max(axis=1)[:, None]
    length = np.linalg.norm(points[:, :2], axis=1)[:, None]
    result = points.copy()
    # in MuJoCo's order: contacts of round shapes depend on the last bit
    result[:, :2] = points[:, :2] / np.where(length > 0, length, 1.0) * (reach * size)
    return result


SOLID = "grid box cylinder ellipsoid"
"""Shapes made of tetrahedra, or of triangles if the last parameter is 2."""
FLAT = "square disc"
"""Planar shapes, made of triangles."""
MOST = 1 << 31
"""Exclusive upper bound for the number of points along an axis."""


def made_of(kind: str, count: Count, spacing: Vector, dim: int = 3) -> Shape:
    """Return the points and elements of a shape.

    Args:
        kind: one of `SOLID` or `FLAT`.
        count: numbers of points along each axis.
        spacing: distances between neighboring points along each axis, in m.
        dim: 3 for tetrahedra, 2 for triangles. With 2, a box, cylinder or ellipsoid is a surface that is open at the
            top.

    Raises:
        ValueError: there is no such shape.
    """
    if kind in FLAT.split():
        return disc(count, spacing) if kind == "disc" else grid(2, count, spacing)
    if dim not in (2, 3):
        raise ValueError(f"a {kind} has dim 2 or 3, not {dim!r}")
    if kind == "grid":
        return grid(dim, count, spacing)
    return shell(kind, count, spacing) if dim == 3 else open_shell(kind, count, spacing)


def of_parameters(kind: str, parameters: Sequence[float]) -> Shape:
    """Return the shape for parameters in a file: counts along three axes, spacings, and dimension.

    Raises:
        ValueError: the number of parameters is wrong, or a parameter is invalid.
    """
    most = 6 if kind in FLAT.split() else 7
    if not 6 <= len(parameters) <= most:
        more = ", and dim (2 or 3) if it is given" if most > 6 else ""
        raise ValueError(f"a {kind} has three counts and three spacings{more}; {len(parameters)} numbers are given")
    whole = [int(value) if abs(value) < MOST else -1 for value in (*parameters[:3], *parameters[6:])]
    x, y, z = parameters[3:6]
    return made_of(kind, (whole[0], whole[1], whole[2]), (x, y, z), *whole[3:])


def mesh_values(shape: Shape, inertia: int) -> dict[str, Any]:
    """Return the values of a mesh with this shape. If the shape consists of tetrahedra, the mesh is their convex hull.

    Args:
        shape: the shape.
        inertia: inertia mode of the mesh; for a surface, which has no volume, the shell mode replaces the legacy mode.
    """
    points, elements = tuple(shape.points.ravel().tolist()), tuple(shape.elements.ravel().tolist())
    solid = shape.dim == 3
    flat = not solid and inertia == mjtMeshInertia.mjMESH_INERTIA_LEGACY
    return {
        "uservert": points, "usernode": points, "usertet": elements if solid else (),
        "userface": () if solid else elements, "inertia": int(mjtMeshInertia.mjMESH_INERTIA_SHELL) if flat else inertia,
    }  # fmt: skip
