"""Contacts of two boxes: the axis along which they overlap least, and where the features meet that face each other.

Boxes are apart if one of fifteen axes separates them: the normals of their faces, and the cross products of their
edges (Gottschalk, Lin & Manocha, OBBTree, SIGGRAPH 1996). Where they overlap least, a face of one meets the other, or
two edges meet. Which of equal axes is taken, and which contacts are left out, is as in the official engine.
"""

from conjoint.lang import abs, any, kernel, local, minimum, row0, row1, row2, sqrt, vec3, where
from conjoint.physics.collision.box_edges import edge_contacts
from conjoint.physics.collision.box_faces import face_contacts
from conjoint.physics.collision.contact_candidates import VECTORS
from conjoint.physics.shape import reach
from conjoint.schema.constants import mjMAXCONPAIR, mjMAXVAL, mjMINVAL

APART = -1
SECOND = 6
EDGES = 12
"""Axes by number: the upper and lower faces of the first box, those of the second, and 3 * edge + edge."""

NEARLY_ONE = 1.0 - 1e-12
"""Factor by which edges must overlap less than what was found before them."""

NEARLY_PARALLEL = 1e-20
"""Square of the sine of the angle between edges of which it is left to `least_of_edges` whether they separate boxes."""

NOT_DEEP = 0.1
"""Good contacts hold boxes back if they are at least this deep, relative to the deepest of all."""

BEYOND = 1.01
"""Contacts this far outside of a box, relative to its size, are not good."""


@kernel(exact=True)
def face_overlaps(turn, between, size, other):
    """How far a box reaches into another along the normals of its faces.

    Args:
        turn: axes of the other box in the frame of this one, as columns.
        between: its position there.
        size: half sizes of this box.
        other: half sizes of the other box.
    """
    x = -abs(between.x) + size.x + reach(row0(turn), other)
    y = -abs(between.y) + size.y + reach(row1(turn), other)
    z = -abs(between.z) + size.z + reach(row2(turn), other)
    return vec3(x, y, z)


@kernel
def edges_part(margin, row, first, second, x, y, size_x, size_y, other):
    """Whether a cross product of one edge with those of the other box surely separates them; see `least_of_edges`.

    The products are as long as the sine of the angle between the edges, at most one, which spares the roots.
    """
    apart = margin < -mjMAXVAL
    for e in range(3):
        reach = size_x * abs(second[e]) + size_y * abs(first[e])
        for k in range(3):
            if k != e:
                reach = reach + other[k] * abs(row[3 - k - e])
        between = abs(y * first[e] - x * second[e])
        crossing = first[e] * first[e] + second[e] * second[e] > NEARLY_PARALLEL
        apart = apart | (crossing & (between * NEARLY_ONE - reach > margin))
    return apart


@kernel(exact=True)
def least_of_edges(least, axis, margin, number, row, first, second, x, y, size_x, size_y, other):
    """Axis of least overlap so far, or a cross product of one edge with those of the other box.

    Args:
        least, axis: the least overlap before, and its axis; `APART` if the boxes are apart.
        margin: distance below which they are not (m).
        number: of the edge.
        row, first, second: its axis and the two after it, in the frame of the other box.
        x, y: position of the other box along these two.
        size_x, size_y: half sizes along them.
        other: half sizes of the other box.

    Returns:
        least overlap, axis.
    """
    for e in range(3):
        length = sqrt(first[e] * first[e] + second[e] * second[e])
        inverse = 1.0 / length
        a = -second[e] * inverse
        b = first[e] * inverse
        overlap = size_x * abs(a) + size_y * abs(b)
        for k in range(3):
            if k != e:
                overlap = overlap + other[k] * abs(row[3 - k - e]) / length
        overlap = overlap - abs(x * a + y * b)
        # edges that are parallel have no cross product
        crossing = length >= mjMINVAL
        less = crossing & (overlap < least * NEARLY_ONE) & (axis != APART)
        least = where(less, overlap, least)
        axis = where(less, EDGES + 3 * number + e, axis)
        axis = where(crossing & (overlap < -margin), APART, axis)
    return least, axis


@kernel(exact=True)
def box_axis(m, d, g1, g2, margin):
    """Number of the axis along which two boxes overlap least; `APART` if they are farther apart than the margin."""
    between = d.geom_xpos[g2] - d.geom_xpos[g1]
    frame1 = d.geom_xmat[g1]
    frame2 = d.geom_xmat[g2]
    size1 = m.geom_size[g1]
    size2 = m.geom_size[g2]
    turn = frame1.T @ frame2
    to_second = frame1.T @ between
    first = face_overlaps(turn, to_second, size1, size2)
    alive = minimum(first.x, minimum(first.y, first.z)) >= -margin
    axis = where(alive, 0, APART)
    if any(alive):
        to_first = frame2.T @ -between
        second = face_overlaps(turn.T, to_first, size2, size1)
        alive = alive & (minimum(second.x, minimum(second.y, second.z)) >= -margin)
        axis = where(alive, 0, APART)
        if any(alive):
            least = mjMAXVAL
            for i in range(3):
                axis = where(alive & (first[i] < least), where(to_second[i] < 0.0, i + 3, i), axis)
                least = minimum(least, first[i])
                axis = where(alive & (second[i] < least), SECOND + where(to_first[i] < 0.0, i + 3, i), axis)
                least = minimum(least, second[i])
            axis = edge_axis(turn, to_second, size1, size2, margin, least, axis)
    return axis


@kernel(exact=True)
def edge_axis(turn, between, size1, size2, margin, least, axis):
    """Number of the axis of least overlap; of the faces `axis` is that, with the overlap `least`."""
    x = row0(turn)
    y = row1(turn)
    z = row2(turn)
    t = between
    s = size1
    apart = edges_part(margin, x, y, z, t.y, t.z, s.y, s.z, size2)
    apart = apart | edges_part(margin, y, z, x, t.z, t.x, s.z, s.x, size2)
    apart = apart | edges_part(margin, z, x, y, t.x, t.y, s.x, s.y, size2)
    axis = where(apart, APART, axis)
    if any(axis != APART):
        least, axis = least_of_edges(least, axis, margin, 0, x, y, z, t.y, t.z, s.y, s.z, size2)
        least, axis = least_of_edges(least, axis, margin, 1, y, z, x, t.z, t.x, s.z, s.x, size2)
        least, axis = least_of_edges(least, axis, margin, 2, z, x, y, t.x, t.y, s.x, s.y, size2)
    return axis


@kernel(per_world=True)
def box_box(m, d, g1, g2, margin, dists, points):
    """Up to eight contacts, in some positions more."""
    return box_contacts(m, d, g1, g2, box_axis(m, d, g1, g2, margin), margin, sqrt(m.epsilon), dists, points)


@kernel(per_world=True, exact=True)
def box_contacts(m, d, g1, g2, axis, margin, slack, dists, points):
    """Contacts along the axis of least overlap; see `edge_contacts` for `slack`."""
    pos1 = d.geom_xpos[g1]
    pos2 = d.geom_xpos[g2]
    frame1 = d.geom_xmat[g1]
    frame2 = d.geom_xmat[g2]
    size1 = m.geom_size[g1]
    size2 = m.geom_size[g2]
    turn = frame1.T @ frame2
    to_second = frame1.T @ (pos2 - pos1)
    n = 0
    if axis >= EDGES:
        n = edge_contacts(axis - EDGES, turn, to_second, size1, size2, pos1, frame1, margin, slack, dists, points)
    elif axis >= SECOND:
        to_first = frame2.T @ (pos1 - pos2)
        axis -= SECOND
        n = face_contacts(axis, turn.T, to_first, size2, size1, pos2, frame2, -1.0, margin, dists, points)
    elif axis != APART:
        n = face_contacts(axis, turn, to_second, size1, size2, pos1, frame1, 1.0, margin, dists, points)
    return keep_good(n, pos1, frame1, size1, pos2, frame2, size2, margin, dists, points)


@kernel(per_world=True, exact=True)
def keep_good(n, pos1, frame1, size1, pos2, frame2, size2, margin, dists, points):
    """Leave out contacts that are outside of a box and not well inside of the other, and those repeated later.

    A corner that has passed through a thin box makes a contact beyond it. Where only such contacts would push it out,
    all that overlap stay.
    """
    good = local(int, mjMAXCONPAIR)
    least = 0.0
    least_good = 0.0
    for i in range(n):
        least = minimum(least, dists[i])
        pos = points[VECTORS * i]
        first = outside_box(frame1.T @ (pos - pos1), size1, margin)
        second = outside_box(frame2.T @ (pos - pos2), size2, margin)
        good[i] = where((first == 1 and second != -1) or (second == 1 and first != -1), 0, 1)
        least_good = where(good[i] != 0, minimum(least_good, dists[i]), least_good)
    if least < 0.0 and least_good > NOT_DEEP * least:
        for i in range(n):
            good[i] = where(dists[i] < 0.0, 1, good[i])
    kept = 0
    for i in range(n):
        pos = points[VECTORS * i]
        for k in range(i + 1, n):
            other = points[VECTORS * k]
            if good[k] != 0 and pos.x == other.x and pos.y == other.y and pos.z == other.z:
                good[i] = 0
        if good[i] != 0:
            dists[kept] = dists[i]
            for k in range(VECTORS):
                points[VECTORS * kept + k] = points[VECTORS * i + k]
            kept += 1
    return kept


@kernel(per_world=True, exact=True)
def outside_box(point, size, margin):
    """1 if a point in the frame of a box is well outside of it and its margin, -1 if well inside, 0 if neither."""
    far = vec3(abs(point.x), abs(point.y), abs(point.z))
    x = size.x + margin
    y = size.y + margin
    z = size.z + margin
    if far.x > x * BEYOND or far.y > y * BEYOND or far.z > z * BEYOND:
        return 1
    if far.x < x / BEYOND and far.y < y / BEYOND and far.z < z / BEYOND:
        return -1
    return 0
