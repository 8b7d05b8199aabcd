"""Binary trees of boxes, split at the median along the longest side of each box."""

from conjoint.compiler.kernels import THIN
from conjoint.lang import abs, kernel, local

EXACT_KERNELS = True

WAITING = 3
"""Integers of a node that waits for its turn: its depth, first element and number of elements."""
STACK = 192
"""Integers of all that wait: one node of each level, and there are fewer levels than bits in a number."""


@kernel(per_world=True)
def build_trees(boxes, orders, total, counts, ntree, depth, child, element, corners):
    """Build trees one after the other, each node before its children.

    Args:
        boxes: lower and upper corner of each element (total, 2, 3).
        orders: elements of each tree by position along each axis, and scratch (3 + 2, total); elements of a node become
            neighbors.
        total: number of elements.
        counts: number of elements of each tree.
        ntree: number of trees.
        depth, child, element, corners: receive the nodes (`bounding.Trees`); `corners` are as `boxes`; `child` and
            `element` are -1 where there is none.
    """
    waiting = local(int, STACK)
    node = 0
    first = 0
    for tree in range(ntree):
        root = node
        waiting[0] = 0
        waiting[1] = first
        waiting[2] = counts[tree]
        top = WAITING if counts[tree] > 0 else 0
        while top > 0:
            top -= WAITING
            level = waiting[top]
            start = waiting[top + 1]
            count = waiting[top + 2]
            depth[node] = level
            enclose(boxes, orders, start, count, corners, 6 * node)
            if count == 1:
                element[node] = orders[start]
            else:
                half = count // 2
                axis = longest_side(corners, 6 * node)
                divide(orders, total, axis, start, half, count)
                child[2 * node] = node + 1 - root
                child[2 * node + 1] = node + 2 * half - root
                waiting[top] = level + 1
                waiting[top + 1] = start + half
                waiting[top + 2] = count - half
                waiting[top + 3] = level + 1
                waiting[top + 4] = start
                waiting[top + 5] = half
                top += 2 * WAITING
            node += 1
        first += counts[tree]


@kernel(per_world=True)
def enclose(boxes, orders, start, count, corners, at):
    """Write the box around the boxes of neighbors; a number that is none stays."""
    for k in range(6):
        corners[at + k] = boxes[6 * orders[start] + k]
    for i in range(start + 1, start + count):
        here = 6 * orders[i]
        for k in range(3):
            low = boxes[here + k]
            high = boxes[here + 3 + k]
            if low < corners[at + k] or low != low:
                corners[at + k] = low
            if high > corners[at + 3 + k] or high != high:
                corners[at + 3 + k] = high


@kernel(per_world=True)
def longest_side(corners, at):
    """Axis of the longest side of a box; of equal ones the first, of those beyond rounding of `THIN` the last."""
    x = side_of(corners, at)
    y = side_of(corners, at + 1)
    z = side_of(corners, at + 2)
    longest = x
    axis = 0
    if not x + THIN > y:
        longest = y
        axis = 1
    if not longest + THIN > z:
        axis = 2
    return axis


@kernel(per_world=True)
def side_of(corners, at):
    """Length of a side of a box, which is not flat."""
    low = corners[at]
    high = corners[at + 3]
    if abs(low - high) < THIN:
        return (high + THIN) - (low - THIN)
    return high - low


@kernel(per_world=True)
def divide(orders, total, axis, start, half, count):
    """Put the first half of neighbors along an axis before the others, which keep their order along each axis."""
    is_first = 3 * total
    others = 4 * total
    for i in range(start, start + count):
        orders[is_first + orders[axis * total + i]] = 1 if i < start + half else 0
    for other in range(3):
        if other != axis:
            begin = other * total + start
            low = begin
            high = others
            for i in range(begin, begin + count):
                here = orders[i]
                if orders[is_first + here] != 0:
                    orders[low] = here
                    low += 1
                else:
                    orders[high] = here
                    high += 1
            for i in range(high - others):
                orders[low + i] = orders[others + i]
