"""Pictures of many worlds, one after the other, from an array with a row of poses for each."""

from conjoint.lang import integer, kernel, load, vec3
from conjoint.physics.ray_renderer.lights import list_lamps
from conjoint.physics.ray_renderer.listing import list_shapes
from conjoint.physics.ray_renderer.poses import take_poses
from conjoint.physics.ray_renderer.view import see
from conjoint.physics.ray_renderer.window import look_at, look_from


@kernel(per_world=True)
def see_worlds(
    m, d, first, end, poses, count, camera, view, geomgroup, sitegroup, tendongroup, flexgroup, skingroup, wanted,
    depth, numbers, normals, colors,
):  # fmt: skip
    """Pictures of worlds from `first` on, those before `end`.

    Args:
        m: model.
        d: ray picture.
        first, end: which worlds.
        poses: of all worlds, `count` numbers each, in the order of `schema.ray_picture.POSES`.
        count: numbers of poses of a world.
        camera: of the model; -1 for the one that `view` tells.
        view: the point that it looks at, distance, azimuth, elevation, 1 if its rays are parallel.
        geomgroup, sitegroup, tendongroup, flexgroup, skingroup: for every group, whether it is shown.
        wanted: which of the pictures that follow (`see`).
        depth: gets distances along the direction of view.
        numbers: gets number and type of the object of each pixel, -1 for none.
        normals: gets unit vectors across what is seen, towards the camera; 0 for nothing.
        colors: gets red, green and blue from 0 to 255.
    """
    for world in range(first, end):
        take_poses(m, d, poses, world * count)
        list_shapes(m, d, geomgroup, sitegroup, tendongroup, flexgroup, skingroup)
        if camera >= 0:
            look_from(m, d, camera)
        else:
            look_at(m, d, load(vec3, view, 0), view[3], view[4], view[5], integer(view[6]))
        list_lamps(m, d)
        see(m, d, world * d.height * d.width, wanted, depth, numbers, normals, colors)
