"""Contacts of two boxes as in MuJoCo 3.3.5: two faces are clipped against each other, even if edges meet.

If the axis of least overlap is a face normal, the reference face is the face with this normal, and the incident face is
the lowest face of the other box, as seen from there. If the axis is a cross product of edges, each face is next to one
of the two edges that meet: of the two faces at the edge, it is the face whose normal is closer to the axis.

The reference face is a rectangle about the origin of its own frame, with z pointing outward. The incident face is a
parallelogram in that frame, or only an edge or a corner of a parallelogram. Its projection along the contact normal
onto the plane of the reference face is its shadow, which is a parallelogram, too. Rectangle and shadow overlap in a
polygon. The corners of the polygon are found in three passes, in the order of MuJoCo 3.3.5, which finds some of them
twice, and misses others on a border:

1. A side of the shadow crosses a side of the rectangle. At the crossing, the point start + place way of the shadow's
   side, x or y equals half the size of the rectangle, which determines the parameter `place`. The crossing counts if
   `place` is from 0 to 1, and the other coordinate is within the rectangle.
2. A corner of the rectangle is within the shadow: corner + u first + v second = spot, by Cramer's rule, with u and v
   from 0 to 1.
3. A corner of the shadow is within the rectangle.

Each of these corners gives a pair of points, one on either face. The contact is halfway between them, and its
penetration depth is their distance.
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
"""Factor by which the overlap of edges must be smaller than the least overlap so far; it applies to gaps, too.

A gap is a negative overlap.
"""

TOO_DEEP = 2.0
"""Maximum depth of contacts, relative to the overlap of boxes that meet at edges; deeper contacts are dropped."""

NOT_DEEP = 0.1
"""Minimum depth of the deepest good contact (see `judge`), relative to the depth of the deepest contact of all.

If no good contact is as deep, the good contacts are too shallow to push the boxes apart.
"""

BEYOND = 1.01
"""Distance from the center of a box, relative to its half size, beyond which a contact counts as outside the box."""

STEEP = 0.5
"""Sine of the angle to the reference face above which an edge does not belong to the incident face."""

FACE = 12
"""Number of vectors that describe an incident face and its shadow.

Face and shadow are described by six vectors each: corner, corner + first, corner + second, corner + both, first,
second. The vectors of the face come first.
"""

WAYS = 4
SHADOW = 6
"""Index of the first shadow vector among the `FACE` vectors.

`WAYS` is the index of the first of the two side vectors, both among the face vectors and among the shadow vectors.
"""

FACES = 0
"""Rule for boxes that meet at faces: corners on the border of the other face are skipped, except the lowest corner."""

CROSSED = 1
"""Rule for boxes that meet at edges, if sides cross: corners on the border are kept, too."""

BESIDE = 2
"""Rule for boxes that meet at edges, if no sides cross.

It extends `CROSSED`: corners beside the other face are kept, too, and are paired with a point of its border. If the
boxes overlap, the axis of least overlap passes through both edges, so their shadows cross. If the boxes are apart,
within the margin, the nearest features may be others than the two edges.
"""


# ---- where faces or edges meet


@kernel
def is_less(overlap, best):
    """Return True if edges overlap less than the least overlap along the axes tested so far."""
    return overlap < best * NEARLY_ONE


@kernel
def face_frame(axis, lower):
    """Return the rotation from a box's frame to the frame of its upper or lower face on an axis, with z outward."""
    s = where(lower, -1.0, 1.0)
    if axis == 0:
        return mat3(0.0, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, 0.0)
    if axis == 1:
        return mat3(1.0, 0.0, 0.0, 0.0, 0.0, -s, 0.0, s, 0.0)
    return mat3(s, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, s)


@kernel
def seen_from_face(boxes, rotation):
    """Return two boxes in the frame of a face of the first one, with the origin in the middle of the face."""
    seen = rotated(boxes, rotation)
    return Boxes(seen.size, seen.axes, seen.center - vec3(0.0, 0.0, seen.size.z), seen.other)


@kernel
def clip_at_faces(boxes, axis, margin, dists, spots):
    """Find contacts on the face of the first box that is perpendicular to an axis; see `BoxEdition`."""
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
    """Find contacts of the faces next to two edges that meet; see `BoxEdition`."""
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
    """Return the normal axis of one of the two faces next to an edge: the face that is most nearly parallel to `way`.

    On ties, the choice is as in MuJoCo.
    """
    face = where(edge == 2, 0, 2)
    other = 3 - edge - face
    return where(abs(way[other]) < abs(way[face]), other, face)


@kernel
def drop_impossible(n, overlap, slack, dists, spots):
    """Drop contacts far deeper than the overlap of boxes that meet at edges; return the number of contacts left.

    If none is left, the first contact is kept, with the overlap as its depth. The depth of a corner beside the
    other face is its distance from the face's border, which may be as large as a box.
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
    """Set `face` to the incident face, spanned by the edges at the lowest corner of the other box that are not steep.

    Coordinates are in the frame of the reference face; see `STEEP`.

    Returns:
        the number of these edges: two, one or none.
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
        edge, other: axis of the other box along the edge, and axis of the other box normal to the incident face.
        normals: contact normal in the frame of the other box; it points from the reference face to that box.
        seen: the boxes in the frame of the reference face.
        normal: contact normal in the frame of the reference face.
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
    """Find pairs of points on the two faces that coincide when projected along the contact normal.

    Args:
        face, count: incident face, and number of its edges; see `set_lowest_face`.
        half: half sizes of the reference face (x, y).
        slope: distance along the normal per meter of height above the reference face.
        edges: True if the boxes meet at edges.
        margin: maximum distance between the points of a pair (m).
        heights: receives the distance of each pair (m), negative if the incident face is below the reference face.
        spots: receives the midpoint of each pair.

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
    """Store points of the reference face (`spot`) and the incident face (`point`) as pair n if within the margin.

    Return the number of pairs.
    """
    height = norm(between) * where(point.z < 0.0, -1.0, 1.0)
    if height > margin:
        return n
    heights[n] = height
    spots[n] = (spot + point) * 0.5
    return n + 1


@kernel
def keep_crossings(face, count, half, slope, edges, margin, heights, spots):
    """Store the pairs of points where sides of the shadow cross sides of the rectangle; return their number."""
    n = 0
    # one edge has one side, two edges span a face with four sides
    for i in range(count * count):
        # the first and the second side start at the corner; the other two start at the far end of the second and the
        # first
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
    """Store pairs at the corners of the rectangle within the shadow, from pair n on; return the number of pairs."""
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
    """Store pairs at the corners of the shadow within the rectangle, from pair n on; return the number of pairs."""
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
            # beside the face, the vector leads from the spot to the shadow, and from there up to the point
            between = vec3(shadow.x - spot.x, shadow.y - spot.y, point.z * slope)
            n = keep_pair(spot, point, between, margin, heights, spots, n)
    return n


# ---- which contacts are kept


@kernel
def choose_good(n, spots, dists, boxes, margin, points, good):
    """Choose the good contacts (see `judge`); of several good contacts at the same position, choose the last one."""
    judge(n, spots, dists, boxes, margin, good)
    for i in range(n):
        place = points[VECTORS * i]
        for k in range(i + 1, n):
            later = points[VECTORS * k]
            if good[k] == 1 and place.x == later.x and place.y == later.y and place.z == later.z:
                good[i] = 0


@kernel
def judge(n, spots, dists, boxes, margin, good):
    """Set `good` to 0 for contacts that are outside one box and not well inside the other, else to 1.

    A corner that has passed through a thin box causes a contact beyond the box, and such a contact is not good. If the
    good contacts are too shallow to push the boxes apart, all contacts with negative distance become good.
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
    """Return 1 if a point is well outside a box enlarged by the margin, -1 if it is well inside, 0 if neither.

    The point is in the frame of the box.
    """
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
"""Rules of edition 3.3.5 for two boxes."""

ALL_OF_BOXES_3 = replace(BOXES_3, any_depth=mjMAXVAL)
"""Rules of edition 3.3.5 for two boxes, except that contacts far deeper than the overlap of the boxes are kept, too."""

box_box_3 = collider_by("box_box_3", box_box, BOXES_3, "worlds together run at 0.67 of the speed (rings)")
