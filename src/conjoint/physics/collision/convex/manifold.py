"""Several contacts of two convex bodies, as the official engine finds them since version 3.8.

What the search for the nearest or deepest points ended with tells on which face, edge or corner of each body they are.
If two faces are parallel, but for some degrees, the outline of one is clipped at that of the other; if an edge runs
along a face, it is clipped there. Corners of what is left that are within the margin become contacts, up to four of
them, and each has its own depth. Boxes and meshes have faces and edges; a cylinder has caps and, where it is touched,
an edge along its side; a capsule has an edge.

Bodies with a margin are searched without it first: only where they overlap by more than that are they searched as
thicker ones.
"""

from conjoint.lang import dot, group, kernel, local, minimum, normalize3, real, vec3
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.convex.body import Body, set_geoms, set_middles
from conjoint.physics.collision.convex.clip import CHOSEN, CLIPPED_MOST, CUT_4, area_by_diagonals, choose_widest, clip
from conjoint.physics.collision.convex.collide import is_round, keep_touch, measure
from conjoint.physics.collision.convex.features import NO_FACE, OUTLINE_MOST, Faces
from conjoint.physics.collision.convex.gjk import approach
from conjoint.physics.collision.convex.manifold_faces import (
    best_facing,
    edges_from,
    face_outline,
    first_along,
    set_manifold_faces,
    settle_corners,
)
from conjoint.physics.collision.convex.polytope import Polytope
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.schema.enums import mjtGeom

EXACT_KERNELS = True


@kernel
def touch_cores(m, bodies, ends):
    """As `collide.touch`, of bodies that are searched without their margins and radii first.

    The corners between which they are nearest or deepest are noted with the bodies.
    """
    if is_round(bodies[0]) or is_round(bodies[1]) or bodies[0].margin + bodies[1].margin > 0.0:
        length, told = measure_cores(m, bodies, ends)
        if told:
            return length, (ends[0] + ends[1]) * 0.5, normalize3(ends[0] - ends[1])
    dist = measure(m, bodies, ends, 0.0)
    if dist >= 0.0:
        dist = FARTHEST
    return dist, (ends[0] + ends[1]) * 0.5, normalize3(ends[0] - ends[1])


@kernel
def measure_cores(m, bodies, ends):
    """Signed distance of two bodies by that of their cores; False if the cores overlap."""
    corners = local(Polytope, 1)[0].corners
    sizes = local(vec3, 2)
    margins = local(real, 2)
    radii = local(real, 2)
    set_middles(bodies, ends)
    for b in range(2):
        body = bodies[b]
        sizes[b] = body.size
        margins[b] = body.margin
        radii[b] = 0.5 * body.margin
        body.margin = 0.0
        if is_round(body):
            radii[b] = body.size.x + radii[b]
            body.size = vec3(0.0, body.size.y, body.size.z)
    thickness = radii[0] + radii[1]
    length, count = approach(m, bodies, corners, ends, thickness)
    for b in range(2):
        bodies[b].size = sizes[b]
        bodies[b].margin = margins[b]
    if length >= FARTHEST:
        return FARTHEST, True
    if length <= m.opt.ccd_tolerance:
        return 0.0, False
    way = normalize3(ends[1] - ends[0])
    ends[0] = ends[0] + way * radii[0]
    ends[1] = ends[1] - way * radii[1]
    for i in range(3):
        k = 0
        if i < count:
            k = i
        for b in range(2):
            bodies[b].deepest[i] = corners[k].on[b]
            bodies[b].deepest_vertex[i] = corners[k].vertex[b]
    if length >= thickness:
        return FARTHEST, True
    return length - thickness, True


@kernel
def convex_cores(m, d, g1, g2, margin, dists, points):
    """One contact at most, of geoms of any convex type."""
    bodies = local(Body, 2)
    n = keep_touch(m, d, g1, g2, margin, bodies, dists, points, touch_cores)
    d.apart_found = bodies[0].away
    return n


@kernel
def convex_manifold(m, d, g1, g2, margin, dists, points):
    """Up to four contacts of geoms of convex types that have faces or edges."""
    return manifold_contacts(m, d, g1, g2, margin, dists, points, touch_cores)


@kernel
def manifold_contacts(m, d, g1, g2, margin, dists, points, touching):
    """The same, where `touching` finds one contact; see `collide.touch`."""
    bodies = local(Body, 2)
    ends = local(vec3, 2)
    set_geoms(m, d, g1, g2, margin, bodies)
    dist, pos, normal = touching(m, bodies, ends)
    d.apart_found = bodies[0].away
    if dist >= FARTHEST:
        return 0
    n = clip_features(m, bodies, ends, margin, dists, points)
    if n < 1:
        return keep(dists, points, 0, margin + dist, pos, normal)
    return n


@kernel
def clip_features(m, bodies, ends, margin, dists, points):
    """Contacts at the corners of what two facing faces, or an edge and a face, have in common; how many, or 0."""
    faces = local(Faces, 2)
    way = ends[1] - ends[0]
    settle_corners(m, bodies[0])
    settle_corners(m, bodies[1])
    first = faces[0]
    second = faces[1]
    set_manifold_faces(m, bodies[0], -way, first)
    set_manifold_faces(m, bodies[1], way, second)
    match = best_facing(first, second, way)
    if match != NO_FACE:
        return clip_faces(m, bodies, faces, match, margin, dists, points)
    n = 0
    on_second = first.corners < 3 and second.count > 0 and (first.corners <= second.corners or first.count == 0)
    if on_second:
        edge = Edge(0, first.corners, ends[0], way, second)
        n = clip_edge(m, bodies[0], bodies[1], edge, margin, dists, points)
    # where two edges cross, each may run along a face of the other body
    if n == 0 and second.corners < 3 and (not on_second or (first.corners == 2 and second.corners == 2)):
        edge = Edge(1, second.corners, ends[1], -way, first)
        n = clip_edge(m, bodies[1], bodies[0], edge, margin, dists, points)
    return n


@group
def Edge(side, corners, end, way, faces):
    """Edges of a body at its deepest point: which of two bodies it is (0, 1), how many of its corners are deepest, that
    point, the vector from it to that of the other body, and the faces of that."""


@kernel
def clip_faces(m, bodies, faces, match, margin, dists, points):
    """Contacts of two faces that a match, see `best_facing`, tells: corners of the second's that are in the first's."""
    polygon = local(vec3, CLIPPED_MOST)
    outline = local(vec3, OUTLINE_MOST)
    i = match // OUTLINE_MOST
    j = match % OUTLINE_MOST
    normal = faces[0].normals[i]
    count = face_outline(m, bodies[0], faces[0].numbers[i], outline)
    corners = face_outline(m, bodies[1], faces[1].numbers[j], polygon)
    if count < 3:
        return 0
    corners = clip(outline, count, normal, polygon, corners, CUT_4)
    corners = within(polygon, corners, outline[0], normal, margin)
    chosen = local(int, CHOSEN)
    n = choose_corners(polygon, corners, chosen)
    return keep_chosen(polygon, chosen, n, outline[0], normal, faces[1].normals[j], -1.0, dists, points)


@kernel
def clip_edge(m, body, other, edge, margin, dists, points):
    """Contacts of an edge of a body that runs along a face of the other one: the ends of what is on that face."""
    ends = local(vec3, OUTLINE_MOST)
    ways = local(vec3, OUTLINE_MOST)
    edges = edges_from(m, body, edge.corners, edge.end, ends, ways)
    match = first_along(edge.faces, ways, edges, edge.way)
    if match == NO_FACE:
        return 0
    polygon = local(vec3, CLIPPED_MOST)
    outline = local(vec3, OUTLINE_MOST)
    i = match // OUTLINE_MOST
    normal = edge.faces.normals[i]
    # the edge of a capsule lies on the surface that has half the margin
    shift = vec3(0.0, 0.0, 0.0)
    if body.kind == mjtGeom.mjGEOM_CAPSULE:
        shift = normal * (0.5 * margin)
    polygon[0] = body.deepest[0] + shift
    polygon[1] = ends[match % OUTLINE_MOST] + shift
    count = face_outline(m, other, edge.faces.numbers[i], outline)
    if count < 3:
        return 0
    corners = clip(outline, count, normal, polygon, 2, CUT_4)
    corners = within(polygon, corners, outline[0], normal, margin)
    chosen = local(int, CHOSEN)
    n = choose_ends(polygon, corners, chosen)
    return keep_chosen(polygon, chosen, n, outline[0], normal, -normal, 1.0 - 2.0 * edge.side, dists, points)


@kernel
def within(polygon, corners, spot, normal, margin):
    """Leave out corners that are higher than the margin above the plane through `spot`; how many stay."""
    kept = 0
    for k in range(corners):
        if dot(polygon[k] - spot, normal) <= margin:
            polygon[kept] = polygon[k]
            kept += 1
    return kept


@kernel
def choose_corners(polygon, corners, chosen):
    """Choose all corners of a polygon, or the four between which there is much area; how many."""
    if corners > CHOSEN:
        choose_widest(polygon, corners, chosen, area_by_diagonals)
        return CHOSEN
    for k in range(corners):
        chosen[k] = k
    return corners


@kernel
def choose_ends(polygon, corners, chosen):
    """Choose the two points of an edge that are farthest from each other, of two or fewer all; how many."""
    chosen[0] = 0
    chosen[1] = 1
    most = 0.0
    if corners > 2:
        for i in range(corners):
            for k in range(i + 1, corners):
                between = polygon[k] - polygon[i]
                if dot(between, between) > most:
                    most = dot(between, between)
                    chosen[0] = i
                    chosen[1] = k
    return minimum(corners, 2)


@kernel
def keep_chosen(polygon, chosen, n, spot, normal, facing, sign, dists, points):
    """Contacts between chosen corners and the plane through `spot`; how many.

    Args:
        polygon: corners on one body, see `clip`.
        chosen: which of them.
        n: how many.
        spot: a point of the face of the other body.
        normal: of that face.
        facing: unit vector against it, along which they are apart.
        sign: 1 if that leads from the first geom to the second, else -1.
        dists, points: see `keep`.
    """
    for k in range(n):
        corner = polygon[chosen[k]]
        height = dot(corner - spot, normal)
        foot = corner - normal * height
        dist = dot(foot - corner, facing)
        keep(dists, points, k, dist, foot - facing * (0.5 * dist), facing * sign)
    return n
