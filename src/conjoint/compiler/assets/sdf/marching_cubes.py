"""Surfaces of functions on a grid: marching cubes (Lorensen & Cline, Marching Cubes, SIGGRAPH 1987).

The order of vertices and triangles, and the diagonals that divide polygons, are those of MuJoCo's compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import floor, isfinite
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from conjoint.lang import Formula
from conjoint.lang.language.formula import Symbol
from conjoint.physics.plugin.plugin import mjpPlugin, settings
from conjoint.physics.plugins import PLUGINS
from conjoint.spec.meshes.triangles import Integers, Reals, Singles, Triangles, cross, dot

PRIMITIVES: dict[str, Callable[..., Any]] = {
    "where": np.where,
    "minimum": lambda a, b: np.where(a < b, a, b),
    "maximum": lambda a, b: np.where(a > b, a, b),
    "abs": np.abs,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "negative": np.signbit,
    "fma": lambda a, b, c: a * b + c,
}
"""Array versions of elementary functions, by name."""


class Samples(NDArrayOperatorsMixin, Symbol):
    """Values at many points, which a formula treats like a single number."""

    __slots__ = ("values",)

    def __init__(self, values: Any):
        self.values = values

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Samples:
        return Samples(getattr(ufunc, method)(*map(values_of, inputs), **options))

    def primitive(self, name: str, *args: Any) -> Samples:
        return Samples(PRIMITIVES[name](*map(values_of, args)))

    def exactly(self) -> Samples:
        return self

    def as_free_as(self, other: Symbol) -> Samples:
        return self


def values_of(number: Any) -> Any:
    """Return the array of a `Samples` object. Other numbers are returned unchanged."""
    return number.values if isinstance(number, Samples) else number


def sampled(distance: Callable[..., Any], *points: Reals, settings: tuple[float, ...]) -> Reals:
    """Evaluate a signed distance at points whose coordinates are broadcast.

    `distance` is a formula, or a function of arrays.
    """
    if not isinstance(distance, Formula):
        return np.asarray(distance(*points, *settings))
    return np.asarray(values_of(distance(*map(Samples, points), *settings)))


Counts = NDArray[np.int64]

_TRIANGLES = (
    "- 048 509 495489 1a4 1801a8 1a4950 51a5a99a8 b15 5b1804 0b109b 14818bb89 a5ba45 05b0b88ba 40949aa9b 8ba89b 286 "
    "062046 950628 295256654 41a286 a62a21120 0958621a4 61a621251295 28615b 604620b15 b09b10628 46162916919b "
    "5a45ba286 2a625a5ba052 286a9ba49409 2a629a9ba 927 048792 250275 827874475 1a4279 1801a8792 250275a41 "
    "827871175a81 b15279 0485b1279 7b1712210 48242112717b a5ba45279 7928ba80b05b ba7a407a0702 7827b8ba8 879867 "
    "904947746 086065567 467475 7867981a4 79661a916901 a41567506086 a51a65675 87986715b 15b746794904 08606bb6710b "
    "17b147467 4ba45b698679 670ba0a605b0790 ba06707b0860a40 67b6ba 36a a36048 36a095 94895436a 341364 680603301 "
    "341364950 958836538513 36a5b1 15b48036a 0b109b6a3 6a3b89b18148 b36b65564 8368030b305b 6b360b09b406 6b368b89b "
    "2a328a 4a3430032 a28a32509 34a394954293 841812213 013032 509213281841 529512132 2a328a5b1 b150320434a3 "
    "38a32819b109 9b4324294a34b14 5b4428b24b32 b05b30320 3249b4b34094284 32939b 792a36 2796a3048 527502a36 "
    "36a475487827 436413927 927301360680 164136075027 138758518278368 36a79215b 0486a379215b a362102717b1 "
    "36ab17127142482 2795645b6b36 2798060360535b3 02b64b40b36b27b 6838b387b827 37939aa98 a04a30390379 8a0a370a7075 "
    "34a374754 184178798371 937903013 758138378418508 137175 5b1a98a39379 15ba34304370790 8a7107087b17a37 "
    "37a74a7147b1 4539838437935b3 9070370b305b 08437b 7b3 73b 0483b7 5093b7 4954893b7 b7341a 81a80173b 1a4b73095 "
    "3b79a895a51a 173157 715731804 973930031 148187789317 3a4347745 80aa7307a057 a40a03309397 3973a9a89 286b73 "
    "062046b73 2869503b7 b73654625295 3b7a41286 73b1201a2a62 1a48629503b7 3b762a21a291951 173157862 246204357315 "
    "628031093973 469319149739629 8627457343a4 57a20a05a62a73a 2867393093a0a40 2969a693a973 3923b9 3923b9480 "
    "b50b03302 54b482b42b23 93b92341a 0a801a2b923b 41a3023b0b50 235a858251a53b5 592521123 804123152592 031023 "
    "814821231 3a4349945239 a852353a5925805 43a403023 23a2a8 63b6b88b9 63b6b00b9460 86383003b0b5 b63b56546 "
    "1a48b986b63b 016b969063b61a6 1a450b03b083863 a616516b563b 985863583531 319469639049159 608630310 314346 "
    "983453593a43863 3a6059 6383083403a4 3a6 6b76ab b6ab76048 6b76ab095 854895a76ab7 1b7174476 0680b6b761b0 "
    "9504764171b7 891761681b71951 a15a56657 0486576a5a15 7696a1961910 7618919714816a1 476457 068056576 940974764 "
    "897876 72878bb8a b7aa0470a720 095b8ab78728 ab25424a2952b72 4284121721b7 71b721201 0954181281b2b72 5191291721b7 "
    "872817157a18 20a57a72a15a04a 1078a7a17287097 14a297 872847457 205257 842472497409 972 26a2a99ab 4809ab92a26a "
    "26a2a55ab025 542ab2b526a2482 4166921961b9 b960161b6806926 64b02b26b50b41b 2681b5 6a1612215259 0489252152616a1 "
    "a26a12102 a16126182148 259265645 058568526592 026064 268 8ab8b9 4904a9ab9 0b508b8ab ab5a54 1841b8b98 01b0b9 "
    "1b4b84b08b50 b51 5a159a98a 4a0a90a59a15 10818a 14a 459498 590 084 - "
)
"""Triangles for every set of corners that are inside the surface, each given by three edges of the cube.

Each bit of a set stands for a corner. Corner x + 2 y + 4 z is at x, y, z, each 0 or 1. Edges 0 to 3 are along x, 4 to 7
along y, and 8 to b along z. In each direction, the other two coordinates are 00, 10, 01, 11.
"""
_EDGES = [[] if row == "-" else [int(edge, 16) for edge in row] for row in _TRIANGLES.split()]
_COUNT = np.array([len(edges) // 3 for edges in _EDGES])
_TABLE = np.array([edges + [0] * (15 - len(edges)) for edges in _EDGES]).reshape(256, 5, 3)

_OTHERS = ((1, 2), (0, 2), (0, 1))
"""For each axis, the other two axes."""


def marching_cubes(field: Singles) -> tuple[Singles, Integers, Singles]:
    """Return a triangle mesh of the surface that separates negative values of `field` from other values.

    Args:
        field: values at the points of a grid, by x, y and z.

    Returns:
        Vertices in units of the grid (n, 3), triangles (m, 3), and unit normals at the vertices (n, 3), zero if all
        adjacent triangles are degenerate.
    """
    inside = field < 0
    vert, number = _crossings(field, inside)
    cells, configuration = _cut_cells(inside)
    count = _COUNT[configuration]
    # row of the cell of each triangle, and index of the triangle in the cell
    which = np.repeat(np.arange(len(cells)), count)
    part = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    edge = _TABLE[configuration[which], part]
    face = _vertex_of(number, cells[which], edge)
    return vert, face, _normals(vert, face)


def _crossings(field: Singles, inside: NDArray[np.bool_]) -> tuple[Singles, list[Counts]]:
    """Return the points where the surface crosses grid edges, and the index of each edge's crossing, by axis.

    Crossings are sorted by the first cell that contains the edge, x fastest, and within a cell by the order of its
    edges.
    """
    places, keys, ats = [], [], []
    shape = np.array(field.shape)
    for axis in range(3):
        low, high = (np.moveaxis(inside, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        at = np.argwhere(np.moveaxis(low != high, 0, axis))
        step = np.eye(3, dtype=np.int64)[axis]
        start, end = field[tuple(at.T)], field[tuple((at + step).T)]
        place = at.astype(np.float32)
        place[:, axis] += start / (start - end)
        # an edge belongs to the first of the cells around it
        cell = at - 1
        cell[:, axis] += 1
        first, second = (at[:, other] > 0 for other in _OTHERS[axis])
        x, y, z = np.maximum(cell, 0).T
        order = (z * shape[1] + y) * shape[0] + x
        places.append(place)
        keys.append(order * 12 + 4 * axis + first + 2 * second)
        ats.append(at)
    order = np.argsort(np.concatenate(keys), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    number, done = [], 0
    for at in ats:
        grid = np.zeros(field.shape, np.int64)
        grid[tuple(at.T)] = rank[done : done + len(at)]
        number.append(grid)
        done += len(at)
    return np.concatenate(places)[order], number


def _cut_cells(inside: NDArray[np.bool_]) -> tuple[Counts, Counts]:
    """Return the cells (n, 3) that the surface crosses, x fastest, and the set of inside corners of each cell."""
    nx, ny, nz = (size - 1 for size in inside.shape)
    sets = np.zeros((nx, ny, nz), np.uint8)
    for corner in range(8):
        x, y, z = corner & 1, corner >> 1 & 1, corner >> 2
        sets |= inside[x : nx + x, y : ny + y, z : nz + z].astype(np.uint8) << corner
    by_layers = sets.transpose(2, 1, 0)
    cells = np.argwhere((by_layers != 0) & (by_layers != 255))[:, ::-1]
    return cells, sets[tuple(cells.T)].astype(np.int64)


def _vertex_of(number: list[Counts], cells: Counts, edge: Counts) -> Integers:
    """Return the indices of the vertices on the edges `edge` (n, 3) of the cells `cells` (n, 3)."""
    axis = edge >> 2
    face = np.empty(edge.shape, np.int32)
    for along, grid in enumerate(number):
        row, corner = np.nonzero(axis == along)
        place = cells[row]
        for bit, other in enumerate(_OTHERS[along]):
            place[:, other] += edge[row, corner] >> bit & 1
        face[row, corner] = grid[tuple(place.T)]
    return face


def _normals(vert: Singles, face: Integers) -> Singles:
    """Return vertex normals: normalized sums of the triangles' cross products, added in order in single precision."""
    a, b, c = (vert[face[:, i]] for i in range(3))
    product = np.repeat(cross(c - b, a - b), 3, axis=0)
    total = np.zeros_like(vert)
    for i in range(3):
        np.add.at(total[:, i], face.reshape(-1), product[:, i])
    length = np.sqrt(dot(total, total))[:, None]
    return np.divide(total, length, out=total, where=length > 0)


CELLS = 300
"""Total number of grid cells along the three sides of a shape's box."""


def sdf_mesh(plugin: mjpPlugin, config: Mapping[str, str]) -> Triangles:
    """Return the mesh of a plugin's shape, with the settings given in the model.

    Raises:
        ValueError: the plugin has no signed distance, a setting is not a number, or there is no surface.
    """
    name = plugin.name
    if plugin.sdf_staticdistance is None or plugin.sdf_aabb is None:
        known = ", ".join(other.name for other in PLUGINS if other.sdf_staticdistance is not None)
        raise ValueError(f"the plugin '{name}' has no signed distance; these have one: {known}")
    numbers = tuple(plugin.sdf_attribute(settings(plugin, config)))
    half = tuple(plugin.sdf_aabb(*numbers))
    if not all(isfinite(size) and size > 0 for size in half):
        raise ValueError(f"the settings of '{name}' give a box of half sizes {half}, which must be positive")
    counts = [floor(CELLS / sum(half) * size) + 1 for size in half]
    if min(counts) < 2:
        raise ValueError(f"the shape of '{name}' is too thin: the grid has {counts} points")
    x, y, z = (_samples(size, count) for size, count in zip(half, counts, strict=True))
    points = x[:, None, None], y[None, :, None], z[None, None, :]
    with np.errstate(all="ignore"):
        field = sampled(plugin.sdf_staticdistance, *points, settings=numbers).astype(np.float32)
    if not np.isfinite(field).all():
        raise ValueError(f"the settings of '{name}' give distances that are not finite")
    vert, face, normal = marching_cubes(field)
    placed = [2 * size * vert[:, i].astype(np.float64) / (counts[i] - 1) - size for i, size in enumerate(half)]
    return Triangles(np.column_stack(placed).astype(np.float32).astype(np.float64), face, normal)


def _samples(half: float, count: int) -> Reals:
    """Return the coordinates of the grid points along one axis."""
    return -half + 2 * half * np.arange(count) / (count - 1)
