"""Functions that call the kernels for bounding boxes of triangles and for trees of many elements."""

import numpy as np

from conjoint.compiler.kernels.trees import bound_triangles, build_trees, settle_ties
from conjoint.runtime.entry import entry
from conjoint.spec.meshes.triangles import Integers, Reals

_build_trees = entry(
    build_trees,
    "real[]", "out int[]", "int", "int[]", "int", "out int[]", "out int[]", "out int[]", "out real[]",
)  # fmt: skip
_settle_ties = entry(settle_ties, "real[]", "int", "out int[]", "out int[]", "out int[]")
_bound_triangles = entry(bound_triangles, "real[]", "int[]", "int", "out real[]", "out real[]")


def bounds_of(vert: Reals, face: Integers) -> tuple[Reals, Reals]:
    """Return the bounding boxes of triangles (n, 2, 3), and the centers of their circumscribed circles (n, 3)."""
    boxes, position = np.empty((len(face), 2, 3)), np.empty((len(face), 3))
    _bound_triangles(vert, face, len(face), boxes, position)
    return boxes, position


def orders_of(position: Reals) -> Integers:
    """Return the elements in the order of their positions along each axis (3, n).

    Equal positions are ordered by index.
    """
    count = len(position)
    values = np.ascontiguousarray(position.T)
    # NumPy's fastest sort is not stable
    orders = np.argsort(values, axis=1).astype(np.int32)
    _settle_ties(values, count, orders, *np.empty((2, count), np.int32))
    return orders


def build(boxes: Reals, orders: Integers, counts: Integers) -> tuple[Integers, Integers, Integers, Reals]:
    """Return depth, children, elements and boxes of the nodes of all trees.

    Args:
        boxes: lower and upper corners of the elements (n, 2, 3).
        orders: elements of each tree by position along each axis (3, n).
        counts: number of elements of each tree.
    """
    nodes, total = int(np.maximum(2 * counts - 1, 0).sum()), len(boxes)
    depth, element = np.empty(nodes, np.int32), np.full(nodes, -1, np.int32)
    child, aabb = np.full((nodes, 2), -1, np.int32), np.empty((nodes, 6))
    room = np.empty((5, total), np.int32)
    room[:3] = orders
    _build_trees(boxes, room, total, counts.astype(np.int32), len(counts), depth, child, element, aabb)
    return depth, child, element, aabb
