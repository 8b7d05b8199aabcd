"""Distance, penetration depth and contact of two convex bodies.

Each body has a core, which is searched first: the center of a ball, the axis of a capsule, or the body without its
margin. As long as the cores do not touch, the penetration depth of the surfaces follows from their distance, and no
polytope is needed.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, abs, kernel, local, minimum, norm, normalize3, real, sqrt, vec3, where
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.convex.body import Body, is_flat, set_geoms, set_middles
from conjoint.physics.collision.convex.epa import begin, expand, is_around, set_ends
from conjoint.physics.collision.convex.gjk import FARTHEST, LOST, SIMPLEX_ROOM, Corner, Search, approach
from conjoint.physics.collision.convex.polytope import NONE, Polytope
from conjoint.physics.collision.convex.touching import note_corners, reach_along, rough_way, touching_distance
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

SHALLOW = 1e-3
"""Relative overlap up to which bodies count as just touching: overlap divided by their summed thicknesses along it."""


@kernel
def is_round(body):
    """Return True if a body is a ball or a capsule."""
    return body.kind == mjtGeom.mjGEOM_SPHERE or body.kind == mjtGeom.mjGEOM_CAPSULE


@kernel
def has_core(body, search):
    """Return True if a body is first searched without its margin and radius."""
    return is_round(body) or (search.cores and body.margin > 0.0)


@kernel
def measure_cores(m, bodies, corners, ends, cutoff, search):
    """Measure the distance between two bodies from the distance between their cores.

    Return the distance, and False if the cores overlap or the search failed.
    """
    sizes = local(vec3, 2)
    margins = local(real, 2)
    radii = local(real, 2)
    set_middles(bodies, ends)
    for b in range(2):
        body = bodies[b]
        sizes[b] = body.size
        margins[b] = body.margin
        radii[b] = 0.0
        if has_core(body, search):
            radii[b] = 0.5 * body.margin
            body.margin = 0.0
        if is_round(body):
            radii[b] = body.size.x + radii[b]
            body.size = vec3(0.0, body.size.y, body.size.z)
    thickness = radii[0] + radii[1]
    length, count = approach(m, bodies, corners, ends, cutoff + thickness, search)
    for b in range(2):
        bodies[b].size = sizes[b]
        bodies[b].margin = margins[b]
    if length <= m.opt.ccd_tolerance or is_unsure(m, bodies, ends, length, thickness, count, cutoff):
        return 0.0, False
    if length < FARTHEST:
        way = normalize3(ends[1] - ends[0])
        ends[0] = ends[0] + way * radii[0]
        ends[1] = ends[1] - way * radii[1]
        if search.cores:
            note_nearest(bodies, corners, count)
    return length - thickness, True


@kernel
def note_nearest(bodies, corners, count):
    """Record the corners of a simplex as the nearest features of the bodies."""
    for i in range(3):
        k = where(i < count, i, 0)
        for b in range(2):
            bodies[b].deepest[i] = corners[k].on[b]
            bodies[b].deepest_vertex[i] = corners[k].vertex[b]


@kernel
def measure(m, bodies, ends, cutoff, search):
    """Measure the signed distance between two bodies.

    Args:
        m: model, for its meshes and tolerances.
        bodies: two bodies, see `body`.
        ends: receives two points, the nearest points or those deepest in the other body. If the cutoff is 0, bodies
            that just touch get points on both sides of the middle between them.
        cutoff: largest distance (m) of interest; 0 to test for overlap only.
        search: a `Search`.

    Returns:
        the distance (m), negative if the bodies overlap; `FARTHEST` if it exceeds the cutoff; 0 if the bodies touch, or
        if their penetration depth cannot be determined.
    """
    corners = local(Corner, SIMPLEX_ROOM)
    if has_core(bodies[0], search) or has_core(bodies[1], search):
        length, known = measure_cores(m, bodies, corners, ends, cutoff, search)
        if known:
            return length
    set_middles(bodies, ends)
    length, count = approach(m, bodies, corners, ends, cutoff, search)
    way = normalize3(ends[1] - ends[0])
    if length > m.opt.ccd_tolerance or count < 2:
        if is_unsure(m, bodies, ends, length, 0.0, count, cutoff):
            way, reach = rough_way(m, bodies, way)
            length, _ = touching_distance(m, bodies, corners, ends, way, reach)
        return length
    dist, around = penetrate(m, bodies, corners, count, ends)
    if around:
        return dist
    return measure_touching(m, bodies, corners, ends, cutoff, dist, way)


@kernel(label="touching")
def measure_touching(m, bodies, corners, ends, cutoff, dist, way):
    """Measure the signed distance between two bodies if rounding may have made the polytope grow to the wrong side.

    Argument `dist` is the distance according to that polytope (EPA).
    """
    first = ends[0]
    second = ends[1]
    way, reach = rough_way(m, bodies, way)
    if -dist <= reach + m.opt.ccd_tolerance and -dist > SHALLOW * (reach + reach_along(m, bodies, -way)):
        # a polytope that grew to the wrong side is deeper than the overlap along an approximate direction
        return dist
    touching, way = touching_distance(m, bodies, corners, ends, way, reach)
    deep = -touching > SHALLOW * reach_along(m, bodies, -way)
    close = abs(dist - touching) <= m.opt.ccd_tolerance and (cutoff == 0.0 or touching < 0.0)
    if deep or close or holds(m, bodies, dist, first, second, touching):
        ends[0] = first
        ends[1] = second
        return dist
    note_corners(m, bodies, way)
    if cutoff == 0.0 and dist < 0.0 and touching <= m.opt.ccd_tolerance:
        # an overlap within rounding is a contact, but its points are too close to each other to give a direction
        touching = minimum(touching, -mjMINVAL)
        middle = (ends[0] + ends[1]) * 0.5
        ends[0] = middle + way * 0.5
        ends[1] = middle - way * 0.5
    return touching


@kernel
def is_unsure(m, bodies, ends, length, thickness, count, cutoff):
    """Return True if a distance search cycled until its iteration limit, or failed.

    In that case, `length`, the distance found by the search, differs from the distance between the end points, or
    the gap between the bodies along the line through the end points is smaller. `thickness` is the sum of the radii
    by which the bodies exceed their searched cores.
    """
    if cutoff == 0.0 or (length >= FARTHEST and count != LOST):
        return False
    slack = m.opt.ccd_tolerance + 4.0 * m.epsilon * length
    between = -reach_along(m, bodies, normalize3(ends[1] - ends[0]))
    return norm(ends[1] - ends[0]) - length > slack or length - thickness - between > slack


@kernel
def holds(m, bodies, dist, first, second, touching):
    """Return True if the depth -`dist` of a polytope is confirmed by the overlap along the polytope's direction.

    Points `first` and `second` define that direction. The result is False if the bodies are apart according to `dist`,
    or if `dist` is not larger than `touching`.
    """
    if dist >= 0.0 or dist <= touching:
        return False
    return reach_along(m, bodies, normalize3(first - second)) <= m.opt.ccd_tolerance - dist


@kernel(few=True, label="depth (EPA)")
def penetrate(m, bodies, corners, count, ends):
    """Measure the signed distance between overlapping bodies, starting from a simplex of `count` corners.

    Return the distance, and False if the initial polytope may not contain the origin.
    """
    polytope = local(Polytope, 1)[0]
    for k in range(count):
        polytope.corners[k] = corners[k]
    if not begin(m, bodies, polytope, count):
        return 0.0, False
    around = is_around(m, polytope)
    face = expand(m, bodies, polytope)
    if face == NONE:
        return 0.0, False
    set_ends(bodies, polytope, polytope.faces[face], ends)
    return -sqrt(polytope.faces[face].square), around


# ---- contacts


@kernel
def native_overlap(m, bodies, ends, search):
    """Find the depth, position and direction of the overlap of two bodies.

    Args:
        m: model, for its meshes and tolerances.
        bodies: two bodies, see `body`.
        ends: receives the two points that are deepest in the other body (see `measure`).
        search: a `Search`.

    Returns:
        the distance (m), negative, or `FARTHEST` if the bodies do not overlap; the midpoint of the deepest points;
        the unit vector from the first body to the second.
    """
    dist = measure(m, bodies, ends, 0.0, search)
    middle = (ends[0] + ends[1]) * 0.5
    if dist >= 0.0:
        return FARTHEST, middle, normalize3(ends[0] - ends[1])
    return dist, middle, normalize3(ends[0] - ends[1])


@dataclass(frozen=True)
class Touch(Group):
    """Kernels that find the contact of two convex bodies.

    Attributes:
        overlap: kernel that finds the overlap: `native_overlap` or `portal.legacy_overlap`.
        search: a `Search`.
        mend: kernel that makes the normals of round bodies exact, see `normal.mend_normal`; None to leave normals
            unchanged.
        move: kernel that differentiates the contact, see `contact_motion.move_touch`; None for no derivatives.
        raised: True to raise the surface of a height field by the margin, as in MuJoCo 3.3.5. Then contacts are deeper
            than the overlap of the bodies by 1.5 margins.
    """

    overlap: Kernel
    search: Search
    mend: Kernel | None = None
    move: Kernel | None = None
    raised: bool = True


@kernel
def touch(m, bodies, ends, how):
    """Find the contact of two bodies with the kernels of a `Touch`; see `native_overlap`."""
    dist, pos, normal = how.overlap(m, bodies, ends, how.search)
    if dist < FARTHEST:
        if how.move:
            # the last polytope of flat bodies is a closed formula of their corners, so its derivative is exact
            flat = is_flat(bodies[0]) and is_flat(bodies[1])
            if not flat:
                dist, pos, normal = how.move(m, bodies, dist, pos, normal, ends, how)
        if how.mend:
            normal = how.mend(bodies, pos, normal)
    return dist, pos, normal


@kernel
def one_contact(m, d, g1, g2, margin, dists, points, how):
    """Find the contact of two convex geoms, and store it if they touch; return the number of contacts."""
    return keep_touch(m, d, g1, g2, margin, local(Body, 2), dists, points, how)


@kernel
def keep_touch(m, d, g1, g2, margin, bodies, dists, points, how):
    """Find and store the contact of two geoms as `one_contact` does, and set `bodies` to the geoms."""
    ends = local(vec3, 2)
    set_geoms(m, d, g1, g2, margin, bodies)
    dist, pos, normal = touch(m, bodies, ends, how)
    d.apart_found = bodies[0].away
    if dist >= FARTHEST:
        return 0
    return keep(dists, points, 0, margin + dist, pos, normal)


@kernel
def geom_distance(m, d, g1, g2, most, search):
    """Measure the smallest distance between two geoms, at most `most` (mj_geomDistance).

    Returns:
        the distance, the point on g1 and the point on g2. Both points are zero if the distance is certainly not below
        `most`.
    """
    bodies = local(Body, 2)
    set_geoms(m, d, g1, g2, 0.0, bodies)
    ends = local(vec3, 2)
    dist = measure(m, bodies, ends, most, search)
    if dist >= FARTHEST:
        return most, vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0)
    return minimum(dist, most), ends[0], ends[1]
