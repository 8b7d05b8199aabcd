"""Lidars: distances along many rays from a site, in many worlds."""

from conjoint.lang import kernel, load, vec3
from conjoint.physics.collision.static_tree import bound_static
from conjoint.physics.rays.geoms import MISSED
from conjoint.physics.rays.scene import see_geom
from conjoint.physics.rays.static_tree import Chosen, first_geom_by_tree
from conjoint.ray_renderer.poses import take_poses

FEW_RAYS = 8
"""Rays for which it takes longer to find the boxes of a tree than to look at all geoms, less than so many."""


@kernel
def scan_worlds(m, d, first, end, poses, ways, groups, distances, found):
    """What rays from a site meet in worlds from `first` on, those before `end`.

    Args:
        m: model.
        d: ray picture, with what is asked for.
        first, end: which worlds.
        poses: of all worlds, `d.npose` numbers each.
        ways: unit vectors along the rays, in the frame of the site, one after another.
        groups: for every group, whether its geoms count.
        distances: gets the distance along every ray, -1 where nothing is met.
        found: gets the geom that is met, -1 for none.
    """
    chosen = Chosen(groups, d.static, d.exclude, d.cutoff)
    # worlds may have geoms that never move in other places
    known = m.nstatic > 0 and d.nray >= FEW_RAYS
    for world in range(first, end):
        take_poses(m, d, poses, world * d.npose)
        if known:
            bound_static(m, d)
        start = d.site_xpos[d.start]
        for r in range(d.nray):
            way = d.site_xmat[d.start] @ load(vec3, ways, 3 * r)
            x, g = first_geom_by_tree(m, d, see_geom, known, start, way, chosen)
            if x > d.cutoff:
                x = MISSED
                g = -1
            distances[world * d.nray + r] = x
            found[world * d.nray + r] = g
