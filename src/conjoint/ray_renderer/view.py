"""Ray-cast images: distances, objects, normals, colors."""

from conjoint.lang import dot, floor, integer, kernel, put, vec3
from conjoint.ray_renderer.cast import cast_all
from conjoint.ray_renderer.colors import color_all
from conjoint.ray_renderer.lights import bound_shapes
from conjoint.ray_renderer.normals import normal_at
from conjoint.ray_renderer.window import way_through

DEPTH, NUMBERS, NORMALS, COLORS, SHADOWS, FOG = 1, 2, 4, 8, 16, 32
"""Flags for requested images, and for shadows and fog in color images."""


@kernel
def see(m, d, place, wanted, depth, numbers, normals, colors):
    """Render the shapes of a ray picture, with its camera and lamps.

    Args:
        m: model.
        d: ray picture.
        place: index of the first pixel to write in the output arrays.
        wanted: requested images and effects, as a sum of `DEPTH`, `NUMBERS`, `NORMALS`, `COLORS`, `SHADOWS`, `FOG`.
        depth: receives distances along the viewing direction.
        numbers: receives id and type of the object in each pixel, -1 for none.
        normals: receives unit normals toward the camera; 0 for none.
        colors: receives red, green and blue from 0 to 255.
    """
    if wanted & (DEPTH | NUMBERS | NORMALS):
        cast_all(m, d)
    if wanted & DEPTH:
        write_depth(d, depth, place)
    if wanted & NUMBERS:
        write_numbers(d, numbers, place)
    if wanted & NORMALS:
        write_normals(m, d, normals, place)
    if wanted & COLORS:
        bound_shapes(m, d)
        color_all(m, d, (wanted & SHADOWS) != 0, (wanted & FOG) != 0)
        write_colors(d, colors, place)


@kernel
def write_depth(d, depth, place):
    """Write the distances along the viewing direction."""
    for i in range(d.height * d.width):
        depth[place + i] = d.distance[i]


@kernel
def write_numbers(d, numbers, place):
    """Write id and type of the object in each pixel, -1 for none."""
    for i in range(d.height * d.width):
        s = d.seen[i]
        k = 2 * (place + i)
        numbers[k] = -1
        numbers[k + 1] = -1
        if s >= 0:
            numbers[k] = d.shape_objid[s]
            numbers[k + 1] = d.shape_objtype[s]


@kernel
def write_normals(m, d, normals, place):
    """Write unit normals toward the camera, in world coordinates."""
    for row in range(d.height):
        for column in range(d.width):
            i = row * d.width + column
            normal = vec3(0.0, 0.0, 0.0)
            if d.seen[i] >= 0:
                start, way = way_through(d, row, column)
                normal = normal_at(m, d, d.seen[i], d.part[i], start + way * d.distance[i])
                if dot(normal, way) > 0.0:
                    normal = -normal
            put(normals, 3 * (place + i), normal)


@kernel
def write_colors(d, colors, place):
    """Write red, green and blue of pixels, from 0 to 255."""
    for i in range(d.height * d.width):
        for k in range(3):
            colors[3 * (place + i) + k] = integer(floor(255.0 * d.color[i][k] + 0.5))
