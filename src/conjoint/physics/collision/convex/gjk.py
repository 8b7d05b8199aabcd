"""Distance and overlap test of two convex bodies by the Gilbert-Johnson-Keerthi algorithm (GJK).

All computations are in the Minkowski difference, the points of the first body minus those of the second: its
distance from the origin is the distance between the bodies. A simplex of its points is moved toward the origin
(Gilbert, Johnson & Keerthi, IEEE Journal of Robotics and Automation 4, 1988). The search ends when the duality
gap of Frank & Wolfe is small.

The point of a simplex nearest to the origin is a weighted mean of its corners. The weight of a corner is the
ratio of two signed volumes. The first is the volume of the simplex with that corner replaced by the origin, or
by the projection of the origin onto the plane or line. The second is the volume of the simplex. If a weight is
negative, the nearest point is on the side opposite to that corner. See Montanari, Petrinic & Barbieri,
Improving the GJK algorithm for faster and more reliable distance queries between convex objects, ACM
Transactions on Graphics 36, 2017.
"""

from dataclasses import dataclass

from conjoint.lang import (
    Group,
    Kernel,
    abs,
    cross,
    dot,
    formula,
    kernel,
    local,
    maximum,
    put,
    real,
    sqrt,
    struct,
    vec3,
    where,
)
from conjoint.physics.collision.convex.body import NATIVE, TINY, is_flat, support
from conjoint.schema.constants import ROUGH, mjMINVAL

FARTHEST = 1e38
"""Stand-in for infinity: larger than any relevant distance, or its square."""

APART = 0
OVERLAP = 1
UNDECIDED = 2
"""Result of the overlap test if it cannot tell whether the Minkowski difference contains the origin.

The other results are `APART` and `OVERLAP`.
"""

SIMPLEX_ROOM = 8
"""Capacity for the corners of a simplex, and for as many spare corners, which are used to move it."""

LOST = -1
"""Value returned instead of the number of corners if a simplex has lost all of its corners to rounding."""


@dataclass(frozen=True)
class Search(Group):
    """Variant of the distance search: its test for overlap, and the margins that are ignored at first.

    Attributes:
        enclose: kernel that tests for overlap by moving the simplex once it is a tetrahedron, see `enclosing`; None to
            continue with distances.
        cores: True to search all bodies without their margins first, False to do so only for round bodies.
    """

    enclose: Kernel | None = None
    cores: bool = False


MEASURED = Search()
"""Search that measures distances up to its end, without a separate test for overlap."""


@struct
def Corner(point=vec3, on=(vec3, 2), vertex=(int, 2)):
    """A vertex of the Minkowski difference, its points on both bodies and, for flat bodies, their vertex indices."""


@kernel
def find_corner(m, bodies, corner, way, rules):
    """Find the support point of the Minkowski difference in a direction; `rules` is a `Support`."""
    first = support(m, bodies[0], way, rules)
    second = support(m, bodies[1], -way, rules)
    corner.point = first - second
    corner.on[0] = first
    corner.on[1] = second
    corner.vertex[0] = bodies[0].vertex
    corner.vertex[1] = bodies[1].vertex


@kernel
def mean_point(corners, weights, count):
    """Return the weighted mean of the first `count` corners."""
    x = corners[0].point * weights[0]
    for k in range(1, count):
        x = x + corners[k].point * weights[k]
    return x


@kernel
def reduce_simplex(corners, count, weights):
    """Compute the weights of a simplex's corners, and keep the corners with nonzero weights; return their number."""
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
    """Return True if two points are equal up to rounding."""
    return abs(p.x - q.x) < mjMINVAL and abs(p.y - q.y) < mjMINVAL and abs(p.z - q.z) < mjMINVAL


@kernel
def least_gain(m, flat, square):
    """Return the decrease in the squared distance below which the search stops."""
    gain = 0.5 * m.opt.ccd_tolerance * m.opt.ccd_tolerance
    if flat:
        # the search of flat bodies ends after a finite number of corners
        gain = 0.0
    return maximum(gain, where(m.epsilon > ROUGH, m.epsilon * square, 0.0))


@kernel(label="distance (GJK)")
def approach(m, bodies, corners, ends, cutoff, search):
    """Search for the points of two bodies that are nearest to each other.

    Args:
        m: model, for its meshes and tolerances.
        bodies: two bodies, see `body`.
        corners: receives the corners of the simplex.
        ends: points inside the bodies, at which the search starts; receives the nearest points.
        cutoff: largest distance (m) of interest; 0 to test for overlap only.
        search: a `Search`.

    Returns:
        the distance, 0 if the bodies overlap, `FARTHEST` if it exceeds the cutoff or the search failed; the number of
        corners of the simplex, `LOST` if the search failed.
    """
    weights = local(real, 4)
    length, count, weighed = move_simplex(m, bodies, corners, weights, ends[0] - ends[1], cutoff, search)
    if weighed:
        for b in range(2):
            point = corners[0].on[b] * weights[0]
            for k in range(1, count):
                point = point + corners[k].on[b] * weights[k]
            ends[b] = point
    return length, count


@kernel
def move_simplex(m, bodies, corners, weights, x, cutoff, search):
    """Move a simplex toward the origin, starting at point x of the bodies' Minkowski difference.

    Returns:
        the results of `approach`; True if `weights` give the nearest point of the simplex.
    """
    flat = is_flat(bodies[0]) and is_flat(bodies[1])
    count = 0
    length = 0.0
    turn = 0
    undecided = cutoff > 0.0
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
        # a plane between the bodies may be sufficient
        reach = dot(x, corners[count].point)
        if reach > 0.0 and (reach * reach / square >= cutoff * cutoff):
            bodies[0].away = -x
            return FARTHEST, 0, False
        if search.enclose:
            is_tetrahedron = count == 3
            if is_tetrahedron and not undecided:
                answer, turn = search.enclose(m, bodies, corners, turn)
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


# ---- the point of a simplex nearest to the origin


@formula("real", "real", "real", "real", "real", "real", "real")
def area(px, py, qx, qy, rx, ry):
    """Return twice the signed area of a triangle in the plane."""
    return px * qy + py * rx + qx * ry - px * ry - py * qx - rx * qy


@formula("real", "real", "real", "real", "real", "real", "real")
def shadow(px, py, qx, qy, rx, ry):
    """Return twice the signed area of a triangle in the plane, summed in a different order than in `area`."""
    return qx * ry - qy * rx - px * ry + py * rx + px * qy - py * qx


@formula("vec3", "vec3", "vec3", "vec3", "vec3")
def blend(p, q, r, weights):
    """Return the weighted mean of p, q and r."""
    return tuple(weights[0] * p[k] + weights[1] * q[k] + weights[2] * r[k] for k in range(3))


@formula("real", "vec3", "vec3", "vec3")
def volume(p, q, r):
    """Return six times the signed volume of the tetrahedron with corners p, q, r and the origin."""
    return dot(p, cross(q, r))


@formula("bool", "real", "real")
def same_sign(a, b):
    """Return True if a and b are both positive or both negative."""
    return ((a > 0.0) & (b > 0.0)) | ((a < 0.0) & (b < 0.0))


@formula(("real", "vec3"), "vec3", "vec3", "vec3", "vec3")
def areas(x, p, q, r):
    """Return twice the signed areas of triangle p q r, and of the three triangles that point x forms with its sides.

    All are projected along the axis that leaves the largest area; x replaces p, q, r in this order.
    """
    along_x = shadow(p[1], p[2], q[1], q[2], r[1], r[2])
    along_y = shadow(p[0], p[2], q[0], q[2], r[0], r[2])
    along_z = shadow(p[0], p[1], q[0], q[1], r[0], r[1])
    drop_x = (abs(along_x) >= abs(along_y)) & (abs(along_x) >= abs(along_z))
    keep_z = drop_x | (abs(along_y) >= abs(along_z))
    whole = where(drop_x, along_x, where(keep_z, along_y, along_z))
    flat = [(where(drop_x, v[1], v[0]), where(keep_z, v[2], v[1])) for v in (x, p, q, r)]
    x, p, q, r = flat
    return whole, (area(*x, *q, *r), area(*x, *r, *p), area(*x, *p, *q))


@formula(("vec3", "real", "real"), "vec3", "vec3", "vec3")
def plane_through(p, q, r):
    """Return a normal of the plane through p, q, r, computed at q, and two numbers.

    The first is the distance of the plane from the origin, times the length of the normal. The second is the
    squared length of the normal.
    """
    normal = cross([r[k] - q[k] for k in range(3)], [q[k] - p[k] for k in range(3)])
    return normal, dot(normal, q), dot(normal, normal)


@formula("bool", "real", "real")
def is_doubtful(height, square):
    """Return True if a height, or the squared length of a normal, may be only rounding error."""
    return (height == 0.0) | (square <= mjMINVAL)


@kernel
def foot_on_plane(p, q, r):
    """Return the point of the plane through p, q, r that is nearest to the origin, and False if there is no such plane.

    The normal is computed at the first of the three corners for which it is not zero and gives a nonzero height.
    """
    normal, height, square = plane_through(p, q, r)
    if is_doubtful(height, square):
        return foot_by_others(p, q, r, square)
    return normal * (height / square), True


@kernel(rare=True)
def foot_by_others(p, q, r, square):
    """Return the result of `foot_on_plane` from the normals at p and r, if the normal at q is doubtful."""
    if square == 0.0:
        return vec3(0.0, 0.0, 0.0), False
    normal = cross(q - p, r - p)
    height = dot(normal, p)
    square = dot(normal, normal)
    if square == 0.0:
        return vec3(0.0, 0.0, 0.0), False
    if is_doubtful(height, square):
        normal = cross(r - p, r - q)
        height = dot(normal, r)
        square = dot(normal, normal)
    return normal * (height / square), True


@kernel
def weigh_edge(p, q):
    """Compute the weights of an edge's ends such that their mean is the point nearest to the origin.

    If the projection of the origin is not between the ends, the second end gets all the weight.
    """
    way = q - p
    scale = -(dot(q, way) / dot(way, way))
    # measured along the axis in which the edge is longest, the last one on ties
    y_over_x = abs(way.y) >= abs(way.x)
    z_over_both = abs(way.z) >= where(y_over_x, abs(way.y), abs(way.x))
    along = where(z_over_both, way.z, where(y_over_x, way.y, way.x))
    end = where(z_over_both, q.z, where(y_over_x, q.y, q.x))
    start = where(z_over_both, p.z, where(y_over_x, p.y, p.x))
    foot = end + along * scale
    first = foot - end
    second = start - foot
    between = same_sign(-along, first) & same_sign(-along, second)
    return where(between, first / -along, 0.0), where(between, second / -along, 1.0)


@kernel
def weigh_triangle(p, q, r):
    """Compute the weights of a triangle's corners such that their mean is the point nearest to the origin."""
    foot, found = foot_on_plane(p, q, r)
    if not found:
        u, v = weigh_edge(p, q)
        return vec3(u, v, 0.0)
    whole, parts = areas(foot, p, q, r)
    if same_sign(whole, parts.x) & same_sign(whole, parts.y) & same_sign(whole, parts.z):
        return vec3(parts.x / whole, parts.y / whole, parts.z / whole)
    # the nearest point of those sides beyond which the projection lies
    best = vec3(0.0, 0.0, 0.0)
    least = FARTHEST
    for k in range(3):
        if not same_sign(whole, parts[k]):
            u, v = weigh_edge(where(k == 0, q, p), where(k == 2, q, r))
            weights = vec3(where(k == 0, 0.0, u), where(k == 0, u, where(k == 1, 0.0, v)), where(k == 2, 0.0, v))
            x = blend(p, q, r, weights)
            if k == 0 or dot(x, x) < least:
                least = dot(x, x)
                best = weights
    return best


@kernel
def weigh_tetrahedron(corners, weights):
    """Compute the weights of a tetrahedron's corners such that their mean is the point nearest to the origin."""
    p = corners[0].point
    q = corners[1].point
    r = corners[2].point
    s = corners[3].point
    weights[0] = -volume(q, r, s)
    weights[1] = volume(p, r, s)
    weights[2] = -volume(p, q, s)
    weights[3] = volume(p, q, r)
    whole = weights[0] + weights[1] + weights[2] + weights[3]
    inside = same_sign(whole, weights[0]) & same_sign(whole, weights[1])
    if inside & same_sign(whole, weights[2]) & same_sign(whole, weights[3]):
        for k in range(4):
            weights[k] = weights[k] / whole
        return
    # the nearest point of those faces beyond which the origin lies
    best = -1
    least = FARTHEST
    nearest = vec3(0.0, 0.0, 0.0)
    for k in range(4):
        if not same_sign(whole, weights[k]):
            a = corners[where(k == 0, 1, 0)].point
            b = corners[where(k <= 1, 2, 1)].point
            c = corners[where(k <= 2, 3, 2)].point
            found = weigh_triangle(a, b, c)
            x = blend(a, b, c, found)
            if best < 0 or dot(x, x) < least:
                best = k
                least = dot(x, x)
                nearest = found
    weights[0] = where(best == 0, 0.0, nearest.x)
    weights[1] = where(best == 1, 0.0, where(best == 0, nearest.x, nearest.y))
    weights[2] = where(best == 2, 0.0, where(best == 3, nearest.z, nearest.y))
    weights[3] = where(best == 3, 0.0, nearest.z)


@kernel
def weigh_simplex(corners, count, weights):
    """Compute the weights of up to four corners such that their mean is the simplex point nearest to the origin."""
    if count == 4:
        weigh_tetrahedron(corners, weights)
    elif count == 3:
        put(weights, 0, weigh_triangle(corners[0].point, corners[1].point, corners[2].point))
    elif count == 2:
        u, v = weigh_edge(corners[0].point, corners[1].point)
        weights[0] = u
        weights[1] = v
    else:
        weights[0] = 1.0
