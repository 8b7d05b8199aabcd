"""Polygons of a mesh, merged from triangles with the same normal (MuJoCo Programming chapter, mesh_poly*)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from conjoint.compiler.kernels.directions import LINKS, group_directions
from conjoint.compiler.kernels.outlines import ROOM, outline_groups
from conjoint.runtime.entry import entry
from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot, products

CELL = 0.01
"""Width of a cell in the table of directions (rad)."""
POLE = 1e-7
"""Maximum 1 - |z| of unit vectors at a pole, whose azimuth is set to 0."""
GOLDEN = 0x9E3779B9
"""Bits of the golden ratio, the multiplier of hashes (Knuth, section 6.4)."""
BITS = (1 << 64) - 1
START = -1


def cells(numbers: list[int], unit: Reals) -> Iterator[list[int]]:
    """Yield groups of triangle numbers whose unit normals are in the same cell, in the iteration order of a hash table.

    Args:
        numbers: the triangle numbers to group.
        unit: the unit normal of each triangle.
    """
    x, y, z = unit.T
    # a negative zero would lie on the other side of the branch cut
    y = np.where(y == 0, 0.0, y)
    azimuth = np.where(1 - np.abs(z) < POLE, 0.0, np.arctan2(y, x))
    rounded = np.rint(np.stack([azimuth, np.arccos(np.clip(z, -1, 1))]) / CELL)
    groups: dict[tuple[float, float], list[int]] = {}
    for number, key in zip(numbers, zip(*rounded.tolist(), strict=True), strict=True):
        groups.setdefault(key, []).append(number)
    found = list(groups.values())
    for cell in table_order([_hash(*key) for key in groups]):
        yield found[cell]


def _hash(azimuth: float, inclination: float) -> int:
    """Return the hash of a cell of directions."""
    first, second = (struct.unpack("<Q", struct.pack("<d", number or 0.0))[0] for number in (azimuth, inclination))
    return (first ^ (second + GOLDEN + (first << 6 & BITS) + (first >> 2))) & BITS


def table_order(hashes: list[int]) -> list[int]:
    """Return the iteration order of a hash table into which elements with the given hashes were inserted in order."""
    buckets = 0
    after = {START: START}
    before: dict[int, int] = {}
    for node, number in enumerate(hashes):
        if node >= buckets:
            buckets = _prime(2 * buckets + 1 if buckets > 2 else 5 if buckets else 2)
            before = _gather(after, hashes, buckets)
        bucket = number % buckets
        last = before.setdefault(bucket, START)
        after[node], after[last] = after[last], node
        if last == START and after[node] != START:
            # the former first bucket now follows this node, unless the node is in it
            follower = hashes[after[node]] % buckets
            if follower != bucket:
                before[follower] = node
    return list(_walk(after))


def _gather(after: dict[int, int], hashes: list[int], buckets: int) -> dict[int, int]:
    """Reorder the linked list `after` of nodes so that each bucket is contiguous.

    Return the node before the first node of each bucket.
    """
    before: dict[int, int] = {}
    node, last = after[START], START
    current = START
    while node != START:
        bucket = hashes[node] % buckets
        if bucket == current or bucket not in before:
            if bucket != current:
                before[bucket], current = last, bucket
            last = node
        else:
            # move the node to the front of its bucket
            after[last] = after[node]
            after[node], after[before[bucket]] = after[before[bucket]], node
        node = after[last]
    return before


def _walk(after: dict[int, int]) -> Iterator[int]:
    """Yield the nodes of the linked list `after`, which is in the order of the hash table."""
    node = after[START]
    while node != START:
        yield node
        node = after[node]


def _prime(number: int) -> int:
    """Return the smallest prime number that is at least `number`."""
    while any(number % k == 0 for k in range(2, int(number**0.5) + 1)):
        number += 1
    return number


NO_AREA = 1e-14
"""Threshold for twice the area of a triangle, below which the triangle is degenerate (mjEPS)."""
FEW = 1000
"""Maximum number of triangles for which polygons are computed even if nothing collides with the mesh."""

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
        vert: vertices of the polygons, concatenated by polygon, counter-clockwise seen from outside.
        mapnum: number of polygons at each vertex of the mesh.
        map: polygons at each vertex, ascending, concatenated by vertex.
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
    """Merge triangles into polygons.

    Args:
        given: original vertices; their normals decide which triangles are merged.
        vert: vertices in the model.
        face: original triangles of the hull, or of the mesh if there is no hull.
        joined: False to skip merging, unless there are few triangles.
        newer: True to merge triangles with directions in one cell, and to compute normals from whole outlines, as in
            MuJoCo 4.0.
        mirrored: True if `vert` is a mirror image, so that polygons are reversed.
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
    """Return the indices that reverse the corners of each polygon, keeping the first corner."""
    first = np.repeat(np.cumsum(num) - num, num)
    return np.asarray(first + (first - np.arange(len(first))) % np.repeat(num, num), np.int32)


def _normals(vert: Reals, flat: Integers, num: Integers, always: bool) -> Reals:
    """Return polygon normals from the first three corners.

    If these corners are degenerate, or `always` is set, the normal is a sum over all sides (Newell's method:
    Sutherland, Sproull & Schumacker, A characterization of ten hidden-surface algorithms, Computing Surveys 6, 1974).
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
    """Group triangles with the same normal, in descending order of normals.

    If `celled`, normals in the same cell of directions count as the same.

    Returns:
        The triangles, concatenated by group, and the start of each group, followed by the end of the last group.
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
    """Return the vertex counts and the vertices of the outlines of triangle groups. See `kernels.outlines`."""
    most, count = int(np.diff(starts).max(initial=0)), len(members)
    num, flat, room = np.empty(count, np.int32), np.empty(3 * count + 1, np.int32), np.full(ROOM * most, -1, np.int32)
    found, used = _outline_groups(face, members, starts, len(starts) - 1, int(walked), num, flat, most, room)
    return num[:found], flat[:used]
