"""Contacts of two boxes: the axis along which they overlap least, and where the features meet that face each other.

Boxes are apart if one of fifteen axes separates them: the normals of their faces, and the cross products of their
edges (Gottschalk, Lin & Manocha, OBBTree, SIGGRAPH 1996). Where they overlap least, a face of one meets the other, or
two edges meet. Which of equal axes is taken, and which contacts are left out, is as in the official engine.
"""

from conjoint.lang import abs, kernel, local, sqrt, vec3, where
from conjoint.physics.collision.box_edges import edge_contacts
from conjoint.physics.collision.box_faces import face_contacts
from conjoint.physics.collision.found import VECTORS
from conjoint.schema.constants import mjMAXCONPAIR, mjMAXVAL, mjMINVAL

APART = -1
SECOND = 6
EDGES = 12
"""Axes by number: the upper and lower faces of the first box, those of the second, and 3 * edge + edge."""

NEARLY_ONE = 1.0 - 1e-12
"""Factor by which edges must overlap less than what was found before them."""

BEYOND = 1.01
"""Contacts this far outside of a box, relative to its size, are not good."""


@kernel(per_world=True, exact=True)
def box_box(m, d, g1, g2, margin, dists, points):
    """Up to eight contacts, in some positions more."""
    pos1 = d.geom_xpos[g1]
    pos2 = d.geom_xpos[g2]
    frame1 = d.geom_xmat[g1]
    frame2 = d.geom_xmat[g2]
    size1 = m.geom_size[g1]
    size2 = m.geom_size[g2]
    # each box in the frame of the other
    turn = frame1.T @ frame2
    to_second = frame1.T @ (pos2 - pos1)
    to_first = frame2.T @ (pos1 - pos2)
    axis = least_overlap(turn, to_second, to_first, size1, size2, margin)
    n = 0
    if axis >= EDGES:
        n = edge_contacts(axis - EDGES, turn, to_second, size1, size2, pos1, frame1, margin, dists, points)
    elif axis >= SECOND:
        axis -= SECOND
        n = face_contacts(axis, turn.T, to_first, size2, size1, pos2, frame2, -1.0, margin, dists, points)
    elif axis != APART:
        n = face_contacts(axis, turn, to_second, size1, size2, pos1, frame1, 1.0, margin, dists, points)
    return keep_good(n, pos1, frame1, size1, pos2, frame2, size2, margin, dists, points)


@kernel(exact=True)
def face_overlap(row, between, size, other):
    """How far a box reaches into another along the normal of a face.

    Args:
        row: direction of the normal in the frame of the other box.
        between: position of the other box along it.
        size: half size of this box along it.
        other: half sizes of the other box.
    """
    return -abs(between) + size + (abs(row.x) * other.x + abs(row.y) * other.y + abs(row.z) * other.z)


@kernel(exact=True)
def edge_overlap(first, second, x, y, size_x, size_y, size_1, part_1, size_2, part_2):
    """How far boxes overlap along the cross product of an edge of each; mjMAXVAL if the edges are parallel.

    Args:
        first, second: parts of the second edge along the axes after the first one.
        x, y: position of the second box along these axes.
        size_x, size_y: half sizes of the first box along them.
        size_1, size_2: half sizes of the second box along its other axes.
        part_1, part_2: how much of the first edge lies along the axis that is neither its own nor these.
    """
    length = sqrt(first * first + second * second)
    inverse = 1.0 / length
    a = -second * inverse
    b = first * inverse
    overlap = size_x * abs(a) + size_y * abs(b) + size_1 * abs(part_1) / length + size_2 * abs(part_2) / length
    return where(length < mjMINVAL, mjMAXVAL, overlap - abs(x * a + y * b))


@kernel(per_world=True, exact=True)
def least_overlap(turn, to_second, to_first, size1, size2, margin):
    """Number of the axis along which two boxes overlap least; `APART` if they are farther apart than the margin."""
    least = mjMAXVAL
    axis = APART
    for i in range(3):
        row = vec3(turn[3 * i], turn[3 * i + 1], turn[3 * i + 2])
        column = vec3(turn[i], turn[3 + i], turn[6 + i])
        first = face_overlap(row, to_second[i], size1[i], size2)
        second = face_overlap(column, to_first[i], size2[i], size1)
        if first < -margin or second < -margin:
            return APART
        if first < least:
            least = first
            axis = i + where(to_second[i] < 0.0, 3, 0)
        if second < least:
            least = second
            axis = SECOND + i + where(to_first[i] < 0.0, 3, 0)
    for i in range(3):
        j = (i + 1) % 3
        k = (i + 2) % 3
        for e in range(3):
            # the axes of the second box that are not its edge, in ascending order
            p = where(e == 0, 1, 0)
            q = where(e == 2, 1, 2)
            overlap = edge_overlap(
                turn[3 * j + e], turn[3 * k + e], to_second[j], to_second[k], size1[j], size1[k],
                size2[p], turn[3 * i + q], size2[q], turn[3 * i + p],
            )  # fmt: skip
            if overlap < -margin:
                return APART
            if overlap < least * NEARLY_ONE:
                least = overlap
                axis = EDGES + 3 * i + e
    return axis


@kernel(per_world=True, exact=True)
def keep_good(n, pos1, frame1, size1, pos2, frame2, size2, margin, dists, points):
    """Leave out contacts that are outside of a box and not well inside of the other, and those repeated later."""
    good = local(int, mjMAXCONPAIR)
    for i in range(n):
        pos = points[VECTORS * i]
        first = outside_box(frame1.T @ (pos - pos1), size1, margin)
        second = outside_box(frame2.T @ (pos - pos2), size2, margin)
        good[i] = where((first == 1 and second != -1) or (second == 1 and first != -1), 0, 1)
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
