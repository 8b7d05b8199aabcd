"""What Qhull has in the end, whichever way it was asked: by its own library, or by SciPy, where there is no library."""

from dataclasses import dataclass
from importlib import import_module

import numpy as np

from conjoint.lang.errors import MissingExtraError
from conjoint.once import MAKING
from conjoint.spec.meshes.triangles import Integers, Reals

SINGULAR = "it has no convex hull: its vertices lie in a plane, on a line or in a point"
MISSING = "convex hulls of meshes need Qhull, which is not installed: pip install cmeel-qhull, or scipy on any system"


@dataclass
class Lists:
    """What Qhull has in the end.

    Attributes:
        facet: facets in the order of its list (nfacet, 3), the vertices of each from the newest to the oldest.
        normal: their outward normals (nfacet, 3).
        vertex: vertices in the order of its list (nvertex).
        degree: how many facets are at each vertex (nvertex).
        around: those facets, of one vertex after the other (3 nfacet).
    """

    facet: Integers
    normal: Reals
    vertex: Integers
    degree: Integers
    around: Integers


def lists_of_scipy(points: Reals, options: str) -> Lists:
    """Convex hull of points (n, 3), of triangles, by SciPy, which does not show the list of vertices.

    The hull is the same, in another order: vertices as they are numbered, the facets at each as they are listed.

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
