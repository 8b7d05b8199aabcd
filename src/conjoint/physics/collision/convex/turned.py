"""Contacts of bodies that touch in several points and are not both flat: where they touch when turned a little."""

import math

from conjoint.lang import kernel, local, mat3, minimum, norm, quat, quat_to_mat, row1, row2, vec3, where
from conjoint.physics.collision.contact_candidates import VECTORS, contact_frame, keep
from conjoint.physics.collision.convex.collide import touch
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.schema.enums import mjtGeom

APART = 1e-3
"""Distance of different contacts, in units of the smaller bounding sphere."""

COS_HALF = math.cos(0.5e-3)
SIN_HALF = math.sin(0.5e-3)
"""Of half the angle by which bodies are turned."""


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
def turned_contacts(m, g1, g2, bodies, dists, points, how):
    """Contacts beside the first one, where bodies touch that are turned a little about it, against each other.

    As deep as the first; those too near an earlier one are left out.

    Args:
        m: model.
        g1: first geom.
        g2: second geom.
        bodies: two of them, see `body`.
        dists: distances of contacts, of which there is one.
        points: vectors of contacts.
        how: a `Touch`.

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
        dist, pos, normal = touch(m, bodies, ends, how)
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
