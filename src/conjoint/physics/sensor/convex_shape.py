"""Convex shapes of geoms and sites, with support functions and directions to the surface (stage 12).

The height of a shape in a direction n is that of its farthest point: the support function (Rockafellar, Convex
Analysis, 1970, section 13). The signed distance of a point p from the shape, negative inside, is the maximum of
n p - height over all unit directions n. `way_out` returns the n that attains the maximum.
"""

from conjoint.lang import (
    abs,
    clip,
    dot,
    group,
    kernel,
    maximum,
    minimum,
    normalize3,
    quat_to_mat,
    sqrt,
    vec3,
)
from conjoint.physics.collision.convex.body import EXHAUSTIVE, shape_support
from conjoint.physics.geometry.shape import way_out_of_box
from conjoint.physics.sensor.hull_way_out import way_out_of_hull
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

CLOSE = 1e-12
"""Relative size below which a number counts as zero."""

TURNS = 60
"""Maximum number of Newton steps for the nearest point of an ellipsoid; five or six usually suffice."""


@group
def Shape(kind, size, mesh, pos, frame):
    """Convex shape: type, sizes, mesh and pose."""


@kernel
def shape_of_geom(m, d, g):
    """Return the convex shape of geom g."""
    return Shape(m.geom_type[g], m.geom_size[g], m.geom_dataid[g], d.geom_xpos[g], d.geom_xmat[g])


@kernel
def shape_of_volume(m, d, i):
    """Return the convex shape of site i.

    The pose of a mesh site is that of the mesh file; it is converted to the mesh's inertial frame, which its vertices
    use.
    """
    mesh = m.site_dataid[i]
    pos = d.site_xpos[i]
    frame = d.site_xmat[i]
    if m.site_type[i] == mjtGeom.mjGEOM_MESH:
        pos = pos + frame @ m.mesh_pos[mesh]
        frame = frame @ quat_to_mat(m.mesh_quat[mesh])
    return Shape(m.site_type[i], m.site_size[i], mesh, pos, frame)


@kernel
def is_round(shape):
    """Return True if a shape is an ellipsoid or cylinder, and not the convex hull of finitely many points or balls."""
    return shape.kind == mjtGeom.mjGEOM_ELLIPSOID or shape.kind == mjtGeom.mjGEOM_CYLINDER


@kernel
def height(m, shape, way):
    """Return the support function of a shape: its extent in a unit direction from the origin of the world."""
    return dot(way, farthest(m, shape, way))


@kernel
def farthest(m, shape, way):
    """Return a support point of a shape, which is a farthest point in a unit direction."""
    point, _, _ = shape_support(m, shape, shape.frame.T @ way, -1, EXHAUSTIVE)
    return shape.pos + shape.frame @ point


@kernel
def way_out(m, shape, p):
    """Return the unit direction in which point p is farthest above a shape, or nearest to its surface from inside."""
    q = shape.frame.T @ (p - shape.pos)
    size = shape.size
    if shape.kind == mjtGeom.mjGEOM_BOX:
        n, _ = way_out_of_box(size, q)
    elif shape.kind == mjtGeom.mjGEOM_CYLINDER:
        n = way_out_of_cylinder(size, q)
    elif shape.kind == mjtGeom.mjGEOM_ELLIPSOID:
        n = way_out_of_ellipsoid(size, q)
    elif shape.kind == mjtGeom.mjGEOM_MESH:
        n = way_out_of_hull(m, shape.mesh, q)
    elif shape.kind == mjtGeom.mjGEOM_CAPSULE:
        n = normalize3(vec3(q.x, q.y, q.z - clip(q.z, -size.y, size.y)))
    else:
        n = normalize3(q)
    return shape.frame @ n


@kernel
def way_out_of_cylinder(size, q):
    """Return `way_out` for a point q in the frame of a cylinder."""
    across = sqrt(q.x * q.x + q.y * q.y)
    radial = vec3(1.0, 0.0, 0.0)
    if across > mjMINVAL:
        radial = vec3(q.x / across, q.y / across, 0.0)
    axial = vec3(0.0, 0.0, 1.0 if q.z > 0.0 else -1.0)
    outside = across - size.x
    above = abs(q.z) - size.y
    if outside > 0.0 and above > 0.0:
        return normalize3(radial * outside + axial * above)
    if outside > above:
        return radial
    return axial


@kernel
def way_out_of_ellipsoid(size, q):
    """Return `way_out` for a point q in the frame of an ellipsoid.

    The nearest point of the surface is x = s^2 q / (t + s^2) for each component. Here t, which is at least minus the
    smallest s^2, is the root of F(t) = |x / s|^2 - 1. F is decreasing and convex, so Newton's method approaches the
    root from below without passing it. See Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a
    Hyperellipsoid, 2013.
    """
    least = minimum(size.x, minimum(size.y, size.z))
    x, y, z = size.x * abs(q.x), size.y * abs(q.y), size.z * abs(q.z)
    t = maximum(maximum(x - size.x * size.x, y - size.y * size.y), z - size.z * size.z)
    t = maximum(t, -least * least * (1.0 - CLOSE))
    for _k in range(TURNS):
        a, b, c = t + size.x * size.x, t + size.y * size.y, t + size.z * size.z
        u, v, w = x / a, y / b, z / c
        excess = u * u + v * v + w * w - 1.0
        if excess <= 0.0:
            break
        t += 0.5 * excess / (u * u / a + v * v / b + w * w / c)
    n = vec3(q.x / (t + size.x * size.x), q.y / (t + size.y * size.y), q.z / (t + size.z * size.z))
    # remaining gap to the surface: on the middle plane of the shortest axis, both sides are equally near
    missing = 1.0 - (n.x * n.x * size.x * size.x + n.y * n.y * size.y * size.y + n.z * n.z * size.z * size.z)
    if missing > CLOSE:
        rise = sqrt(missing) / least
        if size.x == least:
            n = n + vec3(rise if q.x >= 0.0 else -rise, 0.0, 0.0)
        elif size.y == least:
            n = n + vec3(0.0, rise if q.y >= 0.0 else -rise, 0.0)
        else:
            n = n + vec3(0.0, 0.0, rise if q.z >= 0.0 else -rise)
    return normalize3(n)
