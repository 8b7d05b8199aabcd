"""Which candidate pairs are near enough to test in detail."""

from conjoint.lang import dot, kernel, maximum, where, z_axis
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit, mjtGeom

NO_CONTACTS = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_CONTACT)
"""Flags that leave the contact list empty."""


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
            between = d.geom_xpos[g2] - d.geom_xpos[g1]
            margin = candidate_margin(m, k)
            if m.candidate_parent[k] != 0 and parents_collide == 0:
                d.candidate_hit[k] = 0
            elif m.geom_type[g1] == mjtGeom.mjGEOM_PLANE and m.geom_rbound[g2] > 0.0:
                height = dot(between, z_axis(d.geom_xmat[g1]))
                d.candidate_hit[k] = where(height <= m.geom_rbound[g2] + margin, 1, 0)
            elif m.geom_rbound[g1] > 0.0 and m.geom_rbound[g2] > 0.0:
                reach = m.geom_rbound[g1] + m.geom_rbound[g2] + margin
                d.candidate_hit[k] = where(dot(between, between) <= reach * reach, 1, 0)
            else:
                # a bound of zero is no bound
                d.candidate_hit[k] = 1
