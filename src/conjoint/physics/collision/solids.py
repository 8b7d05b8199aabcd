"""Contacts of a sphere with a solid whose surface is known in closed form: box and cylinder.

The contact is at the point of the surface nearest to the centre of the sphere, whether that lies outside the solid or
inside.
"""

from conjoint.lang import abs, clip, cross, dot, kernel, logical_not, norm, normalize3, vec3, where, z_axis
from conjoint.physics.collision.contact import add_contact
from conjoint.schema.constants import mjMINVAL


@kernel(per_world=True)
def add_surface_contact(m, d, k, margin, outside, normal):
    """Contact of a sphere whose centre is `outside` a surface (negative: inside), against the direction `normal`."""
    ball = m.candidate_geom1[k]
    radius = m.geom_size[ball].x
    dist = outside - radius
    if outside <= margin + radius:
        add_contact(m, d, k, dist, d.geom_xpos[ball] + normal * (radius + 0.5 * dist), normal, vec3(0.0, 0.0, 0.0))


@kernel(per_world=True)
def sphere_box(m, d, k, margin):
    """At most one contact."""
    box = m.candidate_geom2[k]
    size = m.geom_size[box]
    # centre of the sphere in the frame of the box, and the nearest point of the box
    center = d.geom_xmat[box].T @ (d.geom_xpos[m.candidate_geom1[k]] - d.geom_xpos[box])
    nearest = vec3(clip(center.x, -size.x, size.x), clip(center.y, -size.y, size.y), clip(center.z, -size.z, size.z))
    outside = norm(nearest - center)
    if outside > mjMINVAL:
        normal = (nearest - center) * (1.0 / outside)
    else:
        # inside: out through the nearest face, the one of the lower axis and the negative side if several are
        depth = size.x + center.x
        normal = vec3(1.0, 0.0, 0.0)
        for axis in range(3):
            for side in range(2):
                sign = 2.0 * side - 1.0
                room = size[axis] - sign * center[axis]
                if room < depth:
                    depth = room
                    normal = vec3(
                        where(axis == 0, -sign, 0.0), where(axis == 1, -sign, 0.0), where(axis == 2, -sign, 0.0)
                    )
        outside = -depth
    add_surface_contact(m, d, k, margin, outside, d.geom_xmat[box] @ normal)


@kernel(per_world=True)
def sphere_cylinder(m, d, k, margin):
    """At most one contact: with the round side, a cap, or the rim between them."""
    ball = m.candidate_geom1[k]
    cylinder = m.candidate_geom2[k]
    radius = m.geom_size[cylinder].x
    height = m.geom_size[cylinder].y
    axis = z_axis(d.geom_xmat[cylinder])
    between = d.geom_xpos[ball] - d.geom_xpos[cylinder]
    along = dot(between, axis)
    up = where(along > 0.0, 1.0, -1.0)
    radial = between - axis * along
    off = norm(radial)
    beside = abs(along) < height
    above = off < radius
    if beside and above:
        # inside: out through the nearer of side and cap
        above = height - abs(along) < radius - off
        beside = logical_not(above)
    if beside:
        if off >= mjMINVAL:
            inward = radial * (-1.0 / off)
        else:
            inward = normalize3(cross(z_axis(d.geom_xmat[ball]), axis))
        add_surface_contact(m, d, k, margin, off - radius, inward)
    elif above:
        add_surface_contact(m, d, k, margin, abs(along) - height, axis * (-up))
    else:
        to_rim = axis * (up * height) + radial * (radius / off) - between
        add_surface_contact(m, d, k, margin, norm(to_rim), normalize3(to_rim))
