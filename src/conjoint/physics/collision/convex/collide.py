"""Contacts, and distance, of two convex bodies.

Balls and capsules are first shrunk to their centre and axis: as long as these do not touch the other body, the distance
tells how deep the surfaces overlap, and no polytope is needed.
"""

from conjoint.lang import abs, kernel, local, minimum, norm, normalize3, real, sqrt, vec3
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.convex.body import (
    KIND,
    MARGIN,
    MARKS,
    REALS,
    SIZE,
    TWO_MARKS,
    TWO_REALS,
    middle_of,
    set_geoms,
)
from conjoint.physics.collision.convex.epa import NONE, begin, expand, is_around, set_ends
from conjoint.physics.collision.convex.gjk import LOST, approach
from conjoint.physics.collision.convex.polytope import COUNTS, FACES_MOST, NAMES_MOST, NUMBERS_MOST, POINTS_MOST
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.physics.collision.convex.touching import note_corners, reach_along, touching_distance
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

SHALLOW = 1e-3
"""Overlap, relative to how thick both bodies are along it, up to which they just touch."""


@kernel(per_world=True, exact=True)
def is_round(marks, b):
    """Whether body b is a ball or a ball swept along an axis."""
    return marks[b * MARKS + KIND] == mjtGeom.mjGEOM_SPHERE or marks[b * MARKS + KIND] == mjtGeom.mjGEOM_CAPSULE


@kernel(per_world=True, exact=True)
def shrink(reals, marks, b):
    """Take radius and margin from body b if it is round; their sum, which `thicken` takes back."""
    if not is_round(marks, b):
        return 0.0
    thickness = reals[b * REALS + SIZE] + 0.5 * reals[b * REALS + MARGIN]
    reals[b * REALS + SIZE] = 0.0
    reals[b * REALS + MARGIN] = 0.0
    return thickness


@kernel(per_world=True, exact=True)
def start(reals, marks, ends):
    """Points inside of the bodies."""
    ends[0] = middle_of(reals, marks, 0)
    ends[1] = middle_of(reals, marks, 1)


@kernel(per_world=True, exact=True)
def measure(m, reals, marks, ends, cutoff):
    """Signed distance of two bodies.

    Args:
        m: model, for its meshes and tolerances.
        reals: the bodies, with `marks`.
        marks: see `body`.
        ends: receives the nearest points, or those deepest in the other body: two elements. Without a cutoff, points on
            both sides of the middle between them where bodies just touch.
        cutoff: distance (m) beyond which nothing need be known; 0: only overlap matters.

    Returns:
        the distance (m), negative where they overlap; `FARTHEST` if it is more than need be known. 0 if the bodies
        touch, or overlap so that nothing can be told.
    """
    points = local(vec3, POINTS_MOST)
    names = local(int, NAMES_MOST)
    start(reals, marks, ends)
    if is_round(marks, 0) or is_round(marks, 1):
        radius1 = reals[SIZE]
        radius2 = reals[REALS + SIZE]
        margin1 = reals[MARGIN]
        margin2 = reals[REALS + MARGIN]
        thickness1 = shrink(reals, marks, 0)
        thickness2 = shrink(reals, marks, 1)
        length, count = approach(m, reals, marks, points, names, ends, cutoff + thickness1 + thickness2)
        reals[SIZE] = radius1
        reals[REALS + SIZE] = radius2
        reals[MARGIN] = margin1
        reals[REALS + MARGIN] = margin2
        unsure = is_unsure(m, reals, marks, ends, length, thickness1 + thickness2, count, cutoff)
        if length > m.opt.ccd_tolerance and not unsure:
            way = normalize3(ends[1] - ends[0])
            ends[0] = ends[0] + way * thickness1
            ends[1] = ends[1] - way * thickness2
            return length - (thickness1 + thickness2)
        start(reals, marks, ends)
    length, count = approach(m, reals, marks, points, names, ends, cutoff)
    if length > m.opt.ccd_tolerance or count < 2:
        if is_unsure(m, reals, marks, ends, length, 0.0, count, cutoff):
            length, _ = touching_distance(m, reals, marks, points, names, ends, normalize3(ends[1] - ends[0]))
        return length
    way = normalize3(ends[1] - ends[0])
    dist, around = penetrate(m, reals, marks, points, names, count, ends)
    if around:
        return dist
    # without the origin inside, a polytope may have grown to the wrong side
    first = ends[0]
    second = ends[1]
    touching, way = touching_distance(m, reals, marks, points, names, ends, way)
    deep = -touching > SHALLOW * reach_along(m, reals, marks, -way)
    close = abs(dist - touching) <= m.opt.ccd_tolerance and (cutoff == 0.0 or touching < 0.0)
    if deep or close or holds(m, reals, marks, dist, first, second, touching):
        ends[0] = first
        ends[1] = second
        return dist
    note_corners(m, reals, marks, way)
    if cutoff == 0.0 and dist < 0.0 and touching <= m.opt.ccd_tolerance:
        # what is found to overlap, but only by rounding, is a contact; points so near each other tell no direction
        touching = minimum(touching, -mjMINVAL)
        middle = (ends[0] + ends[1]) * 0.5
        ends[0] = middle + way * 0.5
        ends[1] = middle - way * 0.5
    return touching


@kernel(per_world=True, exact=True)
def is_unsure(m, reals, marks, ends, length, thickness, count, cutoff):
    """Whether a search for a distance went in circles until its turns were used up, or came to nothing.

    The length found is not that between its ends then, or there is less between the bodies, seen along that line; they
    are thicker by `thickness` than those that were searched.
    """
    if cutoff == 0.0 or (length >= FARTHEST and count != LOST):
        return False
    slack = m.opt.ccd_tolerance + 4.0 * m.epsilon * length
    between = -reach_along(m, reals, marks, normalize3(ends[1] - ends[0]))
    return norm(ends[1] - ends[0]) - length > slack or length - thickness - between > slack


@kernel(per_world=True, exact=True)
def holds(m, reals, marks, dist, first, second, touching):
    """Whether bodies overlap by less than a bound on it: they reach no farther along the line between two points."""
    if dist >= 0.0 or dist <= touching:
        return False
    return reach_along(m, reals, marks, normalize3(first - second)) <= m.opt.ccd_tolerance - dist


@kernel(per_world=True, exact=True)
def penetrate(m, reals, marks, points, names, count, ends):
    """Signed distance of overlapping bodies, from a simplex of `count` corners, and whether it is sure: the first
    polytope was around the origin."""
    faces = local(int, NUMBERS_MOST)
    feet = local(vec3, FACES_MOST)
    squares = local(real, FACES_MOST)
    counts = local(int, COUNTS)
    if not begin(m, reals, marks, points, names, faces, feet, squares, counts, count):
        return 0.0, False
    around = is_around(m, points, feet, squares, counts)
    face = expand(m, reals, marks, points, names, faces, feet, squares, counts)
    if face == NONE:
        return 0.0, False
    set_ends(reals, marks, points, names, faces, feet, face, ends)
    return -sqrt(squares[face]), around


@kernel(per_world=True, exact=True)
def touch(m, reals, marks, ends):
    """Whether two bodies overlap, and how.

    Args:
        m: model, for its meshes and tolerances.
        reals: the bodies, with `marks`.
        marks: see `body`.
        ends: receives the points deepest in the other body (see `measure`): two elements.

    Returns:
        the distance (m), negative, or `FARTHEST` if they do not overlap; the midpoint of the deepest points; the unit
        vector from the first body to the second.
    """
    dist = measure(m, reals, marks, ends, 0.0)
    if dist >= 0.0:
        dist = FARTHEST
    return dist, (ends[0] + ends[1]) * 0.5, normalize3(ends[0] - ends[1])


@kernel(per_world=True, exact=True)
def convex(m, d, g1, g2, margin, dists, points):
    """One contact at most, of geoms of any convex type."""
    reals = local(real, TWO_REALS)
    marks = local(int, TWO_MARKS)
    ends = local(vec3, 2)
    set_geoms(m, d, g1, g2, margin, reals, marks)
    dist, pos, normal = touch(m, reals, marks, ends)
    if dist >= FARTHEST:
        return 0
    return keep(dists, points, 0, margin + dist, pos, normal, vec3(0.0, 0.0, 0.0))


@kernel(per_world=True, exact=True)
def convex_distance(m, d, g1, g2, most):
    """Smallest distance of two geoms, up to `most`, and the points on them between which it is (mj_geomDistance).

    Returns:
        the distance, the point on g1, the point on g2; both zero if the distance is surely not below `most`.
    """
    reals = local(real, TWO_REALS)
    marks = local(int, TWO_MARKS)
    set_geoms(m, d, g1, g2, 0.0, reals, marks)
    ends = local(vec3, 2)
    dist = measure(m, reals, marks, ends, most)
    if dist >= FARTHEST:
        return most, vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0)
    return minimum(dist, most), ends[0], ends[1]
