"""Contacts between balls swept along segments: spheres and capsules.

Two such geoms touch at the nearest points of their segments (see `segments`).
"""

from dataclasses import dataclass, replace

from conjoint.lang import (
    Group,
    Kernel,
    any,
    change,
    clip,
    cross,
    dot,
    group,
    kernel,
    normalize3,
    sqrt,
    where,
    z_axis,
)
from conjoint.physics.collision.contact_candidates import collider_by, keep
from conjoint.physics.collision.segments import (
    are_crossing,
    divided,
    lines_along,
    nearest_places,
    places_across,
    places_by_products,
    places_of_end,
    places_of_overlap,
)
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

NEARLY_PARALLEL = 1e-8
"""Squared sine of the angle between axes up to which they count as parallel in edition 4.0."""


@group
def Ball(center, radius):
    """A ball: its center and its radius."""


@kernel
def ball_at(m, g, center):
    """Return a ball with the radius of geom g at a given center."""
    return Ball(center, m.geom_size[g].x)


@kernel
def balls_meet(margin, first, second):
    """Return True if the distance between two balls is within the margin."""
    between = second.center - first.center
    limit = margin + first.radius + second.radius
    return dot(between, between) <= limit * limit


@kernel
def keep_balls(d, g1, g2, first, second, dists, points, n):
    """Store contact number n, between balls of two geoms; return the number of contacts."""
    between = second.center - first.center
    length = sqrt(dot(between, between))
    dist = length - first.radius - second.radius
    concentric = length < mjMINVAL
    normal = between * (1.0 / length)
    if any(concentric):
        # concentric balls separate along the common perpendicular of their z axes
        across = normalize3(cross(z_axis(d.geom_xmat[g1]), z_axis(d.geom_xmat[g2])))
        normal = where(concentric, across, normal)
        dist = where(concentric, dist + change(dot(across, between)), dist)
    pos = first.center + normal * (first.radius + 0.5 * dist)
    return keep(dists, points, n, dist, pos, normal)


@kernel
def keep_if_near(limit, d, g1, g2, first, second, dists, points, n):
    """Store contact number n, between balls of two geoms, if they are within `limit`; return the number of contacts."""
    if balls_meet(limit, first, second):
        return keep_balls(d, g1, g2, first, second, dists, points, n)
    return n


@kernel
def sphere_sphere(m, d, g1, g2, margin, dists, points):
    """Find at most one contact between two spheres."""
    first = ball_at(m, g1, d.geom_xpos[g1])
    second = ball_at(m, g2, d.geom_xpos[g2])
    return keep_if_near(margin + m.reach, d, g1, g2, first, second, dists, points, 0)


@kernel
def sphere_capsule(m, d, ball, capsule, margin, dists, points):
    """Find at most one contact between a sphere and a capsule, at the point of its segment nearest to the sphere."""
    center = d.geom_xpos[ball]
    axis = z_axis(d.geom_xmat[capsule])
    half = m.geom_size[capsule].y
    along = clip(dot(axis, center - d.geom_xpos[capsule]), -half, half)
    first = ball_at(m, ball, center)
    second = ball_at(m, capsule, d.geom_xpos[capsule] + axis * along)
    return keep_if_near(margin + m.reach, d, ball, capsule, first, second, dists, points, 0)


# ---- two capsules


@dataclass(frozen=True)
class CapsuleEdition(Group):
    """Rules of an edition for the collision of two capsules.

    Attributes:
        crossing: kernel `(lines)` that returns True if the axes of the capsules are not parallel.
        places: kernel `(lines, between)` that returns the parameters of the nearest points on lines that are not
            parallel.
        ends: number of ends of segments to test if the axes are parallel.
        at_end: kernel `(end, lines, between)` that returns the parameters of an end of one segment, and of the point on
            the other segment nearest to it.
        most: maximum number of contacts if the axes are parallel.
    """

    crossing: Kernel
    places: Kernel
    ends: int
    at_end: Kernel
    most: int


@kernel
def capsule_contacts(m, d, g1, g2, margin, dists, points, edition):
    """Find a contact at the nearest points of two capsules' axes, or several at axis ends if the axes are parallel."""
    center1 = d.geom_xpos[g1]
    center2 = d.geom_xpos[g2]
    a = z_axis(d.geom_xmat[g1]) * m.geom_size[g1].y
    b = z_axis(d.geom_xmat[g2]) * m.geom_size[g2].y
    lines = lines_along(a, b, dot(a, a), dot(b, b), divided)
    between = center1 - center2
    if edition.crossing(lines):
        s, t, _ = nearest_places(lines, between, edition.places)
        first = ball_at(m, g1, center1 + a * s)
        second = ball_at(m, g2, center2 + b * t)
        return keep_if_near(margin + m.reach, d, g1, g2, first, second, dists, points, 0)
    n = 0
    for end in range(edition.ends):
        s, t = edition.at_end(end, lines, between)
        if n < edition.most:
            first = ball_at(m, g1, center1 + a * s)
            second = ball_at(m, g2, center2 + b * t)
            n = keep_if_near(margin, d, g1, g2, first, second, dists, points, n)
    return n


@kernel
def are_clearly_crossing(lines):
    """Return True if the angle between two axes exceeds 1e-4 rad."""
    return lines.square > NEARLY_PARALLEL * lines.aa * lines.bb


CAPSULES_3 = CapsuleEdition(crossing=are_crossing, places=places_by_products, ends=4, at_end=places_of_end, most=2)
"""Rules of edition 3.3.5.

For parallel axes, contacts are at the first two ends that are close enough; ends of the first axis are tested first.
"""

CAPSULES_4 = CapsuleEdition(
    crossing=are_clearly_crossing, places=places_across, ends=2, at_end=places_of_overlap, most=2
)
"""Rules of edition 4.0: for parallel axes, contacts are at both ends of the overlap of the segments."""

ALL_OF_CAPSULES_3 = replace(CAPSULES_3, places=places_across, most=4)
"""Rules of edition 3.3.5, except that parallel axes give contacts at all ends, so that the nearest is among them."""

capsule_capsule_3 = collider_by("capsule_capsule_3", capsule_contacts, CAPSULES_3)
capsule_capsule_4 = collider_by("capsule_capsule_4", capsule_contacts, CAPSULES_4)
nearest_of_capsules = collider_by("nearest_of_capsules", capsule_contacts, ALL_OF_CAPSULES_3)
"""Collider for two capsules whose contacts include the nearest points of the capsules.

The other colliders follow editions 3.3.5 and 4.0.
"""
