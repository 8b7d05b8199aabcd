"""Which elements of flexes may touch: all pairs, pairs of boxes in trees, or a sweep, as `selfcollide` asks for.

Contacts are listed in the order in which the official engine finds them, which depends on the way.
"""

from conjoint.lang import STRIP, abs, any, kernel, load, local, maximum, minimum, put, real, strip, vec3, where
from conjoint.physics.collision.contact_parameters import flexes_margin
from conjoint.physics.collision.flex.elements import aligned_boxes_meet
from conjoint.physics.collision.flex.pairs import collide_elements
from conjoint.physics.collision.sorted_boxes import merge_sort, strips_meet
from conjoint.physics.geometry.matrix import largest_axis
from conjoint.physics.official.tree_order import WAITING, push, rank
from conjoint.schema.enums import mjtDisableBit, mjtFlexSelf

ROUNDINGS = 16.0
"""Roundings of its numbers by which a box is thought larger."""


@kernel
def collide_self(m, d, f, how):
    """Find the contacts of the elements of a flex with each other."""
    way = m.flex_selfcollide[f]
    if way != mjtFlexSelf.mjFLEXSELF_NONE and (m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE) != 0:
        way = mjtFlexSelf.mjFLEXSELF_NARROW
    if way == mjtFlexSelf.mjFLEXSELF_NARROW:
        for e in range(m.flex_elemnum[f]):
            for other in range(e + 1, m.flex_elemnum[f]):
                collide_elements(m, d, f, e, f, other, flexes_margin(m, f, f), how)
    elif way == mjtFlexSelf.mjFLEXSELF_SAP or (way == mjtFlexSelf.mjFLEXSELF_AUTO and m.flex_dim[f] < 3):
        sweep_elements(m, d, f, how)
    elif way != mjtFlexSelf.mjFLEXSELF_NONE:
        collide_tree(m, d, f, how)


@kernel
def collide_flexes(m, d, f1, f2, how):
    """Find the contacts of the elements of two flexes, in ascending order."""
    margin = flexes_margin(m, f1, f2)
    first = m.flex_elemadr[f2]
    for e in range(m.flex_elemnum[f1]):
        for k in range(gather(m, d, f1, e, f2, margin)):
            collide_elements(m, d, f1, e, f2, d.flexelem_open[first + k], margin, how)


@kernel
def gather(m, d, f1, e, f2, margin):
    """Sort the elements of flex f2 near the box of element e of flex f1 into `flexelem_open`; how many they are."""
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
                k = found
                while k > 0 and d.flexelem_open[place + maximum(k - 1, 0)] > other:
                    d.flexelem_open[place + k] = d.flexelem_open[place + k - 1]
                    k -= 1
                d.flexelem_open[place + k] = other
                found += 1
            else:
                for side in range(2):
                    count = push(waiting, count, m.bvh_child[first + box, side], 0)
    return found


@kernel
def collide_tree(m, d, f, how):
    """Find the contacts of the elements of a flex with each other by pairs of boxes of its tree."""
    margin = flexes_margin(m, f, f)
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
        elif aligned_boxes_meet(d.bvh_aabb_dyn, box, d.bvh_aabb_dyn, other_box, margin):
            if e1 >= 0 and e2 >= 0:
                collide_elements(m, d, f, e1, f, e2, margin, how)
            else:
                halves_first = e2 >= 0 or (e1 < 0 and rank(d.bvh_aabb_dyn, box) > rank(d.bvh_aabb_dyn, other_box))
                for side in range(2):
                    child = m.bvh_child[first + where(halves_first, a, b), side]
                    count = push(waiting, count, where(halves_first, child, a), where(halves_first, b, child))


@kernel
def sweep_elements(m, d, f, how):
    """Find the contacts of the elements of a flex with each other by a sweep along the longest side of its box."""
    root = m.flex_bvhadr[f] - m.nbvhstatic
    axis = largest_axis(load(vec3, d.bvh_aabb_dyn, (root, 3)))
    margin = flexes_margin(m, f, f)
    row = sort_elements(m, d, f, axis, margin)
    first = m.flex_elemadr[f]
    bound_elements(m, d, f, axis, row, margin)
    done = 0
    for place in range(m.flex_elemnum[f]):
        # those that end before it are done, as far as none that does not comes before them
        begin = d.flexelem_begin[first + d.flexelem_order[row, first + place]]
        while done < place and d.flexelem_bound[0, first + done] < begin:
            done += 1
        sweep_before(m, d, f, row, place, done, margin, how)


@kernel
def bound_elements(m, d, f, axis, row, margin):
    """Where the sorted elements of a flex end along the axis of the sweep, and reach along the other two.

    What rounding may add is added: boxes that are within the margin meet by these bounds, too.
    """
    first = m.flex_elemadr[f]
    for place in range(m.flex_elemnum[f]):
        e = d.flexelem_order[row, first + place]
        d.flexelem_bound[0, first + place] = d.flexelem_end[first + e]
        for k in range(2):
            other = (axis + 1 + k) % 3
            middle = d.flexelem_aabb[first + e, other]
            half = d.flexelem_aabb[first + e, 3 + other]
            far = half + ROUNDINGS * m.epsilon * (abs(middle) + half + margin)
            d.flexelem_bound[1 + 2 * k, first + place] = middle - far - margin
            d.flexelem_bound[2 + 2 * k, first + place] = middle + far


@kernel
def sweep_before(m, d, f, row, place, done, margin, how):
    """Find the contacts of the element at a place of the sweep with those before it, from place `done` on."""
    first = m.flex_elemadr[f]
    n = m.nflexelem
    hits = local(real, STRIP)
    e = d.flexelem_order[row, first + place]
    begin = d.flexelem_begin[first + e]
    for block in range(first + done, first + place, STRIP):
        meets = (strip(d.flexelem_bound, block) >= begin) & strips_meet(d.flexelem_bound, n, block, first + place)
        if any(meets):
            put(hits, 0, where(meets, 1.0, 0.0))
            for k in range(block, minimum(block + STRIP, first + place)):
                if hits[k - block] > 0.0:
                    # of equal places those of lower elements come first
                    other = d.flexelem_order[row, k]
                    behind = d.flexelem_end[first + other] - begin
                    if behind > 0.0 or (behind == 0.0 and other > e):
                        collide_elements(m, d, f, other, f, e, margin, how)


@kernel
def sort_elements(m, d, f, axis, margin):
    """Sort the elements of a flex by where their boxes begin; which row of `flexelem_order` has them."""
    first = m.flex_elemadr[f]
    n = m.flex_elemnum[f]
    for e in range(n):
        middle = d.flexelem_aabb[first + e, axis]
        half = d.flexelem_aabb[first + e, 3 + axis]
        d.flexelem_begin[first + e] = middle - half
        d.flexelem_end[first + e] = middle + half + margin
        d.flexelem_order[0, first + e] = e
    return merge_sort(d.flexelem_begin, first, d.flexelem_order, first, first + n, m.nflexelem) // m.nflexelem
