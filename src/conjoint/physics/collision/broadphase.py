"""Which candidate pairs are near enough to test in detail."""

from conjoint.lang import abs, any, dot, kernel, maximum, sqrt, where, z_axis
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit, mjtGeom

NO_CONTACTS = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_CONTACT)
"""Flags that leave the contact list empty."""

SLACK = 1.000001
"""Factor by which bounds are enlarged: rounding must not lose a pair that touches exactly."""


@kernel
def candidate_margin(m, k):
    """Distance (m) below which candidate pair k gets contacts."""
    pair = m.candidate_pair[k]
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        return m.opt.o_margin
    if pair >= 0:
        return m.pair_margin[pair]
    return maximum(m.geom_margin[m.candidate_geom1[k]], m.geom_margin[m.candidate_geom2[k]])


@kernel
def broadphase(m, d):
    """Set `d.candidate_hit` for the pairs whose bounds are within the margin: spheres, or a sphere and a plane."""
    parents_collide = m.opt.disableflags & mjtDisableBit.mjDSBL_FILTERPARENT
    if (m.opt.disableflags & NO_CONTACTS) == 0:
        for k in range(m.npair_candidate):
            g1 = m.candidate_geom1[k]
            g2 = m.candidate_geom2[k]
            if m.candidate_parent[k] != 0 and parents_collide == 0:
                d.candidate_hit[k] = 0
            elif m.geom_type[g1] == mjtGeom.mjGEOM_PLANE and m.geom_rbound[g2] > 0.0:
                d.candidate_hit[k] = meets_plane(m, d, k, g1, g2)
            elif m.geom_rbound[g1] > 0.0 and m.geom_rbound[g2] > 0.0:
                d.candidate_hit[k] = bounds_meet(m, d, k, g1, g2)
            else:
                # a bound of zero is no bound
                d.candidate_hit[k] = 1


@kernel
def meets_plane(m, d, k, plane, g):
    """1 if geom g reaches within the margin of the plane, as far as its bounds tell."""
    normal = z_axis(d.geom_xmat[plane])
    height = dot(d.geom_xpos[g] - d.geom_xpos[plane], normal)
    margin = candidate_margin(m, k)
    if m.geom_type[g] == mjtGeom.mjGEOM_CAPSULE:
        # the extent of a capsule is known
        extent = m.geom_size[g].x + m.geom_size[g].y * abs(dot(normal, z_axis(d.geom_xmat[g])))
        return where(height <= margin + SLACK * extent, 1, 0)
    return where(height <= margin + SLACK * m.geom_rbound[g], 1, 0)


@kernel
def bounds_meet(m, d, k, g1, g2):
    """1 if the bounding spheres of two geoms are within the margin, and their extents along the line of centres too."""
    between = d.geom_xpos[g2] - d.geom_xpos[g1]
    margin = candidate_margin(m, k)
    reach = SLACK * (m.geom_rbound[g1] + m.geom_rbound[g2] + margin)
    square = dot(between, between)
    hit = square <= reach * reach
    if m.geom_type[g2] == mjtGeom.mjGEOM_CAPSULE and any(hit):
        # slabs perpendicular to that line separate most of the long shapes whose spheres overlap
        slab = m.geom_size[g2].y * abs(dot(between, z_axis(d.geom_xmat[g2])))
        if m.geom_type[g1] == mjtGeom.mjGEOM_CAPSULE:
            slab = slab + m.geom_size[g1].y * abs(dot(between, z_axis(d.geom_xmat[g1])))
        radii = SLACK * (m.geom_size[g1].x + m.geom_size[g2].x + margin)
        hit = hit & (square - SLACK * slab <= radii * sqrt(square))
    return where(hit, 1, 0)
