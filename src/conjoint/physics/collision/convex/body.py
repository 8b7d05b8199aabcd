"""Convex bodies and their support points, which are the points farthest in a direction.

Collision detection needs no other information about a shape. Bodies are structs in memory, so that they can be shrunk
or rotated, and can represent prisms of height fields or elements of flexes.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, dot, kernel, mat3, maximum, real, sqrt, struct, uniform, vec3, where
from conjoint.physics.collision.hull import FEW_VERTICES, VertexSearch, farthest_vertex, vertex_of
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

PRISM_CORNERS = 6
"""Number of corners of a height-field prism: three of the base, then the three above them."""


@struct
def Body(
    kind=uniform(int),
    mesh=uniform(int),
    pos=vec3,
    frame=mat3,
    size=vec3,
    margin=real,
    corners=(vec3, PRISM_CORNERS),
    hint=int,
    vertex=int,
    deepest=(vec3, 3),
    deepest_vertex=(int, 3),
    away=vec3,
):
    """A convex body: type (mjtGeom), mesh, pose, size, margin, and the corners of a prism or a flex element.

    The last search for a support point found the corner with index `vertex`, and stored a `hint` for the next search.
    The point of the body that is deepest in another body, or nearest to it, is between up to three corners, stored in
    `deepest` and `deepest_vertex`. If two bodies are apart, the first one stores the separating direction in `away`.
    """


FLEXIBLE = int(mjtGeom.mjGEOM_FLEX)
"""Type of a flex element as a body; `mesh` is then its number of corners, and `size.x` the radius of its skin."""

TINY = mjMINVAL * mjMINVAL


@kernel
def set_geom(m, d, g, margin, body):
    """Set a convex body to the shape and pose of geom g, inflated by half of `margin` (m)."""
    body.pos = d.geom_xpos[g]
    body.frame = d.geom_xmat[g]
    body.size = m.geom_size[g]
    body.margin = margin
    body.kind = m.geom_type[g]
    body.mesh = m.geom_dataid[g]
    body.hint = -1
    body.vertex = -1
    body.away = vec3(0.0, 0.0, 0.0)


@kernel
def set_geoms(m, d, g1, g2, margin, bodies):
    """Set two convex bodies to two geoms, each inflated by half of `margin` (m)."""
    set_geom(m, d, g1, margin, bodies[0])
    set_geom(m, d, g2, margin, bodies[1])


@kernel
def is_flat(body):
    """Return True if a body has only corners and flat faces."""
    kind = body.kind
    polyhedron = kind == mjtGeom.mjGEOM_BOX or kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_HFIELD
    return polyhedron and body.margin == 0.0


@kernel
def middle_of(body):
    """Return an interior point of a body."""
    if body.kind != mjtGeom.mjGEOM_HFIELD:
        return body.pos
    total = vec3(0.0, 0.0, 0.0)
    for k in range(PRISM_CORNERS):
        total = total + body.corners[k]
    return total * (1.0 / PRISM_CORNERS)


@kernel
def set_middles(bodies, points):
    """Set `points` to one interior point of each body."""
    for b in range(2):
        points[b] = middle_of(bodies[b])


# ---- support points


@kernel
def signed(size, way):
    """Return `size` or -`size`, whichever is farther along `way`."""
    return where(way >= 0.0, size, -size)


@kernel
def primitive_support(kind, size, way):
    """Return the support point of a sphere, capsule, ellipsoid, cylinder or box in its own frame."""
    if kind == mjtGeom.mjGEOM_SPHERE:
        return way * size.x
    if kind == mjtGeom.mjGEOM_BOX:
        return vec3(signed(size.x, way.x), signed(size.y, way.y), signed(size.z, way.z))
    if kind == mjtGeom.mjGEOM_CYLINDER:
        square = way.x * way.x + way.y * way.y
        scale = where(square >= TINY, size.x, 0.0) / sqrt(maximum(square, TINY))
        return vec3(scale * way.x, scale * way.y, signed(size.y, way.z))
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        # support point on the unit ball, whose image is the ellipsoid
        ball = vec3(way.x * size.x, way.y * size.y, way.z * size.z)
        square = dot(ball, ball)
        scale = 1.0 / sqrt(maximum(square, TINY))
        point = vec3(ball.x * (scale * size.x), ball.y * (scale * size.y), ball.z * (scale * size.z))
        return where(square < TINY, vec3(size.x, 0.0, 0.0), point)
    # a capsule is a ball swept along its axis
    return vec3(0.0, 0.0, signed(size.y, way.z)) + way * size.x


@dataclass(frozen=True)
class Support(Group):
    """Conventions for computing support points, which determine tie-breaking and rounding."""

    primitive: Kernel
    vertices: VertexSearch
    turned: bool = False


NATIVE = Support(primitive_support, VertexSearch(few=FEW_VERTICES, stays=False))
"""Support point conventions of GJK and EPA, which climb from vertex to vertex on meshes with many vertices."""

EXHAUSTIVE = Support(primitive_support, VertexSearch(few=1 << 30, stays=False))
"""Support point conventions of sensors, which test all vertices of a mesh."""


@kernel
def support(m, body, way, rules):
    """Find the support point of a body, the point farthest along a unit vector; `rules` is a `Support`."""
    kind = body.kind
    if kind == mjtGeom.mjGEOM_HFIELD:
        point = prism_corner(body, way)
    elif kind == FLEXIBLE:
        # skin and margin are added first, because the last bit depends on the order
        thickness = 0.5 * body.margin + body.size.x
        return element_corner(body, way) + way * thickness
    elif kind == mjtGeom.mjGEOM_SPHERE and not rules.turned:
        # a ball is not rotated, because rotation would change the last bit
        point = way * body.size.x + body.pos
    else:
        own_way = body.frame.T @ way
        own, vertex, hint = shape_support(m, body, own_way, body.hint, rules)
        body.vertex = vertex
        body.hint = hint
        if rules.turned:
            return body.frame @ (own + own_way * body.margin * 0.5) + body.pos
        point = body.frame @ own + body.pos
    if body.margin > 0.0 and not rules.turned:
        point = point + way * (0.5 * body.margin)
    return point


@kernel
def shape_support(m, shape, way, hint, rules):
    """Find the support point of a convex shape in its own frame.

    Args:
        m: model, for its meshes.
        shape: any struct with fields `kind` (type), `size` and `mesh`, such as a `Body`.
        way: unit vector of the direction, in the frame of the shape.
        hint: hint that the previous search returned; -1 for the first search.
        rules: a `Support`.

    Returns:
        the point; its index among the corners of a box or mesh, -1 for other shapes; the hint for the next search.
    """
    if shape.kind == mjtGeom.mjGEOM_MESH or shape.kind == mjtGeom.mjGEOM_SDF:
        vertex, hint = farthest_vertex(m, shape.mesh, way, hint, rules.vertices)
        return vertex_of(m, shape.mesh, vertex), vertex, hint
    corner = -1
    if shape.kind == mjtGeom.mjGEOM_BOX:
        corner = where(way.x >= 0.0, 1, 0) + where(way.y >= 0.0, 2, 0) + where(way.z >= 0.0, 4, 0)
    return rules.primitive(shape.kind, shape.size, way), corner, hint


@kernel
def prism_corner(body, way):
    """Return the prism corner that is farthest along a direction, on the base if it points down, else on the top."""
    best = prism_side(body, way, 0)
    for k in range(1, 3):
        corner = prism_side(body, way, k)
        if dot(corner, way) > dot(best, way):
            best = corner
    return best


@kernel
def prism_side(body, way, k):
    """Return corner k of the base of a prism if a direction points down, else the corner above it."""
    corner = body.corners[3 + k]
    if way.z < 0.0:
        corner = body.corners[k]
    return corner


@kernel
def element_corner(body, way):
    """Return the corner of a flex element that is farthest along `way`."""
    best = body.corners[0]
    for k in range(1, body.mesh):
        if dot(body.corners[k], way) > dot(best, way):
            best = body.corners[k]
    return best
