"""Listing the contacts of flexes among those of geoms, with the parameters that geoms and flexes give them."""

from conjoint.lang import kernel, maximum, vec3
from conjoint.physics.collision.contact import NO_DOFS, has_room, set_place
from conjoint.physics.collision.contact_parameters import (
    Mixture,
    flex_parameters,
    geom_parameters,
    includemargin_between,
    mixed,
    put_mixture,
)
from conjoint.physics.collision.feature import NONE
from conjoint.physics.collision.flex.bodies import contact_softness, depth_of_contact
from conjoint.physics.motion.support import is_sparse


@kernel
def list_flex_contacts(m, d, first, body):
    """List the found contacts of flexes from `first` on that come before those of geoms of a body; the next one."""
    i = first
    while i < d.nfound and body_of(m, d, i) < body:
        if has_room(m, d):
            c = d.ncon
            d.ncon = c + 1
            set_place(d, c, i, vec3(0.0, 0.0, 0.0))
            set_sides(m, d, c, i)
            set_mixture(m, d, c)
        i += 1
    return i


@kernel
def body_of(m, d, i):
    """Body of the geom of found contact i; contacts of flexes only come after those of the last one."""
    if d.found_geom[i] < 0:
        return m.nbody
    return m.geom_bodyid[d.found_geom[i]]


@kernel
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
    if is_sparse(m) and d.contact_invweight[c].x == 0.0 and depth_of_contact(m, d, c) == 0:
        d.contact_exclude[c] = NO_DOFS


@kernel
def set_mixture(m, d, c):
    """Margin, dimension, friction and solver parameters of contact c."""
    f = d.contact_flex[c, 0]
    other = d.contact_flex[c, 1]
    second = flex_parameters(m, other)
    if f < 0:
        first = geom_parameters(m, d.contact_geom[c, 0])
    else:
        first = flex_parameters(m, f)
    mixture = mixed(first, second)
    # flexes may ask for less than one dimension; within a tetrahedron there is no friction
    dim = maximum(mixture.dim, 1)
    if f >= 0 and d.contact_vert[c, 1] >= 0:
        dim = 1
    mixture = Mixture(dim, mixture.solref, mixture.solreffriction, mixture.solimp, mixture.friction)
    put_mixture(m, d, c, mixture)
    # of a flex with itself neither margins nor gaps count, as officially
    margin = 0.0
    if f != other:
        margin = includemargin_between(m, first, second)
    d.contact_includemargin[c] = margin
