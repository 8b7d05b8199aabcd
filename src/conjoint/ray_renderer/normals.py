"""Surface normals at pixels."""

from conjoint.lang import clip, cross, dot, integer, kernel, load, norm, normalize3, vec3
from conjoint.physics.collision.hull import mesh_corner
from conjoint.physics.rays.height_field import hfield_point, place
from conjoint.physics.rays.normals import primitive_normal, side_normal
from conjoint.ray_renderer.shapes import is_mesh
from conjoint.ray_renderer.surfaces import (
    RODS,
    ends_of_rod,
    share_of_rod,
    shares,
    skin_normal,
    surface_triangle,
    vertices_of,
)
from conjoint.schema.enums import mjtGeom

FLAT = 0.8
"""Cosine of the angle between a triangle's normal and a vertex normal below which the triangle's normal is used."""


@kernel
def normal_at(m, d, s, part, point):
    """Return the normal of a part of shape s at a point, both in world coordinates."""
    kind = d.shape_type[s]
    if kind == mjtGeom.mjGEOM_FLEX:
        return flex_normal(m, d, d.shape_objid[s], part, point)
    if kind == mjtGeom.mjGEOM_SKIN:
        return skin_normal(m, d, d.shape_objid[s], part, point)
    p = d.shape_frame[s].T @ (point - d.shape_pos[s])
    n = vec3(0.0, 0.0, 1.0)
    if is_mesh(kind, d.shape_data[s]):
        n = mesh_normal(m, d.shape_data[s], part, p)
    elif kind == mjtGeom.mjGEOM_HFIELD:
        n = hfield_normal(m, d.shape_data[s], p)
    elif kind != mjtGeom.mjGEOM_PLANE:
        n = primitive_normal(kind, d.shape_size[s], p)
    return d.shape_frame[s] @ normalize3(n)


@kernel
def mesh_shares(m, mesh, face, p):
    """Return the barycentric weights of a mesh triangle's corners at a point."""
    return shares(mesh_corner(m, mesh, face, 0), mesh_corner(m, mesh, face, 1), mesh_corner(m, mesh, face, 2), p)


@kernel
def mesh_normal(m, mesh, face, p):
    """Return the normal of a mesh at a point of a triangle, interpolated between the triangle's corners."""
    a = mesh_corner(m, mesh, face, 0)
    b = mesh_corner(m, mesh, face, 1)
    c = mesh_corner(m, mesh, face, 2)
    own = normalize3(cross(b - a, c - a))
    share = shares(a, b, c, p)
    n = vec3(0.0, 0.0, 0.0)
    for k in range(3):
        corner = load(vec3, m.mesh_normal, 3 * (m.mesh_normaladr[mesh] + m.mesh_facenormal[face, k]))
        if m.mesh_texcoordadr[mesh] < 0 and dot(corner, own) < FLAT:
            corner = own
        n = n + corner * share[k]
    return n


@kernel
def hfield_normal(m, h, p):
    """Return the normal of a height field at a point of a side, the base, or the surface."""
    side = side_normal(m, h, p)
    if norm(side) > 0.0:
        return side
    u, w = place(m, h, p)
    column = integer(clip(u, 0.0, m.hfield_ncol[h] - 2.0))
    row = integer(clip(w, 0.0, m.hfield_nrow[h] - 2.0))
    a = hfield_point(m, h, row, column)
    b = hfield_point(m, h, row, column + 1)
    c = hfield_point(m, h, row + 1, column)
    e = hfield_point(m, h, row + 1, column + 1)
    along = (b - a) * (1.0 - (w - row)) + (e - c) * (w - row)
    return cross(along, (c - a) * (1.0 - (u - column)) + (e - b) * (u - column))


@kernel
def flex_normal(m, d, f, part, point):
    """Return the normal of a part of flex f at a point."""
    if part <= RODS:
        v, w = ends_of_rod(m, f, RODS - part)
        along = d.flexvert_xpos[w] - d.flexvert_xpos[v]
        return normalize3(point - d.flexvert_xpos[v] - along * share_of_rod(d, v, w, point))
    a, b, c = surface_triangle(m, d, f, part)
    if m.flex_flatskin[f] != 0:
        return normalize3(cross(b - a, c - a))
    i, j, h = vertices_of(m, f, part)
    share = shares(a, b, c, point)
    return normalize3(d.flex_normal[i] * share.x + d.flex_normal[j] * share.y + d.flex_normal[h] * share.z)
