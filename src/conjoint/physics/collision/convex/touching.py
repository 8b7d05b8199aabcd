"""Signed distance of two convex bodies that just touch.

Along a unit vector u the Minkowski difference reaches h(u), the largest p . u of its points p, and the signed distance
of the bodies is the largest -h(u) of all directions (Cameron & Culley, Determining the minimum translational distance
between two convex polyhedra, ICRA 1986). Where the origin lies on the surface of the difference but for rounding,
neither its nearest point nor a face around it has a direction. So the second body is moved away along a direction that
is roughly right, by h(u) and a little more. Nearest points of what is apart do have a direction, and that is a better
one: the way was short, and the direction turns only by what the surface bends over it.
"""

from conjoint.lang import (
    abs,
    dot,
    kernel,
    load,
    local,
    mat3,
    maximum,
    norm,
    normalize3,
    put,
    vec3,
    x_axis,
    y_axis,
    z_axis,
)
from conjoint.physics.collision.convex.body import (
    CORNER,
    CORNERS,
    DEEPEST,
    DEEPEST_CORNER,
    FLEXIBLE,
    FRAME,
    KIND,
    MARKS,
    MESH,
    POSITION,
    PRISM_CORNERS,
    REALS,
    TWO_MARKS,
    farthest,
    middle_of,
)
from conjoint.physics.collision.convex.gjk import approach
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.schema.enums import mjtGeom

TURNS = 8
"""Most directions that are improved."""

PARTED = 1e-2
"""How far bodies are parted, relative to how thick both are along the direction."""

SAME = 1e-9
"""Change of a direction (rad) with which the search ends."""

ROUNDING = 64.0
"""Rounding errors, in units of the last bit of a position, up to which bodies neither overlap nor are apart."""


@kernel(per_world=True, exact=True)
def reach_along(m, reals, marks, way):
    """How far the difference of the bodies reaches along a unit vector (m): h(u)."""
    return dot(farthest(m, reals, marks, 0, way) - farthest(m, reals, marks, 1, -way), way)


@kernel(per_world=True, exact=True)
def move_second(reals, marks, step):
    """Move the second body."""
    put(reals, REALS + POSITION, load(vec3, reals, REALS + POSITION) + step)
    if marks[MARKS + KIND] == FLEXIBLE:
        for k in range(marks[MARKS + MESH]):
            at = REALS + CORNERS + 3 * k
            put(reals, at, load(vec3, reals, at) + step)


@kernel(per_world=True, exact=True)
def better_of(m, reals, marks, way, other):
    """That of two directions along which the difference reaches less far."""
    if reach_along(m, reals, marks, other) < reach_along(m, reals, marks, way):
        return other
    return way


@kernel(per_world=True, exact=True)
def rough_way(m, reals, marks, way):
    """A direction to begin with: a given one, the line between the middles, or an axis of a body."""
    best = better_of(m, reals, marks, normalize3(middle_of(reals, marks, 1) - middle_of(reals, marks, 0)), way)
    for b in range(2):
        kind = marks[b * MARKS + KIND]
        if kind != FLEXIBLE and kind != mjtGeom.mjGEOM_SPHERE:
            frame = load(mat3, reals, b * REALS + FRAME)
            for side in range(-1, 2, 2):
                best = better_of(m, reals, marks, best, x_axis(frame) * (1.0 * side))
                best = better_of(m, reals, marks, best, y_axis(frame) * (1.0 * side))
                best = better_of(m, reals, marks, best, z_axis(frame) * (1.0 * side))
    return best


@kernel(per_world=True, exact=True)
def touching_distance(m, reals, marks, points, names, ends, way):
    """Signed distance (m) of two bodies that touch, overlap a little, or are a little apart.

    Args:
        m: model, for its meshes and tolerances.
        reals: the bodies, with `marks`.
        marks: see `body`.
        points, names: room for the corners of a simplex.
        ends: receives the points between which the distance is: two elements.
        way: a direction to try first.

    Returns:
        the distance, 0 if it is within rounding; the unit vector from the first body to the second along it.
    """
    old = local(vec3, 1 + PRISM_CORNERS)
    keep_place(reals, marks, old)
    # where searches for farthest points begin is part of the bodies
    known = local(int, TWO_MARKS)
    for k in range(TWO_MARKS):
        known[k] = marks[k]
    way = rough_way(m, reals, marks, way)
    best = way
    least = FARTHEST
    first = vec3(0.0, 0.0, 0.0)
    turn = 0
    while turn < TURNS:
        turn += 1
        reach = reach_along(m, reals, marks, way)
        thick = reach + reach_along(m, reals, marks, -way)
        step = maximum(reach, 0.0) + maximum(PARTED * thick, 10.0 * m.opt.ccd_tolerance)
        move_second(reals, marks, way * step)
        ends[0] = middle_of(reals, marks, 0)
        ends[1] = middle_of(reals, marks, 1)
        length, _ = approach(m, reals, marks, points, names, ends, FARTHEST)
        restore_place(reals, marks, old)
        lost = length >= FARTHEST
        if lost:
            ends[0] = farthest(m, reals, marks, 0, way)
        if reach < least:
            least = reach
            best = way
            first = ends[0]
        turned = normalize3(ends[1] - ends[0])
        if lost or norm(turned - way) < SAME:
            turn = TURNS
        if not lost:
            way = turned
    for k in range(TWO_MARKS):
        marks[k] = known[k]
    if abs(least) < ROUNDING * m.epsilon * (norm(first) + norm(old[0])):
        least = 0.0
    ends[0] = first
    ends[1] = first - best * least
    return -least, best


@kernel(per_world=True, exact=True)
def note_corners(m, reals, marks, way):
    """Note the farthest corners along a direction as those between which the bodies are deepest."""
    for b in range(2):
        point = farthest(m, reals, marks, b, way * (1.0 - 2.0 * b))
        for i in range(3):
            put(reals, b * REALS + DEEPEST + 3 * i, point)
            marks[b * MARKS + DEEPEST_CORNER + i] = marks[b * MARKS + CORNER]


@kernel(per_world=True, exact=True)
def keep_place(reals, marks, old):
    """Keep where the second body is."""
    old[0] = load(vec3, reals, REALS + POSITION)
    if marks[MARKS + KIND] == FLEXIBLE:
        for k in range(marks[MARKS + MESH]):
            old[1 + k] = load(vec3, reals, REALS + CORNERS + 3 * k)


@kernel(per_world=True, exact=True)
def restore_place(reals, marks, old):
    """Put the second body back to where it was."""
    put(reals, REALS + POSITION, old[0])
    if marks[MARKS + KIND] == FLEXIBLE:
        for k in range(marks[MARKS + MESH]):
            put(reals, REALS + CORNERS + 3 * k, old[1 + k])
