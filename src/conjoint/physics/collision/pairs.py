"""Near pairs: two geoms whose bounds are so close that the geoms may touch.

The broad phase lists the geoms of these pairs with bounds that are valid in any edition. Then `make_pairs` sets
their contact margins and colliders. Pairs with contacts are sorted (`list_touching`).
"""

from conjoint.lang import abs, any, dot, kernel, maximum, minimum, sqrt, where, z_axis
from conjoint.physics.arrays.sorting import insertion_sort, merge_sort
from conjoint.physics.geometry.shape import SLACK
from conjoint.physics.pair_filter import margin_bound, margin_in_force, margins_of_geoms, may_touch, widest
from conjoint.schema.enums import mjtDisableBit, mjtGeom

COUNTED = 4
"""Largest ratio of geoms to pairs at which counting sort is faster than merge sort."""

FEW_MOVES = 8
"""Number of moves per pair above which merge sort is faster than insertion sort."""


@kernel
def make_pairs(m, d, edition):
    """Set the contact margins and collider numbers of near pairs, and set their counts of detected contacts to zero."""
    for k in range(d.nnear):
        g1 = d.near_geom1[k]
        g2 = d.near_geom2[k]
        margins = margins_of_geoms(m, d.near_pair[k], g1, g2, edition)
        d.near_margin[k] = margins.listed
        d.near_acting[k] = margins.acting
        d.near_collider[k] = m.types_collider[m.geom_type[g1] * mjtGeom.mjNGEOMTYPES + m.geom_type[g2]]
    d.nfound = 0
    d.nfound_geoms = 0


@kernel
def reach_of(m, explicit, g1, g2):
    """Return an upper bound of the distance (m) below which two geoms have contacts, or may have some in the next step.

    If the bounds of two geoms are farther apart, they are not a near pair. Argument `explicit` is the id of the
    geoms' explicit pair, or -1.
    """
    if explicit >= 0:
        margin = widest(m.pair_margin[explicit], m.pair_gap[explicit])
    else:
        margin = margin_bound(m, g1) + margin_bound(m, g2)
    return margin_in_force(m, margin) + m.reach


@kernel
def list_pair(d, n, g1, g2, explicit, hit):
    """List two geoms as near pair n, the geom of the smaller type first.

    Argument `explicit` is the id of the geoms' explicit pair, or -1; `hit` is 1 in the worlds in which the geoms
    are near.
    """
    d.near_geom1[n] = g1
    d.near_geom2[n] = g2
    d.near_pair[n] = explicit
    d.near_hit[n] = hit


@kernel
def list_if_near(m, d, g, h, n):
    """List geoms g and h as near pair n if they may touch and their bounds are close enough in some world.

    Returns:
        the number of near pairs.
    """
    # Geoms are numbered by body, so the geom of the lower body comes first, unless its type is larger.
    g1 = minimum(g, h)
    g2 = maximum(g, h)
    if m.geom_type[g1] > m.geom_type[g2]:
        g1 = g2
        g2 = minimum(g, h)
    if m.geom_type[g2] <= mjtGeom.mjGEOM_HFIELD:
        return n
    hit = is_near(m, d, g1, g2, reach_of(m, -1, g1, g2))
    if any(hit) and may_touch(m, g1, g2):
        if n < d.nnear_capacity:
            list_pair(d, n, g1, g2, -1, where(hit, 1, 0))
        n += 1
    return n


@kernel
def is_near(m, d, g1, g2, margin):
    """Return True if the bounds of two geoms are within the margin; g1 has the smaller type."""
    # a bounding radius of zero means that the geom is unbounded
    if not m.geom_rbound[g2] > 0.0:
        return True
    if m.geom_type[g1] == mjtGeom.mjGEOM_PLANE:
        return meets_plane(m, d, g1, g2, margin)
    return not m.geom_rbound[g1] > 0.0 or bounds_meet(m, d, g1, g2, margin)


@kernel
def meets_plane(m, d, plane, g, margin):
    """Return True if the bounds of geom g are within the margin of a plane."""
    normal = z_axis(d.geom_xmat[plane])
    height = dot(d.geom_xpos[g] - d.geom_xpos[plane], normal)
    if m.geom_type[g] == mjtGeom.mjGEOM_CAPSULE:
        # the extent of a capsule along the normal has a closed form
        extent = m.geom_size[g].x + m.geom_size[g].y * abs(dot(normal, z_axis(d.geom_xmat[g])))
        return height <= margin + SLACK * extent
    return height <= margin + SLACK * m.geom_rbound[g]


@kernel
def bounds_meet(m, d, g1, g2, margin):
    """Return True if the bounding spheres of two geoms are within the margin.

    If one geom is a capsule, its extent along the line between both centers must be within the margin, too.
    """
    between = d.geom_xpos[g2] - d.geom_xpos[g1]
    reach = SLACK * (m.geom_rbound[g1] + m.geom_rbound[g2] + margin)
    square = dot(between, between)
    hit = square <= reach * reach
    if m.geom_type[g1] < mjtGeom.mjGEOM_SPHERE or m.geom_type[g2] != mjtGeom.mjGEOM_CAPSULE:
        return hit
    if hit:
        # slabs perpendicular to the line between the centers separate most elongated shapes whose spheres overlap
        slab = m.geom_size[g2].y * abs(dot(between, z_axis(d.geom_xmat[g2])))
        if m.geom_type[g1] == mjtGeom.mjGEOM_CAPSULE:
            slab = slab + m.geom_size[g1].y * abs(dot(between, z_axis(d.geom_xmat[g1])))
        radii = SLACK * (m.geom_size[g1].x + m.geom_size[g2].x + margin)
        hit = square - SLACK * slab <= radii * sqrt(square)
    return hit


@kernel
def lower_body(m, d, k):
    """Return the lower of the two body ids of near pair k."""
    return minimum(m.geom_bodyid[d.near_geom1[k]], m.geom_bodyid[d.near_geom2[k]])


@kernel
def higher_body(m, d, k):
    """Return the higher of the two body ids of near pair k."""
    return maximum(m.geom_bodyid[d.near_geom1[k]], m.geom_bodyid[d.near_geom2[k]])


@kernel
def list_touching(m, d):
    """List the near pairs with contacts, in any world of a block, in `near_order`; return their number.

    Pairs are sorted by lower body, then by higher body. Among pairs of the same bodies, explicit pairs come first, then
    pairs in the order of their geoms (`runtime.pairs`), as in the plan.
    """
    n = 0
    for k in range(d.nnear):
        if any(d.found_num[k] > 0):
            d.near_order[0, n] = k
            n += 1
    if m.npart > 0:
        order_pairs(m, d, n)
    return n


@kernel(rare=True, label="ordering")
def order_pairs(m, d, n):
    """Sort the first n pairs of `near_order`, because a sweep or a tree lists them in arbitrary order."""
    for p in range(n):
        k = d.near_order[0, p]
        d.near_key[0, k] = lower_body(m, d, k) * m.nbody + higher_body(m, d, k)
        d.near_key[1, k] = rank_of(m, d, k)
    ordered = False
    if COUNTED * n >= m.ngeom and m.ngeom <= d.nnear_capacity:
        # After the counting sorts, only explicit pairs and pairs with the same first geom are out of order, usually
        # few.
        count_pairs(m, d, n, 0, 1, m.ngeom, first_geom)
        count_pairs(m, d, n, 1, 0, m.nbody, higher_body)
        count_pairs(m, d, n, 0, 1, m.nbody, lower_body)
        for p in range(n):
            d.near_order[0, p] = d.near_order[1, p]
        ordered = insertion_sort(m, d, d.near_order, 0, n, FEW_MOVES * n, precedes)
    if not ordered and merge_sort(m, d, d.near_order, 0, n, d.nnear_capacity, precedes) != 0:
        for p in range(n):
            d.near_order[0, p] = d.near_order[1, p]


@kernel
def count_pairs(m, d, n, source, target, count, number):
    """Stably sort the first n pairs of row `source` of `near_order` into row `target`, by numbers below `count`.

    `number` (m, d, k) is the kernel that returns the number of pair k. See Knuth, The Art of Computer Programming 3,
    section 5.2 (distribution counting).
    """
    for b in range(count):
        d.near_key[2, b] = 0
    for p in range(n):
        b = number(m, d, d.near_order[source, p])
        d.near_key[2, b] += 1
    before = 0
    for b in range(count):
        pairs = d.near_key[2, b]
        d.near_key[2, b] = before
        before += pairs
    for p in range(n):
        k = d.near_order[source, p]
        b = number(m, d, k)
        d.near_order[target, d.near_key[2, b]] = k
        d.near_key[2, b] += 1


@kernel
def first_geom(m, d, k):
    """Return the geom of near pair k that is the first sort key among the pairs of two bodies."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE:
        return minimum(d.near_geom1[k], d.near_geom2[k])
    return d.near_geom1[k]


@kernel
def rank_of(m, d, k):
    """Return a number that orders the pairs of two bodies: explicit pairs by their ids, then others by their geoms."""
    if d.near_pair[k] >= 0:
        return d.near_pair[k] - m.npair
    first = first_geom(m, d, k)
    return first * m.ngeom + (d.near_geom1[k] + d.near_geom2[k] - first)


@kernel
def precedes(m, d, p, q):
    """Return True if near pair p comes before near pair q, or has the same rank."""
    before = d.near_key[0, p] < d.near_key[0, q]
    return before | ((d.near_key[0, p] == d.near_key[0, q]) & (d.near_key[1, p] <= d.near_key[1, q]))
