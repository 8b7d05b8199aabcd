"""Shortest paths around spheres and cylinders, and the points at which tendons touch these geoms (stage 5).

A geodesic of a cylinder is a straight line on the unrolled surface. In the plane across the axis, it is a path around a
circle, and the height along the axis changes at a constant rate along this path. A geodesic of a sphere is in the plane
through the center and the two sites. Therefore a sphere is treated as a cylinder whose axis is the normal of that
plane, without height (XML Reference, spatial tendon).
"""

from conjoint.lang import abs, cross, kernel, mat_from_rows, norm, normalize3, sqrt, vec2, vec3, where
from conjoint.physics.tendon.circle import around_circle, around_like_side, product, through_circle
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtWrap

STRAIGHT = -1.0
"""Value for the length of the curved part of a path if the path does not touch the geom."""


@kernel
def wrap_geoms_3(m, d):
    """Find the points and lengths of all tendon paths on geoms (mj_tendon in MuJoCo 3.3.5)."""
    wrap_all(m, d, around_circle)


@kernel
def wrap_geoms_4(m, d):
    """Find the points and lengths of all tendon paths on geoms (mj_tendon in MuJoCo 4.0).

    A path turns around a geom in the same direction as the path over its side site.
    """
    wrap_all(m, d, around_like_side)


@kernel
def wrap_all(m, d, around):
    """Compute all tendon paths around geoms; the kernel `around` finds paths around a circle."""
    for w in range(m.nwrap):
        if m.wrap_type[w] == mjtWrap.mjWRAP_SPHERE:
            g = m.wrap_objid[w]
            frame = d.geom_xmat[g] @ sphere_axes(in_geom(m, d, w, w - 1), in_geom(m, d, w, w + 1)).T
            wrap_geom(m, d, w, frame, around)
        elif m.wrap_type[w] == mjtWrap.mjWRAP_CYLINDER:
            wrap_geom(m, d, w, d.geom_xmat[m.wrap_objid[w]], around)


@kernel
def in_geom(m, d, w, v):
    """Return the position of the site with path index v, in the frame of the geom with path index w."""
    g = m.wrap_objid[w]
    return d.geom_xmat[g].T @ (d.site_xpos[m.wrap_objid[v]] - d.geom_xpos[g])


@kernel
def sphere_axes(first, last):
    """Return a matrix with rows x, y and z, where x and y are in the plane through a sphere's center and two points.

    Row x is along `first`.
    """
    x = normalize3(first)
    normal = cross(first, last)
    if norm(normal) < mjMINVAL:
        # all points are in line, so any plane is valid; MuJoCo's contains a diagonal of the two smaller components
        size = vec3(abs(x.x), abs(x.y), abs(x.z))
        diagonal = vec3(1.0, 1.0, 0.0)
        if size.x >= size.y and size.x >= size.z:
            diagonal = vec3(0.0, 1.0, 1.0)
        elif size.y >= size.z:
            diagonal = vec3(1.0, 0.0, 1.0)
        normal = cross(x, diagonal)
    normal = normalize3(normal)
    return mat_from_rows(x, cross(normal, x), normal)


@kernel
def wrap_geom(m, d, w, frame, around):
    """Compute the path around or through the wrapping geom with path index w.

    Args:
        m, d: model, data.
        w: index of the geom in the path.
        frame: matrix whose columns are two axes in the plane of the circle and the axis across it, in world axes.
        around: kernel that finds paths around a circle.
    """
    radius = m.geom_size[m.wrap_objid[w]].x
    center = d.geom_xpos[m.wrap_objid[w]]
    first = frame.T @ (d.site_xpos[m.wrap_objid[w - 1]] - center)
    last = frame.T @ (d.site_xpos[m.wrap_objid[w + 1]] - center)
    length, start, end = wrap_circle(m, d, w, radius, frame, first, last, around)
    # the height changes at a constant rate along the path
    before = distance(vec2(first.x, first.y), start)
    after = distance(vec2(last.x, last.y), end)
    whole = before + length + after
    rate = (last.z - first.z) / where(whole > 0.0, whole, 1.0)
    rise = rate * length
    enter = vec3(start.x, start.y, first.z + rate * before)
    d.wrap_curve[w] = where(length < 0.0, STRAIGHT, sqrt(length * length + rise * rise))
    d.wrap_enter[w] = center + frame @ enter
    d.wrap_leave[w] = center + frame @ vec3(end.x, end.y, enter.z + rise)


@kernel
def distance(a, b):
    """Return the distance between two points of a plane."""
    return sqrt(product(b - a, b - a))


@kernel
def wrap_circle(m, d, w, radius, frame, first, last, around):
    """Return the path in the plane of `frame`: length of its curved part, or STRAIGHT, and its start and end points."""
    a = vec2(first.x, first.y)
    b = vec2(last.x, last.y)
    if radius < mjMINVAL:
        return STRAIGHT, a, b
    if m.wrap_side[w] < 0:
        return around(m, a, b, radius, False, vec2(1.0, 0.0))
    side = frame.T @ (d.site_xpos[m.wrap_side[w]] - d.geom_xpos[m.wrap_objid[w]])
    # a side site inside the geom makes the path pass through the circle; inside means within the radius of the center,
    # also along the axis of a cylinder
    if norm(side) < radius:
        length, point = through_circle(m, a, b, radius)
        return length, point, point
    return around(m, a, b, radius, True, vec2(side.x, side.y))
