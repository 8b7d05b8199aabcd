"""Signed distances of a bolt and a nut that fit each other; the sizes are those of shadertoy.com/view/XtffzX.

Both are intersections (the larger of two distances) and unions (the smaller) of a hexagonal prism and solids of
revolution with flanks of 45 degrees. The flank of a thread winds up in a helix. See I. Quilez, Distance functions. Both
have the same head, 1 across its flats, from z = -0.5 to 0; the shaft of the bolt goes down to -1.
"""

from conjoint.lang import abs, atan2, floor, formula, maximum, minimum, sqrt

TURNS = 12.0
"""Turns of the thread per unit of length."""

FLANK = 0.5**0.5
"""Sine of the angle of all flanks."""

HEXAGON = 0.75**0.5
"""Sine of the angle between the flats of a hexagon."""

CIRCLE = 6.283185307179586
"""Angle of a turn."""


@formula("real", *["real"] * 4)
def bolt_distance(x, y, z, radius):
    """Bolt whose thread has its grooves at `radius`."""
    beyond = sqrt(x * x + y * y) - radius
    tip = _flank(beyond, -z, 1.0)
    shaft = maximum(maximum(_thread(x, y, z, beyond), _slab(z, -1.0, 0.0)), tip)
    return minimum(shaft, _head(x, y, z, beyond))


@formula("real", *["real"] * 4)
def nut_distance(x, y, z, radius):
    """Nut with a hole for a bolt of `radius`, which opens at both ends."""
    beyond = sqrt(x * x + y * y) - radius
    hole = maximum(_thread(x, y, z, beyond), _flank(beyond, -z, 0.5))
    hole = minimum(hole, _flank(beyond, -z, 0.05))
    return maximum(_head(x, y, z, beyond), -hole)


@formula("real", *["real"] * 3)
def _flank(beyond, along, reach):
    """Inside of a cone around z. At 0 it is `reach` wider than the radius, and it gets narrower with `along`."""
    return (beyond + along - reach) * FLANK


@formula("real", *["real"] * 3)
def _slab(z, low, high):
    """Between two planes across z."""
    return abs(z - (low + high) / 2) - (high - low) / 2


@formula("real", *["real"] * 4)
def _thread(x, y, z, beyond):
    """Return the distance from thread flanks that rise and fall once per turn of a helix."""
    turns = z * TURNS - atan2(y, x) / CIRCLE
    ridge = abs(turns - floor(turns) - 0.5) / TURNS
    return _flank(beyond, -ridge, 0.0)


@formula("real", *["real"] * 4)
def _head(x, y, z, beyond):
    """Return the distance from a hexagonal prism, the intersection of three slabs, chamfered by a cone on top."""
    flats = maximum(abs(x), abs(0.5 * x) + abs(HEXAGON * y)) - 0.5
    return maximum(maximum(flats, _slab(z, -0.5, 0.0)), _flank(beyond, z, 0.22))
