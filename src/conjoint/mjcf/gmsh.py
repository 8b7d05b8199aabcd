"""Meshes of GMSH files, formats 2.2 and 4.1, text or binary (Geuzaine & Remacle 2009; file formats in the manual)."""

from collections.abc import Iterator

import numpy as np

NODES = {1: 2, 2: 3, 4: 4}
"""Number of vertices of the supported elements (lines, triangles, tetrahedra), by type number."""
DIM = {1: 1, 2: 2, 4: 3}
"""Dimension of the supported elements, by type number."""
_SIZES = {1: 2, 2: 3, 3: 4, 4: 4, 5: 8, 6: 6, 7: 5, 15: 1}
"""Number of vertices of all first-order element types, which is needed to skip elements in binary files."""


def read_gmsh(data: bytes) -> tuple[int, np.ndarray, np.ndarray]:
    """Return dimension, points (n, 3) and elements (m, dim + 1) of a file.

    Raises:
        ValueError: the file is not of this format, is damaged, or does not consist of one block of nodes and one of
            lines, triangles or tetrahedra.
    """
    if not data.startswith(b"$MeshFormat"):
        raise ValueError("the file does not begin with $MeshFormat: it is not a GMSH file")
    head = _section(data, "MeshFormat").split(None, 3)
    if len(head) < 3 or head[0] not in (b"2.2", b"4.1") or head[1] not in (b"0", b"1"):
        raise ValueError("only the GMSH formats 2.2 and 4.1 can be read")
    binary = head[1] == b"1"
    modern = head[0] == b"4.1"
    try:
        nodes = _Numbers(_section(data, "Nodes"), binary)
        tags, points = _modern_nodes(nodes) if modern else _nodes(nodes)
        numbers = _Numbers(_section(data, "Elements"), binary)
        blocks = list(_modern_elements(numbers) if modern else _elements(numbers))
        if nodes.left() or numbers.left():
            raise ValueError("a section of the GMSH file contains more numbers than its header specifies")
    except (IndexError, OverflowError):
        raise ValueError("the GMSH file ends early") from None
    kinds = {kind for kind, _ in blocks}
    if len(kinds) != 1 or not kinds <= set(NODES):
        raise ValueError("the elements of the GMSH file must be either lines, or triangles, or tetrahedra")
    (kind,) = kinds
    elements = np.concatenate([rows for _, rows in blocks])
    order = np.argsort(tags)
    place = np.searchsorted(tags[order], elements)
    place = order[np.minimum(place, len(tags) - 1)]
    if not np.isfinite(points).all():
        raise ValueError("a position in the GMSH file is not a finite number")
    if (tags[place] != elements).any():
        raise ValueError("an element of the GMSH file has an unknown node")
    return DIM[kind], points, place


def _section(data: bytes, name: str) -> bytes:
    """Return the bytes between `$name` and `$Endname`."""
    start = data.find(b"$" + name.encode())
    end = data.find(b"$End" + name.encode(), start)
    if start < 0 or end < 0:
        raise ValueError(f"the GMSH file has no section {name}")
    return data[data.find(b"\n", start) + 1 : end]


class _Numbers:
    """Reader of the numbers of a section."""

    def __init__(self, data: bytes, binary: bool):
        self.binary = binary
        self.data = data
        self.words = [] if binary else data.split()
        self.at = 0

    def left(self) -> int:
        """Return the number of remaining words; 0 in binary files, which are padded."""
        return len(self.words) - self.at if self.words else 0

    def line(self) -> int:
        """Read a number on a separate line, which is text even in binary files."""
        if not self.binary:
            return int(self.take("i", 1)[0])
        end = self.data.find(b"\n", self.at)
        text, self.at = self.data[self.at : end], end + 1
        return int(text)

    def take(self, kind: str, count: int) -> np.ndarray:
        """Read `count` numbers of type "i" (32 bits), "u" (64 bits) or "d" (real).

        Raises IndexError if too few numbers are left.
        """
        if count < 0:
            raise ValueError("the GMSH file has a negative count")
        if self.binary:
            size = count * (4 if kind == "i" else 8)
            part = self.data[self.at : self.at + size]
            if len(part) < size:
                raise IndexError
            self.at += size
            values = np.frombuffer(part, {"i": "<i4", "u": "<u8", "d": "<f8"}[kind])
            return values if kind == "d" else values.astype(np.int64)
        words = self.words[self.at : self.at + count]
        if len(words) < count:
            raise IndexError
        self.at += count
        return np.array(words, dtype="S32").astype(float if kind == "d" else np.int64)


def _nodes(numbers: _Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Return the tags and positions of nodes in format 2.2, whose entries are: tag x y z."""
    count = numbers.line()
    if not numbers.binary:
        table = numbers.take("d", 4 * count).reshape(-1, 4)
        return table[:, 0].astype(np.int64), table[:, 1:]
    row = np.dtype([("tag", "<i4"), ("pos", "<f8", 3)])
    part = numbers.data[numbers.at : numbers.at + count * row.itemsize]
    if count < 0 or len(part) < count * row.itemsize:
        raise IndexError
    table = np.frombuffer(part, row)
    return table["tag"].astype(np.int64), table["pos"]


def _elements(numbers: _Numbers) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the type and nodes of elements in format 2.2, whose entries are: tag type ntags tags nodes."""
    left = numbers.line()
    while left > 0:
        if numbers.binary:
            kind, count, tags = numbers.take("i", 3).tolist()
            before = 1 + tags
        else:
            _, kind, tags = numbers.take("i", 3).tolist()
            count, before = 1, tags
        if kind not in _SIZES or count < 1:
            raise ValueError(f"elements of type {kind} of the GMSH file are not supported")
        rows = numbers.take("i", count * (before + _SIZES[kind])).reshape(count, -1)
        yield kind, rows[:, before:]
        left -= count


def _modern_nodes(numbers: _Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Return the tags and positions of nodes in format 4.1: a block of tags, and then a block of positions."""
    blocks, total, first, last = numbers.take("u", 4).tolist()
    numbers.take("i", 3)
    count = int(numbers.take("u", 1)[0])
    tags, points = numbers.take("u", count), numbers.take("d", 3 * count).reshape(-1, 3)
    if blocks != 1 or total != count:
        raise ValueError("the nodes of the GMSH file must be in a single block: save the mesh as one entity")
    if first != 1 or last != count or (np.diff(tags) != 1).any():
        raise ValueError("the nodes of the GMSH file must be numbered 1, 2, 3 ...")
    return tags, points


def _modern_elements(numbers: _Numbers) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the type and nodes of elements in format 4.1, which has blocks of entries: tag nodes."""
    blocks, total, _, _ = numbers.take("u", 4).tolist()
    kind = int(numbers.take("i", 3)[2])
    count = int(numbers.take("u", 1)[0])
    if blocks != 1 or total != count or not count:
        raise ValueError("the elements of the GMSH file must be in a single block: save the mesh as one entity")
    if kind not in _SIZES:
        raise ValueError(f"elements of type {kind} of the GMSH file are not supported")
    yield kind, numbers.take("u", count * (1 + _SIZES[kind])).reshape(count, -1)[:, 1:]
