"""Construction of a mesh: reading, checks, normals, hull and inertia."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conjoint.compiler import kinds
from conjoint.compiler.assets.hull import convex_hull
from conjoint.compiler.assets.mesh import Mesh, Needs, mass_properties
from conjoint.compiler.assets.polygons import make_polygons
from conjoint.compiler.assets.sdf import mesh_octree, sdf_mesh
from conjoint.compiler.kernels.solids import CONVEX, EXACT
from conjoint.compiler.volumes import mesh_trees
from conjoint.lang.memory.layout import number_array
from conjoint.physics.plugins import PLUGINS
from conjoint.schema.constants import mjMINVAL
from conjoint.spec.files import extension
from conjoint.spec.meshes.obj import read_obj
from conjoint.spec.meshes.readers import CONTENT_TYPES, READERS
from conjoint.spec.meshes.triangles import (
    YZX,
    ZXY,
    Integers,
    Reals,
    Singles,
    Triangles,
    dot,
    mirrors,
    products,
    vertex_normals,
)
from conjoint.spec.rotation import IDENTITY, Quaternion, quat_to_mat, unit_quat

NO_SCALE = (1.0, 1.0, 1.0)


def make_mesh(element: kinds.Mesh, data: bytes | None, needs: Needs, plugin: Any) -> Mesh:
    """Create a mesh from a file and attributes. Without a file, use a plugin's shape or the attributes alone.

    Raises:
        ValueError: the sources do not describe a mesh.
    """
    if data is None and plugin is not None:
        return _of_shape(element, plugin, needs)
    mesh = _given(element, Triangles(np.zeros((0, 3))) if data is None else _loaded(element, data, needs))
    if data is None or extension(element.file, element.content_type, CONTENT_TYPES) != "obj":
        _check_texcoord(mesh)
    return _compile(element, mesh, needs)


def _of_shape(element: kinds.Mesh, plugin: Any, needs: Needs) -> Mesh:
    """Return the mesh of a plugin's shape, in the frame in which the plugin defines its distances."""
    if tuple(element.scale) != NO_SCALE:
        raise ValueError("a scale cannot be given together with a plugin that generates the mesh")
    triangles = sdf_mesh(PLUGINS[plugin.slot], plugin.config)
    if element.usertexcoord:
        triangles.texcoord = _rows(element.usertexcoord, 2, "texcoord")
        _check_texcoord(triangles)
    return _compile(element, triangles, needs, moved=False)


def _compile(element: kinds.Mesh, mesh: Triangles, needs: Needs, moved: bool = True) -> Mesh:
    """Check, complete and transform a mesh. If `moved`, also align it with its principal axes of inertia."""
    _check(mesh)
    if -1 != element.maxhullvert < 4:
        raise ValueError(f"maxhullvert {element.maxhullvert} must be at least 4, or -1 for any number")
    hull, given = None, mesh.vert
    if needs.hull or mesh.face is None or element.inertia == CONVEX:
        hull = convex_hull(mesh.vert, element.maxhullvert)
    if mesh.face is None:
        assert hull is not None
        mesh.face = hull.face
    _complete(mesh, bool(element.smoothnormal))
    sides, mirrored = mesh.face if hull is None else hull.face, mirrors(element.scale)
    if mirrored:
        mesh.reverse()
        hull = None if hull is None else hull.reversed()
    if element.inertia == EXACT:
        _check_orientation(mesh.vert, mesh.face)
    _transform(mesh, element)
    filled = hull.face if hull is not None and element.inertia == CONVEX else mesh.face
    mass = mass_properties(mesh.vert, mesh.face, filled, element.inertia, needs.newer)
    if moved:
        mesh.vert = mesh.vert - mass.center
        _turn(mesh, mass.quat)
    else:
        # as in MuJoCo, the moments remain those about the principal axes
        mass = replace(mass, center=np.zeros(3), quat=IDENTITY)
    graph = np.zeros(0, np.int32) if hull is None else hull.graph
    solid = hull is not None
    polygons = make_polygons(given, mesh.vert, sides, solid, needs.newer and solid, mirrored)
    volumes = mesh_trees(mesh.vert, mesh.face)
    octree = mesh_octree(mesh.vert, mesh.face, volumes) if needs.octree else None
    columns = np.ascontiguousarray(mesh.vert.T)
    lower, upper = columns.min(axis=1), columns.max(axis=1)
    return Mesh(mesh, graph, polygons, volumes, mass, lower, upper, tuple(mass.center.tolist()), octree)


def _loaded(element: kinds.Mesh, data: bytes, needs: Needs) -> Triangles:
    """Return the mesh in a file."""
    kind = extension(element.file, element.content_type, CONTENT_TYPES)
    read = READERS.get(kind)
    if read is None:
        raise ValueError(f"unknown mesh format of file '{element.file}': expected .stl, .obj or .msh")
    try:
        mesh = read_obj(data, needs.newer) if kind == "obj" else read(data)
    except ValueError as error:
        raise ValueError(f"file '{element.file}': {error}") from None
    return mesh


def _given(element: kinds.Mesh, mesh: Triangles) -> Triangles:
    """Add the data in the attributes of `element` to the mesh loaded from a file."""
    if element.uservert:
        if len(mesh.vert):
            raise ValueError("vertices are given both by the file and by 'vertex': remove one of them")
        mesh.vert = _rows(element.uservert, 3, "vertex")
    if element.userface:
        if mesh.face is not None:
            raise ValueError("faces are given both by the file and by 'face'")
        mesh.face = _rows(element.userface, 3, "face").astype(np.int32)
    if element.usernormal:
        if mesh.normal is not None or mesh.facenormal is not None:
            raise ValueError("normals are given both by the file and by 'normal'")
        mesh.normal = _rows(element.usernormal, 3, "normal").astype(np.float32)
    if element.usertexcoord:
        if mesh.texcoord is not None:
            raise ValueError("texture coordinates are given both by the file and by 'texcoord'")
        mesh.texcoord = _rows(element.usertexcoord, 2, "texcoord")
    corners = element.__dict__.get("userfacetexcoord")
    if corners:
        mesh.facetexcoord = _rows(corners, 3, "face").astype(np.int32)
    return mesh


def _rows(numbers: tuple, width: int, name: str) -> Reals:
    """Return the numbers of an attribute, `width` per row. All numbers except faces are rounded to single precision."""
    if len(numbers) % width:
        raise ValueError(f"'{name}' has {len(numbers)} numbers, not a multiple of {width}")
    rows = number_array(numbers, np.dtype(np.float64)).reshape(-1, width)
    return rows if name == "face" else rows.astype(np.float32).astype(np.float64)


def _check(mesh: Triangles) -> None:
    """Check that there are enough vertices, that they are finite, and that faces refer to existing vertices."""
    count = len(mesh.vert)
    if count < 4:
        raise ValueError(f"it has {count} vertices, at least 4 are needed")
    wrong = np.argwhere(~np.isfinite(mesh.vert))
    if len(wrong):
        raise ValueError(f"coordinate {wrong[0][1]} of vertex {wrong[0][0]} is not finite")
    if mesh.face is not None:
        wrong = np.argwhere((mesh.face < 0) | (mesh.face >= count))
        if len(wrong):
            face, corner = wrong[0]
            raise ValueError(f"in face {face}, vertex {mesh.face[face, corner]} does not exist: there are {count}")


def _check_texcoord(mesh: Triangles) -> None:
    """Check that every vertex has texture coordinates, unless faces have separate indices of texture coordinates."""
    if mesh.texcoord is not None and mesh.facetexcoord is None and len(mesh.texcoord) != len(mesh.vert):
        raise ValueError(f"it has {len(mesh.texcoord)} texture coordinates for {len(mesh.vert)} vertices")


def _complete(mesh: Triangles, smooth: bool) -> None:
    """Compute missing normals, and the indices of normals and texture coordinates at the corners of faces."""
    assert mesh.face is not None
    if mesh.normal is None:
        mesh.normal, mesh.facenormal = vertex_normals(mesh.vert, mesh.face, smooth), mesh.face
    elif mesh.facenormal is None:
        # with several normals at each vertex, use the first; with too few, use the first of all
        mesh.facenormal = mesh.face * np.int32(len(mesh.normal) // len(mesh.vert))
    if mesh.texcoord is not None and mesh.facetexcoord is None:
        mesh.facetexcoord = mesh.face


def _check_orientation(vert: Reals, face: Integers) -> None:
    """Check that triangles are oriented consistently: no edge may occur twice in the same direction.

    Small triangles are ignored.
    """
    normal = products(vert, face)
    kept = face[np.sqrt(dot(normal, normal)) / 2 > mjMINVAL**0.5].astype(np.int64)
    edges = np.concatenate([kept[:, [0, 1]], kept[:, [1, 2]], kept[:, [2, 0]]])
    keys = np.sort(edges[:, 0] * len(vert) + edges[:, 1])
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        a, b = divmod(int(keys[twice[0]]), len(vert))
        raise ValueError(f"its faces are oriented inconsistently: see those at vertices {a} and {b}")


def _transform(mesh: Triangles, element: kinds.Mesh) -> None:
    """Shift a mesh by -refpos, rotate it by the inverse of refquat, scale it, and normalize its normals."""
    assert mesh.normal is not None
    if any(element.refpos):
        mesh.vert = mesh.vert - element.refpos
    if tuple(element.refquat) != IDENTITY:
        _turn(mesh, unit_quat(element.refquat))
    if tuple(element.scale) != NO_SCALE:
        mesh.vert = mesh.vert * element.scale
        mesh.normal = (mesh.normal * _normal_factors(element.scale)).astype(np.float32)
    if not np.isfinite(mesh.vert).all():
        raise ValueError("its vertices are not finite after shift, rotation and scale")
    square = dot(mesh.normal, mesh.normal)
    short = ~(square >= mjMINVAL)
    length = np.sqrt(np.where(short, np.float32(1), square))
    normal: Singles = (mesh.normal * (1 / length)[:, None]).astype(np.float32)
    normal[short] = (0.0, 0.0, 1.0)
    mesh.normal = normal


def _normal_factors(scale: Sequence[float]) -> Reals:
    """Return factors for normals: the inverse of `scale`, up to a common positive factor, because scales can be 0."""
    sizes = np.array(scale)
    lengths = np.abs(sizes)
    if (lengths == lengths[0]).all():
        # round normals as in MuJoCo 3.3.5
        return sizes
    cofactors = lengths[YZX] * lengths[ZXY]
    return np.copysign(cofactors / max(cofactors.max(), mjMINVAL), sizes)


def _turn(mesh: Triangles, quat: Quaternion) -> None:
    """Express vertices and normals in the frame with orientation `quat`. Normals are rounded to single precision."""
    assert mesh.normal is not None
    matrix = np.array(quat_to_mat(quat)).reshape(3, 3)
    mesh.vert = _in_frame(mesh.vert, matrix)
    mesh.normal = _in_frame(mesh.normal.astype(np.float64), matrix).astype(np.float32)


def _in_frame(rows: Reals, matrix: Reals) -> Reals:
    """Multiply rows by `matrix`, summing terms from left to right, which NumPy's matrix product does not guarantee."""
    x, y, z = np.ascontiguousarray(rows.T)
    out = np.empty_like(rows)
    for i in range(3):
        out[:, i] = x * matrix[0, i] + y * matrix[1, i] + z * matrix[2, i]
    return out
