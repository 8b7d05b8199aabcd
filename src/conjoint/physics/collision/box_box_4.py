"""Contacts of two boxes as in MuJoCo since 3.12: one face is clipped at the sides of another, or two edges touch.

Among nearly equal axes (see `boxes`), a face normal is preferred, because it gives several contacts.

* If a face normal has the least overlap, its face is the reference face. The face of the other box that is most opposed
  to it is clipped at the four sides of the reference face (Sutherland & Hodgman, Reentrant polygon clipping,
  Communications of the ACM 17, 1974). The clipped polygon has up to eight corners. The corners within the margin
  give contacts, halfway between the faces.
* If a cross product of edges has the least overlap, there is one contact, at the nearest points of both edges (see
  `segments`).
"""

from conjoint.lang import abs, dot, kernel, local, mat3, mat_from_rows, vec3, where
from conjoint.physics.collision.boxes import (
    APART,
    EDGES,
    SECOND,
    BoxEdition,
    box_box,
    edge_normals,
    rotated,
)
from conjoint.physics.collision.contact_candidates import collider_by
from conjoint.physics.collision.segments import divided, lines_along, nearest_places, places_across
from conjoint.physics.geometry.matrix import column, largest_axis, on_axis
from conjoint.schema.constants import mjMAXVAL, mjMINVAL

EXACT_KERNELS = True

SEPARATE = 1e-13
"""Gap up to which boxes count as overlapping because of rounding, in units of the sum of all half sizes."""

PARALLEL = 1e-8
"""Sine of the angle between edges below which their cross product is not tested as an axis."""

EDGES_LATER = 1e-6
"""Relative difference by which the overlap along a cross product must be smaller than along earlier axes."""

LIKE_A_FACE = 0.99
"""Cosine of the angle between a cross product and a face normal above which they count as the same axis."""

MUCH_LESS = 0.05
"""Relative difference by which the overlap along a cross product must be smaller than along a face normal.

The rule applies if both axes are nearly parallel. The difference is relative to the overlap along the face normal.
"""

LEVEL = 1e-9
"""Component of an axis below which two parallel edges of a face count as equally far along that axis."""

CORNERS = 12
"""Capacity for the corners of a face that is clipped four times."""

SAME = 1e-14
"""Squared distance below which corners count as the same, relative to the sum of the squared half sizes of a face."""


# ---- the axis of least overlap


@kernel
def is_less(overlap, best):
    """Return True if edges overlap clearly less than the least overlap along the axes tested so far."""
    return overlap + EDGES_LATER * abs(overlap) < best


@kernel
def prefer_normal(boxes, axis, face, best, least):
    """Return the best face normal if the best axis is a cross product nearly parallel to it, else the best axis.

    Without this rule, stacks at rest would alternate between the two axes.
    """
    if axis >= EDGES and best > least - MUCH_LESS * abs(least) - mjMINVAL:
        normal = on_axis(face, 1.0)
        if face >= SECOND:
            normal = column(boxes.axes, face - SECOND)
        pair = axis - EDGES
        across, _ = edge_normals(pair // 3, pair % 3, boxes.axes, boxes.center)
        if abs(dot(normal, across)) > LIKE_A_FACE:
            return face
    return axis


# ---- where edges meet


@kernel
def meet_at_edges(boxes, pair, margin, rounding, dists, spots):
    """Find the contact of the two edges that meet along an axis, at their nearest points; see `BoxEdition`.

    If two edges of a box are equally far along the axis, the edge closer to the other box is used, so that rounding
    does not decide.
    """
    i = pair // 3
    j = pair % 3
    way, way2 = edge_normals(i, j, boxes.axes, boxes.center)
    level1 = level_side(way, i)
    level2 = level_side(way2, j)
    a = on_axis(i, boxes.size[i])
    b = column(boxes.axes, j) * boxes.other[j]
    lines = lines_along(a, b, dot(a, a), dot(b, b), divided)
    first = vec3(0.0, 0.0, 0.0)
    second = vec3(0.0, 0.0, 0.0)
    least = mjMAXVAL
    for k in range(4):
        if (level1 >= 0 or k % 2 == 0) and (level2 >= 0 or k < 2):
            middle1 = edge_middle(boxes.size, way, i, where(k % 2 == 0, APART, level1))
            middle2 = boxes.axes @ edge_middle(boxes.other, -way2, j, where(k < 2, APART, level2)) + boxes.center
            s, t, _ = nearest_places(lines, middle1 - middle2, places_across)
            end1 = middle1 + a * s
            end2 = middle2 + b * t
            gap = dot(end2 - end1, end2 - end1)
            if gap < least:
                least = gap
                first = end1
                second = end2
    dists[0] = dot(second - first, way)
    spots[0] = (first + second) * 0.5
    identity = mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    return where(dists[0] > margin, 0, 1), identity, way


@kernel
def level_side(way, edge):
    """Return the box axis that connects two edges parallel to axis `edge` that are equally far along `way`.

    If there is no such axis, return -1.
    """
    p = (edge + 1) % 3
    q = (edge + 2) % 3
    return where(abs(way[p]) < LEVEL, p, where(abs(way[q]) < LEVEL, q, -1))


@kernel
def edge_middle(size, way, edge, other):
    """Return the middle of the box edge, among those parallel to axis `edge`, that is farthest along `way`.

    Along axis `other`, use the opposite side of the box instead, unless `other` is -1.
    """
    middle = vec3(0.0, 0.0, 0.0)
    for k in range(3):
        if k != edge:
            upper = (way[k] >= 0.0) ^ (k == other)
            middle = middle + on_axis(k, where(upper, size[k], -size[k]))
    return middle


# ---- where faces meet


@kernel
def meet_at_faces(boxes, axis, margin, dists, spots):
    """Find contacts on the face of the first box that is perpendicular to an axis; see `BoxEdition`."""
    side = where(boxes.center[axis] < 0.0, -1.0, 1.0)
    rotation = mat_from_rows(on_axis((axis + 1) % 3, 1.0), on_axis((axis + 2) % 3, 1.0), on_axis(axis, side))
    seen = rotated(boxes, rotation)
    corners = local(vec3, CORNERS)
    set_incident(seen, corners)
    n = 4
    for k in range(4):
        half = where(k < 2, seen.size.x, seen.size.y)
        n = cut(corners, n, k // 2, 1.0 - 2.0 * (k % 2), half)
    kept = 0
    for k in range(n):
        corner = corners[k]
        if corner.z <= margin:
            dists[kept] = corner.z
            spots[kept] = vec3(corner.x, corner.y, seen.size.z + 0.5 * corner.z)
            kept += 1
    return kept, rotation


@kernel
def set_incident(seen, corners):
    """Set `corners` to the corners, in order, of the incident face of the other box.

    It is the face whose normal is most opposed to the reference face's. The z coordinate of a corner is its height
    above the reference face.
    """
    rise = vec3(seen.axes[6], seen.axes[7], seen.axes[8])
    facing = largest_axis(vec3(abs(rise.x), abs(rise.y), abs(rise.z)))
    u = (facing + 1) % 3
    v = (facing + 2) % 3
    outward = where(rise[facing] > 0.0, -seen.other[facing], seen.other[facing])
    middle = seen.center + column(seen.axes, facing) * outward - vec3(0.0, 0.0, seen.size.z)
    first = column(seen.axes, u) * seen.other[u]
    second = column(seen.axes, v) * seen.other[v]
    corners[0] = middle + first + second
    corners[1] = middle - first + second
    corners[2] = middle - first - second
    corners[3] = middle + first - second


@kernel
def cut(corners, n, axis, side, half):
    """Clip a polygon of n corners in place to the points whose coordinate on an axis, times `side`, is at most `half`.

    Return the number of corners after clipping.
    """
    spare = local(vec3, CORNERS)
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


@kernel
def choose_different(n, spots, dists, boxes, margin, points, good):
    """Choose contacts at different corners; of several at the same corner, choose the first."""
    same = SAME * (boxes.size.x * boxes.size.x + boxes.size.y * boxes.size.y)
    for i in range(n):
        good[i] = 1
        for k in range(i):
            shift = spots[k] - spots[i]
            if good[k] == 1 and shift.x * shift.x + shift.y * shift.y < same:
                good[i] = 0


BOXES_4 = BoxEdition(
    slack=SEPARATE,
    lower_first=False,
    parallel=PARALLEL,
    is_less=is_less,
    settle=prefer_normal,
    meet_at_faces=meet_at_faces,
    meet_at_edges=meet_at_edges,
    choose=choose_different,
)
"""Rules of edition 4.0 for two boxes."""

box_box_4 = collider_by("box_box_4", box_box, BOXES_4, "worlds together run at 0.72 of the speed (rings)")
