"""Color images: opaque shapes, the sky, then transparent shapes from back to front."""

from conjoint.lang import abs, clip, dot, kernel, load, maximum, norm, sqrt, vec3
from conjoint.ray_renderer.cast import cast_one
from conjoint.ray_renderer.lights import at_most_white, lit, times
from conjoint.ray_renderer.normals import normal_at
from conjoint.ray_renderer.shapes import is_endless
from conjoint.ray_renderer.surfaces import has_pose
from conjoint.ray_renderer.textures import color_around, cube_scale, sky_texture, texture_of, texture_place
from conjoint.ray_renderer.window import clear, way_through
from conjoint.schema.constants import mjMINVAL

REACH = 0.5**0.5
"""Radius of infinite planes, relative to the distance of the far plane."""

OPAQUE = 1.0


@kernel
def color_all(m, d, shadows, fog):
    """Compute the color of every pixel."""
    clear(d)
    transparent = 0
    for s in range(d.nshape):
        if d.shape_rgba[s, 3] < OPAQUE:
            transparent += 1
        else:
            cast_one(m, d, s)
    sky = sky_texture(m)
    for row in range(d.height):
        for column in range(d.width):
            i = row * d.width + column
            if d.seen[i] < 0:
                d.color[i] = sky_color(m, d, sky, row, column)
            else:
                d.color[i] = color_of(m, d, row, column, sky >= 0, shadows, fog)
            d.behind[i] = d.distance[i]
    before = -1
    for _ in range(transparent):
        before = next_transparent(d, before)
        blend(m, d, before, sky >= 0, shadows, fog)


@kernel
def color_of(m, d, row, column, sky, shadows, fog):
    """Return the color of the visible shape in a pixel."""
    i = row * d.width + column
    start, way = way_through(d, row, column)
    s = d.seen[i]
    point = start + way * d.distance[i]
    normal = normal_at(m, d, s, d.part[i], point)
    if dot(normal, way) > 0.0:
        normal = -normal
    color = lit(m, d, s, load(vec3, d.shape_rgba, 4 * s), point, normal, shadows)
    # textures also multiply highlights
    t = texture_of(m, d, s)
    if t >= 0:
        part = d.part[i]
        at = place_of(m, d, s, t, part, point)
        right = place_of(m, d, s, t, part, plane_point(d, row, column + 1, point, normal)) - at
        down = place_of(m, d, s, t, part, plane_point(d, row + 1, column, point, normal)) - at
        color = times(color, color_around(m, t, at, right, down))
    color = at_most_white(color)
    if sky and is_endless(d, s):
        color = hazed(m, d, color, point)
    if fog:
        color = fogged(m, d, color, point)
    return color


@kernel
def place_of(m, d, s, t, part, point):
    """Return the texture coordinates of a world point on a part of shape s, in texture t."""
    if has_pose(d.shape_type[s]):
        point = d.shape_frame[s].T @ (point - d.shape_pos[s])
    return texture_place(m, d, s, part, t, point)


@kernel
def plane_point(d, row, column, point, normal):
    """Return the intersection of a pixel's ray with the plane through a point."""
    start, way = way_through(d, row, column)
    along = dot(way, normal)
    if abs(along) < mjMINVAL:
        return point
    return start + way * (dot(point - start, normal) / along)


@kernel
def hazed(m, d, color, point):
    """Blend the color of a point on an infinite plane with the haze, which becomes denser toward the horizon."""
    haze = m.vis.map.haze
    if haze <= 0.0:
        return color
    reach = REACH * d.far
    height = abs(d.eye_pos.z - point.z)
    away = maximum(abs(point.x - d.eye_pos.x), abs(point.y - d.eye_pos.y))
    part = maximum(haze, 1.0 - haze)
    begins = (1.0 - haze) * reach
    slope = height / maximum(away, 1e-9)
    whole = height * (1.0 - part) + slope * (part * reach - begins)
    return mixed(color, load(vec3, m.vis.rgba.haze, 0), (height - slope * begins) / maximum(whole, 1e-9))


@kernel
def fogged(m, d, color, point):
    """Blend the color of a point with the fog, which becomes denser from its start to its end."""
    start = m.vis.map.fogstart * m.stat.extent
    end = m.vis.map.fogend * m.stat.extent
    if end <= start:
        return color
    return mixed(color, load(vec3, m.vis.rgba.fog, 0), (norm(point - d.eye_pos) - start) / (end - start))


@kernel
def sky_color(m, d, sky, row, column):
    """Return the background color of a pixel: the sky, with haze below the horizon, or black without a sky."""
    if sky < 0:
        return vec3(0.0, 0.0, 0.0)
    _, way = way_through(d, row, column)
    at = sky_place(m, d, sky, row, column)
    right = sky_place(m, d, sky, row, column + 1) - at
    color = color_around(m, sky, at, right, sky_place(m, d, sky, row + 1, column) - at)
    height = nearest_plane(d)
    slope = way.z / maximum(maximum(abs(way.x), abs(way.y)), 1e-9)
    if height < d.far and slope < 0.0:
        return mixed(color, load(vec3, m.vis.rgba.haze, 0), -slope * REACH * d.far / maximum(height, 1e-9))
    return color


@kernel
def sky_place(m, d, sky, row, column):
    """Return the texture coordinates of a pixel in the cube texture of the sky, whose y axis points up."""
    _, way = way_through(d, row, column)
    at = vec3(way.x, way.z, -way.y)
    return at * cube_scale(m, sky, at)


@kernel
def nearest_plane(d):
    """Return the height of the eye above the nearest infinite plane; `far` if there is none."""
    height = d.far
    for s in range(d.nshape):
        if is_endless(d, s) and abs(d.eye_pos.z - d.shape_pos[s].z) < height:
            height = abs(d.eye_pos.z - d.shape_pos[s].z)
    return height


@kernel
def mixed(a, b, share):
    """Blend two colors, with `share` as the weight of the second."""
    part = clip(share, 0.0, 1.0)
    return a * (1.0 - part) + b * part


@kernel
def next_transparent(d, before):
    """Return the next transparent shape in back-to-front order; shapes at equal distance keep the order of the list."""
    found = -1
    best = -1.0
    limit = d.far * d.far
    if before >= 0:
        limit = shape_distance(d, before)
    for s in range(d.nshape):
        x = shape_distance(d, s)
        due = x < limit or (x == limit and s > before) or before < 0
        if d.shape_rgba[s, 3] < OPAQUE and due and (found < 0 or x > best):
            best = x
            found = s
    return found


@kernel
def shape_distance(d, s):
    """Return the distance from the eye to the position of shape s."""
    off = d.shape_pos[s] - d.eye_pos
    return sqrt(dot(off, off))


@kernel
def blend(m, d, s, sky, shadows, fog):
    """Blend transparent shape s over the image wherever no opaque shape is in front of it."""
    cast_one(m, d, s)
    alpha = d.shape_rgba[s, 3]
    for row in range(d.height):
        for column in range(d.width):
            i = row * d.width + column
            if d.distance[i] < d.behind[i]:
                d.color[i] = mixed(d.color[i], color_of(m, d, row, column, sky, shadows, fog), alpha)
                d.distance[i] = d.behind[i]
