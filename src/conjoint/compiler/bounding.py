"""Bounding volume hierarchies: binary trees of boxes (Ericson, Real-Time Collision Detection, 2005, 6.2).

A kernel builds trees of many elements. Small trees are built here, so that small models need no kernel.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conjoint.compiler.kernels import THIN
from conjoint.once import MAKING

Reals = NDArray[np.float64]
Integers = NDArray[np.int32]

FEW = 100
"""Maximum number of elements that are split without a kernel."""


@dataclass
class Trees:
    """Concatenated trees. In each tree, a node precedes its children, and the first child precedes the second.

    Attributes:
        adr, num: first node and number of nodes of each tree; an empty tree has no nodes.
        depth: distance of every node from its root.
        child: (nnode, 2) children, counted from the first node of the tree; -1 in a leaf.
        element: element in a leaf; -1 in an inner node.
        aabb: (nnode, 6) center and half sizes of the boxes.
    """

    adr: Integers
    num: Integers
    depth: Integers
    child: Integers
    element: Integers
    aabb: Reals


def bounding_trees(low: Reals, high: Reals, position: Reals, counts: Integers, few: int = FEW) -> Trees:
    """Build bounding volume trees of elements.

    Every node is split along the longest side of its box, at the median of the elements' positions.

    Args:
        low, high: (n, 3) corners of the bounding boxes of the elements.
        position: (n, 3) positions of the elements.
        counts: number of elements of each tree, in order.
        few: maximum number of elements that are split without a kernel.
    """
    counts = np.asarray(counts, np.int64)
    num = np.maximum(2 * counts - 1, 0)
    adr = np.cumsum(num) - num
    # NaN cannot be sorted in a list
    if len(position) <= few and np.isfinite(low.sum() + high.sum()):
        nodes = _by_node(low, high, position, counts.tolist())
    else:
        nodes = _by_kernel(low, high, position, counts)
    return Trees(adr, num, *nodes)


class Nodes(NamedTuple):
    """Nodes of trees as lists: depth, children, element, and both corners of the box of each node."""

    depth: list[int]
    child: list[tuple[int, int]]
    element: list[int]
    corners: list[Sequence[float]]


def split_trees(corners: Sequence[Sequence[float]], places: Sequence[Sequence[int]], counts: Iterable[int]) -> Nodes:
    """Return the nodes of all trees in depth-first order, the first child first.

    Args:
        corners: both corners of the box of each element.
        places: sort keys of the elements along each axis; not needed for single elements.
        counts: number of elements of each tree, in order.
    """
    nodes = depth, child, element, boxes = Nodes([], [], [], [])
    end = 0
    for count in counts:
        start, end = end, end + count
        if count == 1:
            depth.append(0)
            child.append((-1, -1))
            element.append(start)
            boxes.append(corners[start])
            continue
        root, open_nodes = len(depth), [(list(range(start, end)), 0)] if count else []
        while open_nodes:
            members, level = open_nodes.pop()
            depth.append(level)
            if len(members) == 1:
                child.append((-1, -1))
                element.append(members[0])
                boxes.append(corners[members[0]])
                continue
            columns = list(zip(*[corners[member] for member in members], strict=True))
            box = [*map(min, columns[:3]), *map(max, columns[3:])]
            boxes.append(box)
            element.append(-1)
            members.sort(key=places[_longest_side(box)].__getitem__)
            half = len(members) // 2
            next_node = len(depth) - root
            child.append((next_node, next_node + 2 * half - 1))
            open_nodes += [(members[half:], level + 1), (members[:half], level + 1)]
    return nodes


def _by_node(low: Reals, high: Reals, position: Reals, counts: list[int]) -> tuple[Integers, Integers, Integers, Reals]:
    """Return depth, children, elements and boxes of all nodes.

    Small trees are built by splitting lists, without a kernel.
    """
    places: list[list[int]] = []
    if max(counts, default=0) > 1:
        # a single element needs no order
        places = np.argsort(_orders(position), axis=1).tolist()
    depth, child, element, boxes = split_trees(np.concatenate([low, high], axis=1).tolist(), places, counts)
    lower, upper = _thickened(np.array(boxes).reshape(-1, 6))
    aabb = np.concatenate([(upper + lower) / 2, (upper - lower) / 2], axis=1)
    return np.array(depth, np.int32), np.array(child, np.int32).reshape(-1, 2), np.array(element, np.int32), aabb


def _by_kernel(
    low: Reals, high: Reals, position: Reals, counts: Integers
) -> tuple[Integers, Integers, Integers, Reals]:
    """Return depth, children, elements and boxes of all nodes. Large trees are built by a kernel."""
    with MAKING.held:
        from conjoint.compiler.many_trees import build, orders_of

    orders = orders_of(position)
    if len(counts) > 1:
        owner = np.repeat(np.arange(len(counts)), counts)
        orders = np.take_along_axis(orders, np.argsort(owner[orders], axis=1, kind="stable"), axis=1)
    return build(np.stack([low, high], axis=1), orders, counts)


def _thickened(corners: Reals) -> tuple[Reals, Reals]:
    """Return lower and upper corners of boxes. Flat boxes are thickened."""
    lower, upper = corners[:, :3], corners[:, 3:]
    flat = np.where(np.abs(lower - upper) < THIN, THIN, 0.0)
    return lower - flat, upper + flat


def _longest_side(box: Sequence[float]) -> int:
    """Return the axis of a box's longest side.

    Ties go to the first axis, unless the sides are so long that the tolerance `THIN` is lost to rounding.
    """
    sides = [
        (upper + THIN) - (lower - THIN) if upper - lower < THIN else upper - lower
        for lower, upper in zip(box[:3], box[3:], strict=True)
    ]
    x, y, z = sides
    across = 0 if x + THIN > y else 1
    return across if sides[across] + THIN > z else 2


def _orders(position: Reals) -> Integers:
    """Return the elements in the order of their positions along each axis (3, n).

    Equal positions are ordered by index.
    """
    order = np.argsort(position.T, axis=1, kind="stable")
    gaps = np.diff(np.take_along_axis(position.T, order, axis=1))
    for axis in np.flatnonzero(((gaps > 0) & (gaps <= THIN)).any(axis=1)):
        same = np.concatenate([[0], np.cumsum(gaps[axis] > THIN)])
        order[axis] = order[axis][np.lexsort((order[axis], same))]
    return order.astype(np.int32)
