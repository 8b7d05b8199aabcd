"""Colours of textures: flat ones, wrapped cubes, and the sky (OpenGL 2.1 specification, 3.8)."""

from conjoint.lang import abs, clip, floor, integer, kernel, load, maximum, pow, vec2, vec3
from conjoint.ray_renderer.flexes import flex_coordinate
from conjoint.ray_renderer.lights import times
from conjoint.ray_renderer.normals import mesh_shares
from conjoint.ray_renderer.shapes import full_size, is_mesh
from conjoint.ray_renderer.skins import skin_coordinate
from conjoint.schema.enums import mjtColorSpace, mjtGeom, mjtTexture, mjtTextureRole

BYTE = 1.0 / 255.0

SIDES = 6
"""Of a cube."""

DARK = 0.04045
"""Brightness up to which sRGB is a straight line (IEC 61966-2-1)."""


@kernel(per_world=True)
def texture_at(m, d, s, part, p):
    """Colour of the texture of shape s at a point in its frame; white without one."""
    white = vec3(1.0, 1.0, 1.0)
    material = d.shape_matid[s]
    kind = d.shape_type[s]
    if material < 0 or (kind == mjtGeom.mjGEOM_FLEX and m.flex_texcoordadr[d.shape_objid[s]] < 0):
        return white
    t = m.mat_texid[material, mjtTextureRole.mjTEXROLE_RGB]
    if t < 0:
        return white
    uniform = m.mat_texuniform[material] != 0
    if m.tex_type[t] != mjtTexture.mjTEXTURE_2D:
        way = unit_point(d, s, p)
        return cube_at(m, t, times(way, shown_size(d, s)) if uniform else way)
    across = m.mat_texrepeat[material, 0]
    down = m.mat_texrepeat[material, 1]
    data = d.shape_data[s]
    k = d.shape_objid[s]
    if is_mesh(kind, data) and m.mesh_texcoordadr[data] >= 0:
        at = mesh_coordinate(m, data, part, p)
        return flat_at(m, t, at.x * across, at.y * down)
    # coordinates of skins and flexes do not repeat
    if kind == mjtGeom.mjGEOM_SKIN and m.skin_texcoordadr[k] >= 0:
        at = skin_coordinate(m, d, k, part, p)
        return flat_at(m, t, at.x, at.y)
    if kind == mjtGeom.mjGEOM_FLEX:
        at = flex_coordinate(m, d, k, part, p)
        return flat_at(m, t, at.x, at.y)
    q = projected(d, s, p, uniform)
    return flat_at(m, t, 0.5 * q.x * across + 0.5, 0.5 - 0.5 * q.y * down)


@kernel(per_world=True)
def has_size_in_points(kind):
    """True if a shape is drawn by points of its size in MuJoCo, and not as a unit shape that is scaled."""
    if kind == mjtGeom.mjGEOM_PLANE or kind == mjtGeom.mjGEOM_HFIELD:
        return True
    return kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_SDF


@kernel(per_world=True)
def projected(d, s, p, uniform):
    """Where a flat texture is projected to a point of shape s: over its size, or as over a size of 1 if uniform."""
    if not has_size_in_points(d.shape_type[s]):
        q = unit_point(d, s, p)
        return times(q, shown_size(d, s)) if uniform else q
    if uniform:
        return p
    size = d.shape_size[s]
    return vec3(p.x / size.x if size.x > 0.0 else p.x, p.y / size.y if size.y > 0.0 else p.y, p.z)


@kernel(per_world=True)
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


@kernel(per_world=True)
def shown_size(d, s):
    """The size of shape s as scenes have it."""
    return full_size(d.shape_type[s], d.shape_size[s])


@kernel(per_world=True)
def mesh_coordinate(m, mesh, face, p):
    """Texture coordinate of a mesh in one of its triangles."""
    share = mesh_shares(m, mesh, face, p)
    at = vec2(0.0, 0.0)
    for k in range(3):
        corner = m.mesh_texcoordadr[mesh] + m.mesh_facetexcoord[face, k]
        at = at + load(vec2, m.mesh_texcoord, 2 * corner) * share[k]
    return at


@kernel(per_world=True)
def flat_at(m, t, u, v):
    """Colour of flat texture t, which repeats, between four of its pixels."""
    width = m.tex_width[t]
    height = m.tex_height[t]
    x = (u - floor(u)) * width - 0.5
    y = (v - floor(v)) * height - 0.5
    column = integer(floor(x))
    row = integer(floor(y))
    right = x - column
    down = y - row
    # the neighbours beyond an edge are at the other one
    column = (column + width) % width
    row = (row + height) % height
    return between(m, t, linear_of, row, (row + 1) % height, column, (column + 1) % width, right, down)


@kernel(per_world=True)
def between(m, t, pixel, row, next_row, column, next_column, right, down):
    """Colour between four pixels of texture t, which `pixel` reads, so far to the right and down."""
    above = pixel(m, t, row, column) * (1.0 - right) + pixel(m, t, row, next_column) * right
    below = pixel(m, t, next_row, column) * (1.0 - right) + pixel(m, t, next_row, next_column) * right
    return above * (1.0 - down) + below * down


@kernel(per_world=True)
def linear_of(m, t, row, column):
    """Light of a pixel of flat texture t, whatever its colour space."""
    c = pixel_of(m, t, row, column)
    if m.tex_colorspace[t] != mjtColorSpace.mjCOLORSPACE_SRGB:
        return c
    return vec3(straight(c.x), straight(c.y), straight(c.z))


@kernel(per_world=True)
def straight(x):
    """Light of a brightness in sRGB (IEC 61966-2-1)."""
    if x <= DARK:
        return x / 12.92
    return pow((x + 0.055) / 1.055, 2.4)


@kernel(per_world=True)
def pixel_of(m, t, row, column):
    """Colour of a pixel of texture t: grey if it has one channel."""
    count = m.tex_nchannel[t]
    at = m.tex_adr[t] + count * (row * m.tex_width[t] + column)
    if count < 3:
        grey = BYTE * m.tex_data[at]
        return vec3(grey, grey, grey)
    return vec3(BYTE * m.tex_data[at], BYTE * m.tex_data[at + 1], BYTE * m.tex_data[at + 2])


@kernel(per_world=True)
def cube_at(m, t, way):
    """Colour of cube texture t in a direction, between four of its pixels."""
    x = abs(way.x)
    y = abs(way.y)
    z = abs(way.z)
    side = 4
    u = way.x
    v = -way.y
    most = z
    if x >= y and x >= z:
        side = 0
        u = -way.z
        most = x
        if way.x < 0.0:
            side = 1
            u = way.z
    elif y >= z:
        side = 2
        v = way.z
        most = y
        if way.y < 0.0:
            side = 3
            v = -way.z
    elif way.z < 0.0:
        side = 5
        u = -way.x
    scale = 0.5 / maximum(most, 1e-12)
    width = m.tex_width[t]
    # one square for all sides, or six of them
    if m.tex_height[t] < SIDES * width:
        side = 0
    # the edge of a side goes on beyond it
    x = clip((0.5 + scale * u) * width - 0.5, 0.0, width - 1.0)
    y = clip((0.5 + scale * v) * width - 0.5, 0.0, width - 1.0)
    column = integer(floor(x))
    row = integer(floor(y))
    right = x - column
    down = y - row
    next_row = side * width + within_line(row + 1, width)
    return between(m, t, pixel_of, side * width + row, next_row, column, within_line(column + 1, width), right, down)


@kernel(per_world=True)
def within_line(k, count):
    """Return the nearest of so many pixels."""
    if k >= count:
        return count - 1
    return k


@kernel(per_world=True)
def sky_texture(m):
    """The first texture of a sky, -1 if there is none."""
    for t in range(m.ntex):
        if m.tex_type[t] == mjtTexture.mjTEXTURE_SKYBOX:
            return t
    return -1
