"""Where textures lie on shapes, as MuJoCo puts them there: by coordinates, projected along z, or wrapped around."""

from conjoint.lang import abs, kernel, load, maximum, vec2, vec3
from conjoint.ray_renderer.flexes import flex_coordinate
from conjoint.ray_renderer.lights import times
from conjoint.ray_renderer.normals import mesh_shares
from conjoint.ray_renderer.shapes import full_size, is_mesh
from conjoint.ray_renderer.skins import skin_coordinate
from conjoint.schema.enums import mjtGeom, mjtTexture


@kernel
def texture_place(m, d, s, part, t, p):
    """Where in texture t a point in the frame of shape s lies, in its pixels: in a cube, from the middle."""
    material = d.shape_matid[s]
    uniform = m.mat_texuniform[material] != 0
    if m.tex_type[t] != mjtTexture.mjTEXTURE_2D:
        way = unit_point(d, s, p)
        if uniform:
            way = times(way, shown_size(d, s))
        return way * cube_scale(m, t, way)
    at = flat_place(m, d, s, part, p, uniform)
    return vec3(at.x * m.tex_width[t], at.y * m.tex_height[t], 0.0)


@kernel
def cube_scale(m, t, way):
    """How far away in a direction cube texture t is, for pixels of size 1."""
    return 0.5 * m.tex_width[t] / maximum(maximum(maximum(abs(way.x), abs(way.y)), abs(way.z)), 1e-12)


@kernel
def has_coordinates(m, d, s):
    """True if shape s has coordinates of textures of its own."""
    kind = d.shape_type[s]
    if is_mesh(kind, d.shape_data[s]):
        return m.mesh_texcoordadr[d.shape_data[s]] >= 0
    if kind == mjtGeom.mjGEOM_SKIN:
        return m.skin_texcoordadr[d.shape_objid[s]] >= 0
    return kind == mjtGeom.mjGEOM_FLEX and m.flex_texcoordadr[d.shape_objid[s]] >= 0


@kernel
def flat_place(m, d, s, part, p, uniform):
    """Coordinates of a flat texture at a point of shape s."""
    kind = d.shape_type[s]
    repeat = load(vec2, m.mat_texrepeat, 2 * d.shape_matid[s])
    if not has_coordinates(m, d, s):
        q = projected(d, s, p, uniform)
        return vec2(0.5 * q.x * repeat.x + 0.5, 0.5 - 0.5 * q.y * repeat.y)
    # coordinates of skins and flexes do not repeat
    if kind == mjtGeom.mjGEOM_SKIN:
        return skin_coordinate(m, d, d.shape_objid[s], part, p)
    if kind == mjtGeom.mjGEOM_FLEX:
        return flex_coordinate(m, d, d.shape_objid[s], part, p)
    at = mesh_coordinate(m, d.shape_data[s], part, p)
    return vec2(at.x * repeat.x, at.y * repeat.y)


@kernel
def has_size_in_points(kind):
    """True if a shape is drawn by points of its size in MuJoCo, and not as a unit shape that is scaled."""
    if kind == mjtGeom.mjGEOM_PLANE or kind == mjtGeom.mjGEOM_HFIELD:
        return True
    return kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_SDF


@kernel
def projected(d, s, p, uniform):
    """Where a flat texture is projected to a point of shape s: over its size, or as over a size of 1 if uniform."""
    if not has_size_in_points(d.shape_type[s]):
        q = unit_point(d, s, p)
        return times(q, shown_size(d, s)) if uniform else q
    if uniform:
        return p
    size = d.shape_size[s]
    return vec3(p.x / size.x if size.x > 0.0 else p.x, p.y / size.y if size.y > 0.0 else p.y, p.z)


@kernel
def unit_point(d, s, p):
    """A point of shape s as its points are drawn in MuJoCo: of unit shapes; caps of capsules are half unit spheres."""
    kind = d.shape_type[s]
    size = shown_size(d, s)
    if has_size_in_points(kind) or kind == mjtGeom.mjGEOM_FLEX or kind == mjtGeom.mjGEOM_SKIN:
        return p
    z = p.z / size.z
    beyond = abs(p.z) - size.z
    if kind == mjtGeom.mjGEOM_CAPSULE and beyond > 0.0:
        z = 1.0 + beyond / size.x
        if p.z < 0.0:
            z = -z
    return vec3(p.x / size.x, p.y / size.y, z)


@kernel
def shown_size(d, s):
    """The size of shape s as scenes have it."""
    return full_size(d.shape_type[s], d.shape_size[s])


@kernel
def mesh_coordinate(m, mesh, face, p):
    """Texture coordinate of a mesh in one of its triangles."""
    share = mesh_shares(m, mesh, face, p)
    at = vec2(0.0, 0.0)
    for k in range(3):
        corner = m.mesh_texcoordadr[mesh] + m.mesh_facetexcoord[face, k]
        at = at + load(vec2, m.mesh_texcoord, 2 * corner) * share[k]
    return at
