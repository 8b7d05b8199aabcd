"""Collision pairs with at least one flex: balls, lines with a skin, convex bodies, and elements."""

from conjoint.lang import dot, group, kernel, local, norm, vec3
from conjoint.physics.collision.contact_candidates import VECTORS
from conjoint.physics.collision.convex.body import Body
from conjoint.physics.collision.convex.collide import touch
from conjoint.physics.collision.convex.gjk import FARTHEST
from conjoint.physics.collision.flex.elements import (
    aligned_boxes_meet,
    corner,
    is_active,
    set_element,
    vertex_of_element,
)
from conjoint.physics.collision.segments import divided, lines_along, nearest_places, places_by_products, places_of_end
from conjoint.schema.constants import mjMINVAL

NONE = -1
"""Id of a missing geom, flex, element or vertex."""


@group
def Feature(geom, flex, elem, vert):
    """A geom, or an element or a vertex of a flex; unused ids are `NONE`."""


@kernel
def of_geom(g):
    """Return geom g as a `Feature`."""
    return Feature(g, NONE, NONE, NONE)


@kernel
def of_element(f, e):
    """Return element e of flex f as a `Feature`."""
    return Feature(NONE, f, e, NONE)


@kernel
def of_vertex(f, v):
    """Return vertex v of flex f as a `Feature`."""
    return Feature(NONE, f, NONE, v)


@group
def Pair(first, second, margins):
    """Two features, the second one of a flex, and their contact margins."""


@kernel
def keep_contact(d, pair, dist, pos, normal):
    """Keep a contact of a pair; if the capacity is exhausted, the contact is only counted."""
    i = d.nfound
    d.nfound = i + 1
    if i < d.ncon_capacity:
        d.found_dist[i] = dist
        d.found_point[i, 0] = pos
        d.found_point[i, 1] = normal
        d.found_acting[i] = pair.margins.acting
        d.found_geom[i] = pair.first.geom
        keep_side(d, i, 0, pair.first)
        keep_side(d, i, 1, pair.second)


@kernel
def keep_side(d, i, side, feature):
    """Store the feature on one side of found contact i."""
    d.found_flex[i, side] = feature.flex
    d.found_elem[i, side] = feature.elem
    d.found_vert[i, side] = feature.vert


@kernel
def keep_contacts(d, pair, n, dists, points):
    """Keep the n contacts of a pair that a collider has written to `dists` and `points`."""
    for k in range(n):
        keep_contact(d, pair, dists[k], points[VECTORS * k], points[VECTORS * k + 1])


@kernel
def keep_balls(d, pair, center, radius, other, other_radius):
    """Keep the contact of two balls if they are within the margin; the normal of concentric balls is the x axis."""
    between = other - center
    length = norm(between)
    dist = length - radius - other_radius
    if dist <= pair.margins.listed:
        normal = vec3(1.0, 0.0, 0.0)
        if length > mjMINVAL:
            normal = between * (1.0 / length)
        keep_contact(d, pair, dist, center + normal * (radius + 0.5 * dist), normal)


@kernel(exact=True)
def collide_convex(m, d, pair, bodies, how):
    """Find the contact of two convex bodies, where the second is an element; `how` is their `Touch`."""
    ends = local(vec3, 2)
    dist, pos, normal = touch(m, bodies, ends, how)
    if dist < FARTHEST:
        keep_contact(d, pair, pair.margins.listed + dist, pos, normal)


@kernel(exact=True)
def collide_lines(m, d, pair, start, end, radius):
    """Find the contacts between a line with a skin and a line element: one, or up to two if they are parallel."""
    element = pair.second
    p = corner(m, d, element.flex, element.elem, 0)
    q = corner(m, d, element.flex, element.elem, 1)
    center = (start + end) * 0.5
    other = (p + q) * 0.5
    a = (end - start) * 0.5
    b = (q - p) * 0.5
    lines = lines_along(a, b, dot(a, a), dot(b, b), divided)
    other_radius = m.flex_radius[element.flex]
    if lines.square >= mjMINVAL:
        s, t, _ = nearest_places(lines, center - other, places_by_products)
        keep_balls(d, pair, center + a * s, radius, other + b * t, other_radius)
    else:
        # the ends of the first line against the second line, then the ends of the second against the first
        before = d.nfound
        for k in range(4):
            if d.nfound < before + 2:
                s, t = places_of_end(k, lines, center - other)
                keep_balls(d, pair, center + a * s, radius, other + b * t, other_radius)


@kernel
def share_vertex(m, f1, e1, f2, e2):
    """Return True if two elements share a vertex, or have vertices of the same body."""
    for i in range(m.flex_dim[f1] + 1):
        for j in range(m.flex_dim[f2] + 1):
            v = vertex_of_element(m, f1, e1, i)
            w = vertex_of_element(m, f2, e2, j)
            body = m.flex_vertbodyid[m.flex_vertadr[f1] + v]
            if (f1 == f2 and v == w) or (body >= 0 and body == m.flex_vertbodyid[m.flex_vertadr[f2] + w]):
                return True
    return False


@kernel
def collide_elements(m, d, f1, e1, f2, e2, margins, how):
    """Find the contacts of two elements, unless their boxes are apart or they are excluded from colliding."""
    boxes = d.flexelem_aabb
    near = aligned_boxes_meet(boxes, m.flex_elemadr[f1] + e1, boxes, m.flex_elemadr[f2] + e2, margins.listed)
    if not near or not is_active(m, f1, e1) or not is_active(m, f2, e2) or share_vertex(m, f1, e1, f2, e2):
        return
    pair = Pair(of_element(f1, e1), of_element(f2, e2), margins)
    if m.flex_dim[f1] == 1 and m.flex_dim[f2] == 1:
        collide_lines(m, d, pair, corner(m, d, f1, e1, 0), corner(m, d, f1, e1, 1), m.flex_radius[f1])
    else:
        bodies = local(Body, 2)
        set_element(m, d, f1, e1, margins.listed, bodies[0])
        set_element(m, d, f2, e2, margins.listed, bodies[1])
        collide_convex(m, d, pair, bodies, how)
