"""Bounding volume hierarchies of bodies and flexes (Computation chapter, "Collision detection", mid-phase).

Of two bodies that a sweep along the principal axes finds near each other, and of which one has several geoms, pairs of
boxes that meet are gone through from the roots of both trees. Candidates of contacts are found faster otherwise
(`broadphase`, `sweep`): only `bvh_active`, what viewers colour, tells which boxes that are.
"""

from conjoint.lang import (
    abs,
    dot,
    kernel,
    load,
    local,
    mat3,
    maximum,
    minimum,
    row0,
    row1,
    row2,
    vec3,
    x_axis,
    y_axis,
    z_axis,
)
from conjoint.physics.collision.broadphase import margin_in_force
from conjoint.physics.collision.flex.own import WAITING, push, rank
from conjoint.physics.collision.grazing import DOUBLE, bounds_of, first_bits, meets_all, spread_frame
from conjoint.physics.shape import reach
from conjoint.schema.constants import mjMAXVAL
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit, mjtFlexSelf, mjtGeom


@kernel(per_world=True)
def reach_all(m, d):
    """Mark the bounding volumes that collision reaches, from where bodies and flexes are."""
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE) == 0:
        reach_everywhere(m, d)
        reach_swept(m, d)
        reach_selves(m, d)


@kernel(per_world=True)
def reach_everywhere(m, d):
    """Go through the trees of those bodies that meet all others: the world, and fixed bodies with planes."""
    for b in range(m.nbody):
        if m.body_geomnum[b] > 0 and may_collide(m, b) and meets_all(m, b):
            for t in range(m.nbody + m.nflex):
                moves = t >= m.nbody or m.body_weldid[minimum(t, m.nbody - 1)] != 0
                if moves and may_collide(m, t):
                    reach_pair(m, d, minimum(b, t), maximum(b, t))


@kernel
def may_collide(m, t):
    """Whether tree t, a body or behind those a flex, collides with anything."""
    if t < m.nbody:
        return m.body_contype[t] != 0 or m.body_conaffinity[t] != 0
    return m.flex_contype[t - m.nbody] != 0 or m.flex_conaffinity[t - m.nbody] != 0


@kernel(per_world=True)
def reach_swept(m, d):
    """Go through the trees of the bodies and flexes whose bounds meet along all principal axes."""
    frame = spread_frame(m, d)
    n = 0
    for t in range(1, m.nbody + m.nflex):
        if may_collide(m, t):
            bound_tree(m, d, frame, t)
            d.bodyflex_order[n] = t
            n += 1
    sort_trees(d, n)
    for i in range(n):
        t = d.bodyflex_order[i] + 0
        end = d.bodyflex_high[t].x
        j = i + 1
        while j < n and d.bodyflex_low[d.bodyflex_order[minimum(j, n - 1)]].x <= end:
            other = d.bodyflex_order[j] + 0
            lower = minimum(t, other)
            higher = maximum(t, other)
            if bounds_meet(d, lower, higher) and not are_related(m, lower, higher):
                reach_pair(m, d, lower, higher)
            j += 1


@kernel(per_world=True, exact=True)
def bound_tree(m, d, frame, t):
    """Least and greatest coordinates of tree t in a frame; along its first axis in single precision, as officially."""
    if t < m.nbody:
        low_x, high_x = bounds_of(m, d, row0(frame), t)
        low_y, high_y = bounds_of(m, d, row1(frame), t)
        low_z, high_z = bounds_of(m, d, row2(frame), t)
    else:
        low_x, high_x = bounds_of_flex(m, d, row0(frame), t - m.nbody)
        low_y, high_y = bounds_of_flex(m, d, row1(frame), t - m.nbody)
        low_z, high_z = bounds_of_flex(m, d, row2(frame), t - m.nbody)
    if m.epsilon < DOUBLE:
        low_x = first_bits(low_x)
        high_x = first_bits(high_x)
    d.bodyflex_low[t] = vec3(low_x, low_y, low_z)
    d.bodyflex_high[t] = vec3(high_x, high_y, high_z)


@kernel(per_world=True, exact=True)
def bounds_of_flex(m, d, axis, f):
    """Where flex f begins and ends along an axis."""
    first = m.flex_vertadr[f]
    low = dot(axis, d.flexvert_xpos[first])
    high = dot(axis, d.flexvert_xpos[first])
    for v in range(first + 1, first + m.flex_vertnum[f]):
        low = minimum(low, dot(axis, d.flexvert_xpos[v]))
        high = maximum(high, dot(axis, d.flexvert_xpos[v]))
    thick = m.flex_radius[f] + m.flex_margin[f]
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        thick = m.flex_radius[f] + 0.5 * m.opt.o_margin
    return low - thick, high + thick


@kernel(per_world=True)
def sort_trees(d, n):
    """Sort the first n of `bodyflex_order` by where they begin along the first axis (Shell, Comm. ACM 2, 1959)."""
    step = n // 2
    while step > 0:
        for k in range(step, n):
            t = d.bodyflex_order[k] + 0
            begin = d.bodyflex_low[t].x
            j = k + 0
            while j >= step and d.bodyflex_low[d.bodyflex_order[maximum(j - step, 0)]].x > begin:
                d.bodyflex_order[j] = d.bodyflex_order[j - step]
                j -= step
            d.bodyflex_order[j] = t
        step = step // 2


@kernel(per_world=True)
def bounds_meet(d, lower, higher):
    """Whether the bounds of two trees meet; who begins where a lower one ends is not met (see `grazing`)."""
    low = d.bodyflex_low[lower]
    high = d.bodyflex_high[lower]
    other_low = d.bodyflex_low[higher]
    other_high = d.bodyflex_high[higher]
    met = other_low.x < high.x and low.x <= other_high.x
    met = met and other_low.y <= high.y and low.y <= other_high.y
    return met and other_low.z <= high.z and low.z <= other_high.z


@kernel
def are_related(m, t, other):
    """Whether two bodies are welded together, or are parent and child, which do not collide."""
    if t >= m.nbody or other >= m.nbody:
        return False
    v = m.body_weldid[t]
    w = m.body_weldid[other]
    filtered = (m.opt.disableflags & mjtDisableBit.mjDSBL_FILTERPARENT) == 0
    family = m.body_weldid[m.body_parentid[v]] == w or m.body_weldid[m.body_parentid[w]] == v
    return v == w or (filtered and v != 0 and w != 0 and family)


@kernel(per_world=True)
def reach_selves(m, d):
    """Go through the trees of flexes that collide with themselves by trees."""
    for f in range(m.nflex):
        way = m.flex_selfcollide[f]
        by_tree = way == mjtFlexSelf.mjFLEXSELF_BVH or (way == mjtFlexSelf.mjFLEXSELF_AUTO and m.flex_dim[f] == 3)
        collides = m.flex_rigid[f] == 0 and (m.flex_contype[f] & m.flex_conaffinity[f]) != 0
        if by_tree and collides and m.flex_bvhadr[f] >= 0:
            reach_trees(m, d, m.nbody + f, m.nbody + f)


@kernel(per_world=True)
def reach_pair(m, d, t, other):
    """Go through two trees unless the model keeps them apart, or both are bodies of a single geom."""
    bits = (contype(m, t) & conaffinity(m, other)) != 0 or (contype(m, other) & conaffinity(m, t)) != 0
    if bits and first_volume(m, t) >= 0 and first_volume(m, other) >= 0:
        bodies = other < m.nbody
        last = minimum(other, m.nbody - 1)
        single = bodies and m.body_geomnum[t] == 1 and m.body_geomnum[last] == 1
        if not single and not (bodies and is_excluded(m, t, last)):
            reach_trees(m, d, t, other)


@kernel
def contype(m, t):
    """Contact types of tree t."""
    if t < m.nbody:
        return m.body_contype[t] + 0
    return m.flex_contype[t - m.nbody] + 0


@kernel
def conaffinity(m, t):
    """Contact types that tree t collides with."""
    if t < m.nbody:
        return m.body_conaffinity[t] + 0
    return m.flex_conaffinity[t - m.nbody] + 0


@kernel
def first_volume(m, t):
    """The root of tree t; -1: none."""
    if t < m.nbody:
        return m.body_bvhadr[t] + 0
    return m.flex_bvhadr[t - m.nbody] + 0


@kernel
def is_excluded(m, b, other):
    """Whether the model excludes two bodies, the lower one first."""
    for k in range(m.nexclude):  # noqa: SIM110
        if m.exclude_signature[k] == (b << 16) + other:
            return True
    return False


@kernel(per_world=True)
def reach_trees(m, d, t, other):
    """Mark the boxes of two trees, or of one twice, that are reached from the roots through boxes that meet."""
    first = first_volume(m, t)
    second = first_volume(m, other)
    waiting = local(int, 2 * WAITING)
    count = push(waiting, 0, 0, 0)
    while count > 0:
        count -= 1
        a = waiting[2 * count]
        b = waiting[2 * count + 1]
        # each pair of boxes of one tree once
        if (t != other or a <= b) and volumes_meet(m, d, t, other, first + a, second + b):
            d.bvh_active[first + a] = 1
            d.bvh_active[second + b] = 1
            if not is_leaf(m, first + a) or not is_leaf(m, second + b):
                halves_first = divides_first(m, d, t, other, first + a, second + b)
                for side in range(2):
                    child = m.bvh_child[second + b, side] + 0
                    if halves_first:
                        child = m.bvh_child[first + a, side] + 0
                    if child >= 0 and halves_first:
                        count = push(waiting, count, child, b)
                    elif child >= 0:
                        count = push(waiting, count, a, child)


@kernel
def is_leaf(m, volume):
    """Whether a bounding volume has no children."""
    return m.bvh_child[volume, 0] < 0 and m.bvh_child[volume, 1] < 0


@kernel(per_world=True)
def divides_first(m, d, t, other, volume, other_volume):
    """Whether the children of the first of two boxes are looked at next, or those of the second."""
    if is_leaf(m, volume) or is_leaf(m, other_volume):
        return is_leaf(m, other_volume)
    return size_of(m, d, t, volume) > size_of(m, d, other, other_volume)


@kernel(per_world=True)
def size_of(m, d, t, volume):
    """What decides which of two boxes of trees is divided first."""
    if t < m.nbody:
        return rank(m.bvh_aabb, volume)
    return rank(d.bvh_aabb_dyn, volume - m.nbvhstatic)


@kernel(per_world=True)
def volumes_meet(m, d, t, other, volume, other_volume):
    """Whether two boxes of trees are within the margin; two leaves by their geoms."""
    leaves = is_leaf(m, volume) and is_leaf(m, other_volume)
    if leaves and t >= m.nbody:
        # elements are left to those who know
        return True
    margin = margin_in_force(m, maximum(largest_margin(m, t), largest_margin(m, other)))
    if leaves:
        return leaves_meet(m, d, other, m.bvh_nodeid[volume], other_volume)
    center, half, frame = box_of_volume(m, d, t, volume)
    other_center, other_half, other_frame = box_of_volume(m, d, other, other_volume)
    return boxes_meet(center, half, frame, other_center, other_half, other_frame, margin)


@kernel
def largest_margin(m, t):
    """Largest margin of tree t."""
    if t < m.nbody:
        return m.body_margin[t]
    return m.flex_margin[t - m.nbody]


@kernel(per_world=True, exact=True)
def box_of_volume(m, d, t, volume):
    """Centre, half sizes and axes of a bounding volume of tree t."""
    if t < m.nbody:
        frame = d.ximat[t]
        center = frame @ load(vec3, m.bvh_aabb, (volume, 0)) + d.xipos[t]
        return center, load(vec3, m.bvh_aabb, (volume, 3)), frame
    row = volume - m.nbvhstatic
    axes = mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    return load(vec3, d.bvh_aabb_dyn, (row, 0)), load(vec3, d.bvh_aabb_dyn, (row, 3)), axes


@kernel(per_world=True, exact=True)
def leaves_meet(m, d, other, g, other_volume):
    """Whether geom g, a leaf of a body, is near a leaf of another tree: first by spheres, then by boxes."""
    frame = d.geom_xmat[g]
    center = frame @ load(vec3, m.geom_aabb, (g, 0)) + d.geom_xpos[g]
    half = load(vec3, m.geom_aabb, (g, 3))
    if other < m.nbody:
        h = m.bvh_nodeid[other_volume]
        margin = margin_in_force(m, maximum(m.geom_margin[g], m.geom_margin[h]))
        if not spheres_meet(m, d, g, h, margin):
            return False
        other_center = d.geom_xmat[h] @ load(vec3, m.geom_aabb, (h, 0)) + d.geom_xpos[h]
        other_half = load(vec3, m.geom_aabb, (h, 3))
        return boxes_meet(center, half, frame, other_center, other_half, d.geom_xmat[h], margin)
    f = other - m.nbody
    margin = margin_in_force(m, maximum(m.geom_margin[g], m.flex_margin[f]))
    flex_center, flex_half, axes = box_of_volume(m, d, other, other_volume)
    touches = (m.geom_contype[g] & m.flex_conaffinity[f]) != 0 or (m.flex_contype[f] & m.geom_conaffinity[g]) != 0
    away = flex_center - d.geom_xpos[g]
    radius = m.geom_rbound[g] + margin
    near = abs(away.x) <= radius + flex_half.x and abs(away.y) <= radius + flex_half.y
    near = near and abs(away.z) <= radius + flex_half.z
    return touches and near and boxes_meet(center, half, frame, flex_center, flex_half, axes, margin)


@kernel(per_world=True, exact=True)
def spheres_meet(m, d, g, h, margin):
    """Whether the bounding spheres of two geoms are within the margin, or that of one and a plane."""
    between = d.geom_xpos[h] - d.geom_xpos[g]
    radius = m.geom_rbound[g]
    other_radius = m.geom_rbound[h]
    if radius > 0.0 and other_radius > 0.0:
        limit = radius + other_radius + margin
        return dot(between, between) <= limit * limit
    if m.geom_type[g] == mjtGeom.mjGEOM_PLANE and other_radius > 0.0:
        return dot(between, z_axis(d.geom_xmat[g])) <= margin + other_radius
    if m.geom_type[h] == mjtGeom.mjGEOM_PLANE and radius > 0.0:
        return -dot(between, z_axis(d.geom_xmat[h])) <= margin + radius
    return True


@kernel(per_world=True, exact=True)
def boxes_meet(center, half, frame, other_center, other_half, other_frame, margin):
    """Whether two boxes are within the margin along the axes of both (Gottschalk et al., OBBTree, SIGGRAPH 1996).

    Those across their edges are not looked at, nor those of one beside an endless one.
    """
    if is_everywhere(half) or is_everywhere(other_half):
        return True
    if not is_endless(other_half) and leave_gap(center, half, frame, other_center, other_half, other_frame, margin):
        return False
    return is_endless(half) or not leave_gap(other_center, other_half, other_frame, center, half, frame, margin)


@kernel(per_world=True, exact=True)
def leave_gap(center, half, frame, other_center, other_half, other_frame, margin):
    """Whether two boxes are more than the margin apart along an axis of the first."""
    for k in range(3):
        axis = axis_of(frame, k)
        between = dot(other_center, axis) - dot(center, axis)
        extent = reach(frame.T @ axis, half) + reach(other_frame.T @ axis, other_half)
        if extent + margin < abs(between):
            return True
    return False


@kernel
def axis_of(frame, k):
    """Axis k of a frame."""
    if k == 0:
        return x_axis(frame)
    if k == 1:
        return y_axis(frame)
    return z_axis(frame)


@kernel(per_world=True)
def is_everywhere(half):
    """Whether a box has no end along any axis."""
    return half.x >= mjMAXVAL and half.y >= mjMAXVAL and half.z >= mjMAXVAL


@kernel(per_world=True)
def is_endless(half):
    """Whether a box has no end along some axis."""
    return half.x >= mjMAXVAL or half.y >= mjMAXVAL or half.z >= mjMAXVAL
