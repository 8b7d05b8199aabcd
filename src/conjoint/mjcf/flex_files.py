"""Points and elements of a flex from a mesh or GMSH file, or from the mesh of a model."""

from collections.abc import Sequence

import numpy as np

from conjoint.mjcf.flex_shapes import Shape
from conjoint.mjcf.gmsh import read_gmsh
from conjoint.schema.constants import mjMINVAL
from conjoint.spec import Element
from conjoint.spec.files import Files, extension
from conjoint.spec.meshes.readers import CONTENT_TYPES, READERS, merge
from conjoint.spec.meshes.triangles import mirrors, reversed_faces
from conjoint.spec.rotation import quat_to_mat, unit_quat

FORMATS = ("obj", "stl")
"""Extensions of mesh files for flexes. MuJoCo's binary mesh format is only for mesh assets."""
LEAST_VOLUME = mjMINVAL
"""Volume (m^3) up to which a tetrahedron is omitted."""


def read_flex_file(
    files: Files, file: str, folder: str | None, kind: str, dim: int, origin: tuple[float, ...]
) -> Shape:
    """Return the shape in the mesh or GMSH file of a flexcomp.

    `folder` is the folder of the file that contains the flexcomp. With `dim` 3, the space between the triangles of a
    mesh and `origin` is filled with tetrahedra.

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
        raise ValueError(f"file '{file}': a flex can be made of {known} files: convert it to one of them")
    shape = _surface(form, data, file)
    return _filled(shape, np.array(origin)) if dim == 3 else shape


def mesh_shape(files: Files, mesh: Element, dim: int | None, origin: tuple[float, ...] | None) -> Shape:
    """Return the shape of a mesh of the model, with the transformation of the mesh (XML Reference, flexcomp/mesh).

    Args:
        files: files of the model.
        mesh: the mesh.
        dim: 1 for the first side of each triangle, 2 for triangles, 3 for tetrahedra; None for the mesh's dimension.
        origin: apex of tetrahedra over the triangles, if the mesh has no tetrahedra.

    Raises:
        ValueError: the mesh cannot be read, or has no elements of this dimension.
    """
    values = mesh.__dict__
    if values.get("usertet"):
        if dim not in (None, 3):
            raise ValueError(f"the mesh '{mesh.name}' is of tetrahedra: dim is 3, not {dim}")
        shape = Shape(3, _rows(values["usernode"], 3), _rows(values["usertet"], 4).astype(int))
    elif mesh.file:
        name = mesh.file
        shape = _surface(extension(name, mesh.content_type, CONTENT_TYPES), files.read(mesh, name), name)
    elif mesh.userface:
        shape = Shape(2, _rows(mesh.uservert, 3), _rows(mesh.userface, 3).astype(int))
        shape.texcoord = _rows(mesh.usertexcoord, 2)
    else:
        raise ValueError(f"the mesh '{mesh.name}' has no faces: flexes need them")
    shape.points = _as_the_mesh(shape.points, mesh)
    if shape.dim == 2 and mirrors(mesh.scale):
        shape.elements = reversed_faces(shape.elements)
        shape.texcoord_ids = reversed_faces(shape.texcoord_ids.reshape(-1, 3)).ravel()
    if shape.dim == 3 or dim in (None, 2):
        return shape
    if dim == 1:
        return Shape(1, shape.points, shape.elements[:, :2])
    if origin is None:
        raise ValueError("a mesh with dim 3 needs the origin that its triangles are joined with")
    return _filled(shape, np.array(origin))


def _as_the_mesh(points: np.ndarray, mesh: Element) -> np.ndarray:
    """Transform points like the vertices of a mesh: shift by -refpos, rotate by refquat's inverse, and scale."""
    matrix = np.array(quat_to_mat(unit_quat(mesh.refquat))).reshape(3, 3)
    return np.asarray((points - mesh.refpos) @ matrix * mesh.scale)


def _rows(numbers: Sequence[float], width: int) -> np.ndarray:
    """Return numbers as an array with `width` columns. Raises ValueError if the last row is not complete."""
    return np.array(numbers, float).reshape(-1, width)


def _surface(form: str, data: bytes, file: str) -> Shape:
    """Return the points and triangles in a mesh file of a given format."""
    if form not in READERS:
        raise ValueError(f"unknown mesh format of file '{file}': expected .stl, .obj or .msh")
    mesh = READERS[form](data)
    mesh.check_complete(file)
    if mesh.face is None:
        raise ValueError(f"the mesh '{file}' has no faces")
    # merge corners at the same position, ignoring texture coordinates
    first, number = merge(mesh.vert.astype(np.float32))
    shape = Shape(2, mesh.vert[first], number[mesh.face])
    if mesh.texcoord is not None and mesh.facetexcoord is not None:
        shape.texcoord, shape.texcoord_ids = np.asarray(mesh.texcoord, float), np.asarray(mesh.facetexcoord).ravel()
    return shape


def _filled(shape: Shape, origin: np.ndarray) -> Shape:
    """Return tetrahedra between `origin`, which becomes point 0, and those triangles that face away from it."""
    corners = shape.points[shape.elements]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volume = np.einsum("ij,ij->i", normal, corners[:, 0] - origin) / 6
    filled = Shape(3, np.concatenate([[origin], shape.points]), _joined(shape.elements[volume > LEAST_VOLUME]))
    if len(shape.texcoord):
        filled.texcoord = np.concatenate([np.zeros((1, 2)), shape.texcoord])
    if len(shape.texcoord_ids):
        filled.texcoord_ids = _joined(shape.texcoord_ids.reshape(-1, 3)[volume > LEAST_VOLUME]).ravel()
    return filled


def _joined(triangles: np.ndarray) -> np.ndarray:
    """Return tetrahedra that connect triangles with point 0. All other points are renumbered from 1."""
    return np.concatenate([np.zeros((len(triangles), 1), int), triangles + 1], axis=1)
