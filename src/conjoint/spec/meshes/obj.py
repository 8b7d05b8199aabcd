"""OBJ files (Wavefront's text format), as the official compiler reads them: the first shape that has faces."""

import re
from collections.abc import Sequence

import numpy as np

from conjoint.runtime.entry import entry
from conjoint.spec.kernels.numbers import BLANK, RETURN
from conjoint.spec.kernels.obj import CORNER, COUNTS, OTHER, UNUSED, scan_obj
from conjoint.spec.meshes.polygon import cut
from conjoint.spec.meshes.triangles import Integers, Reals, Triangles

MOST_INDEX = (1 << 31) - 1
MOST_DIGITS = 10
"""Length of the longest index that is sensible, its sign and slash included."""
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
    """Return the mesh of an OBJ file, whose polygons are cut into triangles.

    Args:
        data: contents of the file.
        diagonals: whether polygons are cut as in edition 4.0.

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
    """Rows rounded to single precision."""
    return rows.astype(np.float32).astype(np.float64)


def _number(token: bytes) -> float:
    """The number at the start of a word; zero if there is none."""
    found = _NUMBER.match(token)
    return float(found.group()) if found else 0.0


def _corner(token: bytes, seen: Sequence[int]) -> list[int]:
    """One corner; negative indices count back from the last of what was defined."""
    found = _CORNER.match(token)
    if found is None:
        raise ValueError(f"in a face of the OBJ file, '{token.decode('utf-8', 'replace')[:40]}' is not a corner")
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
    """Triangles (n, 3 corners, 3) of polygons, one polygon after the other."""
    starts = np.cumsum(counts) - counts
    if (counts == 3).all():
        return corners.reshape(-1, 3, 3)
    # where vertices do not exist, the caller tells; any cut will do
    known = np.clip(corners[:, 0], 0, max(len(vert) - 1, 0))
    points = vert[known].astype(np.float32) if len(vert) else np.zeros((len(known), 3), np.float32)
    # how many triangles each makes, and where they go
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
