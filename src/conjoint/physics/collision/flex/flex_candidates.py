"""What all sorts of contacts of flexes have in common: keeping one, and the distance from which on there are any."""

from conjoint.lang import kernel, maximum
from conjoint.physics.collision.broadphase import margin_in_force

NONE = -1
"""In place of a geom, flex, element or vertex: none."""


@kernel
def flexes_margin(m, f, other):
    """Distance (m) below which two flexes get contacts; of a flex with itself margins do not count, as officially."""
    if f == other:
        return 0.0
    return margin_in_force(m, maximum(m.flex_margin[f], m.flex_margin[other]))


@kernel(per_world=True)
def keep_contact(d, g, f1, e1, f2, e2, v2, dist, pos, normal):
    """Keep a contact of geom g, or element e1 of flex f1, with element e2 or vertex v2 of flex f2."""
    i = d.nfound
    d.nfound = i + 1
    if i < d.ncon_capacity:
        d.found_dist[i] = dist
        d.found_point[i, 0] = pos
        d.found_point[i, 1] = normal
        d.found_geom[i] = g
        d.found_flex[i, 0] = f1
        d.found_elem[i, 0] = e1
        d.found_vert[i, 0] = NONE
        d.found_flex[i, 1] = f2
        d.found_elem[i, 1] = e2
        d.found_vert[i, 1] = v2
