"""Penetration depth of two convex bodies by the expanding polytope algorithm (EPA).

A polytope inside the Minkowski difference that contains the origin is expanded at its face nearest to the origin, until
that face is on the surface. See van den Bergen, Collision Detection in Interactive 3D Environments (2003), section
4.3.8.
"""

from conjoint.lang import abs, cross, dot, formula, kernel, local, minimum, norm, sqrt, vec3, where
from conjoint.physics.collision.convex.body import NATIVE, TINY, is_flat
from conjoint.physics.collision.convex.gjk import FARTHEST, areas, blend, find_corner, same_sign, volume
from conjoint.physics.collision.convex.polytope import (
    FACES_MOST,
    NONE,
    TURNS,
    Growth,
    add_face,
    clear,
    count_new,
    list_faces,
    nearest_face,
    replace_visible,
    restart_with,
)
from conjoint.schema.constants import ROUGH, mjMINVAL

TORN = -2
"""Value returned instead of a face number if rounding has torn the polytope open."""

BEGUN = 0
BLOW_UP = 1
FAILED = 2
"""Result of a failed attempt to build an initial polytope.

The other results are `BEGUN` for success, and `BLOW_UP` if the simplex is to be reduced to a triangle.
"""

SIN_120 = 0.86602540378
COS_120 = -0.5
"""Cosine of the angle between the three corners around an edge, with MuJoCo's digits; `SIN_120` is its sine."""


@formula("mat3", "vec3")
def third_of_turn(axis):
    """Return the rotation by 120 degrees about an axis."""
    length = sqrt(dot(axis, axis))
    x, y, z = (part / length for part in axis)
    v = 1.0 - COS_120
    s = SIN_120
    return (
        COS_120 + x * x * v, x * y * v - z * s, x * z * v + y * s,
        y * x * v + z * s, COS_120 + y * y * v, y * z * v - x * s,
        x * z * v - y * s, y * z * v + x * s, COS_120 + z * z * v,
    )  # fmt: skip


@kernel
def unit(way, length):
    """Return the unit vector along `way`, given the length of `way`; the x axis if `way` is too short."""
    if length > mjMINVAL:
        return vec3(way.x / length, way.y / length, way.z / length)
    return vec3(1.0, 0.0, 0.0)


@kernel
def add_corner(m, bodies, polytope, way, length):
    """Add the corner farthest along `way`, given the length of `way`; return the index of the corner."""
    place = polytope.corner_count
    polytope.corner_count = place + 1
    find_corner(m, bodies, polytope.corners[place], unit(way, length), NATIVE)
    return place


@kernel
def begin(m, bodies, polytope, count):
    """Build the initial polytope from a simplex of 2 to 4 corners; return False if it cannot contain the origin.

    If the origin is on a face, that face is expanded to both sides instead.
    """
    clear(polytope, count)
    answer = BLOW_UP
    if count == 2:
        answer = begin_with_edge(m, bodies, polytope)
    elif count == 4:
        answer = begin_with_tetrahedron(m, polytope)
    if answer == BLOW_UP:
        answer = begin_with_triangle(m, bodies, polytope)
    list_faces(polytope, 0, 0.0, FARTHEST)
    return answer == BEGUN


@kernel
def add_double_pyramid(polytope, top, bottom, first):
    """Add six faces, from each side of a triangle to each of two corners, `top` and `bottom`.

    The triangle consists of three consecutive corners, starting at index `first`.

    Returns:
        the number of the first face that contains the origin, or -1.
    """
    for face in range(6):
        k = face % 3
        a = first + where(k == 0, 0, 3 - k)
        b = first + where(k == 0, 1, where(k == 1, 0, 2))
        if face < 3:
            square = add_face(polytope, top, a, b, 4 * ((k + 1) % 3) + 2, 4 * (3 + k) + 1, 4 * ((k + 2) % 3))
        else:
            square = add_face(polytope, bottom, b, a, 4 * (3 + (k + 2) % 3) + 2, 4 * k + 1, 4 * (3 + (k + 1) % 3))
        if square < TINY:
            return face
    return NONE


@kernel
def begin_with_edge(m, bodies, polytope):
    """Build the initial polytope from an edge and three corners around it; see `FAILED` for the result.

    The three corners are 120 degrees apart.
    """
    corners = polytope.corners
    edge = corners[1].point - corners[0].point
    # perpendicular to the edge and to the coordinate axis that is most perpendicular to the edge
    way = vec3(0.0, -edge.z, edge.y)
    if abs(edge.y) < abs(edge.x) and abs(edge.y) <= abs(edge.z):
        way = vec3(edge.z, 0.0, -edge.x)
    if abs(edge.z) < abs(edge.x) and abs(edge.z) < abs(edge.y):
        way = vec3(-edge.y, edge.x, 0.0)
    turn = third_of_turn(edge)
    for _ in range(3):
        add_corner(m, bodies, polytope, way, norm(way))
        way = turn @ way
    face = add_double_pyramid(polytope, 0, 1, 2)
    if face != NONE:
        restart_with(polytope, polytope.faces[face])
        return BLOW_UP
    # the edge must pass through the triangle of the three new corners
    p = corners[2].point - corners[0].point
    q = corners[3].point - corners[0].point
    r = corners[4].point - corners[0].point
    one = volume(p, q, edge)
    two = volume(q, r, edge)
    three = volume(r, p, edge)
    between = one >= 0.0 and two >= 0.0 and three >= 0.0
    if between or (one <= 0.0 and two <= 0.0 and three <= 0.0):
        return BEGUN
    return FAILED


@kernel
def begin_with_triangle(m, bodies, polytope):
    """Build the initial polytope from a triangle and corners above and below it; see `FAILED` for the result."""
    corners = polytope.corners
    normal = cross(corners[1].point - corners[0].point, corners[2].point - corners[0].point)
    if norm(normal) < mjMINVAL:
        return FAILED
    polytope.corner_count = 3
    below = add_corner(m, bodies, polytope, -normal, norm(normal))
    above = add_corner(m, bodies, polytope, normal, norm(normal))
    if is_in_triangle(corners, above) or is_in_triangle(corners, below):
        return FAILED
    if add_double_pyramid(polytope, above, below, 0) != NONE:
        return FAILED
    return BEGUN


@kernel
def is_in_triangle(corners, corner):
    """Return True if a corner is inside the triangle of the first three corners."""
    x = corners[corner].point
    whole, parts = areas(x, corners[0].point, corners[1].point, corners[2].point)
    weights = vec3(parts.x / whole, parts.y / whole, parts.z / whole)
    if weights.x < 0.0 or weights.y < 0.0 or weights.z < 0.0:
        return False
    return norm(blend(corners[0].point, corners[1].point, corners[2].point, weights) - x) < mjMINVAL


@kernel
def begin_with_tetrahedron(m, polytope):
    """Use a tetrahedron as the initial polytope if the origin is certainly inside; see `FAILED` for the result."""
    corners = polytope.corners
    least = where(m.epsilon > ROUGH, m.epsilon * m.epsilon, TINY)
    for k in range(4):
        a = where(k < 3, 0, 3)
        b = where(k == 0, 1, where(k == 1, 3, 2))
        c = where(k == 0, 2, where(k == 2, 3, 1))
        # a side number is four times its face number, plus its index within the face
        ab = where(k == 0, 6, where(k == 1, 10, where(k == 2, 2, 9)))
        bc = where(k == 0, 13, where(k == 1, 14, where(k == 2, 12, 1)))
        ca = where(k == 0, 8, where(k == 1, 0, where(k == 2, 4, 5)))
        if add_face(polytope, a, b, c, ab, bc, ca) < least:
            restart_with(polytope, polytope.faces[k])
            return BLOW_UP
    for k in range(4):
        b = (k + 1) % 4
        c = (k + 2) % 4
        opposite = (k + 3) % 4
        if not is_same_side(corners[k].point, corners[b].point, corners[c].point, corners[opposite].point):
            return FAILED
    return BEGUN


@kernel
def is_same_side(p, q, r, s):
    """Return True if s and the origin are on the same side of the plane through p, q, r."""
    normal = cross(q - p, r - p)
    return same_sign(dot(normal, s - p), dot(normal, -p))


@kernel
def is_around(m, polytope):
    """Return True if the initial polytope certainly contains the origin, because no face separates it from the center.

    If a face is nearer to the origin than the tolerance, this is not certain.
    """
    middle = vec3(0.0, 0.0, 0.0)
    for k in range(polytope.corner_count):
        middle = middle + polytope.corners[k].point
    middle = middle * (1.0 / polytope.corner_count)
    around = True
    for k in range(polytope.face_count):
        face = polytope.faces[k]
        near = face.square < m.opt.ccd_tolerance * m.opt.ccd_tolerance
        if near or dot(face.foot, middle) > face.square:
            around = False
    return around


@kernel
def expand(m, bodies, polytope):
    """Expand a polytope to the surface of the Minkowski difference; return its nearest face, or -1 on failure."""
    flat = is_flat(bodies[0]) and is_flat(bodies[1])
    # in single precision, rounding often stops the expansion: then the best face so far is returned
    rough = m.epsilon > ROUGH
    tolerance = where(flat, mjMINVAL, m.opt.ccd_tolerance) + where(rough, m.epsilon, 0.0)
    upper = FARTHEST
    best = NONE
    found, square = nearest_face(polytope)
    for _ in range(minimum(m.opt.ccd_iterations, TURNS)):
        if found == NONE or square > upper * upper:
            break
        best = found
        foot = polytope.faces[best].foot
        if square <= 0.0:
            break
        lower = sqrt(square)
        corner = add_corner(m, bodies, polytope, foot, lower)
        eye = polytope.corners[corner].point
        upper = minimum(upper, dot(foot, eye) / lower)
        if upper - lower < tolerance or (flat and is_repeated(polytope.corners, corner)):
            break
        found, square = grow(polytope, best, corner, lower * lower, upper * upper)
        if found == TORN:
            return where(rough, best, NONE)
    return best


@kernel(one_by_one="worlds together run at 0.84 (meshes, cube_3x3x3), 0.87 (cylinders) of the speed: faces differ")
def grow(polytope, face, corner, lower, upper):
    """Replace the faces that are visible from a new corner.

    Args:
        polytope: see `polytope`.
        face: number of the nearest face, which is visible from the corner.
        corner: index of the corner.
        lower, upper: limits of the squared distance of a candidate face.

    Returns:
        the nearest face, or `NONE` if there is none or the capacity is exhausted, or `TORN` if the new faces do not
        close the polytope; its squared distance.
    """
    waiting = local(int, FACES_MOST)
    growth = Growth(corner, polytope.corners[corner].point, lower, upper)
    sides, sound, new, new_square = replace_visible(polytope, face, growth, waiting)
    if sides < 3:
        return TORN, 0.0
    first = polytope.face_count
    if sides > FACES_MOST - first:
        return NONE, 0.0
    if not sound:
        return TORN, 0.0
    count_new(polytope, sides)
    found, square = nearest_face(polytope)
    found = where(new_square < square, new, found)
    square = minimum(new_square, square)
    list_faces(polytope, first, lower, upper)
    return found, square


@kernel
def is_repeated(corners, corner):
    """Return True if one of the earlier corners has the same vertices of both bodies as a given corner."""
    found = False
    for k in range(corner):
        same = corners[k].vertex[0] == corners[corner].vertex[0]
        if same and corners[k].vertex[1] == corners[corner].vertex[1]:
            found = True
    return found


@kernel
def set_ends(bodies, polytope, face, ends):
    """Set `ends` to the point of each body that is deepest in the other one, from the polytope's nearest face.

    The corners of that face are recorded in the bodies.
    """
    p = polytope.corners[face.corners[0]]
    q = polytope.corners[face.corners[1]]
    r = polytope.corners[face.corners[2]]
    whole, parts = areas(face.foot, p.point, q.point, r.point)
    weights = vec3(parts.x / whole, parts.y / whole, parts.z / whole)
    for k in range(2):
        ends[k] = blend(p.on[k], q.on[k], r.on[k], weights)
        for i in range(3):
            corner = polytope.corners[face.corners[i]]
            bodies[k].deepest[i] = corner.on[k]
            bodies[k].deepest_vertex[i] = corner.vertex[k]
