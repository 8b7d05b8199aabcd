"""Contacts of a height field with any convex geom: one for each prism below its surface that the geom overlaps.

Between neighbouring points of the field there are two prisms, from the base to the surface. Rows are gone through along
the x axis; a prism is three points that follow each other, to and fro between the row and the next one.
"""

from conjoint.lang import group, kernel, local, maximum, vec3
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.convex.body import Body, farthest, set_geom
from conjoint.physics.collision.convex.collide import touch
from conjoint.physics.collision.convex.legacy import legacy_touch
from conjoint.physics.collision.convex.normal import mend_normal
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.schema.constants import mjMAXCONPAIR

EXACT_KERNELS = True


@group
def Box(low, high):
    """The lower and the upper corner of a box along the axes of a height field."""


@kernel(per_world=True)
def hfield_convex(m, d, field, g, margin, dists, points):
    """Contacts of a height field with any convex geom."""
    return hfield_contacts(m, d, field, g, margin, dists, points, touch_mended)


@kernel(per_world=True)
def legacy_hfield_convex(m, d, field, g, margin, dists, points):
    """The same in the legacy pipeline."""
    return hfield_contacts(m, d, field, g, margin, dists, points, legacy_touch)


@kernel(per_world=True)
def touch_mended(m, bodies, ends):
    """Whether two bodies overlap, and how, with the normals of round bodies."""
    dist, pos, normal = touch(m, bodies, ends)
    if dist < FARTHEST:
        normal = mend_normal(bodies, pos, normal)
    return dist, pos, normal


@kernel(per_world=True)
def hfield_contacts(m, d, field, g, margin, dists, points, touching):
    """Contacts in the order of the prisms, at most as many as a pair of geoms may have; `touching` finds one."""
    bodies = local(Body, 2)
    box = place_geom(m, d, field, g, bodies[1])
    return prism_contacts(m, d, field, bodies, box, margin, dists, points, touching)


@kernel(per_world=True)
def place_geom(m, d, field, g, body):
    """A body is geom g in the frame of a height field; the box around it."""
    frame = d.geom_xmat[field]
    set_geom(m, d, g, 0.0, body)
    body.pos = frame.T @ (d.geom_xpos[g] - d.geom_xpos[field])
    body.frame = frame.T @ d.geom_xmat[g]
    return Box(extent(m, body, -1.0), extent(m, body, 1.0))


@kernel(per_world=True)
def prism_contacts(m, d, field, bodies, box, margin, dists, points, touching):
    """Contacts of the prisms of a height field with the second body, around which is a box; how many."""
    h = m.geom_dataid[field]
    if is_beside(m, h, box, margin):
        return 0
    ends = local(vec3, 2)
    first_row, last_row = cells(m.hfield_size[h, 1], m.hfield_nrow[h], box.low.y, box.high.y)
    first_column, last_column = cells(m.hfield_size[h, 0], m.hfield_ncol[h], box.low.x, box.high.x)
    set_geom(m, d, field, 0.0, bodies[0])
    bodies[1].margin = margin
    n = 0
    for row in range(first_row, last_row):
        for prism in range(2 * (last_column - first_column)):
            if n < mjMAXCONPAIR:
                top = set_prism(m, h, row, 2 * first_column + prism, margin, bodies[0])
                if top >= box.low.z:
                    dist, pos, normal = touching(m, bodies, ends)
                    if dist < FARTHEST:
                        pos = d.geom_xpos[field] + d.geom_xmat[field] @ pos
                        n = keep(dists, points, n, dist, pos, d.geom_xmat[field] @ normal)
    return n


@kernel(per_world=True)
def extent(m, body, side):
    """Ends of the axis-aligned box around a body: the lower (-1) or the upper (1)."""
    x = farthest(m, body, vec3(side, 0.0, 0.0)).x
    y = farthest(m, body, vec3(0.0, side, 0.0)).y
    return vec3(x, y, farthest(m, body, vec3(0.0, 0.0, side)).z)


@kernel(per_world=True)
def is_beside(m, h, box, margin):
    """Whether a box is more than the margin beside height field h."""
    low = box.low - vec3(margin, margin, margin)
    high = box.high + vec3(margin, margin, margin)
    x = m.hfield_size[h, 0]
    y = m.hfield_size[h, 1]
    beside = low.x > x or high.x < -x or low.y > y or high.y < -y
    return beside or low.z > m.hfield_size[h, 2] or high.z < -m.hfield_size[h, 3]


@kernel(per_world=True)
def cells(size, count, low, high):
    """First point, and last point, of the cells that an interval meets, of `count` points from -size to size."""
    scale = (count - 1.0) / (2.0 * size)
    first = 0
    while first + 1 < count and first + 1.0 <= (low + size) * scale:
        first += 1
    last = first
    while last + 1 < count and 1.0 * last < (high + size) * scale:
        last += 1
    return first, last


@kernel(per_world=True)
def set_prism(m, h, row, k, margin, body):
    """Make a body the prism of points k, k + 1, k + 2 of a row; the height of its highest corner.

    Points with an even number are in the next row, those with an odd one in this; the surface is the margin higher.
    """
    top = -m.hfield_size[h, 3]
    for j in range(3):
        column = (k + j) // 2
        r = row + 1 - (k + j) % 2
        x = 2.0 * m.hfield_size[h, 0] / (m.hfield_ncol[h] - 1.0) * column - m.hfield_size[h, 0]
        y = 2.0 * m.hfield_size[h, 1] / (m.hfield_nrow[h] - 1.0) * r - m.hfield_size[h, 1]
        z = m.hfield_size[h, 2] * m.hfield_data[m.hfield_adr[h] + r * m.hfield_ncol[h] + column] + margin
        body.corners[j] = vec3(x, y, -m.hfield_size[h, 3])
        body.corners[3 + j] = vec3(x, y, z)
        top = maximum(top, z)
    return top
