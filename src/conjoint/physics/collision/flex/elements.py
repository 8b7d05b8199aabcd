"""Elements of flexes as collision shapes: lines, triangles and tetrahedra with a skin."""

from conjoint.lang import abs, kernel, load, vec3
from conjoint.physics.collision.convex.body import FLEXIBLE
from conjoint.physics.collision.nearest_points import nearest_of_edge, nearest_of_triangle


@kernel
def vertex_of_element(m, f, e, k):
    """Return vertex k of element e of flex f, as an index within the flex."""
    return m.flex_elem[m.flex_elemdataadr[f] + e * (m.flex_dim[f] + 1) + k]


@kernel
def corner(m, d, f, e, k):
    """Return the position of vertex k of element e of flex f."""
    return d.flexvert_xpos[m.flex_vertadr[f] + vertex_of_element(m, f, e, k)]


@kernel
def is_active(m, f, e):
    """Return True if element e of flex f can collide: in solids, only elements near the surface can."""
    return m.flex_dim[f] < 3 or m.flex_elemlayer[m.flex_elemadr[f] + e] < m.flex_activelayers[f]


@kernel
def near_box(boxes, box, center, reach):
    """Return True if box number `box` of `boxes` meets another box, given by its center and half sizes."""
    for k in range(3):  # noqa: SIM110
        if abs(center[k] - boxes[box, k]) - boxes[box, 3 + k] > reach[k]:
            return False
    return True


@kernel
def aligned_boxes_meet(boxes, box, others, other, margin):
    """Return True if box number `box` of `boxes` and box number `other` of `others` are within the margin (m)."""
    for k in range(3):
        if abs(others[other, k] - boxes[box, k]) - boxes[box, 3 + k] - others[other, 3 + k] > margin:
            return False
    return True


@kernel(exact=True)
def set_element(m, d, f, e, margin, body):
    """Set a convex body to element e of flex f, inflated by half the margin (m)."""
    count = m.flex_dim[f] + 1
    for k in range(count):
        body.corners[k] = corner(m, d, f, e, k)
    # searches begin in the middle of the element's bounding box, as in MuJoCo
    body.pos = load(vec3, d.flexelem_aabb, (m.flex_elemadr[f] + e, 0))
    body.size = vec3(m.flex_radius[f], 0.0, 0.0)
    body.margin = margin
    body.kind = FLEXIBLE
    body.mesh = count
    body.vertex = -1


@kernel
def nearest_on_segment(p, a, b):
    """Return the point of a segment that is nearest to p."""
    return p + nearest_of_edge(a - p, b - p, 0.0)


@kernel
def nearest_on_element(m, d, f, e, p):
    """Return the point of element e of flex f, a line or a triangle, that is nearest to p."""
    if m.flex_dim[f] == 1:
        return nearest_on_segment(p, corner(m, d, f, e, 0), corner(m, d, f, e, 1))
    a = corner(m, d, f, e, 0) - p
    b = corner(m, d, f, e, 1) - p
    return p + nearest_of_triangle(a, b, corner(m, d, f, e, 2) - p, 0.0)
