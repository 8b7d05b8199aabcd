"""The shortest path of a tendon around a sphere or cylinder (Computation chapter, "Spatial tendons").

Both shapes reduce to a circle in a plane: for a sphere, the plane through its center and the two sites; for a cylinder,
the plane across its axis, with the height along the axis spread evenly over the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, asin, cos, hypot, pi, sin, sqrt

from conjoint.schema.constants import mjMINVAL
from conjoint.spec.rotation import Quaternion, Vector, conj_quat, cross, dot, rotate

Point = tuple[float, float]

NEWTON_STEPS = 20
NEWTON_START = 1 - 1e-7
NEWTON_TOLERANCE = 1e-6
"""Newton's method for the point where an inside path touches the circle."""
CROSSED = -10000.0
"""Merit of a path that crosses itself."""


def wrap(
    start: Vector, end: Vector, pos: Vector, quat: Quaternion, radius: float, cylinder: bool, side: Vector | None
) -> tuple[float, Vector, Vector] | None:
    """Path from `start` to `end` around a sphere or cylinder; all points and lengths in m, in the world's frame.

    Args:
        pos, quat, radius: center, orientation and radius of the geom.
        cylinder: False for a sphere.
        side: the path passes on the side of this point; if it lies inside the geom, the path goes through the geom.

    Returns:
        Length of the curved part and the points where it starts and ends; None if the path is straight.
    """
    back = conj_quat(quat)
    first, last = _local(start, pos, back), _local(end, pos, back)
    if _norm(first) < mjMINVAL or _norm(last) < mjMINVAL:
        return None
    x, y = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) if cylinder else _plane(first, last)
    a, b = (dot(first, x), dot(first, y)), (dot(last, x), dot(last, y))
    inside, toward = False, None
    if side is not None:
        place = _local(side, pos, back)
        inside = _norm(place) < radius
        toward = _unit((dot(place, x), dot(place, y)))
        toward = (toward[0] * radius, toward[1] * radius)
    found = _inside(a, b, radius) if inside else _around(a, b, toward, radius)
    if found is None:
        return None
    length, p, q = found
    enter = [p[0] * u + p[1] * v for u, v in zip(x, y, strict=True)]
    leave = [q[0] * u + q[1] * v for u, v in zip(x, y, strict=True)]
    if cylinder:
        # the height changes at a constant rate along the path
        before, after = hypot(a[0] - p[0], a[1] - p[1]), hypot(b[0] - q[0], b[1] - q[1])
        rate = (last[2] - first[2]) / (before + length + after)
        enter[2] = first[2] + rate * before
        leave[2] = first[2] + rate * (before + length)
        length = hypot(length, leave[2] - enter[2])
    return length, _world(enter, pos, quat), _world(leave, pos, quat)


def _local(point: Sequence[float], pos: Vector, back: Quaternion) -> Vector:
    """`point` in the frame of the geom."""
    return rotate(back, (point[0] - pos[0], point[1] - pos[1], point[2] - pos[2]))


def _world(point: Sequence[float], pos: Vector, quat: Quaternion) -> Vector:
    """`point` of the geom's frame in the world."""
    x, y, z = rotate(quat, point)
    return pos[0] + x, pos[1] + y, pos[2] + z


def _norm(v: Vector) -> float:
    return sqrt(dot(v, v))


def _plane(first: Vector, last: Vector) -> tuple[Vector, Vector]:
    """Axes of the plane through the origin and two points; x points to the first."""
    length = _norm(first)
    x = (first[0] / length, first[1] / length, first[2] / length)
    normal = cross(first, last)
    if _norm(normal) < mjMINVAL:
        # the points and the center are in line: any plane will do, turned by the smaller components of x
        largest = max(range(3), key=lambda i: abs(x[i]))
        normal = cross(x, [float(i != largest) for i in range(3)])
    length = _norm(normal)
    normal = (normal[0] / length, normal[1] / length, normal[2] / length)
    return x, cross(normal, x)


def _unit(p: Point) -> Point:
    """`p` of length one; (1, 0) if it is too short."""
    length = hypot(*p)
    return (p[0] / length, p[1] / length) if length >= mjMINVAL else (1.0, 0.0)


def _around(a: Point, b: Point, side: Point | None, radius: float) -> tuple[float, Point, Point] | None:
    """Shortest path from a to b outside a circle, on the given side; None if the straight line is free."""
    far_a, far_b = a[0] * a[0] + a[1] * a[1], b[0] * b[0] + b[1] * b[1]
    square = radius * radius
    if far_a < square or far_b < square or radius < mjMINVAL:
        return None
    along = (b[0] - a[0], b[1] - a[1])
    apart = along[0] * along[0] + along[1] * along[1]
    if apart < mjMINVAL:
        return None
    # nearest point of the segment
    share = min(max(-(along[0] * a[0] + along[1] * a[1]) / apart, 0.0), 1.0)
    near = (a[0] + share * along[0], a[1] + share * along[1])
    free = near[0] * near[0] + near[1] * near[1] > square
    if free and (side is None or side[0] * near[0] + side[1] * near[1] >= 0):
        return None
    paths = [_tangents(a, b, far_a, far_b, radius, turn) for turn in (1.0, -1.0)]
    merits = [_merit(a, b, path, side) for path in paths]
    best = 0 if merits[0] > merits[1] else 1
    p, q = paths[best]
    if _cross(a, p, b, q):
        return None
    return radius * _arc(p, q, best == 1), p, q


def _tangents(a: Point, b: Point, far_a: float, far_b: float, radius: float, turn: float) -> tuple[Point, Point]:
    """Points where the tangents from a and b touch the circle, turning one way (1) or the other (-1)."""
    square = radius * radius
    s, t = turn * radius * sqrt(far_a - square), turn * radius * sqrt(far_b - square)
    p = ((a[0] * square + a[1] * s) / far_a, (a[1] * square - a[0] * s) / far_a)
    q = ((b[0] * square - b[1] * t) / far_b, (b[1] * square + b[0] * t) / far_b)
    return p, q


def _merit(a: Point, b: Point, path: tuple[Point, Point], side: Point | None) -> float:
    """How good a path is: on the wanted side, or else short."""
    p, q = path
    if _cross(a, p, b, q):
        return CROSSED
    if side is not None:
        middle = _unit((p[0] + q[0], p[1] + q[1]))
        return middle[0] * side[0] + middle[1] * side[1]
    x, y = p[0] - q[0], p[1] - q[1]
    return -(x * x + y * y)


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the segments a b and c d cross."""
    ab, cd, ca = (b[0] - a[0], b[1] - a[1]), (d[0] - c[0], d[1] - c[1]), (a[0] - c[0], a[1] - c[1])
    area = cd[1] * ab[0] - cd[0] * ab[1]
    if abs(area) < mjMINVAL:
        return False
    s = (cd[0] * ca[1] - cd[1] * ca[0]) / area
    t = (ab[0] * ca[1] - ab[1] * ca[0]) / area
    return 0 <= s <= 1 and 0 <= t <= 1


def _arc(p: Point, q: Point, other: bool) -> float:
    """Angle from p to q, clockwise, or counterclockwise if `other`."""
    u, v = _unit(p), _unit(q)
    angle = acos(min(max(u[0] * v[0] + u[1] * v[1], -1.0), 1.0))
    turn = p[1] * q[0] - p[0] * q[1]
    return 2 * pi - angle if (turn > 0 and other) or (turn < 0 and not other) else angle


def _inside(a: Point, b: Point, radius: float) -> tuple[float, Point, Point] | None:
    """Path from a to b that touches a circle from the inside, in one point; None if it need not."""
    far_a, far_b = hypot(*a), hypot(*b)
    if far_a <= radius or far_b <= radius or radius < mjMINVAL:
        return None
    along = (b[0] - a[0], b[1] - a[1])
    apart = along[0] * along[0] + along[1] * along[1]
    if apart > mjMINVAL:
        share = -(along[0] * a[0] + along[1] * a[1]) / apart
        if 0 < share < 1 and hypot(a[0] + share * along[0], a[1] + share * along[1]) <= radius:
            return None
    ratio_a, ratio_b = radius / far_a, radius / far_b
    cosine = (far_a**2 + far_b**2 - apart) / (2 * far_a * far_b)
    if cosine < -1 + mjMINVAL:
        return None
    middle = _unit((0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])))
    touch = (radius * middle[0], radius * middle[1])
    z = None if cosine > 1 - mjMINVAL else _touching_sine(ratio_a, ratio_b, acos(cosine))
    if z is not None:
        ahead = a[0] * b[1] - a[1] * b[0] > 0
        ray = _unit(a if ahead else b)
        angle = asin(z) - asin((ratio_a if ahead else ratio_b) * z)
        c, s = cos(angle), sin(angle)
        touch = (radius * (c * ray[0] - s * ray[1]), radius * (s * ray[0] + c * ray[1]))
    return 0.0, touch, touch


def _touching_sine(a: float, b: float, angle: float) -> float | None:
    """Root z of asin(a z) + asin(b z) - 2 asin(z) + angle, by Newton's method from the right; None if it fails."""

    def value(z: float) -> float:
        return asin(a * z) + asin(b * z) - 2 * asin(z) + angle

    z = NEWTON_START
    f = value(z)
    if f > 0:
        return None
    for _ in range(NEWTON_STEPS):
        if abs(f) <= NEWTON_TOLERANCE:
            return z
        slope = a / max(mjMINVAL, sqrt(1 - (z * a) ** 2)) + b / max(mjMINVAL, sqrt(1 - (z * b) ** 2))
        slope -= 2 / max(mjMINVAL, sqrt(1 - z * z))
        if slope > -mjMINVAL:
            return None
        step = f / slope
        if step < 0:
            return None
        z -= step
        f = value(z)
        if f > NEWTON_TOLERANCE:
            return None
    return None
