"""Contacts of the pairs that the broad phase let through: one function per pair of geometry types."""

from conjoint.lang import kernel
from conjoint.physics.collision.broadphase import NO_CONTACTS, candidate_margin
from conjoint.physics.collision.plane import plane_box, plane_capsule, plane_cylinder, plane_ellipsoid, plane_sphere
from conjoint.physics.collision.solids import sphere_box, sphere_cylinder
from conjoint.physics.collision.spheres import capsule_capsule, sphere_capsule, sphere_sphere
from conjoint.schema.enums import mjtGeom

TYPE_STRIDE = 16
"""Pair of types (a, b) as one integer: `a * TYPE_STRIDE + b`."""

PLANE_SPHERE = mjtGeom.mjGEOM_PLANE * TYPE_STRIDE + mjtGeom.mjGEOM_SPHERE
PLANE_CAPSULE = mjtGeom.mjGEOM_PLANE * TYPE_STRIDE + mjtGeom.mjGEOM_CAPSULE
PLANE_ELLIPSOID = mjtGeom.mjGEOM_PLANE * TYPE_STRIDE + mjtGeom.mjGEOM_ELLIPSOID
PLANE_CYLINDER = mjtGeom.mjGEOM_PLANE * TYPE_STRIDE + mjtGeom.mjGEOM_CYLINDER
PLANE_BOX = mjtGeom.mjGEOM_PLANE * TYPE_STRIDE + mjtGeom.mjGEOM_BOX
SPHERE_SPHERE = mjtGeom.mjGEOM_SPHERE * TYPE_STRIDE + mjtGeom.mjGEOM_SPHERE
SPHERE_CAPSULE = mjtGeom.mjGEOM_SPHERE * TYPE_STRIDE + mjtGeom.mjGEOM_CAPSULE
SPHERE_CYLINDER = mjtGeom.mjGEOM_SPHERE * TYPE_STRIDE + mjtGeom.mjGEOM_CYLINDER
SPHERE_BOX = mjtGeom.mjGEOM_SPHERE * TYPE_STRIDE + mjtGeom.mjGEOM_BOX
CAPSULE_CAPSULE = mjtGeom.mjGEOM_CAPSULE * TYPE_STRIDE + mjtGeom.mjGEOM_CAPSULE

SUPPORTED = frozenset({
    PLANE_SPHERE, PLANE_CAPSULE, PLANE_ELLIPSOID, PLANE_CYLINDER, PLANE_BOX, SPHERE_SPHERE, SPHERE_CAPSULE,
    SPHERE_CYLINDER, SPHERE_BOX, CAPSULE_CAPSULE,
})  # fmt: skip
"""Pairs of types that `collide_pair` computes."""


@kernel(per_world=True)
def narrowphase(m, d):
    """Fill the contact list: `d.ncon`, `d.contact_*`. What did not fit is in `d.ncon_needed`."""
    d.ncon = 0
    d.ncon_needed = 0
    if (m.opt.disableflags & NO_CONTACTS) == 0:
        for k in range(m.npair_candidate):
            if d.candidate_hit[k] != 0:
                collide_pair(m, d, k)


@kernel(per_world=True)
def collide_pair(m, d, k):
    """Add the contacts of candidate pair k."""
    margin = candidate_margin(m, k)
    types = m.candidate_types[k]
    if types == PLANE_SPHERE:
        plane_sphere(m, d, k, margin)
    elif types == PLANE_CAPSULE:
        plane_capsule(m, d, k, margin)
    elif types == CAPSULE_CAPSULE:
        capsule_capsule(m, d, k, margin)
    elif types == SPHERE_CAPSULE:
        sphere_capsule(m, d, k, margin)
    elif types == SPHERE_SPHERE:
        sphere_sphere(m, d, k, margin)
    elif types == SPHERE_BOX:
        sphere_box(m, d, k, margin)
    elif types == SPHERE_CYLINDER:
        sphere_cylinder(m, d, k, margin)
    elif types == PLANE_BOX:
        plane_box(m, d, k, margin)
    elif types == PLANE_CYLINDER:
        plane_cylinder(m, d, k, margin)
    elif types == PLANE_ELLIPSOID:
        plane_ellipsoid(m, d, k, margin)
