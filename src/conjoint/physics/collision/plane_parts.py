"""Pairs of a plane and a geom of a moving part of the scene, listed in every step."""

from conjoint.lang import STRIP, any, dot, group, kernel, local, minimum, put, real, strip, where, z_axis
from conjoint.lang.language.tile import TILE
from conjoint.physics.collision.pairs import list_if_near
from conjoint.physics.geometry.shape import rounding_of
from conjoint.physics.pair_filter import margin_bound_in_force
from conjoint.physics.sleep.filter import geoms_rest


@group
def Plane(geom, normal, level):
    """A plane geom, its normal, and the largest coordinate along the normal (m) at which a box counts as near."""


@kernel(label="planes")
def meet_planes(m, d, n):
    """List the pairs of a plane and a geom of a part that may touch; return the number of near pairs."""
    for k in range(m.nplane):
        g = m.plane_geom[k]
        normal = z_axis(d.geom_xmat[g])
        level = dot(normal, d.geom_xpos[g]) + margin_bound_in_force(m, g) + 2.0 * rounding_of(m, d.geom_xpos[g])
        plane = Plane(g, normal, level)
        # a fixed plane and a fixed part never meet
        count = where(m.body_weldid[m.geom_bodyid[g]] == 0, m.npart_moving, m.npart)
        for s in range(count):
            near = any(lowest(d.part_low[s], d.part_high[s], normal) <= level)
            if near and not geoms_rest(m, d, g, m.part_geom[m.part_adr[s]]):
                n = pair_with_plane(m, d, plane, s, n)
    return n


@kernel
def pair_with_plane(m, d, plane, s, n):
    """List the pairs of a plane and the geoms of part s, which is near the plane; return the number of near pairs."""
    if m.part_node[s + 1] == m.part_node[s] or d.part_bounded[s] == 0:
        for k in range(m.part_adr[s], m.part_adr[s + 1]):
            n = list_if_near(m, d, plane.geom, m.part_geom[k], n)
    else:
        for node in range(m.part_node[s], m.part_node[s + 1]):
            near = any(lowest(d.node_low[node], d.node_high[node], plane.normal) <= plane.level)
            if near and m.node_leaf[node] != 0:
                n = pair_leaf_with_plane(m, d, plane, node, n)
    return n


@kernel
def pair_leaf_with_plane(m, d, plane, leaf, n):
    """List the pairs of a plane and a leaf's geoms whose boxes are near the plane; return the number of near pairs."""
    hits = local(real, STRIP)
    for c in range(0, TILE, STRIP):
        meets = lowest_of_strip(d, leaf, c, plane.normal) <= plane.level
        if any(meets):
            put(hits, 0, where(meets, 1.0, 0.0))
            for j in range(STRIP):
                if any(hits[j] > 0.0):
                    n = list_if_near(m, d, plane.geom, m.node_child[leaf, c + j], n)
    return n


@kernel
def lowest(low, high, normal):
    """Return the least coordinate of a box along a normal, in meters."""
    x = minimum(normal.x * low.x, normal.x * high.x)
    y = minimum(normal.y * low.y, normal.y * high.y)
    return x + y + minimum(normal.z * low.z, normal.z * high.z)


@kernel
def lowest_of_strip(d, leaf, c, normal):
    """Return the least coordinates (m) along a normal of those boxes of a leaf that fit a register, from box c on."""
    x = minimum(strip(d.node_box, (leaf, 0, c)) * normal.x, strip(d.node_box, (leaf, 3, c)) * normal.x)
    y = minimum(strip(d.node_box, (leaf, 1, c)) * normal.y, strip(d.node_box, (leaf, 4, c)) * normal.y)
    return x + y + minimum(strip(d.node_box, (leaf, 2, c)) * normal.z, strip(d.node_box, (leaf, 5, c)) * normal.z)
