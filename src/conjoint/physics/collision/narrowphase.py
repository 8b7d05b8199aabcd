"""Contacts of the pairs that the broad phase let through: one function per pair of geometry types."""

from conjoint.lang import kernel, local, real, vec3
from conjoint.physics.collision.broadphase import NO_CONTACTS, candidate_margin
from conjoint.physics.collision.contact import add_contact
from conjoint.physics.collision.found import VECTORS
from conjoint.physics.collision.plane import plane_box, plane_capsule, plane_cylinder, plane_ellipsoid, plane_sphere
from conjoint.physics.collision.solids import sphere_box, sphere_cylinder
from conjoint.physics.collision.spheres import capsule_capsule, sphere_capsule, sphere_sphere
from conjoint.schema.constants import mjMAXCONPAIR
from conjoint.schema.enums import mjtGeom

POINTS = VECTORS * mjMAXCONPAIR
"""Vectors of the contacts that one pair may have."""

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
"""Pairs of types that `collide` computes."""


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
    """List the contacts of candidate pair k."""
    dists = local(real, mjMAXCONPAIR)
    points = local(vec3, POINTS)
    margin = candidate_margin(m, k)
    n = collide(m, d, m.candidate_types[k], m.candidate_geom1[k], m.candidate_geom2[k], margin, dists, points)
    for i in range(n):
        at = VECTORS * i
        add_contact(m, d, k, dists[i], points[at], points[at + 1], points[at + 2])


@kernel(per_world=True)
def geom_distance(m, d, types, g1, g2, most):
    """Smallest distance of two geoms, up to `most`, and the points on them between which it is (mj_geomDistance).

    Returns:
        the distance, the point on g1, the point on g2; both zero if the distance is not below `most`.
    """
    dists = local(real, mjMAXCONPAIR)
    points = local(vec3, POINTS)
    n = collide(m, d, types, g1, g2, most, dists, points)
    nearest = 0
    for i in range(1, n):
        if dists[i] < dists[nearest]:
            nearest = i
    none = vec3(0.0, 0.0, 0.0)
    if n == 0:
        return most, none, none
    half = points[VECTORS * nearest + 1] * (0.5 * dists[nearest])
    middle = points[VECTORS * nearest]
    return dists[nearest] + 0.0, middle - half, middle + half


@kernel(per_world=True)
def collide(m, d, types, g1, g2, margin, dists, points):
    """Find the contacts of two geoms of a pair of types, up to a distance; returns their number (see `found.keep`)."""
    if types == PLANE_SPHERE:
        return plane_sphere(m, d, g1, g2, margin, dists, points)
    if types == PLANE_CAPSULE:
        return plane_capsule(m, d, g1, g2, margin, dists, points)
    if types == CAPSULE_CAPSULE:
        return capsule_capsule(m, d, g1, g2, margin, dists, points)
    if types == SPHERE_CAPSULE:
        return sphere_capsule(m, d, g1, g2, margin, dists, points)
    if types == SPHERE_SPHERE:
        return sphere_sphere(m, d, g1, g2, margin, dists, points)
    if types == SPHERE_BOX:
        return sphere_box(m, d, g1, g2, margin, dists, points)
    if types == SPHERE_CYLINDER:
        return sphere_cylinder(m, d, g1, g2, margin, dists, points)
    if types == PLANE_BOX:
        return plane_box(m, d, g1, g2, margin, dists, points)
    if types == PLANE_CYLINDER:
        return plane_cylinder(m, d, g1, g2, margin, dists, points)
    if types == PLANE_ELLIPSOID:
        return plane_ellipsoid(m, d, g1, g2, margin, dists, points)
    return 0
