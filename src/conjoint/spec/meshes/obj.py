"""Reader of OBJ files (Wavefront's text format). As in MuJoCo, it reads the first shape with faces.

Polygons become triangles by cutting off ears (Meisters 1975; O'Rourke, Computational Geometry in C, 1.6.5).
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conjoint.runtime.entry import entry
from conjoint.spec.kernels.numbers import BLANK, RETURN
from conjoint.spec.kernels.obj import CORNER, COUNTS, OTHER, UNUSED, scan_obj
from conjoint.spec.meshes.triangles import Integers, Reals, Singles, Triangles, cross

Numbers = NDArray[np.int64]

FLAT = float(np.finfo(np.float32).eps)
"""Minimum cross product of two edges at a corner. A corner with a smaller cross product defines no plane."""


def cut(points: Singles, diagonals: bool = False) -> tuple[Numbers, Numbers]:
    """Cut polygons (m, n, 3) into triangles.

    Return the triangles (m, n - 2, 3), as indices of corners, and their number. The search for an ear continues from
    the last ear. The remainder of a self-intersecting polygon is dropped. As in MuJoCo's compiler, single-precision
    rounding decides about collinear corners. With `diagonals` (MuJoCo 4.0), quadrilaterals are cut along the shorter
    diagonal. An ear is then a corner that turns in the direction in which its first side circles the origin. Otherwise,
    it is a corner that turns in the direction of the polygon.
    """
    polygons, corners = points.shape[:2]
    if diagonals and corners == 4:
        return _halves(points), np.full(polygons, 2, np.int64)
    triangles = np.zeros((polygons, max(corners - 2, 0), 3), np.int64)
    made = np.zeros(polygons, np.int64)
    flat = _flat(points)
    x, y = flat[..., 0], flat[..., 1]
    area = np.add.accumulate(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1), axis=1)[:, -1]
    which, at = np.arange(polygons), np.zeros(polygons, np.int64)
    left = np.tile(np.arange(corners), (polygons, 1))
    for count in range(corners, 3, -1):
        tries = _tries(flat[which], None if diagonals else area[which], left, at)
        found = tries < count
        which, left, at, tries = which[found], left[found], (at + tries)[found] % count, tries[found]
        triangles[which, made[which]] = left[np.arange(len(at))[:, None], (at[:, None] + np.arange(3)) % count]
        made[which] += 1
        left = left[np.arange(count) != (at[:, None] + 1) % count].reshape(-1, count - 1)
        if count == corners > 4:
            # as in MuJoCo's reader, an ear found at the last attempt is the last one
            more = tries < count - 1
            which, left, at = which[more], left[more], at[more]
    triangles[which, made[which]] = left
    made[which] += 1
    return triangles, made


def _halves(points: Singles) -> Numbers:
    """Return the two triangles (m, 2, 3) into which the shorter diagonal divides each quadrilateral (m, 4, 3)."""
    first, second = (((points[:, i] - points[:, i + 2]) ** 2).sum(axis=1) for i in range(2))
    from_first, from_second = np.array([[0, 1, 2], [0, 2, 3]]), np.array([[0, 1, 3], [1, 2, 3]])
    return np.where((first < second)[:, None, None], from_first, from_second)


def _tries(flat: Singles, whole: Singles | None, left: Numbers, at: Numbers) -> Numbers:
    """Count the corners to skip before the next ear of each polygon; all corners if there is no ear."""
    count = left.shape[1]
    tries = np.full(len(left), count)
    searching = np.arange(len(left))
    for attempt in range(count):
        if not searching.size:
            break
        around = (at[searching, None] + attempt + np.arange(count)) % count
        row = searching[:, None]
        corners = flat[row, left[row, around]]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        turn = (b[:, 0] - a[:, 0]) * (c[:, 1] - b[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - b[:, 0])
        area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] if whole is None else whole[searching]
        ear = ~(turn * area < 0) & ~_holds_any(corners)
        tries[searching[ear]] = attempt
        searching = searching[~ear]
    return tries


def _flat(points: Singles) -> Singles:
    """Project polygons (m, n, 3) to the coordinate plane in which their first non-flat corner has the largest area."""
    edges: Singles = np.roll(points, -1, axis=1) - points
    following: Singles = np.roll(edges, -1, axis=1)
    size = np.abs(cross(edges.reshape(-1, 3), following.reshape(-1, 3))).reshape(points.shape)
    solid: NDArray[np.bool_] = np.any(size > FLAT, axis=2)
    size = size[np.arange(len(points)), solid.argmax(axis=1)]
    first = (size[:, 0] > size[:, 1]) & (size[:, 0] > size[:, 2]) | ~solid.any(axis=1)
    last = (size[:, 2] > size[:, 0]) & (size[:, 2] > size[:, 1]) & ~first
    x = np.where(first[:, None], points[:, :, 1], points[:, :, 0])
    y = np.where(last[:, None], points[:, :, 1], points[:, :, 2])
    return np.stack((x, y), axis=2)


def _holds_any(corners: Singles) -> NDArray[np.bool_]:
    """Return True for polygons whose first three corners form a triangle that contains another corner.

    The test counts the crossings of a ray.
    """
    x, y = corners[:, 3:, 0], corners[:, 3:, 1]
    odd = np.zeros(x.shape, bool)
    for i, j in ((0, 2), (1, 0), (2, 1)):
        a, b = corners[:, i, :, None], corners[:, j, :, None]
        crosses = (a[:, 1] > y) != (b[:, 1] > y)
        odd ^= crosses & (x < (b[:, 0] - a[:, 0]) * (y - a[:, 1]) / (b[:, 1] - a[:, 1]) + a[:, 0])
    inside: NDArray[np.bool_] = np.any(odd, axis=1)
    return inside


MOST_INDEX = (1 << 31) - 1
MOST_DIGITS = 10
"""Maximum length of a plausible index, including sign and slash."""
_CORNER = re.compile(rb"([+-]?\d+)[^/]*(?:/([+-]?\d+)[^/]*(?:/([+-]?\d+).*)?|//([+-]?\d+).*)?$")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf)", re.IGNORECASE)
_scan_obj = entry(
    scan_obj,
    "byte[]",
    "int",
    "out real[]",
    "out real[]",
    "out real[]",
    "out int[]",
    "out int[]",
    "out long[]",
    "out long[]",
)


def read_obj(data: bytes, diagonals: bool = False) -> Triangles:
    """Return the mesh in an OBJ file, with polygons cut into triangles.

    Args:
        data: contents of the file.
        diagonals: whether polygons are cut as in MuJoCo 4.0.

    Raises:
        ValueError: a face is not a list of indices.
    """
    text = np.frombuffer(data, np.uint8)
    lines, words = (int(np.count_nonzero(text <= last)) + 1 for last in (RETURN, BLANK))
    vert, normal, texcoord, sizes = *(np.empty((lines, n)) for n in (3, 3, 2)), np.empty(lines, np.int32)
    corners, others = np.empty((words, 3), np.int32), np.empty((words, OTHER), np.int64)
    counts = np.empty(COUNTS, np.int64)
    _scan_obj(text, len(data), vert, normal, texcoord, corners, sizes, others, counts)
    nvert, nnormal, ntexcoord, ncorner, npolygon, left_out, left = counts.tolist()
    for kind, place, start, end, *defined in others[:left].tolist():
        word = data[start:end]
        if kind in (CORNER, UNUSED):
            corner = _corner(word, defined)
            if kind == CORNER:
                corners[place // 3] = corner
        else:
            (vert, normal, texcoord)[kind].ravel()[place] = _number(word)
    vert, texcoord, singles = (
        _singles(vert[:nvert]),
        _singles(texcoord[:ntexcoord]),
        normal[:nnormal].astype(np.float32),
    )
    # rows run from top to bottom in images, from bottom to top in texture coordinates
    texcoord[:, 1] = 1 - texcoord[:, 1]
    face = facenormal = facetexcoord = None
    if npolygon:
        triangles = _triangulate(vert, corners[:ncorner], sizes[:npolygon], diagonals)
        face = np.ascontiguousarray(triangles[:, :, 0])
        facetexcoord = np.ascontiguousarray(triangles[:, :, 1]) if ntexcoord else None
        facenormal = np.ascontiguousarray(triangles[:, :, 2]) if nnormal else None
    return Triangles(
        vert, face, singles if nnormal else None, texcoord if ntexcoord else None, facenormal, facetexcoord, left_out
    )


def _singles(rows: Reals) -> Reals:
    """Return the rows rounded to single precision."""
    return rows.astype(np.float32).astype(np.float64)


def _number(token: bytes) -> float:
    """Return the number at the start of a word, or zero if there is none."""
    found = _NUMBER.match(token)
    return float(found.group()) if found else 0.0


def _corner(token: bytes, seen: Sequence[int]) -> list[int]:
    """Return the indices of one corner. Negative indices count back from the last defined element."""
    found = _CORNER.match(token)
    if found is None:
        raise ValueError(f"in a face of the OBJ file, '{token.decode('utf-8', 'replace')[:40]}' is not a valid corner")
    ids = []
    vertex, texcoord, normal, alone = found.groups()
    for written, count in zip((vertex, texcoord, normal or alone), seen, strict=True):
        if written is not None and (len(written) > MOST_DIGITS or abs(int(written)) > MOST_INDEX):
            raise ValueError("a face of the OBJ file has an index that is too large")
        index = -1 if written is None else int(written)
        if index == 0:
            raise ValueError("a face of the OBJ file has index 0")
        ids.append(-1 if written is None else index - 1 if index > 0 else count + index)
    return ids


@np.errstate(all="ignore")
def _triangulate(vert: Reals, corners: Integers, counts: Integers, diagonals: bool) -> Integers:
    """Return the triangles (n, 3 corners, 3) of polygons, one polygon after the other."""
    starts = np.cumsum(counts) - counts
    if (counts == 3).all():
        return corners.reshape(-1, 3, 3)
    # clip indices of missing vertices, which the caller reports
    known = np.clip(corners[:, 0], 0, max(len(vert) - 1, 0))
    points = vert[known].astype(np.float32) if len(vert) else np.zeros((len(known), 3), np.float32)
    # number of triangles of each polygon, and their rows
    made = counts - 2
    parts = []
    for count in np.unique(counts[counts > 3]).tolist():
        which = np.flatnonzero(counts == count)
        rows, made[which] = cut(points[starts[which, None] + np.arange(count)], diagonals)
        parts.append((which, starts[which, None, None] + rows))
    first = np.cumsum(made) - made
    triangles = np.empty((int(made.sum()), 3), np.int64)
    single = counts == 3
    triangles[first[single]] = starts[single, None] + np.arange(3)
    for which, rows in parts:
        there = np.arange(rows.shape[1])
        used = there < made[which, None]
        triangles[(first[which, None] + there)[used]] = rows[used]
    return corners[triangles]
