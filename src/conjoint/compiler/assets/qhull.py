"""Qhull (Barber, Dobkin & Huhdanpaa, ACM TOMS 22, 1996) with the lists that it keeps.

The graph of a mesh is in the order of Qhull's list of vertices and of its lists of the facets at each, which no binding
for Python shows. So the library itself is called, and its lists are read by the structures that its headers
document for programs (libqhull_r.h, qset_r.h; versions 8.0).
"""

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.once import made_once
from conjoint.spec.meshes.triangles import Reals

from .qhull_file import library_file
from .qhull_lists import SINGULAR, Lists, lists_of_scipy

WORD = 8
"""Structures are read in words of so many bytes, which pointers and reals take."""
NEXT, PREVIOUS, POINT, NEIGHBORS = range(4)
"""Words of a vertexT."""
FACET_NORMAL, FACET_PREVIOUS, FACET_NEXT, FACET_VERTICES = 3, 6, 7, 8
"""Words of a facetT."""
ELEMENTS = 1
"""Word of a setT behind its size."""
ROOM = 1 << 16
"""Room for a qhT, which takes some 9 kB."""


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


def _read(some: int, points: int) -> Lists:
    """Copy the lists that `some` facet is in; points are told by where they are."""
    words, reals = _memory(ctypes.c_uint64), _memory(ctypes.c_double)
    facets: list[int] = []
    corners: list[int] = []
    normals: list[float] = []
    at = _first(words, some // WORD, FACET_PREVIOUS)
    while following := words[at + FACET_NEXT]:
        facets.append(at * WORD)
        elements = words[at + FACET_VERTICES] // WORD + ELEMENTS
        corners += words[elements : elements + 3]
        normal = words[at + FACET_NORMAL] // WORD
        normals += reals[normal : normal + 3]
        at = following // WORD
    vertices: list[int] = []
    places: list[int] = []
    around: list[int] = []
    degree: list[int] = []
    at = _first(words, corners[0] // WORD, PREVIOUS)
    while following := words[at + NEXT]:
        vertices.append(at * WORD)
        places.append(words[at + POINT])
        members = _members(words, words[at + NEIGHBORS] // WORD)
        degree.append(len(members))
        around += members
        at = following // WORD
    index = (np.array(places) - points) // (3 * WORD)
    facet = index[_find(vertices, corners)].reshape(-1, 3).astype(np.int32)
    normal = np.array(normals).reshape(-1, 3)
    return Lists(facet, normal, index.astype(np.int32), np.array(degree), _find(facets, around))


def _memory(kind: Any) -> Any:
    """The memory of the process as an array."""
    return (kind * (1 << 58)).from_address(0)


def _first(words: Any, at: int, previous: int) -> int:
    """The first entry of the list that the one at a place is in."""
    while before := words[at + previous]:
        at = before // WORD
    return at


def _members(words: Any, at: int) -> list[int]:
    """The elements of a setT; what is behind the room for them is their number plus one, or zero if all is taken."""
    room = words[at] & 0x7FFFFFFF
    first = at + ELEMENTS
    count = words[first + room] & 0x7FFFFFFF
    return words[first : first + (count - 1 if count else room)]


def _find(known: list[int], wanted: list[int]) -> Any:
    """Where addresses stand in a list of them."""
    addresses = np.array(known)
    order = np.argsort(addresses)
    return order[np.searchsorted(addresses, wanted, sorter=order)]


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
