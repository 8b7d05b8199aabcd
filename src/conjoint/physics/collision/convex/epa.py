"""How deep two convex bodies overlap: the expanding polytope algorithm.

A polytope inside of the Minkowski difference that contains the origin is grown, at its face nearest to the origin,
until that face lies on the surface. Van den Bergen, Collision Detection in Interactive 3D Environments (2003), section
4.3.8.
"""

from conjoint.lang import abs, cross, dot, formula, kernel, local, minimum, put, sqrt, vec3, where
from conjoint.physics.collision.convex.body import DEEPEST, DEEPEST_CORNER, MARKS, REALS, TINY, is_flat
from conjoint.physics.collision.convex.gjk import ROUGH, find_corner
from conjoint.physics.collision.convex.polytope import (
    ACROSS,
    CORNER_COUNT,
    COUNTS,
    FACE,
    FACE_COUNT,
    FACES_MOST,
    LISTED_COUNT,
    TURNS,
    add_face,
    corner_of_face,
    list_face,
    nearest_face,
    remove_visible,
    restart_with,
)
from conjoint.physics.collision.convex.simplex import FARTHEST, areas, blend, same_sign, volume
from conjoint.schema.constants import mjMINVAL

NONE = -1
"""No face."""

BEGUN = 0
BLOW_UP = 1
FAILED = 2
"""What became of a first polytope."""

SIN_120 = 0.86602540378
COS_120 = -0.5
"""Of the angle between the corners around an edge, in the digits of the official engine."""


@formula("mat3", "vec3")
def third_of_turn(axis):
    """The rotation by 120 degrees about an axis."""
    length = sqrt(dot(axis, axis))
    x, y, z = (part / length for part in axis)
    v = 1.0 - COS_120
    s = SIN_120
    return (
        COS_120 + x * x * v, x * y * v - z * s, x * z * v + y * s,
        y * x * v + z * s, COS_120 + y * y * v, y * z * v - x * s,
        x * z * v - y * s, y * z * v + x * s, COS_120 + z * z * v,
    )  # fmt: skip


@kernel(per_world=True, exact=True)
def unit(way):
    """A unit vector along `way`; the x axis if that is too short."""
    length = sqrt(dot(way, way))
    if length > mjMINVAL:
        return vec3(way.x / length, way.y / length, way.z / length)
    return vec3(1.0, 0.0, 0.0)


@kernel(per_world=True, exact=True)
def add_corner(m, reals, marks, points, names, counts, way):
    """Add the corner farthest along `way`, of any length; its number."""
    place = counts[CORNER_COUNT]
    counts[CORNER_COUNT] = place + 1
    find_corner(m, reals, marks, points, names, place, unit(way))
    return place


@kernel(per_world=True, exact=True)
def begin(m, reals, marks, points, names, faces, feet, squares, counts, count):
    """Make a first polytope of a simplex of 2 to 4 corners; whether one is that contains the origin.

    Where the origin lies on one of its faces, that is blown up to both sides instead.
    """
    for k in range(COUNTS):
        counts[k] = 0
    counts[CORNER_COUNT] = count
    answer = BLOW_UP
    if count == 2:
        answer = begin_with_edge(m, reals, marks, points, names, faces, feet, squares, counts)
    elif count == 4:
        answer = begin_with_tetrahedron(m, points, names, faces, feet, squares, counts)
    if answer == BLOW_UP:
        answer = begin_with_triangle(m, reals, marks, points, names, faces, feet, squares, counts)
    for k in range(counts[FACE_COUNT]):
        list_face(faces, counts, k)
    return answer == BEGUN


@kernel(per_world=True, exact=True)
def add_double_pyramid(points, faces, feet, squares, counts, top, bottom, first, second, third):
    """Add six faces: from a triangle to a corner on each side; number of the first that contains the origin, or -1."""
    for k in range(3):
        a = where(k == 0, first, where(k == 1, third, second))
        b = where(k == 0, second, where(k == 1, first, third))
        square = add_face(points, faces, feet, squares, counts, top, a, b, (k + 1) % 3, 3 + k, (k + 2) % 3)
        if square < TINY:
            return k
    for k in range(3):
        a = where(k == 0, first, where(k == 1, third, second))
        b = where(k == 0, second, where(k == 1, first, third))
        square = add_face(points, faces, feet, squares, counts, bottom, b, a, 3 + (k + 2) % 3, k, 3 + (k + 1) % 3)
        if square < TINY:
            return 3 + k
    return NONE


@kernel(per_world=True, exact=True)
def keep_only_face(points, names, faces, counts, face):
    """Begin anew with the corners of a face."""
    at = FACE * face
    restart_with(points, names, counts, faces[at], faces[at + 1], faces[at + 2])
    return BLOW_UP


@kernel(per_world=True, exact=True)
def begin_with_edge(m, reals, marks, points, names, faces, feet, squares, counts):
    """Three corners around an edge, 120 degrees apart."""
    edge = points[3] - points[0]
    # perpendicular to it and to the axis that it is most perpendicular to
    way = vec3(0.0, -edge.z, edge.y)
    if abs(edge.y) < abs(edge.x) and abs(edge.y) <= abs(edge.z):
        way = vec3(edge.z, 0.0, -edge.x)
    if abs(edge.z) < abs(edge.x) and abs(edge.z) < abs(edge.y):
        way = vec3(-edge.y, edge.x, 0.0)
    turn = third_of_turn(edge)
    for _ in range(3):
        add_corner(m, reals, marks, points, names, counts, way)
        way = turn @ way
    face = add_double_pyramid(points, faces, feet, squares, counts, 0, 1, 2, 3, 4)
    if face != NONE:
        return keep_only_face(points, names, faces, counts, face)
    # the edge must pass between the three
    p = points[6] - points[0]
    q = points[9] - points[0]
    r = points[12] - points[0]
    one = volume(p, q, edge)
    two = volume(q, r, edge)
    three = volume(r, p, edge)
    between = one >= 0.0 and two >= 0.0 and three >= 0.0
    if between or (one <= 0.0 and two <= 0.0 and three <= 0.0):
        return BEGUN
    return FAILED


@kernel(per_world=True, exact=True)
def begin_with_triangle(m, reals, marks, points, names, faces, feet, squares, counts):
    """A corner on each side of a triangle."""
    normal = cross(points[3] - points[0], points[6] - points[0])
    if sqrt(dot(normal, normal)) < mjMINVAL:
        return FAILED
    counts[CORNER_COUNT] = 3
    below = add_corner(m, reals, marks, points, names, counts, -normal)
    above = add_corner(m, reals, marks, points, names, counts, normal)
    if is_in_triangle(points, above) or is_in_triangle(points, below):
        return FAILED
    if add_double_pyramid(points, faces, feet, squares, counts, above, below, 0, 1, 2) != NONE:
        return FAILED
    return BEGUN


@kernel(per_world=True, exact=True)
def is_in_triangle(points, corner):
    """Whether a corner lies in the triangle of the first three."""
    x = points[3 * corner]
    whole, a, b, c = areas(x, points[0], points[3], points[6])
    if a / whole < 0.0 or b / whole < 0.0 or c / whole < 0.0:
        return False
    beside = blend(points[0], points[3], points[6], a / whole, b / whole, c / whole) - x
    return sqrt(dot(beside, beside)) < mjMINVAL


@kernel(per_world=True, exact=True)
def begin_with_tetrahedron(m, points, names, faces, feet, squares, counts):
    """The simplex itself, if the origin is surely inside."""
    least = where(m.epsilon > ROUGH, m.epsilon * m.epsilon, TINY)
    for k in range(4):
        a = where(k < 3, 0, 3)
        b = where(k == 0, 1, where(k == 1, 3, 2))
        c = where(k == 0, 2, where(k == 2, 3, 1))
        ab = where(k == 0, 1, where(k == 2, 0, 2))
        bc = where(k < 3, 3, 0)
        ca = where(k == 0, 2, where(k == 1, 0, 1))
        square = add_face(points, faces, feet, squares, counts, a, b, c, ab, bc, ca)
        if square < least:
            return keep_only_face(points, names, faces, counts, k)
    for k in range(4):
        b = (k + 1) % 4
        c = (k + 2) % 4
        opposite = (k + 3) % 4
        if not is_same_side(points[3 * k], points[3 * b], points[3 * c], points[3 * opposite]):
            return FAILED
    return BEGUN


@kernel(per_world=True, exact=True)
def is_same_side(p, q, r, s):
    """Whether s and the origin lie on the same side of the plane through p, q, r."""
    normal = cross(q - p, r - p)
    return same_sign(dot(normal, s - p), dot(normal, -p))


@kernel(per_world=True, exact=True)
def is_around(m, points, feet, squares, counts):
    """Whether a first polytope is surely around the origin: all its faces lie between that and the polytope's middle.

    Faces that pass by the origin at less than the tolerance do not tell.
    """
    middle = vec3(0.0, 0.0, 0.0)
    for k in range(counts[CORNER_COUNT]):
        middle = middle + points[3 * k]
    middle = middle * (1.0 / counts[CORNER_COUNT])
    around = True
    for face in range(counts[FACE_COUNT]):
        near = squares[face] < m.opt.ccd_tolerance * m.opt.ccd_tolerance
        if near or dot(feet[face], middle) > squares[face]:
            around = False
    return around


@kernel(per_world=True, exact=True)
def expand(m, reals, marks, points, names, faces, feet, squares, counts):
    """Grow a polytope until it tells how deep the bodies overlap; the face that does, or -1."""
    waiting = local(int, FACES_MOST)
    horizon = local(int, FACES_MOST)
    flat = is_flat(reals, marks, 0) and is_flat(reals, marks, 1)
    # in single precision, where rounding often stops the growth, what was found so far is better than nothing
    rough = m.epsilon > ROUGH
    tolerance = where(flat, mjMINVAL, m.opt.ccd_tolerance) + where(rough, m.epsilon, 0.0)
    upper = FARTHEST
    face = NONE
    for _ in range(minimum(m.opt.ccd_iterations, TURNS)):
        found = nearest_face(faces, squares, counts, FARTHEST)
        if found == NONE or squares[found] > upper * upper:
            break
        face = found
        if squares[face] <= 0.0:
            break
        lower = sqrt(squares[face])
        corner = add_corner(m, reals, marks, points, names, counts, feet[face])
        upper = minimum(upper, dot(feet[face], points[3 * corner]) / lower)
        if upper - lower < tolerance or (flat and is_repeated(names, corner)):
            break
        sides = remove_visible(faces, feet, squares, counts, face, points[3 * corner], waiting, horizon)
        if sides < 3:
            return where(rough, face, NONE)
        if sides > FACES_MOST - counts[FACE_COUNT]:
            break
        if not close(points, faces, feet, squares, counts, corner, horizon, sides, lower * lower, upper * upper):
            return where(rough, face, NONE)
        if counts[LISTED_COUNT] == 0:
            break
    return face


@kernel(per_world=True, exact=True)
def is_repeated(names, corner):
    """Whether one of the earlier corners of two flat bodies is the same."""
    found = False
    for k in range(corner):
        if names[2 * k] == names[2 * corner] and names[2 * k + 1] == names[2 * corner + 1]:
            found = True
    return found


@kernel(per_world=True, exact=True)
def close(points, faces, feet, squares, counts, corner, horizon, sides, lower, upper):
    """Join a corner to all sides of the horizon; those faces are listed whose square distance may be the answer.

    Returns:
        False if a face has no plane.
    """
    first = counts[FACE_COUNT]
    for k in range(sides):
        outer = horizon[k] // 3
        side = horizon[k] % 3
        a = faces[FACE * outer + side]
        b = faces[FACE * outer + (side + 1) % 3]
        faces[FACE * outer + ACROSS + side] = first + k
        before = first + (k + sides - 1) % sides
        after = first + (k + 1) % sides
        square = add_face(points, faces, feet, squares, counts, corner, b, a, before, outer, after)
        if square == 0.0:
            return False
        if square >= lower and square <= upper:
            list_face(faces, counts, first + k)
    return True


@kernel(per_world=True, exact=True)
def set_ends(reals, marks, points, names, faces, feet, face, ends):
    """The points of the bodies that are deepest in the other, from the face of the polytope that tells.

    The corners of that face are noted with the bodies.
    """
    p = corner_of_face(points, faces, face, 0, 0)
    q = corner_of_face(points, faces, face, 1, 0)
    r = corner_of_face(points, faces, face, 2, 0)
    whole, a, b, c = areas(feet[face], p, q, r)
    for k in range(2):
        p = corner_of_face(points, faces, face, 0, 1 + k)
        q = corner_of_face(points, faces, face, 1, 1 + k)
        r = corner_of_face(points, faces, face, 2, 1 + k)
        ends[k] = blend(p, q, r, a / whole, b / whole, c / whole)
        for i in range(3):
            corner = faces[FACE * face + i]
            put(reals, k * REALS + DEEPEST + 3 * i, points[3 * corner + 1 + k])
            marks[k * MARKS + DEEPEST_CORNER + i] = names[2 * corner + k]
