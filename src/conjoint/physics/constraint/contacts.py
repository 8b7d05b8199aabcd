"""Rows of contacts: pyramidal and elliptic friction cones, and frictionless contacts.

The Jacobian is the velocity of the second geom's body relative to the first's, at the contact, in the contact's frame;
only the degrees of freedom that move one body and not the other appear in it. See the Computation chapter, "Contact".
"""

from conjoint.lang import KBIP, formula, kernel, lanes_max, logical_not, maximum, row0, row1, row2, sqrt, where
from conjoint.physics.constraint.columns import columns_of_bodies, element, row_step
from conjoint.physics.constraint.flex_contacts import flex_contact_jacobian
from conjoint.physics.constraint.impedance import has_mixed_formats, limited, row_parameters, stiffness_and_damping
from conjoint.physics.constraint.rows import label_row, regularization, weigh_row
from conjoint.physics.support import last_dof, tree_arm, velocity_of
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtCone, mjtConstraint

FRICTIONLESS = int(mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
PYRAMIDAL = int(mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL)
ELLIPTIC = int(mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC)


@kernel
def contact_parameters(m, d):
    """`contact_KBIP`, `contact_R` and `contact_mu` of every contact: what its rows share."""
    for c in range(lanes_max(d.ncon)):
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
            d.contact_R[c] = where(frictionless, regularization(imp, weight), 2.0 * mu * mu * edge)
        else:
            d.contact_R[c] = regularization(imp, weight)
        # contacts without friction or rows have no cone
        d.contact_mu[c] = where(frictionless | (d.contact_exclude[c] != 0), 0.0, mu)


@kernel(per_world=True)
def contact_rows(m, d, dropped):
    """Rows of all contacts, each at its address, once that is smaller by the rows that were `dropped` before them."""
    for c in range(d.ncon):
        r = d.contact_efc_address[c]
        if r >= 0:
            r -= dropped
            d.contact_efc_address[c] = r
            dim = d.contact_dim[c]
            if dim == 1:
                contact_jacobian(m, d, c, r, 1)
                weigh_edges(m, d, c, r, 1, FRICTIONLESS)
            elif m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
                contact_jacobian(m, d, c, r, 2 * (dim - 1))
                weigh_edges(m, d, c, r, 2 * (dim - 1), PYRAMIDAL)
            else:
                contact_jacobian(m, d, c, r, dim)
                weigh_cone(m, d, c, r)


@kernel(per_world=True)
def weigh_edges(m, d, c, r, count, kind):
    """Everything but the Jacobian of the `count` equal rows of contact c from row r on."""
    for edge in range(r, r + count):
        label_row(d, edge, kind, c, d.contact_dist[c], d.contact_includemargin[c], 0.0)
        weigh_row(d, edge, d.contact_KBIP[c], d.contact_R[c])


@kernel(per_world=True)
def weigh_cone(m, d, c, r):
    """Everything but the Jacobian of the rows of an elliptic contact c from row r on: the normal, then friction."""
    act = d.contact_KBIP[c]
    label_row(d, r, ELLIPTIC, c, d.contact_dist[c], d.contact_includemargin[c], 0.0)
    weigh_row(d, r, act, d.contact_R[c])
    d.cone_scale[r] = d.contact_mu[c]
    # friction has no position to return to; it may have a damping of its own, if that is not of mixed formats
    B = act.B
    ref = d.contact_solreffriction[c]
    given = (ref.timeconst != 0.0) | (ref.dampratio != 0.0)
    if given & logical_not(has_mixed_formats(ref)):
        _K, B = stiffness_and_damping(m, ref, limited(d.contact_solimp[c]).dmax)
    # the cone is round where R times the friction squared is the same in every direction
    mu = d.contact_friction[c]
    R = d.contact_R[c] / maximum(mjMINVAL, m.opt.impratio)
    for j in range(1, d.contact_dim[c]):
        ratio = mu.tangent1 / mu[j - 1]
        label_row(d, r + j, ELLIPTIC, c, 0.0, 0.0, 0.0)
        weigh_row(d, r + j, KBIP(0.0, B, act.I, act.P), R * ratio * ratio)
        d.cone_scale[r + j] = mu[j - 1]


@formula("real", "vec3", "vec3", exact=True)
def along(axis, v):
    """Component of v along an axis, rounded after every product."""
    return axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]


@kernel(per_world=True)
def contact_jacobian(m, d, c, r, count):
    """The `count` Jacobian rows of contact c from row r on; entries that stay zero are not written."""
    if m.nflex > 0 and (d.contact_geom[c, 0] < 0 or d.contact_geom[c, 1] < 0):
        flex_contact_jacobian(m, d, c, r, count, contact_column)
        return
    b1 = m.geom_bodyid[d.contact_geom[c, 0]]
    b2 = m.geom_bodyid[d.contact_geom[c, 1]]
    columns_of_bodies(m, d, r, count, b1, b2)
    step = row_step(m, d, r)
    pos = d.contact_pos[c]
    offset1 = tree_arm(m, d, b1, pos)
    offset2 = tree_arm(m, d, b2, pos)
    frame = d.contact_frame[c]
    dim = d.contact_dim[c]
    mu = d.contact_friction[c]
    # climb both chains until they meet: what moves both bodies moves neither against the other
    dof1 = last_dof(m, b1)
    dof2 = last_dof(m, b2)
    while dof1 != dof2:
        i = maximum(dof1, dof2)
        second = dof2 > dof1
        motion = d.cdof[i] * where(second, 1.0, -1.0)
        move = velocity_of(motion, where(second, offset2, offset1))
        contact_column(m, d, element(m, d, r, i), step, dim, mu, frame, move, motion.angular)
        above = m.dof_parentid[i]
        dof1 = where(second, dof1, above)
        dof2 = where(second, above, dof2)


@kernel(per_world=True)
def contact_column(m, d, a, step, dim, mu, frame, move, turn):
    """Column of the rows of a contact, from element a on: a dof moves the second body relative to the first.

    Args:
        m, d: model, data.
        a: element of the first row.
        step: from an element to that of the next row.
        dim, mu, frame: of the contact.
        move, turn: velocity of the second body at the contact, and its angular velocity.
    """
    normal = along(row0(frame), move)
    if dim == 1:
        d.efc_J[a] = normal
    elif m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
        edge_pair(d, a, step, normal, mu.tangent1 * along(row1(frame), move))
        edge_pair(d, a + 2 * step, step, normal, mu.tangent2 * along(row2(frame), move))
        if dim > 3:
            edge_pair(d, a + 4 * step, step, normal, mu.torsion * along(row0(frame), turn))
        if dim > 4:
            edge_pair(d, a + 6 * step, step, normal, mu.roll1 * along(row1(frame), turn))
            edge_pair(d, a + 8 * step, step, normal, mu.roll2 * along(row2(frame), turn))
    else:
        d.efc_J[a] = normal
        d.efc_J[a + step] = along(row1(frame), move)
        d.efc_J[a + 2 * step] = along(row2(frame), move)
        if dim > 3:
            d.efc_J[a + 3 * step] = along(row0(frame), turn)
        if dim > 4:
            d.efc_J[a + 4 * step] = along(row1(frame), turn)
            d.efc_J[a + 5 * step] = along(row2(frame), turn)


@kernel(per_world=True)
def edge_pair(d, a, step, normal, tangential):
    """The elements of two opposite edges of the pyramid, from element a on."""
    d.efc_J[a] = normal + tangential
    d.efc_J[a + step] = normal - tangential
