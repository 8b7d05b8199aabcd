"""Convex bodies: all that collision asks of a shape is its farthest point in a direction.

A pair of bodies lies in two arrays: `reals` has the pose, size and margin of each, and of a prism its corners; `marks`
has its kind, its mesh and where the last search for a farthest point ended, at which the next one begins. So bodies can
be shrunk, turned, or be what is no geom at all.
"""

from conjoint.lang import dot, kernel, load, mat3, put, sqrt, vec3, where
from conjoint.physics.collision.hull import LOWEST, best_vertex, climb, hull_names, vertex_of
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

POSITION = 0
FRAME = 3
SIZE = 12
MARGIN = 15
CORNERS = 16
DEEPEST = 34
REALS = 43
"""Places in `reals`: the last are three points of the body between which it is deepest; how many a body has."""

KIND = 0
MESH = 1
START = 2
CORNER = 3
DEEPEST_CORNER = 4
MARKS = 7
"""Places in `marks`: type (mjtGeom), mesh, vertex at which to begin, number of the corner found last, those of the
three between which it is deepest; how many."""

TWO_REALS = 2 * REALS
TWO_MARKS = 2 * MARKS
"""Sizes of the arrays of two bodies."""

FLEXIBLE = int(mjtGeom.mjGEOM_FLEX)
"""Kind of an element of a flex; its `MESH` is the number of its corners, its `SIZE` the radius of its skin."""

PRISM_CORNERS = 6
"""Corners of a prism of a height field: three below, then the three above them."""

FEW_VERTICES = 10
"""Meshes of fewer vertices are searched as a whole."""

TINY = mjMINVAL * mjMINVAL


@kernel(per_world=True, exact=True)
def set_geom(m, d, g, margin, reals, marks, b):
    """Body b is geom g, and half the margin (m) thicker."""
    at = b * REALS
    put(reals, at + POSITION, d.geom_xpos[g])
    put(reals, at + FRAME, d.geom_xmat[g])
    put(reals, at + SIZE, m.geom_size[g])
    reals[at + MARGIN] = margin
    marks[b * MARKS + KIND] = m.geom_type[g]
    marks[b * MARKS + MESH] = m.geom_dataid[g]
    marks[b * MARKS + START] = -1
    marks[b * MARKS + CORNER] = -1


@kernel(per_world=True, exact=True)
def set_geoms(m, d, g1, g2, margin, reals, marks):
    """The bodies are two geoms, together thicker by the margin (m)."""
    set_geom(m, d, g1, margin, reals, marks, 0)
    set_geom(m, d, g2, margin, reals, marks, 1)


@kernel(per_world=True, exact=True)
def is_flat(reals, marks, b):
    """Whether body b has corners and flat faces only."""
    kind = marks[b * MARKS + KIND]
    polyhedron = kind == mjtGeom.mjGEOM_BOX or kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_HFIELD
    return polyhedron and reals[b * REALS + MARGIN] == 0.0


@kernel(per_world=True, exact=True)
def middle_of(reals, marks, b):
    """A point inside of body b."""
    at = b * REALS
    if marks[b * MARKS + KIND] != mjtGeom.mjGEOM_HFIELD:
        return load(vec3, reals, at + POSITION)
    total = vec3(0.0, 0.0, 0.0)
    for k in range(PRISM_CORNERS):
        total = total + load(vec3, reals, at + CORNERS + 3 * k)
    return total * (1.0 / PRISM_CORNERS)


@kernel(per_world=True, exact=True)
def farthest(m, reals, marks, b, way):
    """The point of body b farthest in a direction; its margin counts as if the direction had unit length."""
    at = b * REALS
    kind = marks[b * MARKS + KIND]
    if kind == mjtGeom.mjGEOM_HFIELD:
        point = prism_corner(reals, at, way)
    elif kind == FLEXIBLE:
        # skin and margin in one, for the last bit
        thickness = 0.5 * reals[at + MARGIN] + reals[at + SIZE]
        return element_corner(reals, at, marks[b * MARKS + MESH], way) + way * thickness
    elif kind == mjtGeom.mjGEOM_SPHERE:
        # a ball is not turned, which shows in the last bit
        point = way * reals[at + SIZE] + load(vec3, reals, at + POSITION)
    else:
        frame = load(mat3, reals, at + FRAME)
        size = load(vec3, reals, at + SIZE)
        point = own_point(m, marks, b, size, frame.T @ way)
        point = frame @ point + load(vec3, reals, at + POSITION)
    if reals[at + MARGIN] > 0.0:
        point = point + way * (0.5 * reals[at + MARGIN])
    return point


@kernel(per_world=True, exact=True)
def own_point(m, marks, b, size, way):
    """The farthest point in the frame of body b."""
    kind = marks[b * MARKS + KIND]
    if kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_SDF:
        return mesh_vertex(m, marks, b, way)
    if kind == mjtGeom.mjGEOM_BOX:
        marks[b * MARKS + CORNER] = where(way.x >= 0.0, 1, 0) + where(way.y >= 0.0, 2, 0) + where(way.z >= 0.0, 4, 0)
        return vec3(signed(size.x, way.x), signed(size.y, way.y), signed(size.z, way.z))
    if kind == mjtGeom.mjGEOM_CYLINDER:
        square = way.x * way.x + way.y * way.y
        scale = 0.0
        if square >= TINY:
            scale = size.x / sqrt(square)
        return vec3(scale * way.x, scale * way.y, signed(size.y, way.z))
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        # on the unit ball that it is the image of
        ball = vec3(way.x * size.x, way.y * size.y, way.z * size.z)
        square = dot(ball, ball)
        if square < TINY:
            return vec3(size.x, 0.0, 0.0)
        scale = 1.0 / sqrt(square)
        return vec3(ball.x * (scale * size.x), ball.y * (scale * size.y), ball.z * (scale * size.z))
    # a ball swept along the axis
    return vec3(0.0, 0.0, signed(size.y, way.z)) + way * size.x


@kernel(per_world=True, exact=True)
def signed(size, way):
    """The end at `size` or at minus that, whichever lies farther in a direction."""
    return where(way >= 0.0, size, -size)


@kernel(per_world=True, exact=True)
def prism_corner(reals, at, way):
    """The farthest corner of a prism: of those below if the direction points down, else of those above."""
    first = where(way.z < 0.0, 0, 3)
    best = first
    for k in range(1, 3):
        corner = load(vec3, reals, at + CORNERS + 3 * (first + k))
        if dot(corner, way) > dot(load(vec3, reals, at + CORNERS + 3 * best), way):
            best = first + k
    return load(vec3, reals, at + CORNERS + 3 * best)


@kernel(per_world=True, exact=True)
def element_corner(reals, at, count, way):
    """The farthest of the corners of an element of a flex."""
    best = 0
    for k in range(1, count):
        if dot(load(vec3, reals, at + CORNERS + 3 * k), way) > dot(load(vec3, reals, at + CORNERS + 3 * best), way):
            best = k
    return load(vec3, reals, at + CORNERS + 3 * best)


@kernel(per_world=True, exact=True)
def mesh_vertex(m, marks, b, way):
    """The farthest vertex of a mesh: by climbing along the edges of its hull, or among all."""
    mesh = marks[b * MARKS + MESH]
    if m.mesh_graphadr[mesh] < 0 or m.mesh_vertnum[mesh] < FEW_VERTICES:
        found = best_vertex(m, mesh, marks[b * MARKS + CORNER], way)
    else:
        start = marks[b * MARKS + START]
        best = climb(m, mesh, where(start < 0, 0, start), LOWEST, way)
        marks[b * MARKS + START] = best
        found = m.mesh_graph[hull_names(m, mesh) + best]
    marks[b * MARKS + CORNER] = found
    return vertex_of(m, mesh, found)
