"""Several contacts of two convex bodies, at corners of the overlap of two faces, or of an edge and a face.

The last simplex, or the last face of the polytope, in the search for the nearest or deepest points determines the face,
edge or corner of each body. If two faces are parallel, the outline of one is clipped at the outline of the other. If an
edge is parallel to a face, it is clipped at the outline of the face. Up to four corners of the result become contacts.
Boxes and meshes have faces and edges. A cylinder has caps, and an edge along its side at the contact. A capsule has one
edge.

If the bodies are not both flat, they are rotated slightly about their contact, in opposite directions. If they then
touch at another point, that is another contact.

The editions differ in which faces count as parallel, in the corners that they choose, and in the depths of the
contacts; see `editions`.
"""

import math
from dataclasses import dataclass

from conjoint.lang import (
    Group,
    Kernel,
    group,
    kernel,
    local,
    mat3,
    minimum,
    norm,
    quat,
    quat_to_mat,
    real,
    row1,
    row2,
    struct,
    vec3,
    where,
)
from conjoint.physics.collision.contact_candidates import VECTORS, contact_frame, keep
from conjoint.physics.collision.convex.body import Body, is_flat, set_geoms
from conjoint.physics.collision.convex.clip import CHOSEN, CLIPPED_MOST, OUTLINE_MOST, Cut, clip
from conjoint.physics.collision.convex.collide import Touch, touch
from conjoint.physics.collision.convex.features import Faces, edges_from, outline_of, set_faces, settle_corners
from conjoint.physics.collision.convex.gjk import FARTHEST
from conjoint.schema.enums import mjtGeom

NO_FACE = -1

APART = 1e-3
"""Minimum distance between contacts, in units of the radius of the smaller bounding sphere."""

COS_HALF = math.cos(0.5e-3)
SIN_HALF = math.sin(0.5e-3)
"""Sine of half the angle by which bodies are rotated; `COS_HALF` is its cosine."""


@dataclass(frozen=True)
class Manifold(Group):
    """Rules of an edition for contacts at faces and edges.

    Attributes:
        touch: `Touch` that finds the first contact.
        flat: True if only flat bodies have contacts at faces and edges; other bodies are rotated, see
            `turned_contacts`.
        aligned: cosine of the angle up to which a face of a box counts as facing a direction.
        retries: True to try the edge of the other body if there are no contacts at the edge of one body.
        facing: kernel that finds two parallel faces; see `editions.best_facing_4`.
        along: kernel that finds a face that is parallel to an edge; see `editions.first_along_4`.
        cut: rounding rules of polygon clipping.
        stays: kernel that returns True if a corner of the overlap is close enough to be a contact.
        choose: kernel that chooses the corners that become contacts.
        place: kernel that returns distance, position and normal of the contact at a corner.
        level: kernel that returns the common distance of all contacts, given the distance of the deepest points; see
            `same_level`.
    """

    touch: Touch
    flat: bool
    aligned: float
    retries: bool
    facing: Kernel
    along: Kernel
    cut: Cut
    stays: Kernel
    choose: Kernel
    place: Kernel
    level: Kernel


@struct
def Shared(
    polygon=(vec3, CLIPPED_MOST),
    corners=int,
    outline=(vec3, OUTLINE_MOST),
    normal=vec3,
    opposite=vec3,
    sign=real,
    depth=real,
    is_edge=int,
):
    """Overlap of two features: the corners of one feature, and the outline and normal of the face on the other body.

    `opposite` is a unit vector opposed to the normal of that face. `sign` is 1 if `opposite` points from the first body
    to the second, else -1. The distance between the nearest or deepest points is `depth` (m).
    """


@kernel
def same_level(dist, shared):
    """Return the distance of the deepest points, which is used for the contacts at all corners."""
    return dist


@kernel(label="manifold")
def several_contacts(m, d, g1, g2, margin, dists, points, rules):
    """Find contacts of two convex geoms by the rules of a `Manifold`; return their number."""
    bodies = local(Body, 2)
    ends = local(vec3, 2)
    set_geoms(m, d, g1, g2, margin, bodies)
    dist, pos, normal = touch(m, bodies, ends, rules.touch)
    d.apart_found = bodies[0].away
    if dist >= FARTHEST:
        return 0
    if rules.flat:
        flat = is_flat(bodies[0]) and is_flat(bodies[1])
        if not flat:
            keep(dists, points, 0, margin + dist, pos, normal)
            return turned_contacts(m, g1, g2, bodies, dists, points, rules.touch)
    shared = local(Shared, 1)[0]
    find_shared(m, bodies, ends, margin, shared, rules)
    if shared.corners < 1:
        return keep(dists, points, 0, margin + dist, pos, normal)
    return keep_shared(shared, rules.level(dist, shared), dists, points, rules)


@kernel
def keep_shared(shared, dist, dists, points, rules):
    """Store the contacts at the chosen corners of the overlap of two features; return their number."""
    chosen = local(int, CHOSEN)
    count = rules.choose(shared.polygon, shared.corners, chosen, shared.is_edge)
    for k in range(count):
        own, pos, normal = rules.place(shared, shared.polygon[chosen[k]], dist)
        keep(dists, points, k, own, pos, normal)
    return count


@kernel
def find_shared(m, bodies, ends, margin, shared, rules):
    """Find the overlap of two faces of the bodies that face each other, or of an edge and a face.

    If there is no overlap, `shared` has no corners.

    Args:
        m: model, for its meshes.
        bodies: two bodies, see `body`, with the deepest corners that the search recorded.
        ends: the nearest or deepest points.
        margin: maximum height (m) of corners of one body above a face of the other at which they are contacts.
        shared: receives the overlap.
        rules: a `Manifold`.
    """
    faces = local(Faces, 2)
    first = faces[0]
    second = faces[1]
    way = ends[1] - ends[0]
    shared.corners = 0
    shared.depth = norm(way)
    settle_corners(m, bodies[0])
    settle_corners(m, bodies[1])
    set_faces(m, bodies[0], -way, first, rules.aligned)
    set_faces(m, bodies[1], way, second, rules.aligned)
    match = rules.facing(first, second, way)
    if match != NO_FACE:
        share_faces(m, bodies, faces, match, margin, shared, rules)
        return
    on_second = first.corners < 3 and first.corners <= second.corners
    if rules.retries:
        on_second = first.corners < 3 and second.count > 0 and (on_second or first.count == 0)
    if on_second:
        edge = Edge(0, first.corners, ends[0], way, second)
        share_edge(m, bodies[0], bodies[1], edge, margin, shared, rules)
    # where two edges cross, each may be parallel to a face of the other body
    again = rules.retries and shared.corners == 0 and first.corners == 2 and second.corners == 2
    if second.corners < 3 and (not on_second or again):
        edge = Edge(1, second.corners, ends[1], -way, first)
        share_edge(m, bodies[1], bodies[0], edge, margin, shared, rules)


@kernel
def share_faces(m, bodies, faces, match, margin, shared, rules):
    """Clip the matched face of the second body at the matched face of the first; see `editions.best_facing_4`."""
    i = match // OUTLINE_MOST
    j = match % OUTLINE_MOST
    shared.normal = faces[0].normals[i]
    shared.opposite = faces[1].normals[j]
    shared.sign = -1.0
    shared.is_edge = 0
    count = outline_of(m, bodies[0], faces[0].numbers[i], shared.outline)
    corners = outline_of(m, bodies[1], faces[1].numbers[j], shared.polygon)
    clip_shared(shared, count, corners, margin, rules)


@group
def Edge(side, corners, end, way, faces):
    """One body's data for clipping an edge at its deepest point.

    Fields are the index of the body (0 or 1), the number of its deepest corners, the deepest point, the vector to the
    deepest point of the other body, and the faces of the other body.
    """


@kernel
def share_edge(m, body, other, edge, margin, shared, rules):
    """Clip an edge of a body at the outline of a parallel face of the other body, if there is one."""
    ends = local(vec3, OUTLINE_MOST)
    ways = local(vec3, OUTLINE_MOST)
    edges = edges_from(m, body, edge.corners, edge.end, ends, ways)
    match = rules.along(edge.faces, ways, edges, edge.way)
    if match == NO_FACE:
        return
    i = match // OUTLINE_MOST
    normal = edge.faces.normals[i]
    shared.normal = normal
    shared.opposite = -normal
    shared.sign = 1.0 - 2.0 * edge.side
    shared.is_edge = 1
    # the edge of a capsule is on the surface inflated by half the margin
    shift = vec3(0.0, 0.0, 0.0)
    if body.kind == mjtGeom.mjGEOM_CAPSULE:
        shift = normal * (0.5 * margin)
    shared.polygon[0] = body.deepest[0] + shift
    shared.polygon[1] = ends[match % OUTLINE_MOST] + shift
    count = outline_of(m, other, edge.faces.numbers[i], shared.outline)
    clip_shared(shared, count, 2, margin, rules)


@kernel
def clip_shared(shared, count, corners, margin, rules):
    """Clip a polygon at an outline of `count` corners, and drop corners that are not close to the face."""
    shared.corners = 0
    if count >= 3:
        corners = clip(shared.outline, count, shared.normal, shared.polygon, corners, rules.cut)
        kept = 0
        for k in range(corners):
            if rules.stays(shared, shared.polygon[k], margin):
                shared.polygon[kept] = shared.polygon[k]
                kept += 1
        shared.corners = kept


# ---- rotated bodies


@kernel
def turn_body(body, turn, about):
    """Rotate a body about a point."""
    lever = about - body.pos
    body.frame = turn @ body.frame
    body.pos = body.pos - (turn @ lever - lever)


@kernel
def has_corner_contacts(body):
    """Return True if a body may touch another at more than one point."""
    kind = body.kind
    return kind != mjtGeom.mjGEOM_SPHERE and kind != mjtGeom.mjGEOM_ELLIPSOID


@kernel(label="manifold")
def turned_contacts(m, g1, g2, bodies, dists, points, how):
    """Add contacts beside the first one, where bodies touch after small opposite rotations about it.

    The new contacts have the depth of the first contact. A contact that is too close to an earlier one is skipped.

    Args:
        m: model.
        g1: first geom.
        g2: second geom.
        bodies: two bodies, see `body`.
        dists: distances of the contacts; the first one is already set.
        points: vectors of the contacts; those of the first contact are already set.
        how: a `Touch`.

    Returns:
        the number of contacts.
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
        dist, pos, normal = touch(m, bodies, ends, how)
        for b in range(2):
            bodies[b].pos = positions[b]
            bodies[b].frame = frames[b]
        if dist < FARTHEST and is_apart(points, n, pos, apart):
            n = keep(dists, points, n, dists[0], pos, normal)
    return n


@kernel
def is_apart(points, n, pos, least):
    """Return True if a point is farther than `least` (m) from each of the first n contacts."""
    apart = True
    for k in range(n):
        if norm(points[VECTORS * k] - pos) <= least:
            apart = False
    return apart
