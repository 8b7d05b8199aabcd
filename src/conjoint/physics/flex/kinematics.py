"""Positions of flex vertices, and bounding boxes of flex elements (mj_flex, stage 4).

A vertex is fixed to a body, or its position is a trilinear function of the corners of a box, the nodes of its flex.
"""

from conjoint.lang import formula, kernel, load, put, vec3
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.motion.kinematics import mounted_position

NODES = 8
"""Number of corners of a box; their z coordinate changes fastest."""


@kernel
def flex_vertices(m, d):
    """Compute flexvert_xpos, flexnode_xpos, flexelem_aabb and bvh_aabb_dyn."""
    for f in range(m.nflex):
        if m.flex_interp[f] != 0:
            for k in range(NODES):
                d.flexnode_xpos[m.flex_nodeadr[f] + k] = node_position(m, d, f, k)
        for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
            if m.flex_interp[f] != 0:
                d.flexvert_xpos[v] = interpolated(m, d, f, m.flex_vert0[v])
            elif m.flex_centered[f] != 0:
                d.flexvert_xpos[v] = d.xpos[m.flex_vertbodyid[v]]
            else:
                d.flexvert_xpos[v] = mounted_position(d, m.flex_vertbodyid[v], m.flex_vert[v])
        for e in range(m.flex_elemnum[f]):
            element_box(m, d, f, e)
        volumes(m, d, f)


@kernel
def node_position(m, d, f, k):
    """Return the position of node k of flex f."""
    n = m.flex_nodeadr[f] + k
    if m.flex_centered[f] != 0:
        return d.xpos[m.flex_nodebodyid[n]]
    return mounted_position(d, m.flex_nodebodyid[n], m.flex_node[n])


@formula("real", "vec3", "real", "real", "real", exact=True)
def share_of_corner(place, x, y, z):
    """Return the trilinear shape function of a unit box that is 1 at corner (x, y, z) and 0 at the other corners.

    The function is evaluated at point `place`.
    """
    corner = (x, y, z)
    one, two, three = (corner[i] * place[i] + (1.0 - corner[i]) * (1.0 - place[i]) for i in range(3))
    # in MuJoCo's order, for identical rounding
    return one * (two * three)


@kernel
def share_of_node(place, k):
    """Return the weight of node k at point `place` of the unit box."""
    return share_of_corner(place, (k >> 2) * 1.0, ((k >> 1) & 1) * 1.0, (k & 1) * 1.0)


@kernel(exact=True)
def interpolated(m, d, f, place):
    """Return the position of point `place` of the unit box, whose corners are the nodes of flex f."""
    point = vec3(0.0, 0.0, 0.0)
    for k in range(NODES):
        point = point + d.flexnode_xpos[m.flex_nodeadr[f] + k] * share_of_node(place, k)
    return point


@kernel(exact=True)
def element_box(m, d, f, e):
    """Compute the bounding box of element e of flex f, including the radius of its skin."""
    first = m.flex_elemdataadr[f] + e * (m.flex_dim[f] + 1)
    low = d.flexvert_xpos[m.flex_vertadr[f] + m.flex_elem[first]]
    high = low
    for k in range(1, m.flex_dim[f] + 1):
        corner = d.flexvert_xpos[m.flex_vertadr[f] + m.flex_elem[first + k]]
        low = least(low, corner)
        high = greatest(high, corner)
    r = m.flex_radius[f]
    # rounded as in MuJoCo, because contact searches begin at the center of the box
    put(d.flexelem_aabb, (m.flex_elemadr[f] + e, 0), (low + high) * 0.5)
    put(d.flexelem_aabb, (m.flex_elemadr[f] + e, 3), (high - low) * 0.5 + vec3(r, r, r))


@kernel
def volumes(m, d, f):
    """Compute the bounding volumes of flex f in reverse order, because children follow their parents."""
    first = m.flex_bvhadr[f]
    for k in range(m.flex_bvhnum[f] - 1, -1, -1):
        box = first + k - m.nbvhstatic
        e = m.bvh_nodeid[first + k]
        if e >= 0:
            a = m.flex_elemadr[f] + e
            put(d.bvh_aabb_dyn, (box, 0), load(vec3, d.flexelem_aabb, (a, 0)))
            put(d.bvh_aabb_dyn, (box, 3), load(vec3, d.flexelem_aabb, (a, 3)))
        else:
            left = first - m.nbvhstatic + m.bvh_child[first + k, 0]
            right = first - m.nbvhstatic + m.bvh_child[first + k, 1]
            low = least(low_corner(d.bvh_aabb_dyn, left), low_corner(d.bvh_aabb_dyn, right))
            high = greatest(high_corner(d.bvh_aabb_dyn, left), high_corner(d.bvh_aabb_dyn, right))
            put(d.bvh_aabb_dyn, (box, 0), (low + high) * 0.5)
            put(d.bvh_aabb_dyn, (box, 3), (high - low) * 0.5)


@kernel
def low_corner(boxes, box):
    """Return the lower corner of a box."""
    return load(vec3, boxes, (box, 0)) - load(vec3, boxes, (box, 3))


@kernel
def high_corner(boxes, box):
    """Return the upper corner of a box."""
    return load(vec3, boxes, (box, 0)) + load(vec3, boxes, (box, 3))
