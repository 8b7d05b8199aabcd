"""Adding a contact to the list, with the parameters that its two geoms, or their explicit pair, give it."""

from conjoint.lang import cross, dot, formula, kernel, mat_from_rows, normalize3, row0, row1, unique, where
from conjoint.physics.collision.contact_parameters import (
    geom_parameters,
    includemargin_of,
    mixed,
    pair_mixture,
    put_mixture,
)
from conjoint.physics.motion.support import is_sparse
from conjoint.physics.pair_filter import are_still
from conjoint.schema.constants import IN_GAP
from conjoint.schema.enums import mjtWarning
from conjoint.schema.semantics import EDITION_4

CONTACT_FULL = int(mjtWarning.mjWARN_CONTACTFULL)

NO_DOFS = 3
"""`contact_exclude` of contacts of bodies that no degree of freedom moves."""


@formula("mat3", "vec3", "vec3", exact=True)
def contact_frame(normal, tangent):
    """Rows x, y, z of a frame with x axis along `normal`; y is near `tangent`, or a world axis if that is short."""
    # unit to the last bit, as the official engine makes it (mju_makeFrame): see `support.velocity_of`
    normal = normalize3(normal)
    # no tangent: the world's y axis, or z where the normal is too near y
    sideways = (normal[1] < 0.5) & (normal[1] > -0.5)
    axis = (0.0, where(sideways, 1.0, 0.0), where(sideways, 0.0, 1.0))
    given = dot(tangent, tangent) >= 0.25
    y = tuple(where(given, tangent[i], axis[i]) for i in range(3))
    # take away the part along the normal
    overlap = dot(normal, y)
    y = normalize3(tuple(y[i] - overlap * normal[i] for i in range(3)))
    return (*normal, *y, *cross(normal, y))


@kernel
def add_contact(m, d, k, f):
    """Append found contact f, of near pair k, if there is room for it."""
    if has_room(m, d):
        for i in unique(d.ncon):
            set_place(d, i, f, d.found_point[f, 2])
            set_identity(m, d, i, k)
            set_parameters(m, d, i, k)
        d.ncon += 1


@kernel
def has_room(m, d):
    """Whether the user's limit leaves room for a contact; if there is none, a warning is counted.

    A limit of zero asks for no contacts, so nobody is warned.
    """
    if m.nconmax < 0 or d.ncon < m.nconmax:
        return True
    if m.nconmax > 0:
        d.warning.lastinfo[CONTACT_FULL] = d.ncon
        d.warning.number[CONTACT_FULL] += 1
    return False


@kernel
def set_place(d, i, f, tangent):
    """Where contact i is, found contact f; `finish_contacts` makes a frame, its y axis near `tangent` if not zero."""
    d.contact_dist[i] = d.found_dist[f]
    d.contact_pos[i] = d.found_point[f, 0]
    d.contact_exclude[i] = 0
    d.contact_frame[i] = mat_from_rows(d.found_point[f, 1], tangent, tangent)


@kernel
def set_identity(m, d, i, k):
    """Which geoms contact i is between, how strongly their bodies resist being moved, and whether anything can."""
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    d.contact_geom[i, 0] = g1
    d.contact_geom[i, 1] = g2
    if m.nflex > 0:
        no_flexes(d, i)
    b1 = m.geom_bodyid[g1]
    b2 = m.geom_bodyid[g2]
    d.contact_invweight[i] = m.body_invweight0[b1] + m.body_invweight0[b2]
    # an explicit pair that nothing moves has rows of zeros, which compressed ones leave out, and rule mocap does
    if are_still(m, b1, b2) and (is_sparse(m) or m.edition == EDITION_4):
        d.contact_exclude[i] = NO_DOFS


@kernel
def no_flexes(d, i):
    """Contact i is between two geoms."""
    for side in range(2):
        d.contact_flex[i, side] = -1
        d.contact_elem[i, side] = -1
        d.contact_vert[i, side] = -1


@kernel
def set_parameters(m, d, i, k):
    """Margin, dimension, friction and solver parameters of contact i, of near pair k."""
    pair = d.near_pair[k]
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    if pair >= 0:
        mixture = pair_mixture(m, pair)
    else:
        mixture = mixed(geom_parameters(m, g1), geom_parameters(m, g2))
    put_mixture(m, d, i, mixture)
    # contacts in the gap are listed but make no constraint
    d.contact_includemargin[i] = includemargin_of(m, pair, g1, g2)


@kernel
def finish_contacts(m, d):
    """What all contacts get alike, and frames of their normals and tangents."""
    for i in range(d.ncon):
        directions = d.contact_frame[i]
        d.contact_frame[i] = contact_frame(row0(directions), row1(directions))
        if d.contact_dist[i] >= d.contact_includemargin[i]:
            d.contact_exclude[i] = IN_GAP
        d.contact_efc_address[i] = -1
        d.contact_mu[i] = 0.0
        if m.nflex == 0:
            no_flexes(d, i)
