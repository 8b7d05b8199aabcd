"""Rows of contacts: pyramidal and elliptic friction cones, and frictionless contacts.

The Jacobian is the velocity of the second geom's body relative to the first's, at the contact, in the contact's frame;
only the degrees of freedom that move one body and not the other appear in it. See the Computation chapter, "Contact".
"""

from conjoint.lang import KBIP, all, kernel, maximum, minimum, shared, spatial, sqrt, where
from conjoint.physics.constraint.columns import begin_rows, list_chains
from conjoint.physics.constraint.count import rows_of
from conjoint.physics.constraint.flex_contacts import flex_contact_jacobian
from conjoint.physics.constraint.impedance import has_mixed_formats, limited, row_parameters, stiffness_and_damping
from conjoint.physics.constraint.jacobian import DENSE, first_element, row_length
from conjoint.physics.constraint.rows import label_row, regularization, weigh_row
from conjoint.physics.motion.support import last_dof, tree_arm, velocity_of
from conjoint.physics.row_storage import fullest
from conjoint.physics.structure import chain_length
from conjoint.schema.constants import ROUGH, mjMINVAL
from conjoint.schema.enums import mjtCone, mjtConstraint

CHUNK = 32
"""Contacts of a share of the work."""

SHARE = 128.0
"""Weights of rows stay this much below the inverse of the rounding of single precision."""

FRICTIONLESS = int(mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
PYRAMIDAL = int(mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL)
ELLIPTIC = int(mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC)


@kernel
def contact_parameters(m, d):
    """`contact_KBIP`, `contact_R` and `contact_mu` of every contact: what its rows share."""
    shared(parameters_of_chunk, m, d, (fullest(d.ncon) + CHUNK - 1) // CHUNK)


@kernel
def parameters_of_chunk(m, d, chunk):
    """What `contact_parameters` finds for one chunk of all contacts."""
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
            # edges of the pyramid share one R, from which the cone's normal row would have the impedance asked for
            edge = regularization(imp, weight * (1.0 + slide * slide))
            share = maximum(2.0 * mu * mu, least_share(m))
            d.contact_R[c] = where(frictionless, regularization(imp, weight), share * edge)
        else:
            d.contact_R[c] = regularization(imp, weight)
        # contacts without friction or rows have no cone
        rowless = (d.contact_exclude[c] != 0) | (m.nv == 0)
        d.contact_mu[c] = where(frictionless | rowless, 0.0, mu)


@kernel
def least_share(m):
    """Return the least share of an edge's regularization that rows of a pyramid get.

    With less, the rows weigh so much that solvers in single precision lose the rest of the Hessian.
    """
    return where(m.epsilon > ROUGH, SHARE * m.epsilon, 0.0)


@kernel
def contact_rows(m, d, J, dropped):
    """Rows of all contacts, each at its address, once that is smaller by the rows that were `dropped` before them."""
    for c in range(d.ncon):
        r = d.contact_efc_address[c]
        if r >= 0:
            r -= dropped
            d.contact_efc_address[c] = r
            if is_of_flex(m, d, c):
                # what its columns are is found while they are filled
                rows = rows_of(m, d.contact_dim[c])
                flex_contact_jacobian(m, d, J, c, r, rows, contact_column)
                weigh_contact(m, d, c, r, d.contact_dim[c])
            elif J.compressed:
                dof1 = last_dof(m, m.geom_bodyid[d.contact_geom[c, 0]])
                dof2 = last_dof(m, m.geom_bodyid[d.contact_geom[c, 1]])
                begin_rows(d, r, rows_of(m, d.contact_dim[c]), chain_length(m, dof1, dof2))
    list_by_share(m, d, J)
    shared(fill_share, m, d, m.nshare, J)


@kernel
def list_by_share(m, d, J):
    """contact_next, share_contact: lists of the contacts by the share of their second body.

    Contacts of flexes, and those that a block has filled in side by side, are not in them.
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
    """Whether contact c is one of a flex."""
    return m.nflex > 0 and (d.contact_geom[c, 0] < 0 or d.contact_geom[c, 1] < 0)


@kernel
def fill_share(m, d, s, J):
    """Rows of the contacts in the list of share s; there is room for their columns."""
    c = d.share_contact[s]
    while c >= 0:
        fill_contact(m, d, J, c, d.contact_efc_address[c])
        c = d.contact_next[c]


@kernel
def fill_contact(m, d, J, c, r):
    """Rows of contact c of two geoms from row r on."""
    dim = d.contact_dim[c]
    b1 = m.geom_bodyid[d.contact_geom[c, 0]]
    b2 = m.geom_bodyid[d.contact_geom[c, 1]]
    if J.compressed:
        list_chains(m, d, r, rows_of(m, dim), last_dof(m, b1), last_dof(m, b2))
    contact_jacobian(m, d, J, c, r, dim, b1, b2)
    weigh_contact(m, d, c, r, dim)


@kernel
def fill_alike(m, d):
    """contact_alike; dense rows of contacts between the same geoms, in the same rows, in all worlds of a block.

    Elsewhere each world has its own dofs in its rows, and fills them alone (`fill_share`).
    """
    # where equalities or tendons turn out to have no rows those of contacts move up
    stays = m.neq == 0 and m.ntendon == 0
    for c in range(fullest(d.ncon)):
        alike = 0
        if stays and all(c < d.ncon):
            alike = filled_if_alike(m, d, c)
        d.contact_alike[c] = alike


@kernel
def filled_if_alike(m, d, c):
    """1 if contact c, which all worlds have, is between the same geoms, in the same rows: they are filled; else 0."""
    r = fullest(d.contact_efc_address[c])
    dim = fullest(d.contact_dim[c])
    geom1 = fullest(d.contact_geom[c, 0])
    geom2 = fullest(d.contact_geom[c, 1])
    same = (d.contact_efc_address[c] == r) & (d.contact_dim[c] == dim)
    if not all(same & (d.contact_geom[c, 0] == geom1) & (d.contact_geom[c, 1] == geom2)):
        return 0
    contact_jacobian(m, d, DENSE, c, r, dim, m.geom_bodyid[geom1], m.geom_bodyid[geom2])
    weigh_contact(m, d, c, r, dim)
    return 1


@kernel
def weigh_contact(m, d, c, r, dim):
    """Everything but the Jacobian of the rows of contact c, which has so many dimensions, from row r on."""
    if dim == 1:
        weigh_edges(m, d, c, r, 1, FRICTIONLESS)
    elif m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
        weigh_edges(m, d, c, r, 2 * (dim - 1), PYRAMIDAL)
    else:
        weigh_cone(m, d, c, r, dim)


@kernel
def weigh_edges(m, d, c, r, count, kind):
    """Everything but the Jacobian of the `count` equal rows of contact c from row r on."""
    for edge in range(r, r + count):
        label_row(d, edge, kind, c, d.contact_dist[c], d.contact_includemargin[c])
        weigh_row(d, edge, d.contact_KBIP[c], d.contact_R[c])


@kernel
def weigh_cone(m, d, c, r, dim):
    """Everything but the Jacobian of the rows of an elliptic contact c from row r on: the normal, then friction."""
    act = d.contact_KBIP[c]
    label_row(d, r, ELLIPTIC, c, d.contact_dist[c], d.contact_includemargin[c])
    weigh_row(d, r, act, d.contact_R[c])
    d.cone_scale[r] = d.contact_mu[c]
    # friction has no position to return to; it may have a damping of its own, if that is not of mixed formats
    B = act.B
    ref = d.contact_solreffriction[c]
    if ((ref.timeconst != 0.0) | (ref.dampratio != 0.0)) & (not has_mixed_formats(ref)):
        _K, B = stiffness_and_damping(m, ref, limited(d.contact_solimp[c]).dmax)
    # the cone is round where R times the friction squared is the same in every direction
    mu = d.contact_friction[c]
    R = d.contact_R[c] / maximum(mjMINVAL, m.opt.impratio)
    for j in range(1, dim):
        ratio = mu.tangent1 / mu[j - 1]
        label_row(d, r + j, ELLIPTIC, c, 0.0, 0.0)
        weigh_row(d, r + j, KBIP(0.0, B, act.I, act.P), R * ratio * ratio)
        d.cone_scale[r + j] = mu[j - 1]


@kernel
def contact_jacobian(m, d, J, c, r, dim, b1, b2):
    """The Jacobian of contact c of so many dimensions between two bodies, from row r on; zeros are not written."""
    if m.opt.cone == mjtCone.mjCONE_PYRAMIDAL and dim == 3:
        # most contacts are such
        fill_columns(m, d, J, c, r, dim, b1, b2, pyramid_column)
    else:
        fill_columns(m, d, J, c, r, dim, b1, b2, contact_column)


@kernel
def fill_columns(m, d, J, c, r, dim, b1, b2, column):
    """What `contact_jacobian` does, by a kernel with the arguments of `contact_column`."""
    pos = d.contact_pos[c]
    offset1 = tree_arm(m, d, b1, pos)
    offset2 = tree_arm(m, d, b2, pos)
    frame = d.contact_frame[c]
    mu = d.contact_friction[c]
    # both chains until they meet: what moves both bodies moves neither against the other
    dof1 = last_dof(m, b1)
    dof2 = last_dof(m, b2)
    first = first_element(m, d, J, r)
    step = row_length(m, d, J, r)
    # they are the last columns of compressed rows, from the last one down
    place = first + step
    while dof1 != dof2:
        while dof2 > dof1:
            motion = d.cdof[dof2]
            place -= 1
            a = place if J.compressed else first + dof2
            column(m, d, a, step, dim, mu, frame, velocity_of(motion, offset2), motion.angular)
            dof2 = m.dof_parentid[dof2]
        while dof1 > dof2:
            motion = -d.cdof[dof1]
            place -= 1
            a = place if J.compressed else first + dof1
            column(m, d, a, step, dim, mu, frame, velocity_of(motion, offset1), motion.angular)
            dof1 = m.dof_parentid[dof1]


@kernel(exact=True)
def pyramid_column(m, d, a, step, dim, mu, frame, move, turn):
    """`contact_column` for sliding friction and a pyramid."""
    slide = frame @ move
    edge_pair(d, a, step, slide.x, mu.tangent1 * slide.y)
    edge_pair(d, a + 2 * step, step, slide.x, mu.tangent2 * slide.z)


@kernel(exact=True)
def contact_column(m, d, a, step, dim, mu, frame, move, turn):
    """Column of the rows of a contact, from element a on: a dof moves the second body relative to the first.

    Rounded after every product.

    Args:
        m, d: model, data.
        a: element of the first row.
        step: from an element to that of the next row.
        dim, mu, frame: of the contact.
        move, turn: velocity of the second body at the contact, and its angular velocity.
    """
    # along the normal and both tangents, then about them
    way = spatial(frame @ move, frame @ turn)
    if dim > 1 and m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
        for k in range(1, 6):
            if dim > k:
                edge_pair(d, a + 2 * (k - 1) * step, step, way[0], mu[k - 1] * way[k])
    else:
        for k in range(6):
            if dim > k:
                d.efc_J[a + k * step] = way[k]


@kernel(exact=True)
def edge_pair(d, a, step, normal, tangential):
    """The elements of two opposite edges of the pyramid, from element a on."""
    d.efc_J[a] = normal + tangential
    d.efc_J[a + step] = normal - tangential
