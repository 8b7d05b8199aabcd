"""Convex hulls by Qhull (Barber, Dobkin & Huhdanpaa 1996)."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot

MERGED = -1
"""Step in which the facets are made that replace those of more than three vertices: the last one."""
SIMPLEX = np.array([(1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)])
"""Facets of the first tetrahedron."""
FEW = 200
"""So many facets are compared faster without sorting them."""


@dataclass
class Hull:
    """Convex hull of a mesh.

    Attributes:
        vertid: vertices of the mesh on the hull, in the order in which Qhull has them in the end.
        face: triangles of the hull (n, 3), as vertices of the mesh, counter-clockwise seen from outside.
        facet: the same, the vertices of each from the newest to the oldest.
    """

    vertid: Integers
    face: Integers
    facet: Integers


def convex_hull(vert: Reals, maxhullvert: int) -> Hull:
    """Hull of the vertices, of at most `maxhullvert` vertices; -1: of any number.

    Raises:
        ValueError: the vertices lie in a plane.
    """
    from scipy.spatial import ConvexHull, QhullError

    options = "Qt" if maxhullvert < 0 else f"Qt TA{maxhullvert - 4}"
    try:
        found = ConvexHull(vert, qhull_options=options)
    except QhullError:
        raise ValueError("it has no convex hull: its vertices lie in a plane, on a line or in a point") from None
    facet = found.simplices.astype(np.int32)
    face = facet.copy()
    a, b, c = vert[face[:, 0]], vert[face[:, 1]], vert[face[:, 2]]
    inward = dot(cross(b - a, c - a), found.equations[:, :3]) < 0
    face[inward] = face[inward][:, [1, 0, 2]]
    return Hull(_vertices(facet, found.equations), face, facet)


def _vertices(facet: Integers, plane: Reals) -> Integers:
    """Vertices of the hull in the order of Qhull's list, which graphs of the official compiler have, too.

    Whenever Qhull makes a facet it moves its vertices to the end of the list, unless they were moved before in the same
    step. A step adds one vertex, the newest of all facets made in it; the last step divides facets of more vertices.
    Facets of a vertex's last step are all still there, since removing one would have been a step of the vertex.
    """
    first = np.append(facet[1, 0], facet[0])
    if np.array_equal(facet, first[SIMPLEX]):
        # the tetrahedron that it starts from
        return first
    step = np.repeat(np.where(_shared(plane), MERGED, facet[:, 0]), 3)
    vertex = facet.ravel()
    last = np.zeros(vertex.max() + 1, np.int64)
    last[vertex] = step
    moved = vertex[last[vertex] == step]
    return np.array(list(dict.fromkeys(moved.tolist())), np.int32)


def _shared(plane: Reals) -> NDArray[np.bool_]:
    """Which facets have the plane of another: they are parts of one of more than three vertices."""
    if len(plane) <= FEW:
        rows = [tuple(row) for row in plane.tolist()]
        facets = Counter(rows)
        return np.array([facets[row] > 1 for row in rows])
    _, group, count = np.unique(plane, axis=0, return_inverse=True, return_counts=True)
    return count[group.ravel()] > 1


def hull_graph(hull: Hull) -> Integers:
    """`mesh_graph` of a hull: counts, edges around every vertex, and triangles.

    The rows are numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert], edge_localid[numvert + 3 numface] with
    -1 at the end of each vertex's list, face_globalid[3 numface]. The edges at a vertex are in the order of its facets.
    """
    nvert, nface = len(hull.vertid), len(hull.face)
    place = np.zeros(hull.vertid.max() + 1, np.int64)
    place[hull.vertid] = np.arange(nvert)
    local = place[hull.facet]
    start, end = local[:, [0, 0, 1, 1, 2, 2]].ravel(), local[:, [1, 2, 0, 2, 0, 1]].ravel()
    # every edge is in two facets
    key, found = np.unique(start * nvert + end, return_index=True)
    start = key // nvert
    order = np.lexsort((found, start))
    degree = np.bincount(start, minlength=nvert)
    adr = np.cumsum(degree + 1) - (degree + 1)
    edges = np.full(nvert + 3 * nface, -1, np.int64)
    edges[np.arange(len(key)) + start] = (key % nvert)[order]
    return np.concatenate([[nvert, nface], adr, hull.vertid, edges, hull.face.reshape(-1)]).astype(np.int32)
