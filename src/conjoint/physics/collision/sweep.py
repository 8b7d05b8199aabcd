"""Sweep and prune: find the pairs of parts that are close to each other in a world, in every step.

World-aligned boxes around the parts are sorted by their start along the coordinate axis with the largest spread of
geoms. Along this axis, a box can only meet boxes that begin before it ends. Eight of these boxes at a time are compared
along the other axes. See the Computation chapter, "Collision detection", and Ericson, Real-Time Collision Detection,
2005, section 7.5. Parts that do not move are sorted separately, because they cannot meet each other.

If two parts meet, their trees are traversed (`parts.pair_parts`). The resulting pairs of geoms are tested by the
filters of `runtime.pairs` and the bounds of the broad phase. Pairs that touch are sorted when contacts are listed
(`pairs.list_touching`).
"""

from conjoint.lang import STRIP, any, kernel, local, maximum, minimum, put, real, strip, vec3, where
from conjoint.physics.arrays.sorting import insertion_sort, merge_sort
from conjoint.physics.collision.parts import pair_parts
from conjoint.physics.collision.plane_parts import meet_planes
from conjoint.physics.geometry.matrix import largest_axis, times
from conjoint.physics.pair_filter import NO_CONTACTS
from conjoint.physics.sleep.filter import everything_rests
from conjoint.physics.status import NEAR_FULL

MOVES_PER_BOX = 8
"""Number of moves per box up to which insertion sort is faster than merge sort."""


# single world: boxes are sorted by their positions in one world
@kernel(single=True)
def sweep(m, d):
    """Add the pairs that the sweep finds to the near pairs that the broad phase has listed."""
    # if every body sleeps, skip the sweep
    if (m.opt.disableflags & NO_CONTACTS) == 0 and not everything_rests(m, d):
        axis = widest_axis(m, d)
        sort_boxes(m, d, axis, 0, m.npart_moving)
        sort_boxes(m, d, axis, m.npart_moving, m.nsweep)
        d.sweep_version = m.plan_version
        n = meet_planes(m, d, find_pairs(m, d))
        d.nnear_needed = n
        if n > d.nnear_capacity:
            return NEAR_FULL
        d.nnear = n
    return 0


@kernel
def widest_axis(m, d):
    """Return the coordinate axis along which the centers of the parts' boxes have the largest spread."""
    mean = vec3(0.0, 0.0, 0.0)
    square = vec3(0.0, 0.0, 0.0)
    for s in range(m.nsweep):
        centre = 0.5 * (d.part_low[s] + d.part_high[s])
        mean = mean + centre
        square = square + times(centre, centre)
    mean = mean / maximum(1.0, 1.0 * m.nsweep)
    return largest_axis(square - times(mean, mean) * (1.0 * m.nsweep))


@kernel(label="sorting")
def sort_boxes(m, d, axis, first, end):
    """Sort the boxes with indices from `first` to `end` by their start along an axis, and copy their other bounds.

    The sort starts from the order of the previous step, which is usually almost correct.
    """
    row = m.nsweep_padded
    for k in range(first, end):
        if d.sweep_version != m.plan_version:
            d.sweep_order[0, k] = k
        s = d.sweep_order[0, k]
        d.sweep_key[1, s] = d.part_low[s][axis]
    source = 0
    if not insertion_sort(m, d, d.sweep_order, first, end, MOVES_PER_BOX * (end - first), begins_first):
        source = merge_sort(m, d, d.sweep_order, first, end, row, begins_first)
    across = (axis + 1) % 3
    along = (axis + 2) % 3
    for k in range(first, end):
        s = d.sweep_order[source + k]
        d.sweep_key[0, k] = d.sweep_key[1, s]
        d.sweep_order[0, k] = s
        d.sweep_bound[0, k] = d.part_high[s][axis]
        d.sweep_bound[1, k] = d.part_low[s][across]
        d.sweep_bound[2, k] = d.part_high[s][across]
        d.sweep_bound[3, k] = d.part_low[s][along]
        d.sweep_bound[4, k] = d.part_high[s][along]


@kernel
def begins_first(m, d, s, t):
    """Return True if the box of part s begins before that of part t."""
    return d.sweep_key[1, s] <= d.sweep_key[1, t]


@kernel
def find_pairs(m, d):
    """List the near pairs of parts whose boxes meet; return the number of near pairs."""
    n = d.nnear
    moving = m.npart_moving
    # Each box is paired with the boxes that start inside it. On ties, the box of a moving part comes first.
    ahead = moving
    for i in range(moving):
        n = scan(m, d, i, i + 1, moving, n)
        while ahead < m.nsweep and d.sweep_key[0, ahead] < d.sweep_key[0, i]:
            ahead += 1
        n = scan(m, d, i, ahead, m.nsweep, n)
    ahead = 0
    for i in range(moving, m.nsweep):
        while ahead < moving and d.sweep_key[0, ahead] <= d.sweep_key[0, i]:
            ahead += 1
        n = scan(m, d, i, ahead, moving, n)
    return n


@kernel(label="scan")
def scan(m, d, i, first, end, n):
    """List the pairs of box i with the boxes from `first` to `end` that begin before box i ends and overlap it.

    Boxes are numbered in sorted order. Return the number of near pairs.
    """
    high = d.sweep_bound[0, i]
    hits = local(real, STRIP)
    found = 0
    for block in range(first, end, STRIP):
        if d.sweep_key[0, block] > high:
            break
        meets = (strip(d.sweep_key, block) <= high) & strips_meet(d.sweep_bound, m.nsweep_padded, block, i)
        if any(meets):
            # The hits are hard to predict, so they are listed without a branch.
            put(hits, 0, where(meets, 1.0, 0.0))
            for j in range(minimum(STRIP, end - block)):
                d.sweep_found[found] = block + j
                found += where(hits[j] > 0.0, 1, 0)
    for k in range(found):
        n = pair_parts(m, d, d.sweep_order[0, i], d.sweep_order[0, d.sweep_found[k]], n)
    return n


@kernel
def strips_meet(bounds, row, block, i):
    """Return a mask for one register of boxes, from index `block` on: True if a box overlaps box i.

    Only the other two axes are compared. Rows 1 to 4 of `bounds` contain the lower and upper ends along each of them.
    """
    meets = (strip(bounds, row + block) <= bounds[2, i]) & (strip(bounds, 2 * row + block) >= bounds[1, i])
    meets = meets & (strip(bounds, 3 * row + block) <= bounds[4, i])
    return meets & (strip(bounds, 4 * row + block) >= bounds[3, i])
