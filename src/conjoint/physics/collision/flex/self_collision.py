"""Contacts of flexes with each other and with themselves.

Elements that may touch are found among all pairs, by pairs of boxes in trees, or by a sweep, according to the flex
attribute `selfcollide`. The order of contacts is that of MuJoCo, and depends on this method.

Internal contacts keep elements from turning inside out. In one and two dimensions, vertices collide as balls with the
elements next to their own; the compiler lists these pairs. In three dimensions, a vertex collides with the opposite
face of its own tetrahedron.
"""

from conjoint.lang import (
    STRIP,
    abs,
    any,
    cross,
    dot,
    kernel,
    load,
    local,
    minimum,
    norm,
    normalize3,
    put,
    real,
    strip,
    vec3,
    where,
)
from conjoint.physics.arrays.sorting import merge_sort, sort_numbers
from conjoint.physics.collision.flex.elements import aligned_boxes_meet, corner, nearest_on_element, vertex_of_element
from conjoint.physics.collision.flex.pairs import Pair, collide_elements, keep_contact, of_element, of_vertex
from conjoint.physics.collision.sweep import strips_meet
from conjoint.physics.geometry.matrix import largest_axis
from conjoint.physics.official.midphase import WAITING, push, rank
from conjoint.physics.pair_filter import Margins, margins_between
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtDisableBit, mjtFlexSelf

NO_MARGIN = 0.0
"""Margin for contacts of a flex with itself: the margin and gap of the flex are ignored for them, as in MuJoCo."""

ORDER = (3 << 0) | (1 << 2) | (2 << 4) | (0 << 6)
"""Order in which the vertices of a tetrahedron are tested, two bits for each."""

ROUNDINGS = 16.0
"""Enlargement of an element's box, in units of the rounding error of its coordinates."""


@kernel
def collide_self(m, d, f, how):
    """Find the contacts among the elements of a flex."""
    way = m.flex_selfcollide[f]
    if way != mjtFlexSelf.mjFLEXSELF_NONE and (m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE) != 0:
        way = mjtFlexSelf.mjFLEXSELF_NARROW
    if way == mjtFlexSelf.mjFLEXSELF_NARROW:
        for e in range(m.flex_elemnum[f]):
            for other in range(e + 1, m.flex_elemnum[f]):
                collide_elements(m, d, f, e, f, other, Margins(NO_MARGIN, NO_MARGIN), how)
    elif way == mjtFlexSelf.mjFLEXSELF_SAP or (way == mjtFlexSelf.mjFLEXSELF_AUTO and m.flex_dim[f] < 3):
        sweep_elements(m, d, f, how)
    elif way != mjtFlexSelf.mjFLEXSELF_NONE:
        collide_tree(m, d, f, how)


@kernel
def collide_flexes(m, d, f1, f2, how, edition):
    """Find the contacts between the elements of two flexes, in ascending order of element ids."""
    margins = margins_between(m, m.flex_margin[f1], m.flex_gap[f1], m.flex_margin[f2], m.flex_gap[f2], edition)
    first = m.flex_elemadr[f2]
    for e in range(m.flex_elemnum[f1]):
        for k in range(gather(m, d, f1, e, f2, margins.listed)):
            collide_elements(m, d, f1, e, f2, d.flexelem_order[0, first + k], margins, how)


@kernel
def gather(m, d, f1, e, f2, margin):
    """List the elements of flex f2 near element e of flex f1, sorted, in `flexelem_order`; return their number.

    Elements are near if their boxes are within the margin of the box of e.
    """
    first = m.flex_bvhadr[f2]
    place = m.flex_elemadr[f2]
    waiting = local(int, 2 * WAITING)
    count = push(waiting, 0, 0, 0)
    found = 0
    while count > 0:
        count -= 1
        box = waiting[2 * count]
        if aligned_boxes_meet(
            d.flexelem_aabb, m.flex_elemadr[f1] + e, d.bvh_aabb_dyn, first + box - m.nbvhstatic, margin
        ):
            other = m.bvh_nodeid[first + box]
            if other >= 0:
                d.flexelem_order[0, place + found] = other
                found += 1
            else:
                for side in range(2):
                    count = push(waiting, count, m.bvh_child[first + box, side], 0)
    sort_numbers(m, d, d.flexelem_order, place, place + found)
    return found


@kernel
def collide_tree(m, d, f, how):
    """Find the contacts among the elements of a flex by pairs of boxes in its tree."""
    margins = Margins(NO_MARGIN, NO_MARGIN)
    first = m.flex_bvhadr[f]
    waiting = local(int, 2 * WAITING)
    count = push(waiting, 0, 0, 0)
    while count > 0:
        count -= 1
        a = waiting[2 * count]
        b = waiting[2 * count + 1]
        e1 = m.bvh_nodeid[first + a]
        e2 = m.bvh_nodeid[first + b]
        box = first + a - m.nbvhstatic
        other_box = first + b - m.nbvhstatic
        if a == b:
            if e1 < 0:
                left = m.bvh_child[first + a, 0]
                right = m.bvh_child[first + a, 1]
                count = push(waiting, count, left, left)
                count = push(waiting, count, left, right)
                count = push(waiting, count, right, right)
        elif aligned_boxes_meet(d.bvh_aabb_dyn, box, d.bvh_aabb_dyn, other_box, NO_MARGIN):
            if e1 >= 0 and e2 >= 0:
                collide_elements(m, d, f, e1, f, e2, margins, how)
            else:
                halves_first = e2 >= 0 or (e1 < 0 and rank(d.bvh_aabb_dyn, box) > rank(d.bvh_aabb_dyn, other_box))
                for side in range(2):
                    child = m.bvh_child[first + where(halves_first, a, b), side]
                    count = push(waiting, count, where(halves_first, child, a), where(halves_first, b, child))


@kernel
def sweep_elements(m, d, f, how):
    """Find the contacts among the elements of a flex by a sweep along the longest side of its bounding box."""
    root = m.flex_bvhadr[f] - m.nbvhstatic
    axis = largest_axis(load(vec3, d.bvh_aabb_dyn, (root, 3)))
    row = sort_elements(m, d, f, axis)
    first = m.flex_elemadr[f]
    bound_elements(m, d, f, axis, row)
    done = 0
    for place in range(m.flex_elemnum[f]):
        # skip the leading run of elements that end before this element begins
        begin = d.flexelem_begin[d.flexelem_order[row, first + place]]
        while done < place and d.flexelem_bound[0, first + done] < begin:
            done += 1
        sweep_before(m, d, f, row, place, done, how)


@kernel
def sort_elements(m, d, f, axis):
    """Sort the elements of a flex by the start of their boxes along an axis.

    Return the row of `flexelem_order` that contains the sorted elements.
    """
    first = m.flex_elemadr[f]
    end = first + m.flex_elemnum[f]
    for i in range(first, end):
        d.flexelem_begin[i] = d.flexelem_aabb[i, axis] - d.flexelem_aabb[i, 3 + axis]
        d.flexelem_end[i] = d.flexelem_aabb[i, axis] + d.flexelem_aabb[i, 3 + axis]
        d.flexelem_order[0, i] = i
    return merge_sort(m, d, d.flexelem_order, first, end, m.nflexelem, begins_first) // m.nflexelem


@kernel
def begins_first(m, d, i, j):
    """Return True if the box of element i begins before that of element j."""
    return d.flexelem_begin[i] <= d.flexelem_begin[j]


@kernel
def bound_elements(m, d, f, axis, row):
    """Compute the ends of a flex's sorted elements along the sweep axis, and their extents along the other two axes.

    The extents are enlarged by rounding errors, so that boxes that just touch always meet.
    """
    first = m.flex_elemadr[f]
    for place in range(first, first + m.flex_elemnum[f]):
        i = d.flexelem_order[row, place]
        d.flexelem_bound[0, place] = d.flexelem_end[i]
        for k in range(2):
            other = (axis + 1 + k) % 3
            middle = d.flexelem_aabb[i, other]
            half = d.flexelem_aabb[i, 3 + other]
            far = half + ROUNDINGS * m.epsilon * (abs(middle) + half)
            d.flexelem_bound[1 + 2 * k, place] = middle - far
            d.flexelem_bound[2 + 2 * k, place] = middle + far


@kernel
def sweep_before(m, d, f, row, place, done, how):
    """Find the contacts of element `place` with those of the elements `done` to `place` - 1 that overlap it.

    Elements are numbered in sorted order, so these elements begin before element `place`.
    """
    first = m.flex_elemadr[f]
    margins = Margins(NO_MARGIN, NO_MARGIN)
    hits = local(real, STRIP)
    i = d.flexelem_order[row, first + place]
    begin = d.flexelem_begin[i]
    for block in range(first + done, first + place, STRIP):
        meets = strip(d.flexelem_bound, block) >= begin
        meets = meets & strips_meet(d.flexelem_bound, m.nflexelem, block, first + place)
        if any(meets):
            put(hits, 0, where(meets, 1.0, 0.0))
            for k in range(block, minimum(block + STRIP, first + place)):
                if hits[k - block] > 0.0:
                    # on ties, the element with the lower index comes first
                    other = d.flexelem_order[row, k]
                    behind = d.flexelem_end[other] - begin
                    if behind > 0.0 or (behind == 0.0 and other > i):
                        collide_elements(m, d, f, other - first, f, i - first, margins, how)


@kernel
def find_internal_contacts(m, d, f):
    """Find the internal contacts of a flex (attribute `internal`)."""
    if m.flex_dim[f] == 3:
        for e in range(m.flex_elemnum[f]):
            collide_faces(m, d, f, e)
    else:
        for pair in range(m.flex_evpairadr[f], m.flex_evpairadr[f] + m.flex_evpairnum[f]):
            collide_vertex(m, d, f, m.flex_evpair[pair, 0], m.flex_evpair[pair, 1])


@kernel
def collide_faces(m, d, f, e):
    """Find the contacts of the vertices of a tetrahedron with the opposite faces."""
    a = corner(m, d, f, e, 0)
    b = corner(m, d, f, e, 1)
    # faces point inward as long as the tetrahedron is not inside out
    volume = dot(cross(corner(m, d, f, e, 2) - b, corner(m, d, f, e, 3) - b), a - b)
    radius = m.flex_radius[f]
    for turn in range(4):
        k = (ORDER >> (2 * turn)) & 3
        point = corner(m, d, f, e, k)
        first = corner(m, d, f, e, (k + 1) & 3)
        second = corner(m, d, f, e, (k + 2) & 3)
        normal = normalize3(cross(second - first, corner(m, d, f, e, (k + 3) & 3) - first))
        height = dot(point - first, normal)
        if height * volume < 0.0:
            normal = -normal
            height = -height
        dist = height - 2.0 * radius
        if dist <= NO_MARGIN:
            pos = point - normal * (radius + 0.5 * dist)
            vertex = of_vertex(f, vertex_of_element(m, f, e, k))
            keep_contact(d, Pair(of_element(f, e), vertex, Margins(NO_MARGIN, NO_MARGIN)), dist, pos, normal)


@kernel
def collide_vertex(m, d, f, e, v):
    """Find the contact of a vertex, treated as a ball, with an element to which it does not belong."""
    center = d.flexvert_xpos[m.flex_vertadr[f] + v]
    way = nearest_on_element(m, d, f, e, center) - center
    length = norm(way)
    dist = length - 2.0 * m.flex_radius[f]
    if dist <= NO_MARGIN and length > mjMINVAL:
        normal = way * (1.0 / length)
        pair = Pair(of_vertex(f, v), of_element(f, e), Margins(NO_MARGIN, NO_MARGIN))
        keep_contact(d, pair, dist, center + normal * (0.5 * length), normal)
