"""The table of pairs: the kernel that finds the contacts of two types of geoms.

A collider takes `(m, d, g1, g2, margin, dists, points)`, geom g1 of the first type, and returns how many contacts it
kept (see `contact_candidates.keep`). A model compiles in only the colliders that it needs.
"""

from itertools import combinations_with_replacement

from conjoint.lang import Kernel, kernel
from conjoint.physics.collision.box_box import box_box
from conjoint.physics.collision.box_manifold import box_manifold
from conjoint.physics.collision.capsule_box import capsule_box
from conjoint.physics.collision.capsule_manifold import capsule_manifold
from conjoint.physics.collision.convex.collide import convex
from conjoint.physics.collision.convex.legacy import legacy_convex, legacy_convex_several
from conjoint.physics.collision.convex.manifold import convex_manifold
from conjoint.physics.collision.convex.several import convex_several
from conjoint.physics.collision.hfield import hfield_convex, hfield_overlaps, legacy_hfield_convex
from conjoint.physics.collision.plane import (
    plane_box,
    plane_capsule,
    plane_cylinder,
    plane_ellipsoid,
    plane_mesh,
    plane_sphere,
)
from conjoint.physics.collision.plane_manifold import plane_manifold
from conjoint.physics.collision.sdf import sdf_contacts, sdf_mesh_contacts
from conjoint.physics.collision.sphere_solids import sphere_box, sphere_cylinder
from conjoint.physics.collision.spheres import capsule_capsule, sphere_capsule, sphere_sphere
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit, mjtGeom
from conjoint.schema.semantics import has

SHAPES = range(mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_MESH + 1)
"""Types of convex geoms."""

HFIELD = tuple((mjtGeom.mjGEOM_HFIELD, mjtGeom(kind)) for kind in SHAPES)
"""Height fields with convex geoms."""

COLLIDERS: dict[tuple[mjtGeom, mjtGeom], Kernel] = {
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SPHERE): plane_sphere,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_CAPSULE): plane_capsule,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_ELLIPSOID): plane_ellipsoid,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_CYLINDER): plane_cylinder,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_BOX): plane_box,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_MESH): plane_mesh,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SDF): plane_mesh,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_SPHERE): sphere_sphere,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CAPSULE): sphere_capsule,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CYLINDER): sphere_cylinder,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_BOX): sphere_box,
    (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CAPSULE): capsule_capsule,
    (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_BOX): capsule_box,
    (mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_BOX): box_box,
}
"""Colliders of pairs of types that have their own, the smaller type first."""

CONVEX = tuple(
    (mjtGeom(first), mjtGeom(second))
    for first, second in combinations_with_replacement(SHAPES, 2)
    if (first, second) not in COLLIDERS
)
"""Pairs of types that have no collider of their own: what any convex bodies have."""

CONVEX_COLLIDERS: dict[tuple[bool, bool], Kernel] = {
    (True, False): convex,
    (True, True): convex_several,
    (False, False): legacy_convex,
    (False, True): legacy_convex_several,
}
"""Colliders of all other convex bodies: of the native pipeline or the legacy one, for one contact or several."""

WITH_FACES = frozenset({mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER, mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_MESH})
"""Types that may touch in several points, by the rule "multiccd"."""

RULE_COLLIDERS: dict[str, dict[tuple[mjtGeom, mjtGeom], Kernel]] = {
    "boxbox": {(mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_BOX): box_manifold},
    "planemesh": {
        (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_MESH): plane_manifold,
        (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SDF): plane_manifold,
    },
    "capsules": {(mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CAPSULE): capsule_manifold},
}
"""Colliders of pairs of types by rules of newer versions (`schema.semantics`)."""

HFIELD_COLLIDERS: dict[bool, Kernel] = {True: hfield_convex, False: legacy_hfield_convex}
"""Colliders of height fields: of the native pipeline or the legacy one."""


SDF_COLLIDERS: dict[tuple[mjtGeom, mjtGeom], Kernel] = {
    (mjtGeom(kind), mjtGeom.mjGEOM_SDF): sdf_mesh_contacts if kind == mjtGeom.mjGEOM_MESH else sdf_contacts
    for kind in range(mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_SDF + 1)
}
"""Shapes with signed distances, with all others but height fields, and planes, which see their meshes."""


@kernel(per_world=True)
def no_contacts(m, d, g1, g2, margin, dists, points):
    """Types that do not collide."""
    return 0


COLLIDER_NUMBERS = {
    collider: number
    for number, collider in enumerate(
        (
            *COLLIDERS.values(),
            *CONVEX_COLLIDERS.values(),
            convex_manifold,
            *HFIELD_COLLIDERS.values(),
            sdf_contacts,
            sdf_mesh_contacts,
            box_manifold,
            plane_manifold,
            capsule_manifold,
            hfield_overlaps,
        )
    )
}
"""Numbers by which plans know colliders, of which some serve several pairs of types."""


def is_native(disableflags: int) -> bool:
    """Whether convex bodies meet in the native pipeline."""
    return not disableflags & mjtDisableBit.mjDSBL_NATIVECCD


def colliders(disableflags: int, enableflags: int, rules: int = 0) -> dict[tuple[mjtGeom, mjtGeom], Kernel]:
    """Colliders by types, the smaller one first, under the flags of a model, and its rules of newer versions."""
    native = is_native(disableflags)
    several = bool(enableflags & mjtEnableBit.mjENBL_MULTICCD)
    general = CONVEX_COLLIDERS[native, several]
    by_overlap = native and has(rules, "fields")
    fields = dict.fromkeys(HFIELD, hfield_overlaps if by_overlap else HFIELD_COLLIDERS[native])
    found = COLLIDERS | dict.fromkeys(CONVEX, general) | fields | SDF_COLLIDERS
    for name, chosen in RULE_COLLIDERS.items():
        if has(rules, name):
            found |= chosen
    if has(rules, "multiccd") and not disableflags & mjtDisableBit.mjDSBL_MULTICCD:
        found |= dict.fromkeys(CONVEX, legacy_convex_several)
        if native:
            found |= {types: convex_manifold if WITH_FACES.issuperset(types) else convex for types in CONVEX}
    return found


def types_number(first: int, second: int) -> int:
    """Number of a pair of types, by which plans know it."""
    return first * mjtGeom.mjNGEOMTYPES + second


def types_name(number: int) -> str:
    """What a pair of types is called: "plane with box"."""
    return " with ".join(mjtGeom(t).name.removeprefix("mjGEOM_").lower() for t in divmod(number, mjtGeom.mjNGEOMTYPES))
