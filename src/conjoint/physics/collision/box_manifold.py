"""Contacts of two boxes, as the official engine finds them since version 3.12.

Boxes are apart if one of fifteen axes separates them (Gottschalk, Lin & Manocha, OBBTree, SIGGRAPH 1996); `box_box`
says more of these. Of equal axes a normal of a face wins, because it makes several contacts.

* If a normal has the least overlap, the face of the other box that is turned most against it is cut at the four sides
  of the reference face (Sutherland & Hodgman, Reentrant polygon clipping, Communications of the ACM 17, 1974). What is
  left has up to eight corners. Those within the margin are contacts, halfway between the faces.
* If a cross product of edges has, there is one contact, at the nearest points of both edges (Ericson, Real-time
  collision detection, 2005, section 5.1.9).
"""

from conjoint.lang import abs, clip, dot, kernel, local, minimum, norm, vec3, where
from conjoint.physics.collision.box_box import Boxes, edge_lengths, edge_overlaps, roots
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.geometry.matrix import column, largest_axis, on_axis
from conjoint.physics.geometry.shape import face_overlaps
from conjoint.schema.constants import mjMAXVAL, mjMINVAL

EXACT_KERNELS = True

APART = -1
SECOND = 3
EDGES = 6
"""Axes by number: normals of the first box, those of the second, and 3 * edge + edge."""

SEPARATE = 1e-13
"""Gap up to which boxes overlap but for rounding, in units of the sum of all half sizes."""

PARALLEL = 1e-16
"""Square of the sine of the angle between edges up to which their cross product is no axis."""

EDGES_LATER = 1e-6
"""How much less than all others boxes must overlap along a cross product of edges, relative to that overlap."""

LIKE_A_FACE = 0.99
"""Cosine of the angle between a cross product and a normal below which both are the same axis."""

MUCH_LESS = 0.05
"""How much less boxes must overlap along a cross product that is like a normal, relative to that along the normal."""

LEVEL = 1e-9
"""Part of an axis up to which both edges of a face are as far along it."""

CORNERS = 12
"""Room for the corners of a face that is cut four times."""

SAME = 1e-14
"""Square of the distance of corners that are one, in units of the sum of the squares of the half sizes of a face."""


@kernel(one_by_one="its indices and branches are those of the state")
def box_manifold(m, d, g1, g2, margin, dists, points):
    """Up to eight contacts where faces meet, one where edges do."""
    frame1 = d.geom_xmat[g1]
    frame2 = d.geom_xmat[g2]
    between = d.geom_xpos[g2] - d.geom_xpos[g1]
    turn = frame1.T @ frame2
    boxes = Boxes(m.geom_size[g1], turn, frame1.T @ between, m.geom_size[g2])
    to_first = frame2.T @ -between
    total = boxes.size.x + boxes.size.y + boxes.size.z + boxes.other.x + boxes.other.y + boxes.other.z
    axis = least_axis(boxes, to_first, margin + SEPARATE * total)
    if axis == APART:
        return 0
    if axis >= EDGES:
        return meet_at_edges(boxes, axis - EDGES, d.geom_xpos[g1], frame1, margin + SEPARATE * total, dists, points)
    if axis >= SECOND:
        seen = Boxes(boxes.other, turn.T, to_first, boxes.size)
        return meet_at_faces(seen, axis - SECOND, d.geom_xpos[g2], frame2, -1.0, margin, dists, points)
    return meet_at_faces(boxes, axis, d.geom_xpos[g1], frame1, 1.0, margin, dists, points)


# ---- the axis of least overlap


@kernel
def least_axis(boxes, to_first, limit):
    """Number of the axis along which two boxes overlap least; `APART` if a gap is wider than the limit (m)."""
    first = face_overlaps(boxes.axes, boxes.center, boxes.size, boxes.other)
    second = face_overlaps(boxes.axes.T, to_first, boxes.other, boxes.size)
    if minimum(least_part(first), least_part(second)) < -limit:
        return APART
    face = 0
    least = mjMAXVAL
    for k in range(SECOND):
        if first[k] < least:
            least = first[k]
            face = k
    for k in range(SECOND):
        if second[k] < least:
            least = second[k]
            face = SECOND + k
    lengths = roots(edge_lengths(boxes.axes))
    overlaps = edge_overlaps(boxes.axes, boxes.center, boxes.size, boxes.other, lengths)
    axis = face
    best = least
    for k in range(9):
        if lengths[k] * lengths[k] >= PARALLEL:
            if overlaps[k] < -limit:
                return APART
            if overlaps[k] + EDGES_LATER * abs(overlaps[k]) < best and overlaps[k] < least:
                best = overlaps[k]
                axis = EDGES + k
    # stacks that rest would go back and forth between a normal and what is nearly the same
    if axis >= EDGES and best > least - MUCH_LESS * abs(least) - mjMINVAL:
        normal = on_axis(face, 1.0)
        if face >= SECOND:
            normal = column(boxes.axes, face - SECOND)
        if abs(dot(normal, edge_axis(boxes, axis - EDGES))) > LIKE_A_FACE:
            axis = face
    return axis


@kernel
def least_part(v):
    """The least part of a vector."""
    return minimum(v.x, minimum(v.y, v.z))


@kernel
def edge_axis(boxes, pair):
    """Unit vector across two edges, 3 * edge + edge, in the frame of the first box."""
    i = pair // 3
    j = pair % 3
    p = (i + 1) % 3
    q = (i + 2) % 3
    way = on_axis(p, -boxes.axes[3 * q + j]) + on_axis(q, boxes.axes[3 * p + j])
    return way * (1.0 / norm(way))


# ---- where edges meet


@kernel
def meet_at_edges(boxes, pair, pos, frame, limit, dists, points):
    """A contact at the nearest points of the two edges, 3 * edge + edge, that are farthest along their axis.

    Where two edges of a box are as far, rounding does not decide: that is taken which is nearer to the other box.
    """
    i = pair // 3
    j = pair % 3
    way = edge_axis(boxes, pair)
    if dot(way, boxes.center) < 0.0:
        way = -way
    way2 = boxes.axes.T @ way
    level1 = level_side(way, i)
    level2 = level_side(way2, j)
    first = vec3(0.0, 0.0, 0.0)
    second = vec3(0.0, 0.0, 0.0)
    least = mjMAXVAL
    for k in range(4):
        if (level1 >= 0 or k % 2 == 0) and (level2 >= 0 or k < 2):
            middle1 = edge_middle(boxes.size, way, i, where(k % 2 == 0, APART, level1))
            middle2 = boxes.axes @ edge_middle(boxes.other, -way2, j, where(k < 2, APART, level2)) + boxes.center
            s, t = nearest_places(boxes, i, j, middle2 - middle1)
            end1 = middle1 + on_axis(i, s)
            end2 = middle2 + column(boxes.axes, j) * t
            gap = dot(end2 - end1, end2 - end1)
            if gap < least:
                least = gap
                first = end1
                second = end2
    dist = dot(second - first, way)
    if dist > limit:
        return 0
    return keep(dists, points, 0, dist, frame @ ((first + second) * 0.5) + pos, frame @ way)


@kernel
def level_side(way, edge):
    """The axis, not that of the edge, along which a direction does not tell an upper from a lower edge; -1: it does."""
    p = (edge + 1) % 3
    q = (edge + 2) % 3
    return where(abs(way[p]) < LEVEL, p, where(abs(way[q]) < LEVEL, q, -1))


@kernel
def edge_middle(size, way, edge, other):
    """Middle of the edge along an axis of a box that is farthest along `way`; on axis `other` at the other end."""
    middle = vec3(0.0, 0.0, 0.0)
    for k in range(3):
        if k != edge:
            upper = (way[k] >= 0.0) ^ (k == other)
            middle = middle + on_axis(k, where(upper, size[k], -size[k]))
    return middle


@kernel
def nearest_places(boxes, i, j, between):
    """How far from their middles the nearest points of two edges are, along axes i and j; `between` the middles."""
    along = column(boxes.axes, j)
    cosine = along[i]
    square = 1.0 - cosine * cosine
    ahead = dot(along, between)
    s = 0.0
    if square >= mjMINVAL:
        s = clip((between[i] - cosine * ahead) / square, -boxes.size[i], boxes.size[i])
    t = clip(cosine * s - ahead, -boxes.other[j], boxes.other[j])
    return clip(between[i] + cosine * t, -boxes.size[i], boxes.size[i]), t


# ---- where faces meet


@kernel
def meet_at_faces(boxes, axis, pos, frame, sign, margin, dists, points):
    """Contacts on the face of the first box across an axis, with the face of the other that is turned against it.

    Args:
        boxes: see `Boxes`.
        axis: of the first box.
        pos, frame: pose of the first box.
        sign: 1 if normals of contacts lead from the first box to the other, else -1.
        margin: distance (m) up to which corners are contacts.
        dists, points: see `keep`.

    Returns:
        how many contacts.
    """
    side = where(boxes.center[axis] >= 0.0, 1.0, -1.0)
    x = (axis + 1) % 3
    y = (axis + 2) % 3
    corners = local(vec3, CORNERS)
    spare = local(vec3, CORNERS)
    set_incident(boxes, axis, side, corners)
    n = 4
    for k in range(4):
        half = where(k < 2, boxes.size[x], boxes.size[y])
        n = cut(corners, n, k // 2, 1.0 - 2.0 * (k % 2), half, spare)
    same = SAME * (boxes.size[x] * boxes.size[x] + boxes.size[y] * boxes.size[y])
    normal = frame @ on_axis(axis, side)
    kept = 0
    for k in range(n):
        corner = corners[k]
        known = corner.z > margin
        for q in range(kept):
            shift = spare[q] - corner
            if shift.x * shift.x + shift.y * shift.y < same:
                known = True
        if not known:
            spare[kept] = corner
            height = side * (boxes.size[axis] + 0.5 * corner.z)
            spot = on_axis(x, corner.x) + on_axis(y, corner.y) + on_axis(axis, height)
            kept = keep(dists, points, kept, corner.z, frame @ spot + pos, normal * sign)
    return kept


@kernel
def set_incident(boxes, axis, side, corners):
    """Corners of the face that is turned most against the reference face, in order.

    Each has its place on the plane of the reference face, along the next axis and the one after that, and its height
    above it.
    """
    row = vec3(boxes.axes[3 * axis], boxes.axes[3 * axis + 1], boxes.axes[3 * axis + 2])
    facing = largest_axis(vec3(abs(row.x), abs(row.y), abs(row.z)))
    u = (facing + 1) % 3
    v = (facing + 2) % 3
    outward = where(side * row[facing] > 0.0, -boxes.other[facing], boxes.other[facing])
    middle = from_face(boxes.center + column(boxes.axes, facing) * outward, axis, side)
    middle = middle - vec3(0.0, 0.0, boxes.size[axis])
    first = from_face(column(boxes.axes, u) * boxes.other[u], axis, side)
    second = from_face(column(boxes.axes, v) * boxes.other[v], axis, side)
    corners[0] = middle + first + second
    corners[1] = middle - first + second
    corners[2] = middle - first - second
    corners[3] = middle + first - second


@kernel
def from_face(p, axis, side):
    """A vector in the frame of a box, in that of its face across an axis, which lies on one side."""
    return vec3(p[(axis + 1) % 3], p[(axis + 2) % 3], side * p[axis])


@kernel
def cut(corners, n, axis, side, half, spare):
    """Cut a polygon of n corners, in place, at `half` from the middle on one side of an axis; how many corners then."""
    outside = False
    for k in range(n):
        if side * corners[k][axis] - half > 0.0:
            outside = True
    if not outside:
        return n
    count = 0
    for k in range(n):
        p = corners[k]
        q = corners[where(k + 1 == n, 0, k + 1)]
        beyond = side * p[axis] - half
        other = side * q[axis] - half
        if beyond <= 0.0 and count < CORNERS:
            spare[count] = p
            count += 1
        if ((beyond < 0.0 and other > 0.0) or (beyond > 0.0 and other < 0.0)) and count < CORNERS:
            spare[count] = p + (q - p) * (beyond / (beyond - other))
            count += 1
    for k in range(count):
        corners[k] = spare[k]
    return count
