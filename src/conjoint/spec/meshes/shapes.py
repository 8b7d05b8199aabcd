"""Meshes of simple shapes, for the mesh attribute `builtin` and MjSpec's `make_...` methods.

The order and precision of operations reproduce MuJoCo's vertices to the last bit, because rounding determines the
principal axes of symmetric shapes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, repeat
from math import copysign, cos, hypot, pi, radians, sin
from typing import Any

import numpy as np

from conjoint.spec.meshes.triangles import Reals, dot

MOST_VERTICES = 1 << 20
"""Maximum number of vertices of a shape."""
MOST_SUBDIVISIONS, MOST_RINGS = 4, 10
"""Maximum number of subdivisions of spheres, and of rings of hemispheres, as in MuJoCo."""
SHELL = 3
"""Value of mjtMeshInertia for a surface without volume."""


@dataclass
class Shape:
    """Vertices and their attributes, as flat lists. Without faces, the shape is the convex hull of the vertices.

    Attributes:
        shell: True for a surface without volume.
    """

    vert: Sequence[float]
    face: Sequence[int] = ()
    normal: Sequence[float] = ()
    shell: bool = False

    def values(self) -> dict[str, Any]:
        """Return the values of a mesh element with this shape, by name."""
        values = {"uservert": tuple(self.vert), "userface": tuple(self.face), "usernormal": tuple(self.normal)}
        return {
            **{name: value for name, value in values.items() if value},
            **({"inertia": SHELL} if self.shell else {}),
        }


def cone(nedge: int, radius: float) -> Shape:
    """Return a cone or prism of height 2 over a regular polygon.

    Args:
        nedge: number of corners of the bottom polygon, which has radius 1.
        radius: radius of the top polygon; 0 for a point.
    """
    _between("nedge", nedge, 3, MOST_VERTICES // 2)
    # the angles of the top polygon continue after a full turn
    bottom, top = ([2 * pi * i / nedge for i in range(k, k + nedge)] for k in (0, nedge))
    vertices = [x for angle in bottom for x in (cos(angle), sin(angle), -1.0)]
    if radius <= 0:
        return Shape([*vertices, 0.0, 0.0, 1.0])
    return Shape([*vertices, *(x for angle in top for x in (radius * cos(angle), radius * sin(angle), 1.0))])


def hemisphere(resolution: int) -> Shape:
    """Return a half sphere with a flat bottom: half an octahedron, subdivided and projected onto the sphere.

    Args:
        resolution: number of points that divide each edge.
    """
    _between("resolution", resolution, 0, MOST_RINGS)
    rings = resolution + 1
    vertices = [0.0, 0.0, 1.0]
    for ring in range(1, rings + 1):
        for sector in range(4):
            for j in range(ring):
                x, y = ((ring - j, j), (-j, ring - j), (j - ring, -j), (j, j - ring))[sector]
                length = hypot(x, y, rings - ring)
                vertices += [x / length, y / length, (rings - ring) / length]
    starts = [1 + 2 * ring * (ring - 1) for ring in range(1, rings + 1)]
    faces = [k for j in range(4) for k in (0, 1 + j, 1 + (j + 1) % 4)]
    for ring, (inner, outer) in enumerate(pairwise(starts), 1):
        for sector in range(4):
            a = [inner + (sector * ring + j) % (4 * ring) for j in range(ring + 1)]
            b = [outer + (sector * (ring + 1) + j) % (4 * (ring + 1)) for j in range(ring + 2)]
            faces += [a[0], b[0], b[1]]
            for j in range(ring):
                faces += [a[j], b[j + 1], a[j + 1], a[j + 1], b[j + 1], b[j + 2]]
    center, last, count = len(vertices) // 3, starts[-1], 4 * rings
    faces += [k for j in range(count) for k in (last + j, center, last + (j + 1) % count)]
    return Shape([*vertices, 0.0, 0.0, 0.0], faces)


def sphere(subdivision: int) -> Shape:
    """Return a sphere: an icosahedron with recursively subdivided faces.

    Args:
        subdivision: number of times that each face is divided into four.
    """
    _between("subdivision", subdivision, 0, MOST_SUBDIVISIONS)
    long = (1 + 5**0.5) / 2
    points = _on_sphere(np.array([
        (-1, long, 0), (1, long, 0), (-1, -long, 0), (1, -long, 0), (0, -1, long), (0, 1, long), (0, -1, -long),
        (0, 1, -long), (long, 0, -1), (long, 0, 1), (-long, 0, -1), (-long, 0, 1),
    ]))  # fmt: skip
    faces = np.array(_ICOSAHEDRON).reshape(-1, 3)
    for _ in range(subdivision):
        # edges ab, bc, ca of each face; their midpoints are numbered in order of appearance
        edges = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
        _, first, which = np.unique(edges[:, 0] * len(points) + edges[:, 1], return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first))
        ends = points[edges[np.sort(first)]]
        a, b, c = faces.T
        ab, bc, ca = (len(points) + rank[which]).reshape(-1, 3).T
        faces = np.stack([a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca], axis=1).reshape(-1, 3)
        points = np.concatenate([points, _on_sphere((ends[:, 0] + ends[:, 1]) / 2)])
    return Shape(points.ravel().tolist(), faces.ravel().tolist())


_ICOSAHEDRON = (
    0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6, 7, 1, 8,
    3, 9, 4, 3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9, 4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1,
)  # fmt: skip


def _on_sphere(points: Reals) -> Any:
    """Normalize points in single precision, so that rounding errors accumulate as in MuJoCo."""
    single = points.astype(np.float32)
    return single / np.sqrt(dot(single, single))[:, None]


def supertorus(resolution: int, radius: float, s: float, t: float) -> Shape:
    """Return a torus around z, whose ring has radius 1 and whose cross sections are shaped by exponents.

    Args:
        resolution: number of points around the ring, and around the tube.
        radius: radius of the tube.
        s: exponent of the tube's cross section.
        t: exponent of the ring's shape.
    """
    _between("resolution", resolution, 3, int(MOST_VERTICES**0.5))
    if not 0 < radius <= 1:
        raise ValueError(f"radius must be positive and at most 1, not {radius}")
    if s <= 0 or t <= 0:
        raise ValueError(f"the exponents must be positive, not {s} and {t}")
    angles = [2 * pi * i / resolution for i in range(resolution)]
    vertices = []
    for ring in angles:
        for tube in angles:
            reach = 1 + radius * _power(cos(tube), s)
            vertices += [reach * _power(cos(ring), t), reach * _power(sin(ring), t), radius * _power(sin(tube), s)]
    faces = []
    for i in range(resolution):
        here, there = i * resolution, (i + 1) % resolution * resolution
        for j in range(resolution):
            k = (j + 1) % resolution
            faces += [here + j, there + j, here + k, there + j, there + k, here + k]
    return Shape(vertices, faces)


def supersphere(resolution: int, e: float, n: float) -> Shape:
    """Return a unit sphere deformed by the exponents `e` around z and `n` along z.

    Args:
        resolution: number of points around z.
        e: exponent around z.
        n: exponent along z.
    """
    _between("resolution", resolution, 3, int(MOST_VERTICES**0.5))
    if e < 0 or n < 0:
        raise ValueError(f"the exponents must not be negative, as are {e} and {n}")
    count = resolution
    vertices = [0.0, 0.0, -1.0]
    for i in range(1, count):
        rise = -pi / 2 + pi * i / count
        reach, height = _power(cos(rise), n), _power(sin(rise), n)
        for j in range(count):
            turn = -pi + 2 * pi * j / count
            vertices += [reach * _power(cos(turn), e), reach * _power(sin(turn), e), height]
    after = [(j + 1) % count for j in range(count)]
    faces = [k for j in range(count) for k in (0, 1 + after[j], 1 + j)]
    for i in range(count - 2):
        a, b = 1 + i * count, 1 + (i + 1) * count
        for j, k in enumerate(after):
            faces += [a + j, a + k, b + j, a + k, b + k, b + j]
    last, top = 1 + (count - 2) * count, len(vertices) // 3
    faces += [k for j in range(count) for k in (last + j, last + after[j], top)]
    return Shape([*vertices, 0.0, 0.0, 1.0], faces)


def plate(resolution: Sequence[int]) -> Shape:
    """Return a square of points at cell centers, at z = -1, each with a frame (three axes), for tactile sensors.

    Args:
        resolution: numbers of columns and rows of cells.
    """
    _cells(resolution)
    rows, columns = ([-1 + (i + 0.5) * (2 / count) for i in range(count)] for count in resolution)
    vertices = [x for row in rows for column in columns for x in (row, column, -1.0)]
    faces = []
    for i in range(len(rows) - 1):
        for j in range(len(columns) - 1):
            a, b = i * len(columns) + j, (i + 1) * len(columns) + j
            faces += [a, b, a + 1, b + 1, a + 1, b]
    frames = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0] * (len(vertices) // 3)
    return Shape(vertices, faces, frames, shell=True)


def wedge(resolution: Sequence[int], fov: Sequence[float], gamma: float) -> Shape:
    """Return a part of a sphere around the sensor, with a point at the center of each cell, for tactile sensors.

    Each point has a frame, stored as normals: the directions from the center, to the right, and up.

    Args:
        resolution: numbers of columns and rows of cells.
        fov: half of the field of view, horizontally and vertically, in degrees.
        gamma: 0 for cells of equal size, up to 1 for smaller cells in the middle.
    """
    _cells(resolution)
    if not 0 <= gamma <= 1:
        raise ValueError(f"gamma must be 0 to 1, not {gamma}")
    if not (0 < fov[0] <= 180 and 0 < fov[1] <= 90):
        raise ValueError(f"fov must be positive, and at most 180 and 90, not {fov[0]} and {fov[1]}")
    vertices: list[float] = []
    frames: list[float] = []
    for azimuth in _middles(resolution[0], fov[0], gamma):
        for elevation in _middles(resolution[1], fov[1], gamma):
            out = (sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
            right = (cos(azimuth), 0.0, sin(azimuth))
            up = (-sin(azimuth) * sin(elevation), cos(elevation), cos(azimuth) * sin(elevation))
            vertices += out
            frames += [*out, *right, *up]
    return Shape(vertices, (), frames)


def _middles(count: int, fov: float, gamma: float) -> list[float]:
    """Return the angles of cell centers. Fifth powers move the cell edges toward 0, to the degree `gamma`."""
    edges = accumulate(repeat(2 / count, count), initial=-1.0)
    drawn = [(gamma * edge**5 + (1 - gamma) * edge) * radians(fov) for edge in edges]
    return [(a + b) / 2 for a, b in pairwise(drawn)]


def _cells(resolution: Sequence[int]) -> None:
    for count in resolution:
        _between("resolution", count, 1, MOST_VERTICES)
    _between("product of the resolutions", resolution[0] * resolution[1], 1, MOST_VERTICES)


def _between(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name} must be {least} to {most}, not {value}")


def _power(value: float, exponent: float) -> float:
    """Return a power of the absolute value of `value`, with the sign of `value`."""
    return copysign(abs(value) ** exponent, value)


@dataclass(frozen=True)
class _Builtin:
    """A built-in shape, with its function, parameter names, and number of integer parameters."""

    make: Callable[..., Shape]
    names: tuple[str, ...]
    whole: int = 1


BUILTIN = {
    "sphere": _Builtin(sphere, ("subdivision",)),
    "hemisphere": _Builtin(hemisphere, ("resolution",)),
    "cone": _Builtin(cone, ("nedge", "radius")),
    "supersphere": _Builtin(supersphere, ("resolution", "e", "n")),
    "supertorus": _Builtin(supertorus, ("resolution", "radius", "s", "t")),
    "wedge": _Builtin(
        lambda i, j, x, y, gamma: wedge((i, j), (x, y), gamma), ("columns", "rows", "fov x", "fov y", "gamma"), 2
    ),
    "plate": _Builtin(lambda i, j: plate((i, j)), ("columns", "rows"), 2),
}
"""Built-in shapes, by the keyword of the attribute builtin."""


def builtin(name: str, parameters: Sequence[float]) -> Shape:
    """Return the built-in shape called `name`.

    Raises:
        ValueError: the number of parameters is wrong, or a parameter is invalid.
    """
    shape = BUILTIN[name]
    if len(parameters) != len(shape.names):
        raise ValueError(f"a {name} has the parameters {', '.join(shape.names)}, but {len(parameters)} are given")
    return shape.make(*map(_whole, parameters[: shape.whole]), *parameters[shape.whole :])


def _whole(value: float) -> int:
    """Round towards zero. NaN and numbers that are not valid sizes become -1."""
    return int(value) if abs(value) < 1 << 31 else -1
