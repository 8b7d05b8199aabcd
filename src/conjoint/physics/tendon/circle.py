"""Shortest paths past a circle about the origin of a plane, around it or through it; points are pairs of reals.

Around it, a path is a tangent, an arc and another tangent. A tangent of a point at distance rho touches the circle at
the angle acos(radius / rho) from the point, seen from the center; the arc is what two such angles leave of the angle
between the points. Garner & Pandy, The obstacle-set method for representing muscle paths in musculoskeletal models
(2000), use such paths for muscles.

Through it, a path touches the circle in one point and is reflected there: it meets the radius at the same angle from
both sides (Alhazen's problem; Neumann, Reflections on reflection in a spherical mirror, American Mathematical Monthly,
1998).

Where more than one path would do, or an iteration ends, results depend on what the official engine does. That is said
where it happens.
"""

from conjoint.lang import abs, any, atan2, clip, formula, kernel, logical_not, maximum, sincos, sqrt, where
from conjoint.schema.constants import mjMINVAL

FULL_TURN = 6.283185307179586

ALIGNED = 4.5e-8
"""Two points that are seen from the center at a smaller angle have one direction: its cosine is 1 less 1e-15."""

STEEPEST = 1 - 1e-7
STEPS = 19
TOLERANCE = 1e-6
"""As in the official engine: largest sine of incidence, where its iteration starts; most steps; where it ends."""


@formula(("real", "real"), "real", "real")
def direction(x, y):
    """(x, y) of length one; (1, 0) if it is too short."""
    length = sqrt(x * x + y * y)
    tiny = length < mjMINVAL
    scale = 1.0 / where(tiny, 1.0, length)
    return (where(tiny, 1.0, x * scale), where(tiny, 0.0, y * scale))


@formula(("real", "real"), "real", "real", "real", "real")
def nearest_to_center(ax, ay, bx, by):
    """Point of the segment a b that is nearest to the center."""
    dx = bx - ax
    dy = by - ay
    square = dx * dx + dy * dy
    share = clip(-(dx * ax + dy * ay) / where(square < mjMINVAL, 1.0, square), 0.0, 1.0)
    return (ax + share * dx, ay + share * dy)


@kernel
def around_circle(m, ax, ay, bx, by, radius, sided, tx, ty):
    """Shortest path from a to b around a circle; if `sided`, on the side that t points to.

    Returns:
        Length of the arc, -1 where the path is straight; the points where it starts and ends.
    """
    square = radius * radius
    nx, ny = nearest_to_center(ax, ay, bx, by)
    free = nx * nx + ny * ny > square
    tx, ty = direction(tx, ty)
    if sided:
        # a line past the other side of the circle is not free
        free = free & (tx * nx + ty * ny >= 0.0)
    apart = (bx - ax) * (bx - ax) + (by - ay) * (by - ay) >= mjMINVAL
    bent = apart & (ax * ax + ay * ay >= square) & (bx * bx + by * by >= square) & logical_not(free)
    length = -1.0
    px = ax
    py = ay
    qx = bx
    qy = by
    if any(bent):
        fx, fy, sx, sy, before = tangents(ax, ay, radius)
        gx, gy, rx, ry, after = tangents(bx, by, radius)
        # the shorter way; counterclockwise if the points are opposite
        turn = ax * by - ay * bx
        angle = atan2(turn, ax * bx + ay * by)
        way = where(turn >= -mjMINVAL, 1.0, -1.0)
        if sided:
            # its tangents may cross before they touch
            crossed = (abs(before - after) < abs(angle)) & (abs(angle) < before + after)
            left = facing(fx + gx + (sx - rx), fy + gy + (sy - ry), tx, ty)
            right = facing(fx + gx - (sx - rx), fy + gy - (sy - ry), tx, ty)
            way = where(crossed, -way, where(right > left, -1.0, 1.0))
        px = fx + way * sx
        py = fy + way * sy
        qx = gx - way * rx
        qy = gy - way * ry
        arc = way * angle - before - after
        arc = maximum(0.0, where(arc < -16.0 * m.epsilon, arc + FULL_TURN, arc))
        length = where(bent, radius * arc, length)
    return length, px, py, qx, qy


@kernel
def tangents(ax, ay, radius):
    """Where the tangents from a touch the circle.

    Returns:
        The middle of their chord; what leads from it to the one that comes counterclockwise; the angle between that
        and a, seen from the center.
    """
    square = maximum(ax * ax + ay * ay, radius * radius)
    tangent = sqrt(square - radius * radius)
    along = radius * radius / square
    across = radius * tangent / square
    return ax * along, ay * along, -ay * across, ax * across, atan2(tangent, radius)


@kernel
def facing(x, y, tx, ty):
    """How far (x, y), twice the middle of an arc's chord, is on the side of t.

    The official engine takes the chord's middle, which is opposite to the arc's beyond half a turn.
    """
    ux, uy = direction(x, y)
    return ux * tx + uy * ty


@kernel
def through_circle(m, ax, ay, bx, by, radius):
    """Shortest path from a to b, both outside of a circle, through it.

    Returns:
        Length 0, or -1 where the path is straight; the point where it touches the circle.
    """
    far_a = sqrt(ax * ax + ay * ay)
    far_b = sqrt(bx * bx + by * by)
    nx, ny = nearest_to_center(ax, ay, bx, by)
    outside = (far_a > radius) & (far_b > radius)
    bent = outside & (nx * nx + ny * ny > radius * radius)
    # the middle counts for points in one direction, and where the official engine finds no other
    cx, cy = direction(ax + bx, ay + by)
    turn = ax * by - ay * bx
    angle = atan2(abs(turn), ax * bx + ay * by)
    curved = bent & (angle > ALIGNED)
    if any(curved):
        # from the point that comes first counterclockwise
        ahead = turn > 0.0
        ux, uy = direction(where(ahead, ax, bx), where(ahead, ay, by))
        first = radius / where(outside, where(ahead, far_a, far_b), 2.0 * radius)
        second = radius / where(outside, where(ahead, far_b, far_a), 2.0 * radius)
        z, found = incidence(m, first, second, angle, curved)
        across, _rate = seen_angle(first, z)
        s, c = sincos(across)
        cx = where(found, c * ux - s * uy, cx)
        cy = where(found, s * ux + c * uy, cy)
    return where(bent, 0.0, -1.0), radius * cx, radius * cy


@kernel
def seen_angle(ratio, z):
    """Angle, seen from the center, between a point and where its ray meets the circle; its derivative by z.

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
def incidence(m, first, second, angle, wanted):
    """Sine of the angle of incidence where a path is reflected, and where it was found, among the `wanted`.

    The angles to both points add up to the one between them. Their sum rises with the sine and is convex, so Newton's
    method comes down to the root from above and never passes it.

    Args:
        first, second: radius by distance of the two points.
        angle: between them, seen from the center.
    """
    tolerance = maximum(TOLERANCE, 16.0 * m.epsilon)
    z = where(wanted, STEEPEST, 0.5)
    excess, slope = surplus(first, second, angle, z)
    found = wanted & (excess >= 0.0)
    for _ in range(STEPS):
        above = found & (excess > tolerance)
        if not any(above):
            break
        z = where(above, z - excess / maximum(slope, mjMINVAL), z)
        excess, slope = surplus(first, second, angle, z)
    return z, found & (abs(excess) <= tolerance)


@kernel
def surplus(first, second, angle, z):
    """By how much the angles of two points exceed `angle`; the derivative by z."""
    one, rate = seen_angle(first, z)
    other, change = seen_angle(second, z)
    return one + other - angle, rate + change
