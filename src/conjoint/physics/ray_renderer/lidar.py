"""Lidars: distances along many rays from a site, in many worlds."""

from conjoint.lang import kernel, load, vec3
from conjoint.physics.ray import MISSED
from conjoint.physics.ray_renderer.poses import take_poses
from conjoint.physics.ray_scene import nearest_geom, see_geom


@kernel(per_world=True)
def scan_worlds(m, d, first, end, poses, count, site, ways, nray, groups, static, exclude, cutoff, distances, found):
    """What rays from a site meet in worlds from `first` on, those before `end`.

    Args:
        m: model.
        d: ray picture.
        first, end: which worlds.
        poses: of all worlds, `count` numbers each, in the order of `schema.ray_picture.POSES`.
        count: numbers of poses of a world.
        site: where the rays start.
        ways: unit vectors along the rays, in the frame of the site, one after another.
        nray: number of rays.
        groups: for every group, whether its geoms count.
        static: whether geoms fixed to the world count.
        exclude: body whose geoms do not count; -1 for none.
        cutoff: what is farther does not count (m).
        distances: gets the distance along every ray, -1 where nothing is met.
        found: gets the geom that is met, -1 for none.
    """
    for world in range(first, end):
        take_poses(m, d, poses, world * count)
        start = d.site_xpos[site]
        for r in range(nray):
            way = d.site_xmat[site] @ load(vec3, ways, 3 * r)
            x, g = nearest_geom(m, d, see_geom, start, way, groups, static, exclude, cutoff)
            if x > cutoff:
                x = MISSED
                g = -1
            distances[world * nray + r] = x
            found[world * nray + r] = g
