"""Convex hulls of meshes, and the graphs of their edges."""

from dataclasses import dataclass

import numpy as np

from conjoint.compiler.assets.qhull import hull_lists
from conjoint.compiler.kernels.hulls import list_edges
from conjoint.runtime.entry import entry
from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot, reversed_faces

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
        """Return the hull with its triangles turned around, as in a mirror image."""
        face = reversed_faces(self.face)
        return Hull(face, np.concatenate([self.graph[: -face.size], face.reshape(-1)]))


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
    adr, edges = np.empty(nvert, np.int32), np.empty(nvert + 6 * nface, np.int32)
    places, seen = np.empty(len(vert), np.int32), np.full(nvert, -1, np.int32)
    _list_edges(found.facet, found.vertex, nvert, found.degree, found.around, adr, edges, places, seen)
    # every edge is in two facets
    lists = edges[: nvert + 3 * nface]
    graph = np.concatenate([np.array([nvert, nface], np.int32), adr, found.vertex, lists, face.reshape(-1)])
    return Hull(face, graph)
