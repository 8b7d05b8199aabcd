"""Contacts of a face of one box with the other box, and what faces need that meet at an edge, too.

The frame of a face has its origin in the middle of the face, and the outward normal as z axis. The face is a rectangle
there, and the face of the other box that is turned towards it, seen from above, a parallelogram. Contacts are where the
sides of one cross those of the other, and at corners of each within the other. Points and their order are as in the
official engine.
"""

from conjoint.lang import abs, kernel, local, mat3, vec3, where, x_axis, y_axis, z_axis
from conjoint.physics.collision.contact_candidates import keep
from conjoint.schema.constants import mjMINVAL

STEEP = 0.5
"""Sine of the angle to the face; edges of the other box that are steeper do not belong to its nearest face."""


@kernel(per_world=True, exact=True)
def face_frame(axis, lower):
    """Rows of the rotation from the frame of a box to that of its upper or lower face on an axis."""
    s = 1.0
    if lower:
        s = -1.0
    if axis == 0:
        return mat3(0.0, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, 0.0)
    if axis == 1:
        return mat3(1.0, 0.0, 0.0, 0.0, 0.0, -s, 0.0, s, 0.0)
    return mat3(s, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, s)


@kernel(per_world=True, exact=True)
def seen_from_face(rotation, turn, between, size, columns):
    """A box and another one in the frame of a face of the first.

    Args:
        rotation: from the frame of the box to that of the face.
        turn: axes of the other box in the frame of this one, as columns.
        between: its position there.
        size: of this box.
        columns: receives the axes of the other box.

    Returns:
        half sizes of the box, position of the other.
    """
    columns[0] = rotation @ x_axis(turn)
    columns[1] = rotation @ y_axis(turn)
    columns[2] = rotation @ z_axis(turn)
    half = rotation @ size
    center = rotation @ between
    return vec3(abs(half.x), abs(half.y), abs(half.z)), vec3(center.x, center.y, center.z - abs(half.z))


@kernel(per_world=True, exact=True)
def set_sides(starts, ways, corner, first, second):
    """The four sides of a parallelogram with two sides at a corner: where each starts and where it leads."""
    starts[0] = corner
    starts[1] = corner
    starts[2] = corner + first
    starts[3] = corner + second
    ways[0] = first
    ways[1] = second
    ways[2] = second
    ways[3] = first


@kernel(per_world=True, exact=True)
def cross_sides(starts, ways, count, half, spots, crossing):
    """Where sides of a parallelogram cross those of a rectangle about the origin; how often they do.

    Args:
        starts, ways: the first `count` sides of the parallelogram.
        half: half sizes of the rectangle (x, y).
        spots: receives x and y of each crossing, and the place on the side of the parallelogram, from 0 to 1.
        crossing: receives which side of the parallelogram it is.
    """
    n = 0
    for i in range(count):
        for q in range(2):
            if abs(ways[i][q]) > mjMINVAL:
                for end in range(-1, 2, 2):
                    side = half[q] * end
                    place = (side - starts[i][q]) * (1.0 / ways[i][q])
                    across = starts[i][1 - q] + ways[i][1 - q] * place
                    if place >= 0.0 and place <= 1.0 and abs(across) <= half[1 - q]:
                        if q == 0:
                            spots[n] = vec3(side, across, place)
                        else:
                            spots[n] = vec3(across, side, place)
                        crossing[n] = i
                        n += 1
    return n


@kernel(per_world=True, exact=True)
def place_in(corner, first, second, det, x, y):
    """Place of (x, y) along the two sides of a parallelogram, whose determinant is `det`: between 0 and 1 if within."""
    x -= corner.x
    y -= corner.y
    u = (x * second.y - y * second.x) * (1.0 / det)
    v = (y * first.x - x * first.y) * (1.0 / det)
    return u, v


@kernel(per_world=True, exact=True)
def face_contacts(number, turn, between, size, other, pos, frame, sign, margin, dists, points):
    """Contacts of a face with what of the other box is turned to it.

    Args:
        number: axis of the face, plus 3 if it is the lower one.
        turn: axes of the other box in the frame of this one, as columns.
        between: its position there.
        size: of this box.
        other: of the other box.
        pos, frame: of this box in the world.
        sign: -1 if this is the second box.
        margin, dists, points: as for all colliders.
    """
    rotation = face_frame(number % 3, number >= 3)
    columns = local(vec3, 3)
    half, center = seen_from_face(rotation, turn, between, size, columns)
    # the lowest corner of the other box, and the edges there that belong to the face turned to this one
    corner = center
    edges = local(vec3, 3)
    count = 0
    for i in range(3):
        reach = other[i]
        if columns[i].z >= 0.0:
            reach = -reach
        corner = corner + columns[i] * reach
        if abs(columns[i].z) < STEEP:
            edges[count] = columns[i] * (-2.0 * reach)
            count += 1
    frame = frame @ rotation.T
    return keep_face_points(corner, edges, count, half, pos, frame, sign, margin, dists, points)


@kernel(per_world=True, exact=True)
def keep_face_points(corner, edges, count, half, pos, frame, sign, margin, dists, points):
    """Contacts of a face with what of the other box is turned to it: a corner, with one or two edges or none."""
    starts = local(vec3, 4)
    ways = local(vec3, 4)
    spots = local(vec3, 16)
    crossing = local(int, 16)
    set_sides(starts, ways, corner, edges[0], edges[1])
    # one edge is one side, two edges are four
    crossings = cross_sides(starts, ways, count * count, half, spots, crossing)
    n = 0
    for i in range(crossings):
        k = crossing[i]
        point = starts[k] + ways[k] * spots[i].z
        n = keep_face_point(point, half, pos, frame, sign, margin, dists, points, n)
    if count == 2:
        det = edges[0].x * edges[1].y - edges[1].x * edges[0].y
        for i in range(4):
            x = half.x * (1.0 * (i & 2) - 1.0)
            y = half.y * (2.0 * (i & 1) - 1.0)
            u, v = place_in(corner, edges[0], edges[1], det, x, y)
            if u > 0.0 and v > 0.0 and u < 1.0 and v < 1.0:
                z = corner.z + edges[0].z * u + edges[1].z * v
                n = keep_face_point(vec3(x, y, z), half, pos, frame, sign, margin, dists, points, n)
    # the lowest corner wherever it is
    n = keep_face_point(corner, half, pos, frame, sign, margin, dists, points, n)
    for i in range(1, 1 << count):
        point = starts[2]
        if i == 2:
            point = starts[3]
        if i == 3:
            point = starts[2] + edges[1]
        if point.x > -half.x and point.x < half.x and point.y > -half.y and point.y < half.y:
            n = keep_face_point(point, half, pos, frame, sign, margin, dists, points, n)
    return n


@kernel(per_world=True, exact=True)
def keep_face_point(point, half, pos, frame, sign, margin, dists, points, n):
    """Contact number n between the face and a point in its frame, unless that is above the margin.

    Below the face its distance is the height of the point over the contact, half of that over the face, as in the
    official engine. Above it is the whole height: so it goes up to the margin, where the contact ends.
    """
    if point.z > margin:
        return n
    dist = where(point.z > 0.0, point.z, 0.5 * point.z)
    middle = vec3(point.x, point.y, 0.5 * point.z + half.z)
    normal = z_axis(frame) * sign
    return keep(dists, points, n, dist, pos + frame @ middle, normal, vec3(0.0, 0.0, 0.0))
