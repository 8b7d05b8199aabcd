"""Contacts between balls swept along segments: spheres and capsules.

Two such geoms touch where the nearest points of their segments do. Ericson, Real-Time Collision Detection (2005),
section 5.1.9, gives the nearest points of two segments.
"""

from conjoint.lang import (
    abs,
    any,
    change,
    clip,
    cross,
    dot,
    group,
    kernel,
    logical_not,
    minimum,
    normalize3,
    sqrt,
    vec3,
    where,
    z_axis,
)
from conjoint.physics.collision.contact_candidates import keep_where
from conjoint.schema.constants import mjMAXVAL, mjMINVAL

EXACT_KERNELS = True

MOST_CONTACTS = 2
"""Contacts of two such geoms."""

NEARLY_ONE = 1.0 - 1e-9
"""Factor by which the square of a distance must be less than another to count as less."""


PARALLEL = 1e-6
"""Square of the sine of the angle up to which short segments are parallel."""


@group
def Ball(center, radius):
    """A ball: where its centre is, and its radius."""


@kernel
def ball_at(m, g, center):
    """The ball that geom g has around a centre."""
    return Ball(center, m.geom_size[g].x)


@kernel
def balls_meet(margin, first, second):
    """Whether two balls are within the margin."""
    between = second.center - first.center
    limit = margin + first.radius + second.radius
    return dot(between, between) <= limit * limit


@kernel
def keep_balls(near, d, g1, g2, first, second, dists, points, n):
    """Contact number n in the worlds where they are `near`, between balls of two geoms; how many there are then."""
    between = second.center - first.center
    length = sqrt(dot(between, between))
    dist = length - first.radius - second.radius
    apart = length >= mjMINVAL
    normal = between * (1.0 / length)
    if any(logical_not(apart)):
        # concentric balls part along the common perpendicular of their z axes
        across = normalize3(cross(z_axis(d.geom_xmat[g1]), z_axis(d.geom_xmat[g2])))
        normal = where(apart, normal, across)
        dist = where(apart, dist, dist + change(dot(across, between)))
    pos = first.center + normal * (first.radius + 0.5 * dist)
    return keep_where(near, dists, points, n, MOST_CONTACTS, dist, pos, normal, vec3(0.0, 0.0, 0.0))


@kernel
def sphere_sphere(m, d, g1, g2, margin, dists, points):
    """At most one contact."""
    first = ball_at(m, g1, d.geom_xpos[g1])
    second = ball_at(m, g2, d.geom_xpos[g2])
    return keep_balls(balls_meet(margin + m.reach, first, second), d, g1, g2, first, second, dists, points, 0)


@kernel
def sphere_capsule(m, d, ball, capsule, margin, dists, points):
    """At most one contact, at the point of the capsule's segment nearest to the sphere."""
    center = d.geom_xpos[ball]
    axis = z_axis(d.geom_xmat[capsule])
    half = m.geom_size[capsule].y
    along = clip(dot(axis, center - d.geom_xpos[capsule]), -half, half)
    first = ball_at(m, ball, center)
    second = ball_at(m, capsule, d.geom_xpos[capsule] + axis * along)
    near = balls_meet(margin + m.reach, first, second)
    return keep_balls(near, d, ball, capsule, first, second, dists, points, 0)


@kernel
def nearest_on_segments(aa, ab, bb, u, v):
    """Positions in [-1, 1] of the nearest points of two segments that are not parallel.

    Minimizes |c + s a - t b|^2 over s and t: first of the whole lines, then each clamped in turn.

    Args:
        aa: a.a
        ab: a.b
        bb: b.b
        u: -a.c, with c the difference of the centres (first minus second).
        v: b.c
    """
    det = aa * bb - ab * ab
    free = (bb * u + ab * v) / det
    s = clip(free, -1.0, 1.0)
    # unclamped s keeps the exact solution's t
    t = where(s == free, (aa * v + ab * u) / det, (v + ab * s) / bb)
    outside = (t > 1.0) | (t < -1.0)
    t = clip(t, -1.0, 1.0)
    s = where(outside, clip((u + ab * t) / aa, -1.0, 1.0), s)
    return s, t


@kernel
def are_crossing(aa, ab, bb):
    """Return True if two segments with these products are not parallel.

    Segments of more than some millimeters are compared with `mjMINVAL`, as officially.
    """
    return abs(aa * bb - ab * ab) >= minimum(mjMINVAL, PARALLEL * aa * bb)


@kernel
def segments(m, d, g1, g2):
    """The segments of two capsules, as `nearest_on_segments` takes them: both halves, and their products."""
    a = z_axis(d.geom_xmat[g1]) * m.geom_size[g1].y
    b = z_axis(d.geom_xmat[g2]) * m.geom_size[g2].y
    between = d.geom_xpos[g1] - d.geom_xpos[g2]
    return a, b, dot(a, a), dot(a, b), dot(b, b), -dot(a, between), dot(b, between)


@kernel
def end_places(end, aa, ab, bb, u, v):
    """Places of an end, 0 to 3, of one of two parallel segments, and of what is nearest to it on the other."""
    side = 1.0 - 2.0 * (end % 2)
    if end < 2:
        return side, clip((v + ab * side) / bb, -1.0, 1.0)
    return clip((u + ab * side) / aa, -1.0, 1.0), side


@kernel
def capsule_capsule(m, d, g1, g2, margin, dists, points):
    """One contact at the nearest points of the axes; up to two, at the ends, if the axes are parallel."""
    center1 = d.geom_xpos[g1]
    center2 = d.geom_xpos[g2]
    a, b, aa, ab, bb, u, v = segments(m, d, g1, g2)
    crossing = are_crossing(aa, ab, bb)
    s, t = nearest_on_segments(aa, ab, bb, u, v)
    first = ball_at(m, g1, center1 + a * s)
    second = ball_at(m, g2, center2 + b * t)
    near = crossing & balls_meet(margin + m.reach, first, second)
    n = keep_balls(near, d, g1, g2, first, second, dists, points, 0)
    parallel = logical_not(crossing)
    if any(parallel):
        # the ends of the first against the second, then of the second, until there are two contacts
        for end in range(4):
            s, t = end_places(end, aa, ab, bb, u, v)
            first = ball_at(m, g1, center1 + a * s)
            second = ball_at(m, g2, center2 + b * t)
            n = keep_balls(parallel & balls_meet(margin, first, second), d, g1, g2, first, second, dists, points, n)
    return n


@kernel
def nearest_of_capsules(m, d, g1, g2, margin, dists, points):
    """One contact, where two capsules are nearest to each other: between their axes, or at one of all four ends.

    Of nearly parallel ones rounding may decide what is found between the axes.
    """
    center1 = d.geom_xpos[g1]
    center2 = d.geom_xpos[g2]
    a, b, aa, ab, bb, u, v = segments(m, d, g1, g2)
    s = 0.0
    t = 0.0
    least = mjMAXVAL * mjMAXVAL
    if are_crossing(aa, ab, bb):
        s, t = nearest_on_segments(aa, ab, bb, u, v)
        between = center2 + b * t - (center1 + a * s)
        least = dot(between, between)
    for end in range(4):
        x, y = end_places(end, aa, ab, bb, u, v)
        between = center2 + b * y - (center1 + a * x)
        if dot(between, between) < least * NEARLY_ONE:
            least = dot(between, between)
            s = x
            t = y
    first = ball_at(m, g1, center1 + a * s)
    second = ball_at(m, g2, center2 + b * t)
    return keep_balls(balls_meet(margin, first, second), d, g1, g2, first, second, dists, points, 0)
