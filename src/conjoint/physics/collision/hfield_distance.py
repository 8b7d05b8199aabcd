"""Smallest distance of a height field and a convex geom: the least of those to the prisms below its surface.

A prism is looked at only if the box around it may be nearer to the box around the geom than what was found so far. The
search begins below the lowest point of the geom and below its middle, so that most prisms are not.
"""

from conjoint.lang import clip, integer, kernel, local, mat3, maximum, sqrt, vec3
from conjoint.physics.collision.convex.body import Body, farthest, set_geom
from conjoint.physics.collision.convex.collide import measure
from conjoint.physics.collision.hfield import cells, place_geom, set_prism

EXACT_KERNELS = True


@kernel(per_world=True)
def hfield_distance(m, d, field, g, most):
    """Smallest distance of a height field and a convex geom, up to `most`, and the points between which it is.

    Returns:
        the distance, the point on the field, the point on the geom; both zero if the distance is not below `most`.
    """
    h = m.geom_dataid[field]
    bodies = local(Body, 2)
    found = local(vec3, 2)
    set_geom(m, d, field, 0.0, bodies[0])
    bodies[0].frame = mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    box = place_geom(m, d, field, g, bodies[1])
    low, high = box.low, box.high
    least = most
    for seed in range(2):
        below = bodies[1].pos
        if seed == 0:
            below = farthest(m, bodies[1], vec3(0.0, 0.0, -1.0))
        row = cell_at(below.y, m.hfield_size[h, 1], m.hfield_nrow[h])
        column = cell_at(below.x, m.hfield_size[h, 0], m.hfield_ncol[h])
        least = nearer_in_cell(m, h, row, column, box, least, bodies, found)
    # how far beside the geom a cell may be whose highest point may be nearer
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


@kernel(per_world=True)
def cell_at(x, size, count):
    """The cell below a place, or the nearest at the rim, of `count` points from -size to size."""
    return integer(clip((x + size) * ((count - 1.0) / (2.0 * size)), 0.0, count - 2.0))


@kernel(per_world=True)
def gap_of(low, high, bottom, top):
    """How far two intervals are apart; 0 if they meet."""
    return maximum(maximum(low - top, bottom - high), 0.0)


@kernel(per_world=True)
def nearer_in_cell(m, h, row, column, box, least, bodies, found):
    """The least distance so far, or that to one of the two prisms of a cell; `found` receives its points.

    Args:
        m: model.
        h: height field.
        row, column: of the cell.
        box: around the geom, in the frame of the field.
        least: the least distance so far (m).
        bodies: the bodies; the first becomes a prism.
        found: receives the points between which the distance is.
    """
    ends = local(vec3, 2)
    low, high = box.low, box.high
    wide = 2.0 * m.hfield_size[h, 0] / (m.hfield_ncol[h] - 1.0)
    deep = 2.0 * m.hfield_size[h, 1] / (m.hfield_nrow[h] - 1.0)
    x = gap_of(low.x, high.x, wide * column - m.hfield_size[h, 0], wide * (column + 1) - m.hfield_size[h, 0])
    y = gap_of(low.y, high.y, deep * row - m.hfield_size[h, 1], deep * (row + 1) - m.hfield_size[h, 1])
    flat = x * x + y * y
    # boxes that overlap tell nothing: prisms may be as deep as they like
    if flat == 0.0 or (least > 0.0 and flat < least * least):
        for half in range(2):
            top = set_prism(m, h, row, 2 * column + half, 0.0, bodies[0])
            z = gap_of(low.z, high.z, -m.hfield_size[h, 3], top)
            square = flat + z * z
            if square == 0.0 or (least > 0.0 and square < least * least):
                dist = measure(m, bodies, ends, maximum(least, 0.0))
                if dist < least:
                    least = dist
                    found[0] = ends[0]
                    found[1] = ends[1]
    return least
