"""Points and elements of a flex from a mesh or GMSH file."""

import numpy as np

from conjoint.mjcf.flex_shapes import Shape
from conjoint.mjcf.gmsh import read_gmsh
from conjoint.schema.constants import mjMINVAL
from conjoint.spec import Element
from conjoint.spec.files import Files, extension
from conjoint.spec.meshes.readers import CONTENT_TYPES, READERS
from conjoint.spec.meshes.stl import merge

FORMATS = ("obj", "stl")
"""File extensions of meshes; the binary format of meshes is only for mesh assets."""
LEAST_VOLUME = mjMINVAL
"""Smallest tetrahedron, in m^3."""


def read_flex_file(
    files: Files, file: str, folder: str | None, kind: str, dim: int, origin: tuple[float, ...]
) -> Shape:
    """Shape in the `file` of a flexcomp of type mesh or gmsh, in a file included from `folder`.

    A mesh with `dim` 3 is filled with tetrahedra that join its triangles with `origin`.

    Raises:
        ValueError: the file cannot be read.
    """
    if not file:
        raise ValueError("the attribute 'file' is missing")
    place = Element("mesh", {"directory": files.spec.directory})
    data = files.read(place, files.beside(place, file, folder))
    if kind == "gmsh":
        return Shape(*read_gmsh(data))
    form = extension(file, "", CONTENT_TYPES)
    if form not in FORMATS:
        known = " and ".join(FORMATS)
        raise ValueError(f"file '{file}': flexes are made of {known} files: convert it")
    mesh = READERS[form](data)
    mesh.check_complete(file)
    if mesh.face is None:
        raise ValueError(f"the mesh '{file}' has no faces")
    # corners at the same place are one point, whatever texture they have
    first, number = merge(mesh.vert.astype(np.float32))
    shape = Shape(2, mesh.vert[first], number[mesh.face])
    if mesh.texcoord is not None and mesh.facetexcoord is not None:
        shape.texcoord, shape.texcoord_ids = np.asarray(mesh.texcoord, float), np.asarray(mesh.facetexcoord).ravel()
    return _filled(shape, np.array(origin)) if dim == 3 else shape


def _filled(shape: Shape, origin: np.ndarray) -> Shape:
    """Tetrahedra that join triangles with the `origin`, which becomes point 0; only those that see it from behind."""
    corners = shape.points[shape.elements]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volume = np.einsum("ij,ij->i", normal, corners[:, 0] - origin) / 6
    faces = shape.elements[volume > LEAST_VOLUME]
    tetrahedra = np.concatenate([np.zeros((len(faces), 1), int), faces + 1], axis=1)
    return Shape(3, np.concatenate([[origin], shape.points]), tetrahedra, shape.texcoord, shape.texcoord_ids)
