"""Differentiable versions of the colliders that search: they differentiate the contact, not the search for it.

Colliders with closed formulas are differentiated as they are. So are the colliders of flat bodies, because the last
polytope of the search gives a closed formula in terms of its corners.
"""

from dataclasses import replace

from conjoint.lang import kernel, local, stop_gradient, vec3
from conjoint.physics.collision.collider_table import COLLIDER_NUMBERS, convex_3, convex_4
from conjoint.physics.collision.contact_candidates import collider_by
from conjoint.physics.collision.convex.body import Body, set_geoms
from conjoint.physics.collision.convex.contact_motion import move_touch
from conjoint.physics.collision.convex.editions import (
    CORES_4,
    MANIFOLD_3,
    MANIFOLD_4,
    PRISM_3,
    TOUCH_3,
    TOUCH_4,
    level_of_deepest,
)
from conjoint.physics.collision.convex.manifold import several_contacts
from conjoint.physics.collision.editions import EDITIONS
from conjoint.physics.collision.flex.contacts import all_contacts
from conjoint.physics.collision.hfield import hfield_contacts
from conjoint.physics.geometry.change import moving

NUMBER_3, NUMBER_4 = COLLIDER_NUMBERS[convex_3], COLLIDER_NUMBERS[convex_4]
"""Numbers of the colliders that find one contact of convex bodies."""


@kernel
def move_convex_3(m, d):
    """Differentiate the contacts of pairs of convex bodies in edition 3.3.5."""
    move_found(m, d, NUMBER_3, TOUCH_3)


@kernel
def move_convex_4(m, d):
    """Differentiate the contacts of pairs of convex bodies in edition 4.0."""
    move_found(m, d, NUMBER_4, CORES_4)


@kernel
def move_found(m, d, collider, how):
    """Differentiate the contacts of a collider that finds at most one contact per pair.

    `how` is the `Touch` with which the collider finds them.
    """
    for k in range(d.nnear):
        if d.near_collider[k] == collider and d.near_hit[k] != 0:
            d.nfound_geoms = d.found_adr[k] + d.found_num[k]
            if d.found_num[k] > 0:
                move_contact(m, d, k, d.found_adr[k], how)


@kernel
def move_contact(m, d, k, i, how):
    """Differentiate contact i, which the collider of near pair k has found."""
    bodies = local(Body, 2)
    ends = local(vec3, 2)
    margin = stop_gradient(d.near_margin[k])
    set_geoms(m, d, d.near_geom1[k], d.near_geom2[k], margin, bodies)
    dist = stop_gradient(d.found_dist[i]) - margin
    dist, middle, turned = move_touch(m, bodies, dist, d.found_point[i, 0], d.found_point[i, 1], ends, how)
    d.found_dist[i] = moving(d.found_dist[i], dist)
    d.found_point[i, 0] = middle
    d.found_point[i, 1] = turned
    d.found_point[i, 2] = vec3(0.0, 0.0, 0.0)


MOVING_TOUCH_3, MOVING_TOUCH_4 = replace(TOUCH_3, move=move_touch), replace(TOUCH_4, move=move_touch)
MOVING_PRISM_3 = replace(PRISM_3, move=move_touch)
MOVING_MANIFOLD_3 = replace(MANIFOLD_3, touch=MOVING_TOUCH_3, level=level_of_deepest)
MOVING_MANIFOLD_4 = replace(MANIFOLD_4, touch=replace(CORES_4, move=move_touch))
"""Contact search for several contacts in edition 4.0 that also computes derivatives.

The other `MOVING_*` variables are contact searches of `convex.editions` with derivatives.
"""


@kernel
def moving_flex_contacts(m, d, edition):
    """Find the contacts of flexes, with derivatives."""
    all_contacts(m, d, edition.touch, edition)


MOVING_EDITIONS = tuple(replace(one, touch=replace(one.touch, move=move_touch)) for one in EDITIONS)
"""Editions whose contacts of flexes are differentiable."""

moving_several_3 = collider_by("moving_several_3", several_contacts, MOVING_MANIFOLD_3)
moving_several_4 = collider_by("moving_several_4", several_contacts, MOVING_MANIFOLD_4)
moving_hfield_3 = collider_by("moving_hfield_3", hfield_contacts, MOVING_PRISM_3)
moving_hfield_4 = collider_by("moving_hfield_4", hfield_contacts, MOVING_TOUCH_4)
"""Differentiable collider for height fields in edition 4.0.

`moving_hfield_3` is its counterpart in edition 3.3.5; `moving_several_*` find several contacts of convex bodies.
"""
