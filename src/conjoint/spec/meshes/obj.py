"""OBJ files (Wavefront's text format), as the official compiler reads them: the first shape that has faces."""

import re
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from conjoint.spec.meshes.polygon import cut
from conjoint.spec.meshes.triangles import Integers, Reals, Triangles

CORNERS, MOST_CORNERS = 3, 100
"""Corners that a face has at least and at most; the official reader leaves others out."""
MOST_DIGITS = 10
"""Length of the longest index that is sensible, its sign and slash included."""
_CORNER = re.compile(rb"([+-]?\d+)[^/]*(?:/([+-]?\d+)[^/]*(?:/([+-]?\d+).*)?|//([+-]?\d+).*)?$")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf)", re.IGNORECASE)
_OTHER = re.compile(rb"(?m)^[ \t]+|\t")

Corners = NDArray[np.int64]
"""Vertex, texture coordinate and normal of the corners of polygons, from zero; -1: none."""


def read_obj(data: bytes, diagonals: bool = False) -> Triangles:
    """Mesh of an OBJ file: polygons are cut into triangles, by the rule `diagonals` or as before.

    Raises:
        ValueError: a face is not a list of indices.
    """
    if _OTHER.search(data):
        data = b"\n".join(line.strip() for line in data.replace(b"\t", b" ").splitlines())
    lines = data.splitlines()
    vert = _table([line[2:] for line in lines if line[:2] == b"v "], 3)
    normal = _table([line[3:] for line in lines if line[:3] == b"vn "], 3)
    texcoord = _table([line[3:] for line in lines if line[:3] == b"vt "], 2)
    # rows run from top to bottom in images, from bottom to top in texture coordinates
    texcoord[:, 1] = 1 - texcoord[:, 1]
    corners, counts, left_out = _faces(lines)
    face = facenormal = facetexcoord = None
    if len(counts):
        triangles = _triangulate(vert, corners, counts, diagonals)
        face = triangles[:, :, 0]
        facetexcoord = triangles[:, :, 1] if len(texcoord) else None
        facenormal = triangles[:, :, 2] if len(normal) else None
    return Triangles(
        vert, _int32(face), normal.astype(np.float32) if len(normal) else None, texcoord if len(texcoord) else None,
        _int32(facenormal), _int32(facetexcoord), left_out,
    )  # fmt: skip


def _int32(ids: Corners | None) -> Integers | None:
    return None if ids is None else np.ascontiguousarray(ids, np.int32)


def _table(lines: list[bytes], width: int) -> Reals:
    """The first `width` numbers of every line, in single precision; those missing are zero."""
    if not lines:
        return np.zeros((0, width))
    numbers = _numbers(b" ".join(lines))
    given = len(lines[0].split())
    if numbers is None or given < width or numbers.size != given * len(lines) or not _even(lines, given):
        rows = [[_number(token) for token in line.split()[:width]] for line in lines]
        numbers, given = np.array([row + [0.0] * (width - len(row)) for row in rows]), width
    return numbers.reshape(-1, given)[:, :width].astype(np.float32).astype(np.float64)


def _even(lines: list[bytes], count: int) -> bool:
    """True if every line holds `count` words."""
    return all(len(line.split()) == count for line in lines) if count != 3 else all(map(_three, lines))


def _three(line: bytes) -> bool:
    return line.count(b" ") == 2 or len(line.split()) == 3


def _number(token: bytes) -> float:
    """The number at the start of a word; zero if there is none."""
    found = _NUMBER.match(token)
    return float(found.group()) if found else 0.0


def _numbers(text: bytes) -> Reals | None:
    """Numbers separated by blanks; None if there is anything else."""
    try:
        return np.array(text.split(), dtype=np.float64)
    except ValueError:
        return None


def _faces(lines: list[bytes]) -> tuple[Corners, Corners, int]:
    """Corners of all polygons of the first shape, how many each polygon has, and how many polygons have too many."""
    start, end = _first_shape(lines)
    _check_others(lines, range(start, end))
    before = lines[:end]
    lines = [line[2:] for line in lines[start:end] if line[:2] == b"f "]
    # what refers backwards counts from where it stands
    relative = any(b"-" in line for line in lines)
    polygons = [line.split() for line in lines]
    sizes = np.fromiter(map(len, polygons), np.int64, len(polygons))
    if relative:
        defined = _defined_before(before)[-len(lines) :]
        corners = np.array(
            [_corner(token, seen) for row, seen in zip(polygons, defined, strict=True) for token in row], np.int64
        )
    else:
        corners = _corners(list(chain.from_iterable(polygons)))
    corners = corners.reshape(-1, 3)
    real = (sizes >= CORNERS) & (sizes <= MOST_CORNERS)
    if not real.all():
        corners = corners[np.repeat(real, sizes)]
    return corners, sizes[real], int((sizes > MOST_CORNERS).sum())


def _check_others(lines: list[bytes], shape: range) -> None:
    """What is not used, lines and points among it, must be well written too."""
    for i, line in enumerate(lines):
        tag = line[:2]
        if tag in (b"l ", b"p ") or (tag == b"f " and i not in shape):
            for token in line[2:].split():
                _corner(token, (0, 0, 0))


def _first_shape(lines: list[bytes]) -> tuple[int, int]:
    """Where the first shape starts and ends.

    A group or object starts the next shape, if there are faces so far; an object also after lines, points or what has
    two corners or too many, which a group throws away.
    """
    start = 0
    faces = drawn = False
    for i, line in enumerate(lines):
        tag = line[:2]
        if tag in (b"f ", b"l ", b"p "):
            drawn = True
            faces = faces or (tag == b"f " and CORNERS < len(line.split()) <= MOST_CORNERS + 1)
        elif tag in (b"g ", b"o "):
            if faces or (drawn and tag == b"o "):
                return start, i
            start, drawn = i, False
    return start, len(lines)


def _defined_before(lines: list[bytes]) -> list[tuple[int, int, int]]:
    """How many vertices, texture coordinates and normals stand before each face."""
    seen = [0, 0, 0]
    found = []
    kinds = {b"v": 0, b"vt": 1, b"vn": 2}
    for line in lines:
        tag, blank, _ = line.partition(b" ")
        if tag == b"f" and blank:
            found.append((seen[0], seen[1], seen[2]))
        elif tag in kinds:
            seen[kinds[tag]] += 1
    return found


def _corners(tokens: list[bytes]) -> Corners:
    """Corners written as v, v/t, v//n or v/t/n, all with positive indices."""
    text = b" ".join(tokens)
    slashes, double = text.count(b"/"), text.count(b"//")
    count = len(tokens)
    forms = {(0, 0): (0,), (count, 0): (0, 1), (2 * count, count): (0, 2), (2 * count, 0): (0, 1, 2)}
    columns = forms.get((slashes, double))
    corners = np.full((count, 3), -1, np.int64)
    if columns and count:
        words = text.replace(b"/", b" ").split()
        if len(words) == count * len(columns):
            try:
                corners[:, columns] = np.array(words, np.int64).reshape(count, -1) - 1
            except (ValueError, OverflowError):
                pass
            else:
                if corners[:, columns].min() < 0:
                    raise ValueError("a face of the OBJ file has index 0")
                return corners
    return np.array([_corner(token, (0, 0, 0)) for token in tokens], np.int64).reshape(-1, 3)


def _corner(token: bytes, seen: tuple[int, int, int]) -> list[int]:
    """One corner; negative indices count back from the last of what was defined."""
    found = _CORNER.match(token)
    if found is None:
        raise ValueError(f"in a face of the OBJ file, '{token.decode('utf-8', 'replace')[:40]}' is not a corner")
    ids = []
    vertex, texcoord, normal, alone = found.groups()
    for written, count in zip((vertex, texcoord, normal or alone), seen, strict=True):
        if written is not None and len(written) > MOST_DIGITS:
            raise ValueError("a face of the OBJ file has an index that is too large")
        index = -1 if written is None else int(written)
        if index == 0:
            raise ValueError("a face of the OBJ file has index 0")
        ids.append(-1 if written is None else index - 1 if index > 0 else count + index)
    return ids


@np.errstate(all="ignore")
def _triangulate(vert: Reals, corners: Corners, counts: Corners, diagonals: bool) -> Corners:
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
