"""Features: what touches, a geom, an element or a vertex of a flex; and the contacts of two of them that are found."""

from conjoint.lang import group, kernel
from conjoint.physics.collision.contact_candidates import VECTORS

NONE = -1
"""In place of a geom, flex, element or vertex: none."""


@group
def Feature(geom, flex, elem, vert):
    """A geom, or an element or a vertex of a flex; the others are `NONE`."""


@kernel
def of_geom(g):
    """Geom g."""
    return Feature(g, NONE, NONE, NONE)


@kernel
def of_element(f, e):
    """Element e of flex f."""
    return Feature(NONE, f, e, NONE)


@kernel
def of_vertex(f, v):
    """Vertex v of flex f."""
    return Feature(NONE, f, NONE, v)


@kernel
def keep_contact(d, first, second, dist, pos, normal):
    """Keep a contact of two features, of which the second belongs to a flex."""
    i = d.nfound
    d.nfound = i + 1
    if i < d.ncon_capacity:
        d.found_dist[i] = dist
        d.found_point[i, 0] = pos
        d.found_point[i, 1] = normal
        d.found_geom[i] = first.geom
        keep_side(d, i, 0, first)
        keep_side(d, i, 1, second)


@kernel
def keep_side(d, i, side, feature):
    """What found contact i is between, on one side."""
    d.found_flex[i, side] = feature.flex
    d.found_elem[i, side] = feature.elem
    d.found_vert[i, side] = feature.vert


@kernel
def keep_contacts(d, first, second, n, dists, points):
    """Keep n contacts as a collider found them."""
    for k in range(n):
        keep_contact(d, first, second, dists[k], points[VECTORS * k], points[VECTORS * k + 1])
