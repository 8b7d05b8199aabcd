"""Binary trees of boxes, split at the median along the longest side of each box."""

from conjoint.compiler.kernels import THIN
from conjoint.lang import abs, cross, dot, kernel, load, local, put, vec3

EXACT_KERNELS = True

WAITING = 3
"""Number of integers on the stack for each waiting node: its depth, first element and number of elements."""
STACK = 192
"""Size of the stack in integers.

The stack contains one node per level, and there are fewer levels than bits in an integer.
"""


@kernel
def build_trees(boxes, orders, total, counts, ntree, depth, child, element, aabb):
    """Build trees one after the other, each node before its children.

    Args:
        boxes: lower and upper corner of each element (total, 2, 3).
        orders: elements of each tree, sorted by position along each axis, and two scratch rows (3 + 2, total); the
            elements of a node become neighbors.
        total: number of elements.
        counts: number of elements of each tree.
        ntree: number of trees.
        depth, child, element, aabb: receive the nodes (`bounding.Trees`); missing values in `child` and `element`
            are -1.
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
            enclose(boxes, orders, start, count, aabb, 6 * node)
            if count == 1:
                element[node] = orders[start]
            else:
                half = count // 2
                axis = longest_side(aabb, 6 * node)
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
            center_box(aabb, 6 * node)
            node += 1
        first += counts[tree]


@kernel
def settle_ties(values, count, orders, chain, following):
    """Sort consecutive elements by index if their positions differ by at most `THIN`, or are NaN.

    Args:
        values: positions of the elements along each axis (3, count).
        orders: elements in ascending order along each axis (3, count).
        chain, following: scratch (count,): the chain of neighbors of each element, and the next index in each chain.
    """
    for axis in range(3):
        row = axis * count
        chains = 0
        for i in range(count):
            here = values[row + orders[row + i]]
            before = values[row + orders[row + (i - 1 if i > 0 else 0)]]
            if i == 0 or not (here - before <= THIN or before != before):
                following[chains] = i
                chains += 1
            chain[orders[row + i]] = chains - 1
        if chains < count:
            for element in range(count):
                k = chain[element]
                orders[row + following[k]] = element
                following[k] = following[k] + 1


@kernel
def enclose(boxes, orders, start, count, corners, at):
    """Write the bounding box of the boxes of consecutive elements. NaN propagates."""
    low = load(vec3, boxes, 6 * orders[start])
    high = load(vec3, boxes, 6 * orders[start] + 3)
    for i in range(start + 1, start + count):
        here = 6 * orders[i]
        low = least(low, load(vec3, boxes, here))
        high = -least(-high, -load(vec3, boxes, here + 3))
    put(corners, at, low)
    put(corners, at + 3, high)


@kernel
def center_box(aabb, at):
    """Replace the corners of a box by its center and half sizes, after thickening a flat box."""
    for k in range(3):
        low = aabb[at + k]
        high = aabb[at + 3 + k]
        if abs(low - high) < THIN:
            low -= THIN
            high += THIN
        aabb[at + k] = (high + low) / 2.0
        aabb[at + 3 + k] = (high - low) / 2.0


@kernel
def longest_side(corners, at):
    """Return the axis of a box's longest side.

    Ties go to the first axis, unless the sides are so long that the tolerance `THIN` is lost to rounding.
    """
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


@kernel
def side_of(corners, at):
    """Return the length of one side of a box, after thickening a flat box."""
    low = corners[at]
    high = corners[at + 3]
    if abs(low - high) < THIN:
        return (high + THIN) - (low - THIN)
    return high - low


@kernel
def divide(orders, total, axis, start, half, count):
    """Partition the elements of a node by position along `axis`: the lower half comes first.

    Both halves stay sorted along each axis.
    """
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


@kernel
def bound_triangles(vert, face, count, boxes, position):
    """Find the bounding boxes of triangles, and the centers of their circumscribed circles (Weisstein, Circumcenter).

    Args:
        vert, face: vertices (n, 3) and triangles (count, 3).
        boxes: receives lower and upper corners (count, 2, 3).
        position: receives the centers (count, 3); for a triangle without a circle, the center of its box.
    """
    for f in range(count):
        a = load(vec3, vert, 3 * face[3 * f])
        b = load(vec3, vert, 3 * face[3 * f + 1])
        c = load(vec3, vert, 3 * face[3 * f + 2])
        low = least(least(a, b), c)
        high = -least(least(-a, -b), -c)
        middle = (low + high) * 0.5
        half = (high - low) * 0.5
        put(boxes, 6 * f, middle - half)
        put(boxes, 6 * f + 3, middle + half)
        u = a - c
        v = b - c
        normal = cross(u, v)
        toward = cross(v * dot(u, u) - u * dot(v, v), normal)
        size = 2.0 * dot(normal, normal)
        center = vec3(toward.x / size, toward.y / size, toward.z / size) + c
        is_finite = center.x - center.x == 0.0 and center.y - center.y == 0.0 and center.z - center.z == 0.0
        put(position, 3 * f, center if is_finite else middle)


@kernel
def least(a, b):
    """Return the componentwise minimum of two points. NaN counts as the smallest number."""
    return vec3(less(a.x, b.x), less(a.y, b.y), less(a.z, b.z))


@kernel
def less(a, b):
    """Return the smaller of two numbers, or NaN if one of them is NaN."""
    return b if b < a or b != b else a
