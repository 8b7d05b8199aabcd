"""Sweep and prune: the pairs of geoms near each other in a large scene, found anew in every step.

A part is the geoms of a kinematic tree, whose pairs among themselves are listed, or one geom.

Boxes around the parts, aligned with the world, are sorted by where they begin along the coordinate axis along which
the geoms are spread most. Going along it, only boxes that begin before another one ends can meet it; eight of them are
compared at once along the other axes (Computation chapter, "Collision detection"; Ericson, Real-Time Collision
Detection, 2005, section 7.5). Geoms on bodies that do not move are sorted apart: they do not meet each other.

The pairs left over pass the filters of `runtime.pairs` and the bounds of the broad phase, and are sorted by bodies and
geoms, the order in which contacts are listed.
"""

from conjoint.lang import STRIP, abs, any, kernel, local, maximum, minimum, put, real, shared, strip, vec3, where
from conjoint.physics.collision.broadphase import is_near, lower_body
from conjoint.physics.collision.sorted_boxes import insertion_sort, merge_sort, strips_meet
from conjoint.physics.flex.kinematics import greatest, least
from conjoint.physics.geometry.matrix import largest_axis, times
from conjoint.physics.geometry.shape import SLACK, world_box
from conjoint.physics.pair_filter import NO_CONTACTS, margin_in_force, margin_of, may_touch
from conjoint.physics.status import NEAR_FULL
from conjoint.schema.enums import mjtDisableBit, mjtGeom

MOVES_PER_BOX = 8
"""Moves of each box up to which insertion sorts sooner than merging does."""

CHUNK = 32
"""Parts of a share of the work."""

UNBOUNDED = 1e10
"""Half the size of the box around a geom without a bound."""


@kernel(single=True)
def sweep(m, d):
    """Add the pairs of the sweep to those that the broad phase listed, and put all of them in order."""
    if (m.opt.disableflags & NO_CONTACTS) == 0:
        axis = widest_axis(m, d)
        sort_boxes(m, d, axis, 0, m.nsweep_moving)
        sort_boxes(m, d, axis, m.nsweep_moving, m.nsweep)
        d.sweep_version = m.plan_version
        n = find_pairs(m, d)
        d.nnear_needed = n
        if n > d.nnear_capacity:
            return NEAR_FULL
        d.nnear = n
        # by lower body, higher body, explicit ones first, then by geoms: what matters least is sorted by first
        sort_by(m, d, n, d.near_order, d.near_sorted, second_number)
        sort_by(m, d, n, d.near_sorted, d.near_order, first_number)
        sort_by(m, d, n, d.near_order, d.near_sorted, higher_body)
        sort_by(m, d, n, d.near_sorted, d.near_order, lower_body)
    return 0


@kernel(per_world=True)
def widest_axis(m, d):
    """Boxes of the parts; the axis along which their centres are spread most."""
    shared(box_chunk, m, d, (m.nsweep + CHUNK - 1) // CHUNK)
    mean = vec3(0.0, 0.0, 0.0)
    square = vec3(0.0, 0.0, 0.0)
    for s in range(m.nsweep):
        centre = 0.5 * (d.sweep_low[s] + d.sweep_high[s])
        mean = mean + centre
        square = square + times(centre, centre)
    mean = mean / maximum(1.0, 1.0 * m.nsweep)
    return largest_axis(square - times(mean, mean) * (1.0 * m.nsweep))


@kernel(per_world=True)
def box_chunk(m, d, chunk):
    """sweep_low, sweep_high: boxes of one chunk of the parts."""
    for s in range(CHUNK * chunk, minimum(m.nsweep, CHUNK * (chunk + 1))):
        low, high = box_of_part(m, d, s)
        d.sweep_low[s] = low
        d.sweep_high[s] = high


@kernel(per_world=True)
def box_of_part(m, d, s):
    """Least and greatest corner of a box around the geoms of part s."""
    first = m.sweep_adr[s]
    centre, half = box_around(m, d, m.sweep_geom[first])
    low = centre - half
    high = centre + half
    for k in range(first + 1, m.sweep_adr[s + 1]):
        centre, half = box_around(m, d, m.sweep_geom[k])
        low = least(low, centre - half)
        high = greatest(high, centre + half)
    return low, high


@kernel(per_world=True)
def box_around(m, d, g):
    """Centre and half size of a box around geom g, with its margin, and what rounding may add."""
    pos = d.geom_xpos[g]
    margin = maximum(margin_in_force(m, m.geom_margin[g]), 0.0)
    radius = where(m.geom_rbound[g] > 0.0, m.geom_rbound[g], UNBOUNDED)
    half = vec3(radius, radius, radius)
    if m.geom_type[g] != mjtGeom.mjGEOM_SPHERE and m.geom_rbound[g] > 0.0:
        pos, half = world_box(m, d, g)
    far = 8.0 * m.epsilon * maximum(abs(pos.x), maximum(abs(pos.y), abs(pos.z))) + margin
    return pos, SLACK * half + vec3(far, far, far)


@kernel(per_world=True)
def sort_boxes(m, d, axis, first, end):
    """Sort the boxes from `first` to `end` by where they begin along an axis, and note where else they reach.

    They begin in the order of the last step, which is nearly that of this one.
    """
    row = m.nsweep_padded
    for k in range(first, end):
        if d.sweep_version != m.plan_version:
            d.sweep_order[0, k] = k
        s = d.sweep_order[0, k]
        d.sweep_key[1, s] = d.sweep_low[s][axis]
    source = 0
    if not insertion_sort(d.sweep_key, row, d.sweep_order, first, end, MOVES_PER_BOX * (end - first)):
        source = merge_sort(d.sweep_key, row, d.sweep_order, first, end, row)
    across = (axis + 1) % 3
    along = (axis + 2) % 3
    for k in range(first, end):
        s = d.sweep_order[source + k]
        d.sweep_key[0, k] = d.sweep_key[1, s]
        d.sweep_order[0, k] = s
        d.sweep_bound[0, k] = d.sweep_high[s][axis]
        d.sweep_bound[1, k] = d.sweep_low[s][across]
        d.sweep_bound[2, k] = d.sweep_high[s][across]
        d.sweep_bound[3, k] = d.sweep_low[s][along]
        d.sweep_bound[4, k] = d.sweep_high[s][along]


@kernel(single=True)
def find_pairs(m, d):
    """List the pairs whose boxes meet, if they pass all filters; returns how many near pairs there are with them."""
    n = d.nlisted
    moving = m.nsweep_moving
    # who begins later is found from who begins first; of two that begin together the moving one is the first
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


@kernel(single=True)
def scan(m, d, i, first, end, n):
    """Pairs of the box at place i with those from `first` to `end` that begin before it ends; returns their number."""
    high = d.sweep_bound[0, i]
    hits = local(real, STRIP)
    found = 0
    for block in range(first, end, STRIP):
        if d.sweep_key[0, block] > high:
            break
        meets = (strip(d.sweep_key, block) <= high) & strips_meet(d.sweep_bound, m.nsweep_padded, block, i)
        if any(meets):
            # which of them meet is hard to foresee: list them without a branch
            put(hits, 0, where(meets, 1.0, 0.0))
            for j in range(minimum(STRIP, end - block)):
                d.sweep_found[found] = block + j
                found += where(hits[j] > 0.0, 1, 0)
    for k in range(found):
        n = pair_parts(m, d, d.sweep_order[0, i], d.sweep_order[0, d.sweep_found[k]], n)
    return n


@kernel(single=True)
def pair_parts(m, d, s, t, n):
    """List the pairs of geoms of parts s and t, whose boxes meet; returns the number of near pairs."""
    for a in range(m.sweep_adr[s], m.sweep_adr[s + 1]):
        g = m.sweep_geom[a]
        if m.sweep_adr[t + 1] == m.sweep_adr[t] + 1 or reaches(m, d, g, t):
            for b in range(m.sweep_adr[t], m.sweep_adr[t + 1]):
                n = consider(m, d, g, m.sweep_geom[b], n)
    return n


@kernel(per_world=True)
def reaches(m, d, g, t):
    """Whether the box around geom g meets that of part t."""
    centre, half = box_around(m, d, g)
    low = d.sweep_low[t] - centre - half
    high = d.sweep_high[t] - centre + half
    across = (low.x <= 0.0) & (low.y <= 0.0) & (low.z <= 0.0)
    return across & (high.x >= 0.0) & (high.y >= 0.0) & (high.z >= 0.0)


@kernel(single=True)
def consider(m, d, g, h, n):
    """List geoms g and h as near pair n if the model lets them touch and their bounds are within the margin.

    Returns:
        number of near pairs.
    """
    # geoms are numbered by body: the lower body's first, unless its type is the larger
    g1 = minimum(g, h)
    g2 = maximum(g, h)
    if m.geom_type[g1] > m.geom_type[g2]:
        g1 = g2
        g2 = minimum(g, h)
    if m.geom_type[g2] <= mjtGeom.mjGEOM_HFIELD or not is_near(m, d, g1, g2, margin_of(m, -1, g1, g2)):
        return n
    if not may_touch(m, g1, g2):
        return n
    if n < d.nnear_capacity:
        d.near_geom1[n] = g1
        d.near_geom2[n] = g2
        d.near_pair[n] = -1
        d.near_types[n] = m.geom_type[g1] * mjtGeom.mjNGEOMTYPES + m.geom_type[g2]
        d.near_hit[n] = 1
        d.near_order[n] = n
    return n + 1


@kernel(single=True)
def sort_by(m, d, n, source, target, number):
    """target := the pairs in `source` by ascending `number(m, d, pair)`, by counting; equal ones stay in order."""
    for c in range(m.nsweep_count):
        d.sweep_count[c] = 0
    for p in range(n):
        c = number(m, d, source[p])
        d.sweep_count[c] = d.sweep_count[c] + 1
    before = 0
    for c in range(m.nsweep_count):
        count = d.sweep_count[c]
        d.sweep_count[c] = before
        before += count
    for p in range(n):
        c = number(m, d, source[p])
        target[d.sweep_count[c]] = source[p]
        d.sweep_count[c] = d.sweep_count[c] + 1


@kernel(per_world=True)
def higher_body(m, d, k):
    """The higher body of near pair k."""
    return maximum(m.geom_bodyid[d.near_geom1[k]], m.geom_bodyid[d.near_geom2[k]])


@kernel(per_world=True)
def first_number(m, d, k):
    """What orders the pairs of two bodies first: explicit ones, then the first geom."""
    if d.near_pair[k] >= 0:
        return 0
    if m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE:
        return 1 + minimum(d.near_geom1[k], d.near_geom2[k])
    return 1 + d.near_geom1[k]


@kernel(per_world=True)
def second_number(m, d, k):
    """What orders them next: the explicit pair, or the second geom."""
    if d.near_pair[k] >= 0:
        return d.near_pair[k]
    if m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE:
        return maximum(d.near_geom1[k], d.near_geom2[k])
    return d.near_geom2[k]
