"""Nearest points of two segments p + s a and q + t b, with s and t in [-1, 1].

Ericson, Real-Time Collision Detection (2005), section 5.1.9: the place on the first line is clamped to its segment, and
the place on the second line is the nearest to it. If that must be clamped, the first place is the nearest to it again.

Rounding matters for lines that are nearly parallel, so an edition chooses the formula of the places on the lines: see
`places_by_products` and `places_across`.
"""

from conjoint.lang import abs, clip, cross, dot, group, kernel, maximum, minimum, where
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

PARALLEL = 1e-6
"""Square of the sine of the angle up to which short segments are parallel."""


@group
def Lines(a, b, aa, ab, bb, square, ratio):
    """Halves of two segments, their products, |a x b|^2, which is the determinant for s and t, and the kernel for
    division."""


@kernel
def divided(x, y):
    """Return the ratio of two numbers, rounded once."""
    return x / y


@kernel
def by_inverse(x, y):
    """Return the ratio of two numbers, as MuJoCo rounds it for capsules and boxes."""
    return x * (1.0 / y)


@kernel
def lines_along(a, b, aa, bb, ratio):
    """Return the `Lines` of two halves of segments and the squares of their lengths.

    If segments meet in one point, the last bit decides, so `ratio` is `divided` or `by_inverse`, as in MuJoCo 3.3.5.
    """
    normal = cross(a, b)
    least = mjMINVAL * mjMINVAL
    return Lines(a, b, maximum(aa, least), dot(a, b), maximum(bb, least), dot(normal, normal), ratio)


@kernel
def are_crossing(lines):
    """Return True if two segments are not parallel.

    Segments of more than some millimeters are compared with `mjMINVAL`, as in MuJoCo 3.3.5.
    """
    return lines.square >= minimum(mjMINVAL, PARALLEL * lines.aa * lines.bb)


@kernel
def places_by_products(lines, between):
    """Return the places of the nearest points of two lines by Cramer's rule, with the rounding of MuJoCo 3.3.5."""
    u = -dot(lines.a, between)
    v = dot(lines.b, between)
    determinant = lines.aa * lines.bb - lines.ab * lines.ab
    s = lines.ratio(lines.bb * u + lines.ab * v, determinant)
    return s, lines.ratio(lines.aa * v + lines.ab * u, determinant)


@kernel
def places_across(lines, between):
    """Return the places of the nearest points of two lines by the line across both, without cancellation."""
    s = dot(cross(lines.a, lines.b), cross(lines.b, between)) * (1.0 / lines.square)
    return s, nearest_on_second(s, lines, between)


@kernel
def nearest_places(lines, between, places):
    """Return the places of the nearest points of two segments that are not parallel.

    Args:
        lines: see `Lines`.
        between: p - q, from the middle of the second segment to that of the first.
        places: kernel that returns the places on the lines: `places_by_products` or `places_across`.

    Returns:
        s; t; the place on the first line that was clamped last, in [-1, 1] if none was.
    """
    s, t = places(lines, between)
    return limited_places(s, t, lines, between)


@kernel
def limited_places(s, t, lines, between):
    """Clamp places on two lines to the segments, where t is the nearest to s; see `nearest_places`."""
    t = where(abs(s) > 1.0, nearest_on_second(clip(s, -1.0, 1.0), lines, between), t)
    again = nearest_on_first(clip(t, -1.0, 1.0), lines, between)
    outside = abs(t) > 1.0
    last = where(outside & (abs(again) > 1.0), again, s)
    return clip(where(outside, again, s), -1.0, 1.0), clip(t, -1.0, 1.0), last


@kernel
def nearest_on_second(s, lines, between):
    """Return the place on the second line nearest to place s on the first one."""
    return lines.ratio(dot(lines.b, between) + lines.ab * s, lines.bb)


@kernel
def nearest_on_first(t, lines, between):
    """Return the place on the first line nearest to place t on the second one."""
    return lines.ratio(lines.ab * t - dot(lines.a, between), lines.aa)


@kernel
def places_of_end(end, lines, between):
    """Return the places of an end, 0 or 1 of the first segment or 2 or 3 of the second, and of the point nearest to
    it."""
    side = 1.0 - 2.0 * (end % 2)
    if end < 2:
        return side, clip(nearest_on_second(side, lines, between), -1.0, 1.0)
    return clip(nearest_on_first(side, lines, between), -1.0, 1.0), side


@kernel
def places_of_overlap(end, lines, between):
    """Return the places at the lower (0) or upper (1) end of the overlap of two parallel segments."""
    place = 2.0 * end - 1.0
    s, t, _ = limited_places(place, nearest_on_second(place, lines, between), lines, between)
    return s, t
