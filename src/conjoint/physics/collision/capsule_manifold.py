"""Contacts of two capsules, as the official engine finds them since version 3.16.

They touch where the nearest points of their axes do (Ericson, Real-time collision detection, 2005, section 5.1.9). Let
the axes be p + s a and q + t b, with s and t from 0 to 1, and n = a x b. Then |n|^2 is the determinant of the equations
for s and t, and n . (b x (p - q)) / |n|^2 is s: without differences of products that are nearly equal. Axes that are
parallel, but for 1e-4, touch at both ends of what they have side by side.
"""

from conjoint.lang import clip, cross, dot, kernel, maximum, where, z_axis
from conjoint.physics.collision.spheres import ball_at, keep_if_near
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

PARALLEL = 1e-8
"""Square of the sine of the angle between axes up to which they are parallel."""


@kernel
def capsule_manifold(m, d, g1, g2, margin, dists, points):
    """One contact at the nearest points of the axes; two, at the ends of what is side by side, if they are parallel."""
    a = z_axis(d.geom_xmat[g1]) * (2.0 * m.geom_size[g1].y)
    b = z_axis(d.geom_xmat[g2]) * (2.0 * m.geom_size[g2].y)
    p = d.geom_xpos[g1] - a * 0.5
    q = d.geom_xpos[g2] - b * 0.5
    aa = maximum(dot(a, a), mjMINVAL)
    bb = maximum(dot(b, b), mjMINVAL)
    ab = dot(a, b)
    between = p - q
    # where the ends of the second axis are along the first, and the end of the first along the second
    start = -dot(a, between) / aa
    end = (ab - dot(a, between)) / aa
    last = (ab + dot(b, between)) / bb
    normal = cross(a, b)
    square = dot(normal, normal)
    crossing = square > PARALLEL * aa * bb
    inverse = 1.0 / maximum(square, mjMINVAL * mjMINVAL)
    place = where(crossing, clip(dot(normal, cross(b, between)) * inverse, 0.0, 1.0), 0.0)
    s, t = clamped(place, (ab * place + dot(b, between)) / bb, start, end)
    one = ball_at(m, g1, p + a * s)
    two = ball_at(m, g2, q + b * t)
    n = keep_if_near(margin + m.reach, d, g1, g2, one, two, dists, points, 0)
    if not crossing:
        s, t = clamped(1.0, last, start, end)
        one = ball_at(m, g1, p + a * s)
        two = ball_at(m, g2, q + b * t)
        n = keep_if_near(margin + m.reach, d, g1, g2, one, two, dists, points, n)
    return n


@kernel
def clamped(s, t, start, end):
    """Places on two segments: t within 0 and 1, and where that changes it, s nearest to the `start` or `end` of t."""
    s = where(t < 0.0, clip(start, 0.0, 1.0), where(t > 1.0, clip(end, 0.0, 1.0), s))
    return s, clip(t, 0.0, 1.0)
