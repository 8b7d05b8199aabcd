"""Bodies on which a contact force acts, and their weights: one for a geom or a vertex, several for an element.

The weight of a vertex of an element is proportional to the inverse of its distance from the contact. The squared
weights of an element add up to 1, as in MuJoCo. A vertex of a trilinear flex passes its weight on to the nodes.
"""

from conjoint.lang import abs, kernel, local, maximum, norm, real, sqrt, vec2
from conjoint.physics.collision.flex.elements import corner, vertex_of_element
from conjoint.physics.flex.kinematics import NODES, share_of_node
from conjoint.physics.motion.chains import depth_of, last_dof
from conjoint.schema.constants import mjMINVAL

MOST_BODIES = 16
"""Maximum number of bodies of a contact: eight on each side."""

LEAST_SHARE = 1e-5
"""Interpolation weight below which a node gets no share of the force on a vertex, as in MuJoCo."""


@kernel
def contact_bodies(m, d, c, bodies, weights):
    """List the bodies of contact c with their weights, negative on its first side; return the number of bodies."""
    n = side_bodies(m, d, c, 0, -1.0, bodies, weights, 0)
    return side_bodies(m, d, c, 1, 1.0, bodies, weights, n)


@kernel
def side_bodies(m, d, c, side, sign, bodies, weights, n):
    """Append the bodies on one side of contact c to the first n, with weights times `sign`; return the total number."""
    g = d.contact_geom[c, side]
    f = d.contact_flex[c, side]
    v = d.contact_vert[c, side]
    if g >= 0:
        return add_body(m.geom_bodyid[g], sign, bodies, weights, n)
    if v >= 0:
        return add_vertex(m, f, v, sign, bodies, weights, n)
    shares = local(real, 4)
    element_shares(m, d, c, side, shares)
    e = d.contact_elem[c, side]
    for k in range(m.flex_dim[f] + 1):
        if shares[k] > 0.0:
            n = add_vertex(m, f, vertex_of_element(m, f, e, k), sign * shares[k], bodies, weights, n)
    return n


@kernel
def element_shares(m, d, c, side, shares):
    """Compute the weights of all vertices of the element on a side of contact c.

    If the contact is between the element and one of its own vertices, the weight of that vertex is 0.
    """
    f = d.contact_flex[c, side]
    e = d.contact_elem[c, side]
    other = -1
    if d.contact_flex[c, 1 - side] == f:
        other = d.contact_vert[c, 1 - side]
    square = 0.0
    for k in range(m.flex_dim[f] + 1):
        shares[k] = 0.0
        if vertex_of_element(m, f, e, k) != other:
            share = 1.0 / maximum(mjMINVAL, norm(corner(m, d, f, e, k) - d.contact_pos[c]))
            shares[k] = share
            square += share * share
    for k in range(m.flex_dim[f] + 1):
        shares[k] = shares[k] / sqrt(square)


@kernel
def add_vertex(m, f, v, weight, bodies, weights, n):
    """Add `weight` to the body of vertex v of flex f, or to the bodies of its nodes; return the number of bodies."""
    place = m.flex_vertadr[f] + v
    if m.flex_interp[f] == 0:
        return add_body(m.flex_vertbodyid[place], weight, bodies, weights, n)
    for k in range(NODES):
        share = share_of_node(m.flex_vert0[place], k)
        if share >= LEAST_SHARE:
            n = add_body(m.flex_nodebodyid[m.flex_nodeadr[f] + k], weight * share, bodies, weights, n)
    return n


@kernel
def add_body(body, weight, bodies, weights, n):
    """Add `weight` to a body, which is appended if it is not in the list; return the number of bodies."""
    for k in range(n):
        if bodies[k] == body:
            weights[k] = weights[k] + weight
            return n
    bodies[n] = body
    weights[n] = weight
    return n + 1


@kernel
def depth_of_contact(m, d, c):
    """Return the number of ancestor dofs of all bodies of contact c, counting duplicates."""
    bodies = local(int, MOST_BODIES)
    weights = local(real, MOST_BODIES)
    total = 0
    for k in range(contact_bodies(m, d, c, bodies, weights)):
        total += depth_of(m, last_dof(m, bodies[k]))
    return total


@kernel
def contact_softness(m, d, c):
    """Return the sum of the inverse weights of the bodies of contact c, multiplied by their weights in the contact."""
    return side_softness(m, d, c, 0) + side_softness(m, d, c, 1)


@kernel
def side_softness(m, d, c, side):
    """Return the weighted sum of the inverse weights of the bodies on one side of contact c.

    For an element of a trilinear flex, only the last vertex is counted, as in MuJoCo.
    """
    total = vec2(0.0, 0.0)
    bodies = local(int, MOST_BODIES)
    weights = local(real, MOST_BODIES)
    f = d.contact_flex[c, side]
    n = 0
    if f >= 0 and m.flex_interp[f] != 0 and d.contact_elem[c, side] >= 0:
        shares = local(real, 4)
        element_shares(m, d, c, side, shares)
        last = m.flex_dim[f]
        v = vertex_of_element(m, f, d.contact_elem[c, side], last)
        n = add_vertex(m, f, v, shares[last], bodies, weights, 0)
    else:
        n = side_bodies(m, d, c, side, 1.0, bodies, weights, 0)
    for k in range(n):
        total = total + m.body_invweight0[bodies[k]] * abs(weights[k])
    return total
