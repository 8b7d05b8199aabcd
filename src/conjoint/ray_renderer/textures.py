"""Textures: mapping to shapes, and sampling of flat, cube and sky textures (OpenGL 2.1, 3.8)."""

from conjoint.lang import abs, clip, dot, floor, integer, kernel, load, maximum, minimum, pow, sqrt, vec2, vec3
from conjoint.ray_renderer.lights import times
from conjoint.ray_renderer.normals import mesh_shares
from conjoint.ray_renderer.shapes import full_size, is_mesh
from conjoint.ray_renderer.surfaces import flex_coordinate, skin_coordinate
from conjoint.schema.enums import mjtColorSpace, mjtGeom, mjtTexture, mjtTextureRole


@kernel
def texture_place(m, d, s, part, t, p):
    """Return the coordinates (pixels) in texture t of a point in the frame of shape s; for cubes, from the center."""
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
    """Return the factor that scales a direction to the surface of cube texture t, in pixels."""
    return 0.5 * m.tex_width[t] / maximum(maximum(maximum(abs(way.x), abs(way.y)), abs(way.z)), 1e-12)


@kernel
def has_coordinates(m, d, s):
    """Return True if shape s has texture coordinates."""
    kind = d.shape_type[s]
    if is_mesh(kind, d.shape_data[s]):
        return m.mesh_texcoordadr[d.shape_data[s]] >= 0
    if kind == mjtGeom.mjGEOM_SKIN:
        return m.skin_texcoordadr[d.shape_objid[s]] >= 0
    return kind == mjtGeom.mjGEOM_FLEX and m.flex_texcoordadr[d.shape_objid[s]] >= 0


@kernel
def flat_place(m, d, s, part, p, uniform):
    """Return the coordinates in a flat texture of a point of shape s, from 0 to 1."""
    kind = d.shape_type[s]
    repeat = load(vec2, m.mat_texrepeat, 2 * d.shape_matid[s])
    if not has_coordinates(m, d, s):
        q = projected(d, s, p, uniform)
        return vec2(0.5 * q.x * repeat.x + 0.5, 0.5 - 0.5 * q.y * repeat.y)
    # texture coordinates of skins and flexes ignore texrepeat
    if kind == mjtGeom.mjGEOM_SKIN:
        return skin_coordinate(m, d, d.shape_objid[s], part, p)
    if kind == mjtGeom.mjGEOM_FLEX:
        return flex_coordinate(m, d, d.shape_objid[s], part, p)
    at = mesh_coordinate(m, d.shape_data[s], part, p)
    return vec2(at.x * repeat.x, at.y * repeat.y)


@kernel
def has_size_in_points(kind):
    """Return True if MuJoCo draws shapes of this type with vertices of their actual size, not as scaled unit shapes."""
    if kind == mjtGeom.mjGEOM_PLANE or kind == mjtGeom.mjGEOM_HFIELD:
        return True
    return kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_SDF


@kernel
def projected(d, s, p, uniform):
    """Return texture coordinates of a point of shape s for a flat texture that spans the shape.

    If `uniform`, the texture spans one unit of length instead.
    """
    if not has_size_in_points(d.shape_type[s]):
        q = unit_point(d, s, p)
        return times(q, shown_size(d, s)) if uniform else q
    if uniform:
        return p
    size = d.shape_size[s]
    return vec3(p.x / size.x if size.x > 0.0 else p.x, p.y / size.y if size.y > 0.0 else p.y, p.z)


@kernel
def unit_point(d, s, p):
    """Convert a point of shape s to MuJoCo's unit shape. Caps of capsules become unit half spheres."""
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
    """Return the size of shape s as in scenes."""
    return full_size(d.shape_type[s], d.shape_size[s])


@kernel
def mesh_coordinate(m, mesh, face, p):
    """Return the texture coordinates of a mesh at a point of a triangle."""
    share = mesh_shares(m, mesh, face, p)
    at = vec2(0.0, 0.0)
    for k in range(3):
        corner = m.mesh_texcoordadr[mesh] + m.mesh_facetexcoord[face, k]
        at = at + load(vec2, m.mesh_texcoord, 2 * corner) * share[k]
    return at


BYTE = 1.0 / 255.0

MOST = 16.0
"""Maximum side length of the square of texture pixels that is averaged for one image pixel."""

SIDES = 6
"""Number of sides of a cube texture."""

DARK = 0.04045
"""Brightness up to which sRGB values are linear (IEC 61966-2-1)."""


@kernel
def texture_of(m, d, s):
    """Return the visible texture of shape s; -1 if there is none.

    Cube textures cannot use texture coordinates, and textures of flexes require them.
    """
    material = d.shape_matid[s]
    if material < 0:
        return -1
    t = m.mat_texid[material, mjtTextureRole.mjTEXROLE_RGB]
    mapped = has_coordinates(m, d, s)
    if t < 0 or (mapped and m.tex_type[t] != mjtTexture.mjTEXTURE_2D):
        return -1
    return t if mapped or d.shape_type[s] != mjtGeom.mjGEOM_FLEX else -1


@kernel
def color_around(m, t, at, right, down):
    """Return the color of texture t for an image pixel, given its texture coordinates and steps to the next pixels.

    If an image pixel covers several texture pixels, smaller mipmap levels are used (OpenGL 2.1 specification, 3.8.8).
    """
    spread = maximum(dot(right, right), dot(down, down))
    if spread <= 1.0:
        return color_in(m, t, at, 1)
    size = 1
    most = minimum(MOST, minimum(m.tex_width[t], m.tex_height[t]))
    # interpolate in x and y, but use only the nearest mipmap level
    while spread > (4.0 if size == 1 else 2.0) and 2 * size <= most:
        size *= 2
        spread *= 0.25
    color = color_in(m, t, at, size)
    if size > 1 or most < 2.0:
        return color
    smaller = minimum(sqrt(spread) - 1.0, 1.0)
    return color * (1.0 - smaller) + color_in(m, t, at, 2) * smaller


@kernel
def color_in(m, t, at, size):
    """Return the color of texture t at a point, interpolated between four squares of `size` x `size` pixels."""
    width = m.tex_width[t]
    if m.tex_type[t] == mjtTexture.mjTEXTURE_2D:
        return between(m, t, linear_of, repeated, 0, m.tex_height[t], at.x, at.y, size)
    side, x, y = side_of(m, t, at)
    return between(m, t, pixel_of, within_line, side * width, width, x, y, size)


@kernel
def between(m, t, pixel, wrap, first, rows, x, y, size):
    """Return the color of a texture, interpolated between the mean colors of four squares of pixels.

    Args:
        pixel: function that reads a pixel.
        wrap: function that maps an index outside of a line of squares to the nearest index, or to its repetition.
        first, rows: first row of the image, and number of its rows.
        x, y: coordinates in the image (pixels).
        size: side length of the squares (pixels).
    """
    part = 1.0 / size
    columns = floor(m.tex_width[t] * part)
    lines = floor(rows * part)
    column = floor(x * part - 0.5)
    row = floor(y * part - 0.5)
    right = x * part - 0.5 - column
    down = y * part - 0.5 - row
    left = size * wrap(column, columns)
    next_left = size * wrap(column + 1.0, columns)
    top = first + size * wrap(row, lines)
    next_top = first + size * wrap(row + 1.0, lines)
    above = square(m, t, pixel, top, left, size) * (1.0 - right) + square(m, t, pixel, top, next_left, size) * right
    below = square(m, t, pixel, next_top, left, size) * (1.0 - right)
    below = below + square(m, t, pixel, next_top, next_left, size) * right
    return above * (1.0 - down) + below * down


@kernel
def square(m, t, pixel, top, left, size):
    """Return the mean color of a square of texture pixels, estimated from two pixels on its diagonal."""
    if size == 1:
        return pixel(m, t, top, left)
    near = size // 4
    far = near + size // 2
    return (pixel(m, t, top + near, left + near) + pixel(m, t, top + far, left + far)) * 0.5


@kernel
def repeated(k, count):
    """Return index k in a repeating line of `count` squares."""
    return integer(k - count * floor(k / count))


@kernel
def within_line(k, count):
    """Clamp index k to a line of `count` squares."""
    return integer(clip(k, 0.0, count - 1.0))


@kernel
def linear_of(m, t, row, column):
    """Return the color of a pixel of flat texture t, converted to linear light."""
    c = pixel_of(m, t, row, column)
    if m.tex_colorspace[t] != mjtColorSpace.mjCOLORSPACE_SRGB:
        return c
    return vec3(straight(c.x), straight(c.y), straight(c.z))


@kernel
def straight(x):
    """Convert an sRGB brightness to linear light (IEC 61966-2-1)."""
    if x <= DARK:
        return x / 12.92
    return pow((x + 0.055) / 1.055, 2.4)


@kernel
def pixel_of(m, t, row, column):
    """Return the color of a pixel of texture t; gray for textures with one or two channels."""
    count = m.tex_nchannel[t]
    at = m.tex_adr[t] + count * (row * m.tex_width[t] + column)
    if count < 3:
        gray = BYTE * m.tex_data[at]
        return vec3(gray, gray, gray)
    return vec3(BYTE * m.tex_data[at], BYTE * m.tex_data[at + 1], BYTE * m.tex_data[at + 2])


@kernel
def side_of(m, t, way):
    """Return the side of cube texture t in a direction, and the coordinates on that side, in pixels from its corner."""
    x = abs(way.x)
    y = abs(way.y)
    z = abs(way.z)
    side = 4
    u = way.x
    v = -way.y
    if x >= y and x >= z:
        side = 0
        u = -way.z
        if way.x < 0.0:
            side = 1
            u = way.z
    elif y >= z:
        side = 2
        v = way.z
        if way.y < 0.0:
            side = 3
            v = -way.z
    elif way.z < 0.0:
        side = 5
        u = -way.x
    # either one image for all six sides, or six images
    if m.tex_height[t] < SIDES * m.tex_width[t]:
        side = 0
    half = 0.5 * m.tex_width[t]
    scale = cube_scale(m, t, way)
    return side, half + scale * u, half + scale * v


@kernel
def sky_texture(m):
    """Return the id of the first skybox texture; -1 if there is none."""
    for t in range(m.ntex):
        if m.tex_type[t] == mjtTexture.mjTEXTURE_SKYBOX:
            return t
    return -1
