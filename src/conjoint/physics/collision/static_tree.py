"""The tree of geoms that never move: boxes in boxes, which geoms that move go down in every step.

Boxes are aligned with the world. A node has room for the boxes of eight children, which are compared at once: first
all their low ends along x, then along y and z, then the high ends (Wald, Benthin, Boulos, Getting rid of packets, 2008,
on trees of such nodes). Which geoms are side by side is found when a plan is made (`runtime.static_tree`). Where they
are, and their boxes, are found in the first step, and again where a program may have changed a number of the model that
decides about it.
"""

from conjoint.lang import STRIP, any, kernel, local, put, real, strip, struct, uniform, vec3, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.collision.pairs import list_if_near
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.geometry.shape import UNBOUNDED, bounding_box
from conjoint.physics.motion.kinematics import geom_pose
from conjoint.physics.pair_filter import NO_CONTACTS, margin_bound, margin_bound_in_force
from conjoint.physics.sleep.filter import geoms_rest
from conjoint.physics.status import NEAR_FULL

WAITING = 128
"""Nodes that may wait to be gone down: seven of each level, and there are fewer levels than fit into memory."""


@struct
def Waiting(node=uniform(int)):
    """A node whose children are still to be tested."""


@kernel
def place_static(m, d):
    """Poses of geoms that never move, and the boxes of their tree, unless they still are there (mj_kinematics)."""
    changed = d.static_version != m.plan_version or is_edited(m, d)
    if changed or d.static_asked != 0:
        for k in range(m.nstatic):
            geom_pose(m, d, m.static_geom[k])
    if changed:
        bound_static(m, d)
        d.static_version = m.plan_version
        for i in range(m.nplacing):
            d.placed[i] = m.placing[i]


@kernel
def is_edited(m, d):
    """Return True if static geoms may be elsewhere than when they were placed, or have another size.

    In batches, where worlds may have rows of their own, what programs hold counts as changed.
    """
    changed = 0
    if m.placing_lent != 0:
        changed = 1 if m.nplacing == 0 else 0
        for i in range(m.nplacing):
            changed |= m.placing[i] ^ d.placed[i]
    return changed != 0


@kernel
def bound_static(m, d):
    """Boxes of the tree, where geoms are: children are bounded before their parents."""
    for node in range(m.nstatic_node):
        for c in range(TILE):
            low, high = box_of_child(m, d, node, m.static_child[node, c])
            for axis in range(3):
                d.static_box[node, axis, c] = low[axis]
                d.static_box[node, 3 + axis, c] = high[axis]


@kernel
def box_of_child(m, d, node, child):
    """Least and greatest corner of the box around a child of a node: a geom or a node; of none, what nothing meets."""
    low = vec3(UNBOUNDED, UNBOUNDED, UNBOUNDED)
    high = vec3(-UNBOUNDED, -UNBOUNDED, -UNBOUNDED)
    if child >= 0 and node < m.nstatic_leaf:
        low, high = bounding_box(m, d, child, margin_bound(m, child))
    elif child >= 0:
        for c in range(TILE):
            low = least(low, corner_of_box(d, child, 0, c))
            high = greatest(high, corner_of_box(d, child, 3, c))
    return low, high


@kernel
def corner_of_box(d, node, row, c):
    """Least (row 0) or greatest (row 3) corner of the box of a child."""
    return vec3(d.static_box[node, row, c], d.static_box[node, row + 1, c], d.static_box[node, row + 2, c])


@kernel
def find_static_pairs(m, d):
    """Add the pairs of a geom that moves and one of the tree to those listed before."""
    if (m.opt.disableflags & NO_CONTACTS) == 0:
        n = d.nnear
        for k in range(m.nmover):
            g = m.mover_geom[k]
            if not geoms_rest(m, d, g, g):
                n = go_down(m, d, g, n)
        d.nnear_needed = n
        if n > d.nnear_capacity:
            return NEAR_FULL
        d.nnear = n
    return 0


@kernel(label="descent")
def go_down(m, d, g, n):
    """List the pairs of geom g with geoms of the tree whose boxes its own meets in some world of a block.

    Returns:
        number of near pairs.
    """
    low, high = bounding_box(m, d, g, margin_bound_in_force(m, g) + m.reach)
    hits = local(real, STRIP)
    waiting = local(Waiting, WAITING)
    waiting[0].node = m.nstatic_node - 1
    count = 1
    while count > 0:
        count -= 1
        node = waiting[count].node
        for c in range(0, TILE, STRIP):
            meets = strip_meets(d, node, c, low, high)
            if any(meets):
                put(hits, 0, where(meets, 1.0, 0.0))
                for j in range(STRIP):
                    if any(hits[j] > 0.0):
                        child = m.static_child[node, c + j]
                        if node < m.nstatic_leaf:
                            n = list_if_near(m, d, g, child, n)
                        else:
                            waiting[count].node = child
                            count += 1
    return n


@kernel
def strip_meets(d, node, c, low, high):
    """Which of the boxes of the children of a node, from child c on, meet a box."""
    meets = (strip(d.static_box, (node, 0, c)) <= high.x) & (strip(d.static_box, (node, 3, c)) >= low.x)
    meets = meets & (strip(d.static_box, (node, 1, c)) <= high.y) & (strip(d.static_box, (node, 4, c)) >= low.y)
    return meets & (strip(d.static_box, (node, 2, c)) <= high.z) & (strip(d.static_box, (node, 5, c)) >= low.z)
