"""MSH files: the binary mesh format of the XML Reference chapter, asset/mesh."""

import numpy as np

from conjoint.spec.meshes.triangles import Triangles


def read_msh(data: bytes) -> Triangles:
    """Mesh of a MSH file.

    Raises:
        ValueError: the header is impossible or the size of the file does not fit it.
    """
    if len(data) < 16:
        raise ValueError("the header of the MSH file is not complete")
    nvert, nnormal, ntexcoord, nface = (int(number) for number in np.frombuffer(data, "<i4", 4))
    if nvert < 4 or nface < 0 or not {nnormal, ntexcoord} <= {0, nvert}:
        counts = f"{nvert} vertices, {nnormal} normals, {ntexcoord} texture coordinates and {nface} faces"
        raise ValueError(
            f"the header of the MSH file says {counts}: at least 4 vertices, and none or as many normals and texture "
            "coordinates are expected"
        )
    wanted = 16 + 12 * (nvert + nnormal + nface) + 8 * ntexcoord
    if len(data) != wanted:
        raise ValueError(f"the MSH file has {len(data)} bytes, its header tells {wanted}")
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
