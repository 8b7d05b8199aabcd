"""List of contacts, in the order of their pairs, with parameters that are combined from both geoms or flexes.

See the Modeling chapter, "Contact parameters": priority, `solmix`, element-wise maxima, and the global
override.

Contacts of a geom with a flex come after the contacts between geoms with the same lower body.
"""

from conjoint.lang import (
    cross,
    dot,
    formula,
    friction,
    group,
    kernel,
    load,
    maximum,
    minimum,
    row0,
    row1,
    row2,
    solref,
    spatial,
    unique,
    vec3,
    where,
)
from conjoint.physics.collision.collider_table import FIRST_CONVEX, LAST_CONVEX
from conjoint.physics.collision.contact_candidates import contact_frame
from conjoint.physics.collision.flex.bodies import contact_softness, depth_of_contact
from conjoint.physics.collision.pairs import list_touching, lower_body
from conjoint.physics.motion.support import is_sparse
from conjoint.physics.official.midphase import is_missed
from conjoint.physics.pair_filter import are_still
from conjoint.schema.constants import IN_GAP, mjMINMU, mjMINVAL
from conjoint.schema.enums import mjtEnableBit, mjtWarning

CONTACT_FULL = int(mjtWarning.mjWARN_CONTACTFULL)

NO_DOFS = 3
"""Value of `contact_exclude` for contacts between bodies that no degree of freedom moves."""


@kernel
def drop_missed_contacts(m, d, edition):
    """Drop contacts of near pairs in those worlds where MuJoCo misses them."""
    for k in range(d.nnear):
        searched = d.near_collider[k] >= FIRST_CONVEX and d.near_collider[k] <= LAST_CONVEX
        if d.found_num[k] > 0 and is_missed(m, d, k, searched, edition):
            d.found_num[k] = 0


@kernel
def list_contacts(m, d):
    """List the detected contacts that are within the margins of their pairs, in `d.ncon` and `d.contact_*`."""
    d.ncon = 0
    flexible = d.nfound_geoms
    for p in range(list_touching(m, d)):
        k = d.near_order[0, p]
        if d.found_num[k] > 0:
            if m.nflex > 0:
                flexible = list_flex_contacts(m, d, flexible, lower_body(m, d, k))
            list_contacts_of_pair(m, d, k)
    if m.nflex > 0:
        list_flex_contacts(m, d, flexible, m.nbody + 1)


@kernel
def list_contacts_of_pair(m, d, k):
    """List the contacts of near pair k that are within the margin of the pair.

    If m.reach is positive, as in lanes, contacts beyond the margin may have been detected, too.
    """
    g1 = d.near_geom1[k]
    g2 = d.near_geom2[k]
    b1 = m.geom_bodyid[g1]
    b2 = m.geom_bodyid[g2]
    if d.near_pair[k] >= 0:
        mixture = pair_mixture(m, d.near_pair[k])
    else:
        mixture = mixed(geom_parameters(m, g1), geom_parameters(m, g2))
    first = d.found_adr[k]
    for f in range(first, first + d.found_num[k]):
        if (m.reach == 0.0 or d.found_dist[f] <= d.near_margin[k]) and has_room(m, d):
            frame = contact_frame(d.found_point[f, 1], d.found_point[f, 2])
            for i in unique(d.ncon):
                set_place(d, i, f, frame)
                d.contact_geom[i, 0] = g1
                d.contact_geom[i, 1] = g2
                d.contact_invweight[i] = m.body_invweight0[b1] + m.body_invweight0[b2]
                d.contact_includemargin[i] = d.near_acting[k]
                put_mixture(m, d, i, mixture)
            d.ncon += 1


@kernel
def has_room(m, d):
    """Return True if the user's limit `nconmax` allows another contact; if not, count a warning.

    A limit of zero disables contacts, so it causes no warning.
    """
    if m.nconmax < 0 or d.ncon < m.nconmax:
        return True
    if m.nconmax > 0:
        d.warning.lastinfo[CONTACT_FULL] = d.ncon
        d.warning.number[CONTACT_FULL] += 1
    return False


@kernel
def set_place(d, i, f, frame):
    """Set distance, position and frame of contact i to those of detected contact f."""
    d.contact_dist[i] = d.found_dist[f]
    d.contact_pos[i] = d.found_point[f, 0]
    d.contact_frame[i] = frame


@kernel(one_by_one="worlds together run at 0.75 of the speed (a cloth on a ball and a box)")
def list_flex_contacts(m, d, first, body):
    """List the detected flex contacts of bodies below `body`, starting at index `first`; return the next index.

    Detected contacts are sorted by body; `body_of` returns the body of a contact.
    """
    i = first
    while i < d.nfound and body_of(m, d, i) < body:
        if has_room(m, d):
            c = d.ncon
            d.ncon = c + 1
            set_place(d, c, i, contact_frame(d.found_point[i, 1], vec3(0.0, 0.0, 0.0)))
            set_sides(m, d, c, i)
            set_mixture(m, d, c)
        i += 1
    return i


@kernel
def body_of(m, d, i):
    """Return the body of the geom in detected flex contact i, or m.nbody if both sides are flexes.

    So contacts between flexes come last.
    """
    if d.found_geom[i] < 0:
        return m.nbody
    return m.geom_bodyid[d.found_geom[i]]


@kernel
def set_sides(m, d, c, i):
    """Set the geom, flex, element and vertex of both sides of contact c to those of detected contact i."""
    d.contact_geom[c, 0] = d.found_geom[i]
    d.contact_geom[c, 1] = -1
    for side in range(2):
        d.contact_flex[c, side] = d.found_flex[i, side]
        d.contact_elem[c, side] = d.found_elem[i, side]
        d.contact_vert[c, side] = d.found_vert[i, side]
    d.contact_invweight[c] = contact_softness(m, d, c)
    d.contact_includemargin[c] = d.found_acting[i]


@kernel
def set_mixture(m, d, c):
    """Set dimension, friction and solver parameters of flex contact c; adhesion is zero."""
    f = d.contact_flex[c, 0]
    second = flex_parameters(m, d.contact_flex[c, 1])
    if f < 0:
        first = geom_parameters(m, d.contact_geom[c, 0])
    else:
        first = flex_parameters(m, f)
    mixture = mixed(first, second)
    # the dimension of a flex may be below one; contacts within a tetrahedron are frictionless
    dim = maximum(mixture.dim, 1)
    if f >= 0 and d.contact_vert[c, 1] >= 0:
        dim = 1
    put_mixture(m, d, c, Mixture(dim, mixture.solref, mixture.solreffriction, mixture.solimp, mixture.friction, 0.0))


@kernel
def finish_contacts(m, d):
    """Exclude the contacts that are in the gap, except adhesive ones, which act there without friction."""
    for i in range(d.ncon):
        in_gap = d.contact_dist[i] >= d.contact_includemargin[i]
        sticks = d.contact_adhesion[i] > 0.0
        d.contact_exclude[i] = where(in_gap & (not sticks), IN_GAP, 0)
        d.contact_dim[i] = where(in_gap & sticks, 1, d.contact_dim[i])
        d.contact_efc_address[i] = -1
        d.contact_mu[i] = 0.0
        if d.contact_geom[i, 1] >= 0:
            for side in range(2):
                d.contact_flex[i, side] = -1
                d.contact_elem[i, side] = -1
                d.contact_vert[i, side] = -1


@kernel
def exclude_unmoved(m, d, edition):
    """Exclude contacts of explicit pairs and of flexes that no degree of freedom moves: their rows would be zero."""
    for c in range(d.ncon):
        if d.contact_exclude[c] == 0:
            if d.contact_geom[c, 1] >= 0:
                unmoved = are_still(m, m.geom_bodyid[d.contact_geom[c, 0]], m.geom_bodyid[d.contact_geom[c, 1]])
                unmoved = unmoved and (edition.excludes_unmoved or is_sparse(m))
            else:
                unmoved = is_sparse(m) and d.contact_invweight[c].x == 0.0 and depth_of_contact(m, d, c) == 0
            if unmoved:
                d.contact_exclude[c] = NO_DOFS


@kernel
def surface_velocities(m, d):
    """Compute contact_surfacevel: velocity of the second surface minus velocity of the first, in the contact frame.

    Its elements are the velocities along both tangents and the angular velocity about the normal.
    """
    for c in range(d.ncon):
        first = velocity_of_surface(m, d, d.contact_geom[c, 0], d.contact_pos[c])
        second = velocity_of_surface(m, d, d.contact_geom[c, 1], d.contact_pos[c])
        move = second.linear - first.linear
        frame = d.contact_frame[c]
        spin = dot(row0(frame), second.angular - first.angular)
        d.contact_surfacevel[c] = vec3(dot(row1(frame), move), dot(row2(frame), move), spin)


@kernel
def velocity_of_surface(m, d, g, point):
    """Return the surface velocity of geom g at a point, in world coordinates; zero for a flex (g = -1)."""
    none = vec3(0.0, 0.0, 0.0)
    if g < 0:
        return spatial(none, none)
    frame = d.geom_xmat[g]
    turn = frame @ load(vec3, m.geom_surfacevel, (g, 3))
    return spatial(turn, frame @ load(vec3, m.geom_surfacevel, (g, 0)) + cross(turn, point - d.geom_xpos[g]))


@group
def Parameters(priority, solmix, condim, solref, solimp, friction, adhesion):
    """Contact parameters of a geom or a flex."""


@group
def Mixture(dim, solref, solreffriction, solimp, friction, adhesion):
    """Contact parameters that are combined from both geoms or flexes of a contact."""


@kernel
def geom_parameters(m, g):
    """Return the contact parameters of geom g."""
    return Parameters(
        m.geom_priority[g], m.geom_solmix[g], m.geom_condim[g], m.geom_solref[g], m.geom_solimp[g], m.geom_friction[g],
        m.geom_adhesion[g],
    )  # fmt: skip


@kernel
def flex_parameters(m, f):
    """Return the contact parameters of flex f; it has no adhesion."""
    return Parameters(
        m.flex_priority[f], m.flex_solmix[f], m.flex_condim[f], m.flex_solref[f], m.flex_solimp[f], m.flex_friction[f],
        0.0,
    )  # fmt: skip


@kernel
def deciding(a, b):
    """Return the two sets of parameters to mix: a and b, or twice the same set if its priority is higher."""
    first = a
    second = b
    if a.priority > b.priority:
        second = a
    if a.priority < b.priority:
        first = b
    return first, second


@kernel
def dim_of(m, pair, g1, g2):
    """Return the dimension of the contacts between two geoms; `pair` is the id of their explicit pair, or -1."""
    if pair >= 0:
        return m.pair_dim[pair]
    first, second = deciding(geom_parameters(m, g1), geom_parameters(m, g2))
    return maximum(first.condim, second.condim)


@formula("friction", "friction")
def at_least_minimum(mu):
    """Return friction coefficients, each at least mjMINMU."""
    return tuple(maximum(mjMINMU, part) for part in mu)


@kernel
def pair_mixture(m, pair):
    """Return the contact parameters of an explicit pair."""
    mu = at_least_minimum(m.pair_friction[pair])
    return Mixture(
        m.pair_dim[pair], m.pair_solref[pair], m.pair_solreffriction[pair], m.pair_solimp[pair], mu,
        m.pair_adhesion[pair],
    )  # fmt: skip


@kernel
def weight_of(s1, s2):
    """Return the weight of the first geom or flex in weighted means, from the `solmix` of both."""
    alone = where(s1 < mjMINVAL, where(s2 < mjMINVAL, 0.5, 0.0), 1.0)
    return where((s1 < mjMINVAL) | (s2 < mjMINVAL), alone, s1 / (s1 + s2))


@kernel(exact=True)
def mixed(a, b):
    """Mix the contact parameters of two geoms or flexes.

    The one with the higher priority determines the result. If both have the same priority, solver parameters are
    weighted means, and each friction coefficient is the larger of the two.
    """
    first, second = deciding(a, b)
    weight = weight_of(first.solmix, second.solmix)
    other = 1.0 - weight
    # solref in the standard format is averaged; in the direct format the smaller value is used
    p, q = first.solref, second.solref
    direct = solref(minimum(p.timeconst, q.timeconst), minimum(p.dampratio, q.dampratio))
    reference = where((p.timeconst > 0.0) & (q.timeconst > 0.0), weight * p + other * q, direct)
    u, v = first.friction, second.friction
    slide = maximum(u.x, v.x)
    roll = maximum(u.z, v.z)
    mu = at_least_minimum(friction(slide, slide, maximum(u.y, v.y), roll, roll))
    dim = maximum(first.condim, second.condim)
    solimp = weight * first.solimp + other * second.solimp
    adhesion = where(a.priority == b.priority, a.adhesion + b.adhesion, first.adhesion)
    return Mixture(dim, reference, solref(0.0, 0.0), solimp, mu, adhesion)


@kernel
def put_mixture(m, d, i, mixture):
    """Set the parameters of contact i to `mixture`, or to the global options if the override flag is set."""
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        mu = at_least_minimum(m.opt.o_friction)
        mixture = Mixture(mixture.dim, m.opt.o_solref, m.opt.o_solref, m.opt.o_solimp, mu, mixture.adhesion)
    d.contact_dim[i] = mixture.dim
    d.contact_solref[i] = mixture.solref
    d.contact_solreffriction[i] = mixture.solreffriction
    d.contact_solimp[i] = mixture.solimp
    d.contact_friction[i] = mixture.friction
    d.contact_adhesion[i] = mixture.adhesion
