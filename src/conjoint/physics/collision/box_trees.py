"""Bounding volume trees of geoms: one for the geoms that never move, and one for each moving part with several geoms.

Boxes are aligned with the world axes. A node stores the boxes of up to eight children, which are tested together (Wald,
Benthin, Boulos, Getting rid of packets, 2008). It stores the lower ends of all boxes along x, then along y and z, then
the upper ends. The order of geoms is fixed when a plan is created (`runtime.box_trees`). All geoms of a leaf are tested
together against another tree.
"""

from conjoint.lang import STRIP, Kernel, any, group, kernel, local, put, real, strip, struct, uniform, vec3, where
from conjoint.lang.language.tile import TILE
from conjoint.once import made_alike
from conjoint.physics.collision.pairs import list_if_near
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.geometry.shape import bounding_box

WAITING = 128
"""Capacity of the node stack of a traversal: seven nodes per level, for more levels than any tree in memory has."""

EMPTY = 1e30
"""Bound of an empty box, which overlaps no other box, not even the box of a geom without bounds."""


@struct
def Waiting(node=uniform(int)):
    """A node whose children have not been tested yet."""


@group
def Packet(number, low, high):
    """A query against a tree: the index of a geom, a leaf or a part, and its bounding box."""


@kernel
def bound_node(m, d, node, margin_of):
    """Compute the box of a node and the boxes of its children; the boxes of child nodes must be up to date.

    Args:
        m: model.
        d: data.
        node: index of the node.
        margin_of: kernel `(m, g)` that returns the margin by which the box of geom g is enlarged.
    """
    whole_low = vec3(EMPTY, EMPTY, EMPTY)
    whole_high = -whole_low
    for c in range(TILE):
        low = vec3(EMPTY, EMPTY, EMPTY)
        high = -low
        child = m.node_child[node, c]
        if child >= 0:
            if m.node_leaf[node] != 0:
                low, high = bounding_box(m, d, child, margin_of(m, child))
            else:
                low = d.node_low[child]
                high = d.node_high[child]
            whole_low = least(whole_low, low)
            whole_high = greatest(whole_high, high)
        for axis in range(3):
            d.node_box[node, axis, c] = low[axis]
            d.node_box[node, 3 + axis, c] = high[axis]
    d.node_low[node] = whole_low
    d.node_high[node] = whole_high


@made_alike
def descent(meet: Kernel) -> Kernel:
    """Return the kernel that tests a packet against a tree.

    Args:
        meet: kernel `(m, d, packet, leaf, n)` that lists the pairs of a packet and a leaf, and returns the number of
            near pairs.
    """

    @kernel
    def go_down(m, d, packet, root, n):
        """List the pairs of a packet's geom and a tree's geom whose boxes overlap in some world of a block.

        Returns:
            the number of near pairs.
        """
        hits = local(real, STRIP)
        waiting = local(Waiting, WAITING)
        waiting[0].node = root
        count = 1
        while count > 0:
            count -= 1
            node = waiting[count].node
            if m.node_leaf[node] != 0:
                n = meet(m, d, packet, node, n)
            else:
                for c in range(0, TILE, STRIP):
                    meets = strip_meets(d, node, c, packet.low, packet.high)
                    if any(meets):
                        put(hits, 0, where(meets, 1.0, 0.0))
                        for j in range(STRIP):
                            if any(hits[j] > 0.0):
                                waiting[count].node = m.node_child[node, c + j]
                                count += 1
        return n

    go_down.__name__ = f"go_down_to_{meet.__name__}"
    return go_down


@kernel
def meet_geom(m, d, packet, leaf, n):
    """List the pairs of one geom and the geoms of a leaf whose boxes overlap; return the number of near pairs."""
    hits = local(real, STRIP)
    for c in range(0, TILE, STRIP):
        meets = strip_meets(d, leaf, c, packet.low, packet.high)
        if any(meets):
            put(hits, 0, where(meets, 1.0, 0.0))
            for j in range(STRIP):
                if any(hits[j] > 0.0):
                    n = list_if_near(m, d, packet.number, m.node_child[leaf, c + j], n)
    return n


@kernel
def meet_leaf(m, d, packet, leaf, n):
    """List the pairs of geoms from two leaves whose boxes overlap; return the number of near pairs."""
    hits = local(real, TILE)
    for c in range(0, TILE, STRIP):
        meets = strip_meets(d, packet.number, c, d.node_low[leaf], d.node_high[leaf])
        put(hits, c, where(meets, 1.0, 0.0))
    for k in range(TILE):
        if any(hits[k] > 0.0):
            low = corner_of_box(d, packet.number, 0, k)
            high = corner_of_box(d, packet.number, 3, k)
            n = meet_geom(m, d, Packet(m.node_child[packet.number, k], low, high), leaf, n)
    return n


@kernel
def leaf_meets(m, d, packet, leaf):
    """Return True if the box of a packet overlaps the box of any geom of a leaf in some world of a block."""
    found = False
    for c in range(0, TILE, STRIP):
        found = found or any(strip_meets(d, leaf, c, packet.low, packet.high))
    return found


@kernel
def corner_of_box(d, node, row, c):
    """Return the lower (row 0) or upper (row 3) corner of the box of child c of a node."""
    return vec3(d.node_box[node, row, c], d.node_box[node, row + 1, c], d.node_box[node, row + 2, c])


@kernel
def strip_meets(d, node, c, low, high):
    """Return a mask of those children of a node, from child c on, that fit a register: True where boxes overlap."""
    meets = (strip(d.node_box, (node, 0, c)) <= high.x) & (strip(d.node_box, (node, 3, c)) >= low.x)
    meets = meets & (strip(d.node_box, (node, 1, c)) <= high.y) & (strip(d.node_box, (node, 4, c)) >= low.y)
    return meets & (strip(d.node_box, (node, 2, c)) <= high.z) & (strip(d.node_box, (node, 5, c)) >= low.z)


@kernel
def boxes_meet(low, high, other_low, other_high):
    """Return True if two boxes overlap."""
    met = (other_low.x <= high.x) & (low.x <= other_high.x) & (other_low.y <= high.y)
    return met & (low.y <= other_high.y) & (other_low.z <= high.z) & (low.z <= other_high.z)
