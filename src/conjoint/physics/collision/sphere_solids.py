"""Contacts of a sphere with a solid whose surface has a closed formula: a box or a cylinder.

The contact is at the point of the solid's surface that is nearest to the center of the sphere. For a center outside,
this is the center clamped to the solid (Ericson, Real-Time Collision Detection, 2005, section 5.1.3). For a center
inside, the contact is on the nearest face. The side of a cylinder acts as a ball on its axis, its caps as planes, and
the edge of a cap as points.
"""

from conjoint.lang import abs, dot, kernel, sqrt, where, z_axis
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.spheres import Ball, keep_if_near
from conjoint.physics.geometry.shape import way_out_of_box


@kernel
def keep_surface_contact(center, radius, margin, outside, normal, dists, points, n):
    """Store contact number n of a ball with a surface if it is within the margin; return the number of contacts.

    Argument `outside` is the signed distance of the ball's center from the surface, positive outside. Argument
    `normal` is the contact normal, from the ball to the surface.
    """
    dist = outside - radius
    if dist > margin:
        return n
    return keep(dists, points, n, dist, center + normal * (radius + 0.5 * dist), normal)


@kernel
def sphere_box(m, d, ball, box, margin, dists, points):
    """Find at most one contact between a sphere and a box."""
    return keep_box_contact(m, d, box, d.geom_xpos[ball], m.geom_size[ball].x, margin, dists, points, 0)


@kernel(exact=True)
def keep_box_contact(m, d, box, ball, radius, margin, dists, points, n):
    """Store contact number n, of a box with a ball centered at point `ball`; return the number of contacts."""
    out, outside = way_out_of_box(m.geom_size[box], d.geom_xmat[box].T @ (ball - d.geom_xpos[box]))
    return keep_surface_contact(ball, radius, margin, outside, d.geom_xmat[box] @ -out, dists, points, n)


@kernel(exact=True)
def sphere_cylinder(m, d, ball, cylinder, margin, dists, points):
    """Find at most one contact between a sphere and a cylinder: with the side, a cap, or the edge between them."""
    center = d.geom_xpos[ball]
    middle = d.geom_xpos[cylinder]
    radius = m.geom_size[ball].x
    size = m.geom_size[cylinder]
    axis = z_axis(d.geom_xmat[cylinder])
    height = dot(axis, center - middle)
    radial = (center - middle) - axis * height
    square = dot(radial, radial)
    beside = abs(height) < size.y
    over = square < size.x * size.x
    if beside and over:
        # if the center is inside, the nearer surface is used
        over = size.y - abs(height) < size.x - sqrt(square)
        beside = not over
    # the round side acts as a ball on the axis
    first = Ball(center, radius)
    second = Ball(middle + axis * height, size.x)
    if not beside:
        outward = axis * where(height > 0.0, 1.0, -1.0)
        if over:
            # the cap acts as a plane
            rise = dot(center - (middle + outward * size.y), outward)
            return keep_surface_contact(center, radius, margin, rise, -outward, dists, points, 0)
        second = Ball(middle + (outward * size.y + radial * (size.x / sqrt(square))), 0.0)
    return keep_if_near(margin, d, ball, cylinder, first, second, dists, points, 0)
