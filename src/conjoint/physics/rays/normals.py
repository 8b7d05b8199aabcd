"""Outward normals of geoms at the points where rays hit them."""

from conjoint.lang import abs, clip, cross, integer, kernel, load, norm, normalize3, vec3
from conjoint.physics.collision.hull import mesh_corner
from conjoint.physics.rays.geoms import MISSED, ray_triangle
from conjoint.physics.rays.height_field import hfield_point, place
from conjoint.physics.rays.scene import mark_nothing, ray_mesh
from conjoint.schema.enums import mjtGeom

EDGE = 1e-6
"""Distance from a side of a height field, relative to the size of the field, up to which a point is on that side."""


@kernel
def geom_normal(m, d, g, start, way, distance):
    """Return the unit normal of geom g at the hit of a ray, whose distance along `way` is given."""
    frame = d.geom_xmat[g]
    begin = frame.T @ (start - d.geom_xpos[g])
    along = frame.T @ way
    p = begin + along * distance
    kind = m.geom_type[g]
    n = vec3(0.0, 0.0, 1.0)
    if kind == mjtGeom.mjGEOM_MESH:
        n = triangle_normal(m, d, m.geom_dataid[g], begin, along)
    elif kind == mjtGeom.mjGEOM_HFIELD:
        n = surface_normal(m, m.geom_dataid[g], p)
    elif kind != mjtGeom.mjGEOM_PLANE:
        n = primitive_normal(kind, m.geom_size[g], p)
    return frame @ normalize3(n)


@kernel
def triangle_normal(m, d, mesh, p, v):
    """Return the normal, not normalized, of the first triangle of a mesh that a ray hits."""
    _, face = ray_mesh(m, d, mesh, ray_triangle, mark_nothing, p, v, MISSED, 0)
    if face < 0:
        return vec3(0.0, 0.0, 0.0)
    a = mesh_corner(m, mesh, face, 0)
    return cross(mesh_corner(m, mesh, face, 1) - a, mesh_corner(m, mesh, face, 2) - a)


@kernel
def primitive_normal(kind, size, p):
    """Return the normal, not normalized, of a primitive at a point of its surface."""
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        return vec3(p.x / (size.x * size.x), p.y / (size.y * size.y), p.z / (size.z * size.z))
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return vec3(p.x, p.y, p.z - clip(p.z, -size.y, size.y))
    if kind == mjtGeom.mjGEOM_CYLINDER:
        if (p.x * p.x + p.y * p.y) * size.y * size.y < p.z * p.z * size.x * size.x:
            return vec3(0.0, 0.0, p.z)
        return vec3(p.x, p.y, 0.0)
    if kind == mjtGeom.mjGEOM_BOX:
        x = abs(p.x) / size.x
        y = abs(p.y) / size.y
        z = abs(p.z) / size.z
        if x >= y and x >= z:
            return vec3(p.x, 0.0, 0.0)
        if y >= z:
            return vec3(0.0, p.y, 0.0)
        return vec3(0.0, 0.0, p.z)
    return p


@kernel
def side_normal(m, h, p):
    """Return the normal, not normalized, of a height field's side or base at p; zero if p is on its top surface."""
    size = load(vec3, m.hfield_size, 4 * h)
    if abs(p.x) > size.x * (1.0 - EDGE):
        return vec3(p.x, 0.0, 0.0)
    if abs(p.y) > size.y * (1.0 - EDGE):
        return vec3(0.0, p.y, 0.0)
    if p.z < 0.0:
        return vec3(0.0, 0.0, -1.0)
    return vec3(0.0, 0.0, 0.0)


@kernel
def surface_normal(m, h, p):
    """Return the normal, not normalized, of a height field at p: of a side, of the base, or of a triangle of a cell."""
    side = side_normal(m, h, p)
    if norm(side) > 0.0:
        return side
    u, w = place(m, h, p)
    column = integer(clip(u, 0.0, m.hfield_ncol[h] - 2.0))
    row = integer(clip(w, 0.0, m.hfield_nrow[h] - 2.0))
    a = hfield_point(m, h, row, column)
    e = hfield_point(m, h, row + 1, column + 1)
    if u - column >= w - row:
        return cross(hfield_point(m, h, row, column + 1) - a, e - a)
    return cross(e - a, hfield_point(m, h, row + 1, column) - a)
