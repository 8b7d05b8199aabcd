"""Signed distances of meshes by their octrees (fields `oct_*`): trilinear within the cell of a point.

Outside of the largest cell, the distance is that of the nearest point in it, and how far that is.
"""

from conjoint.lang import abs, kernel, load, maximum, sqrt, vec3
from conjoint.physics.sdf.difference import difference

INSET = 1e-6
"""How far inside of the largest cell (m) the point is that stands for one outside."""


@kernel(per_world=True)
def octree_distance(m, mesh, p):
    """Signed distance of p, in the frame of a mesh."""
    root = m.mesh_octadr[mesh]
    away, q = into_box(m, root, p)
    cell = cell_of(m, root, q)
    c = cell_coordinates(m, cell, q)
    distance = 0.0
    for k in range(8):
        weight = weight_of(k & 1, c.x) * weight_of(k & 2, c.y) * weight_of(k & 4, c.z)
        distance = distance + weight * m.oct_coeff[cell, k]
    # inside, too: as officially
    if distance + away > 0.0:
        return distance + away
    return distance


@kernel(per_world=True)
def octree_gradient(m, mesh, p):
    """Gradient of the distance per size of the cell, as officially; outside, a difference."""
    root = m.mesh_octadr[mesh]
    away, q = into_box(m, root, p)
    if away > 0.0:
        return difference(m, mesh, p, octree_distance)
    cell = cell_of(m, root, q)
    c = cell_coordinates(m, cell, q)
    slope = vec3(0.0, 0.0, 0.0)
    for k in range(8):
        x = weight_of(k & 1, c.x)
        y = weight_of(k & 2, c.y)
        z = weight_of(k & 4, c.z)
        slope = (
            slope + vec3(side_of(k & 1) * y * z, x * side_of(k & 2) * z, x * y * side_of(k & 4)) * m.oct_coeff[cell, k]
        )
    return slope


@kernel(per_world=True)
def weight_of(upper, c):
    """Share of a corner at one end of an axis."""
    if upper != 0:
        return c
    return 1.0 - c


@kernel
def side_of(upper):
    """1 at the upper end of an axis, -1 at the lower one."""
    if upper != 0:
        return 1.0
    return -1.0


@kernel(per_world=True)
def into_box(m, root, p):
    """How far outside of the largest cell p is, negative inside, and a point in that cell that stands for it."""
    box = load(vec3, m.oct_aabb, (root, 0))
    half = load(vec3, m.oct_aabb, (root, 3))
    r = p - box
    q = vec3(abs(r.x) - half.x, abs(r.y) - half.y, abs(r.z) - half.z)
    if q.x <= 0.0 and q.y <= 0.0 and q.z <= 0.0:
        return maximum(q.x, maximum(q.y, q.z)), p
    inside = vec3(moved_in(p.x, r.x, q.x), moved_in(p.y, r.y, q.y), moved_in(p.z, r.z, q.z))
    beyond = vec3(maximum(q.x, 0.0), maximum(q.y, 0.0), maximum(q.z, 0.0))
    return sqrt(beyond.x * beyond.x + beyond.y * beyond.y + beyond.z * beyond.z), inside


@kernel(per_world=True)
def moved_in(p, r, q):
    """A coordinate that is q beyond the end of an interval on the side of r, moved into it."""
    if q < 0.0:
        return p
    if r > 0.0:
        return p - (q + INSET)
    return p + (q + INSET)


@kernel(per_world=True)
def cell_coordinates(m, cell, p):
    """Where in a cell p is: 0 to 1 along each axis."""
    half = load(vec3, m.oct_aabb, (cell, 3))
    low = load(vec3, m.oct_aabb, (cell, 0)) - half
    return vec3((p.x - low.x) / (2.0 * half.x), (p.y - low.y) / (2.0 * half.y), (p.z - low.z) / (2.0 * half.z))


@kernel(per_world=True)
def cell_of(m, root, p):
    """The smallest cell that has p."""
    cell = root
    while m.oct_child[cell, 0] >= 0:
        c = cell_coordinates(m, cell, p)
        # children come from the upper end of each axis
        child = 7
        if c.x >= 0.5:
            child -= 1
        if c.y >= 0.5:
            child -= 2
        if c.z >= 0.5:
            child -= 4
        cell = root + m.oct_child[cell, child]
    return cell
