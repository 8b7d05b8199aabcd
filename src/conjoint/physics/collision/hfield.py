"""Contacts and distances between a height field and a convex geom, with one contact for each overlapping prism.

Each cell between neighboring points of the field consists of two prisms, from the base to the surface. Rows are
traversed along the x axis. A prism stands on three consecutive points, which alternate between the row and the next
row.

The smallest distance is the least distance from a prism. A prism is measured only if its bounding box may be closer to
the geom's bounding box than the least distance so far. The search begins below the lowest point of the geom and below
its center, so that most prisms are skipped.
"""

from conjoint.lang import (
    clip,
    cross,
    dot,
    floor,
    group,
    integer,
    kernel,
    local,
    mat3,
    maximum,
    norm,
    normalize3,
    sqrt,
    vec3,
    where,
)
from conjoint.physics.collision.contact_candidates import collider_by, keep
from conjoint.physics.collision.convex.body import NATIVE, Body, set_geom, support
from conjoint.physics.collision.convex.collide import measure, touch
from conjoint.physics.collision.convex.editions import LEGACY, PRISM_3, TOUCH_4
from conjoint.physics.collision.convex.enclosing import ENCLOSING
from conjoint.physics.collision.convex.gjk import FARTHEST
from conjoint.physics.collision.convex.planes import ROUNDING
from conjoint.physics.collision.convex.planes import SLACK as AWAY
from conjoint.physics.geometry.shape import SLACK
from conjoint.schema.constants import mjMAXCONPAIR

EXACT_KERNELS = True


@group
def Box(low, high):
    """The lower and the upper corner of a box that is aligned with the axes of a height field."""


@group
def Cells(first_row, last_row, first_column, last_column):
    """Cells of a height field: half-open ranges of rows and columns."""


@group
def Prisms(area, margin, low):
    """Prisms in the cells `area` whose highest point is at least at height `low`; the surface is raised by `margin`."""


@kernel
def hfield_contacts(m, d, field, g, margin, dists, points, how):
    """Find contacts of geom g with the prisms of a height field, in the order of the prisms; return their number.

    Their number is at most the maximum for a pair of geoms. `how` is the `Touch` of the prisms.
    """
    bodies = local(Body, 2)
    place_geom(m, d, field, g, bodies[1])
    if is_beside(m, m.geom_dataid[field], sphere_box(m, g, bodies[1]), margin):
        return 0
    return prism_contacts(m, d, field, bodies, extents(m, bodies[1]), margin, dists, points, how)


@kernel
def place_geom(m, d, field, g, body):
    """Set a body to geom g in the frame of a height field."""
    frame = d.geom_xmat[field]
    set_geom(m, d, g, 0.0, body)
    body.pos = frame.T @ (d.geom_xpos[g] - d.geom_xpos[field])
    body.frame = frame.T @ d.geom_xmat[g]


@kernel
def sphere_box(m, g, body):
    """Return the axis-aligned bounding box of the bounding sphere of geom g, which is placed as `body`."""
    radius = SLACK * m.geom_rbound[g]
    reach = vec3(radius, radius, radius)
    return Box(body.pos - reach, body.pos + reach)


@kernel
def extents(m, body):
    """Return the axis-aligned bounding box of a body."""
    return Box(extent(m, body, -1.0), extent(m, body, 1.0))


@kernel
def prism_contacts(m, d, field, bodies, box, margin, dists, points, how):
    """Find contacts of a height field's prisms with the second body, given its bounding box; return their number.

    In lanes, each world searches for its next prism on its own, and all worlds then test their prisms together.
    """
    h = m.geom_dataid[field]
    if is_beside(m, h, box, margin):
        return 0
    # bodies are inflated by half of their margin
    ends = local(vec3, 2)
    near = margin
    if how.raised:
        near = 0.0
    set_geom(m, d, field, 0.0, bodies[0])
    bodies[1].margin = margin + near
    first_row, last_row = cells(m.hfield_size[h, 1], m.hfield_nrow[h], box.low.y - near, box.high.y + near)
    first_column, last_column = cells(m.hfield_size[h, 0], m.hfield_ncol[h], box.low.x - near, box.high.x + near)
    area = Cells(first_row, last_row, first_column, last_column)
    n = 0
    raised = Prisms(area, margin - near, box.low.z - near)
    row, k = next_below(m, h, raised, first_row, 2 * first_column, bodies)
    while row < last_row and n < mjMAXCONPAIR:
        dist, pos, normal = touch_prism(m, bodies, ends, how)
        if dist < FARTHEST:
            pos = pos + normal * (0.5 * near)
            pos = d.geom_xpos[field] + d.geom_xmat[field] @ pos
            n = keep(dists, points, n, dist + near, pos, d.geom_xmat[field] @ normal)
        row, k = next_below(m, h, raised, row, k + 1, bodies)
    return n


@kernel(few=True)
def touch_prism(m, bodies, ends, how):
    """Find the contact of a prism and a body; see `collide.touch`."""
    return touch(m, bodies, ends, how)


@kernel
def extent(m, body, side):
    """Return a corner of the axis-aligned bounding box of a body: the lower (-1) or the upper (1)."""
    x = support(m, body, vec3(side, 0.0, 0.0), NATIVE).x
    y = support(m, body, vec3(0.0, side, 0.0), NATIVE).y
    return vec3(x, y, support(m, body, vec3(0.0, 0.0, side), NATIVE).z)


@kernel
def is_beside(m, h, box, margin):
    """Return True if a box is farther than the margin from the bounds of height field h."""
    low = box.low - vec3(margin, margin, margin)
    high = box.high + vec3(margin, margin, margin)
    x = m.hfield_size[h, 0]
    y = m.hfield_size[h, 1]
    beside = low.x > x or high.x < -x or low.y > y or high.y < -y
    return beside or low.z > m.hfield_size[h, 2] or high.z < -m.hfield_size[h, 3]


@kernel
def cells(size, count, low, high):
    """Return the first and last grid point of the cells that an interval overlaps.

    The grid has `count` points, spaced evenly from -size to size; the interval is from `low` to `high`.
    """
    scale = (count - 1.0) / (2.0 * size)
    first = integer(clip((low + size) * scale, 0.0, count - 1.0))
    # rounded up
    last = integer(clip(-floor(-(high + size) * scale), 0.0, count - 1.0))
    return first, maximum(first, last)


@kernel
def next_below(m, h, prisms, row, k, bodies):
    """Set the first body to the next prism that the second body may touch; see `next_prism`.

    Prisms are skipped if the second body is certainly above them.
    """
    row, k = next_prism(m, h, prisms, row, k, bodies[0])
    while row < prisms.area.last_row and is_above(m, bodies[0], bodies[1]):
        row, k = next_prism(m, h, prisms, row, k + 1, bodies[0])
    return row, k


@kernel
def is_above(m, prism, body):
    """Return True if a body is above the surface of a prism by more than the rounding error."""
    corner = prism.corners[3]
    normal = normalize3(cross(prism.corners[4] - corner, prism.corners[5] - corner))
    normal = where(normal.z < 0.0, -normal, normal)
    lowest = support(m, body, -normal, NATIVE)
    return dot(normal, lowest - corner) > (AWAY + ROUNDING * m.epsilon) * (norm(lowest) + norm(corner))


@kernel(one_by_one="worlds together run at 0.43 of the speed (terrain): prisms differ between worlds")
def next_prism(m, h, prisms, row, k, body):
    """Set a body to the next prism in `prisms`, starting with prism k of a row.

    Returns:
        the row of the prism, or the end of the area's rows if there is no such prism; the index of the prism in the
        row.
    """
    area = prisms.area
    while row < area.last_row:
        while k < 2 * area.last_column:
            if prism_top(m, h, row, k, prisms.margin) >= prisms.low:
                set_prism(m, h, row, k, prisms.margin, body)
                return row, k
            k += 1
        row += 1
        k = 2 * area.first_column
    return row, k


@kernel
def point_of_prism(m, h, row, k):
    """Return row and column of point k in a row of prisms: even points are in the next row, odd ones in this row."""
    return row + 1 - k % 2, k // 2


@kernel
def height_of(m, h, row, column, margin):
    """Return the height of a point of a height field whose surface is raised by `margin`."""
    return m.hfield_size[h, 2] * m.hfield_data[m.hfield_adr[h] + row * m.hfield_ncol[h] + column] + margin


@kernel
def prism_top(m, h, row, k, margin):
    """Return the height of the highest corner of a prism; see `set_prism`."""
    top = -m.hfield_size[h, 3]
    for j in range(3):
        r, column = point_of_prism(m, h, row, k + j)
        top = maximum(top, height_of(m, h, r, column, margin))
    return top


@kernel
def set_prism(m, h, row, k, margin, body):
    """Set a body to the prism with points k, k + 1, k + 2 of a row; the surface is raised by `margin`."""
    for j in range(3):
        r, column = point_of_prism(m, h, row, k + j)
        x = 2.0 * m.hfield_size[h, 0] / (m.hfield_ncol[h] - 1.0) * column - m.hfield_size[h, 0]
        y = 2.0 * m.hfield_size[h, 1] / (m.hfield_nrow[h] - 1.0) * r - m.hfield_size[h, 1]
        body.corners[j] = vec3(x, y, -m.hfield_size[h, 3])
        body.corners[3 + j] = vec3(x, y, height_of(m, h, r, column, margin))


# ---- distances


@kernel
def hfield_distance(m, d, field, g, most):
    """Return the smallest distance between a height field and a convex geom, at most `most`, and the nearest points.

    Returns:
        the distance, the point on the field and the point on the geom. Both points are zero if the distance is not
        below `most`.
    """
    h = m.geom_dataid[field]
    bodies = local(Body, 2)
    found = local(vec3, 2)
    set_geom(m, d, field, 0.0, bodies[0])
    bodies[0].frame = mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    place_geom(m, d, field, g, bodies[1])
    box = extents(m, bodies[1])
    low, high = box.low, box.high
    least = most
    for seed in range(2):
        below = bodies[1].pos
        if seed == 0:
            below = support(m, bodies[1], vec3(0.0, 0.0, -1.0), NATIVE)
        row = cell_at(below.y, m.hfield_size[h, 1], m.hfield_nrow[h])
        column = cell_at(below.x, m.hfield_size[h, 0], m.hfield_ncol[h])
        least = nearer_in_cell(m, h, row, column, box, least, bodies, found)
    # horizontal distance within which the top of a cell may be closer
    above = gap_of(low.z, high.z, -m.hfield_size[h, 3], m.hfield_size[h, 2])
    if least <= 0.0 or above < least:
        reach = 0.0
        if least > 0.0:
            reach = sqrt(least * least - above * above)
        first_row, last_row = cells(m.hfield_size[h, 1], m.hfield_nrow[h], low.y - reach, high.y + reach)
        first_column, last_column = cells(m.hfield_size[h, 0], m.hfield_ncol[h], low.x - reach, high.x + reach)
        for row in range(first_row, last_row):
            for column in range(first_column, last_column):
                least = nearer_in_cell(m, h, row, column, box, least, bodies, found)
    none = vec3(0.0, 0.0, 0.0)
    if least >= most:
        return most, none, none
    frame = d.geom_xmat[field]
    return least, d.geom_xpos[field] + frame @ found[0], d.geom_xpos[field] + frame @ found[1]


@kernel
def cell_at(x, size, count):
    """Return the index of the cell that contains coordinate x, clamped to the cells between `count` points.

    The points are spaced evenly from -size to size.
    """
    return integer(clip((x + size) * ((count - 1.0) / (2.0 * size)), 0.0, count - 2.0))


@kernel
def gap_of(low, high, bottom, top):
    """Return the gap between the intervals [low, high] and [bottom, top]; 0 if they overlap."""
    return maximum(maximum(low - top, bottom - high), 0.0)


@kernel
def nearer_in_cell(m, h, row, column, box, least, bodies, found):
    """Return the distance to the two prisms of a cell, or the least distance so far if that is smaller.

    Args:
        m: model.
        h: index of the height field.
        row, column: indices of the cell.
        box: bounding box of the geom, in the frame of the field.
        least: least distance so far (m).
        bodies: a body that is set to a prism, and the body of the geom.
        found: receives the nearest points if the distance decreases.
    """
    ends = local(vec3, 2)
    low, high = box.low, box.high
    wide = 2.0 * m.hfield_size[h, 0] / (m.hfield_ncol[h] - 1.0)
    deep = 2.0 * m.hfield_size[h, 1] / (m.hfield_nrow[h] - 1.0)
    x = gap_of(low.x, high.x, wide * column - m.hfield_size[h, 0], wide * (column + 1) - m.hfield_size[h, 0])
    y = gap_of(low.y, high.y, deep * row - m.hfield_size[h, 1], deep * (row + 1) - m.hfield_size[h, 1])
    flat = x * x + y * y
    # overlapping boxes give no lower bound, because prisms may overlap by any depth
    if flat == 0.0 or (least > 0.0 and flat < least * least):
        for half in range(2):
            top = prism_top(m, h, row, 2 * column + half, 0.0)
            z = gap_of(low.z, high.z, -m.hfield_size[h, 3], top)
            square = flat + z * z
            if square == 0.0 or (least > 0.0 and square < least * least):
                set_prism(m, h, row, 2 * column + half, 0.0, bodies[0])
                dist = measure(m, bodies, ends, maximum(least, 0.0), ENCLOSING)
                if dist < least:
                    least = dist
                    found[0] = ends[0]
                    found[1] = ends[1]
    return least


hfield_convex_3 = collider_by("hfield_convex_3", hfield_contacts, PRISM_3)
hfield_convex_4 = collider_by("hfield_convex_4", hfield_contacts, TOUCH_4)
hfield_convex_legacy = collider_by("hfield_convex_legacy", hfield_contacts, LEGACY)
"""Collider for height fields in the legacy pipeline of both editions.

`hfield_convex_3` and `hfield_convex_4` are for editions 3.3.5 and 4.0 in the native pipeline.
"""
