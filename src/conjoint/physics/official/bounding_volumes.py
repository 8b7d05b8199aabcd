"""Bounding volume hierarchies of bodies and flexes (Computation chapter, "Collision detection", mid phase).

MuJoCo sweeps bodies along the principal axes. If two bodies are close to each other and one has several geoms, it
traverses pairs of overlapping boxes from the roots of both trees. Conjoint finds candidate contacts faster
(`broadphase`, `sweep`), so the traversal only sets `bvh_active`, which viewers color. It marks the boxes that the last
collision detection reached, and the boxes of meshes that rays have reached since.

The physics does not depend on these boxes. They are computed on demand, from the positions used by collision
detection. After the first request they are computed with each collision detection, because the caller has a reference
to the array.
"""

from conjoint.lang import abs, group, kernel, local, mat3, maximum, minimum, vec3, where
from conjoint.physics.arrays.sorting import merge_sort
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.official.midphase import (
    WAITING,
    box_at,
    box_of_geom,
    centered_meet,
    divides_first,
    is_leaf,
    push,
    rank,
    volumes_meet,
    volumes_of_bodies_meet,
)
from conjoint.physics.official.sweep_misses import as_swept, bounds_of, meets_all, spread_frame, swept_bounds_meet
from conjoint.physics.pair_filter import NO_CONTACTS, are_related, bits_match, margin_in_force, margins_between
from conjoint.physics.status import ALWAYS, VOLUMES_REQUESTED
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit, mjtFlexSelf

DONE, CLEARED, VISITED = range(3)
"""States of pending work (`volumes_pending`): none; clear all flags; mark the volumes that collisions reached."""


@kernel
def mark_visits_pending(m, d):
    """Mark the active volumes as out of date; if the user always requests them, stop the pipeline to recompute them."""
    if m.vis.global_.bvactive != 0:
        d.mesh_volumes_pending = CLEARED
        d.volumes_pending = VISITED
        if (m.opt.disableflags & NO_CONTACTS) != 0 or m.nconmax == 0:
            d.volumes_pending = CLEARED
        if d.volumes_requested == ALWAYS:
            return VOLUMES_REQUESTED
    return 0


@kernel
def visits_are_known(m, d):
    """Return a status that stops the pipeline before positions change if the visited volumes are not yet computed.

    Visited volumes are those that collision detection reached. If they are up to date, return 0.
    """
    if d.volumes_pending != DONE:
        return VOLUMES_REQUESTED
    return 0


@kernel
def find_visited_boxes(m, d, edition):
    """Perform the pending work: mark the bounding volumes that the last collision detection reached."""
    if d.volumes_pending != DONE:
        clear_volumes(d, 0, first_of_meshes(m))
        clear_volumes(d, m.nbvhstatic, m.nbvh)
        if d.volumes_pending == VISITED:
            visit_all(m, d, edition)
        d.volumes_pending = DONE
    clear_boxes_of_meshes(m, d)


@kernel
def clear_boxes_of_meshes(m, d):
    """Clear the active flags of mesh volumes if this is pending; only rays set these flags."""
    if d.mesh_volumes_pending != DONE:
        clear_volumes(d, first_of_meshes(m), m.nbvhstatic)
        d.mesh_volumes_pending = DONE


@kernel
def clear_volumes(d, first, end):
    """Clear the flags of volumes [first, end)."""
    for v in range(first, end):
        d.bvh_active[v] = 0


@kernel
def mark_visited(d, volume):
    """Mark a bounding volume as active."""
    d.bvh_active[volume] = 1


@kernel
def first_of_meshes(m):
    """Return the first volume of the meshes, which follow the volumes of bodies."""
    first = m.nbvhstatic
    for mesh in range(m.nmesh):
        if m.mesh_bvhnum[mesh] > 0:
            first = minimum(first, m.mesh_bvhadr[mesh])
    return first


@kernel
def visit_all(m, d, edition):
    """Mark the bounding volumes that collision detection reaches at the current positions of bodies and flexes."""
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE) == 0:
        visit_everywhere(m, d, edition)
        visit_swept(m, d, edition)
        visit_selves(m, d, edition)


@kernel
def visit_everywhere(m, d, edition):
    """Traverse the trees of bodies that are paired with all others: the world, and fixed bodies with planes."""
    for b in range(m.nbody):
        if m.body_geomnum[b] > 0 and may_collide(m, b) and meets_all(m, b):
            for t in range(m.nbody + m.nflex):
                moves = t >= m.nbody or m.body_weldid[minimum(t, m.nbody - 1)] != 0
                if moves and may_collide(m, t):
                    visit_pair(m, d, minimum(b, t), maximum(b, t), edition)


@kernel
def may_collide(m, t):
    """Return True if tree t may collide; the trees of flexes follow those of bodies."""
    tree = tree_of(m, t)
    return tree.contype != 0 or tree.conaffinity != 0


@kernel
def visit_swept(m, d, edition):
    """Traverse the trees of bodies and flexes whose bounds overlap along all principal axes."""
    frame = spread_frame(m, d)
    n = 0
    for t in range(1, m.nbody + m.nflex):
        if may_collide(m, t):
            bound_tree(m, d, frame, t, edition)
            d.bodyflex_order[n] = t
            n += 1
    row = merge_sort(m, d, d.bodyflex_order, 0, n, m.nbody + m.nflex, begins_first)
    for i in range(n):
        t = d.bodyflex_order[row + i]
        end = d.bodyflex_high[t].x
        j = i + 1
        while j < n and d.bodyflex_low[d.bodyflex_order[row + minimum(j, n - 1)]].x <= end:
            other = d.bodyflex_order[row + j]
            lower = minimum(t, other)
            higher = maximum(t, other)
            related = higher < m.nbody and are_related(m, lower, minimum(higher, m.nbody - 1))
            low, high = d.bodyflex_low[lower], d.bodyflex_high[lower]
            if not related and swept_bounds_meet(low, high, d.bodyflex_low[higher], d.bodyflex_high[higher]):
                visit_pair(m, d, lower, higher, edition)
            j += 1


@kernel
def bound_tree(m, d, frame, t, edition):
    """Store the minimum and maximum coordinates of tree t in a frame."""
    if t < m.nbody:
        low, high = bounds_of(m, d, frame, t, edition)
    else:
        low, high = bounds_of_flex(m, d, frame, t - m.nbody)
    d.bodyflex_low[t] = low
    d.bodyflex_high[t] = high


@kernel
def bounds_of_flex(m, d, frame, f):
    """Return the minimum and maximum coordinates of flex f in a frame, rounded as for the sweep."""
    first = m.flex_vertadr[f]
    low = frame @ d.flexvert_xpos[first]
    high = low
    for v in range(first + 1, first + m.flex_vertnum[f]):
        low = least(low, frame @ d.flexvert_xpos[v])
        high = greatest(high, frame @ d.flexvert_xpos[v])
    thick = m.flex_radius[f] + m.flex_margin[f]
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        thick = m.flex_radius[f] + 0.5 * m.opt.o_margin
    skin = vec3(thick, thick, thick)
    return as_swept(m, low - skin), as_swept(m, high + skin)


@kernel
def begins_first(m, d, t, other):
    """Return True if tree t does not begin after another tree along the first axis."""
    return d.bodyflex_low[t].x <= d.bodyflex_low[other].x


@kernel
def visit_selves(m, d, edition):
    """Traverse the trees of flexes that use trees for self-collision."""
    for f in range(m.nflex):
        way = m.flex_selfcollide[f]
        by_tree = way == mjtFlexSelf.mjFLEXSELF_BVH or (way == mjtFlexSelf.mjFLEXSELF_AUTO and m.flex_dim[f] == 3)
        collides = m.flex_rigid[f] == 0 and (m.flex_contype[f] & m.flex_conaffinity[f]) != 0
        if by_tree and collides and m.flex_bvhadr[f] >= 0:
            visit_trees(m, d, m.nbody + f, m.nbody + f, edition)


@kernel
def visit_pair(m, d, t, other, edition):
    """Traverse a pair of trees unless the model filters it out, or both are bodies with a single geom."""
    tree = tree_of(m, t)
    second = tree_of(m, other)
    bits = bits_match(tree.contype, tree.conaffinity, second.contype, second.conaffinity)
    if bits and tree.root >= 0 and second.root >= 0:
        bodies = other < m.nbody
        last = minimum(other, m.nbody - 1)
        single = bodies and m.body_geomnum[t] == 1 and m.body_geomnum[last] == 1
        if not single and not (bodies and is_excluded(m, t, last)):
            visit_trees(m, d, t, other, edition)


@group
def Tree(contype, conaffinity, root, margin):
    """Tree of a body or flex: contact bits of its geoms or elements, root volume (-1: none), and maximum margin."""


@kernel
def tree_of(m, t):
    """Return tree t; the trees of flexes follow those of bodies."""
    if t < m.nbody:
        return Tree(m.body_contype[t], m.body_conaffinity[t], m.body_bvhadr[t], m.body_margin[t])
    f = t - m.nbody
    return Tree(m.flex_contype[f], m.flex_conaffinity[f], m.flex_bvhadr[f], m.flex_margin[f])


@kernel
def is_excluded(m, b, other):
    """Return True if the model excludes contacts between two bodies; b is the lower index."""
    for k in range(m.nexclude):  # noqa: SIM110
        if m.exclude_signature[k] == (b << 16) + other:
            return True
    return False


@kernel
def visit_trees(m, d, t, other, edition):
    """Mark the boxes of two trees (or of one tree and itself) that a traversal of overlapping pairs of boxes reaches.

    The traversal starts with the roots.
    """
    first = tree_of(m, t).root
    second = tree_of(m, other).root
    waiting = local(int, 2 * WAITING)
    count = push(waiting, 0, 0, 0)
    while count > 0:
        count -= 1
        a = waiting[2 * count]
        b = waiting[2 * count + 1]
        # visit each pair of boxes of one tree only once
        if (t != other or a <= b) and trees_meet(m, d, t, other, first + a, second + b, edition):
            d.bvh_active[first + a] = 1
            d.bvh_active[second + b] = 1
            if not is_leaf(m, first + a) or not is_leaf(m, second + b):
                size = size_of(m, d, t, first + a)
                halves_first = divides_first(m, first + a, second + b, size, size_of(m, d, other, second + b))
                for side in range(2):
                    child = m.bvh_child[where(halves_first, first + a, second + b), side]
                    if child >= 0:
                        count = push(waiting, count, where(halves_first, child, a), where(halves_first, b, child))


@kernel
def size_of(m, d, t, volume):
    """Return the size of a box of tree t; a traversal divides the larger one of two overlapping boxes."""
    if t < m.nbody:
        return rank(m.bvh_aabb, volume)
    return rank(d.bvh_aabb_dyn, volume - m.nbvhstatic)


@kernel
def trees_meet(m, d, t, other, volume, other_volume, edition):
    """Return True if two boxes of trees are within the margin; for two leaves, compare their geoms."""
    if other < m.nbody:
        return volumes_of_bodies_meet(m, d, t, other, volume, other_volume, edition)
    leaves = is_leaf(m, volume) and is_leaf(m, other_volume)
    if leaves and t >= m.nbody:
        # MuJoCo visits two leaves of flexes even if they do not overlap
        return True
    if leaves:
        return geom_meets_element(m, d, m.bvh_nodeid[volume], other - m.nbody, other_volume, edition)
    margin = margin_in_force(m, edition.both(tree_of(m, t).margin, tree_of(m, other).margin))
    return volumes_meet(box_of_volume(m, d, t, volume), box_of_volume(m, d, other, other_volume), margin)


@kernel
def box_of_volume(m, d, t, volume):
    """Return a bounding volume of tree t; the volumes of flexes are aligned with the world axes."""
    if t < m.nbody:
        return box_at(m.bvh_aabb, volume, d.xipos[t], d.ximat[t])
    axes = mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    return box_at(d.bvh_aabb_dyn, volume - m.nbvhstatic, vec3(0.0, 0.0, 0.0), axes)


@kernel
def geom_meets_element(m, d, g, f, volume, edition):
    """Return True if geom g, a leaf of a body, is within the margin of a leaf of flex f: test a sphere, then boxes."""
    margins = margins_between(m, m.geom_margin[g], m.geom_gap[g], m.flex_margin[f], m.flex_gap[f], edition)
    touches = bits_match(m.geom_contype[g], m.geom_conaffinity[g], m.flex_contype[f], m.flex_conaffinity[f])
    element = box_of_volume(m, d, m.nbody + f, volume)
    away = element.center - d.geom_xpos[g]
    radius = m.geom_rbound[g] + margins.listed
    near = abs(away.x) <= radius + element.half.x and abs(away.y) <= radius + element.half.y
    near = near and abs(away.z) <= radius + element.half.z
    return touches and near and centered_meet(box_of_geom(m, d, g), element, margins.listed)
