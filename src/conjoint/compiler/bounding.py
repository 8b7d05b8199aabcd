"""Bounding volume hierarchies: binary trees of boxes (Ericson, Real-Time Collision Detection, 2005, 6.2).

All trees are built together, level by level. How many elements a node has depends only on how many its tree has, so
that all nodes of a level that have equally many elements are rows of one array. Of few elements arrays are slower than
lists: those are split node by node, with the same numbers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]
Ranks = NDArray[np.int32]

THIN = 1e-14
"""Positions that differ less are the same, and boxes that are thinner are made thicker (mjEPS)."""
AXES = np.arange(3)[:, None]
FEW = 100
"""So many elements are faster split node by node."""


@dataclass
class Trees:
    """Trees one after the other; in each of them a node comes before its children, the first child before the second.

    Attributes:
        adr, num: first node and number of nodes of each tree; an empty tree has none.
        depth: distance of every node from its root.
        child: (nnode, 2) children, counted from the first node of the tree; -1: a leaf.
        element: element of a leaf; -1: an inner node.
        aabb: (nnode, 6) center and half sizes of the boxes.
    """

    adr: Integers
    num: Integers
    depth: Integers
    child: Integers
    element: Integers
    aabb: Reals


def bounding_trees(low: Reals, high: Reals, position: Reals, counts: Integers) -> Trees:
    """Trees of boxes around elements.

    Every node is split in halves at the median of the positions along the longest side of its box.

    Args:
        low, high: (n, 3) corners of the boxes around the elements.
        position: (n, 3) where the elements are.
        counts: number of elements of each tree; they come one after the other.
    """
    counts = np.asarray(counts, np.int64)
    num = np.maximum(2 * counts - 1, 0)
    adr = np.cumsum(num) - num
    # not-a-number has no place in a list that is compared
    if len(position) <= FEW and np.isfinite(low.sum() + high.sum()):
        depth, child, element, corners = _by_node(low, high, position, counts.tolist())
    else:
        depth, child, element, corners = _by_level(low, high, position, counts, adr)
    lower, upper = _thickened(corners)
    aabb = np.concatenate([(upper + lower) / 2, (upper - lower) / 2]).T
    return Trees(adr, num, depth, child, element, np.ascontiguousarray(aabb))


class Nodes(NamedTuple):
    """Nodes of trees as lists: depth, children, element, and both corners of the box of each."""

    depth: list[int]
    child: list[tuple[int, int]]
    element: list[int]
    corners: list[Sequence[float]]


def split_trees(corners: Sequence[Sequence[float]], places: Sequence[Sequence[int]], counts: Iterable[int]) -> Nodes:
    """Nodes of all trees, each from its root, its first child first.

    Args:
        corners: both corners of the box of each element.
        places: numbers of the elements along each axis, in whose order they come; not needed for single elements.
        counts: number of elements of each tree; they come one after the other.
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
    """Depth, children, elements and corners (2, 3, n) of all nodes, split one by one."""
    # a single element has no place in an order
    places = _ranks(position)[0].tolist() if max(counts, default=0) > 1 else []
    depth, child, element, boxes = split_trees(np.concatenate([low, high], axis=1).tolist(), places, counts)
    corners = np.array(boxes).reshape(-1, 2, 3).transpose(1, 2, 0)
    return np.array(depth, np.int64), np.array(child, np.int64).reshape(-1, 2), np.array(element, np.int64), corners


def _by_level(
    low: Reals, high: Reals, position: Reals, counts: Integers, adr: Integers
) -> tuple[Integers, Integers, Integers, Reals]:
    """Depth, children, elements and corners (2, 3, n) of all nodes: those of a level together."""
    rank, order = _ranks(position)
    total = int(np.maximum(2 * counts - 1, 0).sum())
    depth, element = np.zeros(total, np.int64), np.full(total, -1)
    child, corners = np.full((total, 2), -1), np.zeros((2, 3, total))
    # nodes of a level: where they are, where their tree starts, their first element and how many they have
    some = counts > 0
    nodes = np.stack([adr, adr, np.cumsum(counts) - counts, counts])[:, some]
    elements = np.arange(len(low), dtype=np.int32)
    sides = np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)
    level = 0
    while nodes.shape[1]:
        depth[nodes[0]] = level
        below = []
        for size in sorted(set(nodes[3].tolist())):
            node, root, start, _ = nodes[:, nodes[3] == size]
            if size == 1:
                leaf = element[node] = elements[start]
                corners[0][:, node], corners[1][:, node] = sides[0][:, leaf], sides[1][:, leaf]
                continue
            rows = start[:, None] + np.arange(size)
            members = elements[rows]
            for axis in range(3):
                corners[0, axis, node] = _least(sides[0][axis][members], np.minimum)
                corners[1, axis, node] = _least(sides[1][axis][members], np.maximum)
            longest = _longest(corners[:, :, node])
            elements[rows] = _split(rank, order, longest, members)
            first = size // 2
            child[node, 0], child[node, 1] = node + 1 - root, node + 2 * first - root
            below.append(np.stack([node + 1, root, start, np.full_like(node, first)]))
            below.append(np.stack([node + 2 * first, root, start + first, np.full_like(node, size - first)]))
        nodes = np.concatenate(below, axis=1) if below else nodes[:, :0]
        level += 1
    return depth, child, element, corners


def _least(values: Reals, function: np.ufunc) -> Reals:
    """The least (or greatest) of each row; short rows are compared column by column."""
    if values.shape[1] > 8:
        found: Reals = function.reduce(values, axis=1)
        return found
    found = values[:, 0]
    for i in range(1, values.shape[1]):
        found = function(found, values[:, i])
    return found


def _thickened(corners: Reals) -> tuple[Reals, Reals]:
    """Lower and upper corners of boxes that are not flat."""
    lower, upper = corners
    flat = np.where(np.abs(lower - upper) < THIN, THIN, 0.0)
    return lower - flat, upper + flat


def _longest(corners: Reals) -> Integers:
    """Axis of the longest side of each box; of equal ones the first, of those beyond rounding of `THIN` the last."""
    lower, upper = _thickened(corners)
    x, y, z = upper - lower
    across = np.where(x + THIN > y, 0, 1)
    return np.where(np.where(across == 0, x, y) + THIN > z, across, 2)


def _longest_side(box: Sequence[float]) -> int:
    """What `_longest` says of one box."""
    sides = [
        (upper + THIN) - (lower - THIN) if upper - lower < THIN else upper - lower
        for lower, upper in zip(box[:3], box[3:], strict=True)
    ]
    x, y, z = sides
    across = 0 if x + THIN > y else 1
    return across if sides[across] + THIN > z else 2


def _split(rank: Ranks, order: Ranks, axis: Integers, members: Ranks) -> Ranks:
    """Elements of each row, those of the first half first; halves are those of ranks along the axis of the row."""
    keys = rank[axis[:, None], members]
    half = members.shape[1] // 2
    keys.partition(half, axis=1)
    return order[axis[:, None], keys]


def _ranks(position: Reals) -> tuple[Ranks, Ranks]:
    """Place of every element along each axis, and the element at each place; where positions agree, by number."""
    values = position.T
    order = np.argsort(values, axis=1, kind="stable")
    ascending = values[AXES, order]
    gaps = ascending[:, 1:] - ascending[:, :-1]
    for axis in np.flatnonzero(((gaps > 0) & (gaps <= THIN)).any(axis=1)):
        same = np.concatenate([[0], np.cumsum(gaps[axis] > THIN)])
        order[axis] = order[axis][np.lexsort((order[axis], same))]
    rank = np.empty(order.shape, np.int32)
    rank[AXES, order] = np.arange(len(position), dtype=np.int32)
    return rank, order.astype(np.int32)
