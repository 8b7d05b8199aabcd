"""Several contacts of two convex bodies: of their flat faces, or where they touch when they are turned a little."""

import math

from conjoint.lang import (
    kernel,
    load,
    local,
    mat3,
    minimum,
    norm,
    normalize3,
    put,
    quat,
    quat_to_mat,
    real,
    row1,
    row2,
    vec3,
    where,
)
from conjoint.physics.collision.contact import contact_frame
from conjoint.physics.collision.contact_candidates import VECTORS, keep
from conjoint.physics.collision.convex.body import (
    DEEPEST,
    FRAME,
    KIND,
    MARKS,
    POSITION,
    REALS,
    TWO_MARKS,
    TWO_REALS,
    is_flat,
    set_geoms,
)
from conjoint.physics.collision.convex.clip import CLIPPED_MOST, KEPT, clip, keep_corners
from conjoint.physics.collision.convex.collide import touch
from conjoint.physics.collision.convex.features import (
    NO_FACE,
    OUTLINE_MOST,
    corner_count,
    edges_at,
    faces_at,
    facing,
    lying,
    outline_of,
)
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.schema.enums import mjtGeom

APART = 1e-3
"""Distance of different contacts, in units of the smaller bounding sphere."""

COS_HALF = math.cos(0.5e-3)
SIN_HALF = math.sin(0.5e-3)
"""Of half the angle by which bodies are turned to find further contacts."""


@kernel(per_world=True, exact=True)
def keep_between(dists, points, n, dist, first, second):
    """Contact number n, between two points of overlapping bodies; how many there are then."""
    middle = (first + second) * 0.5
    return keep(dists, points, n, dist, middle, normalize3(first - second), vec3(0.0, 0.0, 0.0))


@kernel(per_world=True, exact=True)
def flat_contacts(m, reals, marks, ends, dist, dists, points):
    """Contacts of two flat bodies that overlap: at the corners of what two facing faces, or an edge and a face, share.

    Where there is nothing of the kind there is one contact, at the deepest points.
    """
    ways1 = local(vec3, OUTLINE_MOST)
    ways2 = local(vec3, OUTLINE_MOST)
    faces1 = local(int, OUTLINE_MOST)
    faces2 = local(int, OUTLINE_MOST)
    others = local(vec3, OUTLINE_MOST)
    polygon = local(vec3, CLIPPED_MOST)
    outline = local(vec3, OUTLINE_MOST)
    way = ends[1] - ends[0]
    depth = norm(way)
    corners1 = corner_count(reals, marks, 0)
    corners2 = corner_count(reals, marks, 1)
    count1 = faces_at(m, reals, marks, 0, corners1, ends[0] - ends[1], ways1, faces1)
    count2 = faces_at(m, reals, marks, 1, corners2, way, ways2, faces2)
    match = facing(ways1, count1, ways2, count2)
    if match != NO_FACE:
        i = match // OUTLINE_MOST
        j = match % OUTLINE_MOST
        shift = ways2[j] * depth
        count = outline_of(m, reals, marks, 0, faces1[i], outline)
        corners = outline_of(m, reals, marks, 1, faces2[j], polygon)
        corners = clip(outline, count, ways1[i], polygon, corners)
        return keep_polygon(ends, dist, polygon, corners, shift, dists, points)
    # an edge of the first body along a face of the second
    if corners1 < 3 and corners1 <= corners2:
        count1 = edges_at(m, reals, marks, 0, corners1, others, ways1)
        match = lying(ways2, count2, ways1, count1)
        if match != NO_FACE:
            face = match // OUTLINE_MOST
            polygon[0] = load(vec3, reals, DEEPEST)
            polygon[1] = others[match % OUTLINE_MOST]
            count = outline_of(m, reals, marks, 1, faces2[face], outline)
            corners = clip(outline, count, ways2[face], polygon, 2)
            return keep_polygon(ends, dist, polygon, corners, ways2[face] * depth, dists, points)
    elif corners2 < 3:
        count2 = edges_at(m, reals, marks, 1, corners2, others, ways2)
        match = lying(ways1, count1, ways2, count2)
        if match != NO_FACE:
            face = match // OUTLINE_MOST
            polygon[0] = load(vec3, reals, REALS + DEEPEST)
            polygon[1] = others[match % OUTLINE_MOST]
            count = outline_of(m, reals, marks, 0, faces1[face], outline)
            corners = clip(outline, count, ways1[face], polygon, 2)
            return keep_polygon(ends, dist, polygon, corners, ways1[face] * -depth, dists, points)
    return keep_between(dists, points, 0, dist, ends[0], ends[1])


@kernel(per_world=True, exact=True)
def keep_polygon(ends, dist, polygon, corners, shift, dists, points):
    """Contacts at the corners of a polygon on the second body, `shift` from the first; how many.

    If it has none, one at the deepest points.
    """
    if corners < 1:
        return keep_between(dists, points, 0, dist, ends[0], ends[1])
    chosen = local(int, KEPT)
    count = keep_corners(polygon, corners, chosen)
    for k in range(count):
        corner = polygon[chosen[k]]
        keep_between(dists, points, k, dist, corner - shift, corner)
    return count


@kernel(per_world=True, exact=True)
def turn_body(reals, b, turn, about):
    """Turn a body about a point."""
    at = b * REALS
    lever = about - load(vec3, reals, at + POSITION)
    put(reals, at + FRAME, turn @ load(mat3, reals, at + FRAME))
    put(reals, at + POSITION, load(vec3, reals, at + POSITION) - (turn @ lever - lever))


@kernel(per_world=True, exact=True)
def has_corner_contacts(marks, b):
    """Whether a body may touch another at more than one point."""
    kind = marks[b * MARKS + KIND]
    return kind != mjtGeom.mjGEOM_SPHERE and kind != mjtGeom.mjGEOM_ELLIPSOID


@kernel(per_world=True, exact=True)
def turned_contacts(m, d, g1, g2, reals, marks, dists, points, touching):
    """Contacts beside the first one, where bodies touch that are turned a little about it, against each other.

    As deep as the first; those too near an earlier one are left out.

    Args:
        m: model.
        d: data.
        g1: first geom.
        g2: second geom.
        reals: the bodies; see `body`.
        marks: see `body`.
        dists: distances of contacts, of which there is one.
        points: vectors of contacts.
        touching: kernel that finds the contact; see `collide.touch`.

    Returns:
        how many contacts there are then.
    """
    if not (has_corner_contacts(marks, 0) and has_corner_contacts(marks, 1)):
        return 1
    poses = local(real, TWO_REALS)
    ends = local(vec3, 2)
    for k in range(TWO_REALS):
        poses[k] = reals[k]
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
        turn_body(reals, 0, turn, about)
        turn_body(reals, 1, turn.T, about)
        dist, pos, normal = touching(m, reals, marks, ends)
        for i in range(TWO_REALS):
            reals[i] = poses[i]
        if dist < FARTHEST and is_apart(points, n, pos, apart):
            n = keep(dists, points, n, dists[0], pos, normal, vec3(0.0, 0.0, 0.0))
    return n


@kernel(per_world=True, exact=True)
def is_apart(points, n, pos, least):
    """Whether a point is farther than `least` (m) from the first n contacts."""
    apart = True
    for k in range(n):
        if norm(points[VECTORS * k] - pos) <= least:
            apart = False
    return apart


@kernel(per_world=True, exact=True)
def convex_several(m, d, g1, g2, margin, dists, points):
    """Several contacts of geoms of any convex types."""
    reals = local(real, TWO_REALS)
    marks = local(int, TWO_MARKS)
    ends = local(vec3, 2)
    set_geoms(m, d, g1, g2, margin, reals, marks)
    dist, pos, normal = touch(m, reals, marks, ends)
    if dist >= FARTHEST:
        return 0
    if is_flat(reals, marks, 0) and is_flat(reals, marks, 1):
        return flat_contacts(m, reals, marks, ends, dist, dists, points)
    keep(dists, points, 0, margin + dist, pos, normal, vec3(0.0, 0.0, 0.0))
    return turned_contacts(m, d, g1, g2, reals, marks, dists, points, touch)
