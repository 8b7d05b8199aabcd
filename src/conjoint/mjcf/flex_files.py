"""Points and elements of a flex from a mesh or GMSH file."""

from __future__ import annotations

import numpy as np

from conjoint.mjcf.flex_shapes import Shape
from conjoint.mjcf.gmsh import read_gmsh
from conjoint.spec import Element, Spec
from conjoint.spec.files import Files, extension
from conjoint.spec.meshes import CONTENT_TYPES, READERS


def read_flex_file(spec: Spec, file: str, kind: str, dim: int, origin: tuple[float, ...]) -> Shape:
    """Shape in the `file` of a flexcomp of type mesh or gmsh.

    A mesh with `dim` 3 is filled with tetrahedra that join its triangles with `origin`.

    Raises:
        ValueError: the file cannot be read.
    """
    if not file:
        raise ValueError("the attribute 'file' is missing")
    place = Element("mesh", {"directory": spec.directory})
    data = Files(spec).read(place, file)
    if kind == "gmsh":
        return Shape(*read_gmsh(data))
    read = READERS.get(extension(file, "", CONTENT_TYPES))
    if read is None:
        raise ValueError(f"unknown mesh format of file '{file}': expected .stl, .obj or .msh")
    mesh = read(data)
    if mesh.face is None:
        raise ValueError(f"the mesh '{file}' has no faces")
    points, faces = np.asarray(mesh.vert, float), np.asarray(mesh.face, int)
    if dim != 3:
        return Shape(2, points, faces)
    # the origin is point 0
    center = np.zeros((len(faces), 1), int)
    return Shape(3, np.concatenate([[origin], points]), np.concatenate([center, faces + 1], axis=1))
