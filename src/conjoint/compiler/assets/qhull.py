"""Qhull (Barber, Dobkin & Huhdanpaa, ACM TOMS 22, 1996) with the lists that it keeps.

The graph of a mesh is in the order of Qhull's list of vertices and of its lists of the facets at each, which no binding
for Python shows. So the library itself is called, and its lists are read where they are (`kernels.hulls`).
"""

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.compiler.kernels.hulls import WORD, count_lists, read_lists
from conjoint.once import made_once
from conjoint.runtime.entry import entry
from conjoint.spec.meshes.triangles import Reals

from .qhull_file import library_file
from .qhull_lists import SINGULAR, Lists, lists_of_scipy

ROOM = 1 << 16
"""Room for a qhT, which takes some 9 kB."""

_count_lists = entry(count_lists, "long[]", "int")
_read_lists = entry(
    read_lists, "out long[]", "real[]", "int", "int", "out int[]", "out real[]", "out int[]", "out int[]", "out int[]"
)


def hull_lists(vert: Reals, options: str) -> Lists:
    """Convex hull of points (n, 3), of triangles.

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
    """Copy the lists that a facet is in; an address identifies a point."""
    words, reals = _memory(ctypes.c_int64), _memory(ctypes.c_double)
    nfacet, nvertex, naround = _count_lists(words, facet)
    facets, normals = np.empty((nfacet, 3), np.int32), np.empty((nfacet, 3))
    vertices, degrees, around = (np.empty(count, np.int32) for count in (nvertex, nvertex, naround))
    _read_lists(words, reals, facet, points, facets, normals, vertices, degrees, around)
    return Lists(facets, normals, vertices, degrees, around)


@made_once
def _memory(kind: Any) -> Any:
    """The memory of the process from address `WORD` on."""
    return np.frombuffer((kind * ((1 << 58) - 1)).from_address(WORD), kind)


@made_once
def _library(file: Path) -> tuple[ctypes.CDLL, int]:
    """The library that cmeel-qhull brings, and a file of C that takes what it prints."""
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
