"""Shortest paths past a circle about the origin of a plane, outside of it or through it; points are pairs of reals."""

from conjoint.lang import (
    abs,
    any,
    atan2,
    clip,
    formula,
    kernel,
    logical_not,
    maximum,
    sincos,
    sqrt,
    where,
)
from conjoint.lang.algebra import MINIMUM_VALUE

FULL_TURN = 6.283185307179586

CROSSED = -10000.0
"""Merit of a path that crosses itself."""

NEWTON_STEPS = 20
NEWTON_START = 1 - 1e-7
NEWTON_TOLERANCE = 1e-6
"""Newton's method for the point where a path touches the circle from within."""


@formula("real", "real")
def arcsine(x):
    """Angle whose sine is x."""
    return atan2(x, sqrt(maximum(0.0, (1.0 - x) * (1.0 + x))))


@formula("real", "real")
def arccosine(x):
    """Angle whose cosine is x."""
    return atan2(sqrt(maximum(0.0, (1.0 - x) * (1.0 + x))), x)


@formula(("real", "real"), "real", "real")
def direction(x, y):
    """(x, y) of length one; (1, 0) if it is too short."""
    length = sqrt(x * x + y * y)
    tiny = length < MINIMUM_VALUE
    scale = 1.0 / where(tiny, 1.0, length)
    return (where(tiny, 1.0, x * scale), where(tiny, 0.0, y * scale))


@kernel
def outside_circle(ax, ay, bx, by, radius, sided, tx, ty):
    """Shortest path from a to b outside a circle; if `sided`, on the side of the point t.

    Returns:
        Length of the arc, -1 where the straight line is free or no path exists; the points where it starts and ends.
    """
    square = radius * radius
    far_a = ax * ax + ay * ay
    far_b = bx * bx + by * by
    dx = bx - ax
    dy = by - ay
    apart = dx * dx + dy * dy
    # nearest point of the segment
    share = clip(-(dx * ax + dy * ay) / where(apart < MINIMUM_VALUE, 1.0, apart), 0.0, 1.0)
    nx = ax + share * dx
    ny = ay + share * dy
    free = nx * nx + ny * ny > square
    sx, sy = direction(tx, ty)
    if sided:
        free = free & (radius * (sx * nx + sy * ny) >= 0.0)
    bent = (far_a >= square) & (far_b >= square) & (apart >= MINIMUM_VALUE) & logical_not(free)
    length = where(bent, -1.0, -1.0)
    px = ax + 0.0
    py = ay + 0.0
    qx = bx + 0.0
    qy = by + 0.0
    if any(bent):
        # both pairs of tangents; the better counts
        ex, ey, fx, fy = tangents(ax, ay, bx, by, radius, 1.0)
        px, py, qx, qy = tangents(ax, ay, bx, by, radius, -1.0)
        first = merit(ax, ay, bx, by, ex, ey, fx, fy, radius, sided, sx, sy)
        second = merit(ax, ay, bx, by, px, py, qx, qy, radius, sided, sx, sy)
        clockwise = first > second
        px = where(clockwise, ex, px)
        py = where(clockwise, ey, py)
        qx = where(clockwise, fx, qx)
        qy = where(clockwise, fy, qy)
        passes = bent & logical_not(segments_cross(ax, ay, px, py, bx, by, qx, qy))
        length = where(passes, radius * arc(px, py, qx, qy, clockwise), length)
    return length, px, py, qx, qy


@kernel
def tangents(ax, ay, bx, by, radius, turn):
    """Points where the tangents from a and b touch the circle, the path turning clockwise (1) or the other way (-1)."""
    square = radius * radius
    far_a = ax * ax + ay * ay
    far_b = bx * bx + by * by
    s = turn * radius * sqrt(maximum(0.0, far_a - square))
    t = turn * radius * sqrt(maximum(0.0, far_b - square))
    scale_a = 1.0 / maximum(far_a, square)
    scale_b = 1.0 / maximum(far_b, square)
    px = (ax * square + ay * s) * scale_a
    py = (ay * square - ax * s) * scale_a
    qx = (bx * square - by * t) * scale_b
    qy = (by * square + bx * t) * scale_b
    return px, py, qx, qy


@kernel
def merit(ax, ay, bx, by, px, py, qx, qy, radius, sided, sx, sy):
    """How good the path a, p, q, b is: on the wanted side s, or else short; lowest if it crosses itself."""
    gx = px - qx
    gy = py - qy
    value = -(gx * gx + gy * gy)
    if sided:
        mx, my = direction(px + qx, py + qy)
        value = radius * (mx * sx + my * sy)
    return where(segments_cross(ax, ay, px, py, bx, by, qx, qy), CROSSED, value)


@kernel
def segments_cross(ax, ay, bx, by, cx, cy, dx, dy):
    """True where the segments a b and c d have a point in common; False where they are parallel."""
    ux = bx - ax
    uy = by - ay
    vx = dx - cx
    vy = dy - cy
    wx = ax - cx
    wy = ay - cy
    area = vy * ux - vx * uy
    parallel = abs(area) < MINIMUM_VALUE
    scale = 1.0 / where(parallel, 1.0, area)
    s = (vx * wy - vy * wx) * scale
    t = (ux * wy - uy * wx) * scale
    return logical_not(parallel) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)


@kernel
def arc(px, py, qx, qy, clockwise):
    """Angle from p to q about the origin, clockwise or counterclockwise."""
    turn = py * qx - px * qy
    angle = atan2(abs(turn), px * qx + py * qy)
    longer = ((turn > 0.0) & logical_not(clockwise)) | ((turn < 0.0) & clockwise)
    return where(longer, FULL_TURN - angle, angle)


@kernel
def inside_circle(m, ax, ay, bx, by, radius):
    """Path from a to b that touches a circle from within, in one point.

    Returns:
        Length 0, or -1 where the straight line passes through the circle or no path exists; the point.
    """
    far_a = sqrt(ax * ax + ay * ay)
    far_b = sqrt(bx * bx + by * by)
    dx = bx - ax
    dy = by - ay
    apart = dx * dx + dy * dy
    share = -(dx * ax + dy * ay) / where(apart > MINIMUM_VALUE, apart, 1.0)
    nx = ax + share * dx
    ny = ay + share * dy
    through = (apart > MINIMUM_VALUE) & (share > 0.0) & (share < 1.0) & (sqrt(nx * nx + ny * ny) <= radius)
    outer = (far_a > radius) & (far_b > radius)
    cosine = (far_a * far_a + far_b * far_b - apart) / where(outer, 2.0 * far_a * far_b, 1.0)
    bent = outer & logical_not(through) & (cosine >= -1.0 + MINIMUM_VALUE)
    # where Newton's method fails, the point between the directions
    cx, cy = direction(0.5 * (ax + bx), 0.5 * (ay + by))
    curved = bent & (cosine <= 1.0 - MINIMUM_VALUE)
    if any(curved):
        ratio_a = radius / where(outer, far_a, 2.0 * radius)
        ratio_b = radius / where(outer, far_b, 2.0 * radius)
        z, found = touching_sine(m, ratio_a, ratio_b, arccosine(clip(cosine, -1.0, 1.0)), curved)
        ahead = ax * by - ay * bx > 0.0
        angle = arcsine(z) - arcsine(where(ahead, ratio_a, ratio_b) * z)
        rx, ry = direction(where(ahead, ax, bx), where(ahead, ay, by))
        s, c = sincos(angle)
        cx = where(found, c * rx - s * ry, cx)
        cy = where(found, s * rx + c * ry, cy)
    return where(bent, 0.0, -1.0), radius * cx, radius * cy


@kernel
def sine_residual(a, b, angle, z):
    """What is zero where the path touches the circle: the light path of equal angles (Alhazen's problem)."""
    return arcsine(a * z) + arcsine(b * z) - 2.0 * arcsine(z) + angle


@kernel
def touching_sine(m, a, b, angle, wanted):
    """Root z of `sine_residual` by Newton's method from the right; and where it was found."""
    tolerance = maximum(NEWTON_TOLERANCE, 16.0 * m.epsilon)
    z = where(wanted, NEWTON_START, 0.5)
    f = sine_residual(a, b, angle, z)
    going = wanted & (f <= 0.0)
    found = going & logical_not(going)
    for _ in range(NEWTON_STEPS):
        close = going & (abs(f) <= tolerance)
        found = found | close
        going = going & logical_not(close)
        if not any(going):
            break
        slope = residual_slope(a, z) * a + residual_slope(b, z) * b - 2.0 * residual_slope(1.0, z)
        step = f / where(going, slope, 1.0)
        going = going & (slope <= -MINIMUM_VALUE) & (step >= 0.0)
        z = where(going, z - step, z)
        f = where(going, sine_residual(a, b, angle, z), f)
        going = going & (f <= tolerance)
    return z, found


@kernel
def residual_slope(a, z):
    """Derivative of the arcsine at a z."""
    return 1.0 / maximum(MINIMUM_VALUE, sqrt(maximum(0.0, (1.0 - a * z) * (1.0 + a * z))))
