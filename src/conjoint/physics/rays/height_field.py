"""Intersections of rays with height fields: only the cells below a ray are tested, row by row in its direction.

Positions on a field are measured in cells: column u along the x axis, row w along the y axis.
"""

from conjoint.lang import abs, clip, integer, kernel, maximum, minimum, vec3, where
from conjoint.physics.rays.geoms import MISSED, nearer, ray_box, ray_cell, ray_inside

SLACK = 1e-3
"""Part of a cell by which rays are widened, so that rounding in either precision loses no cell between two others."""


@kernel
def ray_hfield(m, h, p, v):
    """Return the distance of a ray to a height field: to its surface, its sides or its base, a box (mj_rayHfield)."""
    size = vec3(m.hfield_size[h, 0], m.hfield_size[h, 1], m.hfield_size[h, 2])
    bottom = -m.hfield_size[h, 3]
    x = ray_box(vec3(size.x, size.y, -0.5 * bottom), vec3(p.x, p.y, p.z - 0.5 * bottom), v)
    near, far = ray_inside(vec3(-size.x, -size.y, bottom), size, p, v)
    if near > far:
        return x
    x = nearer(x, ray_surface(m, h, p, v, near, far))
    for k in range(2):
        for axis in range(2):
            if v[axis] != 0.0:
                x = nearer(x, ray_side(m, h, p, v, axis, ((1.0 - 2.0 * k) * size[axis] - p[axis]) / v[axis], k))
    return x


@kernel
def place(m, h, p):
    """Return the column and row of a point, as real numbers of cells from the first point of the field."""
    u = 0.5 * (p.x / m.hfield_size[h, 0] + 1.0) * (m.hfield_ncol[h] - 1.0)
    return u, 0.5 * (p.y / m.hfield_size[h, 1] + 1.0) * (m.hfield_nrow[h] - 1.0)


@kernel
def cell_at(u, count):
    """Return the index of the cell in a row of `count` cells that contains u, or that is nearest to u."""
    return integer(clip(u, 0.0, count - 1.0))


@kernel
def ray_surface(m, h, p, v, near, far):
    """Return the distance of a ray to the surface of a height field, within the interval from `near` to `far`."""
    u, w = place(m, h, p)
    u_end, w_end = place(m, h, p + v)
    du = u_end - u
    dw = w_end - w
    columns = m.hfield_ncol[h] - 1
    rows = m.hfield_nrow[h] - 1
    step = where(dw < 0.0, -1, 1)
    row = cell_at(w + near * dw - step * SLACK, rows)
    last = cell_at(w + far * dw + step * SLACK, rows)
    x = MISSED
    reach = near
    while (row - last) * step <= 0 and (x < 0.0 or x > reach):
        # interval of the ray above this row
        begin = near
        reach = far
        if dw != 0.0:
            a = (row - SLACK - w) / dw
            b = (row + 1.0 + SLACK - w) / dw
            begin = maximum(near, minimum(a, b))
            reach = minimum(far, maximum(a, b))
        k = cell_at(minimum(u + begin * du, u + reach * du) - SLACK, columns)
        high = maximum(u + begin * du, u + reach * du) + SLACK
        while k < columns and k <= high:
            x = nearer(x, hfield_cell(m, h, p, v, row, k))
            k += 1
        row += step
    return x


@kernel
def ray_side(m, h, p, v, axis, x, first):
    """Return x, the distance of a ray to the plane of a side of a height field, if the ray hits that side; else -1.

    For axis 0, the side is at the first (`first` = 1) or last (0) column; for axis 1, at the first or last row.
    """
    q = p + v * x
    u, w = place(m, h, q)
    column = (m.hfield_ncol[h] - 1) * (1 - first)
    row = (m.hfield_nrow[h] - 1) * (1 - first)
    if axis == 0:
        row = cell_at(w, m.hfield_nrow[h] - 1)
        part = w - row
        other = hfield_point(m, h, row + 1, column).z
    else:
        column = cell_at(u, m.hfield_ncol[h] - 1)
        part = u - column
        other = hfield_point(m, h, row, column + 1).z
    end = hfield_point(m, h, row, column).z
    below = q.z <= end + part * (other - end)
    if x >= 0.0 and abs(q[1 - axis]) <= m.hfield_size[h, 1 - axis] and q.z >= -m.hfield_size[h, 3] and below:
        return x
    return MISSED


@kernel
def hfield_cell(m, h, p, v, r, c):
    """Return the distance of a ray to the two triangles between four neighboring points of a height field."""
    a = hfield_point(m, h, r, c)
    b = hfield_point(m, h, r, c + 1)
    return ray_cell(p, v, a, b, hfield_point(m, h, r + 1, c), hfield_point(m, h, r + 1, c + 1))


@kernel
def hfield_point(m, h, r, c):
    """Return the point of the surface of a height field in row r and column c."""
    columns = m.hfield_ncol[h]
    x = m.hfield_size[h, 0] * (2.0 * c / (columns - 1.0) - 1.0)
    y = m.hfield_size[h, 1] * (2.0 * r / (m.hfield_nrow[h] - 1.0) - 1.0)
    return vec3(x, y, m.hfield_size[h, 2] * m.hfield_data[m.hfield_adr[h] + r * columns + c])
