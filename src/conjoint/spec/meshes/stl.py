"""Binary STL files (the format of 3D Systems' stereolithography: triangles without topology)."""

import numpy as np
from numpy.typing import NDArray

from conjoint.spec.meshes.triangles import Triangles

HEADER = 84
MOST_FACES = 200_000
MOST = 2.0**30
"""Largest coordinate."""
RECORD = np.dtype([("normal", "<f4", 3), ("vert", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(data: bytes) -> Triangles:
    """Triangles of a binary STL file, whose repeated vertices are merged.

    Raises:
        ValueError: the file is not a binary STL file.
    """
    if not data:
        raise ValueError("the STL file is empty")
    if len(data) < HEADER:
        raise ValueError("the header of the STL file is not complete")
    count = int.from_bytes(data[80:84], "little")
    hint = "; perhaps this is an ASCII file, which must be converted to binary" if data[:5] == b"solid" else ""
    if not 1 <= count <= MOST_FACES:
        raise ValueError(f"the STL file says {count} faces, expected 1 to {MOST_FACES}{hint}")
    if len(data) != HEADER + count * RECORD.itemsize:
        wanted = HEADER + count * RECORD.itemsize
        raise ValueError(f"the STL file has {len(data)} bytes, but {count} faces need {wanted}{hint}")
    corners = np.ascontiguousarray(np.frombuffer(data, RECORD, offset=HEADER)["vert"]).reshape(-1, 3)
    # not-a-number is found later, with its place
    if (np.abs(corners) > MOST).any():
        raise ValueError("a vertex in the STL file exceeds 2^30")
    first, inverse = merge(corners)
    return Triangles(corners[first].astype(np.float64), inverse.astype(np.int32).reshape(-1, 3))


def merge(rows: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct rows of three numbers: where each appears first, in that order, and which of them every row is."""
    # zero and minus zero are the same number; then equal rows have equal bits
    bits = (rows + np.float32(0)).view(np.uint32).astype(np.uint64)
    key = bits[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(29))) + bits[:, 1] * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(31))) + bits[:, 2] * np.uint64(0x94D049BB133111EB)
    order = np.argsort(key)
    changes = np.flatnonzero(np.diff(key[order])) + 1
    starts = np.concatenate([[0], changes])
    group = np.zeros(len(rows), np.int64)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(np.concatenate([starts, [len(rows)]])))
    first = np.minimum.reduceat(order, starts)
    if not np.array_equal(bits[first][group], bits):
        # two different rows have the same key: compare whole rows
        _, first, group = np.unique(bits, axis=0, return_index=True, return_inverse=True)
        group = group.reshape(-1)
    rank = np.argsort(first)
    place = np.empty_like(rank)
    place[rank] = np.arange(len(rank))
    return first[rank], place[group]
