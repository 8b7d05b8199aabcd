"""Colliders in dual numbers, where those of ordinary numbers search: what was found moves, the search is no part of it.

Colliders with closed formulas are differentiated as they are, and so are those of flat bodies, whose last polytope is a
closed formula of its corners.
"""

from conjoint.lang import kernel, local, stop_gradient, vec3
from conjoint.physics.collision.collider_table import COLLIDER_NUMBERS
from conjoint.physics.collision.collider_table import convex as convex_name
from conjoint.physics.collision.collider_table import convex_cores as cores_name
from conjoint.physics.collision.convex.body import Body, is_flat, set_geoms
from conjoint.physics.collision.convex.contact_motion import move_touch, moving_touch
from conjoint.physics.collision.convex.manifold import manifold_contacts, touch_cores
from conjoint.physics.collision.convex.several import Finding, level_of_deepest, several_contacts
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.physics.collision.convex.spot import still
from conjoint.physics.collision.flex.contacts import all_contacts
from conjoint.physics.collision.hfield import hfield_by
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
def moving_several(m, d, g1, g2, margin, dists, points):
    """Several contacts of geoms of any convex types."""
    return several_contacts(m, d, g1, g2, margin, dists, points, Finding(moving_touch, level_of_deepest))


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
def moving_manifold(m, d, g1, g2, margin, dists, points):
    """Up to four contacts of geoms that have faces or edges."""
    return manifold_contacts(m, d, g1, g2, margin, dists, points, moving_cores)


@kernel
def moving_flex_contacts(m, d, edition):
    """Contacts of flexes."""
    all_contacts(m, d, moving_touch, edition)


moving_hfield_3 = hfield_by("moving_hfield_3", moving_touch, mends=True)
moving_hfield_4 = hfield_by("moving_hfield_4", moving_touch)
"""Contacts of height fields."""
