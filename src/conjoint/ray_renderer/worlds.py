"""Pictures of many worlds, one after the other, from an array with a row of poses for each."""

from conjoint.lang import integer, kernel, load, vec3
from conjoint.ray_renderer.lights import list_lamps
from conjoint.ray_renderer.listing import list_shapes
from conjoint.ray_renderer.poses import take_poses
from conjoint.ray_renderer.view import see
from conjoint.ray_renderer.window import look_at, look_from


@kernel
def see_worlds(m, d, first, end, poses, depth, numbers, normals, colors):
    """Pictures of worlds from `first` on, those before `end`.

    Args:
        m: model.
        d: ray picture, with what is asked for.
        first, end: which worlds.
        poses: of all worlds, `d.npose` numbers each.
        depth: gets distances along the direction of view.
        numbers: gets number and type of the object of each pixel, -1 for none.
        normals: gets unit vectors across what is seen, towards the camera; 0 for nothing.
        colors: gets red, green and blue from 0 to 255.
    """
    for world in range(first, end):
        take_poses(m, d, poses, world * d.npose)
        list_shapes(m, d)
        if d.camera >= 0:
            look_from(m, d, d.camera)
        else:
            look_at(m, d, load(vec3, d.view, 0), d.view[3], d.view[4], d.view[5], integer(d.view[6]))
        list_lamps(m, d)
        see(m, d, world * d.height * d.width, d.wanted, depth, numbers, normals, colors)
