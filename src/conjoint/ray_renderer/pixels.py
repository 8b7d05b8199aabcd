"""What the pixels of a picture show."""

from conjoint.lang import kernel

SAME_PLACE = 1.0 + 1e-9
"""Factor of distances within which shapes are in one place: the last of them is seen, as officially."""


@kernel
def clear(d):
    """Let pixels show nothing: `far` away."""
    for i in range(d.height * d.width):
        d.distance[i] = d.far
        d.seen[i] = -1


@kernel
def show(d, i, s, x, part):
    """Let pixel i show a part of shape s at distance x, if nothing is nearer."""
    if x >= d.near and x <= d.distance[i] * SAME_PLACE:
        d.distance[i] = x
        d.seen[i] = s
        d.part[i] = part
