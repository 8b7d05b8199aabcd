"""Distance of two convex bodies, or whether they overlap: the algorithm of Gilbert, Johnson and Keerthi.

Everything happens in the Minkowski difference, the points of the first body minus those of the second: its distance
from the origin is that of the bodies.

Gilbert, Johnson & Keerthi, IEEE Journal of Robotics and Automation 4 (1988); the simplex is reduced as Montanari et al.
(2017) do; the search ends by the duality gap of Frank & Wolfe. Where only overlap matters and a tetrahedron is found,
it is moved towards the origin face by face, and no distance measured any more.
"""

from conjoint.lang import abs, cross, dot, kernel, local, maximum, real, sqrt, struct, vec3, where
from conjoint.physics.collision.convex.body import NATIVE, TINY, is_flat, support
from conjoint.physics.collision.convex.simplex import FARTHEST, weigh_simplex
from conjoint.schema.constants import ROUGH, mjMAXVAL, mjMINVAL
from conjoint.schema.semantics import EDITION_4

APART = 0
OVERLAP = 1
UNDECIDED = 2
"""Answers to whether the origin is in the difference."""

LOST = -1
"""Number of corners of a simplex that rounding has left without any."""

SPARE = 4
"""Where the corners lie with which that is tried, behind those of the simplex."""


@struct
def Corner(point=vec3, on=(vec3, 2), vertex=(int, 2)):
    """A corner of the difference, the points of both bodies that it comes from, and which corners of flat bodies these
    are."""


@kernel
def find_corner(m, bodies, corner, way, rules):
    """The corner of the difference that is farthest in a direction; `rules` are those of support points."""
    first = support(m, bodies[0], way, rules)
    second = support(m, bodies[1], -way, rules)
    corner.point = first - second
    corner.on[0] = first
    corner.on[1] = second
    corner.vertex[0] = bodies[0].vertex
    corner.vertex[1] = bodies[1].vertex


@kernel
def mean_point(corners, weights, count):
    """Weighted mean of the first corners."""
    x = corners[0].point * weights[0]
    for k in range(1, count):
        x = x + corners[k].point * weights[k]
    return x


@kernel
def reduce_simplex(corners, count, weights):
    """Weigh the corners of a simplex, and keep those whose weights are not zero; how many."""
    for k in range(4):
        weights[k] = 0.0
    weigh_simplex(corners, count, weights)
    count = 0
    for k in range(4):
        if weights[k] != 0.0:
            if count < k:
                corners[count] = corners[k]
                weights[count] = weights[k]
            count += 1
    return count


@kernel
def is_equal(p, q):
    """Whether two points are the same, but for rounding."""
    return abs(p.x - q.x) < mjMINVAL and abs(p.y - q.y) < mjMINVAL and abs(p.z - q.z) < mjMINVAL


@kernel
def least_gain(m, flat, square):
    """Gain on the square of a distance with which the search for a smaller one ends."""
    gain = 0.5 * m.opt.ccd_tolerance * m.opt.ccd_tolerance
    if flat:
        # flat bodies are done after a finite number of corners
        gain = 0.0
    return maximum(gain, where(m.epsilon > ROUGH, m.epsilon * square, 0.0))


@kernel
def approach(m, bodies, corners, ends, cutoff):
    """Search for the points of two bodies that are nearest to each other.

    Args:
        m: model, for its meshes and tolerances.
        bodies: two of them, see `body`.
        corners: receives those of the simplex.
        ends: points inside of the bodies, from which the search starts; receives the nearest points.
        cutoff: distance (m) beyond which nothing need be known; 0: only overlap matters.

    Returns:
        the distance, 0 if the bodies overlap, `FARTHEST` if they are farther apart than need be known; how many corners
        the simplex has, `LOST` if the search came to nothing (the distance is `FARTHEST` then, too).
    """
    weights = local(real, 4)
    length, count, weighed = move_simplex(m, bodies, corners, weights, ends[0] - ends[1], cutoff)
    if weighed:
        for b in range(2):
            point = corners[0].on[b] * weights[0]
            for k in range(1, count):
                point = point + corners[k].on[b] * weights[k]
            ends[b] = point
    return length, count


@kernel
def move_simplex(m, bodies, corners, weights, x, cutoff):
    """Move a simplex in the difference of two bodies from a point x of it towards the origin.

    Returns:
        what `approach` does, and whether `weights` tell the nearest point of the simplex.
    """
    flat = is_flat(bodies[0]) and is_flat(bodies[1])
    count = 0
    length = 0.0
    turn = 0
    undecided = cutoff > 0.0 or m.edition == EDITION_4
    while turn < m.opt.ccd_iterations:
        square = dot(x, x)
        length = sqrt(square)
        if square < TINY:
            break
        find_corner(m, bodies, corners[count], -(x * (1.0 / length)), NATIVE)
        if dot(x, x - corners[count].point) < least_gain(m, flat, square):
            if turn == 0:
                weights[0] = 1.0
                count = 1
            break
        # a plane between the bodies may be enough to know
        reach = dot(x, corners[count].point)
        if reach > 0.0 and (reach * reach / square >= cutoff * cutoff):
            bodies[0].away = -x
            return FARTHEST, 0, False
        if count == 3 and not undecided:
            answer, turn = enclose(m, bodies, corners, turn)
            if answer == APART:
                return FARTHEST, 0, False
            if answer == OVERLAP:
                return 0.0, 4, False
            undecided = True
        count = reduce_simplex(corners, count + 1, weights)
        if count == 0:
            return FARTHEST, LOST, False
        nearer = mean_point(corners, weights, count)
        if is_equal(nearer, x):
            break
        x = nearer
        if count == 4:
            length = 0.0
            break
        turn += 1
    return length, count, count > 0


@kernel
def face_plane(p, q, r):
    """Unit normal of the face with corners p, q, r, and its height above the origin; `FARTHEST` if it has no normal."""
    normal = cross(r - p, q - p)
    square = dot(normal, normal)
    if square > TINY and square < mjMAXVAL * mjMAXVAL:
        normal = normal * (1.0 / sqrt(square))
        return normal, dot(normal, p)
    return normal, FARTHEST


@kernel
def enclose(m, bodies, corners, turn):
    """Move a tetrahedron, corners 0 to 3, towards the origin, until that is inside or surely outside.

    The corner opposite to the face that the origin is farthest beyond is replaced by the farthest corner there.

    Returns:
        the answer, and the number of turns taken. The corners are changed only if the answer is `OVERLAP`.
    """
    points = local(vec3, 4)
    order = local(int, 4)
    for k in range(4):
        points[k] = corners[k].point
        order[k] = SPARE + k
        corners[SPARE + k] = corners[k]
    while turn < m.opt.ccd_iterations:
        worst, normal, height = lowest_face(points)
        if height == 0.0:
            return UNDECIDED, turn
        if height > 0.0:
            for k in range(4):
                corners[k] = corners[order[k]]
            return OVERLAP, turn
        corner = corners[fourth_of(order, worst)]
        find_corner(m, bodies, corner, normal, NATIVE)
        if dot(normal, corner.point) < 0.0:
            bodies[0].away = normal
            return APART, turn
        put_corner(points, order, worst, corner.point)
        turn += 1
    return UNDECIDED, turn


@kernel
def lowest_face(points):
    """Find the face of a tetrahedron that the origin is farthest beyond.

    Returns:
        the corner opposite to it; its normal, outward; its height above the origin, 0 if that of any face is.
    """
    heights = local(real, 4)
    normals = local(vec3, 4)
    for k in range(4):
        # the other three, seen from outside in the same sense
        a = where(k == 0, 2, where(k == 2, 1, 0))
        b = where(k == 0, 1, where(k == 1, 2, where(k == 2, 0, 1)))
        c = where(k == 3, 2, 3)
        normal, height = face_plane(points[a], points[b], points[c])
        normals[k] = normal
        heights[k] = height
    touched = (heights[0] == 0.0) | (heights[1] == 0.0) | (heights[2] == 0.0) | (heights[3] == 0.0)
    first = heights[0] < heights[1]
    third = heights[2] < heights[3]
    low = where(first, heights[0], heights[1])
    high = where(third, heights[2], heights[3])
    front = low < high
    worst = where(front, where(first, 0, 1), where(third, 2, 3))
    normal = where(front, where(first, normals[0], normals[1]), where(third, normals[2], normals[3]))
    return worst, normal, where(touched, 0.0, where(front, low, high))


@kernel
def fourth_of(order, k):
    """Return number k of four, without an index."""
    return where(k < 2, where(k == 0, order[0], order[1]), where(k == 2, order[2], order[3]))


@kernel
def put_corner(points, order, worst, point):
    """Put a point in place of that of corner `worst`, and exchange the next two of four: the sense in which faces are
    seen is that of another order now."""
    old_points = local(vec3, 4)
    old_order = local(int, 4)
    for k in range(4):
        old_points[k] = points[k]
        old_order[k] = order[k]
    for k in range(4):
        up = worst == ((k + 3) & 3)
        down = worst == ((k + 2) & 3)
        other = where(up, old_points[(k + 1) & 3], where(down, old_points[(k + 3) & 3], old_points[k]))
        points[k] = where(worst == k, point, other)
        order[k] = where(up, old_order[(k + 1) & 3], where(down, old_order[(k + 3) & 3], old_order[k]))
