"""Shortest paths around or through a circle whose center is the origin of a plane.

A path around the circle consists of a tangent, an arc and another tangent. A tangent from a point at distance rho
touches the circle at the angle acos(radius / rho) from the point, seen from the center. The arc is the angle between
the two points minus two such angles. Garner & Pandy, The obstacle-set method for representing muscle paths in
musculoskeletal models (2000), use such paths for muscles.

A path through the circle touches it in one point and is reflected there: both segments form the same angle with the
radius. This is Alhazen's problem (Neumann, Reflections on reflection in a spherical mirror, American Mathematical
Monthly, 1998).

The choice among several possible paths, and the end of an iteration, are as in MuJoCo. Comments mark these places.
"""

from conjoint.lang import abs, atan2, clip, formula, kernel, maximum, sincos, sqrt, vec2, where
from conjoint.schema.constants import mjMINVAL

FULL_TURN = 6.283185307179586

ALIGNED = 4.5e-8
"""Angle (rad) at the center below which two points have the same direction: its cosine is 1 minus 1e-15."""

STEEPEST = 1 - 1e-7
STEPS = 19
TOLERANCE = 1e-6
"""Tolerance of MuJoCo's iteration for the angle of incidence.

`STEEPEST` is the initial (maximum) sine of incidence, and `STEPS` the maximum number of steps.
"""


@formula("vec2", "vec2")
def direction(v):
    """Return v normalized, or (1, 0) if it is too short."""
    x, y = v
    length = sqrt(x * x + y * y)
    tiny = length < mjMINVAL
    scale = 1.0 / where(tiny, 1.0, length)
    return (where(tiny, 1.0, x * scale), where(tiny, 0.0, y * scale))


@formula("real", "vec2", "vec2")
def product(a, b):
    """Return the scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1]


@kernel
def nearest_to_center(a, b):
    """Return the point of the segment from a to b that is nearest to the center."""
    way = b - a
    square = product(way, way)
    share = clip(-product(way, a) / where(square < mjMINVAL, 1.0, square), 0.0, 1.0)
    return a + way * share


@kernel
def around_circle(m, a, b, radius, sided, t):
    """Find the shortest path from a to b around a circle; if `sided`, on the side to which t points.

    Returns:
        length of the arc, or -1 if the path is straight; start and end points of the arc.
    """
    square = radius * radius
    near = nearest_to_center(a, b)
    free = product(near, near) > square
    if sided:
        t = direction(t)
        # a line past the other side of the circle is not free
        free = free & (product(t, near) >= 0.0)
    apart = product(b - a, b - a) >= mjMINVAL
    outside = apart & (product(a, a) >= square) & (product(b, b) >= square)
    if free | (not outside):
        return -1.0, a, b
    f, s, before = tangents(a, radius)
    g, r, after = tangents(b, radius)
    # the shorter direction, or counterclockwise if the points are opposite
    turn = a.x * b.y - a.y * b.x
    angle = atan2(turn, product(a, b))
    way = where(turn >= -mjMINVAL, 1.0, -1.0)
    if sided:
        # the tangents may cross before they touch the circle
        crossed = (abs(before - after) < abs(angle)) & (abs(angle) < before + after)
        left = facing(f + g + (s - r), t)
        right = facing(f + g - (s - r), t)
        way = where(crossed, -way, where(right > left, -1.0, 1.0))
    arc = way * angle - before - after
    arc = maximum(0.0, where(arc < -16.0 * m.epsilon, arc + FULL_TURN, arc))
    return radius * arc, f + s * way, g - r * way


@kernel
def around_like_side(m, a, b, radius, sided, t):
    """Find the shortest path from a to b around a circle; if `sided`, in the direction of the path from a over t to b.

    Arguments and results are those of `around_circle`. MuJoCo 4.0 uses these paths.
    """
    square = radius * radius
    outside = (product(a, a) >= square) & (product(b, b) >= square) & (product(b - a, b - a) >= mjMINVAL)
    turn = a.x * b.y - a.y * b.x
    # counterclockwise if the points are opposite
    angle = atan2(turn, product(a, b))
    angle = where((turn >= -mjMINVAL) & (angle < 0.0), -angle, angle)
    if sided:
        angle = atan2(a.x * t.y - a.y * t.x, product(a, t)) + atan2(t.x * b.y - t.y * b.x, product(t, b))
    way = where(angle >= 0.0, 1.0, -1.0)
    f, s, before = tangents(a, radius)
    g, r, after = tangents(b, radius)
    # the path is straight if the tangents would overlap
    arc = abs(angle) - before - after
    if outside and arc > 0.0:
        return radius * arc, f + s * way, g - r * way
    return -1.0, a, b


@kernel
def tangents(a, radius):
    """Find the points at which the tangents from point a touch the circle.

    Returns:
        midpoint of their chord; vector from it to the counterclockwise tangent point; angle between that tangent point
        and a, seen from the center.
    """
    least = radius * radius
    square = maximum(product(a, a), least)
    tangent = sqrt(square - least)
    along = least / square
    across = radius * tangent / square
    return a * along, vec2(-a.y * across, a.x * across), atan2(tangent, radius)


@kernel
def facing(v, t):
    """Return the component along t of the direction of v, where v is twice the midpoint of an arc's chord.

    MuJoCo uses the chord's midpoint, which is opposite to the arc's midpoint if the arc exceeds half a turn.
    """
    return product(direction(v), t)


@kernel
def through_circle(m, a, b, radius):
    """Find the shortest path from a to b that is reflected in a circle; both points are outside the circle.

    Returns:
        length 0, or -1 if the path is straight; the point at which it touches the circle.
    """
    far_a = sqrt(product(a, a))
    far_b = sqrt(product(b, b))
    near = nearest_to_center(a, b)
    # use the bisector for points in the same direction, and if MuJoCo's iteration fails
    way = direction(a + b)
    if not (far_a > radius and far_b > radius and product(near, near) > radius * radius):
        return -1.0, way * radius
    turn = a.x * b.y - a.y * b.x
    angle = atan2(abs(turn), product(a, b))
    if angle > ALIGNED:
        # from the point that comes first counterclockwise
        ahead = turn > 0.0
        u = direction(where(ahead, a, b))
        first = radius / where(ahead, far_a, far_b)
        second = radius / where(ahead, far_b, far_a)
        z, found = incidence(m, first, second, angle)
        if found:
            across, _rate = seen_angle(first, z)
            s, c = sincos(across)
            way = vec2(c * u.x - s * u.y, s * u.x + c * u.y)
    return 0.0, way * radius


@kernel
def seen_angle(ratio, z):
    """Return the angle, seen from the center, between a point and the reflection point, and its derivative.

    By the law of sines, the angle is asin(z) - asin(ratio z). The derivative is with respect to z.

    Args:
        ratio: radius divided by the distance of the point from the center.
        z: sine of the angle of incidence.
    """
    y = ratio * z
    outer = sqrt((1.0 - y) * (1.0 + y))
    inner = sqrt((1.0 - z) * (1.0 + z))
    return atan2(z * outer - y * inner, inner * outer + z * y), 1.0 / inner - ratio / outer


@kernel
def incidence(m, first, second, angle):
    """Return the sine of the angle of incidence of a reflected path, and True if it was found.

    The angles of both points relative to the reflection point add up to the angle between them. Their sum is an
    increasing, convex function of the sine, so Newton's method approaches the root from above and never passes it.

    Args:
        m: model.
        first, second: radius divided by the distance of each point from the center.
        angle: angle between the points, seen from the center (rad).
    """
    tolerance = maximum(TOLERANCE, 16.0 * m.epsilon)
    z = STEEPEST
    excess, slope = surplus(first, second, angle, z)
    if not excess >= 0.0:
        return z, False
    for _ in range(STEPS):
        if not excess > tolerance:
            break
        z = z - excess / maximum(slope, mjMINVAL)
        excess, slope = surplus(first, second, angle, z)
    return z, abs(excess) <= tolerance


@kernel
def surplus(first, second, angle, z):
    """Return the sum of the angles of two points minus `angle`, and its derivative with respect to z."""
    one, rate = seen_angle(first, z)
    other, change = seen_angle(second, z)
    return one + other - angle, rate + change
