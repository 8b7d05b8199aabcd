"""Adding a contact to the list, with the parameters that its two geoms, or their explicit pair, give it.

See the Modeling chapter, "Contact parameters": priority, `solmix`, element-wise maxima, and the global override.
"""

from conjoint.lang import (
    any,
    cross,
    dot,
    formula,
    friction,
    kernel,
    lanes_max,
    logical_not,
    mat_from_rows,
    maximum,
    minimum,
    normalize3,
    row0,
    row1,
    solref,
    where,
)
from conjoint.physics.collision.broadphase import margin_of
from conjoint.physics.support import is_sparse
from conjoint.schema.constants import mjMINMU, mjMINVAL
from conjoint.schema.enums import mjtEnableBit, mjtWarning

CONTACT_FULL = int(mjtWarning.mjWARN_CONTACTFULL)

IN_GAP = 1
"""`contact_exclude` of contacts that are listed but beyond the margin without the gap."""

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


@formula("friction", "friction")
def at_least_minimum(mu):
    """Friction coefficients, none of them below mjMINMU."""
    return tuple(maximum(mjMINMU, part) for part in mu)


@kernel(per_world=True)
def add_contact(m, d, k, dist, pos, normal, tangent):
    """Append a contact of near pair k.

    Args:
        m: model.
        d: data, with room in the list.
        k: near pair.
        dist: distance between the surfaces, negative where they overlap (m).
        pos: midpoint between the surfaces, in the world.
        normal: unit vector from the first geom to the second.
        tangent: preferred direction of the frame's y axis, or zero.
    """
    i = new_contact(m, d, dist, pos, normal, tangent)
    if i >= 0:
        set_identity(m, d, i, k, True)
        set_parameters(m, d, i, k, True)


@kernel(per_world=True)
def new_contact(m, d, dist, pos, normal, tangent):
    """Append a contact, see `add_contact`: its number, or -1 if the user's limit is reached.

    A limit of zero asks for no contacts, so nobody is warned.
    """
    i = d.ncon
    if m.nconmax >= 0 and i >= m.nconmax:
        if m.nconmax > 0:
            d.warning.lastinfo[CONTACT_FULL] = i
            d.warning.number[CONTACT_FULL] += 1
        return -1
    d.ncon = i + 1
    set_place(d, i, dist, pos, normal, tangent, True)
    return i


@kernel
def add_contacts(m, d, k, f, there):
    """Append contact f of those found, of near pair k, in the worlds of a block in which it is `there`.

    It is number `ncon` of each world: the numbers that it has in some world are gone through.
    """
    if m.nconmax >= 0:
        full = there & (d.ncon >= m.nconmax)
        there = there & logical_not(full)
        full = full & (m.nconmax > 0)
        d.warning.lastinfo[CONTACT_FULL] = where(full, d.ncon, d.warning.lastinfo[CONTACT_FULL])
        d.warning.number[CONTACT_FULL] = d.warning.number[CONTACT_FULL] + where(full, 1, 0)
    least = -lanes_max(where(there, -d.ncon, -d.ncon_capacity))
    most = lanes_max(where(there, d.ncon, -1))
    for i in range(least, most + 1):
        mine = there & (d.ncon == i)
        if any(mine):
            dist = d.found_dist[f]
            set_place(d, i, dist, d.found_point[f, 0], d.found_point[f, 1], d.found_point[f, 2], mine)
            set_identity(m, d, i, k, mine)
            set_parameters(m, d, i, k, mine)
    d.ncon = d.ncon + where(there, 1, 0)


@kernel
def set_place(d, i, dist, pos, normal, tangent, mine):
    """Where contact i is, in the worlds in which it is `mine`, see `add_contact`; `finish_contacts` makes a frame."""
    d.contact_dist[i] = where(mine, dist, d.contact_dist[i])
    d.contact_pos[i] = where(mine, pos, d.contact_pos[i])
    d.contact_exclude[i] = where(mine, 0, d.contact_exclude[i])
    d.contact_frame[i] = where(mine, mat_from_rows(normal, tangent, tangent), d.contact_frame[i])


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
    # an explicit pair that nothing moves has rows of zeros, which compressed ones leave out
    if m.body_weldid[b1] == 0 and m.body_weldid[b2] == 0 and is_sparse(m):
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
    d.contact_dim[i] = where(mine, dim_of(m, pair, g1, g2), d.contact_dim[i])
    if pair >= 0:
        copy_pair(m, d, i, pair, mine)
    else:
        d.contact_solreffriction[i] = where(mine, solref(0.0, 0.0), d.contact_solreffriction[i])
        mix_geoms(m, d, i, g1, g2, mine)
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        override(m, d, i, mine)
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


@kernel
def includemargin_of(m, pair, g1, g2):
    """Distance (m) below which contacts of two geoms make constraints; `pair` is the id of their pair, or -1."""
    if pair >= 0:
        return margin_of(m, pair, g1, g2) - m.pair_gap[pair]
    return margin_of(m, pair, g1, g2) - maximum(m.geom_gap[g1], m.geom_gap[g2])


@kernel
def dim_of(m, pair, g1, g2):
    """Dimension of the contacts of two geoms; `pair` is the id of their explicit pair, or -1."""
    if pair >= 0:
        return m.pair_dim[pair]
    first, second = deciding(m, g1, g2)
    return maximum(m.geom_condim[first], m.geom_condim[second])


@kernel
def deciding(m, g1, g2):
    """The geoms whose parameters a contact gets: both, or twice that of the higher priority."""
    first = g1
    second = g2
    if m.geom_priority[g1] > m.geom_priority[g2]:
        second = g1
    if m.geom_priority[g1] < m.geom_priority[g2]:
        first = g2
    return first, second


@kernel
def copy_pair(m, d, i, pair, mine):
    """Parameters of an explicit pair."""
    d.contact_friction[i] = where(mine, at_least_minimum(m.pair_friction[pair]), d.contact_friction[i])
    d.contact_solimp[i] = where(mine, m.pair_solimp[pair], d.contact_solimp[i])
    d.contact_solref[i] = where(mine, m.pair_solref[pair], d.contact_solref[i])
    d.contact_solreffriction[i] = where(mine, m.pair_solreffriction[pair], d.contact_solreffriction[i])


@kernel
def mixing_weight(m, g1, g2):
    """Weight of g1's solver parameters against g2's: by priority, else by `solmix`."""
    return weight_of(m.geom_priority[g1], m.geom_priority[g2], m.geom_solmix[g1], m.geom_solmix[g2])


@kernel
def weight_of(priority1, priority2, s1, s2):
    """Weight of the first of two things that touch, by their priorities and `solmix`."""
    if priority1 > priority2:
        return 1.0
    if priority1 < priority2:
        return 0.0
    alone = where(s1 < mjMINVAL, where(s2 < mjMINVAL, 0.5, 0.0), 1.0)
    return where((s1 < mjMINVAL) | (s2 < mjMINVAL), alone, s1 / (s1 + s2))


@kernel
def mix_geoms(m, d, i, g1, g2, mine):
    """Parameters of contact i from geoms g1 and g2: those of the higher priority; at equal priority, a mixture."""
    weight = mixing_weight(m, g1, g2)
    # at unequal priority "the larger friction" is that of the geom that decides
    first, second = deciding(m, g1, g2)
    imp1 = m.geom_solimp[first]
    imp2 = m.geom_solimp[second]
    ref1 = m.geom_solref[first]
    ref2 = m.geom_solref[second]
    mix(d, i, weight, imp1, imp2, ref1, ref2, m.geom_friction[first], m.geom_friction[second], mine)


@kernel
def mix(d, i, weight, imp1, imp2, a, b, u, v, mine):
    """Parameters of contact i, in the worlds where it is `mine`: means of impedances and references with a weight of
    the first, the larger friction."""
    other = 1.0 - weight
    d.contact_solimp[i] = where(mine, weight * imp1 + other * imp2, d.contact_solimp[i])
    # references in the standard format mix; a direct one wins by the smaller value
    direct = solref(minimum(a.timeconst, b.timeconst), minimum(a.dampratio, b.dampratio))
    reference = where((a.timeconst > 0.0) & (b.timeconst > 0.0), weight * a + other * b, direct)
    d.contact_solref[i] = where(mine, reference, d.contact_solref[i])
    slide = maximum(u.x, v.x)
    roll = maximum(u.z, v.z)
    mu = at_least_minimum(friction(slide, slide, maximum(u.y, v.y), roll, roll))
    d.contact_friction[i] = where(mine, mu, d.contact_friction[i])


@kernel
def override(m, d, i, mine):
    """Parameters that the override flag imposes on every contact."""
    d.contact_friction[i] = where(mine, at_least_minimum(m.opt.o_friction), d.contact_friction[i])
    d.contact_solimp[i] = where(mine, m.opt.o_solimp, d.contact_solimp[i])
    d.contact_solref[i] = where(mine, m.opt.o_solref, d.contact_solref[i])
    d.contact_solreffriction[i] = where(mine, m.opt.o_solref, d.contact_solreffriction[i])
