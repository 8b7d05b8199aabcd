"""Colliders in dual numbers, where those of ordinary numbers search: what was found moves, the search is no part of it.

Colliders with closed formulas are differentiated as they are, and so are those of flat bodies, whose last polytope is a
closed formula of its corners.
"""

from conjoint.lang import kernel, local, stop_gradient, vec3
from conjoint.physics.collision.collider_table import COLLIDER_NUMBERS
from conjoint.physics.collision.collider_table import convex as convex_name
from conjoint.physics.collision.collider_table import convex_cores as cores_name
from conjoint.physics.collision.contact_candidates import collider_by
from conjoint.physics.collision.convex.body import Body, is_flat, set_geoms
from conjoint.physics.collision.convex.contact_motion import move_touch, moving_touch
from conjoint.physics.collision.convex.manifold import manifold_contacts, touch_cores
from conjoint.physics.collision.convex.several import Finding, level_of_deepest, several_contacts
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.physics.collision.convex.spot import still
from conjoint.physics.collision.flex.contacts import all_contacts
from conjoint.physics.collision.hfield import ONE_BY_ONE, PrismTouch, hfield_contacts
from conjoint.physics.geometry.change import moving

CONVEX_NUMBER = COLLIDER_NUMBERS[convex_name]
CORES_NUMBER = COLLIDER_NUMBERS[cores_name]
"""Numbers of the colliders of convex bodies with one contact."""


@kernel
def move_convex(m, d):
    """Contacts of pairs of convex bodies that were found move with these."""
    for k in range(d.nnear):
        if is_searched(d.near_collider[k]) and d.near_hit[k] != 0:
            d.nfound_geoms = d.found_adr[k] + d.found_num[k]
            if d.found_num[k] > 0:
                move_contact(m, d, k, d.found_adr[k])


@kernel
def is_searched(collider):
    """Whether a collider finds at most one contact of convex bodies of the native pipeline."""
    return (collider == CONVEX_NUMBER) | (collider == CORES_NUMBER)


@kernel
def move_contact(m, d, k, i):
    """Found contact i, of near pair k, moves with the bodies."""
    bodies = local(Body, 2)
    ends = local(vec3, 2)
    margin = stop_gradient(d.near_margin[k])
    set_geoms(m, d, d.near_geom1[k], d.near_geom2[k], margin, bodies)
    pos = still(d.found_point[i, 0])
    normal = still(d.found_point[i, 1])
    dist, middle, turned = move_touch(m, bodies, stop_gradient(d.found_dist[i]) - margin, pos, normal, ends)
    d.found_dist[i] = moving(d.found_dist[i], dist)
    d.found_point[i, 0] = middle
    d.found_point[i, 1] = turned
    d.found_point[i, 2] = vec3(0.0, 0.0, 0.0)


@kernel
def moving_cores(m, bodies, ends):
    """As `manifold.touch_cores`, with derivatives of what it finds; the corners stay those that it noted."""
    dist, pos, normal = touch_cores(m, bodies, ends)
    if dist >= FARTHEST or (is_flat(bodies[0]) and is_flat(bodies[1])):
        return dist, pos, normal
    found = local(Body, 2)
    for b in range(2):
        found[b] = bodies[b]
    dist, pos, normal = move_touch(m, bodies, stop_gradient(dist), still(pos), still(normal), ends)
    for b in range(2):
        bodies[b] = found[b]
    return dist, pos, normal


@kernel
def moving_flex_contacts(m, d, edition):
    """Contacts of flexes."""
    all_contacts(m, d, moving_touch, edition)


MOVING = Finding(moving_touch, level_of_deepest)
moving_several = collider_by("moving_several", several_contacts, MOVING)
moving_manifold = collider_by("moving_manifold", manifold_contacts, moving_cores)
moving_hfield_3 = collider_by("moving_hfield_3", hfield_contacts, PrismTouch(moving_touch, True), ONE_BY_ONE)
moving_hfield_4 = collider_by("moving_hfield_4", hfield_contacts, PrismTouch(moving_touch, False), ONE_BY_ONE)
"""Colliders with several contacts, and of height fields."""
