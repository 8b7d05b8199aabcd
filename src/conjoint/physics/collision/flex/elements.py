"""Elements of flexes as shapes that collide: lines, triangles and tetrahedra with a skin."""

from conjoint.lang import abs, dot, kernel, load, maximum, norm, put, vec3
from conjoint.physics.collision.convex.body import (
    CORNER,
    CORNERS,
    FLEXIBLE,
    KIND,
    MARGIN,
    MARKS,
    MESH,
    POSITION,
    REALS,
    SIZE,
)
from conjoint.physics.flex.kinematics import high_corner, low_corner


@kernel
def vertex_of_element(m, f, e, k):
    """Vertex k of element e of flex f, counted in its flex."""
    return m.flex_elem[m.flex_elemdataadr[f] + e * (m.flex_dim[f] + 1) + k]


@kernel
def corner(m, d, f, e, k):
    """Where vertex k of element e of flex f is."""
    return d.flexvert_xpos[m.flex_vertadr[f] + vertex_of_element(m, f, e, k)]


@kernel
def is_active(m, f, e):
    """Whether element e of flex f collides: of solids only those near the surface do."""
    return m.flex_dim[f] < 3 or m.flex_elemlayer[m.flex_elemadr[f] + e] < m.flex_activelayers[f]


@kernel(per_world=True)
def near_box(boxes, box, center, reach):
    """Whether a ball meets a box."""
    low = low_corner(boxes, box)
    high = high_corner(boxes, box)
    square = 0.0
    for k in range(3):
        if center[k] < low[k]:
            square += (low[k] - center[k]) * (low[k] - center[k])
        elif center[k] > high[k]:
            square += (center[k] - high[k]) * (center[k] - high[k])
    return square <= reach * reach


@kernel(per_world=True)
def boxes_meet(boxes, box, others, other, margin):
    """Whether two boxes are within the margin (m)."""
    between = load(vec3, others, (other, 0)) - load(vec3, boxes, (box, 0))
    reach = load(vec3, others, (other, 3)) + load(vec3, boxes, (box, 3))
    gap = maximum(abs(between.x) - reach.x, maximum(abs(between.y) - reach.y, abs(between.z) - reach.z))
    return gap <= margin


@kernel(per_world=True, exact=True)
def set_element(m, d, f, e, margin, reals, marks, b):
    """Convex body b is element e of flex f, and half the margin (m) thicker."""
    at = b * REALS
    count = m.flex_dim[f] + 1
    for k in range(count):
        put(reals, at + CORNERS + 3 * k, corner(m, d, f, e, k))
    # searches begin in the middle of its box, as in the official engine
    put(reals, at + POSITION, load(vec3, d.flexelem_aabb, (m.flex_elemadr[f] + e, 0)))
    reals[at + SIZE] = m.flex_radius[f]
    reals[at + MARGIN] = margin
    marks[b * MARKS + KIND] = FLEXIBLE
    marks[b * MARKS + MESH] = count
    marks[b * MARKS + CORNER] = -1


@kernel(per_world=True)
def nearest_on_segment(p, a, b):
    """The point of a segment that is nearest to p."""
    way = b - a
    square = dot(way, way)
    if square <= 0.0:
        return a
    place = dot(p - a, way) / square
    if place <= 0.0:
        return a
    if place >= 1.0:
        return b
    return a + way * place


@kernel(per_world=True)
def nearest_on_triangle(p, a, b, c):
    """The point of a triangle that is nearest to p (Ericson, Real-Time Collision Detection, 2005, section 5.1.5)."""
    u = b - a
    v = c - a
    w = p - a
    # barycentric coordinates of the foot on the plane
    uu = dot(u, u)
    uv = dot(u, v)
    vv = dot(v, v)
    det = uu * vv - uv * uv
    if det > 0.0:
        s = (vv * dot(u, w) - uv * dot(v, w)) / det
        t = (uu * dot(v, w) - uv * dot(u, w)) / det
        if s >= 0.0 and t >= 0.0 and s + t <= 1.0:
            return a + u * s + v * t
    # beyond a side: the nearest of the points nearest on the sides
    best = nearest_on_segment(p, a, b)
    other = nearest_on_segment(p, b, c)
    if norm(p - other) < norm(p - best):
        best = other
    other = nearest_on_segment(p, c, a)
    if norm(p - other) < norm(p - best):
        best = other
    return best
