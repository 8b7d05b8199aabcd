"""Convex hulls of meshes, and the graphs of their edges."""

from dataclasses import dataclass

import numpy as np

from conjoint.compiler.assets.qhull import hull_lists
from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot


@dataclass
class Hull:
    """Convex hull of a mesh.

    Attributes:
        face: triangles of the hull (n, 3), as vertices of the mesh, counter-clockwise seen from outside.
        graph: `mesh_graph`: counts, edges around every vertex, and triangles.
    """

    face: Integers
    graph: Integers


def convex_hull(vert: Reals, maxhullvert: int) -> Hull:
    """Hull of the vertices, of at most `maxhullvert` vertices; -1: of any number.

    The rows of its graph are numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert],
    edge_localid[numvert + 3 numface] with -1 at the end of each vertex's list, face_globalid[3 numface]. Vertices, the
    edges at each, and triangles are in the order in which Qhull has them.

    Raises:
        ValueError: the vertices lie in a plane.
    """
    found = hull_lists(vert, "qhull Qt" if maxhullvert < 0 else f"qhull Qt TA{maxhullvert - 4}")
    face = found.facet.copy()
    a, b, c = vert[face[:, 0]], vert[face[:, 1]], vert[face[:, 2]]
    inward = dot(cross(b - a, c - a), found.normal) < 0
    face[inward] = face[inward][:, [1, 0, 2]]
    nvert, nface = len(found.vertex), len(face)
    place = np.zeros(found.vertex.max() + 1, np.int64)
    place[found.vertex] = np.arange(nvert)
    # what each facet at a vertex adds to its edges: its other two corners
    start = np.repeat(np.arange(nvert), found.degree)
    corners = place[found.facet][found.around]
    end = corners[corners != start[:, None]]
    start = np.repeat(start, 2)
    # every edge is in two facets
    key, first = np.unique(start * nvert + end, return_index=True)
    start = key // nvert
    order = np.lexsort((first, start))
    degree = np.bincount(start, minlength=nvert)
    adr = np.cumsum(degree + 1) - (degree + 1)
    edges = np.full(nvert + 3 * nface, -1, np.int64)
    edges[np.arange(len(key)) + start] = (key % nvert)[order]
    graph = np.concatenate([[nvert, nface], adr, found.vertex, edges, face.reshape(-1)]).astype(np.int32)
    return Hull(face, graph)
