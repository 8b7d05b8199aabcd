"""Signed distance of two convex bodies that just touch.

Along a unit vector u the Minkowski difference reaches h(u), the largest p . u of its points p, and the signed distance
of the bodies is the largest -h(u) of all directions (Cameron & Culley, Determining the minimum translational distance
between two convex polyhedra, ICRA 1986). Where the origin lies on the surface of the difference but for rounding,
neither its nearest point nor a face around it has a direction. So the second body is moved away along a direction that
is roughly right, by h(u) and a little more. Nearest points of what is apart do have a direction, and that is a better
one: the way was short, and the direction turns only by what the surface bends over it.
"""

from conjoint.lang import abs, dot, kernel, local, maximum, norm, normalize3, vec3
from conjoint.physics.collision.convex.body import (
    FLEXIBLE,
    NATIVE,
    PRISM_CORNERS,
    Body,
    middle_of,
    set_middles,
    support,
)
from conjoint.physics.collision.convex.gjk import FARTHEST, MEASURED, approach
from conjoint.physics.geometry.matrix import column
from conjoint.schema.enums import mjtGeom

TURNS = 8
"""Most directions that are improved."""

PARTED = 1e-2
"""How far bodies are parted, relative to how thick both are along the direction."""

SAME = 1e-9
"""Change of a direction (rad) with which the search ends, but for rounding."""

ROUNDING = 64.0
"""Rounding errors, in units of the last bit of a position, up to which bodies neither overlap nor are apart."""


@kernel
def reach_along(m, bodies, way):
    """Return how far the difference of the bodies reaches along a unit vector (m): h(u)."""
    return dot(support(m, bodies[0], way, NATIVE) - support(m, bodies[1], -way, NATIVE), way)


@kernel
def move(body, old, step):
    """Move a body from its old place."""
    body.pos = old.pos + step
    for k in range(PRISM_CORNERS):
        body.corners[k] = old.corners[k] + step


@kernel
def better_of(m, bodies, best, least, other):
    """Return the direction along which the difference reaches less far, and how far; `least` along the first."""
    reach = reach_along(m, bodies, other)
    if reach < least:
        return other, reach
    return best, least


@kernel
def rough_way(m, bodies, way):
    """Choose a direction to begin with: a given one, the line between the middles, or an axis of a body; its reach."""
    best = normalize3(middle_of(bodies[1]) - middle_of(bodies[0]))
    best, least = better_of(m, bodies, best, reach_along(m, bodies, best), way)
    for b in range(2):
        kind = bodies[b].kind
        if kind != FLEXIBLE and kind != mjtGeom.mjGEOM_SPHERE:
            frame = bodies[b].frame
            for side in range(-1, 2, 2):
                for k in range(3):
                    best, least = better_of(m, bodies, best, least, column(frame, k) * (1.0 * side))
    return best, least


@kernel
def measure_parted(m, bodies, old, corners, ends, way, reach):
    """Search for the nearest points of two bodies while the second is moved away from its old place along a direction.

    Args:
        m: model.
        bodies: two of them, see `body`.
        old: the second one, as it was.
        corners: room for the corners of a simplex.
        ends: receives the nearest points; if there are none, the first is the farthest along the direction.
        way: the direction.
        reach: how far the difference of the bodies reaches along it (m).

    Returns:
        whether the points are found; the unit vector from the first to the second.
    """
    thick = reach + reach_along(m, bodies, -way)
    step = maximum(reach, 0.0) + maximum(PARTED * thick, 10.0 * m.opt.ccd_tolerance)
    move(bodies[1], old, way * step)
    set_middles(bodies, ends)
    length, _ = approach(m, bodies, corners, ends, FARTHEST, MEASURED)
    move(bodies[1], old, vec3(0.0, 0.0, 0.0))
    if length >= FARTHEST:
        ends[0] = support(m, bodies[0], way, NATIVE)
    return length < FARTHEST, normalize3(ends[1] - ends[0])


@kernel
def touching_distance(m, bodies, corners, ends, way, reach):
    """Measure the signed distance (m) of two bodies that touch, overlap a little, or are a little apart.

    Args:
        m: model, for its meshes and tolerances.
        bodies: two of them, see `body`.
        corners: room for the corners of a simplex.
        ends: receives the points between which the distance is: two elements.
        way: a direction to begin with, see `rough_way`.
        reach: how far the difference of the bodies reaches along it (m).

    Returns:
        the distance, 0 if it is within rounding; the unit vector from the first body to the second along it.
    """
    # where searches for farthest points begin is part of the bodies
    old = local(Body, 2)
    for b in range(2):
        old[b] = bodies[b]
    best = way
    least = FARTHEST
    first = vec3(0.0, 0.0, 0.0)
    for _ in range(TURNS):
        found, turned = measure_parted(m, bodies, old[1], corners, ends, way, reach)
        if reach < least:
            least = reach
            best = way
            first = ends[0]
        if not found or norm(turned - way) < maximum(SAME, 8.0 * m.epsilon):
            break
        way = turned
        reach = reach_along(m, bodies, way)
    for b in range(2):
        bodies[b] = old[b]
    if abs(least) < ROUNDING * m.epsilon * (norm(first) + norm(old[1].pos)):
        least = 0.0
    ends[0] = first
    ends[1] = first - best * least
    return -least, best


@kernel
def note_corners(m, bodies, way):
    """Note the farthest corners along a direction as those between which the bodies are deepest."""
    for b in range(2):
        body = bodies[b]
        point = support(m, body, way * (1.0 - 2.0 * b), NATIVE)
        for i in range(3):
            body.deepest[i] = point
            body.deepest_vertex[i] = body.vertex
