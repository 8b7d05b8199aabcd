"""Meshes of simple shapes: vertices and faces, as flat lists."""

from __future__ import annotations

from itertools import pairwise
from math import copysign, cos, hypot, pi, radians, sin

Shape = tuple[list[float], list[int]]
"""Vertices and faces, three numbers each; no faces stand for the convex hull."""


def cone(nedge: int, radius: float) -> Shape:
    """A cone or prism of height 2 over a regular polygon; the top is smaller by `radius`, or a point if that is 0."""
    _at_least("nedge", nedge, 3)
    angles = [2 * pi * i / nedge for i in range(nedge)]
    vertices = [x for angle in angles for x in (cos(angle), sin(angle), -1.0)]
    if not radius:
        return [*vertices, 0.0, 0.0, 1.0], []
    return [*vertices, *(x for angle in angles for x in (radius * cos(angle), radius * sin(angle), 1.0))], []


def hemisphere(resolution: int) -> Shape:
    """The upper half of an octahedron whose faces are divided, blown up to a half sphere, with a flat bottom."""
    _at_least("resolution", resolution, 1)
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
    return [*vertices, 0.0, 0.0, 0.0], faces


def sphere(subdivision: int) -> Shape:
    """An icosahedron whose faces are divided into four, again and again, with all vertices on a sphere."""
    if not 0 <= subdivision <= MOST_SUBDIVISIONS:
        raise ValueError(f"subdivision must be 0 to {MOST_SUBDIVISIONS}, not {subdivision}")
    long = (1 + 5**0.5) / 2
    points = [_on_sphere(point) for point in (
        (-1, long, 0), (1, long, 0), (-1, -long, 0), (1, -long, 0), (0, -1, long), (0, 1, long), (0, -1, -long),
        (0, 1, -long), (long, 0, -1), (long, 0, 1), (-long, 0, -1), (-long, 0, 1),
    )]  # fmt: skip
    faces = [_ICOSAHEDRON[i : i + 3] for i in range(0, len(_ICOSAHEDRON), 3)]
    for _ in range(subdivision):
        middles: dict[tuple[int, int], int] = {}

        def middle(a: int, b: int, middles: dict[tuple[int, int], int] = middles) -> int:
            """Vertex between two others, made when it is first asked for."""
            key = (min(a, b), max(a, b))
            if key not in middles:
                middles[key] = len(points)
                points.append(_on_sphere(tuple((x + y) / 2 for x, y in zip(points[a], points[b], strict=True))))
            return middles[key]

        divided: list[tuple[int, ...]] = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            divided += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = divided
    return [x for point in points for x in point], [k for face in faces for k in face]


MOST_SUBDIVISIONS = 4
"""As many as the official package allows."""

_ICOSAHEDRON = (
    0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6, 7, 1, 8,
    3, 9, 4, 3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9, 4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1,
)  # fmt: skip


def supertorus(resolution: int, radius: float, s: float, t: float) -> Shape:
    """A torus of radius 1 around z, whose tube has a radius, with the exponents `s` of the tube and `t` of the ring."""
    _at_least("resolution", resolution, 3)
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
    return vertices, faces


def supersphere(resolution: int, e: float, n: float) -> Shape:
    """A sphere with the exponents `e` around z and `n` along it."""
    _at_least("resolution", resolution, 3)
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
    return [*vertices, 0.0, 0.0, 1.0], faces


def plate(resolution: tuple[int, int]) -> tuple[list[float], list[int], list[float]]:
    """A square of points in the middles of cells at z = -1, with a frame (three axes) at each, for tactile sensors."""
    rows, columns = (_middles(count, 0.0) for count in resolution)
    vertices = [x for row in rows for column in columns for x in (row, column, -1.0)]
    faces = []
    for i in range(len(rows) - 1):
        for j in range(len(columns) - 1):
            a, b = i * len(columns) + j, (i + 1) * len(columns) + j
            faces += [a, b, a + 1, b + 1, a + 1, b]
    frames = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0] * (len(vertices) // 3)
    return vertices, faces, frames


def wedge(resolution: tuple[int, int], fov: tuple[float, float], gamma: float) -> tuple[list[float], list[float]]:
    """A part of a sphere seen from its center: points in the middles of cells, with a frame at each.

    Args:
        resolution: columns and rows of cells.
        fov: half of the field of view, horizontally and vertically, in degrees.
        gamma: 0 for cells of one size, up to 1 for smaller cells in the middle.

    Returns:
        Vertices; and at each of them the direction from the center, to the right, and up.
    """
    if not 0 <= gamma <= 1:
        raise ValueError(f"gamma must be 0 to 1, not {gamma}")
    if not (0 < fov[0] <= 180 and 0 < fov[1] <= 90):
        raise ValueError(f"fov must be positive, and at most 180 and 90, not {fov[0]} and {fov[1]}")
    vertices: list[float] = []
    frames: list[float] = []
    for azimuth in (radians(fov[0] * x) for x in _middles(resolution[0], gamma)):
        for elevation in (radians(fov[1] * y) for y in _middles(resolution[1], gamma)):
            out = (sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
            right = (cos(azimuth), 0.0, sin(azimuth))
            up = (-sin(azimuth) * sin(elevation), cos(elevation), cos(azimuth) * sin(elevation))
            vertices += out
            frames += [*out, *right, *up]
    return vertices, frames


def _middles(count: int, gamma: float) -> list[float]:
    """Middles of cells between -1 and 1, whose edges are drawn to 0 by the fifth power, to the degree `gamma`."""
    _at_least("resolution", count, 1)
    edges = [-1 + 2 * i / count for i in range(count + 1)]
    drawn = [gamma * edge**5 + (1 - gamma) * edge for edge in edges]
    return [(a + b) / 2 for a, b in pairwise(drawn)]


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")


def _power(value: float, exponent: float) -> float:
    """Power that keeps the sign."""
    return copysign(abs(value) ** exponent, value)


def _on_sphere(point: tuple[float, ...]) -> tuple[float, ...]:
    """The point in the same direction at distance 1."""
    length = hypot(*point)
    return tuple(x / length for x in point)
