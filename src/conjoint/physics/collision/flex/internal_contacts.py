"""Contacts within a flex that keep its elements from turning inside out.

In one and two dimensions vertices, as balls, meet the elements beside those that they belong to: pairs that the
compiler lists. In three dimensions a vertex meets the face opposite to it in its own tetrahedron.
"""

from conjoint.lang import cross, dot, kernel, norm, normalize3
from conjoint.physics.collision.contact_parameters import flexes_margin
from conjoint.physics.collision.feature import keep_contact, of_element, of_vertex
from conjoint.physics.collision.flex.elements import corner, nearest_on_element, vertex_of_element
from conjoint.schema.constants import mjMINVAL

ORDER = (3 << 0) | (1 << 2) | (2 << 4) | (0 << 6)
"""Vertices of a tetrahedron in the order in which they are looked at, two bits each."""


@kernel
def find_internal_contacts(m, d, f):
    """Find the contacts of a flex that its `internal` asks for."""
    if m.flex_dim[f] == 3:
        for e in range(m.flex_elemnum[f]):
            collide_faces(m, d, f, e)
    else:
        for pair in range(m.flex_evpairadr[f], m.flex_evpairadr[f] + m.flex_evpairnum[f]):
            collide_vertex(m, d, f, m.flex_evpair[pair, 0], m.flex_evpair[pair, 1])


@kernel
def collide_faces(m, d, f, e):
    """Find the contacts of the vertices of a tetrahedron with its faces."""
    a = corner(m, d, f, e, 0)
    b = corner(m, d, f, e, 1)
    # faces look inwards as long as the tetrahedron is not inside out
    volume = dot(cross(corner(m, d, f, e, 2) - b, corner(m, d, f, e, 3) - b), a - b)
    radius = m.flex_radius[f]
    for turn in range(4):
        k = (ORDER >> (2 * turn)) & 3
        point = corner(m, d, f, e, k)
        first = corner(m, d, f, e, (k + 1) & 3)
        second = corner(m, d, f, e, (k + 2) & 3)
        normal = normalize3(cross(second - first, corner(m, d, f, e, (k + 3) & 3) - first))
        height = dot(point - first, normal)
        if height * volume < 0.0:
            normal = -normal
            height = -height
        dist = height - 2.0 * radius
        element = of_element(f, e)
        vertex = of_vertex(f, vertex_of_element(m, f, e, k))
        if dist <= flexes_margin(m, f, f):
            pos = point - normal * (radius + 0.5 * dist)
            keep_contact(d, element, vertex, dist, pos, normal)


@kernel
def collide_vertex(m, d, f, e, v):
    """Find the contact of a vertex, a ball, with an element that it does not belong to."""
    center = d.flexvert_xpos[m.flex_vertadr[f] + v]
    way = nearest_on_element(m, d, f, e, center) - center
    length = norm(way)
    dist = length - 2.0 * m.flex_radius[f]
    vertex = of_vertex(f, v)
    element = of_element(f, e)
    if dist <= flexes_margin(m, f, f) and length > mjMINVAL:
        normal = way * (1.0 / length)
        keep_contact(d, vertex, element, dist, center + normal * (0.5 * length), normal)
