"""Contacts of a capsule with a box: one at the nearest point of its segment, and sometimes a second one on the segment.

Each contact is that of the box with a ball of the capsule's radius, whose center is on the capsule's segment.
The first ball is at the point of the segment that is nearest to the box. This is an end of the segment, above a
face or inside the box, or the point nearest to one of the twelve edges (see `segments`). If the segment extends
along a face or an edge, the second ball is at the last point of the segment that is still over this face or
edge. The order of tests, and the rule for a second ball, are as in MuJoCo. All coordinates are in the frame of
the box. Positions on the segment are parameters from -1 to 1, in units of half its length.
"""

from conjoint.lang import abs, clip, dot, formula, group, kernel, minimum, vec3, where, z_axis
from conjoint.physics.collision.segments import (
    are_crossing,
    by_inverse,
    lines_along,
    nearest_places,
    places_by_products,
)
from conjoint.physics.collision.sphere_solids import keep_box_contact
from conjoint.physics.geometry.matrix import on_axis
from conjoint.physics.geometry.shape import corner_of
from conjoint.schema.constants import SLIGHT, mjMINVAL

EXACT_KERNELS = True


@group
def Line(center, axis, half, length):
    """A segment in the frame of a box: its center, its unit direction, half of its vector, and half of its length."""


NOTHING, INSIDE, FACE, EDGE, CORNER = 0, 1, 2, 3, 4
"""Features of a box that may be nearest to a segment; `INSIDE` means that one end of the segment is inside the box."""

ALONE = -4.0
"""Stand-in for the step to the second ball if there is no second ball."""

NOWHERE = -5.0
"""Stand-in for the step to the second ball if there is no first ball either: the box is too far from the segment."""


@formula("real", "real")
def side_beyond(x):
    """Return the side on which x is outside of [-1, 1], as -1 or 1; 0 if it is inside."""
    return where(x > 1.0, 1.0, where(x < -1.0, -1.0, 0.0))


@kernel
def capsule_box(m, d, capsule, box, margin, dists, points):
    """Find up to two contacts of a capsule and a box."""
    frame = d.geom_xmat[box]
    size = m.geom_size[box]
    radius = m.geom_size[capsule].x
    length = m.geom_size[capsule].y
    center = frame.T @ (d.geom_xpos[capsule] - d.geom_xpos[box])
    axis = frame.T @ z_axis(d.geom_xmat[capsule])
    limit = margin + 2.0 * (radius + length + size.x + size.y + size.z)
    line = Line(center, axis, axis * length, length)
    return line_contacts(m, d, box, line, limit * limit, radius, margin, dists, points)


@kernel
def line_contacts(m, d, box, line, limit, radius, margin, dists, points):
    """Find up to two contacts between a box and a ball that is swept along a segment.

    Argument `limit` is an upper bound of the squared distance between the box and the nearest point of the segment.
    """
    frame = d.geom_xmat[box]
    place, step = ball_places(m.geom_size[box], line, limit)
    if step == NOWHERE:
        return 0
    first = d.geom_xpos[box] + frame @ (line.center + line.half * place)
    n = keep_box_contact(m, d, box, first, radius, margin, dists, points, 0)
    if step > ALONE:
        second = d.geom_xpos[box] + frame @ (line.center + line.half * (place + step))
        n = keep_box_contact(m, d, box, second, radius, margin, dists, points, n)
    return n


@kernel
def ball_places(size, line, limit):
    """Return the position of the first ball on the segment, and the step to the second ball.

    The step is `ALONE` if there is no second ball, `NOWHERE` if there is no ball at all. Argument `limit` is an upper
    bound of the squared distance between the box and the nearest point of the segment.
    """
    center, half = line.center, line.half
    square, place, feature, face = nearest_end(size, center, half, limit)
    edge = 0
    along = 0.0
    corner = 0
    slight = minimum(mjMINVAL, SLIGHT * limit)
    # each edge has an axis, and begins at the corner whose bit for that axis is not set
    for j in range(3):
        way = on_axis(j, size[j])
        lines = lines_along(way, half, size[j] * size[j], line.length * line.length, by_inverse)
        for begin in range(8):
            if (begin & (1 << j)) == 0:
                between = corner_of(size, begin) + way - center
                x, y, last = nearest_places(lines, between, places_by_products)
                end = side_beyond(last)
                gap = between - half * y + way * x
                if are_crossing(lines) and dot(gap, gap) < square - slight:
                    square = dot(gap, gap)
                    place = y
                    edge = j
                    along = x
                    feature = where(end == 0.0, EDGE, CORNER)
                    corner = begin + where(end > 0.0, 1 << j, 0)
    if feature == FACE:
        return place, step_over_face(size, center, half, face, place)
    # axes along which the segment moves away from the corner
    leads = corner ^ (where(half.x > 0.0, 1, 0) + where(half.y > 0.0, 2, 0) + where(half.z > 0.0, 4, 0))
    if feature == EDGE:
        return place, step_from_edge(size, line.axis, half, edge, leads & (7 - (1 << edge)), place, along)
    if feature == CORNER:
        return place, step_from_corner(size, line.axis, half, leads, place)
    return place, where(feature == NOTHING, NOWHERE, ALONE)


@kernel
def nearest_end(size, center, half, limit):
    """Find the end of a segment that is nearer to a box.

    An end outside of several faces is closer to edges, and is skipped. On ties, the lower end is used.

    Returns:
        the squared distance of the end from the box; the end, -1 or 1; the nearest feature of the box; the normal
        axis of the face, if the feature is a face.
    """
    square = limit
    place = 0.0
    feature = NOTHING
    face = 0
    for end in range(-1, 2, 2):
        tip = center + half * (1.0 * end)
        over = tip - vec3(clip(tip.x, -size.x, size.x), clip(tip.y, -size.y, size.y), clip(tip.z, -size.z, size.z))
        faces = where(over.x != 0.0, 1, 0) + where(over.y != 0.0, 1, 0) + where(over.z != 0.0, 1, 0)
        if faces <= 1 and dot(over, over) < square:
            square = dot(over, over)
            place = 1.0 * end
            feature = where(faces == 0, INSIDE, FACE)
            face = where(over.x != 0.0, 0, where(over.y != 0.0, 1, 2))
    return square, place, feature, face


@kernel
def step_over_face(size, center, half, face, place):
    """Return the step from the end at `place` toward the other end, up to where the segment leaves the face."""
    tip = center + half * place
    step = 2.0
    for i in range(3):
        if i != face:
            for side in range(-1, 2, 2):
                way_out = (side * size[i] - tip[i]) / half[i] * -place
                step = where((way_out > 0.0) & (way_out < step), way_out, step)
    return -place * step


@kernel
def step_from_edge(size, axis, half, edge, leads, place, along):
    """Return the step from the segment's point nearest to an edge to the last point over a face next to the edge.

    The point of the edge nearest to the segment is between the ends of the edge. Of the two faces next to the edge, the
    one to which the segment is less steep is used. The step is `ALONE` if the segment does not pass over a face.

    Args:
        size, axis, half: half sizes of the box, direction of the segment, and half of the segment's vector.
        edge: axis of the edge.
        leads: bit set of the axes across the edge along which the segment moves away from the edge.
        place: position on the segment that is nearest to the edge.
        along: position on the edge that is nearest to the segment.
    """
    if leads != 1 and leads != 2 and leads != 4:
        return ALONE
    # the normal axis of that face
    across = (edge + 2) % 3
    if abs(axis[(edge + 1) % 3]) > abs(axis[across]):
        across = (edge + 1) % 3
    ahead = (leads & (1 << across)) != 0
    side = where(ahead, 1.0, -1.0)
    # to the end of the segment, to the opposite edge, or to the end of this edge
    step = minimum(2.0 * size[across] / abs(half[across]), 1.0 - side * place)
    left = where((half[edge] > 0.0) ^ ahead, 1.0 + along, 1.0 - along)
    return side * minimum(size[edge] * left / abs(half[edge]), step)


@kernel
def step_from_corner(size, axis, half, leads, place):
    """Return the step from a corner along an edge or over a face; `ALONE` if the segment points toward the corner.

    Args:
        size, axis, half: half sizes of the box, direction of the segment, and half of the segment's vector.
        leads: bit set of the axes along which the segment moves away from the corner.
        place: position on the segment that is nearest to the corner.
    """
    if leads == 0 or leads == 7:
        return ALONE
    # one axis differs from the other two
    single = leads == 1 or leads == 2 or leads == 4
    bit = where(single, leads, 7 - leads)
    side = where(single, 1.0, -1.0)
    k = bit // 2
    if axis[k] * axis[k] > 0.5:
        return side * minimum(2.0 * size[k] / abs(half[k]), 1.0 - side * place)
    i = (k + 1) % 3
    j = (k + 2) % 3
    step = minimum(2.0 * size[i] / abs(half[i]), 1.0 + side * place)
    return -side * minimum(2.0 * size[j] / abs(half[j]), step)
