"""Contact rows of pyramidal and elliptic friction cones, and of frictionless contacts.

The Jacobian maps qvel to the velocity of the second body relative to the first, at the contact point, in the contact
frame. It contains only the dofs that move exactly one of the two bodies. See the Computation chapter, "Contact".
"""

from conjoint.lang import (
    KBIP,
    all,
    group,
    kernel,
    local,
    maximum,
    minimum,
    real,
    shared,
    spatial,
    sqrt,
    vec3,
    where,
)
from conjoint.physics.collision.flex.bodies import MOST_BODIES, contact_bodies
from conjoint.physics.constraint.count import rows_of
from conjoint.physics.constraint.impedance import has_mixed_formats, limited, row_parameters, stiffness_and_damping
from conjoint.physics.constraint.jacobian import DENSE, column, open_rows, row_length
from conjoint.physics.constraint.rows import clear_rows, regularization, write_row
from conjoint.physics.motion.chains import (
    begin_chains,
    chain_length,
    last_dof,
    length_of_chains,
    next_of_chains,
    next_of_two,
)
from conjoint.physics.motion.support import tree_arm, velocity_of
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import ROUGH, mjMINVAL
from conjoint.schema.enums import mjtCone, mjtConstraint

CHUNK = 32
"""Number of contacts in a chunk of work."""

SHARE = 128.0
"""Ratio that `least_share` returns, in units of the rounding error of the precision."""

FRICTIONLESS = int(mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
PYRAMIDAL = int(mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL)
ELLIPTIC = int(mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC)


@group
def Directions(dim, rows, frame, friction):
    """Directions of a contact: dimension, number of rows, frame (normal and tangents), and friction coefficients."""


@kernel
def contact_parameters(m, d):
    """Compute `contact_KBIP`, `contact_R` and `contact_mu`, the parameters common to all rows of a contact."""
    shared(parameters_of_chunk, m, d, (fullest(d.ncon) + CHUNK - 1) // CHUNK)


@kernel
def parameters_of_chunk(m, d, chunk):
    """Compute `contact_KBIP`, `contact_R` and `contact_mu` for one chunk of contacts."""
    for c in range(CHUNK * chunk, minimum(d.ncon, CHUNK * (chunk + 1))):
        violation = d.contact_dist[c] - d.contact_includemargin[c]
        act = row_parameters(m, d.contact_solref[c], d.contact_solimp[c], violation)
        d.contact_KBIP[c] = act
        imp = act.I
        slide = d.contact_friction[c].tangent1
        frictionless = d.contact_dim[c] == 1
        weight = d.contact_invweight[c].x
        mu = slide * sqrt(1.0 / maximum(mjMINVAL, m.opt.impratio))
        if m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
            # edges of the pyramid share one R, which gives the cone's normal row the impedance of `solimp`
            edge = regularization(imp, weight * (1.0 + slide * slide))
            share = maximum(2.0 * mu * mu, least_share(m))
            d.contact_R[c] = where(frictionless, regularization(imp, weight), share * edge)
        else:
            d.contact_R[c] = regularization(imp, weight)
        # contacts without friction or without rows have no cone
        rowless = (d.contact_exclude[c] != 0) | (m.nv == 0)
        d.contact_mu[c] = where(frictionless | rowless, 0.0, mu)


@kernel
def least_share(m):
    """Return the minimum ratio of the regularization of a pyramid's rows to the regularization of a single edge.

    With a smaller ratio, the rows have so much weight that solvers in single precision lose the rest of the
    Hessian.
    """
    return where(m.epsilon > ROUGH, SHARE * m.epsilon, 0.0)


@kernel
def place_contacts(m, d, r):
    """Set contact_efc_address, so that contacts that are not excluded have consecutive rows starting at row r."""
    for c in range(d.ncon):
        if d.contact_exclude[c] == 0:
            d.contact_efc_address[c] = r
            r += rows_of(m, d.contact_dim[c])


@kernel(label="contacts")
def contact_rows(m, d, J, first):
    """Fill the rows of all contacts, starting at row `first`."""
    place_contacts(m, d, first)
    for c in range(d.ncon):
        r = d.contact_efc_address[c]
        if r >= 0:
            dim = d.contact_dim[c]
            if is_of_flex(m, d, c):
                # the columns are determined while they are filled
                flex_contact_jacobian(m, d, J, c, r)
                weigh_contact(m, d, c, r, dim)
            elif J.compressed:
                i = last_dof(m, m.geom_bodyid[d.contact_geom[c, 0]])
                j = last_dof(m, m.geom_bodyid[d.contact_geom[c, 1]])
                open_rows(d, J, r, rows_of(m, dim), chain_length(m, i, j))
    list_by_share(m, d, J)
    shared(fill_share, m, d, m.nshare, J)


@kernel
def list_by_share(m, d, J):
    """Set contact_next and share_contact: a linked list of contacts for each work share.

    A contact is in the list of the share that contains its body with the higher index. The lists omit flex contacts,
    and contacts whose rows a block has already filled for all its worlds together.
    """
    for s in range(m.nshare):
        d.share_contact[s] = -1
    for c in range(d.ncon - 1, -1, -1):
        alone = J.compressed or d.contact_alike[c] == 0
        if d.contact_efc_address[c] >= 0 and alone and not is_of_flex(m, d, c):
            s = m.body_share[maximum(m.geom_bodyid[d.contact_geom[c, 0]], m.geom_bodyid[d.contact_geom[c, 1]])]
            d.contact_next[c] = d.share_contact[s]
            d.share_contact[s] = c


@kernel
def is_of_flex(m, d, c):
    """Return True if at least one side of contact c is a flex."""
    return m.nflex > 0 and (d.contact_geom[c, 0] < 0 or d.contact_geom[c, 1] < 0)


@kernel
def fill_share(m, d, s, J):
    """Fill the rows of the contacts in the list of work share s, whose columns are already allocated."""
    c = d.share_contact[s]
    while c >= 0:
        body = m.geom_bodyid[d.contact_geom[c, 0]]
        other = m.geom_bodyid[d.contact_geom[c, 1]]
        fill_contact(m, d, J, c, d.contact_efc_address[c], d.contact_dim[c], body, other)
        c = d.contact_next[c]


@kernel
def fill_contact(m, d, J, c, r, dim, body, other):
    """Fill the rows of contact c, with `dim` dimensions between geoms of two bodies, starting at row r."""
    pos = d.contact_pos[c]
    arm = tree_arm(m, d, body, pos)
    other_arm = tree_arm(m, d, other, pos)
    contact = Directions(dim, rows_of(m, dim), d.contact_frame[c], d.contact_friction[c])
    i = last_dof(m, body)
    j = last_dof(m, other)
    place = row_length(m, d, J, r)
    # common ancestor dofs do not move the bodies relative to each other
    while i != j:
        place -= 1
        if j > i:
            axis = d.cdof[j]
            a, step = column(m, d, J, r, contact.rows, place, j)
            contact_column(m, d, a, step, contact, spatial(axis.angular, velocity_of(axis, other_arm)))
        else:
            axis = -d.cdof[i]
            a, step = column(m, d, J, r, contact.rows, place, i)
            contact_column(m, d, a, step, contact, spatial(axis.angular, velocity_of(axis, arm)))
        i, j = next_of_two(m, i, j)
    if J.compressed:
        while i >= 0:
            place -= 1
            a, step = column(m, d, J, r, contact.rows, place, i)
            for k in range(contact.rows):
                d.efc_J[a + k * step] = 0.0
            i = m.dof_parentid[i]
    weigh_contact(m, d, c, r, dim)


@kernel
def fill_alike(m, d, clear):
    """Set contact_alike, and fill dense rows of contacts between the same geoms in all worlds of a block.

    Such contacts have the same rows and columns in all worlds. Rows of other contacts have different columns in each
    world, so each world fills its own (`fill_share`). Rows before `clear` are already clear.

    Returns:
        index of the first row that is neither clear nor filled.
    """
    # if equalities or tendons turn out to have no rows, contact rows begin earlier than counted
    stays = m.neq == 0 and m.ntendon == 0 and m.nv > 0
    if stays:
        place_contacts(m, d, d.ne + d.nf + d.nl)
    for c in range(fullest(d.ncon)):
        end = -1
        if stays and all(c < d.ncon):
            end = fill_if_alike(m, d, c, clear)
        d.contact_alike[c] = 0
        if end >= 0:
            d.contact_alike[c] = 1
            clear = maximum(clear, end)
    return clear


@kernel
def fill_if_alike(m, d, c, clear):
    """Fill the rows of contact c if it has the same geoms and the same rows in all worlds of the block.

    Args:
        m, d: model, data.
        c: index of a contact that exists in all worlds.
        clear: index of the first row that is not clear.

    Returns:
        index of the row after the last row of the contact, or -1 if the rows are not filled.
    """
    r = fullest(d.contact_efc_address[c])
    dim = fullest(d.contact_dim[c])
    geom1 = fullest(d.contact_geom[c, 0])
    geom2 = fullest(d.contact_geom[c, 1])
    same = (d.contact_efc_address[c] == r) & (d.contact_dim[c] == dim)
    if not all(same & (d.contact_geom[c, 0] == geom1) & (d.contact_geom[c, 1] == geom2)):
        return -1
    end = r + rows_of(m, dim)
    clear_rows(m, d, clear, end)
    i = last_dof(m, m.geom_bodyid[geom1])
    j = last_dof(m, m.geom_bodyid[geom2])
    begin = minimum(first_of_tree(m, i), first_of_tree(m, j))
    for k in range(r, end):
        d.efc_span[k, 0] = begin
        d.efc_span[k, 1] = maximum(i, j) + 1
    fill_contact(m, d, DENSE, c, r, dim, m.geom_bodyid[geom1], m.geom_bodyid[geom2])
    return end


@kernel
def first_of_tree(m, i):
    """Return the first dof of the tree of dof i, or the number of dofs if i is -1."""
    first = m.nv
    while i >= 0:
        first = i
        i = m.dof_parentid[i]
    return first


@kernel
def weigh_contact(m, d, c, r, dim):
    """Fill all fields except the Jacobian in the rows of contact c, of dimension `dim`, starting at row r."""
    if dim > 1 and m.opt.cone == mjtCone.mjCONE_ELLIPTIC:
        weigh_cone(m, d, c, r, dim)
    else:
        kind = FRICTIONLESS if dim == 1 else PYRAMIDAL
        for edge in range(r, r + rows_of(m, dim)):
            dist, margin = d.contact_dist[c], d.contact_includemargin[c]
            write_row(d, edge, kind, c, dist, margin, d.contact_KBIP[c], d.contact_R[c])


@kernel
def weigh_cone(m, d, c, r, dim):
    """Fill all fields except the Jacobian in the rows of elliptic contact c: normal row r, then friction rows."""
    act = d.contact_KBIP[c]
    write_row(d, r, ELLIPTIC, c, d.contact_dist[c], d.contact_includemargin[c], act, d.contact_R[c])
    d.cone_scale[r] = d.contact_mu[c]
    # friction has no position to return to; it may have its own damping, unless `solreffriction` has mixed formats
    B = act.B
    ref = d.contact_solreffriction[c]
    if ((ref.timeconst != 0.0) | (ref.dampratio != 0.0)) & (not has_mixed_formats(ref)):
        _K, B = stiffness_and_damping(m, ref, limited(d.contact_solimp[c]).dmax)
    # the cone is round where R times the friction squared is the same in every direction
    mu = d.contact_friction[c]
    R = d.contact_R[c] / maximum(mjMINVAL, m.opt.impratio)
    for j in range(1, dim):
        ratio = mu.tangent1 / mu[j - 1]
        write_row(d, r + j, ELLIPTIC, c, 0.0, 0.0, KBIP(0.0, B, act.I, act.P), R * ratio * ratio)
        d.cone_scale[r + j] = mu[j - 1]


@kernel(exact=True)
def contact_column(m, d, a, step, contact, motion):
    """Write one column of a contact's Jacobian, with every product rounded before additions (no FMA).

    Args:
        m, d: model, data.
        a, step: address of the first element of the column, and distance to the next element.
        contact: directions of the contact (`Directions`).
        motion: relative velocity of the two bodies at the contact, at unit velocity of the column's dof.
    """
    if contact.dim == 3 and m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
        # fast path for the most common type of contact
        way = contact.frame @ motion.linear
        edge_pair(d, a, step, way.x, contact.friction.tangent1 * way.y)
        edge_pair(d, a + 2 * step, step, way.x, contact.friction.tangent2 * way.z)
    else:
        column_of_any(m, d, a, step, contact, motion)


@kernel(exact=True, rare=True)
def column_of_any(m, d, a, step, contact, motion):
    """Write one column of a contact's Jacobian (see `contact_column`), for any cone and dimension."""
    # linear and angular velocity along the normal and both tangents
    way = spatial(contact.frame @ motion.linear, contact.frame @ motion.angular)
    if contact.dim > 1 and m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
        for k in range(1, 6):
            if contact.dim > k:
                edge_pair(d, a + 2 * (k - 1) * step, step, way[0], contact.friction[k - 1] * way[k])
    else:
        for k in range(6):
            if contact.dim > k:
                d.efc_J[a + k * step] = way[k]


@kernel(exact=True)
def edge_pair(d, a, step, normal, tangential):
    """Write the elements of two opposite edges of a friction pyramid to efc_J[a] and efc_J[a + step]."""
    d.efc_J[a] = normal + tangential
    d.efc_J[a + step] = normal - tangential


@kernel
def flex_contact_jacobian(m, d, J, c, r):
    """Fill the Jacobian rows of flex contact c, starting at row r; each side of it may depend on several bodies."""
    bodies = local(int, MOST_BODIES)
    weights = local(real, MOST_BODIES)
    dofs = local(int, MOST_BODIES)
    n = contact_bodies(m, d, c, bodies, weights)
    dim = d.contact_dim[c]
    contact = Directions(dim, rows_of(m, dim), d.contact_frame[c], d.contact_friction[c])
    place = length_of_chains(m, bodies, dofs, n)
    open_rows(d, J, r, contact.rows, place)
    k = begin_chains(m, bodies, dofs, n)
    while k >= 0:
        place -= 1
        motion = spatial(vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0))
        for i in range(n):
            if dofs[i] == k:
                axis = d.cdof[k]
                arm = tree_arm(m, d, bodies[i], d.contact_pos[c])
                motion = motion + spatial(axis.angular, velocity_of(axis, arm)) * weights[i]
        a, step = column(m, d, J, r, contact.rows, place, k)
        contact_column(m, d, a, step, contact, motion)
        k = next_of_chains(m, dofs, n, k)
