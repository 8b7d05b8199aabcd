"""Contacts between balls swept along segments: spheres and capsules.

Two such geoms touch where the nearest points of their segments do. Ericson, Real-Time Collision Detection (2005),
section 5.1.9, gives the nearest points of two segments.
"""

from conjoint.lang import abs, any, clip, cross, dot, kernel, logical_not, normalize3, sqrt, vec3, where, z_axis
from conjoint.physics.collision.contact_candidates import keep_where
from conjoint.schema.constants import mjMAXVAL, mjMINVAL

MOST_CONTACTS = 2
"""Contacts of two such geoms."""

NEARLY_ONE = 1.0 - 1e-9
"""Factor by which the square of a distance must be less than another to count as less."""


@kernel(exact=True)
def keep_ball_contact(m, d, g1, g2, margin, center1, center2, wanted, dists, points, n):
    """Contact number n in the `wanted` worlds, between the balls of two geoms around the given centres, if they are
    within the margin; how many there are then."""
    radius1, radius2 = m.geom_size[g1].x, m.geom_size[g2].x
    return keep_balls(d, g1, g2, margin, center1, radius1, center2, radius2, wanted, dists, points, n)


@kernel(exact=True)
def keep_balls(d, g1, g2, margin, center1, radius1, center2, radius2, wanted, dists, points, n):
    """`keep_ball_contact` for balls of other radii."""
    between = center2 - center1
    square = dot(between, between)
    length = sqrt(square)
    dist = length - radius1 - radius2
    apart = length >= mjMINVAL
    normal = between * (1.0 / length)
    if any(logical_not(apart)):
        # concentric balls part along the common perpendicular of their z axes
        across = normalize3(cross(z_axis(d.geom_xmat[g1]), z_axis(d.geom_xmat[g2])))
        normal = where(apart, normal, across)
    pos = center1 + normal * (radius1 + 0.5 * dist)
    limit = margin + radius1 + radius2
    near = wanted & (square <= limit * limit)
    return keep_where(near, dists, points, n, MOST_CONTACTS, dist, pos, normal, vec3(0.0, 0.0, 0.0))


@kernel
def sphere_sphere(m, d, g1, g2, margin, dists, points):
    """At most one contact."""
    return keep_ball_contact(m, d, g1, g2, margin + m.reach, d.geom_xpos[g1], d.geom_xpos[g2], True, dists, points, 0)


@kernel(exact=True)
def sphere_capsule(m, d, ball, capsule, margin, dists, points):
    """At most one contact, at the point of the capsule's segment nearest to the sphere."""
    center = d.geom_xpos[ball]
    axis = z_axis(d.geom_xmat[capsule])
    half = m.geom_size[capsule].y
    along = clip(dot(axis, center - d.geom_xpos[capsule]), -half, half)
    nearest = d.geom_xpos[capsule] + axis * along
    return keep_ball_contact(m, d, ball, capsule, margin + m.reach, center, nearest, True, dists, points, 0)


@kernel(exact=True)
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


@kernel(exact=True)
def segments(m, d, g1, g2):
    """The segments of two capsules, as `nearest_on_segments` takes them: both halves, and their products."""
    a = z_axis(d.geom_xmat[g1]) * m.geom_size[g1].y
    b = z_axis(d.geom_xmat[g2]) * m.geom_size[g2].y
    between = d.geom_xpos[g1] - d.geom_xpos[g2]
    return a, b, dot(a, a), dot(a, b), dot(b, b), -dot(a, between), dot(b, between)


@kernel(exact=True)
def end_places(end, aa, ab, bb, u, v):
    """Places of an end, 0 to 3, of one of two parallel segments, and of what is nearest to it on the other."""
    side = 1.0 - 2.0 * (end % 2)
    if end < 2:
        return side, clip((v + ab * side) / bb, -1.0, 1.0)
    return clip((u + ab * side) / aa, -1.0, 1.0), side


@kernel(exact=True)
def capsule_capsule(m, d, g1, g2, margin, dists, points):
    """One contact at the nearest points of the axes; up to two, at the ends, if the axes are parallel."""
    center1 = d.geom_xpos[g1]
    center2 = d.geom_xpos[g2]
    a, b, aa, ab, bb, u, v = segments(m, d, g1, g2)
    crossing = abs(aa * bb - ab * ab) >= mjMINVAL
    s, t = nearest_on_segments(aa, ab, bb, u, v)
    p = center1 + a * s
    q = center2 + b * t
    n = keep_ball_contact(m, d, g1, g2, margin + m.reach, p, q, crossing, dists, points, 0)
    parallel = logical_not(crossing)
    if any(parallel):
        # the ends of the first against the second, then of the second, until there are two contacts
        for end in range(4):
            s, t = end_places(end, aa, ab, bb, u, v)
            p = center1 + a * s
            q = center2 + b * t
            n = keep_ball_contact(m, d, g1, g2, margin, p, q, parallel, dists, points, n)
    return n


@kernel(per_world=True, exact=True)
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
    if abs(aa * bb - ab * ab) >= mjMINVAL:
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
    return keep_ball_contact(m, d, g1, g2, margin, center1 + a * s, center2 + b * t, True, dists, points, 0)
