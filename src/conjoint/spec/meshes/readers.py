"""Readers of mesh files, by format: MSH (XML Reference, asset/mesh), binary STL (3D Systems), and OBJ."""

from collections.abc import Callable

import numpy as np

from conjoint.runtime.entry import entry
from conjoint.spec.kernels.triangles import merge_rows
from conjoint.spec.meshes.obj import read_obj
from conjoint.spec.meshes.triangles import Integers, Singles, Triangles


def read_msh(data: bytes) -> Triangles:
    """Return the mesh in an MSH file.

    Raises:
        ValueError: the header is impossible, or the size of the file does not match it.
    """
    if len(data) < 16:
        raise ValueError("the header of the MSH file is not complete")
    nvert, nnormal, ntexcoord, nface = (int(number) for number in np.frombuffer(data, "<i4", 4))
    if nvert < 4 or nface < 0 or not {nnormal, ntexcoord} <= {0, nvert}:
        counts = f"{nvert} vertices, {nnormal} normals, {ntexcoord} texture coordinates and {nface} faces"
        raise ValueError(
            f"the header of the MSH file promises {counts}: expected at least 4 vertices, and "
            "as many normals and texture coordinates, or none"
        )
    wanted = 16 + 12 * (nvert + nnormal + nface) + 8 * ntexcoord
    if len(data) != wanted:
        raise ValueError(f"the MSH file has {len(data)} bytes, but its header requires {wanted}")
    offset = 16
    blocks = []
    for count, width, kind in ((nvert, 3, "<f4"), (nnormal, 3, "<f4"), (ntexcoord, 2, "<f4"), (nface, 3, "<i4")):
        block = np.frombuffer(data, kind, count * width, offset).reshape(-1, width)
        offset += block.nbytes
        blocks.append(block if count else None)
    vert, normal, texcoord, face = blocks
    assert vert is not None
    return Triangles(
        vert.astype(np.float64), face, normal, None if texcoord is None else texcoord.astype(np.float64),
        face, None if texcoord is None else face,
    )  # fmt: skip


_merge_rows = entry(merge_rows, "int[]", "int", "out int[]", "int", "out int[]", "out int[]")

HEADER = 84
MOST_FACES = 200_000
MOST = 2.0**30
"""Maximum absolute value of a coordinate in an STL file."""
RECORD = np.dtype([("normal", "<f4", 3), ("vert", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(data: bytes) -> Triangles:
    """Return the triangles of a binary STL file, with repeated vertices merged.

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
        raise ValueError(f"the header of the STL file promises {count} faces, expected 1 to {MOST_FACES}{hint}")
    if len(data) != HEADER + count * RECORD.itemsize:
        wanted = HEADER + count * RECORD.itemsize
        raise ValueError(f"the STL file has {len(data)} bytes, but {count} faces need {wanted}{hint}")
    corners = np.ascontiguousarray(np.frombuffer(data, RECORD, offset=HEADER)["vert"]).reshape(-1, 3)
    # NaN is reported later, with its location
    if (np.abs(corners) > MOST).any():
        raise ValueError("a vertex in the STL file exceeds 2^30")
    first, inverse = merge(corners)
    return Triangles(corners[first].astype(np.float64), inverse.reshape(-1, 3))


def merge(rows: Singles) -> tuple[Integers, Integers]:
    """Return the first occurrence of each distinct row of three elements, and the index of each row's distinct row."""
    # zero and minus zero are the same number; then equal rows have equal bits
    bits = (rows + np.float32(0)).view(np.int32)
    room = 2 << len(rows).bit_length()
    first, group = np.empty((2, len(rows)), np.int32)
    found = _merge_rows(bits, len(rows), np.full(room, -1, np.int32), room, first, group)
    return first[:found], group


READERS: dict[str, Callable[[bytes], Triangles]] = {"stl": read_stl, "obj": read_obj, "msh": read_msh}
"""Function that reads mesh files, by file extension."""

CONTENT_TYPES = {"model/stl": "stl", "model/obj": "obj", "model/vnd.mujoco.msh": "msh"}
"""File extension that corresponds to each `content_type` of a mesh."""
