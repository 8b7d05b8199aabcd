"""Separating planes between two bodies, which make a search for their nearest points unnecessary.

First, planes parallel to a side of one body's bounding box are tested. Then a plane, at first perpendicular to the line
between the bodies' centers, is rotated until it has one body on each side. Primitive shapes are used as they are.
Meshes are replaced by bounding polytopes with support points in closed form. A direction with nonnegative components x,
y, z in descending order is (x - y) e1 + (y - z) (e1 + e2) + z (e1 + e2 + e3). So the extents of a mesh in these three
directions bound its extent in that direction. Last, for one world at a time, planes are rotated between the meshes
themselves.

The normal is reflected by the vector between the two farthest points (Chung & Wang, Quick collision detection of
polytopes in virtual environments, VRST 1996).
"""

from conjoint.lang import (
    abs,
    dot,
    kernel,
    load,
    local,
    maximum,
    minimum,
    norm,
    normalize3,
    vec3,
    where,
)
from conjoint.physics.collision.convex.body import NATIVE, Body, primitive_support, set_geoms, signed
from conjoint.physics.collision.convex.gjk import Corner, find_corner
from conjoint.physics.collision.hull import LOWEST
from conjoint.physics.geometry.shape import box_center, face_overlaps, half_sizes
from conjoint.schema.enums import mjtGeom

EXACT_KERNELS = False

SLACK = 1e-6
"""Minimum gap between separated bodies, relative to their size; closer pairs are left to GJK."""

TURNS = 4
"""Number of planes to try, starting perpendicular to the line between the centers."""

EXACT_TURNS = 2
"""Number of planes to try between the meshes themselves; a search for nearest points would try about five."""

ROUNDING = 16.0
"""Rounding error of positions, in units of their last bit."""


@kernel
def box_size(m, g):
    """Return the half sizes of the bounding box of geom g, along the geom's axes."""
    kind = m.geom_type[g]
    if kind >= mjtGeom.mjGEOM_SPHERE and kind <= mjtGeom.mjGEOM_BOX:
        return half_sizes(kind, m.geom_size[g])
    return load(vec3, m.geom_aabb, (g, 3))


@kernel
def are_apart(m, d, g1, g2, margin):
    """Return True if the bounding boxes of two geoms are more than the margin apart along an axis of either box."""
    half1 = box_size(m, g1)
    half2 = box_size(m, g2)
    between = box_center(m, d, g2) - box_center(m, d, g1)
    turn = d.geom_xmat[g1].T @ d.geom_xmat[g2]
    first = face_overlaps(turn, d.geom_xmat[g1].T @ between, half1, half2)
    second = face_overlaps(turn.T, d.geom_xmat[g2].T @ between, half2, half1)
    overlap = minimum(minimum(first.x, minimum(first.y, first.z)), minimum(second.x, minimum(second.y, second.z)))
    return -overlap > margin + SLACK * (half1.x + half1.y + half1.z + half2.x + half2.y + half2.z)


@kernel
def plane_between(m, d, g1, g2, margin):
    """Search for a plane between the bounds of two geoms that are more than the margin apart.

    Returns:
        True if a plane was found; the tested normal along which the bounds overlap least. Normals point from the first
        geom to the second.
    """
    offset = d.geom_xpos[g2] - d.geom_xpos[g1]
    half1 = box_size(m, g1)
    half2 = box_size(m, g2)
    least = margin + SLACK * (half1.x + half1.y + half1.z + half2.x + half2.y + half2.z)
    normal = normalize3(box_center(m, d, g2) - box_center(m, d, g1))
    best = normal
    most = LOWEST
    for _ in range(TURNS):
        first = d.geom_xmat[g1] @ outer_point(m, g1, d.geom_xmat[g1].T @ normal)
        second = d.geom_xmat[g2] @ outer_point(m, g2, d.geom_xmat[g2].T @ -normal)
        between = offset + second - first
        gap = dot(between, normal)
        best = where(gap > most, normal, best)
        most = maximum(gap, most)
        if gap > least:
            return True, best
        way = normalize3(between)
        normal = normal - way * (2.0 * dot(way, normal))
    return False, best


# A separate function, because the search is slower if this is inlined before it.
@kernel(rare=True)
def plane_along(m, d, g1, g2, margin, way, turns):
    """Search for a plane between two geoms themselves (not their bounds) that are more than the margin apart.

    The first plane is perpendicular to `way`; at most `turns` planes are tested, and none if `way` is zero.

    Returns:
        True if a plane was found; its unit normal, from the first geom to the second.
    """
    normal = normalize3(way)
    if turns == 0 or dot(way, way) == 0.0:
        return False, normal
    bodies = local(Body, 2)
    corner = local(Corner, 1)[0]
    set_geoms(m, d, g1, g2, 0.0, bodies)
    size = m.geom_rbound[g1] + m.geom_rbound[g2]
    least = margin + SLACK * size + ROUNDING * m.epsilon * (norm(bodies[0].pos) + norm(bodies[1].pos))
    apart = False
    turn = 0
    while turn < turns and not apart:
        find_corner(m, bodies, corner, normal, NATIVE)
        between = -corner.point
        apart = dot(between, normal) > least
        if not apart:
            across = normalize3(between)
            normal = normal - across * (2.0 * dot(across, normal))
        turn += 1
    return apart, normal


@kernel
def outer_point(m, g, way):
    """Return the support point of the bounds of geom g, in the geom's frame."""
    kind = m.geom_type[g]
    if kind >= mjtGeom.mjGEOM_SPHERE and kind <= mjtGeom.mjGEOM_BOX:
        return primitive_support(kind, m.geom_size[g], way)
    if kind == mjtGeom.mjGEOM_MESH and m.nmesh_extent > 0:
        return point_of_polytope(m, m.geom_dataid[g], way)
    return load(vec3, m.geom_aabb, (g, 0)) + primitive_support(mjtGeom.mjGEOM_BOX, box_size(m, g), way)


@kernel
def point_of_polytope(m, mesh, way):
    """Return the support point of the polytope that bounds a mesh."""
    x = abs(way.x)
    y = abs(way.y)
    z = abs(way.z)
    # the largest and the smallest component
    x_first = (x >= y) & (x >= z)
    y_first = (not x_first) & (y >= z)
    z_last = (z <= x) & (z <= y)
    y_last = (not z_last) & (y <= x)
    one = where(x_first, along(m, mesh, way, 1, 0, 0), along(m, mesh, way, 0, 0, 1))
    one = where(y_first, along(m, mesh, way, 0, 1, 0), one)
    two = where(z_last, along(m, mesh, way, 1, 1, 0), along(m, mesh, way, 0, 1, 1))
    two = where(y_last, along(m, mesh, way, 1, 0, 1), two)
    three = along(m, mesh, way, 1, 1, 1)
    middle = two - one
    least = three - two
    return vec3(
        signed(where(x_first, one, where(z_last | y_last, middle, least)), way.x),
        signed(where(y_first, one, where(y_last, least, middle)), way.y),
        signed(where(x_first | y_first, where(z_last, least, middle), one), way.z),
    )


@kernel
def along(m, mesh, way, x, y, z):
    """Return the extent of a mesh in the direction with components x, y, z (0 or 1), with the signs of `way`."""
    if x == 0:
        return along_x(m, mesh, way, 0, y, z)
    return where(way.x < 0.0, along_x(m, mesh, way, -1, y, z), along_x(m, mesh, way, 1, y, z))


@kernel
def along_x(m, mesh, way, x, y, z):
    """Return the extent of a mesh as in `along`, where the x component already has its sign."""
    if y == 0:
        return along_xy(m, mesh, way, x, 0, z)
    return where(way.y < 0.0, along_xy(m, mesh, way, x, -1, z), along_xy(m, mesh, way, x, 1, z))


@kernel
def along_xy(m, mesh, way, x, y, z):
    """Return the extent of a mesh as in `along`, where the x and y components already have their signs."""
    if z == 0:
        return m.mesh_extent[mesh, number_of(x, y, 0)]
    return where(way.z < 0.0, m.mesh_extent[mesh, number_of(x, y, -1)], m.mesh_extent[mesh, number_of(x, y, 1)])


@kernel
def number_of(x, y, z):
    """Return the index of the direction with components x, y, z, each -1, 0 or 1."""
    return 9 * (x + 1) + 3 * (y + 1) + z + 1
