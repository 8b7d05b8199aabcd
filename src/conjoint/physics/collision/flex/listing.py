"""Listing the contacts of flexes among those of geoms, with the parameters that geoms and flexes give them."""

from conjoint.lang import any, kernel, maximum, solref, vec3
from conjoint.physics.collision.contact import NO_DOFS, mix, new_contact, override, weight_of
from conjoint.physics.collision.flex.bodies import contact_softness, depth_of_contact
from conjoint.physics.collision.flex.contacts import flex_margin
from conjoint.physics.collision.flex.flex_candidates import NONE, flexes_margin
from conjoint.physics.support import is_sparse
from conjoint.schema.enums import mjtEnableBit


@kernel(per_world=True)
def list_flex_contacts(m, d, first, body):
    """List the found contacts of flexes from `first` on that come before those of geoms of a body; the next one."""
    i = first
    while i < d.nfound and body_of(m, d, i) < body:
        c = new_contact(m, d, d.found_dist[i], d.found_point[i, 0], d.found_point[i, 1], vec3(0.0, 0.0, 0.0))
        if c >= 0:
            set_sides(m, d, c, i)
            set_mixture(m, d, c)
        i += 1
    return i


@kernel(per_world=True)
def body_of(m, d, i):
    """Body of the geom of found contact i; contacts of flexes only come after those of the last one."""
    if d.found_geom[i] < 0:
        return m.nbody
    return m.geom_bodyid[d.found_geom[i]]


@kernel(per_world=True)
def set_sides(m, d, c, i):
    """What contact c is between: what was kept of found contact i."""
    d.contact_geom[c, 0] = d.found_geom[i]
    d.contact_geom[c, 1] = NONE
    for side in range(2):
        d.contact_flex[c, side] = d.found_flex[i, side]
        d.contact_elem[c, side] = d.found_elem[i, side]
        d.contact_vert[c, side] = d.found_vert[i, side]
    d.contact_invweight[c] = contact_softness(m, d, c)
    # as of geoms: rows of zeros are left out where rows are compressed
    if is_sparse(m) and any(d.contact_invweight[c].x == 0.0) and depth_of_contact(m, d, c) == 0:
        d.contact_exclude[c] = NO_DOFS


@kernel(per_world=True)
def set_mixture(m, d, c):
    """Margin, dimension, friction and solver parameters of contact c."""
    g = d.contact_geom[c, 0]
    f1 = d.contact_flex[c, 0]
    f2 = d.contact_flex[c, 1]
    imp2 = m.flex_solimp[f2]
    ref2 = m.flex_solref[f2]
    rub2 = m.flex_friction[f2]
    dim2 = m.flex_condim[f2]
    if g >= 0:
        priority1 = m.geom_priority[g]
        mix1 = m.geom_solmix[g]
        imp1 = m.geom_solimp[g]
        ref1 = m.geom_solref[g]
        rub1 = m.geom_friction[g]
        dim1 = m.geom_condim[g]
        margin = flex_margin(m, g, f2) - maximum(m.geom_gap[g], m.flex_gap[f2])
    else:
        priority1 = m.flex_priority[f1]
        mix1 = m.flex_solmix[f1]
        imp1 = m.flex_solimp[f1]
        ref1 = m.flex_solref[f1]
        rub1 = m.flex_friction[f1]
        dim1 = m.flex_condim[f1]
        margin = flexes_margin(m, f1, f2)
        if f1 != f2:
            margin -= maximum(m.flex_gap[f1], m.flex_gap[f2])
    weight = weight_of(priority1, m.flex_priority[f2], mix1, m.flex_solmix[f2])
    # at unequal priority one of them decides alone
    if priority1 > m.flex_priority[f2]:
        imp2 = imp1
        ref2 = ref1
        rub2 = rub1
        dim2 = dim1
    elif priority1 < m.flex_priority[f2]:
        imp1 = imp2
        ref1 = ref2
        rub1 = rub2
        dim1 = dim2
    # flexes may ask for less than one dimension
    d.contact_dim[c] = maximum(maximum(dim1, dim2), 1)
    if g < 0 and d.contact_vert[c, 1] >= 0:
        # within a tetrahedron there is no friction
        d.contact_dim[c] = 1
    d.contact_solreffriction[c] = solref(0.0, 0.0)
    mix(d, c, weight, imp1, imp2, ref1, ref2, rub1, rub2, True)
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        override(m, d, c, True)
    d.contact_includemargin[c] = margin
