"""Contacts of a plane with a convex primitive: the lowest points of the primitive.

The normal is the plane's z axis. A contact lies halfway between the point of the primitive and its projection on the
plane.
"""

from conjoint.lang import cross, dot, kernel, norm, normalize3, vec3, x_axis, z_axis
from conjoint.physics.collision.contact import add_contact
from conjoint.schema.constants import mjMINVAL

SIN_60 = 0.8660254037844386
"""Half the square root of three: where the other two corners of a triangle in a circle stand sideways."""


@kernel(per_world=True)
def add_plane_point(m, d, k, margin, normal, height, point, tangent):
    """Contact at `point`, `height` above the plane, if within the margin; returns how many contacts were added."""
    if height > margin:
        return 0
    add_contact(m, d, k, height, point - normal * (0.5 * height), normal, tangent)
    return 1


@kernel(per_world=True)
def plane_sphere(m, d, k, margin):
    """One contact below the centre."""
    plane = m.candidate_geom1[k]
    ball = m.candidate_geom2[k]
    normal = z_axis(d.geom_xmat[plane])
    center = d.geom_xpos[ball]
    radius = m.geom_size[ball].x
    height = dot(center - d.geom_xpos[plane], normal) - radius
    add_plane_point(m, d, k, margin, normal, height, center - normal * radius, vec3(0.0, 0.0, 0.0))


@kernel(per_world=True)
def plane_capsule(m, d, k, margin):
    """Up to two contacts, one per end; the frames follow the capsule's axis."""
    plane = m.candidate_geom1[k]
    capsule = m.candidate_geom2[k]
    normal = z_axis(d.geom_xmat[plane])
    axis = z_axis(d.geom_xmat[capsule])
    radius = m.geom_size[capsule].x
    for end in range(2):
        center = d.geom_xpos[capsule] + axis * (m.geom_size[capsule].y * (1.0 - 2.0 * end))
        height = dot(center - d.geom_xpos[plane], normal) - radius
        add_plane_point(m, d, k, margin, normal, height, center - normal * radius, axis)


@kernel(per_world=True)
def plane_ellipsoid(m, d, k, margin):
    """One contact at the point whose outward normal faces the plane."""
    plane = m.candidate_geom1[k]
    ellipsoid = m.candidate_geom2[k]
    normal = z_axis(d.geom_xmat[plane])
    size = m.geom_size[ellipsoid]
    # in its own frame, scaled to a unit ball, the lowest point is straight down
    local = d.geom_xmat[ellipsoid].T @ normal
    down = normalize3(vec3(-local.x * size.x, -local.y * size.y, -local.z * size.z))
    lowest = vec3(down.x * size.x, down.y * size.y, down.z * size.z)
    point = d.geom_xpos[ellipsoid] + d.geom_xmat[ellipsoid] @ lowest
    height = dot(point - d.geom_xpos[plane], normal)
    add_plane_point(m, d, k, margin, normal, height, point, vec3(0.0, 0.0, 0.0))


@kernel(per_world=True)
def plane_cylinder(m, d, k, margin):
    """Up to four contacts: the lowest point of each cap, and two more on the lower cap that make a triangle with it."""
    plane = m.candidate_geom1[k]
    cylinder = m.candidate_geom2[k]
    normal = z_axis(d.geom_xmat[plane])
    center = d.geom_xpos[cylinder]
    radius = m.geom_size[cylinder].x
    # axis from the centre to the lower cap
    axis = z_axis(d.geom_xmat[cylinder])
    if dot(normal, axis) > 0.0:
        axis = -axis
    # radius that points down most steeply; any, if the cap is parallel to the plane
    rim = axis * dot(normal, axis) - normal
    length = norm(rim)
    if length >= mjMINVAL:
        rim = rim * (radius / length)
    else:
        rim = x_axis(d.geom_xmat[cylinder]) * radius
    axis = axis * m.geom_size[cylinder].y
    none = vec3(0.0, 0.0, 0.0)
    height = dot(center - d.geom_xpos[plane], normal)
    down = dot(axis, normal)
    slope = dot(rim, normal)
    if add_plane_point(m, d, k, margin, normal, height + down + slope, center + rim + axis, none) > 0:
        add_plane_point(m, d, k, margin, normal, height - down + slope, center + rim - axis, none)
        # the triangle's other corners, at half the rim's height on the other side
        sideways = normalize3(cross(rim, axis)) * (radius * SIN_60)
        middle = center + axis - rim * 0.5
        height = height + down - 0.5 * slope
        add_plane_point(m, d, k, margin, normal, height, middle + sideways, none)
        add_plane_point(m, d, k, margin, normal, height, middle - sideways, none)


@kernel(per_world=True)
def plane_box(m, d, k, margin):
    """Up to four contacts at the corners below the centre."""
    plane = m.candidate_geom1[k]
    box = m.candidate_geom2[k]
    normal = z_axis(d.geom_xmat[plane])
    size = m.geom_size[box]
    center = d.geom_xpos[box]
    height = dot(center - d.geom_xpos[plane], normal)
    added = 0
    for i in range(8):
        corner = d.geom_xmat[box] @ vec3(
            size.x * (2.0 * (i & 1) - 1.0), size.y * (1.0 * (i & 2) - 1.0), size.z * (0.5 * (i & 4) - 1.0)
        )
        rise = dot(corner, normal)
        if rise <= 0.0 and added < 4:
            added += add_plane_point(m, d, k, margin, normal, height + rise, center + corner, vec3(0.0, 0.0, 0.0))
