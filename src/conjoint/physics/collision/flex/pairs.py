"""Contacts of two lines with skins, two convex bodies, two elements: what geoms and flexes have in common."""

from conjoint.lang import dot, kernel, local, norm, vec3
from conjoint.physics.collision.convex.body import Body
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.physics.collision.feature import keep_contact, of_element
from conjoint.physics.collision.flex.elements import (
    aligned_boxes_meet,
    corner,
    is_active,
    nearest_on_segment,
    set_element,
    vertex_of_element,
)
from conjoint.physics.collision.spheres import nearest_on_segments
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
    center = (start + end) * 0.5
    a = (end - start) * 0.5
    p = corner(m, d, second.flex, second.elem, 0)
    q = corner(m, d, second.flex, second.elem, 1)
    other = (p + q) * 0.5
    b = (q - p) * 0.5
    aa = dot(a, a)
    ab = dot(a, b)
    bb = dot(b, b)
    between = center - other
    det = aa * bb - ab * ab
    other_radius = m.flex_radius[second.flex]
    if det >= mjMINVAL:
        s, t = nearest_on_segments(aa, ab, bb, -dot(a, between), dot(b, between))
        keep_balls(d, first, second, margin, center + a * s, radius, other + b * t, other_radius)
    else:
        # the ends of the first against the second, then of the second against the first
        before = d.nfound
        for k in range(4):
            side = 1.0 - 2.0 * (k & 1)
            if d.nfound < before + 2:
                if k < 2:
                    on_first = center + a * side
                    on_second = nearest_on_segment(on_first, p, q)
                else:
                    on_second = other + b * side
                    on_first = nearest_on_segment(on_second, start, end)
                keep_balls(d, first, second, margin, on_first, radius, on_second, other_radius)


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
