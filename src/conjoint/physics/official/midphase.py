"""Overlapping boxes in the trees of two bodies, and the order in which MuJoCo visits pairs of boxes (mid phase).

See the Computation chapter, "Collision detection". If one of two bodies has several geoms, MuJoCo traverses
pairs of boxes from the roots of both trees. Conjoint finds candidate contacts faster (`broadphase`, `sweep`),
but MuJoCo misses some geoms that just touch, depending on the rounding of products. `bounding_volumes` finds
all boxes that MuJoCo visits.
"""

from conjoint.lang import abs, dot, group, kernel, load, minimum, vec3, where, x_axis, y_axis, z_axis
from conjoint.physics.geometry.shape import box_center, reach
from conjoint.physics.official.sweep_misses import DOUBLE
from conjoint.physics.pair_filter import margin_in_force, margins_of_geoms
from conjoint.schema.constants import mjMAXVAL
from conjoint.schema.enums import mjtDisableBit, mjtGeom

GRAZING = 1e-9
"""Maximum overlap (m) of contacts that bounding boxes may miss; the boxes' inputs have smaller rounding errors."""

WAITING = 512
"""Capacity of the stack of box pairs."""


@kernel
def is_missed(m, d, k, searched, edition):
    """Return True if MuJoCo misses the contact of candidate pair k.

    Only two kinds of contacts are in doubt: contacts whose distance is within `GRAZING` of the margin, and contacts of
    ellipsoids and cylinders found by iterative searches, which may overestimate the depth. Single precision cannot
    resolve positions at which bodies just touch.
    """
    if m.epsilon >= DOUBLE:
        return False
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    least = mjMAXVAL
    for f in range(d.found_adr[k], d.found_adr[k] + d.found_num[k]):
        least = minimum(least, d.found_dist[f])
    # lanes also list contacts that may become active in later steps
    if m.reach > 0.0 and least > d.near_margin[k]:
        return False
    doubted = searched and (is_curved(m, g1) or is_curved(m, g2))
    if not doubted and least < d.near_margin[k] - GRAZING:
        return False
    return are_missed(m, d, k, edition)


@kernel
def is_curved(m, g):
    """Return True if geom g is an ellipsoid or a cylinder."""
    return m.geom_type[g] == mjtGeom.mjGEOM_ELLIPSOID or m.geom_type[g] == mjtGeom.mjGEOM_CYLINDER


@kernel
def are_missed(m, d, k, edition):
    """Return True if the boxes between the roots of two bodies' trees and two geoms do not all overlap.

    Only bounding spheres are tested for bodies with one geom each, for explicit pairs, and for geoms that are in no
    tree, because they could not collide when the model was compiled.
    """
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    single = m.body_geomnum[m.geom_bodyid[g1]] == 1 and m.body_geomnum[m.geom_bodyid[g2]] == 1
    apart = d.near_pair[k] >= 0 or single or (m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE) != 0
    # the body with the lower index comes first
    ordered = m.geom_bodyid[g1] <= m.geom_bodyid[g2]
    g = where(ordered, g1, g2)
    h = where(ordered, g2, g1)
    leaf = leaf_of(m, g)
    other_leaf = leaf_of(m, h)
    if not spheres_meet(m, d, g, h, d.near_margin[k]):
        return True
    if apart or leaf < 0 or other_leaf < 0:
        return False
    return not is_way_open(m, d, m.geom_bodyid[g], m.geom_bodyid[h], leaf, other_leaf, edition)


@kernel
def is_way_open(m, d, t, other, leaf, other_leaf, edition):
    """Return True if all boxes on the path from the roots of two bodies' trees to two leaves overlap."""
    volume = m.body_bvhadr[t]
    other_volume = m.body_bvhadr[other]
    while volumes_of_bodies_meet(m, d, t, other, volume, other_volume, edition):
        if volume == leaf and other_volume == other_leaf:
            return True
        size = rank(m.bvh_aabb, volume)
        if divides_first(m, volume, other_volume, size, rank(m.bvh_aabb, other_volume)):
            volume = child_toward(m, t, volume, leaf)
        else:
            other_volume = child_toward(m, other, other_volume, other_leaf)
    return False


@kernel
def leaf_of(m, g):
    """Return the leaf volume of geom g in the tree of its body, or -1 if there is none."""
    b = m.geom_bodyid[g]
    for volume in range(m.body_bvhadr[b], m.body_bvhadr[b] + m.body_bvhnum[b]):
        if m.bvh_nodeid[volume] == g and is_leaf(m, volume):
            return volume
    return -1


@kernel
def child_toward(m, t, volume, leaf):
    """Return the child of a volume of body t that contains a leaf.

    In the list of volumes, all descendants of the first child precede the second child.
    """
    second = m.bvh_child[volume, 1]
    if second >= 0 and m.body_bvhadr[t] + second <= leaf:
        return m.body_bvhadr[t] + second
    return m.body_bvhadr[t] + m.bvh_child[volume, 0]


@kernel
def is_leaf(m, volume):
    """Return True if a bounding volume has no children."""
    return m.bvh_child[volume, 0] < 0 and m.bvh_child[volume, 1] < 0


@kernel
def divides_first(m, volume, other_volume, size, other_size):
    """Return True if the first of two boxes is divided next, or False if the second one is."""
    if is_leaf(m, volume) or is_leaf(m, other_volume):
        return is_leaf(m, other_volume)
    return size > other_size


@kernel
def volumes_of_bodies_meet(m, d, t, other, volume, other_volume, edition):
    """Return True if two boxes of body trees are within the margin; for two leaves, compare their geoms."""
    if is_leaf(m, volume) and is_leaf(m, other_volume):
        return geoms_meet(m, d, m.bvh_nodeid[volume], m.bvh_nodeid[other_volume], edition)
    margin = margin_in_force(m, edition.both(m.body_margin[t], m.body_margin[other]))
    box = box_at(m.bvh_aabb, volume, d.xipos[t], d.ximat[t])
    return volumes_meet(box, box_at(m.bvh_aabb, other_volume, d.xipos[other], d.ximat[other]), margin)


@group
def OrientedBox(center, half, pos, frame):
    """Box with its center and half sizes in a frame, and the origin and axes (columns) of this frame."""


@kernel
def box_at(boxes, row, pos, frame):
    """Return row `row` of a list of boxes as an `OrientedBox`; the boxes are given in a frame with origin `pos`."""
    return OrientedBox(load(vec3, boxes, (row, 0)), load(vec3, boxes, (row, 3)), pos, frame)


@kernel
def box_of_geom(m, d, g):
    """Return the bounding box of geom g, with its center in world coordinates."""
    return OrientedBox(box_center(m, d, g), load(vec3, m.geom_aabb, (g, 3)), d.geom_xpos[g], d.geom_xmat[g])


@kernel
def volumes_meet(box, other, margin):
    """Return True if two oriented boxes are within the margin."""
    return oriented_boxes_meet(box, other, way_along(box.frame, box, other), way_along(other.frame, box, other), margin)


@kernel
def way_along(axes, box, other):
    """Return the offset between the centers of two boxes in the given axes; each term is rotated before it is added."""
    first = (axes.T @ box.frame) @ box.center + axes.T @ box.pos
    return (axes.T @ other.frame) @ other.center + axes.T @ other.pos - first


@kernel
def geoms_meet(m, d, g, h, edition):
    """Return True if both the bounding spheres and the bounding boxes of two geoms are within the margin."""
    margin = margins_of_geoms(m, -1, g, h, edition).listed
    met = centered_meet(box_of_geom(m, d, g), box_of_geom(m, d, h), margin)
    return met & spheres_meet(m, d, g, h, margin)


@kernel
def centered_meet(box, other, margin):
    """Return True if two boxes with centers in world coordinates are within the margin."""
    between = box.frame.T @ other.center - box.frame.T @ box.center
    other_between = other.frame.T @ other.center - other.frame.T @ box.center
    return oriented_boxes_meet(box, other, between, other_between, margin)


@kernel
def spheres_meet(m, d, g, h, margin):
    """Return True if the bounding spheres of two geoms, or a sphere and a plane, are within the margin."""
    between = d.geom_xpos[h] - d.geom_xpos[g]
    radius = m.geom_rbound[g]
    other_radius = m.geom_rbound[h]
    limit = radius + other_radius + margin
    # a radius of zero means unbounded
    met = (radius <= 0.0) | (other_radius <= 0.0) | (dot(between, between) <= limit * limit)
    if m.geom_type[g] == mjtGeom.mjGEOM_PLANE:
        met = met & ((other_radius <= 0.0) | (dot(between, z_axis(d.geom_xmat[g])) <= margin + other_radius))
    if m.geom_type[h] == mjtGeom.mjGEOM_PLANE:
        met = met & ((radius <= 0.0) | (-dot(between, z_axis(d.geom_xmat[h])) <= margin + radius))
    return met


@kernel
def oriented_boxes_meet(box, other, between, other_between, margin):
    """Return True if two boxes are within the margin along the axes of both boxes.

    See Gottschalk et al., OBBTree, SIGGRAPH 1996. The cross products of edges are not tested, nor are the axes of a box
    if the other box is unbounded.

    Args:
        box, other: oriented boxes.
        between: offset between their centers, along the axes of the first box.
        other_between: offset between their centers, along the axes of the second box.
        margin: maximum distance at which boxes meet (m).
    """
    if is_everywhere(box.half) or is_everywhere(other.half):
        return True
    if leave_gap(box.frame, between, box, other, margin) and not is_endless(other.half):
        return False
    return not leave_gap(other.frame, other_between, box, other, margin) or is_endless(box.half)


@kernel
def leave_gap(axes, between, box, other, margin):
    """Return True if two boxes are more than the margin apart along an axis of a frame, in which `between` is given."""
    turn = box.frame.T @ axes
    other_turn = other.frame.T @ axes
    x = reach(x_axis(turn), box.half) + reach(x_axis(other_turn), other.half) + margin < abs(between.x)
    y = reach(y_axis(turn), box.half) + reach(y_axis(other_turn), other.half) + margin < abs(between.y)
    z = reach(z_axis(turn), box.half) + reach(z_axis(other_turn), other.half) + margin < abs(between.z)
    return x | y | z


@kernel
def is_everywhere(half):
    """Return True if a box is unbounded along all axes."""
    return (half.x >= mjMAXVAL) & (half.y >= mjMAXVAL) & (half.z >= mjMAXVAL)


@kernel
def is_endless(half):
    """Return True if a box is unbounded along some axis."""
    return (half.x >= mjMAXVAL) | (half.y >= mjMAXVAL) | (half.z >= mjMAXVAL)


@kernel
def push(waiting, count, a, b):
    """Push a pair of boxes onto the stack, and return the new count; if the stack is full, drop the pair."""
    if count < WAITING:
        waiting[2 * count] = a
        waiting[2 * count + 1] = b
        return count + 1
    return count


@kernel
def rank(boxes, box):
    """Return the size by which boxes are compared: the area of a box with center and half sizes as corners.

    Using center and half sizes as corners is an error in MuJoCo; it affects only the order of contacts.
    """
    x = boxes[box, 3] - boxes[box, 0]
    y = boxes[box, 4] - boxes[box, 1]
    z = boxes[box, 5] - boxes[box, 2]
    return x * y + y * z + z * x
