"""Parts of a scene, the units of the broad phase: bodies with everything welded to them, or whole kinematic trees.

A part with several geoms has a tree of boxes (`box_trees`). Parts are formed when a plan is created
(`runtime.pairs`). Two geoms of the same part either are listed as a pair at that time, or never touch.

In the frame of a body, the box around everything welded to it is constant (`fit_parts`). The part's box in the
world is computed from it. The boxes of the part's tree are computed only when another part overlaps this box.
"""

from conjoint.lang import any, dot, isbad, kernel, maximum, minimum, shared, vec3
from conjoint.physics.collision.box_trees import (
    EMPTY,
    Packet,
    bound_node,
    boxes_meet,
    descent,
    leaf_meets,
    meet_geom,
    meet_leaf,
)
from conjoint.physics.collision.pairs import list_if_near
from conjoint.physics.collision.placing import note_edits
from conjoint.physics.collision.plane_parts import meet_planes
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.geometry.shape import SLACK, bounding_box, box_at, rounding_of, turned_half
from conjoint.physics.pair_filter import NO_CONTACTS, are_related, margin_bound, margin_bound_in_force, margin_in_force
from conjoint.physics.sleep.filter import everything_rests, geoms_rest
from conjoint.physics.status import NEAR_FULL

geom_down, leaf_down = descent(meet_geom), descent(meet_leaf)

CHUNK = 32
"""Number of parts in a chunk of work for one thread."""


@kernel
def bound_parts(m, d):
    """Compute the bounding boxes of the parts, enlarged by contact margins."""
    if (m.opt.disableflags & NO_CONTACTS) == 0 and not everything_rests(m, d):
        if m.npart_welded > 0:
            if m.nstatic == 0:
                note_edits(m, d)
            if d.part_fit != d.placed_times or d.static_exposed != 0:
                fit_parts(m, d)
        shared(bound_chunk, m, d, (m.npart + CHUNK - 1) // CHUNK)


@kernel
def fit_parts(m, d):
    """Compute part_middle and part_half: boxes, in the frames of their bodies, of parts that consist of welded bodies.

    The boxes are computed from the current positions of the geoms. If a position is NaN or huge, the boxes are computed
    again in the next step.
    """
    size = 0.0
    for s in range(m.npart):
        b = m.part_body[s]
        if b >= 0:
            low = vec3(EMPTY, EMPTY, EMPTY)
            high = -low
            for k in range(m.part_adr[s], m.part_adr[s + 1]):
                g = m.part_geom[k]
                pos = d.xmat[b].T @ (d.geom_xpos[g] - d.xpos[b])
                far = margin_bound(m, g) + rounding_of(m, d.geom_xpos[g])
                own_low, own_high = box_at(m, g, pos, d.xmat[b].T @ d.geom_xmat[g], far)
                low = least(low, own_low)
                high = greatest(high, own_high)
                size += dot(pos, pos)
            d.part_middle[s] = 0.5 * (low + high)
            d.part_half[s] = 0.5 * (high - low)
    if not isbad(size):
        d.part_fit = d.placed_times


@kernel
def bound_chunk(m, d, chunk):
    """Compute the bounding boxes of one chunk of parts."""
    for s in range(CHUNK * chunk, minimum(m.npart, CHUNK * (chunk + 1))):
        b = m.part_body[s]
        d.part_bounded[s] = 0
        if b >= 0:
            middle = d.xpos[b] + d.xmat[b] @ d.part_middle[s]
            far = maximum(margin_in_force(m, 0.0), 0.0) + m.reach + rounding_of(m, middle)
            half = SLACK * turned_half(d.xmat[b], d.part_half[s]) + vec3(far, far, far)
            d.part_low[s] = middle - half
            d.part_high[s] = middle + half
        elif m.part_node[s + 1] > m.part_node[s]:
            bound_tree(m, d, s)
            root = m.part_node[s + 1] - 1
            d.part_low[s] = d.node_low[root]
            d.part_high[s] = d.node_high[root]
        else:
            g = m.part_geom[m.part_adr[s]]
            d.part_low[s], d.part_high[s] = bounding_box(m, d, g, margin_ahead(m, g))


@kernel
def bound_tree(m, d, s):
    """Compute the boxes of the tree of part s, unless they were already computed in this step."""
    if d.part_bounded[s] == 0:
        for node in range(m.part_node[s], m.part_node[s + 1]):
            bound_node(m, d, node, margin_ahead)
        d.part_bounded[s] = 1


@kernel
def margin_ahead(m, g):
    """Return the margin of geom g, plus the distance beyond it within which the geom's pairs already count as near."""
    return margin_bound_in_force(m, g) + m.reach


@kernel
def cross_parts(m, d):
    """Find the pairs of parts whose boxes overlap in any world of a block, and list their near pairs of geoms."""
    if (m.opt.disableflags & NO_CONTACTS) == 0 and not everything_rests(m, d):
        n = d.nnear
        for s in range(m.ncrossing):
            low = d.part_low[s]
            high = d.part_high[s]
            for t in range(s + 1, m.npart):
                if any(boxes_meet(low, high, d.part_low[t], d.part_high[t])):
                    n = pair_parts(m, d, s, t, n)
        n = meet_planes(m, d, n)
        d.nnear_needed = n
        if n > d.nnear_capacity:
            return NEAR_FULL
        d.nnear = n
    return 0


@kernel
def pair_parts(m, d, s, t, n):
    """List the near pairs of geoms of parts s and t, whose boxes overlap; return the number of near pairs."""
    g = m.part_geom[m.part_adr[s]]
    h = m.part_geom[m.part_adr[t]]
    if geoms_rest(m, d, g, h):
        return n
    several = m.part_node[s + 1] > m.part_node[s]
    if m.part_node[t + 1] > m.part_node[t]:
        if not (several and are_related(m, m.geom_bodyid[g], m.geom_bodyid[h])):
            bound_tree(m, d, t)
            n = descend(m, d, s, m.part_node[t + 1] - 1, n)
    elif several:
        bound_tree(m, d, s)
        n = descend(m, d, t, m.part_node[s + 1] - 1, n)
    else:
        n = list_if_near(m, d, g, h, n)
    return n


@kernel
def meet_part(m, d, packet, leaf, n):
    """List the near pairs of geoms of one part and geoms in a leaf of another tree; return the number of near pairs."""
    if leaf_meets(m, d, packet, leaf):
        bound_tree(m, d, packet.number)
        own = Packet(leaf, d.node_low[leaf], d.node_high[leaf])
        n = leaf_down(m, d, own, m.part_node[packet.number + 1] - 1, n)
    return n


part_down = descent(meet_part)


@kernel(label="descent")
def descend(m, d, s, root, n):
    """List the near pairs of geoms of part s and geoms below tree node `root`; return the number of near pairs."""
    low = d.part_low[s]
    high = d.part_high[s]
    if m.part_node[s + 1] > m.part_node[s]:
        return part_down(m, d, Packet(s, low, high), root, n)
    return geom_down(m, d, Packet(m.part_geom[m.part_adr[s]], low, high), root, n)
