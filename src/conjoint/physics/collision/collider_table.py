"""Table of collision kernels by pair of geom types.

A collider is called with `(m, d, g1, g2, margin, dists, points)`, where g1 has the first type. It returns the number of
contacts that it stored (see `contact_candidates.keep`). A model compiles only the colliders that it needs.
"""

from itertools import combinations_with_replacement

from conjoint.lang import kernel
from conjoint.lang.language.name import Name
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit, mjtGeom
from conjoint.schema.semantics import EDITION_3, EDITION_4

collision = Name("conjoint.physics.collision")
hfield, plane, sdf, spheres, solids = (
    collision.hfield, collision.plane, collision.sdf, collision.spheres, collision.sphere_solids,
)  # fmt: skip
box_box, capsule_box = collision.box_box_3.box_box_3, collision.capsule_box.capsule_box
box_box_4 = collision.box_box_4.box_box_4
convex_3, convex_4 = collision.convex.editions.convex_3, collision.convex.editions.convex_4
convex_several_3 = collision.convex.editions.convex_several_3
convex_several_4 = collision.convex.editions.convex_several_4

SHAPES = range(mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_MESH + 1)
"""Types of convex geoms."""

HFIELD = tuple((mjtGeom.mjGEOM_HFIELD, mjtGeom(kind)) for kind in SHAPES)
"""Pairs of a height field and a convex geom type."""

COLLIDERS: dict[tuple[mjtGeom, mjtGeom], Name] = {
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SPHERE): plane.plane_sphere,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_CAPSULE): plane.plane_capsule,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_ELLIPSOID): plane.plane_ellipsoid,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_CYLINDER): plane.plane_cylinder,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_BOX): plane.plane_box,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_MESH): plane.plane_mesh,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SDF): plane.plane_mesh,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_SPHERE): spheres.sphere_sphere,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CAPSULE): spheres.sphere_capsule,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CYLINDER): solids.sphere_cylinder,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_BOX): solids.sphere_box,
    (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CAPSULE): spheres.capsule_capsule_3,
    (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_BOX): capsule_box,
    (mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_BOX): box_box,
}
"""Specialized colliders by pair of geom types, the smaller type first."""

CONVEX = tuple(
    (mjtGeom(first), mjtGeom(second))
    for first, second in combinations_with_replacement(SHAPES, 2)
    if (first, second) not in COLLIDERS
)
"""Pairs of geom types without a specialized collider: they use the collider for convex bodies."""

CONVEX_COLLIDERS: dict[tuple[bool, bool], Name] = {
    (True, False): convex_3,
    (True, True): convex_several_3,
    (False, False): collision.convex.editions.legacy_convex,
    (False, True): collision.convex.editions.legacy_convex_several,
}
"""Colliders for convex bodies by two flags: the native pipeline is used, and several contacts are requested."""

WITH_FACES = frozenset({mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER, mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_MESH})
"""Geom types that may touch at several points in edition 4.0."""

COLLIDERS_4: dict[tuple[mjtGeom, mjtGeom], Name] = {
    (mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_BOX): box_box_4,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_MESH): plane.plane_mesh_4,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SDF): plane.plane_mesh_4,
    (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CAPSULE): spheres.capsule_capsule_4,
}
"""Colliders of edition 4.0 that differ from `COLLIDERS`, by pair of geom types."""

HFIELD_COLLIDERS: tuple[Name, ...] = (hfield.hfield_convex_3, hfield.hfield_convex_4, hfield.hfield_convex_legacy)
"""Colliders for height fields: for editions 3.3.5 and 4.0 in the native pipeline, and for the legacy pipeline."""


SDF_COLLIDERS: dict[tuple[mjtGeom, mjtGeom], Name] = {
    (mjtGeom(kind), mjtGeom.mjGEOM_SDF): sdf.sdf_mesh_contacts if kind == mjtGeom.mjGEOM_MESH else sdf.sdf_contacts
    for kind in range(mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_SDF + 1)
}
"""Colliders for pairs of an SDF geom and any shape except height fields and planes.

Planes collide with the mesh of an SDF geom.
"""


@kernel
def no_contacts(m, d, g1, g2, margin, dists, points):
    """Return 0 contacts, for geom types that do not collide."""
    return 0


COLLIDER_NUMBERS = {
    collider: number
    for number, collider in enumerate(
        (
            *COLLIDERS.values(),
            *CONVEX_COLLIDERS.values(),
            convex_several_4,
            convex_4,
            *HFIELD_COLLIDERS,
            sdf.sdf_contacts,
            sdf.sdf_mesh_contacts,
            box_box_4,
            plane.plane_mesh_4,
            spheres.capsule_capsule_4,
        )
    )
}
"""Numbers of colliders in plans; some colliders serve several pairs of geom types."""

CONVEX_NUMBERS = tuple(
    COLLIDER_NUMBERS[collider] for collider in (*CONVEX_COLLIDERS.values(), convex_several_4, convex_4)
)
FIRST_CONVEX = min(CONVEX_NUMBERS)
LAST_CONVEX = max(CONVEX_NUMBERS)
"""Highest collider number for convex bodies; a model uses one such collider for all pairs of convex bodies."""

CAPSULE_BOX = COLLIDER_NUMBERS[capsule_box]
"""Number of the collider for a capsule and a box."""


def contacts_name(number: int) -> str:
    """Return the name of the model requirement for the stage that runs collider `number`."""
    return f"contacts by collider {number}"


NARROWPHASE = {
    contacts_name(number): collision.finding.narrowphase_of(number, collider)
    for collider, number in COLLIDER_NUMBERS.items()
}
"""Kernels of the narrow phase for all colliders, keyed by the model requirement for the stage that runs them."""


def is_native(disableflags: int) -> bool:
    """Return True if the native pipeline is used for convex bodies."""
    return not disableflags & mjtDisableBit.mjDSBL_NATIVECCD


def colliders(disableflags: int, enableflags: int, edition: int = EDITION_3) -> dict[tuple[mjtGeom, mjtGeom], Name]:
    """Return the colliders by pair of geom types, the smaller type first, for a model's flags and edition."""
    native = is_native(disableflags)
    several = bool(enableflags & mjtEnableBit.mjENBL_MULTICCD)
    newer = edition == EDITION_4
    single = convex_4 if newer else convex_3
    general = single if native and not several else CONVEX_COLLIDERS[native, several]
    fields = dict.fromkeys(HFIELD, HFIELD_COLLIDERS[edition] if native else hfield.hfield_convex_legacy)
    found = COLLIDERS | dict.fromkeys(CONVEX, general) | fields | SDF_COLLIDERS
    if newer:
        found |= COLLIDERS_4
    if newer and not disableflags & mjtDisableBit.mjDSBL_MULTICCD:
        found |= dict.fromkeys(CONVEX, collision.convex.editions.legacy_convex_several)
        if native:
            found |= {types: convex_several_4 if WITH_FACES.issuperset(types) else single for types in CONVEX}
    return found


def types_number(first: int, second: int) -> int:
    """Return the index of a pair of geom types in plans."""
    return first * mjtGeom.mjNGEOMTYPES + second


def types_name(number: int) -> str:
    """Return the name of a pair of geom types, such as "plane with box"."""
    return " with ".join(mjtGeom(t).name.removeprefix("mjGEOM_").lower() for t in divmod(number, mjtGeom.mjNGEOMTYPES))
