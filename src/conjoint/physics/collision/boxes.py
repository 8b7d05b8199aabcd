"""Box-box collision: the axis of least overlap, and the frame of the reference face.

Two boxes are apart if one of fifteen axes separates them (Gottschalk, Lin & Manocha, OBBTree, SIGGRAPH 1996). These
axes are the face normals of both boxes, and the cross products of one edge of each. Along a unit vector n, a box with
axes a_k and half sizes s_k extends to sum |n . a_k| s_k from its center. The overlap of two boxes is the sum of both
extents, minus the distance of their centers along n.

Let the columns of T be the axes of the second box, in the frame of the first. The cross product of edges i and j is e_i
x T e_j in the frame of the first box, and T' e_i x e_j in that of the second. Its length is the sine of the angle
between the edges. In each frame, two of its components are not zero: they are elements of T, except for their sign.

The axis of least overlap is the direction of the shortest translation that separates the boxes. Contacts are at the
features that meet along this axis: a reference face and the face of the other box below it, or two edges. An edition
(`BoxEdition`) decides between nearly equal axes, and determines which corners of the features become contacts: see
`box_box_3` and `box_box_4`.
"""

from dataclasses import dataclass

from conjoint.lang import (
    Group,
    Kernel,
    abs,
    cross,
    dot,
    formula,
    group,
    kernel,
    local,
    mat3,
    minimum,
    norm,
    sqrt,
    vec3,
    where,
)
from conjoint.physics.collision.contact_candidates import VECTORS, keep
from conjoint.physics.geometry.matrix import column, largest_axis, on_axis
from conjoint.physics.geometry.shape import face_overlaps
from conjoint.physics.official.box_corners import side_of_edge
from conjoint.schema.constants import mjMAXCONPAIR

EXACT_KERNELS = True

APART = -1
SECOND = 3
EDGES = 6
"""Axis number of the first cross product of edges.

Axes 0 to 2 are the normals of the first box, and axes `SECOND` to `EDGES` - 1 are the normals of the second
box. The cross product of edge i of the first box and edge j of the second box has the number `EDGES` + 3 i + j.
`APART` means that no axis is returned, because the boxes are apart.
"""

NEARLY_PARALLEL = 1e-16
"""Squared sine of the angle between edges below which their axis is ignored, tested before its length is computed."""

ROUNDING = 1e-12
"""Rounding error, relative to the box sizes, of overlaps that are not yet divided by the length of their axis."""


@group
def Boxes(size, axes, center, other):
    """Half sizes of a box; axes (columns) and center of another box in its frame; half sizes of the other box."""


@dataclass(frozen=True)
class BoxEdition(Group):
    """Rules of an edition for the collision of two boxes.

    Attributes:
        slack: gap up to which boxes count as overlapping because of rounding, in units of the sum of all half sizes.
        lower_first: tie-breaking rule for two face normals with equal overlaps: True to prefer the normal with the
            lower axis number in its box, False to prefer the normal of the first box.
        parallel: sine of the angle between edges below which their cross product is not an axis.
        is_less: kernel `(overlap, best)` that returns True if edges overlap less than along all earlier axes.
        settle: kernel `(boxes, axis, face, best, least)` that returns the axis to use, given the best axis, the best
            face normal and their overlaps; None to use the best axis.
        meet_at_faces: kernel `(boxes, axis, margin, dists, spots)` that finds contacts at the face of the first box
            that is perpendicular to an axis. It returns their number and the rotation to the frame of that face, whose
            z axis points outward; `spots` receives their positions in that frame, relative to the center of the box.
        meet_at_edges: kernel `(boxes, pair, margin, rounding, dists, spots)` that finds contacts at edges i and j,
            where `pair` is 3 i + j; `rounding` is the relative error of overlaps. It also returns the contact normal in
            the frame of the face.
        choose: kernel `(n, spots, dists, boxes, margin, points, good)` that sets `good` to 1 for contacts to keep.
        any_depth: mjMAXVAL to keep contacts that are deeper than the overlap of the boxes, else 0.
    """

    slack: float
    lower_first: bool
    parallel: float
    is_less: Kernel
    settle: Kernel | None
    meet_at_faces: Kernel
    meet_at_edges: Kernel
    choose: Kernel
    any_depth: float = 0.0


@formula("mat3", "mat3")
def edge_lengths(turn):
    """Return the squared lengths of the cross products of all pairs of edges."""
    pairs = [(turn[3 * ((i + 1) % 3) + j], turn[3 * ((i + 2) % 3) + j]) for i in range(3) for j in range(3)]
    return tuple(a * a + b * b for a, b in pairs)


@formula("mat3", "mat3", "vec3", "vec3", "vec3", "mat3")
def edge_overlaps(turn, between, size1, size2, lengths):
    """Return the overlaps along the cross products of all pairs of edges, divided by `lengths`."""
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
    """Return the square roots of all elements of a matrix."""
    return tuple(sqrt(square) for square in squares)


@kernel
def least_part(v):
    """Return the smallest component of a vector."""
    return minimum(v.x, minimum(v.y, v.z))


# ---- the axis of least overlap


@kernel
def least_axis(m, d, g1, g2, margin, edition):
    """Return the number of the axis along which two boxes overlap least.

    The result is `APART` if the boxes are farther apart than the margin.
    """
    between = d.geom_xpos[g2] - d.geom_xpos[g1]
    frame1 = d.geom_xmat[g1]
    frame2 = d.geom_xmat[g2]
    boxes = Boxes(m.geom_size[g1], frame1.T @ frame2, frame1.T @ between, m.geom_size[g2])
    limit = margin + edition.slack * total_size(boxes)
    first = face_overlaps(boxes.axes, boxes.center, boxes.size, boxes.other)
    if not least_part(first) >= -limit:
        return APART
    second = face_overlaps(boxes.axes.T, frame2.T @ -between, boxes.other, boxes.size)
    if not least_part(second) >= -limit:
        return APART
    one = largest_axis(-first)
    two = largest_axis(-second)
    of_second = least_part(second) < least_part(first)
    if edition.lower_first:
        of_second = of_second | ((least_part(second) == least_part(first)) & (two < one))
    face = where(of_second, SECOND + two, one)
    return least_edge_axis(boxes, limit, face, minimum(least_part(first), least_part(second)), edition)


@kernel
def total_size(boxes):
    """Return the sum of all half sizes of two boxes."""
    return boxes.size.x + boxes.size.y + boxes.size.z + boxes.other.x + boxes.other.y + boxes.other.z


@kernel
def least_edge_axis(boxes, limit, face, least, edition):
    """Return the number of the axis of least overlap, given the best face normal, `face`, and its overlap, `least`."""
    # Most separate pairs need no square root: lengths are at most one, so gaps only grow when divided by them.
    squares = edge_lengths(boxes.axes)
    ones = mat3(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    overlaps = edge_overlaps(boxes.axes, boxes.center, boxes.size, boxes.other, ones)
    axis = face
    far = -limit - ROUNDING * total_size(boxes)
    for k in range(9):
        axis = where((squares[k] > NEARLY_PARALLEL) & (overlaps[k] < far), APART, axis)
    if axis == APART:
        return APART
    lengths = roots(squares)
    overlaps = edge_overlaps(boxes.axes, boxes.center, boxes.size, boxes.other, lengths)
    best = least
    for k in range(9):
        # parallel edges have no cross product
        crossing = (lengths[k] >= edition.parallel) & (axis != APART)
        less = crossing & edition.is_less(overlaps[k], best)
        best = where(less, overlaps[k], best)
        axis = where(less, EDGES + k, axis)
        axis = where(crossing & (overlaps[k] < -limit), APART, axis)
    if edition.settle:
        axis = edition.settle(boxes, axis, face, best, least)
    return axis


# ---- contacts


@kernel
def box_box(m, d, g1, g2, margin, dists, points, edition):
    """Find the contacts of two boxes: up to eight, but more in some positions in edition 3.3.5."""
    axis = least_axis(m, d, g1, g2, margin, edition)
    return box_contacts(m, d, g1, g2, axis, margin, dists, points, edition)


@kernel
def box_contacts(m, d, g1, g2, axis, margin, dists, points, edition):
    """Find the contacts of two boxes along the axis of least overlap; return their number."""
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
        limit = margin + edition.slack * total_size(boxes)
        rounding = sqrt(m.epsilon) + edition.any_depth
        n, rotation, normal = edition.meet_at_edges(boxes, axis - EDGES, limit, rounding, dists, spots)
    else:
        n, rotation = edition.meet_at_faces(boxes, axis % SECOND, margin, dists, spots)
        normal = vec3(0.0, 0.0, 1.0)
    frame = frame @ rotation.T
    normal = frame @ normal * where(of_second, -1.0, 1.0)
    for i in range(n):
        points[VECTORS * i] = d.geom_xpos[first] + frame @ spots[i]
    good = local(int, mjMAXCONPAIR)
    edition.choose(n, spots, dists, rotated(boxes, rotation), margin, points, good)
    kept = 0
    for i in range(n):
        if good[i] == 1:
            kept = keep(dists, points, kept, dists[i], points[VECTORS * i], normal)
    return kept


@kernel
def rotated(boxes, rotation):
    """Return two boxes in a frame at the center of the first, with axes permuted and reversed by `rotation`."""
    half = rotation @ boxes.size
    half = vec3(abs(half.x), abs(half.y), abs(half.z))
    return Boxes(half, rotation @ boxes.axes, rotation @ boxes.center, boxes.other)


@kernel
def edge_normals(i, j, turn, between):
    """Return the common unit normal of edges i and j, from the first box to the second, in the frames of both boxes."""
    in_first = cross(on_axis(i, 1.0), column(turn, j))
    in_second = cross(column(turn.T, i), on_axis(j, 1.0)) + side_of_edge(j)
    inverse = 1.0 / norm(in_first)
    if dot(between, in_first) < 0.0:
        inverse = -inverse
    return in_first * inverse, in_second * inverse
