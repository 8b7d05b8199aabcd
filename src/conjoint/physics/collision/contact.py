"""Adding a contact to the list, with the parameters that its two geoms, or their explicit pair, give it.

See the Modeling chapter, "Contact parameters": priority, `solmix`, element-wise maxima, and the global override.
"""

from conjoint.lang import (
    cross,
    dot,
    formula,
    friction,
    kernel,
    lanes_max,
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
        set_identity(m, d, i, k)
        set_parameters(m, d, i, k)


@kernel(per_world=True)
def new_contact(m, d, dist, pos, normal, tangent):
    """Append a contact, see `add_contact`: its number, or -1 if the user's limit is reached."""
    i = d.ncon + 0
    if m.nconmax >= 0 and i >= m.nconmax:
        d.warning.lastinfo[CONTACT_FULL] = i
        d.warning.number[CONTACT_FULL] += 1
        return -1
    d.ncon = i + 1
    d.contact_dist[i] = dist
    d.contact_pos[i] = pos
    d.contact_exclude[i] = 0
    # `finish_contacts` makes a frame of it
    d.contact_frame[i] = mat_from_rows(normal, tangent, tangent)
    return i


@kernel(per_world=True)
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
    # an explicit pair that nothing moves has rows of zeros, which compressed ones leave out
    if m.body_weldid[b1] == 0 and m.body_weldid[b2] == 0 and is_sparse(m):
        d.contact_exclude[i] = NO_DOFS


@kernel
def no_flexes(d, i):
    """Contact i is between two geoms."""
    for side in range(2):
        d.contact_flex[i, side] = -1
        d.contact_elem[i, side] = -1
        d.contact_vert[i, side] = -1


@kernel(per_world=True)
def set_parameters(m, d, i, k):
    """Margin, dimension, friction and solver parameters of contact i of near pair k."""
    pair = d.near_pair[k]
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    d.contact_dim[i] = dim_of(m, pair, g1, g2)
    if pair >= 0:
        copy_pair(m, d, i, pair)
    else:
        d.contact_solreffriction[i] = solref(0.0, 0.0)
        mix_geoms(m, d, i, g1, g2)
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        override(m, d, i)
    # contacts in the gap are listed but make no constraint
    d.contact_includemargin[i] = includemargin_of(m, pair, g1, g2)


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


@kernel(per_world=True)
def copy_pair(m, d, i, pair):
    """Parameters of an explicit pair."""
    d.contact_friction[i] = at_least_minimum(m.pair_friction[pair])
    d.contact_solimp[i] = m.pair_solimp[pair]
    d.contact_solref[i] = m.pair_solref[pair]
    d.contact_solreffriction[i] = m.pair_solreffriction[pair]


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
    if s1 >= mjMINVAL and s2 >= mjMINVAL:
        return s1 / (s1 + s2)
    if s1 < mjMINVAL and s2 < mjMINVAL:
        return 0.5
    return where(s1 < mjMINVAL, 0.0, 1.0)


@kernel(per_world=True)
def mix_geoms(m, d, i, g1, g2):
    """Parameters of contact i from geoms g1 and g2: those of the higher priority; at equal priority, a mixture."""
    weight = mixing_weight(m, g1, g2)
    # at unequal priority "the larger friction" is that of the geom that decides
    first, second = deciding(m, g1, g2)
    imp1 = m.geom_solimp[first]
    imp2 = m.geom_solimp[second]
    ref1 = m.geom_solref[first]
    ref2 = m.geom_solref[second]
    mix(d, i, weight, imp1, imp2, ref1, ref2, m.geom_friction[first], m.geom_friction[second])


@kernel(per_world=True)
def mix(d, i, weight, imp1, imp2, a, b, u, v):
    """Parameters of contact i: means of impedances and references with a weight of the first, the larger friction."""
    other = 1.0 - weight
    d.contact_solimp[i] = weight * imp1 + other * imp2
    # references in the standard format mix; a direct one wins by the smaller value
    if a.timeconst > 0.0 and b.timeconst > 0.0:
        d.contact_solref[i] = weight * a + other * b
    else:
        d.contact_solref[i] = solref(minimum(a.timeconst, b.timeconst), minimum(a.dampratio, b.dampratio))
    slide = maximum(u.x, v.x)
    roll = maximum(u.z, v.z)
    d.contact_friction[i] = at_least_minimum(friction(slide, slide, maximum(u.y, v.y), roll, roll))


@kernel(per_world=True)
def override(m, d, i):
    """Parameters that the override flag imposes on every contact."""
    d.contact_friction[i] = at_least_minimum(m.opt.o_friction)
    d.contact_solimp[i] = m.opt.o_solimp
    d.contact_solref[i] = m.opt.o_solref
    d.contact_solreffriction[i] = m.opt.o_solref
