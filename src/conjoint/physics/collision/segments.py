"""Nearest points of two segments p + s a and q + t b, with the parameters s and t in [-1, 1].

The parameter s on the first line is clamped to its segment, and t is that of the nearest point on the second line. If t
must be clamped, s is recomputed for the point nearest to the clamped t, and clamped (Ericson, Real-Time Collision
Detection, 2005, section 5.1.9).

Rounding matters for lines that are nearly parallel, so an edition chooses the formula for the parameters on the lines:
see `places_by_products` and `places_across`.
"""

from conjoint.lang import abs, clip, cross, dot, group, kernel, maximum, minimum, where
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

PARALLEL = 1e-6
"""Squared sine of the angle up to which short segments count as parallel."""


@group
def Lines(a, b, aa, ab, bb, square, ratio):
    """Half vectors a and b of two segments, their dot products, determinant |a x b|^2 for s and t, division kernel."""


@kernel
def divided(x, y):
    """Return x / y, rounded once."""
    return x / y


@kernel
def by_inverse(x, y):
    """Return x / y with the rounding of MuJoCo for capsules and boxes."""
    return x * (1.0 / y)


@kernel
def lines_along(a, b, aa, bb, ratio):
    """Return the `Lines` of two segments, given their half vectors and the squared lengths of these vectors.

    If segments meet at a point, the last bit of a quotient decides the result. So `ratio` is `divided` or `by_inverse`,
    as in MuJoCo 3.3.5.
    """
    normal = cross(a, b)
    least = mjMINVAL * mjMINVAL
    return Lines(a, b, maximum(aa, least), dot(a, b), maximum(bb, least), dot(normal, normal), ratio)


@kernel
def are_crossing(lines):
    """Return True if two segments are not parallel.

    For segments longer than a few millimeters, the squared cross product is compared with `mjMINVAL`, as in MuJoCo
    3.3.5.
    """
    return lines.square >= minimum(mjMINVAL, PARALLEL * lines.aa * lines.bb)


@kernel
def places_by_products(lines, between):
    """Return the parameters of the nearest points of two lines by Cramer's rule, with the rounding of MuJoCo 3.3.5."""
    u = -dot(lines.a, between)
    v = dot(lines.b, between)
    determinant = lines.aa * lines.bb - lines.ab * lines.ab
    s = lines.ratio(lines.bb * u + lines.ab * v, determinant)
    return s, lines.ratio(lines.aa * v + lines.ab * u, determinant)


@kernel
def places_across(lines, between):
    """Return the parameters of the nearest points of two lines from their common normal, without cancellation."""
    s = dot(cross(lines.a, lines.b), cross(lines.b, between)) * (1.0 / lines.square)
    return s, nearest_on_second(s, lines, between)


@kernel
def nearest_places(lines, between, places):
    """Return the parameters of the nearest points of two segments that are not parallel.

    Args:
        lines: see `Lines`.
        between: p - q, the vector from the center of the second segment to the center of the first.
        places: kernel that returns the parameters on the lines: `places_by_products` or `places_across`.

    Returns:
        s; t; the value that the last clamped parameter had before it was clamped, or a value in [-1, 1] if none was
        clamped.
    """
    s, t = places(lines, between)
    return limited_places(s, t, lines, between)


@kernel
def limited_places(s, t, lines, between):
    """Clamp the parameters of two lines to their segments, and adapt t to a clamped s; see `nearest_places`."""
    t = where(abs(s) > 1.0, nearest_on_second(clip(s, -1.0, 1.0), lines, between), t)
    again = nearest_on_first(clip(t, -1.0, 1.0), lines, between)
    outside = abs(t) > 1.0
    last = where(outside & (abs(again) > 1.0), again, s)
    return clip(where(outside, again, s), -1.0, 1.0), clip(t, -1.0, 1.0), last


@kernel
def nearest_on_second(s, lines, between):
    """Return the parameter of the point on the second line that is nearest to the point at s on the first line."""
    return lines.ratio(dot(lines.b, between) + lines.ab * s, lines.bb)


@kernel
def nearest_on_first(t, lines, between):
    """Return the parameter of the point on the first line that is nearest to the point at t on the second line."""
    return lines.ratio(lines.ab * t - dot(lines.a, between), lines.aa)


@kernel
def places_of_end(end, lines, between):
    """Return the parameters s and t for an end of one segment and the nearest point of the other segment.

    Ends 0 and 1 belong to the first segment, ends 2 and 3 to the second.
    """
    side = 1.0 - 2.0 * (end % 2)
    if end < 2:
        return side, clip(nearest_on_second(side, lines, between), -1.0, 1.0)
    return clip(nearest_on_first(side, lines, between), -1.0, 1.0), side


@kernel
def places_of_overlap(end, lines, between):
    """Return the parameters s and t at the lower (0) or upper (1) end of the overlap of two parallel segments."""
    place = 2.0 * end - 1.0
    s, t, _ = limited_places(place, nearest_on_second(place, lines, between), lines, between)
    return s, t
