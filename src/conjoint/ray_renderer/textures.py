"""Colours of textures: flat ones, wrapped cubes, and the sky (OpenGL 2.1 specification, 3.8)."""

from conjoint.lang import abs, floor, integer, kernel, load, maximum, pow, vec2, vec3
from conjoint.ray_renderer.normals import mesh_shares
from conjoint.ray_renderer.shapes import is_endless, is_mesh
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
    if material < 0:
        return white
    t = m.mat_texid[material, mjtTextureRole.mjTEXROLE_RGB]
    if t < 0:
        return white
    if m.tex_type[t] != mjtTexture.mjTEXTURE_2D:
        return cube_at(m, t, p if m.mat_texuniform[material] == 0 else unscaled(d, s, p))
    data = d.shape_data[s]
    if is_mesh(d.shape_type[s], data) and m.mesh_texcoordadr[data] >= 0:
        at = mesh_coordinate(m, data, part, p)
        return flat_at(m, t, at.x * m.mat_texrepeat[material, 0], at.y * m.mat_texrepeat[material, 1])
    k = d.shape_objid[s]
    if d.shape_type[s] == mjtGeom.mjGEOM_SKIN and m.skin_texcoordadr[k] >= 0:
        at = skin_coordinate(m, d, k, part, p)
        return flat_at(m, t, at.x * m.mat_texrepeat[material, 0], at.y * m.mat_texrepeat[material, 1])
    # over the whole object, or as if it had a half size of 1
    q = p
    if m.mat_texuniform[material] == 0 and not is_endless(d, s):
        q = unscaled(d, s, p)
    u = 0.5 * q.x * m.mat_texrepeat[material, 0] + 0.5
    return flat_at(m, t, u, 0.5 - 0.5 * q.y * m.mat_texrepeat[material, 1])


@kernel(per_world=True)
def unscaled(d, s, p):
    """A point in the frame of shape s in units of its size."""
    kind = d.shape_type[s]
    size = d.shape_size[s]
    if kind == mjtGeom.mjGEOM_SPHERE:
        return p / size.x
    if kind == mjtGeom.mjGEOM_CAPSULE or kind == mjtGeom.mjGEOM_CYLINDER:
        return vec3(p.x / size.x, p.y / size.x, p.z / size.y)
    if kind == mjtGeom.mjGEOM_PLANE:
        return vec3(p.x / size.x, p.y / size.y, p.z)
    if kind == mjtGeom.mjGEOM_BOX or kind == mjtGeom.mjGEOM_ELLIPSOID:
        return vec3(p.x / size.x, p.y / size.y, p.z / size.z)
    return p


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
    next_column = (column + 1) % width
    next_row = (row + 1) % height
    above = linear_of(m, t, row, column) * (1.0 - right) + linear_of(m, t, row, next_column) * right
    below = linear_of(m, t, next_row, column) * (1.0 - right) + linear_of(m, t, next_row, next_column) * right
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
    """Colour of cube texture t in a direction."""
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
    column = integer(floor((0.5 + scale * u) * width))
    row = integer(floor((0.5 + scale * v) * width))
    return pixel_of(m, t, side * width + within_line(row, width), within_line(column, width))


@kernel(per_world=True)
def within_line(k, count):
    """The nearest of so many pixels."""
    if k < 0:
        return 0
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
