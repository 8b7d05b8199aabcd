"""Convex hulls of meshes, and the graphs of their edges."""

import ctypes
import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.compiler.assets.cache import library_file
from conjoint.compiler.kernels.hulls import WORD, count_lists, list_edges, read_lists
from conjoint.lang.errors import MissingExtraError
from conjoint.once import MAKING, made_once
from conjoint.runtime.entry import entry
from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot, reversed_faces

SINGULAR = "it has no convex hull: its vertices lie in a plane, on a line or in a point"
MISSING = "convex hulls of meshes need Qhull, which is not installed: pip install cmeel-qhull, or scipy on any system"


@dataclass
class Lists:
    """Facets and vertices of a hull, in Qhull's final order.

    Attributes:
        facet: (nfacet, 3) vertices of each facet, newest first; the facets are in the order of Qhull's list.
        normal: (nfacet, 3) outward normals of the facets.
        vertex: (nvertex) vertices in the order of Qhull's list.
        degree: (nvertex) number of facets at each vertex.
        around: (3 nfacet) facets at each vertex, concatenated by vertex.
    """

    facet: Integers
    normal: Reals
    vertex: Integers
    degree: Integers
    around: Integers


def lists_of_scipy(points: Reals, options: str) -> Lists:
    """Compute the triangulated convex hull of points (n, 3) with SciPy.

    SciPy does not expose Qhull's list of vertices. The hull is the same, but in another order. Vertices are sorted by
    index, and facets at a vertex are in the order of the facet list.

    Raises:
        ValueError: the points lie in a plane.
        MissingExtraError: SciPy is not installed.
    """
    with MAKING.held:
        try:
            spatial = import_module("scipy.spatial")
        except ImportError:
            raise MissingExtraError(MISSING) from None
    try:
        found = spatial.ConvexHull(np.ascontiguousarray(points, np.float64), qhull_options=options)
    except spatial.QhullError:
        raise ValueError(SINGULAR) from None
    facet = found.simplices.astype(np.int32)
    vertex, corner = np.unique(facet, return_inverse=True)
    corner = corner.reshape(-1)
    degree: Integers = np.bincount(corner).astype(np.int32)
    around: Integers = (np.argsort(corner, kind="stable") // 3).astype(np.int32)
    return Lists(facet, found.equations[:, :3].copy(), vertex, degree, around)


ROOM = 1 << 16
"""Number of bytes allocated for Qhull's state, a qhT, which occupies about 9 kB."""

_count_lists = entry(count_lists, "long[]", "int")
_read_lists = entry(
    read_lists, "out long[]", "real[]", "int", "int", "out int[]", "out real[]", "out int[]", "out int[]", "out int[]"
)


def hull_lists(vert: Reals, options: str) -> Lists:
    """Compute the triangulated convex hull of points (n, 3).

    Raises:
        ValueError: the points lie in a plane.
        MissingExtraError: Qhull is not installed.
    """
    file = library_file()
    if file is None:
        return lists_of_scipy(vert, options.removeprefix("qhull "))
    library, silence = _library(file)
    points = np.ascontiguousarray(vert, np.float64)
    state = ctypes.create_string_buffer(ROOM)
    library.qh_zero(state, silence)
    try:
        if library.qh_new_qhull(state, 3, len(points), points.ctypes.data, 0, options.encode(), None, silence):
            raise ValueError(SINGULAR)
        library.qh_vertexneighbors(state)
        distance, outside = ctypes.c_double(), ctypes.c_uint()
        facet = library.qh_findbestfacet(state, points.ctypes.data, 0, ctypes.byref(distance), ctypes.byref(outside))
        return _read(facet, points.ctypes.data)
    finally:
        library.qh_freeqhull(state, 0)
        library.qh_memfreeshort(state, ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int()))


def _read(facet: int, points: int) -> Lists:
    """Copy the lists of a hull from Qhull's memory.

    `facet` is the address of one of its facets, `points` the address of the points.
    """
    words, reals = _memory(ctypes.c_int64), _memory(ctypes.c_double)
    nfacet, nvertex, naround = _count_lists(words, facet)
    facets, normals = np.empty((nfacet, 3), np.int32), np.empty((nfacet, 3))
    vertices, degrees, around = (np.empty(count, np.int32) for count in (nvertex, nvertex, naround))
    _read_lists(words, reals, facet, points, facets, normals, vertices, degrees, around)
    return Lists(facets, normals, vertices, degrees, around)


@made_once
def _memory(kind: Any) -> Any:
    """Return an array of type `kind` that covers the whole memory of the process, starting at address `WORD`."""
    return np.frombuffer((kind * ((1 << 58) - 1)).from_address(WORD), kind)


@made_once
def _library(file: Path) -> tuple[ctypes.CDLL, int]:
    """Return the Qhull library of cmeel-qhull, and a C file stream that discards the library's output."""
    library = ctypes.CDLL(str(file))
    address, number, flag = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint
    library.qh_zero.argtypes = [address, address]
    library.qh_new_qhull.argtypes = [address, number, number, address, flag, ctypes.c_char_p, address, address]
    library.qh_vertexneighbors.argtypes = [address]
    library.qh_findbestfacet.argtypes = [address, address, flag, address, address]
    library.qh_findbestfacet.restype = address
    library.qh_freeqhull.argtypes = [address, flag]
    library.qh_memfreeshort.argtypes = [address, address, address]
    files = ctypes.CDLL(None)
    files.fopen.restype = address
    return library, files.fopen(os.devnull.encode(), b"w")


_list_edges = entry(
    list_edges, "int[]", "int[]", "int", "int[]", "int[]", "out int[]", "out int[]", "out int[]", "out int[]"
)


@dataclass
class Hull:
    """Convex hull of a mesh.

    Attributes:
        face: triangles of the hull (n, 3), as vertices of the mesh, counter-clockwise seen from outside.
        graph: `mesh_graph`: counts, edges around every vertex, and triangles.
    """

    face: Integers
    graph: Integers

    def reversed(self) -> "Hull":
        """Return the hull with reversed triangles, which is the hull of the mirrored mesh."""
        face = reversed_faces(self.face)
        return Hull(face, np.concatenate([self.graph[: -face.size], face.reshape(-1)]))


def convex_hull(vert: Reals, maxhullvert: int) -> Hull:
    """Return the hull of the vertices, with at most `maxhullvert` vertices; -1 for no limit.

    The rows of its graph are numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert],
    edge_localid[numvert + 3 numface] with -1 at the end of each vertex's list, face_globalid[3 numface]. Vertices,
    edges at each vertex, and triangles are in Qhull's order.

    Raises:
        ValueError: the vertices lie in a plane.
    """
    found = hull_lists(vert, "qhull Qt" if maxhullvert < 0 else f"qhull Qt TA{maxhullvert - 4}")
    face = found.facet.copy()
    a, b, c = vert[face[:, 0]], vert[face[:, 1]], vert[face[:, 2]]
    inward = dot(cross(b - a, c - a), found.normal) < 0
    face[inward] = face[inward][:, [1, 0, 2]]
    nvert, nface = len(found.vertex), len(face)
    adr, edges = np.empty(nvert, np.int32), np.empty(nvert + 6 * nface, np.int32)
    places, seen = np.empty(len(vert), np.int32), np.full(nvert, -1, np.int32)
    _list_edges(found.facet, found.vertex, nvert, found.degree, found.around, adr, edges, places, seen)
    # every edge belongs to two facets
    lists = edges[: nvert + 3 * nface]
    graph = np.concatenate([np.array([nvert, nface], np.int32), adr, found.vertex, lists, face.reshape(-1)])
    return Hull(face, graph)
