"""The table of pairs: the kernel that finds the contacts of two types of geoms.

A collider takes `(m, d, g1, g2, margin, dists, points)`, geom g1 of the first type, and returns how many contacts it
kept (see `found.keep`). A model compiles in only the pairs of types that it has.
"""

from conjoint.lang import Kernel
from conjoint.physics.collision.box_box import box_box
from conjoint.physics.collision.capsule_box import capsule_box
from conjoint.physics.collision.mesh import plane_mesh
from conjoint.physics.collision.plane import plane_box, plane_capsule, plane_cylinder, plane_ellipsoid, plane_sphere
from conjoint.physics.collision.solids import sphere_box, sphere_cylinder
from conjoint.physics.collision.spheres import capsule_capsule, sphere_capsule, sphere_sphere
from conjoint.schema.enums import mjtGeom

COLLIDERS: dict[tuple[mjtGeom, mjtGeom], Kernel] = {
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SPHERE): plane_sphere,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_CAPSULE): plane_capsule,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_ELLIPSOID): plane_ellipsoid,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_CYLINDER): plane_cylinder,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_BOX): plane_box,
    (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_MESH): plane_mesh,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_SPHERE): sphere_sphere,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CAPSULE): sphere_capsule,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CYLINDER): sphere_cylinder,
    (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_BOX): sphere_box,
    (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CAPSULE): capsule_capsule,
    (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_BOX): capsule_box,
    (mjtGeom.mjGEOM_BOX, mjtGeom.mjGEOM_BOX): box_box,
}
"""Colliders by types, the smaller one first."""


def types_number(first: int, second: int) -> int:
    """Number of a pair of types, by which plans know it."""
    return first * mjtGeom.mjNGEOMTYPES + second


def types_name(number: int) -> str:
    """What a pair of types is called: "plane with box"."""
    return " with ".join(mjtGeom(t).name.removeprefix("mjGEOM_").lower() for t in divmod(number, mjtGeom.mjNGEOMTYPES))
