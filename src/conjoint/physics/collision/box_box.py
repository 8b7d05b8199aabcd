"""Contacts of two boxes: the axis along which they overlap least, and where the features meet that face each other.

Boxes are apart if one of fifteen axes separates them: the normals of their faces, and the cross products of their
edges (Gottschalk, Lin & Manocha, OBBTree, SIGGRAPH 1996). Where they overlap least, a face of one meets the other, or
two edges meet. Which of equal axes is taken, and which contacts are left out, is as in the official engine.
"""

from conjoint.lang import abs, formula, kernel, local, mul_mat_vec, row0, row1, row2, vec3, where
from conjoint.physics.collision.box_edges import edge_contacts
from conjoint.physics.collision.box_faces import face_contacts
from conjoint.physics.collision.found import VECTORS
from conjoint.physics.collision.rounding import exact_product, unit_in_plane
from conjoint.schema.constants import mjMAXCONPAIR, mjMAXVAL, mjMINVAL

APART = -1
SECOND = 6
EDGES = 12
"""Axes by number: the upper and lower faces of the first box, those of the second, and 3 * edge + edge."""

NEARLY_ONE = 1.0 - 1e-12
"""Factor by which edges must overlap less than what was found before them."""

BEYOND = 1.01
"""Contacts this far outside of a box, relative to its size, are not good."""


@kernel(per_world=True)
def box_box(m, d, g1, g2, margin, dists, points):
    """Up to eight contacts, in some positions more."""
    pos1 = d.geom_xpos[g1]
    pos2 = d.geom_xpos[g2]
    frame1 = d.geom_xmat[g1]
    frame2 = d.geom_xmat[g2]
    size1 = m.geom_size[g1]
    size2 = m.geom_size[g2]
    # each box in the frame of the other
    turn = exact_product(frame1.T, frame2)
    to_second = mul_mat_vec(frame1.T, pos2 - pos1)
    to_first = mul_mat_vec(frame2.T, pos1 - pos2)
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


@formula("vec3", "mat3", "vec3", "vec3", "vec3", exact=True)
def face_overlaps(turn, between, size, other):
    """How far a box reaches into another along the normals of its faces.

    Args:
        turn: axes of the other box in the frame of this one, as columns.
        between: its position there.
        size: of this box.
        other: of the other box.
    """
    reach = mul_mat_vec([abs(x) for x in turn], other)
    return tuple(-abs(between[i]) + size[i] + reach[i] for i in range(3))


@formula("vec3", "vec3", "vec3", "vec3", "real", "real", "real", "real", "vec3", exact=True)
def edge_overlaps(along, first, second, x, y, size_x, size_y, other):
    """How far boxes overlap along the cross products of one edge with the three edges of the other box.

    Args:
        along, first, second: the edge and the two axes after it, in the frame of the other box.
        x, y: position of the other box along these two axes.
        size_x, size_y: half sizes along them.
        other: half sizes of the other box.
    """
    overlaps = []
    for j in range(3):
        length, a, b = unit_in_plane(-second[j], first[j])
        overlap = size_x * abs(a) + size_y * abs(b)
        for k in range(3):
            if k != j:
                overlap = overlap + other[k] * abs(along[3 - k - j]) / length
        overlaps.append(where(length < mjMINVAL, mjMAXVAL, overlap - abs(x * a + y * b)))
    return tuple(overlaps)


@kernel(per_world=True)
def least_overlap(turn, to_second, to_first, size1, size2, margin):
    """Number of the axis along which two boxes overlap least; `APART` if they are farther apart than the margin."""
    least = mjMAXVAL
    axis = APART
    first = face_overlaps(turn, to_second, size1, size2)
    second = face_overlaps(turn.T, to_first, size2, size1)
    for i in range(3):
        if first[i] < -margin or second[i] < -margin:
            return APART
        if first[i] < least:
            least = first[i]
            axis = i + where(to_second[i] < 0.0, 3, 0)
        if second[i] < least:
            least = second[i]
            axis = SECOND + i + where(to_first[i] < 0.0, 3, 0)
    rows = local(vec3, 3)
    rows[0] = row0(turn)
    rows[1] = row1(turn)
    rows[2] = row2(turn)
    for i in range(3):
        j = (i + 1) % 3
        k = (i + 2) % 3
        overlap = edge_overlaps(rows[i], rows[j], rows[k], to_second[j], to_second[k], size1[j], size1[k], size2)
        for e in range(3):
            if overlap[e] < -margin:
                return APART
            if overlap[e] < least * NEARLY_ONE:
                least = overlap[e]
                axis = EDGES + 3 * i + e
    return axis


@kernel(per_world=True)
def keep_good(n, pos1, frame1, size1, pos2, frame2, size2, margin, dists, points):
    """Leave out contacts that are outside of a box and not well inside of the other, and those repeated later."""
    good = local(int, mjMAXCONPAIR)
    for i in range(n):
        pos = points[VECTORS * i]
        first = outside_box(mul_mat_vec(frame1.T, pos - pos1), size1, margin)
        second = outside_box(mul_mat_vec(frame2.T, pos - pos2), size2, margin)
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


@kernel(per_world=True)
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
