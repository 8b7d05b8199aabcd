"""Contacts of a height field with any convex geom: one for each prism below its surface that the geom overlaps.

Between neighbouring points of the field there are two prisms, from the base to the surface. Rows are gone through along
the x axis; a prism is three points that follow each other, to and fro between the row and the next one.
"""

from conjoint.lang import kernel, local, maximum, put, real, vec3
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.convex.body import (
    CORNERS,
    FRAME,
    MARGIN,
    POSITION,
    REALS,
    TWO_MARKS,
    TWO_REALS,
    farthest,
    set_geom,
)
from conjoint.physics.collision.convex.collide import touch
from conjoint.physics.collision.convex.legacy import legacy_touch
from conjoint.physics.collision.convex.normal import mend_normal
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.schema.constants import mjMAXCONPAIR


@kernel(per_world=True, exact=True)
def hfield_convex(m, d, field, g, margin, dists, points):
    """Contacts of a height field with any convex geom."""
    return hfield_contacts(m, d, field, g, margin, dists, points, touch_mended)


@kernel(per_world=True, exact=True)
def legacy_hfield_convex(m, d, field, g, margin, dists, points):
    """The same in the legacy pipeline."""
    return hfield_contacts(m, d, field, g, margin, dists, points, legacy_touch)


@kernel(per_world=True, exact=True)
def touch_mended(m, reals, marks, ends):
    """Whether two bodies overlap, and how, with the normals of round bodies."""
    dist, pos, normal = touch(m, reals, marks, ends)
    if dist < FARTHEST:
        normal = mend_normal(reals, marks, pos, normal)
    return dist, pos, normal


@kernel(per_world=True, exact=True)
def hfield_contacts(m, d, field, g, margin, dists, points, touching):
    """Contacts in the order of the prisms, at most as many as a pair of geoms may have; `touching` finds one."""
    h = m.geom_dataid[field]
    reals = local(real, TWO_REALS)
    marks = local(int, TWO_MARKS)
    ends = local(vec3, 2)
    # the geom in the frame of the field
    frame = d.geom_xmat[field]
    set_geom(m, d, g, 0.0, reals, marks, 1)
    put(reals, REALS + POSITION, frame.T @ (d.geom_xpos[g] - d.geom_xpos[field]))
    put(reals, REALS + FRAME, frame.T @ d.geom_xmat[g])
    low = extent(m, reals, marks, -1.0)
    high = extent(m, reals, marks, 1.0)
    if is_beside(m, h, low, high, margin):
        return 0
    first_row, last_row = cells(m.hfield_size[h, 1], m.hfield_nrow[h], low.y, high.y)
    first_column, last_column = cells(m.hfield_size[h, 0], m.hfield_ncol[h], low.x, high.x)
    set_geom(m, d, field, 0.0, reals, marks, 0)
    reals[REALS + MARGIN] = margin
    n = 0
    for row in range(first_row, last_row):
        for prism in range(2 * (last_column - first_column)):
            if n < mjMAXCONPAIR:
                top = set_prism(m, h, row, 2 * first_column + prism, margin, reals)
                if top >= low.z:
                    dist, pos, normal = touching(m, reals, marks, ends)
                    if dist < FARTHEST:
                        pos = d.geom_xpos[field] + frame @ pos
                        n = keep(dists, points, n, dist, pos, frame @ normal, vec3(0.0, 0.0, 0.0))
    return n


@kernel(per_world=True, exact=True)
def extent(m, reals, marks, side):
    """Ends of the axis-aligned box around the second body: the lower (-1) or the upper (1)."""
    x = farthest(m, reals, marks, 1, vec3(side, 0.0, 0.0)).x
    y = farthest(m, reals, marks, 1, vec3(0.0, side, 0.0)).y
    return vec3(x, y, farthest(m, reals, marks, 1, vec3(0.0, 0.0, side)).z)


@kernel(per_world=True, exact=True)
def is_beside(m, h, low, high, margin):
    """Whether a box is more than the margin beside height field h."""
    x = m.hfield_size[h, 0]
    y = m.hfield_size[h, 1]
    beside = low.x - margin > x or high.x + margin < -x or low.y - margin > y or high.y + margin < -y
    return beside or low.z - margin > m.hfield_size[h, 2] or high.z + margin < -m.hfield_size[h, 3]


@kernel(per_world=True, exact=True)
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


@kernel(per_world=True, exact=True)
def set_prism(m, h, row, k, margin, reals):
    """Make the first body the prism of points k, k + 1, k + 2 of a row; the height of its highest corner.

    Points with an even number are in the next row, those with an odd one in this; the surface is the margin higher.
    """
    top = -m.hfield_size[h, 3]
    for j in range(3):
        column = (k + j) // 2
        r = row + 1 - (k + j) % 2
        x = 2.0 * m.hfield_size[h, 0] / (m.hfield_ncol[h] - 1.0) * column - m.hfield_size[h, 0]
        y = 2.0 * m.hfield_size[h, 1] / (m.hfield_nrow[h] - 1.0) * r - m.hfield_size[h, 1]
        z = m.hfield_size[h, 2] * m.hfield_data[m.hfield_adr[h] + r * m.hfield_ncol[h] + column] + margin
        put(reals, CORNERS + 3 * j, vec3(x, y, -m.hfield_size[h, 3]))
        put(reals, CORNERS + 9 + 3 * j, vec3(x, y, z))
        top = maximum(top, z)
    return top
