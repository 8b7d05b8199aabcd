"""The incident face of one box, clipped against the reference face of another.

The reference face is a rectangle about the origin of its own frame, with z outwards. The incident face is a
parallelogram in that frame, or only an edge or a corner of one. Along the contact normal it casts a shadow on the
plane of the reference face: a parallelogram again. Both overlap in a polygon. Sutherland & Hodgman (Reentrant polygon
clipping, Communications of the ACM 17, 1974) find its corners by cutting with one side after the other. Here the same
corners are found kind by kind, in the order of the official engine:

1. A side of the shadow, start + place way, crosses a side of the rectangle: x or y is half a size there, which gives
   the place. It counts from 0 to 1, if the other coordinate is within the rectangle.
2. A corner of the rectangle is within the shadow: corner + u first + v second = spot, by Cramer's rule, with u and v
   from 0 to 1.
3. A corner of the shadow is within the rectangle.

Each makes a pair of points, one on either face. The contact is halfway between them, and as deep as they are apart.
"""

from conjoint.lang import abs, clip, kernel, local, mat3, norm, vec3, where
from conjoint.physics.geometry.matrix import column
from conjoint.physics.official.box_corners import lost_determinant
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

STEEP = 0.5
"""Sine of the angle to the reference face above which edges do not belong to the incident face."""

FACE = 12
"""Vectors of an incident face: corner, corner + first, corner + second, corner + both, first, second; its shadow's."""

WAYS = 4
SHADOW = 6
"""Where the two sides begin, and the shadow."""

FACES = 0
"""Rule where faces meet: corners on the border of the other face do not count, but the lowest counts wherever it is."""

CROSSED = 1
"""Rule where edges meet and sides cross: corners on the border count, too."""

BESIDE = 2
"""Rule where edges meet but no sides cross: as `CROSSED`, and corners beside the other face meet its border.

The axis of least overlap of boxes that overlap leads through both edges, so their shadows cross. Boxes that are apart,
within the margin, may be nearest with other features.
"""


@kernel
def face_frame(axis, lower):
    """Rotation from the frame of a box to that of its upper or lower face on an axis."""
    s = where(lower, -1.0, 1.0)
    if axis == 0:
        return mat3(0.0, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, 0.0)
    if axis == 1:
        return mat3(1.0, 0.0, 0.0, 0.0, 0.0, -s, 0.0, s, 0.0)
    return mat3(s, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, s)


@kernel
def set_lowest_face(axes, center, size, face):
    """Set `face` to what is not steep at the lowest corner of a box.

    Args:
        axes: of the box, as columns, in the frame of the reference face.
        center: its position there.
        size: its half sizes.
        face: receives the incident face.

    Returns:
        how many edges it has at that corner: two, or one, or none.
    """
    corner = center
    edges = local(vec3, 3)
    count = 0
    for k in range(3):
        axis = column(axes, k)
        reach = where(axis.z >= 0.0, -size[k], size[k])
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
def set_face_at_edge(edge, other, normals, axes, center, size, normal, face):
    """Set `face` to that at the edge of a box that meets an edge of the reference face.

    Args:
        edge, other: axes of the box along the edge, and across the face.
        normals: the normal of the contact in the frame of the box, which lies on the side that it comes from.
        axes, center, size: as in `set_lowest_face`.
        normal: the same normal in the frame of the reference face.
        face: receives the incident face; its first side is the edge.
    """
    side = 3 - edge - other
    along = column(axes, edge) * size[edge]
    across = column(axes, side) * where(normals[side] > 0.0, -size[side], size[side])
    outward = column(axes, other) * where(normals[other] > 0.0, -size[other], size[other])
    for i in range(4):
        corner = center + across * (1.0 - 1.0 * (i & 2)) + outward + along * (1.0 - 2.0 * (i & 1))
        face[i] = corner
        face[SHADOW + i] = corner + normal * (-corner.z * (1.0 / normal.z))
    for start in range(0, FACE, SHADOW):
        face[start + WAYS] = face[start + 1] - face[start]
        face[start + WAYS + 1] = face[start + 2] - face[start]


@kernel
def clip_face(face, count, half, slope, edges, margin, heights, spots):
    """Pairs of points of the two faces that are over each other.

    Args:
        face, count: the incident face; see `set_lowest_face`.
        half: half sizes of the reference face (x, y).
        slope: distance along the normal for each metre above the reference face.
        edges: whether it is with edges that the boxes meet.
        margin: distance beyond which pairs do not count (m).
        heights: receives the distance of each pair (m), negative where the incident face is below the reference face.
        spots: receives the point halfway.

    Returns:
        how many pairs there are.
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
    """Keep a spot of the reference face and a point of the incident face as pair n, if they are within the margin."""
    height = norm(between) * where(point.z < 0.0, -1.0, 1.0)
    if height > margin:
        return n
    heights[n] = height
    spots[n] = (spot + point) * 0.5
    return n + 1


@kernel
def keep_crossings(face, count, half, slope, edges, margin, heights, spots):
    """Pairs where sides of the shadow cross those of the rectangle."""
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
    """Pairs at corners of the rectangle within the shadow, from number n on."""
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
    """Pairs at corners of the shadow within the rectangle, from number n on."""
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
