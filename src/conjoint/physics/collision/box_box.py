"""Contacts of two boxes: the axis along which they overlap least, and the two faces that meet there.

Boxes are apart if one of fifteen axes separates them: the normals of the faces of both, and the cross products of an
edge of each (Gottschalk, Lin & Manocha, OBBTree, SIGGRAPH 1996). Along a unit vector n, a box with axes a_k and half
sizes s_k reaches sum |n . a_k| s_k from its center. Two boxes overlap by what both reach, less the distance of their
centers along n.

Let T have the axes of the second box as columns, in the frame of the first. The cross product of edges i and j is
e_i x T e_j in the frame of the first box, and T' e_i x e_j in that of the second. It is as long as the sine of their
angle. Two of its parts in each frame are not zero, and these are elements of T but for their sign.

The axis of least overlap is the shortest way apart. If it is the normal of a face, that is the reference face, and the
incident face is the lowest of the other box. If it is a cross product, both faces are at the edges that meet: of the
two faces at an edge the one that is turned more to the axis. `box_faces` clips one against the other.
"""

from conjoint.lang import (
    abs,
    cross,
    dot,
    formula,
    group,
    kernel,
    local,
    mat3,
    maximum,
    minimum,
    norm,
    sqrt,
    vec3,
    where,
)
from conjoint.physics.collision.box_faces import FACE, clip_face, face_frame, set_face_at_edge, set_lowest_face
from conjoint.physics.collision.contact_candidates import VECTORS, keep
from conjoint.physics.geometry.matrix import column, on_axis
from conjoint.physics.geometry.shape import face_overlaps, reach
from conjoint.physics.official.box_corners import side_of_edge, told_depth
from conjoint.schema.constants import mjMAXCONPAIR, mjMAXVAL, mjMINVAL

EXACT_KERNELS = True

APART = -1
SECOND = 6
EDGES = 12
"""Axes by number: the upper and lower faces of the first box, those of the second, and 3 * edge + edge."""

NEARLY_ONE = 1.0 - 1e-12
"""Factor by which edges must overlap less than what was found before them."""

NEARLY_PARALLEL = 1e-20
"""Square of the sine of the angle between edges up to which their axis is not looked at before its length is known."""

ROUNDING = 1e-12
"""Error of overlaps, relative to the sizes, which those not yet divided by a length must exceed."""

TOO_DEEP = 2.0
"""Contacts that are deeper than this, relative to how far boxes overlap that meet with edges, are left out."""

NOT_DEEP = 0.1
"""Good contacts hold boxes back if they are at least this deep, relative to the deepest of all."""

BEYOND = 1.01
"""Contacts this far outside of a box, relative to its size, are not good."""


@group
def Boxes(size, axes, center, other):
    """Half sizes of a box, axes (columns) and centre of another one in its frame, and half sizes of that."""


@formula("mat3", "mat3")
def edge_lengths(turn):
    """Squares of the lengths of the cross products of edges."""
    pairs = [(turn[3 * ((i + 1) % 3) + j], turn[3 * ((i + 2) % 3) + j]) for i in range(3) for j in range(3)]
    return tuple(a * a + b * b for a, b in pairs)


@formula("mat3", "mat3", "vec3", "vec3", "vec3", "mat3")
def edge_overlaps(turn, between, size1, size2, lengths):
    """Overlaps along the cross products of edges, divided by their lengths."""
    overlaps = []
    for i in range(3):
        for j in range(3):
            p, q = (i + 1) % 3, (i + 2) % 3
            inverse = 1.0 / lengths[3 * i + j]
            along_p, along_q = -turn[3 * q + j] * inverse, turn[3 * p + j] * inverse
            overlap = size1[p] * abs(along_p) + size1[q] * abs(along_q)
            for k in range(3):
                if k != j:
                    overlap = overlap + size2[k] * abs(turn[3 * i + 3 - k - j]) / lengths[3 * i + j]
            overlaps.append(overlap - abs(between[p] * along_p + between[q] * along_q))
    return tuple(overlaps)


@formula("mat3", "mat3")
def roots(squares):
    """Square roots of all elements."""
    return tuple(sqrt(square) for square in squares)


@kernel
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
    if not minimum(first.x, minimum(first.y, first.z)) >= -margin:
        return APART
    to_first = frame2.T @ -between
    second = face_overlaps(turn.T, to_first, size2, size1)
    if not minimum(second.x, minimum(second.y, second.z)) >= -margin:
        return APART
    axis = 0
    least = mjMAXVAL
    for i in range(3):
        axis = where(first[i] < least, where(to_second[i] < 0.0, i + 3, i), axis)
        least = minimum(least, first[i])
        axis = where(second[i] < least, SECOND + where(to_first[i] < 0.0, i + 3, i), axis)
        least = minimum(least, second[i])
    return edge_axis(turn, to_second, size1, size2, margin, least, axis)


@kernel
def edge_axis(turn, between, size1, size2, margin, least, axis):
    """Number of the axis of least overlap; of the faces `axis` is that, with the overlap `least`."""
    # most pairs that are apart are so without a root: lengths are one at most, and divided by them gaps only grow
    squares = edge_lengths(turn)
    overlaps = edge_overlaps(turn, between, size1, size2, mat3(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0))
    limit = -margin - ROUNDING * (size1.x + size1.y + size1.z + size2.x + size2.y + size2.z)
    for k in range(9):
        axis = where((squares[k] > NEARLY_PARALLEL) & (overlaps[k] < limit), APART, axis)
    if axis == APART:
        return APART
    lengths = roots(squares)
    overlaps = edge_overlaps(turn, between, size1, size2, lengths)
    for k in range(9):
        # edges that are parallel have no cross product
        crossing = (lengths[k] >= mjMINVAL) & (axis != APART)
        less = crossing & (overlaps[k] < least * NEARLY_ONE)
        least = where(less, overlaps[k], least)
        axis = where(less, EDGES + k, axis)
        axis = where(crossing & (overlaps[k] < -margin), APART, axis)
    return axis


@kernel
def edge_normals(i, j, turn, between):
    """Unit vector across edges i and j from the first box to the second, in the frame of each."""
    in_first = cross(on_axis(i, 1.0), column(turn, j))
    in_second = cross(column(turn.T, i), on_axis(j, 1.0)) + side_of_edge(j)
    inverse = 1.0 / norm(in_first)
    if dot(between, in_first) < 0.0:
        inverse = -inverse
    return in_first * inverse, in_second * inverse


@kernel
def face_of_edge(edge, way):
    """Axis of the face at an edge from which another edge leads away least; of equal ones as in the official engine."""
    face = where(edge == 2, 0, 2)
    other = 3 - edge - face
    return where(abs(way[other]) < abs(way[face]), other, face)


@kernel(one_by_one="together 0.67 of the speed (rings)")
def box_box(m, d, g1, g2, margin, dists, points):
    """Up to eight contacts, in some positions more."""
    return box_contacts(m, d, g1, g2, box_axis(m, d, g1, g2, margin), margin, sqrt(m.epsilon), dists, points)


@kernel
def box_contacts(m, d, g1, g2, axis, margin, slack, dists, points):
    """Contacts along the axis of least overlap; `slack` is what rounding does to overlaps, relative to the sizes."""
    if axis == APART:
        return 0
    edges = axis >= EDGES
    of_second = axis >= SECOND and not edges
    first = where(of_second, g2, g1)
    second = where(of_second, g1, g2)
    frame = d.geom_xmat[first]
    turn = frame.T @ d.geom_xmat[second]
    boxes = Boxes(m.geom_size[first], turn, frame.T @ (d.geom_xpos[second] - d.geom_xpos[first]), m.geom_size[second])
    spots = local(vec3, mjMAXCONPAIR)
    if edges:
        n, rotation, normal = clip_at_edges(boxes, axis - EDGES, margin, slack, dists, spots)
    else:
        n, rotation, normal = clip_at_faces(boxes, axis, margin, dists, spots)
    # what is kept, in the world
    good = local(int, mjMAXCONPAIR)
    seen = seen_from_face(boxes, rotation)
    judge(n, spots, dists, seen, margin, good)
    for k in range(n):
        dists[k] = told_depth(dists[k], edges)
        spots[k] = vec3(spots[k].x, spots[k].y, spots[k].z + seen.size.z)
    frame = frame @ rotation.T
    normal = frame @ normal * where(of_second, -1.0, 1.0)
    return write_good(n, spots, good, d.geom_xpos[first], frame, normal, dists, points)


@kernel
def seen_from_face(boxes, rotation):
    """Two boxes in the frame of the reference face, whose origin is in its middle."""
    half = rotation @ boxes.size
    half = vec3(abs(half.x), abs(half.y), abs(half.z))
    return Boxes(half, rotation @ boxes.axes, rotation @ boxes.center - vec3(0.0, 0.0, half.z), boxes.other)


@kernel
def clip_at_faces(boxes, axis, margin, dists, spots):
    """Contacts at a face of the first box.

    Returns:
        how many; the rotation to the frame of the reference face; the normal in that frame.
    """
    face = local(vec3, FACE)
    rotation = face_frame(axis % 3, axis % SECOND > 2)
    seen = seen_from_face(boxes, rotation)
    count = set_lowest_face(seen.axes, seen.center, seen.other, face)
    n = clip_face(face, count, seen.size, 1.0, False, margin, dists, spots)
    return n, rotation, vec3(0.0, 0.0, 1.0)


@kernel
def clip_at_edges(boxes, pair, margin, slack, dists, spots):
    """Contacts where two edges meet, 3 * edge + edge; what `clip_at_faces` returns."""
    i = pair // 3
    j = pair % 3
    face = local(vec3, FACE)
    normal, normals = edge_normals(i, j, boxes.axes, boxes.center)
    overlap = reach(normal, boxes.size) + reach(normals, boxes.other) - dot(boxes.center, normal)
    number = face_of_edge(i, column(boxes.axes, j))
    opposite = face_of_edge(j, column(boxes.axes.T, i))
    rotation = face_frame(number, normal[number] <= 0.0)
    seen = seen_from_face(boxes, rotation)
    normal = rotation @ normal
    set_face_at_edge(j, opposite, normals, seen.axes, seen.center, seen.other, normal, face)
    n = clip_face(face, 2, seen.size, 1.0 / normal.z, True, margin, dists, spots)
    n = drop_impossible(n, overlap, slack * (norm(boxes.size) + norm(boxes.other)), dists, spots)
    return n, rotation, normal


@kernel
def drop_impossible(n, overlap, slack, dists, spots):
    """Leave out contacts far deeper than boxes overlap that meet with edges; one stays, no deeper.

    Corners beside the other face are as far from it as they are from its rim, which may be as far as a box is thick.
    """
    deepest = -TOO_DEEP * maximum(overlap, 0.0) - slack
    kept = 0
    for i in range(n):
        if dists[i] >= deepest:
            dists[kept] = dists[i]
            spots[kept] = spots[i]
            kept += 1
    if kept == 0 and n > 0:
        dists[0] = -overlap
        kept = 1
    return kept


@kernel
def judge(n, spots, dists, boxes, margin, good):
    """Set `good` to 1 for contacts that are not outside of one box, or well inside of the other; to 0 for others.

    A corner that has passed through a thin box makes a contact beyond it. Where only such contacts would push it out,
    all that overlap stay.
    """
    least = 0.0
    least_good = 0.0
    for i in range(n):
        first = outside_box(spots[i] + vec3(0.0, 0.0, boxes.size.z), boxes.size, margin)
        second = outside_box(boxes.axes.T @ (spots[i] - boxes.center), boxes.other, margin)
        good[i] = where((first == 1 and second != -1) or (second == 1 and first != -1), 0, 1)
        least = minimum(least, dists[i])
        least_good = where(good[i] == 1, minimum(least_good, dists[i]), least_good)
    if least < 0.0 and least_good > NOT_DEEP * least:
        for i in range(n):
            good[i] = where(dists[i] < 0.0, 1, good[i])


@kernel
def outside_box(point, size, margin):
    """1 if a point in the frame of a box is well outside of it and its margin, -1 if well inside, 0 if neither."""
    x = abs(point.x) / (size.x + margin)
    y = abs(point.y) / (size.y + margin)
    z = abs(point.z) / (size.z + margin)
    far = maximum(x, maximum(y, z))
    return where(far > BEYOND, 1, where(far < 1.0 / BEYOND, -1, 0))


@kernel
def write_good(n, spots, good, pos, frame, normal, dists, points):
    """Write the good contacts; of those in the same place, the last."""
    for i in range(n):
        points[VECTORS * i] = pos + frame @ spots[i]
    kept = 0
    for i in range(n):
        place = points[VECTORS * i]
        for k in range(i + 1, n):
            later = points[VECTORS * k]
            if good[k] == 1 and place.x == later.x and place.y == later.y and place.z == later.z:
                good[i] = 0
        if good[i] == 1:
            kept = keep(dists, points, kept, dists[i], place, normal)
    return kept
