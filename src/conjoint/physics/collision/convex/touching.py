"""Signed distance of two convex bodies that just touch.

Along a unit vector u, the extent h(u) of the Minkowski difference is the largest p . u of its points p. The signed
distance of the bodies is the largest -h(u) over all directions (Cameron & Culley, Determining the minimum translational
distance between two convex polyhedra, ICRA 1986). If the origin is on the surface of the difference up to rounding,
neither the nearest point nor a face around the origin gives a direction. So the second body is moved away along an
approximate direction, by h(u) and a little more. The nearest points of separate bodies do give a direction, and a
better one: the shift is short, so the direction changes only by the curvature of the surface over this length.
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
"""Maximum number of directions to try."""

PARTED = 1e-2
"""Distance by which the bodies are separated, relative to the sum of their thicknesses along the direction."""

SAME = 1e-9
"""Change in a direction (rad) below which the search ends; in single precision, rounding raises this limit."""

ROUNDING = 64.0
"""Distance, in units of the last bit of a position, up to which bodies count as neither overlapping nor apart."""


@kernel
def reach_along(m, bodies, way):
    """Return the extent h(u) of the bodies' Minkowski difference along a unit vector (m)."""
    return dot(support(m, bodies[0], way, NATIVE) - support(m, bodies[1], -way, NATIVE), way)


@kernel
def move(body, old, step):
    """Translate a body by `step` from its old position."""
    body.pos = old.pos + step
    for k in range(PRISM_CORNERS):
        body.corners[k] = old.corners[k] + step


@kernel
def better_of(m, bodies, best, least, other):
    """Return the better of two directions, the one with the smaller extent of the Minkowski difference, and the extent.

    Argument `least` is the extent along `best`.
    """
    reach = reach_along(m, bodies, other)
    if reach < least:
        return other, reach
    return best, least


@kernel
def rough_way(m, bodies, way):
    """Choose a starting direction, and return it with its extent.

    Candidates are a given direction, the line between the bodies' centers, and the axes of the bodies; the one with the
    least extent is chosen.
    """
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
    """Find the nearest points of two bodies, with the second one translated along a direction so that they are apart.

    Args:
        m: model.
        bodies: two bodies, see `body`.
        old: the second body at its original position.
        corners: buffer for the corners of a simplex.
        ends: receives the nearest points; if none are found, the first point is set to a support point along `way`.
        way: direction of the translation.
        reach: extent of the Minkowski difference along `way` (m).

    Returns:
        True if the points were found; the unit vector from the first point to the second.
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
    """Measure the signed distance (m) of two bodies that touch, overlap slightly, or are slightly apart.

    Args:
        m: model, for its meshes and tolerances.
        bodies: two bodies, see `body`.
        corners: buffer for the corners of a simplex.
        ends: receives the two points between which the distance is measured.
        way: starting direction, see `rough_way`.
        reach: extent of the bodies' Minkowski difference along `way` (m).

    Returns:
        the distance, 0 if it is within rounding; the unit vector along which it is measured, from the first body to the
        second.
    """
    # the bodies contain hints for searches for support points, so they are restored
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
    """Record the bodies' support points along a direction as their deepest corners."""
    for b in range(2):
        body = bodies[b]
        point = support(m, body, way * (1.0 - 2.0 * b), NATIVE)
        for i in range(3):
            body.deepest[i] = point
            body.deepest_vertex[i] = body.vertex
