"""Contacts of a plane with a convex shape: its support points against the plane's normal, the lowest ones.

The normal is the plane's z axis. A contact lies halfway between the point of the shape and its projection on the plane.
Which points are tried, and in which order, is as in the official engine.
"""

from conjoint.lang import abs, cross, dot, kernel, norm, normalize3, vec3, where, x_axis, z_axis
from conjoint.physics.collision.contact_candidates import keep, keep_along
from conjoint.physics.collision.hull import best_vertex, hull_names, hull_neighbours, vertex_of
from conjoint.physics.collision.hull_table import top_vertex
from conjoint.physics.geometry.change import moving
from conjoint.physics.geometry.shape import corner_of
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

COS_120 = -0.5
SIN_120 = 0.8660254037844386
"""Where the corners of a triangle in a circle stand."""

MESH_CONTACTS = 3
"""Contacts of a plane and a mesh."""

APART = 0.3
"""How far from the first contact with a mesh others are at least, in units of its bounding radius."""


@kernel
def above_plane(d, plane, g):
    """Normal of a plane; center of the other geom, and its height above the plane."""
    normal = z_axis(d.geom_xmat[plane])
    center = d.geom_xpos[g]
    return normal, center, dot(center - d.geom_xpos[plane], normal)


@kernel
def keep_plane_point(dists, points, n, margin, normal, height, point):
    """Contact number n at `point`, `height` above the plane, if within the margin; how many there are then."""
    if height > margin:
        return n
    return keep(dists, points, n, height, point - normal * (0.5 * height), normal)


@kernel
def plane_sphere(m, d, plane, ball, margin, dists, points):
    """One contact below the centre."""
    normal, center, height = above_plane(d, plane, ball)
    radius = m.geom_size[ball].x
    height = height - radius
    if height > margin + m.reach:
        return 0
    return keep(dists, points, 0, height, center - normal * (0.5 * height + radius), normal)


@kernel
def plane_capsule(m, d, plane, capsule, margin, dists, points):
    """Up to two contacts, one per end; the frames follow the capsule's axis."""
    normal = z_axis(d.geom_xmat[plane])
    axis = z_axis(d.geom_xmat[capsule])
    radius = m.geom_size[capsule].x
    n = 0
    for end in range(2):
        center = d.geom_xpos[capsule] + axis * (m.geom_size[capsule].y * (1.0 - 2.0 * end))
        height = dot(center - d.geom_xpos[plane], normal) - radius
        if height <= margin + m.reach:
            pos = center - normal * (0.5 * height + radius)
            n = keep_along(dists, points, n, height, pos, normal, axis)
    return n


@kernel
def plane_ellipsoid(m, d, plane, ellipsoid, margin, dists, points):
    """One contact at the point whose outward normal faces the plane."""
    normal = z_axis(d.geom_xmat[plane])
    size = m.geom_size[ellipsoid]
    # in its own frame, scaled to a unit ball, the lowest point is straight down
    local = d.geom_xmat[ellipsoid].T @ normal
    down = normalize3(vec3(-local.x * size.x, -local.y * size.y, -local.z * size.z))
    lowest = vec3(down.x * size.x, down.y * size.y, down.z * size.z)
    point = d.geom_xpos[ellipsoid] + d.geom_xmat[ellipsoid] @ lowest
    height = dot(point - d.geom_xpos[plane], normal)
    if height > margin + m.reach:
        return 0
    return keep(dists, points, 0, height, point - normal * (0.5 * height), normal)


@kernel
def plane_cylinder(m, d, plane, cylinder, margin, dists, points):
    """Up to four contacts: the lowest points of both caps, and what makes that of the lower cap a triangle."""
    normal, center, height = above_plane(d, plane, cylinder)
    frame = d.geom_xmat[cylinder]
    radius = m.geom_size[cylinder].x
    # from the center to the lower cap, and there to its lowest point
    axis = z_axis(frame)
    lean = dot(normal, axis)
    axis = where(lean > 0.0, -axis, axis)
    lean = -abs(lean)
    lowest = axis * lean - normal
    length = norm(lowest)
    # of a cap that is parallel to the plane any point is
    lowest = where(length < mjMINVAL, x_axis(frame) * radius, lowest * (radius / length))
    drop = dot(lowest, normal)
    axis = axis * m.geom_size[cylinder].y
    lean = lean * m.geom_size[cylinder].y
    sideways = normalize3(cross(lowest, axis)) * (radius * SIN_120)
    n = 0
    for k in range(4):
        rise, spot = height + lean + drop, center + lowest + axis
        if k == 1:
            rise, spot = height - lean + drop, center + lowest - axis
        if k > 1:
            # the other two corners of the triangle
            spot = center + sideways * (5.0 - 2.0 * k) + axis + lowest * COS_120
            # on a cap that is parallel to the plane, they rise also where the lowest point does not
            rise = moving(height + lean + drop * COS_120, dot(spot - d.geom_xpos[plane], normal))
        # if the lowest point is not within the margin, no other is
        if rise <= margin + m.reach and (k == 0 or n > 0):
            n = keep(dists, points, n, rise, spot - normal * (0.5 * rise), normal)
    return n


@kernel
def plane_box(m, d, plane, box, margin, dists, points):
    """Up to four contacts at the corners that are not above the centre, the first ones in binary order."""
    normal, center, height = above_plane(d, plane, box)
    n = 0
    for i in range(8):
        corner = d.geom_xmat[box] @ corner_of(m.geom_size[box], i)
        rise = dot(corner, normal)
        if rise <= 0.0 and n < 4:
            n = keep_plane_point(dists, points, n, margin, normal, height + rise, center + corner)
    return n


@kernel
def plane_mesh(m, d, plane, g, margin, dists, points):
    """Up to three contacts: at the lowest vertex, and at others within the margin that are not near it.

    Others are the neighbours in the hull, in the order of its graph; all vertices of a mesh without one.
    """
    way = -(d.geom_xmat[g].T @ z_axis(d.geom_xmat[plane]))
    mesh = m.geom_dataid[g]
    if m.mesh_graphadr[mesh] < 0:
        lowest = best_vertex(m, mesh, -1, way)
        n = keep_vertex(m, d, plane, g, lowest, dists, points, 0, margin)
        v = 0
        while v < m.mesh_vertnum[mesh] and n > 0 and n < MESH_CONTACTS:
            if v != lowest:
                n = keep_vertex(m, d, plane, g, v, dists, points, n, margin)
            v += 1
        return n
    names = hull_names(m, mesh)
    lowest = top_vertex(m, mesh, 0, dot(way, vertex_of(m, mesh, m.mesh_graph[names])), way, True)
    n = keep_vertex(m, d, plane, g, m.mesh_graph[names + lowest], dists, points, 0, margin)
    k = hull_neighbours(m, mesh, lowest)
    while m.mesh_graph[k] >= 0 and n > 0 and n < MESH_CONTACTS:
        n = keep_vertex(m, d, plane, g, m.mesh_graph[names + m.mesh_graph[k]], dists, points, n, margin)
        k += 1
    return n


@kernel
def keep_vertex(m, d, plane, g, v, dists, points, n, margin):
    """Contact number n, at vertex v of a mesh if it is within the margin; how many there are then.

    All but the first contact are closer than the margin, and not near the first.
    """
    normal, center, height = above_plane(d, plane, g)
    vertex = vertex_of(m, m.geom_dataid[g], v)
    arm = d.geom_xmat[g] @ vertex
    point = center + arm
    if n > 0:
        way = -(d.geom_xmat[g].T @ normal)
        near = norm(point - points[0]) < APART * m.geom_rbound[g]
        if near or dot(vertex, way) <= height - margin:
            return n
    return keep_plane_point(dists, points, n, margin, normal, height + dot(arm, normal), point)
