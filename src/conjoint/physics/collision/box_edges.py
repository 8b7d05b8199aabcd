"""Contacts of two boxes that meet with their edges.

Of each box that face at its edge is taken which is turned more to the other box. In the frame of the first one (see
`box_faces`) the second is projected along the common normal of the edges. Contacts are where the sides of the
projection cross those of the first face, and at corners of each within the other, halfway between the faces. Points and
their order are as in the official engine.
"""

from conjoint.lang import abs, clip, dot, kernel, local, maximum, norm, sqrt, vec3, where
from conjoint.physics.collision.box_faces import cross_sides, face_frame, place_in, seen_from_face, set_sides
from conjoint.physics.collision.contact_candidates import VECTORS, keep
from conjoint.physics.shape import reach

TOO_DEEP = 2.0
"""Contacts that are deeper than this, relative to how far the boxes overlap, are left out."""


@kernel(per_world=True, exact=True)
def edge_contacts(number, turn, between, size1, size2, pos, frame, margin, slack, dists, points):
    """Contacts of two boxes along the cross product of an edge of each.

    Args:
        number: 3 * axis of the edge of the first box + axis of that of the second.
        turn: axes of the second box in the frame of the first, as columns.
        between: its position there.
        size1, size2: half sizes.
        pos, frame: of the first box in the world.
        slack: what rounding does to overlaps, relative to the sizes.
        margin, dists, points: as for all colliders.
    """
    i = number // 3
    j = number % 3
    normal = edge_normal(turn, i, j)
    inward = dot(between, normal) < 0.0
    # of each box, the face at the edge whose normal is nearer to that of the edges
    face1 = steeper_axis(i, turn[j], turn[3 + j], turn[6 + j])
    face2 = steeper_axis(j, turn[3 * i], turn[3 * i + 1], turn[3 * i + 2])
    side = 3 - j - face2
    # the frame of the first face, whose upper side is at the edge if the normal leads there
    rotation = face_frame(face1, not ((normal[face1] > 0.0) ^ inward))
    columns = local(vec3, 3)
    half, center = seen_from_face(rotation, turn, between, size1, columns)
    # corners of the second face: both ends of its edge, and what lies opposite to them
    across = where(edge_is_upper(turn, i, j, side) ^ inward, size2[side], -size2[side])
    upright = where(edge_is_upper(turn, i, j, face2) ^ inward, size2[face2], -size2[face2])
    corners = local(vec3, 4)
    for k in range(4):
        corner = center + columns[side] * (across * (1.0 - 1.0 * (k & 2))) + columns[face2] * upright
        corners[k] = corner + columns[j] * (size2[j] * (1.0 - 2.0 * (k & 1)))
    sign = where(inward, -1.0, 1.0)
    n = keep_edge_points(corners, rotation @ normal, sign, half, pos, frame @ rotation.T, margin, dists, points)
    overlap = reach(normal, size1) + reach(turn.T @ normal, size2) - abs(dot(between, normal))
    return keep_possible(n, overlap, slack * (norm(size1) + norm(size2)), dists, points)


@kernel(per_world=True, exact=True)
def keep_possible(n, overlap, slack, dists, points):
    """Leave out contacts that are far deeper than the boxes overlap along their common normal; one stays, no deeper.

    Corners beside the other face are as far from it as they are from its rim, which may be as far as a box is thick.
    Where the boxes are as deep in each other anyway, as in most poses, those contacts stay as in the official engine.
    """
    deepest = -TOO_DEEP * maximum(overlap, 0.0) - slack
    kept = 0
    for i in range(n):
        if dists[i] >= deepest:
            dists[kept] = dists[i]
            for k in range(VECTORS):
                points[VECTORS * kept + k] = points[VECTORS * i + k]
            kept += 1
    if kept == 0 and n > 0:
        dists[0] = -overlap
        kept = 1
    return kept


@kernel(per_world=True, exact=True)
def edge_normal(turn, i, j):
    """Unit vector along the cross product of edge i of the first box and edge j of the second."""
    a = -turn[3 * ((i + 2) % 3) + j]
    b = turn[3 * ((i + 1) % 3) + j]
    inverse = 1.0 / sqrt(a * a + b * b)
    a *= inverse
    b *= inverse
    if i == 0:
        return vec3(0.0, a, b)
    if i == 1:
        return vec3(b, 0.0, a)
    return vec3(a, b, 0.0)


@kernel(per_world=True, exact=True)
def steeper_axis(edge, x, y, z):
    """Which of the other axes than that of an edge is nearer to the normal: the one whose place the other edge leaves.

    Args:
        edge: axis of the edge.
        x, y, z: direction of the other box's edge.
    """
    if edge == 0:
        return where(abs(y) < abs(z), 1, 2)
    if edge == 1:
        return where(abs(x) < abs(z), 0, 2)
    return where(abs(y) < abs(x), 1, 0)


@kernel(per_world=True, exact=True)
def edge_is_upper(turn, i, j, axis):
    """Whether edge j of the second box that faces edge i of the first is the upper one on an axis."""
    part = turn[3 * i + 3 - axis - j]
    return (part > 0.0) ^ ((axis - j + 3) % 3 == 1)


@kernel(per_world=True, exact=True)
def keep_edge_points(corners, normal, sign, half, pos, frame, margin, dists, points):
    """Contacts of a face with another one that is given by four corners, in the frame of the face.

    Args:
        corners: start and end of its edge, then of the side opposite to it.
        normal: of the edges.
        sign: -1 if the normal leads from the second box to the first.
        half, pos, frame: the box of the first face, turned to this frame, and its frame in the world.
        margin, dists, points: as for all colliders.
    """
    slope = sign * (1.0 / normal.z)
    shadows = local(vec3, 4)
    for k in range(4):
        shadows[k] = corners[k] + normal * (-corners[k].z * (1.0 / normal.z))
    first = shadows[1] - shadows[0]
    second = shadows[2] - shadows[0]
    starts = local(vec3, 4)
    ways = local(vec3, 4)
    spots = local(vec3, 16)
    crossing = local(int, 16)
    set_sides(starts, ways, shadows[0], first, second)
    crossings = cross_sides(starts, ways, 4, half, spots, crossing)
    # the same sides in space
    along = corners[1] - corners[0]
    set_sides(starts, ways, corners[0], along, corners[2] - corners[0])
    axis = frame @ normal * sign
    n = 0
    for k in range(crossings):
        point = starts[crossing[k]] + ways[crossing[k]] * spots[k].z
        height = point.z * slope
        if height <= margin:
            spot = vec3(spots[k].x, spots[k].y, 0.0)
            n = keep_between(spot, point, height, half, pos, frame, axis, dists, points, n)
    crossed = n > 0
    det = first.x * second.y - second.x * first.y
    for k in range(4):
        corner = vec3(half.x * (1.0 * (k & 2) - 1.0), half.y * (2.0 * (k & 1) - 1.0), 0.0)
        u, v = place_in(shadows[0], first, second, det, corner.x, corner.y)
        out_u = u < 0.0 or u > 1.0
        out_v = v < 0.0 or v > 1.0
        if not (out_u and out_v) and not (crossed and (out_u or out_v)):
            u = clip(u, 0.0, 1.0)
            v = clip(v, 0.0, 1.0)
            point = corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v
            between = corner - point
            square = dot(between, between)
            if point.z <= 0.0 or square <= margin * margin:
                dist = sqrt(square) * where(point.z < 0.0, -1.0, 1.0)
                n = keep_between(corner, point, dist, half, pos, frame, axis, dists, points, n)
            # the official engine keeps this in place of the determinant
            det = square
    return keep_shadows(corners, shadows, slope, crossed, half, pos, frame, axis, margin, dists, points, n)


@kernel(per_world=True, exact=True)
def keep_shadows(corners, shadows, slope, crossed, half, pos, frame, axis, margin, dists, points, n):
    """Contacts of the corners of the other face, from number n on; `shadows` are theirs along the normal."""
    several = n > 0
    for k in range(4):
        shadow = vec3(shadows[k].x, shadows[k].y, 0.0)
        nearest = vec3(clip(shadow.x, -half.x, half.x), clip(shadow.y, -half.y, half.y), 0.0)
        out_x = shadow.x != nearest.x
        out_y = shadow.y != nearest.y
        if not (several and out_x and out_y) and not (crossed and (out_x or out_y)):
            over = vec3(shadow.x - nearest.x, shadow.y - nearest.y, corners[k].z * slope)
            square = dot(over, over)
            if corners[k].z <= 0.0 or square <= margin * margin:
                dist = sqrt(square) * where(corners[k].z < 0.0, -1.0, 1.0)
                n = keep_between(nearest, corners[k], dist, half, pos, frame, axis, dists, points, n)
    return n


@kernel(per_world=True, exact=True)
def keep_between(first, second, dist, half, pos, frame, normal, dists, points, n):
    """Contact number n, halfway between two points in the frame of a face."""
    middle = (first + second) * 0.5
    middle = vec3(middle.x, middle.y, middle.z + half.z)
    return keep(dists, points, n, dist, pos + frame @ middle, normal, vec3(0.0, 0.0, 0.0))
