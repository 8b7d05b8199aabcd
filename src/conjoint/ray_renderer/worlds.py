"""Images and lidars of many worlds, one after the other, from an array with one row of poses per world."""

from conjoint.lang import integer, kernel, load, mat3, quat, vec3
from conjoint.physics.collision.static_tree import bound_static
from conjoint.physics.rays.geoms import MISSED
from conjoint.physics.rays.scene import see_geom
from conjoint.physics.rays.static_tree import Chosen, first_geom_by_tree
from conjoint.ray_renderer.lights import list_lamps
from conjoint.ray_renderer.listing import list_shapes
from conjoint.ray_renderer.view import see
from conjoint.ray_renderer.window import look_at, look_from


@kernel
def take_poses(m, d, poses, at):
    """Copy the poses of a world, which start at index `at` of the array, to the ray picture."""
    at = take(vec3, 3, m.ngeom, d.geom_xpos, poses, at)
    at = take(mat3, 9, m.ngeom, d.geom_xmat, poses, at)
    at = take(vec3, 3, m.nsite, d.site_xpos, poses, at)
    at = take(mat3, 9, m.nsite, d.site_xmat, poses, at)
    at = take(vec3, 3, m.ncam, d.cam_xpos, poses, at)
    at = take(mat3, 9, m.ncam, d.cam_xmat, poses, at)
    at = take(vec3, 3, m.nlight, d.light_xpos, poses, at)
    at = take(vec3, 3, m.nlight, d.light_xdir, poses, at)
    at = take(vec3, 3, m.nflexvert, d.flexvert_xpos, poses, at)
    at = take(vec3, 3, 2 * m.nwrap, d.wrap_xpos, poses, at)
    at = take_integers(2 * m.nwrap, d.wrap_obj, poses, at)
    at = take_integers(m.ntendon, d.ten_wrapadr, poses, at)
    at = take_integers(m.ntendon, d.ten_wrapnum, poses, at)
    at = take_numbers(m.ntendon, d.ten_length, poses, at)
    if m.nskin > 0:
        at = take(vec3, 3, m.nbody, d.xpos, poses, at)
        take(quat, 4, m.nbody, d.xquat, poses, at)


@kernel
def take(kind, size, count, values, poses, at):
    """Copy `count` values of `size` numbers each, starting at index `at`; return the next index."""
    for i in range(count):
        values[i] = load(kind, poses, at + size * i)
    return at + size * count


@kernel
def take_numbers(count, numbers, poses, at):
    """Copy `count` numbers, starting at index `at`; return the next index."""
    for i in range(count):
        numbers[i] = poses[at + i]
    return at + count


@kernel
def take_integers(count, numbers, poses, at):
    """Copy `count` integers, starting at index `at`; return the next index."""
    for i in range(count):
        numbers[i] = integer(poses[at + i])
    return at + count


@kernel
def see_worlds(m, d, first, end, poses, depth, numbers, normals, colors):
    """Render images of the worlds from `first` up to `end` (exclusive).

    Args:
        m: model.
        d: ray picture, with the requested settings.
        first, end: range of worlds.
        poses: poses of all worlds, `d.npose` numbers each.
        depth: receives distances along the viewing direction.
        numbers: receives id and type of the object in each pixel, -1 for none.
        normals: receives unit normals toward the camera; 0 for none.
        colors: receives red, green and blue from 0 to 255.
    """
    for world in range(first, end):
        take_poses(m, d, poses, world * d.npose)
        see_poses(m, d, world * d.height * d.width, depth, numbers, normals, colors)


@kernel
def see_poses(m, d, place, depth, numbers, normals, colors):
    """Render images of the poses in a ray picture; the first pixel is at index `place` of the arrays."""
    list_shapes(m, d)
    if d.camera >= 0:
        look_from(m, d, d.camera)
    else:
        look_at(m, d, load(vec3, d.view, 0), d.view[3], d.view[4], d.view[5], integer(d.view[6]))
    list_lamps(m, d)
    see(m, d, place, d.wanted, depth, numbers, normals, colors)


@kernel
def see_world(m, d):
    """Render images of a world on a device. Its ray picture also contains the poses and receives the images."""
    take_poses(m, d, d.poses, 0)
    see_poses(m, d, 0, d.image_depth, d.image_numbers, d.image_normals, d.image_colors)


FEW_RAYS = 8
"""Number of rays below which testing all geoms is faster than updating bounding volumes."""


@kernel
def scan_worlds(m, d, first, end, poses, ways, groups, distances, found):
    """Cast rays from a site in the worlds from `first` up to `end` (exclusive).

    Args:
        m: model.
        d: ray picture, with the requested settings.
        first, end: range of worlds.
        poses: poses of all worlds, `d.npose` numbers each.
        ways: unit vectors along the rays, in the frame of the site.
        groups: for every group, whether its geoms are tested.
        distances: receives the distance along every ray, -1 for a miss.
        found: receives the id of the geom that every ray hits, -1 for a miss.
    """
    for world in range(first, end):
        take_poses(m, d, poses, world * d.npose)
        scan_poses(m, d, world * d.nray, ways, groups, distances, found)


@kernel
def scan_poses(m, d, place, ways, groups, distances, found):
    """Cast rays in the poses in a ray picture; the first ray is at index `place` of the results."""
    chosen = Chosen(groups, d.static, d.exclude, d.cutoff)
    # fixed geoms may have different poses in each world
    known = m.nstatic > 0 and d.nray >= FEW_RAYS
    if known:
        bound_static(m, d)
    start = d.site_xpos[d.start]
    for r in range(d.nray):
        way = d.site_xmat[d.start] @ load(vec3, ways, 3 * r)
        x, g = first_geom_by_tree(m, d, see_geom, known, start, way, chosen)
        if x > d.cutoff:
            x = MISSED
            g = -1
        distances[place + r] = x
        found[place + r] = g


@kernel
def scan_world(m, d):
    """Cast rays in a world on a device. Its ray picture also contains the poses, the rays and the results."""
    take_poses(m, d, d.poses, 0)
    scan_poses(m, d, 0, d.ray_directions, d.geomgroup, d.ray_distances, d.ray_geoms)
