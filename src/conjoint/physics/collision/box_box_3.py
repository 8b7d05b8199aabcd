"""Contacts of two boxes as in MuJoCo 3.3.5: two faces are clipped against each other, even if edges meet.

If the axis of least overlap is a normal, the face across it is the reference face, and the incident face is the lowest
of the other box. If it is a cross product, both faces are at the edges that meet: at each edge, the face whose normal
is nearer to the axis.

The reference face is a rectangle about the origin of its own frame, with z outwards. The incident face is a
parallelogram in that frame, or only an edge or a corner of one. Along the contact normal it casts a shadow on the plane
of the reference face: a parallelogram again. Both overlap in a polygon. Its corners are found kind by kind, in the
order of MuJoCo 3.3.5, which finds some of them twice, and misses others on a border:

1. A side of the shadow, start + place way, crosses a side of the rectangle: x or y is half a size there, which gives
   the place. It counts from 0 to 1, if the other coordinate is within the rectangle.
2. A corner of the rectangle is within the shadow: corner + u first + v second = spot, by Cramer's rule, with u and v
   from 0 to 1.
3. A corner of the shadow is within the rectangle.

Each makes a pair of points, one on either face. The contact is halfway between them, and as deep as they are apart.
"""

from dataclasses import replace

from conjoint.lang import abs, clip, dot, kernel, local, mat3, maximum, minimum, norm, vec3, where
from conjoint.physics.collision.boxes import (
    BoxEdition,
    Boxes,
    box_box,
    edge_normals,
    rotated,
)
from conjoint.physics.collision.contact_candidates import VECTORS, collider_by
from conjoint.physics.geometry.matrix import column
from conjoint.physics.geometry.shape import reach
from conjoint.physics.official.box_corners import lost_determinant, reported_distance
from conjoint.schema.constants import mjMAXVAL, mjMINVAL

EXACT_KERNELS = True

NEARLY_ONE = 1.0 - 1e-12
"""Factor by which the overlap of edges must be below the least overlap so far; a larger gap wins by the same factor."""

TOO_DEEP = 2.0
"""Largest depth of contacts, relative to the overlap of boxes that meet at edges; deeper ones are dropped."""

NOT_DEEP = 0.1
"""Least depth of good contacts, relative to the deepest of all, that is enough to push boxes apart."""

BEYOND = 1.01
"""Distance outside of a box, relative to its size, beyond which a contact is not good."""

STEEP = 0.5
"""Sine of the angle to the reference face above which edges do not belong to the incident face."""

FACE = 12
"""Number of vectors of an incident face: corner, corner + first, corner + second, corner + both, first, second; then
those of its shadow."""

WAYS = 4
SHADOW = 6
"""Offsets of the two sides, and of the shadow, in the vectors of a face."""

FACES = 0
"""Rule for faces that meet: corners on the border of the other face do not count, but the lowest corner always
counts."""

CROSSED = 1
"""Rule for edges that meet and sides that cross: corners on the border count, too."""

BESIDE = 2
"""Rule for edges that meet without crossing sides: as `CROSSED`, and corners beside the other face use its border.

The axis of least overlap of boxes that overlap leads through both edges, so their shadows cross. Boxes that are apart,
within the margin, may be nearest with other features.
"""


# ---- where faces or edges meet


@kernel
def is_less(overlap, best):
    """Return True if edges overlap less than along all earlier axes."""
    return overlap < best * NEARLY_ONE


@kernel
def face_frame(axis, lower):
    """Return the rotation from the frame of a box to that of its upper or lower face on an axis, with z outwards."""
    s = where(lower, -1.0, 1.0)
    if axis == 0:
        return mat3(0.0, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, 0.0)
    if axis == 1:
        return mat3(1.0, 0.0, 0.0, 0.0, 0.0, -s, 0.0, s, 0.0)
    return mat3(s, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, s)


@kernel
def seen_from_face(boxes, rotation):
    """Return two boxes in the frame of a face of the first one; the origin is in the middle of the face."""
    seen = rotated(boxes, rotation)
    return Boxes(seen.size, seen.axes, seen.center - vec3(0.0, 0.0, seen.size.z), seen.other)


@kernel
def clip_at_faces(boxes, axis, margin, dists, spots):
    """Find contacts at the face of the first box across an axis; see `BoxEdition`."""
    face = local(vec3, FACE)
    rotation = face_frame(axis, boxes.center[axis] < 0.0)
    seen = seen_from_face(boxes, rotation)
    count = set_lowest_face(seen, face)
    n = clip_face(face, count, seen.size, 1.0, False, margin, dists, spots)
    for k in range(n):
        dists[k] = reported_distance(dists[k])
        spots[k] = spots[k] + vec3(0.0, 0.0, seen.size.z)
    return n, rotation


@kernel
def clip_at_edges(boxes, pair, margin, rounding, dists, spots):
    """Find contacts of the faces at two edges; see `BoxEdition`."""
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
    set_face_at_edge(j, opposite, normals, seen, normal, face)
    n = clip_face(face, 2, seen.size, 1.0 / normal.z, True, margin, dists, spots)
    for k in range(n):
        spots[k] = spots[k] + vec3(0.0, 0.0, seen.size.z)
    error = rounding * (norm(boxes.size) + norm(boxes.other))
    return drop_impossible(n, overlap, error, dists, spots), rotation, normal


@kernel
def face_of_edge(edge, way):
    """Return the axis of the face at an edge that is most nearly parallel to another edge; ties are as in MuJoCo."""
    face = where(edge == 2, 0, 2)
    other = 3 - edge - face
    return where(abs(way[other]) < abs(way[face]), other, face)


@kernel
def drop_impossible(n, overlap, slack, dists, spots):
    """Drop contacts far deeper than the overlap of boxes that meet at edges; keep at least one, with that overlap.

    The depth of corners beside the other face is their distance from its rim, which may be the thickness of a box.
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


# ---- the incident face


@kernel
def set_lowest_face(seen, face):
    """Set `face` to the edges that are not steep at the lowest corner of the other box, in the frame of the reference
    face.

    Returns:
        the number of its edges at that corner: two, one or none.
    """
    corner = seen.center
    edges = local(vec3, 3)
    count = 0
    for k in range(3):
        axis = column(seen.axes, k)
        reach = where(axis.z >= 0.0, -seen.other[k], seen.other[k])
        corner = corner + axis * reach
        if abs(axis.z) < STEEP:
            edges[count] = axis * (-2.0 * reach)
            count += 1
    face[0] = corner
    face[1] = corner + edges[0]
    face[2] = corner + edges[1]
    face[3] = face[1] + edges[1]
    face[WAYS] = edges[0]
    face[WAYS + 1] = edges[1]
    for i in range(SHADOW):
        face[SHADOW + i] = vec3(face[i].x, face[i].y, 0.0)
    return count


@kernel
def set_face_at_edge(edge, other, normals, seen, normal, face):
    """Set `face` to the incident face at the edge of the other box that meets an edge of the reference face.

    Args:
        edge, other: axes of the box along the edge, and across the face.
        normals: the normal of the contact in the frame of that box, which is on the side from which the normal comes.
        seen: the boxes in the frame of the reference face.
        normal: the same normal in that frame.
        face: receives the incident face; its first side is the edge.
    """
    side = 3 - edge - other
    size = seen.other
    along = column(seen.axes, edge) * size[edge]
    across = column(seen.axes, side) * where(normals[side] > 0.0, -size[side], size[side])
    outward = column(seen.axes, other) * where(normals[other] > 0.0, -size[other], size[other])
    for i in range(4):
        corner = seen.center + across * (1.0 - 1.0 * (i & 2)) + outward + along * (1.0 - 2.0 * (i & 1))
        face[i] = corner
        face[SHADOW + i] = corner + normal * (-corner.z * (1.0 / normal.z))
    for start in range(0, FACE, SHADOW):
        face[start + WAYS] = face[start + 1] - face[start]
        face[start + WAYS + 1] = face[start + 2] - face[start]


@kernel
def clip_face(face, count, half, slope, edges, margin, heights, spots):
    """Find pairs of points of the two faces that coincide when projected along the normal.

    Args:
        face, count: the incident face; see `set_lowest_face`.
        half: half sizes of the reference face (x, y).
        slope: distance along the normal for each meter above the reference face.
        edges: True if the boxes meet at edges.
        margin: distance beyond which pairs do not count (m).
        heights: receives the distance of each pair (m), negative where the incident face is below the reference face.
        spots: receives the point halfway.

    Returns:
        the number of pairs.
    """
    n = keep_crossings(face, count, half, slope, edges, margin, heights, spots)
    rule = FACES
    if edges:
        rule = where(n > 0, CROSSED, BESIDE)
    if count == 2:
        n = keep_reference_corners(face, half, rule, margin, heights, spots, n)
    return keep_incident_corners(face, count, half, slope, rule, margin, heights, spots, n)


@kernel
def keep_pair(spot, point, between, margin, heights, spots, n):
    """Keep a spot of the reference face and a point of the incident face as pair n, if they are within the margin;
    return the number of pairs."""
    height = norm(between) * where(point.z < 0.0, -1.0, 1.0)
    if height > margin:
        return n
    heights[n] = height
    spots[n] = (spot + point) * 0.5
    return n + 1


@kernel
def keep_crossings(face, count, half, slope, edges, margin, heights, spots):
    """Keep pairs where sides of the shadow cross those of the rectangle; return their number."""
    n = 0
    # one edge is one side, two edges make four
    for i in range(count * count):
        # first and second side start at the corner, and again at the end of each other
        way = WAYS + where(i == 1 or i == 2, 1, 0)
        begin = face[0]
        start = face[SHADOW]
        if i > 1:
            begin = begin + face[2 + i]
            start = start + face[SHADOW + 2 + i]
        lead = face[SHADOW + way]
        for q in range(2):
            if abs(lead[q]) > mjMINVAL:
                for end in range(-1, 2, 2):
                    place = (half[q] * end - start[q]) * (1.0 / lead[q])
                    across = start[1 - q] + lead[1 - q] * place
                    if place >= 0.0 and place <= 1.0 and abs(across) <= half[1 - q]:
                        point = begin + face[way] * place
                        spot = vec3(point.x, point.y, 0.0)
                        if edges:
                            spot = where(q == 0, vec3(half.x * end, across, 0.0), vec3(across, half.y * end, 0.0))
                        n = keep_pair(spot, point, vec3(0.0, 0.0, point.z * slope), margin, heights, spots, n)
    return n


@kernel
def keep_reference_corners(face, half, rule, margin, heights, spots, n):
    """Keep pairs at corners of the rectangle within the shadow, from number n on; return the number of pairs."""
    first = face[SHADOW + WAYS]
    second = face[SHADOW + WAYS + 1]
    det = first.x * second.y - second.x * first.y
    for i in range(4):
        spot = vec3(where(i < 2, -half.x, half.x), where(i % 2 == 0, -half.y, half.y), 0.0)
        x = spot.x - face[SHADOW].x
        y = spot.y - face[SHADOW].y
        u = (x * second.y - y * second.x) * (1.0 / det)
        v = (y * first.x - x * first.y) * (1.0 / det)
        if rule == FACES:
            if u > 0.0 and v > 0.0 and u < 1.0 and v < 1.0:
                point = vec3(spot.x, spot.y, face[0].z + face[WAYS].z * u + face[WAYS + 1].z * v)
                n = keep_pair(spot, point, point - spot, margin, heights, spots, n)
        else:
            near_u = clip(u, 0.0, 1.0)
            near_v = clip(v, 0.0, 1.0)
            out = where(near_u != u, 1, 0) + where(near_v != v, 1, 0)
            if out == 0 or (out == 1 and rule == BESIDE):
                point = face[0] * (1.0 - near_u - near_v) + face[1] * near_u + face[2] * near_v
                n = keep_pair(spot, point, point - spot, margin, heights, spots, n)
                det = lost_determinant(point - spot)
    return n


@kernel
def keep_incident_corners(face, count, half, slope, rule, margin, heights, spots, n):
    """Keep pairs at corners of the shadow within the rectangle, from number n on; return the number of pairs."""
    several = n > 0
    for i in range(1 << count):
        point = face[i]
        shadow = face[SHADOW + i]
        spot = vec3(clip(shadow.x, -half.x, half.x), clip(shadow.y, -half.y, half.y), 0.0)
        out = where(spot.x != shadow.x, 1, 0) + where(spot.y != shadow.y, 1, 0)
        kept = out == 0 or (rule == BESIDE and (out == 1 or not several))
        if rule == FACES:
            kept = i == 0 or (abs(shadow.x) < half.x and abs(shadow.y) < half.y)
            spot = shadow
        if kept:
            # beside the face: from the spot to the shadow, and from there up to the point
            between = vec3(shadow.x - spot.x, shadow.y - spot.y, point.z * slope)
            n = keep_pair(spot, point, between, margin, heights, spots, n)
    return n


# ---- which contacts are kept


@kernel
def choose_good(n, spots, dists, boxes, margin, points, good):
    """Choose the good contacts; of several at the same position, the last."""
    judge(n, spots, dists, boxes, margin, good)
    for i in range(n):
        place = points[VECTORS * i]
        for k in range(i + 1, n):
            later = points[VECTORS * k]
            if good[k] == 1 and place.x == later.x and place.y == later.y and place.z == later.z:
                good[i] = 0


@kernel
def judge(n, spots, dists, boxes, margin, good):
    """Set `good` to 1 for contacts that are not outside of one box, or well inside of the other; to 0 for others.

    A corner that has passed through a thin box makes a contact beyond it. If only such contacts would push it out, all
    that overlap stay.
    """
    least = 0.0
    least_good = 0.0
    for i in range(n):
        first = outside_box(spots[i], boxes.size, margin)
        second = outside_box(boxes.axes.T @ (spots[i] - boxes.center), boxes.other, margin)
        good[i] = where((first == 1 and second != -1) or (second == 1 and first != -1), 0, 1)
        least = minimum(least, dists[i])
        least_good = where(good[i] == 1, minimum(least_good, dists[i]), least_good)
    if least < 0.0 and least_good > NOT_DEEP * least:
        for i in range(n):
            good[i] = where(dists[i] < 0.0, 1, good[i])


@kernel
def outside_box(point, size, margin):
    """Return 1 if a point in the frame of a box is well outside of it and its margin, -1 if well inside, 0 if
    neither."""
    x = abs(point.x) / (size.x + margin)
    y = abs(point.y) / (size.y + margin)
    z = abs(point.z) / (size.z + margin)
    far = maximum(x, maximum(y, z))
    return where(far > BEYOND, 1, where(far < 1.0 / BEYOND, -1, 0))


BOXES_3 = BoxEdition(
    slack=0.0,
    lower_first=True,
    parallel=mjMINVAL,
    is_less=is_less,
    settle=None,
    meet_at_faces=clip_at_faces,
    meet_at_edges=clip_at_edges,
    choose=choose_good,
)
"""Choices of edition 3.3.5."""

ALL_OF_BOXES_3 = replace(BOXES_3, any_depth=mjMAXVAL)
"""Choices of edition 3.3.5, and contacts that are far deeper than the boxes overlap."""

box_box_3 = collider_by("box_box_3", box_box, BOXES_3, "together 0.67 of the speed (rings)")
