"""Convex hulls by Qhull (Barber, Dobkin & Huhdanpaa 1996)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot


@dataclass
class Hull:
    """Convex hull of a mesh.

    Attributes:
        vertid: vertices of the mesh on the hull, ascending.
        face: triangles of the hull (n, 3), as vertices of the mesh, counter-clockwise seen from outside.
    """

    vertid: Integers
    face: Integers


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
    face = found.simplices.astype(np.int32)
    a, b, c = vert[face[:, 0]], vert[face[:, 1]], vert[face[:, 2]]
    inward = dot(cross(b - a, c - a), found.equations[:, :3]) < 0
    face[inward] = face[inward][:, [1, 0, 2]]
    return Hull(found.vertices.astype(np.int32), face)


def hull_graph(hull: Hull) -> Integers:
    """`mesh_graph` of a hull: counts, edges around every vertex, and triangles.

    The rows are numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert], edge_localid[numvert + 3 numface] with
    -1 at the end of each vertex's list, face_globalid[3 numface].
    """
    nvert, nface = len(hull.vertid), len(hull.face)
    local = np.searchsorted(hull.vertid, hull.face)
    start, end = local.reshape(-1), local[:, [1, 2, 0]].reshape(-1)
    # every vertex has one neighbour for each triangle at it, and its list ends with -1
    order = np.argsort(start, kind="stable")
    degree = np.bincount(start, minlength=nvert)
    adr = np.cumsum(degree + 1) - (degree + 1)
    edges = np.full(nvert + 3 * nface, -1, np.int64)
    edges[np.arange(3 * nface) + start[order]] = end[order]
    return np.concatenate([[nvert, nface], adr, hull.vertid, edges, hull.face.reshape(-1)]).astype(np.int32)
