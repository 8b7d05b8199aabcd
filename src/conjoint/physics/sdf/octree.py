"""Signed distances of meshes from their octrees (fields `oct_*`), interpolated trilinearly within cells.

Outside the root cell, the result is the signed distance at the nearest point of this cell plus the distance from the
cell.
"""

from conjoint.lang import abs, kernel, load, maximum, sqrt, vec3, where
from conjoint.physics.geometry.shape import corner_of
from conjoint.physics.sdf.difference import difference

INSET = 1e-6
"""Depth inside the root cell (m) of the point that stands in for a point outside."""


@kernel
def octree_distance(m, mesh, p):
    """Return the signed distance of point p from the surface of a mesh, in the frame of the mesh."""
    root = m.mesh_octadr[mesh]
    away, q = into_box(m, root, p)
    cell = cell_of(m, root, q)
    c = cell_coordinates(m, cell, q)
    distance = 0.0
    for k in range(8):
        weight = weights_of(k, c)
        distance = distance + weight.x * weight.y * weight.z * m.oct_coeff[cell, k]
    # as in MuJoCo, `away` is added inside the cell, too
    if distance + away > 0.0:
        return distance + away
    return distance


@kernel
def octree_gradient(m, mesh, p):
    """Return the gradient of the signed distance with respect to cell coordinates, as in MuJoCo.

    Outside the root cell, return finite differences of the signed distance.
    """
    root = m.mesh_octadr[mesh]
    away, q = into_box(m, root, p)
    if away > 0.0:
        return difference(m, mesh, p, octree_distance)
    cell = cell_of(m, root, q)
    c = cell_coordinates(m, cell, q)
    slope = vec3(0.0, 0.0, 0.0)
    for k in range(8):
        w = weights_of(k, c)
        side = corner_of(vec3(1.0, 1.0, 1.0), k)
        slope = slope + vec3(side.x * w.y * w.z, w.x * side.y * w.z, w.x * w.y * side.z) * m.oct_coeff[cell, k]
    return slope


@kernel
def weights_of(k, c):
    """Return the interpolation weights of corner k of a cell along each axis, at cell coordinates c."""
    x = where((k & 1) != 0, c.x, 1.0 - c.x)
    y = where((k & 2) != 0, c.y, 1.0 - c.y)
    return vec3(x, y, where((k & 4) != 0, c.z, 1.0 - c.z))


@kernel
def into_box(m, root, p):
    """Return the distance of p from the root cell, negative inside, and a point in the cell that stands in for p."""
    box = load(vec3, m.oct_aabb, (root, 0))
    half = load(vec3, m.oct_aabb, (root, 3))
    r = p - box
    q = vec3(abs(r.x) - half.x, abs(r.y) - half.y, abs(r.z) - half.z)
    if q.x <= 0.0 and q.y <= 0.0 and q.z <= 0.0:
        return maximum(q.x, maximum(q.y, q.z)), p
    inside = vec3(moved_in(p.x, r.x, q.x), moved_in(p.y, r.y, q.y), moved_in(p.z, r.z, q.z))
    beyond = vec3(maximum(q.x, 0.0), maximum(q.y, 0.0), maximum(q.z, 0.0))
    return sqrt(beyond.x * beyond.x + beyond.y * beyond.y + beyond.z * beyond.z), inside


@kernel
def moved_in(p, r, q):
    """Return coordinate p, moved into the extent of a cell, which it exceeds by q on the side given by the sign of r.

    If q is negative, p is in the extent already, and is returned unchanged.
    """
    return where(q < 0.0, p, where(r > 0.0, p - (q + INSET), p + (q + INSET)))


@kernel
def cell_coordinates(m, cell, p):
    """Return the coordinates of p in a cell, from 0 to 1 along each axis."""
    half = load(vec3, m.oct_aabb, (cell, 3))
    low = load(vec3, m.oct_aabb, (cell, 0)) - half
    return vec3((p.x - low.x) / (2.0 * half.x), (p.y - low.y) / (2.0 * half.y), (p.z - low.z) / (2.0 * half.z))


@kernel
def cell_of(m, root, p):
    """Return the smallest octree cell that contains p."""
    cell = root
    while m.oct_child[cell, 0] >= 0:
        c = cell_coordinates(m, cell, p)
        # children are numbered starting at the upper end of each axis
        child = 7 - where(c.x >= 0.5, 1, 0) - where(c.y >= 0.5, 2, 0) - where(c.z >= 0.5, 4, 0)
        cell = root + m.oct_child[cell, child]
    return cell
