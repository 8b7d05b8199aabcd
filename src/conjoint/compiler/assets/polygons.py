"""Polygons of a mesh: triangles with the same normal, joined (MuJoCo Programming chapter, mesh_poly*)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from conjoint.compiler.assets.cells import cells
from conjoint.compiler.assets.directions import Directions
from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot, products

NO_AREA = 1e-14
"""Twice the area below which a triangle has no direction (mjEPS)."""
NOTHING = -1
FEW = 1000
"""So few triangles are joined also where polygons are of no use, since nothing collides with the mesh."""


@dataclass
class Polygons:
    """Polygons of a mesh.

    Attributes:
        normal: (n, 3) normals.
        num: number of vertices of each polygon.
        vert: vertices of the polygons, one polygon after the other, counter-clockwise seen from outside.
        mapnum: number of polygons at each vertex of the mesh.
        map: polygons at the vertices, ascending, one vertex after the other.
    """

    normal: Reals
    num: Integers
    vert: Integers
    mapnum: Integers
    map: Integers


def make_polygons(
    given: Reals, vert: Reals, face: Integers, joined: bool = True, whole: bool = False, celled: bool = False
) -> Polygons:
    """Polygons of triangles.

    Args:
        given: vertices as they are given, whose normals decide which triangles are joined.
        vert: vertices as they are in the model.
        face: triangles of the hull, or of the mesh if there is none.
        joined: False to leave the triangles as they are, unless they are few.
        whole: True to find normals of whole outlines, as newer versions do (the rule "polygons").
        celled: True to join triangles whose directions are in one cell, as newer versions do (the rule "coplanar").
    """
    num, flat = np.full(len(face), 3, np.int32), face.astype(np.int32).ravel()
    if joined or len(face) <= FEW:
        normals = products(given, face)
        paths = _paths(face.tolist(), _groups(normals, celled), celled)
        num = np.array([len(path) for path in paths], np.int32)
        flat = np.array([vertex for path in paths for vertex in path], np.int32)
    at = np.argsort(flat, kind="stable")
    owner = np.repeat(np.arange(len(num), dtype=np.int32), num)
    mapnum = np.bincount(flat, minlength=len(vert)).astype(np.int32)
    return Polygons(_normals(vert, flat, num, whole), num, flat, mapnum, owner[at])


def _paths(corners: list[list[int]], groups: Iterable[list[int]], walked: bool) -> list[Sequence[int]]:
    """Outlines of what the triangles of each group make; `walked`: along their edges also where only three are left."""
    paths: list[Sequence[int]] = []
    for group in groups:
        if len(group) == 1:
            paths.append(corners[group[0]])
        else:
            triangles = [corners[i] for i in group]
            paths.extend(_two_outlines(*triangles) if len(group) == 2 else _outlines(triangles, walked))
    return paths


def _two_outlines(one: list[int], two: list[int]) -> list[list[int]]:
    """What `_outlines` makes of two triangles, which is most of what there is."""
    a, b, c = one
    d, e, f = two
    across = {(e, d): f, (f, e): d, (d, f): e}
    first, second, third = (across.get(edge, NOTHING) for edge in ((a, b), (b, c), (c, a)))
    if (first >= 0) + (second >= 0) + (third >= 0) <= 1:
        if first >= 0:
            return [[b, c, a, first]]
        if second >= 0:
            return [[a, b, second, c]]
        return [[a, b, c, third]] if third >= 0 else [one, two]
    return _outlines((one, two), walked=True)


def _normals(vert: Reals, flat: Integers, num: Integers, always: bool) -> Reals:
    """Normals at the first corners of polygons; where there is none, or `always`, of the whole polygon.

    Those of whole polygons are sums over their sides (Newell's method: Sutherland, Sproull & Schumacker, A
    characterization of ten hidden-surface algorithms, Computing Surveys 6, 1974).
    """
    if not len(num):
        return np.zeros((0, 3))
    first = np.cumsum(num) - num
    normal = products(vert, flat[first[:, None] + np.arange(3)])
    length = np.sqrt(dot(normal, normal))
    if always or (length < NO_AREA).any():
        after = np.arange(1, len(flat) + 1)
        after[first + num - 1] = first
        whole = np.add.reduceat(cross(vert[flat], vert[flat[after]]), first, axis=0)
        normal = np.where(always | (length[:, None] < NO_AREA), whole, normal)
        length = np.sqrt(dot(normal, normal))
        normal[length < NO_AREA], length[length < NO_AREA] = (1.0, 0.0, 0.0), 1.0
    return normal / length[:, None]


def _groups(normal: Reals, celled: bool) -> Iterator[list[int]]:
    """Numbers of the triangles with the same normal, in descending order of the normals; or in the same cell."""
    length = np.sqrt(dot(normal, normal))
    kept = np.flatnonzero(length >= NO_AREA)
    unit = normal[kept] / length[kept, None]
    if celled:
        return cells(kept.tolist(), unit)
    directions = Directions()
    for triangle, (x, y, z) in zip(kept.tolist(), unit.tolist(), strict=True):
        directions.add(triangle, x, y, z)
    return directions.groups()


def _outlines(triangles: Iterable[Sequence[int]], walked: bool) -> list[list[int]]:
    """Outlines of the islands that triangles make, those of the oldest islands first; `walked` as in `_paths`."""
    edges: dict[tuple[int, int], list[int]] = {}
    joined: list[int] = []
    for a, b, c in triangles:
        island, new = len(joined), []
        joined.append(island)
        for edge in ((a, b), (b, c), (c, a)):
            back = edge[1], edge[0]
            if others := edges.get(back):
                # islands that share an edge are one, as old as the older
                one, two = _root(joined, island), _root(joined, others.pop(0))
                joined[max(one, two)] = min(one, two)
                if not others:
                    del edges[back]
            else:
                new.append(edge)
        for edge in new:
            edges.setdefault(edge, []).append(island)
    left = [edge for edge, owners in edges.items() for _ in owners]
    if len(left) == 3 and not walked:
        # as in official compilers up to 3.5, which take any three edges for those of a triangle, in this order
        return [[start for start, _ in left]]
    islands: dict[int, dict[int, int]] = {}
    for (start, end), owners in edges.items():
        for island in owners:
            islands.setdefault(_root(joined, island), {}).setdefault(start, end)
    return [path for _, ends in sorted(islands.items()) if len(path := _walk(ends)) > 2]


def _root(joined: list[int], island: int) -> int:
    """The oldest of the islands that are one."""
    while joined[island] != island:
        joined[island] = joined[joined[island]]
        island = joined[island]
    return island


def _walk(ends: dict[int, int]) -> list[int]:
    """Vertices along edges, from the start of the oldest edge until they are back there; nothing if they never are."""
    start, vertex = next(iter(ends.items()))
    path = [start]
    while vertex != start:
        path.append(vertex)
        if vertex not in ends or len(path) > len(ends):
            return []
        vertex = ends[vertex]
    return path
