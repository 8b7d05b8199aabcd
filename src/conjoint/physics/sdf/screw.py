"""Signed distances of a bolt and a nut that fit each other, with the sizes of shadertoy.com/view/XtffzX.

Both are intersections (the larger of two distances) and unions (the smaller) of a hexagonal prism and solids of
revolution whose flanks are inclined by 45 degrees. The flank of a thread follows a helix. See I. Quilez, Distance
functions. Bolt and nut have the same head, with a distance of 1 between its flats, from z = -0.5 to 0. The shaft of the
bolt extends down to z = -1.
"""

from conjoint.lang import abs, atan2, floor, formula, maximum, minimum, sqrt

TURNS = 12.0
"""Number of turns of the thread per unit of length."""

FLANK = 0.5**0.5
"""Sine of the angle of all flanks (45 degrees)."""

HEXAGON = 0.75**0.5
"""Sine of the angle between adjacent flats of a hexagon (60 degrees)."""

CIRCLE = 6.283185307179586
"""Full turn in radians."""


@formula("real", *["real"] * 4)
def bolt_distance(x, y, z, radius):
    """Return the signed distance from a bolt about the z axis; the grooves of its thread are at `radius`."""
    beyond = sqrt(x * x + y * y) - radius
    tip = _flank(beyond, -z, 1.0)
    shaft = maximum(maximum(_thread(x, y, z, beyond), _slab(z, -1.0, 0.0)), tip)
    return minimum(shaft, _head(x, y, z, beyond))


@formula("real", *["real"] * 4)
def nut_distance(x, y, z, radius):
    """Return the signed distance from a nut about the z axis; its hole fits a bolt of `radius`, and has wider ends."""
    beyond = sqrt(x * x + y * y) - radius
    hole = maximum(_thread(x, y, z, beyond), _flank(beyond, -z, 0.5))
    hole = minimum(hole, _flank(beyond, -z, 0.05))
    return maximum(_head(x, y, z, beyond), -hole)


@formula("real", *["real"] * 3)
def _flank(beyond, along, reach):
    """Return the signed distance from a cone about the z axis.

    Its radius exceeds that of the thread by `reach` at `along` = 0, and decreases with `along`. Argument `beyond` is
    the distance from the axis, minus the radius of the thread.
    """
    return (beyond + along - reach) * FLANK


@formula("real", *["real"] * 3)
def _slab(z, low, high):
    """Return the signed distance from the slab between two planes perpendicular to z."""
    return abs(z - (low + high) / 2) - (high - low) / 2


@formula("real", *["real"] * 4)
def _thread(x, y, z, beyond):
    """Return the signed distance from thread flanks that rise and fall once per turn of a helix."""
    turns = z * TURNS - atan2(y, x) / CIRCLE
    ridge = abs(turns - floor(turns) - 0.5) / TURNS
    return _flank(beyond, -ridge, 0.0)


@formula("real", *["real"] * 4)
def _head(x, y, z, beyond):
    """Return the signed distance from a hexagonal prism, three intersecting slabs, with its top chamfered by a cone."""
    flats = maximum(abs(x), abs(0.5 * x) + abs(HEXAGON * y)) - 0.5
    return maximum(maximum(flats, _slab(z, -0.5, 0.0)), _flank(beyond, z, 0.22))
