"""Adding a contact to the list, with the parameters that its two geoms, or their explicit pair, give it."""

from conjoint.lang import (
    any,
    cross,
    dot,
    formula,
    kernel,
    lanes_max,
    logical_not,
    mat_from_rows,
    normalize3,
    row0,
    row1,
    where,
)
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
from conjoint.schema.semantics import read

CONTACT_FULL = int(mjtWarning.mjWARN_CONTACTFULL)

NO_DOFS = 3
"""`contact_exclude` of contacts of bodies that no degree of freedom moves."""

MOCAP_MOVES = read("mocap")
"""Bit of the rule in the row `rules` of a model."""


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
def add_contact(m, d, k, f, there):
    """Append contact f of those found, of near pair k, in the worlds of a block in which it is `there`.

    It is number `ncon` of each world: the numbers that it has in some world are gone through.
    """
    there = there & has_room(m, d, there)
    least = -lanes_max(where(there, -d.ncon, -d.ncon_capacity))
    most = lanes_max(where(there, d.ncon, -1))
    for i in range(least, most + 1):
        mine = there & (d.ncon == i)
        if any(mine):
            set_place(d, i, f, d.found_point[f, 2], mine)
            set_identity(m, d, i, k, mine)
            set_parameters(m, d, i, k, mine)
    d.ncon = d.ncon + where(there, 1, 0)


@kernel
def has_room(m, d, there):
    """Whether the user's limit leaves room for a contact; where it is `there` and there is none, a warning is counted.

    A limit of zero asks for no contacts, so nobody is warned.
    """
    room = (m.nconmax < 0) | (d.ncon < m.nconmax)
    if m.nconmax > 0:
        full = there & logical_not(room)
        d.warning.lastinfo[CONTACT_FULL] = where(full, d.ncon, d.warning.lastinfo[CONTACT_FULL])
        d.warning.number[CONTACT_FULL] = d.warning.number[CONTACT_FULL] + where(full, 1, 0)
    return room


@kernel
def set_place(d, i, f, tangent, mine):
    """Where contact i is, found contact f, in the worlds in which it is `mine`; `finish_contacts` makes a frame.

    Its y axis is near `tangent`, if that is not zero.
    """
    frame = mat_from_rows(d.found_point[f, 1], tangent, tangent)
    d.contact_dist[i] = where(mine, d.found_dist[f], d.contact_dist[i])
    d.contact_pos[i] = where(mine, d.found_point[f, 0], d.contact_pos[i])
    d.contact_exclude[i] = where(mine, 0, d.contact_exclude[i])
    d.contact_frame[i] = where(mine, frame, d.contact_frame[i])


@kernel
def set_identity(m, d, i, k, mine):
    """Which geoms contact i is between, how strongly their bodies resist being moved, and whether anything can."""
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    d.contact_geom[i, 0] = where(mine, g1, d.contact_geom[i, 0])
    d.contact_geom[i, 1] = where(mine, g2, d.contact_geom[i, 1])
    if m.nflex > 0:
        no_flexes(d, i)
    b1 = m.geom_bodyid[g1]
    b2 = m.geom_bodyid[g2]
    weight = m.body_invweight0[b1] + m.body_invweight0[b2]
    d.contact_invweight[i] = where(mine, weight, d.contact_invweight[i])
    # an explicit pair that nothing moves has rows of zeros, which compressed ones leave out, and rule mocap does
    if are_still(m, b1, b2) and (is_sparse(m) or m.rules & MOCAP_MOVES):
        d.contact_exclude[i] = where(mine, NO_DOFS, d.contact_exclude[i])


@kernel
def no_flexes(d, i):
    """Contact i is between two geoms."""
    for side in range(2):
        d.contact_flex[i, side] = -1
        d.contact_elem[i, side] = -1
        d.contact_vert[i, side] = -1


@kernel
def set_parameters(m, d, i, k, mine):
    """Margin, dimension, friction and solver parameters of contact i of near pair k, in worlds where it is `mine`."""
    pair = d.near_pair[k]
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    if pair >= 0:
        mixture = pair_mixture(m, pair)
    else:
        mixture = mixed(geom_parameters(m, g1), geom_parameters(m, g2))
    put_mixture(m, d, i, mixture, mine)
    # contacts in the gap are listed but make no constraint
    d.contact_includemargin[i] = where(mine, includemargin_of(m, pair, g1, g2), d.contact_includemargin[i])


@kernel
def finish_contacts(m, d):
    """What all contacts get alike, and frames of their normals and tangents."""
    for i in range(lanes_max(d.ncon)):
        directions = d.contact_frame[i]
        d.contact_frame[i] = contact_frame(row0(directions), row1(directions))
        d.contact_exclude[i] = where(d.contact_dist[i] >= d.contact_includemargin[i], IN_GAP, d.contact_exclude[i])
        d.contact_efc_address[i] = -1
        d.contact_mu[i] = 0.0
        if m.nflex == 0:
            no_flexes(d, i)
