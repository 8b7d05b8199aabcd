"""Polygons of a mesh: triangles with the same normal, joined (MuJoCo Programming chapter, mesh_poly*)."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from conjoint.compiler.assets.cells import cells
from conjoint.compiler.kernels.directions import LINKS, group_directions
from conjoint.compiler.kernels.outlines import ROOM, outline_groups
from conjoint.runtime.entry import entry
from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot, products

NO_AREA = 1e-14
"""Twice the area below which a triangle has no direction (mjEPS)."""
FEW = 1000
"""So few triangles are joined also where polygons are of no use, since nothing collides with the mesh."""

_group_directions = entry(
    group_directions, "real[]", "int", "out int[]", "out int[]", "out int[]", "out int[]"
)  # fmt: skip
_outline_groups = entry(
    outline_groups, "int[]", "int[]", "int[]", "int", "int", "out int[]", "out int[]", "int", "out int[]"
)


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
    given: Reals,
    vert: Reals,
    face: Integers,
    joined: bool = True,
    newer: bool = False,
    mirrored: bool = False,
) -> Polygons:
    """Polygons of triangles.

    Args:
        given: vertices as they are given, whose normals decide which triangles are joined.
        vert: vertices as they are in the model.
        face: triangles of the hull, or of the mesh if there is none, as they are given.
        joined: False to leave the triangles as they are, unless they are few.
        newer: True for edition 4.0: triangles are joined whose directions are in one cell, and normals are those of
            whole outlines.
        mirrored: True if `vert` is a mirror image, whose polygons are turned around.
    """
    face = np.ascontiguousarray(face, np.int32)
    num, flat = np.full(len(face), 3, np.int32), face.ravel()
    if joined or len(face) <= FEW:
        num, flat = _outlines(face, *_groups(products(given, face), newer), newer)
    if mirrored:
        flat = flat[_opposite(num)]
    at = np.argsort(flat, kind="stable")
    owner = np.repeat(np.arange(len(num), dtype=np.int32), num)
    mapnum = np.bincount(flat, minlength=len(vert)).astype(np.int32)
    return Polygons(_normals(vert, flat, num, newer), num, flat, mapnum, owner[at])


def _opposite(num: Integers) -> Integers:
    """Return the places of corners in the opposite order around each polygon; the first corners stay."""
    first = np.repeat(np.cumsum(num) - num, num)
    return np.asarray(first + (first - np.arange(len(first))) % np.repeat(num, num), np.int32)


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


def _groups(normal: Reals, celled: bool) -> tuple[Integers, Integers]:
    """Group triangles with the same normal, in descending order of the normals; or those in the same cell.

    Returns:
        triangles of one group after the other, and where groups start, and where the last one ends.
    """
    length = np.sqrt(dot(normal, normal))
    kept = np.flatnonzero(length >= NO_AREA).astype(np.int32)
    unit = normal[kept] / length[kept, None]
    count = len(kept)
    if celled:
        groups = list(cells(kept.tolist(), unit))
        members = np.fromiter(chain.from_iterable(groups), np.int32, count)
        return members, np.cumsum([0, *map(len, groups)], dtype=np.int32)
    members, starts, nodes = np.empty(count, np.int32), np.empty(count + 1, np.int32), np.empty(count, np.int32)
    ngroup = _group_directions(unit, count, members, starts, np.empty((count, LINKS), np.int32), nodes)
    return kept[members[: starts[ngroup]]], starts[: ngroup + 1]


def _outlines(face: Integers, members: Integers, starts: Integers, walked: bool) -> tuple[Integers, Integers]:
    """Outlines of groups of triangles: how many vertices each has, and these. See `kernels.outlines`."""
    most, count = int(np.diff(starts).max(initial=0)), len(members)
    num, flat, room = np.empty(count, np.int32), np.empty(3 * count + 1, np.int32), np.full(ROOM * most, -1, np.int32)
    found, used = _outline_groups(face, members, starts, len(starts) - 1, int(walked), num, flat, most, room)
    return num[:found], flat[:used]
