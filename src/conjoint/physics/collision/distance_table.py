"""Table of the kernels that measure distances between two geoms, by geom types."""

from conjoint.lang.language.name import Name
from conjoint.physics.collision.collider_table import (
    COLLIDER_NUMBERS,
    CONVEX,
    CONVEX_COLLIDERS,
    HFIELD,
    HFIELD_COLLIDERS,
    box_box,
    colliders,
    collision,
    hfield,
    is_native,
    spheres,
)
from conjoint.schema.enums import mjtGeom
from conjoint.schema.semantics import EDITION_3

NATIVE = tuple(collider for (native, _), collider in CONVEX_COLLIDERS.items() if native)
"""Colliders for convex bodies that are not used to measure distances, because another kernel does this.

Distances from height fields are measured by another kernel, too.
"""

NEAREST = {spheres.capsule_capsule_3: spheres.nearest_of_capsules, box_box: collision.distance.nearest_of_boxes}
"""Colliders that may omit the nearest contact, with the kernels that find it."""

BY_COLLIDER = {
    collider: collision.distance.distance_of(NEAREST.get(collider, collider))
    for collider in COLLIDER_NUMBERS
    if collider not in (*NATIVE, *HFIELD_COLLIDERS)
}
"""Kernels that measure the distance between two geoms, by collider."""

convex_distance_3 = collision.convex.editions.convex_distance_3
convex_distance_4, hfield_distance = collision.convex.editions.convex_distance_4, hfield.hfield_distance
NOT_MEASURED = -1e300
"""Value returned instead of a distance if the plan is stale, or if a geom id is invalid."""

DISTANCE_NUMBERS = {
    measure: number
    for number, measure in enumerate((*BY_COLLIDER.values(), convex_distance_3, convex_distance_4, hfield_distance))
}
"""Numbers in plans of the kernels that measure distances."""


def distances(disableflags: int, enableflags: int, edition: int) -> dict[tuple[mjtGeom, mjtGeom], Name]:
    """Return the kernels that measure distances, by pair of geom types, for a model's flags and edition."""
    general = dict.fromkeys(HFIELD, hfield_distance)
    if is_native(disableflags):
        measure = convex_distance_3 if edition == EDITION_3 else convex_distance_4
        general |= dict.fromkeys((*CONVEX, (mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_BOX)), measure)
    chosen = colliders(disableflags, enableflags)
    return {types: BY_COLLIDER[collider] for types, collider in chosen.items() if types not in general} | general


def distance_name(number: int) -> str:
    """Return the name of the model requirement for the stage that measures distances with kernel `number`."""
    return f"distance by measure {number}"


MEASURES = {
    distance_name(number): Name("conjoint.physics.sensor").distance.measure_of(number, measure)
    for measure, number in DISTANCE_NUMBERS.items()
}
"""Kernels that measure distances for sensors, by model requirement."""
