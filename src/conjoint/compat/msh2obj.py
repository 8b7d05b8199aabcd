"""Conversion of meshes from MSH to OBJ files. Run `python -m conjoint.compat.msh2obj IN.msh OUT.obj`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from conjoint.spec.meshes.readers import read_msh
from conjoint.spec.meshes.triangles import Triangles

__all__ = ["msh_to_obj"]


def msh_to_obj(msh_file: str | os.PathLike[str]) -> str:
    """Return the text of an OBJ file with the positions, normals, texture coordinates and triangles of an MSH file.

    Raises:
        ValueError: the file is damaged.
    """
    return "".join(f"{line}\n" for line in _lines(read_msh(Path(msh_file).read_bytes())))


def _lines(mesh: Triangles) -> Iterator[str]:
    """Yield the lines of an OBJ file that contains a mesh."""
    # in OBJ files, the texture coordinate v increases upwards
    upwards = None if mesh.texcoord is None else mesh.texcoord * (1.0, -1.0) + (0.0, 1.0)
    blocks = (("v", mesh.vert), ("vn", mesh.normal), ("vt", upwards))
    for word, block in blocks:
        for row in () if block is None else block.tolist():
            yield f"{word} {' '.join(map(repr, row))}"
    # position, texture coordinates and normal of a corner have the same index, which starts at 1
    texcoord, normal = mesh.texcoord is not None, mesh.normal is not None
    for triangle in () if mesh.face is None else (mesh.face + 1).tolist():
        corners = [f"{i}/{i if texcoord else ''}{f'/{i}' if normal else ''}".rstrip("/") for i in triangle]
        yield f"f {' '.join(corners)}"


def main() -> None:
    """Convert the MSH file that is named on the command line to an OBJ file."""
    parser = argparse.ArgumentParser(
        prog="python -m conjoint.compat.msh2obj", description="Convert a mesh from MSH to OBJ."
    )
    parser.add_argument("msh", help="MSH file to read")
    parser.add_argument("obj", help="OBJ file to write")
    options = parser.parse_args()
    Path(options.obj).write_text(msh_to_obj(options.msh), encoding="utf-8")


if __name__ == "__main__":
    main()
