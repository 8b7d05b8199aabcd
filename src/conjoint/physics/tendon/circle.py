"""Shortest paths past a circle about the origin of a plane, around it or through it.

Around it, a path is a tangent, an arc and another tangent. A tangent of a point at distance rho touches the circle at
the angle acos(radius / rho) from the point, seen from the center. The arc is the angle between the points minus two
such angles. Garner & Pandy, The obstacle-set method for representing muscle paths in musculoskeletal models (2000), use
such paths for muscles.

Through it, a path touches the circle in one point and is reflected there: it meets the radius at the same angle from
both sides. This is Alhazen's problem (Neumann, Reflections on reflection in a spherical mirror, American Mathematical
Monthly, 1998).

If several paths are possible, or when an iteration ends, results follow MuJoCo. Comments mark these places.
"""

from conjoint.lang import abs, atan2, clip, formula, kernel, maximum, sincos, sqrt, vec2, where
from conjoint.schema.constants import mjMINVAL

FULL_TURN = 6.283185307179586

ALIGNED = 4.5e-8
"""Angle at the center below which two points have the same direction: its cosine is 1 minus 1e-15."""

STEEPEST = 1 - 1e-7
STEPS = 19
TOLERANCE = 1e-6
"""MuJoCo's iteration: the maximum sine of incidence at its start; the maximum number of steps; its tolerance."""


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
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1]


@kernel
def nearest_to_center(a, b):
    """Return the point of the segment a b that is nearest to the center."""
    way = b - a
    square = product(way, way)
    share = clip(-product(way, a) / where(square < mjMINVAL, 1.0, square), 0.0, 1.0)
    return a + way * share


@kernel
def around_circle(m, a, b, radius, sided, t):
    """Find the shortest path from a to b around a circle; if `sided`, on the side that t points to.

    Returns:
        Length of the arc, -1 if the path is straight; the points where it starts and ends.
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
    # the shorter way; counterclockwise if the points are opposite
    turn = a.x * b.y - a.y * b.x
    angle = atan2(turn, product(a, b))
    way = where(turn >= -mjMINVAL, 1.0, -1.0)
    if sided:
        # its tangents may cross before they touch
        crossed = (abs(before - after) < abs(angle)) & (abs(angle) < before + after)
        left = facing(f + g + (s - r), t)
        right = facing(f + g - (s - r), t)
        way = where(crossed, -way, where(right > left, -1.0, 1.0))
    arc = way * angle - before - after
    arc = maximum(0.0, where(arc < -16.0 * m.epsilon, arc + FULL_TURN, arc))
    return radius * arc, f + s * way, g - r * way


@kernel
def around_like_side(m, a, b, radius, sided, t):
    """Shortest path from a to b around a circle that turns about the center as the path from a over t to b, if `sided`.

    Arguments and results are those of `around_circle`. Edition 4.0 has these paths.
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
    # free, if the tangents would pass each other
    arc = abs(angle) - before - after
    if outside and arc > 0.0:
        return radius * arc, f + s * way, g - r * way
    return -1.0, a, b


@kernel
def tangents(a, radius):
    """Find the points where the tangents from a touch the circle.

    Returns:
        The middle of their chord; the vector from it to the counterclockwise tangent point; the angle between that
        point and a, at the center.
    """
    least = radius * radius
    square = maximum(product(a, a), least)
    tangent = sqrt(square - least)
    along = least / square
    across = radius * tangent / square
    return a * along, vec2(-a.y * across, a.x * across), atan2(tangent, radius)


@kernel
def facing(v, t):
    """Return the component along t of the direction of v, twice the middle of an arc's chord.

    MuJoCo uses the chord's middle, which is opposite to the arc's middle beyond half a turn.
    """
    return product(direction(v), t)


@kernel
def through_circle(m, a, b, radius):
    """Shortest path from a to b, both outside of a circle, through it.

    Returns:
        Length 0, or -1 where the path is straight; the point where it touches the circle.
    """
    far_a = sqrt(product(a, a))
    far_b = sqrt(product(b, b))
    near = nearest_to_center(a, b)
    # use the middle for points in one direction, and if MuJoCo finds no other
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
    """Return the angle, seen from the center, between a point and its ray's intersection with the circle; its
    derivative by z.

    By the law of sines it is asin(z) - asin(ratio z).

    Args:
        ratio: radius by distance of the point.
        z: sine of the angle of incidence.
    """
    y = ratio * z
    outer = sqrt((1.0 - y) * (1.0 + y))
    inner = sqrt((1.0 - z) * (1.0 + z))
    return atan2(z * outer - y * inner, inner * outer + z * y), 1.0 / inner - ratio / outer


@kernel
def incidence(m, first, second, angle):
    """Return the sine of the angle of incidence of a reflected path, and True if it was found.

    The angles to both points add up to the one between them. Their sum rises with the sine and is convex, so Newton's
    method comes down to the root from above and never passes it.

    Args:
        first, second: radius by distance of the two points.
        angle: between them, seen from the center.
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
    """Return the excess of the angles of two points over `angle`, and its derivative by z."""
    one, rate = seen_angle(first, z)
    other, change = seen_angle(second, z)
    return one + other - angle, rate + change
