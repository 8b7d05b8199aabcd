"""Nodes of the trees of many elements, by a kernel."""

import numpy as np

from conjoint.compiler.kernels.trees import build_trees
from conjoint.runtime.entry import entry
from conjoint.spec.meshes.triangles import Integers, Reals

_build_trees = entry(
    build_trees,
    "real[]", "out int[]", "int", "int[]", "int", "out int[]", "out int[]", "out int[]", "out real[]",
)  # fmt: skip


def build(boxes: Reals, orders: Integers, counts: Integers) -> tuple[Integers, Integers, Integers, Reals]:
    """Depth, children, elements and corners (n, 2, 3) of all nodes.

    Args:
        boxes: lower and upper corners of the elements (n, 2, 3).
        orders: elements of each tree by position along each axis (3, n).
        counts: number of elements of each tree.
    """
    nodes, total = int(np.maximum(2 * counts - 1, 0).sum()), len(boxes)
    depth, element = np.empty(nodes, np.int32), np.full(nodes, -1, np.int32)
    child, corners = np.full((nodes, 2), -1, np.int32), np.empty((nodes, 2, 3))
    room = np.empty((5, total), np.int32)
    room[:3] = orders
    _build_trees(boxes, room, total, counts.astype(np.int32), len(counts), depth, child, element, corners)
    return depth, child, element, corners
