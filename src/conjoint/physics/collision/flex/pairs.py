"""Contacts of two lines with skins, two convex bodies, two elements: what geoms and flexes have in common."""

from conjoint.lang import dot, kernel, local, norm, vec3
from conjoint.physics.collision.convex.body import Body
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.physics.collision.feature import keep_contact, of_element
from conjoint.physics.collision.flex.elements import (
    aligned_boxes_meet,
    corner,
    is_active,
    set_element,
    vertex_of_element,
)
from conjoint.physics.collision.segments import lines_along, nearest_places, places_by_products, places_of_end
from conjoint.schema.constants import mjMINVAL


@kernel
def keep_balls(d, first, second, margin, center, radius, other, other_radius):
    """Keep the contact of two balls if they are within the margin; if concentric they part along the x axis."""
    between = other - center
    length = norm(between)
    dist = length - radius - other_radius
    if dist <= margin:
        normal = vec3(1.0, 0.0, 0.0)
        if length > mjMINVAL:
            normal = between * (1.0 / length)
        keep_contact(d, first, second, dist, center + normal * (radius + 0.5 * dist), normal)


@kernel(exact=True)
def collide_convex(m, d, first, second, margin, bodies, touching):
    """Find the contact of two convex bodies, of which the second is an element; `touching` finds it."""
    ends = local(vec3, 2)
    dist, pos, normal = touching(m, bodies, ends)
    if dist < FARTHEST:
        keep_contact(d, first, second, margin + dist, pos, normal)


@kernel(exact=True)
def collide_lines(m, d, first, second, margin, start, end, radius):
    """Find the contacts of a line with a skin and an element that is a line; up to two if they are parallel."""
    p = corner(m, d, second.flex, second.elem, 0)
    q = corner(m, d, second.flex, second.elem, 1)
    center = (start + end) * 0.5
    other = (p + q) * 0.5
    a = (end - start) * 0.5
    b = (q - p) * 0.5
    lines = lines_along(a, b, dot(a, a), dot(b, b))
    other_radius = m.flex_radius[second.flex]
    if lines.square >= mjMINVAL:
        s, t, _ = nearest_places(lines, center - other, places_by_products)
        keep_balls(d, first, second, margin, center + a * s, radius, other + b * t, other_radius)
    else:
        # the ends of the first against the second, then of the second against the first
        before = d.nfound
        for k in range(4):
            if d.nfound < before + 2:
                s, t = places_of_end(k, lines, center - other)
                keep_balls(d, first, second, margin, center + a * s, radius, other + b * t, other_radius)


@kernel
def share_vertex(m, f1, e1, f2, e2):
    """Whether two elements have a vertex or the body of one in common."""
    for i in range(m.flex_dim[f1] + 1):
        for j in range(m.flex_dim[f2] + 1):
            v = vertex_of_element(m, f1, e1, i)
            w = vertex_of_element(m, f2, e2, j)
            body = m.flex_vertbodyid[m.flex_vertadr[f1] + v]
            if (f1 == f2 and v == w) or (body >= 0 and body == m.flex_vertbodyid[m.flex_vertadr[f2] + w]):
                return True
    return False


@kernel
def collide_elements(m, d, f1, e1, f2, e2, margin, touching):
    """Find the contacts of two elements, if they may have any."""
    boxes = d.flexelem_aabb
    near = aligned_boxes_meet(boxes, m.flex_elemadr[f1] + e1, boxes, m.flex_elemadr[f2] + e2, margin)
    if not near or not is_active(m, f1, e1) or not is_active(m, f2, e2) or share_vertex(m, f1, e1, f2, e2):
        return
    first = of_element(f1, e1)
    second = of_element(f2, e2)
    if m.flex_dim[f1] == 1 and m.flex_dim[f2] == 1:
        start = corner(m, d, f1, e1, 0)
        collide_lines(m, d, first, second, margin, start, corner(m, d, f1, e1, 1), m.flex_radius[f1])
    else:
        bodies = local(Body, 2)
        set_element(m, d, f1, e1, margin, bodies[0])
        set_element(m, d, f2, e2, margin, bodies[1])
        collide_convex(m, d, first, second, margin, bodies, touching)
