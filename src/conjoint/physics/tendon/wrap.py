"""Shortest paths around spheres and cylinders: where a tendon touches the geoms it wraps around (stage 5).

Both shapes reduce to a circle about the origin of a plane: for a sphere, the plane through its center and the two
sites; for a cylinder, the plane across its axis, with the height along the axis spread evenly over the path (XML
Reference, spatial tendon). Points of the plane are pairs of reals.
"""

from conjoint.lang import abs, any, cross, dot, kernel, logical_not, norm, normalize3, sqrt, vec3, where
from conjoint.lang.algebra import MINIMUM_VALUE
from conjoint.physics.tendon.circle import inside_circle, outside_circle
from conjoint.schema.enums import mjtWrap

STRAIGHT = -1.0
"""Length of the curved part of a path that does not touch the geom."""

FAR = 1e30
"""Distance of a side site that does not exist."""


@kernel
def wrap_geoms(m, d):
    """Points and lengths of all paths on the geoms they wrap around: first of the stages of mj_tendon."""
    for w in range(m.nwrap):
        if m.wrap_type[w] == mjtWrap.mjWRAP_SPHERE:
            wrap_sphere(m, d, w)
        elif m.wrap_type[w] == mjtWrap.mjWRAP_CYLINDER:
            wrap_cylinder(m, d, w)


@kernel
def in_geom(m, d, w, site):
    """Position of a site in the frame of the geom at place w of a path."""
    g = m.wrap_objid[w]
    return d.geom_xmat[g].T @ (d.site_xpos[site] - d.geom_xpos[g])


@kernel
def wrap_sphere(m, d, w):
    """The path around the sphere at place w."""
    first = in_geom(m, d, w, m.wrap_objid[w - 1])
    last = in_geom(m, d, w, m.wrap_objid[w + 1])
    x = normalize3(first)
    y = cross(sphere_normal(x, first, last), x)
    length, px, py, qx, qy = wrap_circle(m, d, w, first, last, x, y)
    store_wrap(m, d, w, length, x * px + y * py, x * qx + y * qy)


@kernel
def sphere_normal(x, first, last):
    """Unit normal of the plane through the origin and two points, of which `first` lies along x."""
    normal = cross(first, last)
    flat = norm(normal) < MINIMUM_VALUE
    if any(flat):
        # all in line: any plane will do; this one is turned by the two smaller components of x
        size = vec3(abs(x.x), abs(x.y), abs(x.z))
        along_x = (size.x >= size.y) & (size.x >= size.z)
        along_y = logical_not(along_x) & (size.y >= size.z)
        other = vec3(
            where(along_x, 0.0, 1.0), where(along_y, 0.0, 1.0), where(along_x | along_y, 1.0, 0.0)
        )  # fmt: skip
        normal = where(flat, cross(x, other), normal)
    return normalize3(normal)


@kernel
def wrap_cylinder(m, d, w):
    """The path around the cylinder at place w, whose axis is z."""
    first = in_geom(m, d, w, m.wrap_objid[w - 1])
    last = in_geom(m, d, w, m.wrap_objid[w + 1])
    length, px, py, qx, qy = wrap_circle(m, d, w, first, last, vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0))
    # the height changes at a constant rate along the path
    before = distance(first.x, first.y, px, py)
    after = distance(last.x, last.y, qx, qy)
    whole = before + length + after
    rate = (last.z - first.z) / where(whole > 0.0, whole, 1.0)
    enter = vec3(px, py, first.z + rate * before)
    leave = vec3(qx, qy, first.z + rate * (before + length))
    rise = leave.z - enter.z
    length = where(length < 0.0, length, sqrt(length * length + rise * rise))
    store_wrap(m, d, w, length, enter, leave)


@kernel
def distance(ax, ay, bx, by):
    """Distance of two points of the plane."""
    return sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))


@kernel
def store_wrap(m, d, w, length, enter, leave):
    """Length of the curved part at place w, and the points where it starts and ends, given in the geom's frame."""
    g = m.wrap_objid[w]
    d.wrap_curve[w] = length
    d.wrap_enter[w] = d.geom_xpos[g] + d.geom_xmat[g] @ enter
    d.wrap_leave[w] = d.geom_xpos[g] + d.geom_xmat[g] @ leave


@kernel
def wrap_circle(m, d, w, first, last, x, y):
    """The path around, or through, the circle of the geom at place w, in the plane of the axes x and y.

    Args:
        first, last: the two sites, in the frame of the geom.
        x, y: orthogonal unit vectors.

    Returns:
        Length of the curved part, STRAIGHT if there is none; the points where it starts and ends.
    """
    radius = m.geom_size[m.wrap_objid[w]].x
    ax = dot(first, x)
    ay = dot(first, y)
    bx = dot(last, x)
    by = dot(last, y)
    # the side site says which way round; inside the geom, that the path passes within the circle
    reach = FAR
    tx = 0.0
    ty = 0.0
    if m.wrap_side[w] >= 0:
        side = in_geom(m, d, w, m.wrap_side[w])
        reach = norm(side)
        tx = dot(side, x)
        ty = dot(side, y)
    inside = reach < radius
    length = where(inside, STRAIGHT, STRAIGHT)
    px = ax + 0.0
    py = ay + 0.0
    qx = bx + 0.0
    qy = by + 0.0
    if radius >= MINIMUM_VALUE:
        if any(logical_not(inside)):
            length, px, py, qx, qy = outside_circle(ax, ay, bx, by, radius, m.wrap_side[w] >= 0, tx, ty)
        if any(inside):
            within, cx, cy = inside_circle(m, ax, ay, bx, by, radius)
            length = where(inside, within, length)
            px = where(inside, cx, px)
            py = where(inside, cy, py)
            qx = where(inside, cx, qx)
            qy = where(inside, cy, qy)
    # a site at the center has no direction
    nowhere = (norm(first) < MINIMUM_VALUE) | (norm(last) < MINIMUM_VALUE)
    return where(nowhere, STRAIGHT, length), px, py, qx, qy
