"""Several contacts of two convex bodies: of their flat faces, or where they touch when they are turned a little."""

import math
from dataclasses import dataclass

from conjoint.lang import (
    Group,
    Kernel,
    change,
    dot,
    kernel,
    local,
    mat3,
    minimum,
    norm,
    normalize3,
    quat,
    quat_to_mat,
    row1,
    row2,
    stop_gradient,
    vec3,
    where,
)
from conjoint.physics.collision.contact_candidates import VECTORS, contact_frame, keep
from conjoint.physics.collision.convex.body import Body, is_flat, set_geoms
from conjoint.physics.collision.convex.clip import CHOSEN, CLIPPED_MOST, CUT_3, area_by_sides, choose_widest, clip
from conjoint.physics.collision.convex.collide import touch
from conjoint.physics.collision.convex.features import (
    EDGE_ALIGNED,
    FACES_ALIGNED,
    NO_FACE,
    OUTLINE_MOST,
    Faces,
    edges_at,
    first_pair,
    outline_of,
    set_faces,
)
from conjoint.physics.collision.convex.gjk import is_equal
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.schema.constants import mjMAXVAL
from conjoint.schema.enums import mjtGeom

APART = 1e-3
"""Distance of different contacts, in units of the smaller bounding sphere."""

COS_HALF = math.cos(0.5e-3)
SIN_HALF = math.sin(0.5e-3)
"""Of half the angle by which bodies are turned to find further contacts."""


@kernel
def keep_between(dists, points, n, dist, first, second):
    """Contact number n, between two points of overlapping bodies; how many there are then."""
    middle = (first + second) * 0.5
    return keep(dists, points, n, dist, middle, normalize3(first - second))


@kernel
def flat_contacts(m, bodies, ends, dist, dists, points, level):
    """Contacts of two flat bodies that overlap: at the corners of what two facing faces, or an edge and a face, share.

    Where there is nothing of the kind there is one contact, at the deepest points. `level` is a kernel that returns the
    distance of all; see `level_of_deepest`.
    """
    polygon = local(vec3, CLIPPED_MOST)
    outline = local(vec3, OUTLINE_MOST)
    corners, normal, shift = shared_polygon(m, bodies, ends, polygon, outline)
    dist = level(dist, polygon, corners, normal, outline[0])
    return keep_polygon(ends, dist, polygon, corners, shift, dists, points)


@kernel
def shared_polygon(m, bodies, ends, polygon, outline):
    """Find what two facing faces of flat bodies that overlap share, or an edge and a face.

    Args:
        m: model, for its meshes.
        bodies: two of them, see `body`, as the search left them.
        ends: the deepest points.
        polygon: receives the corners, on the second body.
        outline: receives the corners of the face below them, which the first one tells the place of.

    Returns:
        how many corners, 0 if there is nothing of the kind; outward normal of that face; the way to the first body.
    """
    faces = local(Faces, 2)
    way = ends[1] - ends[0]
    depth = norm(way)
    first = faces[0]
    second = faces[1]
    set_faces(m, bodies[0], -way, first)
    set_faces(m, bodies[1], way, second)
    shift = vec3(0.0, 0.0, 0.0)
    normal = vec3(0.0, 0.0, 0.0)
    corners = 0
    match = first_pair(first, second.normals, second.count, -mjMAXVAL, -FACES_ALIGNED)
    if match != NO_FACE:
        i = match // OUTLINE_MOST
        j = match % OUTLINE_MOST
        count = outline_of(m, bodies[0], first.numbers[i], outline)
        corners = outline_of(m, bodies[1], second.numbers[j], polygon)
        corners = clip(outline, count, first.normals[i], polygon, corners, CUT_3)
        return corners, first.normals[i], second.normals[j] * depth
    # an edge of one body along a face of the other
    if first.corners < 3 and first.corners <= second.corners:
        corners, normal = clip_edge(m, bodies[0], first.corners, bodies[1], second, polygon, outline)
        shift = normal * depth
    elif second.corners < 3:
        corners, normal = clip_edge(m, bodies[1], second.corners, bodies[0], first, polygon, outline)
        shift = normal * -depth
    return corners, normal, shift


@kernel
def same_level(dist, polygon, corners, normal, point):
    """The distance of contacts at the corners of a polygon, as deep as the deepest points."""
    return dist


@kernel
def level_of_deepest(dist, polygon, corners, normal, point):
    """`same_level` with derivatives: along each direction those of the corner that becomes the deepest.

    Args:
        dist: the distance.
        polygon: points, all at this distance.
        corners: how many.
        normal: outward normal of the face below them, which moves with its body.
        point: a point of that face.
    """
    if corners < 1:
        return dist
    lowest = change(dot(normal, polygon[0] - point))
    for k in range(1, corners):
        lowest = minimum(lowest, change(dot(normal, polygon[k] - point)))
    return stop_gradient(dist) + lowest


@kernel
def clip_edge(m, body, corners, other, faces, polygon, outline):
    """Clip an edge at the deepest corners of a body at that of the `faces` of another one that it runs along.

    `outline` receives that face.

    Returns:
        number of corners of what is left of the edge, 0 where there is no such face; normal of the face.
    """
    others = local(vec3, OUTLINE_MOST)
    ways = local(vec3, OUTLINE_MOST)
    edges = edges_at(m, body, corners, others, ways)
    match = first_pair(faces, ways, edges, -EDGE_ALIGNED, EDGE_ALIGNED)
    if match == NO_FACE:
        return 0, vec3(0.0, 0.0, 0.0)
    face = match // OUTLINE_MOST
    polygon[0] = body.deepest[0]
    polygon[1] = others[match % OUTLINE_MOST]
    sides = outline_of(m, other, faces.numbers[face], outline)
    return clip(outline, sides, faces.normals[face], polygon, 2, CUT_3), faces.normals[face]


@kernel
def keep_polygon(ends, dist, polygon, corners, shift, dists, points):
    """Contacts at the corners of a polygon on the second body, `shift` from the first; how many.

    If it has none, one at the deepest points.
    """
    if corners < 1:
        return keep_between(dists, points, 0, dist, ends[0], ends[1])
    chosen = local(int, CHOSEN)
    count = keep_corners(polygon, corners, chosen)
    for k in range(count):
        corner = polygon[chosen[k]]
        keep_between(dists, points, k, dist, corner - shift, corner)
    return count


@kernel
def keep_corners(polygon, count, chosen):
    """Choose the corners of a polygon that become contacts: all different ones, or the widest four; how many."""
    if count > CHOSEN:
        choose_widest(polygon, count, chosen, area_by_sides)
        return CHOSEN
    n = 0
    for k in range(count):
        known = False
        for j in range(n):
            if is_equal(polygon[chosen[j]], polygon[k]):
                known = True
        if not known:
            chosen[n] = k
            n += 1
    return n


@kernel
def turn_body(body, turn, about):
    """Turn a body about a point."""
    lever = about - body.pos
    body.frame = turn @ body.frame
    body.pos = body.pos - (turn @ lever - lever)


@kernel
def has_corner_contacts(body):
    """Whether a body may touch another at more than one point."""
    kind = body.kind
    return kind != mjtGeom.mjGEOM_SPHERE and kind != mjtGeom.mjGEOM_ELLIPSOID


@kernel
def turned_contacts(m, g1, g2, bodies, dists, points, touching):
    """Contacts beside the first one, where bodies touch that are turned a little about it, against each other.

    As deep as the first; those too near an earlier one are left out.

    Args:
        m: model.
        g1: first geom.
        g2: second geom.
        bodies: two of them, see `body`.
        dists: distances of contacts, of which there is one.
        points: vectors of contacts.
        touching: kernel that finds the contact; see `collide.touch`.

    Returns:
        how many contacts there are then.
    """
    if not (has_corner_contacts(bodies[0]) and has_corner_contacts(bodies[1])):
        return 1
    ends = local(vec3, 2)
    positions = local(vec3, 2)
    frames = local(mat3, 2)
    for b in range(2):
        positions[b] = bodies[b].pos
        frames[b] = bodies[b].frame
    about = points[0]
    frame = contact_frame(points[1], vec3(0.0, 0.0, 0.0))
    apart = APART * minimum(m.geom_rbound[g1], m.geom_rbound[g2])
    n = 1
    for k in range(4):
        axis = row1(frame)
        if k >= 2:
            axis = row2(frame)
        side = where(k % 2 == 0, -SIN_HALF, SIN_HALF)
        turn = quat_to_mat(quat(COS_HALF, axis.x * side, axis.y * side, axis.z * side))
        turn_body(bodies[0], turn, about)
        turn_body(bodies[1], turn.T, about)
        dist, pos, normal = touching(m, bodies, ends)
        for b in range(2):
            bodies[b].pos = positions[b]
            bodies[b].frame = frames[b]
        if dist < FARTHEST and is_apart(points, n, pos, apart):
            n = keep(dists, points, n, dists[0], pos, normal)
    return n


@kernel
def is_apart(points, n, pos, least):
    """Whether a point is farther than `least` (m) from the first n contacts."""
    apart = True
    for k in range(n):
        if norm(points[VECTORS * k] - pos) <= least:
            apart = False
    return apart


@kernel
def convex_several(m, d, g1, g2, margin, dists, points):
    """Several contacts of geoms of any convex types."""
    return several_contacts(m, d, g1, g2, margin, dists, points, Finding(touch, same_level))


@dataclass(frozen=True)
class Finding(Group):
    """How several contacts are found.

    Attributes:
        touch: finds one contact; see `collide.touch`.
        level: finds the distance of contacts at the corners of a polygon; see `level_of_deepest`.
    """

    touch: Kernel
    level: Kernel


@kernel
def several_contacts(m, d, g1, g2, margin, dists, points, finding):
    """The same, with the kernels of a `Finding`."""
    bodies = local(Body, 2)
    ends = local(vec3, 2)
    set_geoms(m, d, g1, g2, margin, bodies)
    dist, pos, normal = finding.touch(m, bodies, ends)
    d.apart_found = bodies[0].away
    if dist >= FARTHEST:
        return 0
    if is_flat(bodies[0]) and is_flat(bodies[1]):
        return flat_contacts(m, bodies, ends, dist, dists, points, finding.level)
    keep(dists, points, 0, margin + dist, pos, normal)
    return turned_contacts(m, g1, g2, bodies, dists, points, finding.touch)
