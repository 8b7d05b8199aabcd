"""Contacts of a sphere with a solid whose surface is known in closed form: box and cylinder.

The contact is at the point of the surface nearest to the centre of the sphere. From outside, that is the centre clamped
to the solid (Ericson, Real-Time Collision Detection, 2005, section 5.1.3); from inside, the way out through the nearest
face. A cylinder has the side of a ball on its axis, the caps of planes, and the rim of points.
"""

from conjoint.lang import abs, clip, dot, kernel, norm, sqrt, vec3, where, z_axis
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.spheres import Ball, keep_if_near
from conjoint.physics.geometry.matrix import largest_axis, on_axis
from conjoint.schema.constants import mjMINVAL


@kernel
def keep_surface_contact(center, radius, margin, outside, normal, dists, points, n):
    """Contact number n of a ball whose centre is `outside` a surface (negative: inside), against `normal`."""
    dist = outside - radius
    if dist > margin:
        return n
    return keep(dists, points, n, dist, center + normal * (radius + 0.5 * dist), normal)


@kernel
def sphere_box(m, d, ball, box, margin, dists, points):
    """At most one contact."""
    return keep_box_contact(m, d, box, d.geom_xpos[ball], m.geom_size[ball].x, margin, dists, points, 0)


@kernel(exact=True)
def keep_box_contact(m, d, box, ball, radius, margin, dists, points, n):
    """Contact number n, of a ball around the point `ball` with a box; how many there are then."""
    size = m.geom_size[box]
    # centre of the ball in the frame of the box, and the nearest point of the box
    center = d.geom_xmat[box].T @ (ball - d.geom_xpos[box])
    nearest = vec3(clip(center.x, -size.x, size.x), clip(center.y, -size.y, size.y), clip(center.z, -size.z, size.z))
    outside = norm(nearest - center)
    if outside > mjMINVAL:
        normal = (nearest - center) * (1.0 / outside)
    else:
        # of several nearest faces, that of the first axis; in the middle of an axis, that at its lower end
        depth = vec3(abs(size.x - abs(center.x)), abs(size.y - abs(center.y)), abs(size.z - abs(center.z)))
        axis = largest_axis(-depth)
        normal = on_axis(axis, where(center[axis] > 0.0, -1.0, 1.0))
        outside = -depth[axis]
    return keep_surface_contact(ball, radius, margin, outside, d.geom_xmat[box] @ normal, dists, points, n)


@kernel(exact=True)
def sphere_cylinder(m, d, ball, cylinder, margin, dists, points):
    """At most one contact: with the round side, a cap, or the rim between them."""
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
        # the center is inside: what is nearer counts
        over = size.y - abs(height) < size.x - sqrt(square)
        beside = not over
    # the side is that of a ball on the axis
    first = Ball(center, radius)
    second = Ball(middle + axis * height, size.x)
    if not beside:
        outward = axis * where(height > 0.0, 1.0, -1.0)
        if over:
            # the cap is a plane
            rise = dot(center - (middle + outward * size.y), outward)
            return keep_surface_contact(center, radius, margin, rise, -outward, dists, points, 0)
        second = Ball(middle + (outward * size.y + radial * (size.x / sqrt(square))), 0.0)
    return keep_if_near(margin, d, ball, cylinder, first, second, dists, points, 0)
