"""Primitive shapes of geoms and sites: bounding boxes and point-in-shape tests."""

from conjoint.lang import abs, clip, dot, formula, kernel, load, maximum, norm, row0, row1, row2, vec3, where
from conjoint.physics.geometry.matrix import greatest, largest_axis, on_axis
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

SLACK = 1.000001
"""Factor by which bounds are enlarged, so that no touching pair is missed because of rounding."""

UNBOUNDED = 1e10
"""Half size (m) of the bounding box of an unbounded geom."""


@kernel
def half_sizes(kind, size):
    """Return the half sizes of the bounding box of a sphere, capsule, ellipsoid, cylinder or box, along its axes."""
    if kind == mjtGeom.mjGEOM_SPHERE:
        return vec3(size.x, size.x, size.x)
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return vec3(size.x, size.x, size.x + size.y)
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return vec3(size.x, size.x, size.y)
    return vec3(size.x, size.y, size.z)


@formula("real", "vec3", "vec3", exact=True)
def reach(way, half):
    """Return the extent of a box from its center along a unit vector in the frame of the box."""
    return abs(way[0]) * half[0] + abs(way[1]) * half[1] + abs(way[2]) * half[2]


@kernel
def corner_of(half, k):
    """Return corner k of a box around the origin; it is at the upper end of axis i if bit i of k is set."""
    x = where((k & 1) != 0, half.x, -half.x)
    y = where((k & 2) != 0, half.y, -half.y)
    return vec3(x, y, where((k & 4) != 0, half.z, -half.z))


@kernel(exact=True)
def face_overlaps(turn, between, size, other):
    """Return the overlaps of a box with another box along the box's face normals (m), negative for gaps.

    Args:
        turn: axes of the other box, as columns, in the frame of the box.
        between: center of the other box, in the frame of the box.
        size: half sizes of the box.
        other: half sizes of the other box.
    """
    x = -abs(between.x) + size.x + reach(row0(turn), other)
    y = -abs(between.y) + size.y + reach(row1(turn), other)
    return vec3(x, y, -abs(between.z) + size.z + reach(row2(turn), other))


@kernel(exact=True)
def box_center(m, d, g):
    """Return the center of the bounding box of geom g, in world coordinates.

    For planes, meshes and height fields, it differs from the position of the geom.
    """
    return d.geom_xmat[g] @ load(vec3, m.geom_aabb, (g, 0)) + d.geom_xpos[g]


@kernel
def world_box(m, d, g):
    """Return center and half sizes of a world-aligned box around the bounding box of geom g."""
    return box_center(m, d, g), turned_half(d.geom_xmat[g], load(vec3, m.geom_aabb, (g, 3)))


@kernel
def bounding_box(m, d, g, margin):
    """Return the lower and upper corner of a world-aligned box around geom g, widened by a margin and by rounding.

    It contains both the box of `geom_aabb` and the box from the geom's size, in case the user has changed only the
    size. A geom without bounds extends to `UNBOUNDED`.
    """
    return box_at(m, g, d.geom_xpos[g], d.geom_xmat[g], margin)


@kernel
def box_at(m, g, pos, frame, margin):
    """Return the result of `bounding_box` for geom g in a given pose."""
    bounded = m.geom_rbound[g] > 0.0
    radius = where(bounded, m.geom_rbound[g], UNBOUNDED)
    half = vec3(radius, radius, radius)
    kind = m.geom_type[g]
    if kind != mjtGeom.mjGEOM_SPHERE:
        middle = load(vec3, m.geom_aabb, (g, 0))
        inner = load(vec3, m.geom_aabb, (g, 3))
        if kind >= mjtGeom.mjGEOM_CAPSULE and kind <= mjtGeom.mjGEOM_BOX:
            inner = greatest(
                inner, half_sizes(kind, m.geom_size[g]) + vec3(abs(middle.x), abs(middle.y), abs(middle.z))
            )
        pos = pos + frame @ middle
        half = where(bounded, turned_half(frame, inner), half)
    far = margin + rounding_of(m, pos)
    half = SLACK * half + vec3(far, far, far)
    return pos - half, pos + half


@kernel
def turned_half(frame, half):
    """Return the half sizes of the world-aligned box around a box with half sizes `half` and orientation `frame`."""
    return vec3(reach(row0(frame), half), reach(row1(frame), half), reach(row2(frame), half))


@kernel
def rounding_of(m, pos):
    """Return an upper bound of the rounding error of coordinates at a position (m)."""
    return 8.0 * m.epsilon * maximum(abs(pos.x), maximum(abs(pos.y), abs(pos.z)))


@kernel
def shape_of_site(m, site):
    """Return the shape type of a site for drawing and touch sensors; a mesh is replaced by its bounding box."""
    return where(m.site_type[site] == mjtGeom.mjGEOM_MESH, int(mjtGeom.mjGEOM_BOX), m.site_type[site])


@kernel
def inside_shape(kind, size, p):
    """Return True if p, in the frame of a sphere, capsule, ellipsoid, cylinder or box, is inside it."""
    if kind == mjtGeom.mjGEOM_SPHERE:
        return dot(p, p) < size.x * size.x
    if kind == mjtGeom.mjGEOM_CAPSULE:
        # relative to the nearest point of the axis
        q = vec3(p.x, p.y, p.z - clip(p.z, -size.y, size.y))
        return dot(q, q) < size.x * size.x
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        u = vec3(p.x / size.x, p.y / size.y, p.z / size.z)
        return dot(u, u) < 1.0
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return (p.x * p.x + p.y * p.y < size.x * size.x) & (abs(p.z) < size.y)
    return (abs(p.x) < size.x) & (abs(p.y) < size.y) & (abs(p.z) < size.z)


@kernel(exact=True)
def way_out_of_box(size, p):
    """Return the outward direction at the point of a box's surface that is nearest to p, and the signed distance of p.

    If several faces are equally near from inside, the face of the first axis is used. In the middle of an axis, the
    face at its lower end is used.

    Args:
        size: half sizes of the box.
        p: a point in the frame of the box.

    Returns:
        the unit vector; the distance from the surface, positive outside.
    """
    away = p - vec3(clip(p.x, -size.x, size.x), clip(p.y, -size.y, size.y), clip(p.z, -size.z, size.z))
    outside = norm(away)
    if outside > mjMINVAL:
        return away * (1.0 / outside), outside
    depth = vec3(abs(size.x - abs(p.x)), abs(size.y - abs(p.y)), abs(size.z - abs(p.z)))
    axis = largest_axis(-depth)
    return on_axis(axis, where(p[axis] > 0.0, 1.0, -1.0)), -depth[axis]
