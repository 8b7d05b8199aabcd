"""Rows of contacts: pyramidal and elliptic friction cones, and frictionless contacts.

The Jacobian is the velocity of the second geom's body relative to the first's, at the contact, in the contact's frame;
only the degrees of freedom that move one body and not the other appear in it. See the Computation chapter, "Contact".
"""

from conjoint.lang import clip, formula, kernel, lanes_max, maximum, row0, row1, row2, sqrt, where
from conjoint.physics.constraint.impedance import row_parameters, stiffness_and_damping
from conjoint.physics.constraint.rows import label_row, regularization, weigh_row
from conjoint.schema.constants import mjMAXIMP, mjMINIMP, mjMINVAL
from conjoint.schema.enums import mjtCone, mjtConstraint

FRICTIONLESS = int(mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
PYRAMIDAL = int(mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL)
ELLIPTIC = int(mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC)


@kernel
def contact_parameters(m, d):
    """`contact_KBIP`, `contact_R` and `contact_mu` of every contact: what its rows share."""
    for c in range(lanes_max(d.ncon)):
        K, B, imp, derivative = row_parameters(
            m, d.contact_solref[2 * c], d.contact_solref[2 * c + 1], d.contact_solimp[5 * c],
            d.contact_solimp[5 * c + 1], d.contact_solimp[5 * c + 2], d.contact_solimp[5 * c + 3],
            d.contact_solimp[5 * c + 4], d.contact_dist[c] - d.contact_includemargin[c],
        )  # fmt: skip
        d.contact_KBIP[4 * c] = K
        d.contact_KBIP[4 * c + 1] = B
        d.contact_KBIP[4 * c + 2] = imp
        d.contact_KBIP[4 * c + 3] = derivative
        slide = d.contact_friction[5 * c]
        frictionless = d.contact_dim[c] == 1
        weight = d.contact_invweight[2 * c]
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
def contact_rows(m, d):
    """Rows of all contacts, each at its address."""
    for c in range(d.ncon):
        r = d.contact_efc_address[c]
        if r >= 0:
            contact_jacobian(m, d, c, r)
            if d.contact_dim[c] == 1:
                weigh_edges(m, d, c, r, 1, FRICTIONLESS)
            elif m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
                weigh_edges(m, d, c, r, 2 * (d.contact_dim[c] - 1), PYRAMIDAL)
            else:
                weigh_cone(m, d, c, r)


@kernel(per_world=True)
def weigh_edges(m, d, c, r, count, kind):
    """Everything but the Jacobian of the `count` equal rows of contact c from row r on."""
    for edge in range(r, r + count):
        label_row(d, edge, kind, c, d.contact_dist[c], d.contact_includemargin[c], 0.0)
        weigh_row(
            d, edge, d.contact_KBIP[4 * c], d.contact_KBIP[4 * c + 1], d.contact_KBIP[4 * c + 2],
            d.contact_KBIP[4 * c + 3], d.contact_R[c],
        )  # fmt: skip


@kernel(per_world=True)
def weigh_cone(m, d, c, r):
    """Everything but the Jacobian of the rows of an elliptic contact c from row r on: the normal, then friction."""
    imp = d.contact_KBIP[4 * c + 2]
    derivative = d.contact_KBIP[4 * c + 3]
    B = d.contact_KBIP[4 * c + 1]
    label_row(d, r, ELLIPTIC, c, d.contact_dist[c], d.contact_includemargin[c], 0.0)
    weigh_row(d, r, d.contact_KBIP[4 * c], B, imp, derivative, d.contact_R[c])
    # friction has no position to return to; it may have a damping of its own
    ref0 = d.contact_solreffriction[2 * c]
    ref1 = d.contact_solreffriction[2 * c + 1]
    if ref0 != 0.0 or ref1 != 0.0:
        _K, B = stiffness_and_damping(m, ref0, ref1, clip(d.contact_solimp[5 * c + 1], mjMINIMP, mjMAXIMP))
    # the cone is round where R times the friction squared is the same in every direction
    slide = d.contact_friction[5 * c]
    R = d.contact_R[c] / maximum(mjMINVAL, m.opt.impratio)
    for j in range(1, d.contact_dim[c]):
        ratio = slide / d.contact_friction[5 * c + j - 1]
        label_row(d, r + j, ELLIPTIC, c, 0.0, 0.0, 0.0)
        weigh_row(d, r + j, 0.0, B, imp, derivative, R * ratio * ratio)


@kernel(per_world=True)
def last_dof(m, body):
    """The last degree of freedom that moves `body`; -1 if none does."""
    mover = m.body_weldid[body]
    if m.body_dofnum[mover] == 0:
        return -1
    return m.body_dofadr[mover] + m.body_dofnum[mover] - 1


@formula("vec3", "spatial", "vec3", exact=True)
def velocity_of(motion, offset):
    """Velocity of the point at `offset` that a com-based motion gives."""
    # angular x offset, rounded after every product: a dof whose axis meets the normal has an entry of exactly zero,
    # which the stiffest contacts tell from a rounding error
    ax, ay, az, x, y, z = motion
    return (x + (ay * offset[2] - az * offset[1]), y + (az * offset[0] - ax * offset[2]),
            z + (ax * offset[1] - ay * offset[0]))  # fmt: skip


@formula("real", "vec3", "vec3", exact=True)
def along(axis, v):
    """Component of v along an axis, rounded after every product."""
    return axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]


@kernel(per_world=True)
def contact_jacobian(m, d, c, r):
    """Jacobian rows of contact c from row r on; entries that stay zero are not written."""
    b1 = m.geom_bodyid[d.contact_geom[2 * c]]
    b2 = m.geom_bodyid[d.contact_geom[2 * c + 1]]
    pos = d.contact_pos[c]
    offset1 = pos - d.subtree_com[m.body_rootid[b1]]
    offset2 = pos - d.subtree_com[m.body_rootid[b2]]
    frame = d.contact_frame[c]
    # climb both chains until they meet: what moves both bodies moves neither against the other
    dof1 = last_dof(m, b1)
    dof2 = last_dof(m, b2)
    while dof1 != dof2:
        i = maximum(dof1, dof2)
        motion = d.cdof[i] * where(dof2 > dof1, 1.0, -1.0)
        offset = where(dof2 > dof1, offset2, offset1)
        contact_column(m, d, c, r * m.nv + i, frame, velocity_of(motion, offset), motion.angular)
        if dof2 > dof1:
            dof2 = m.dof_parentid[dof2]
        else:
            dof1 = m.dof_parentid[dof1]


@kernel(per_world=True)
def contact_column(m, d, c, at, frame, move, turn):
    """Column of the rows of contact c from address `at` on: a dof moves the second body relative to the first."""
    dim = d.contact_dim[c]
    normal = along(row0(frame), move)
    if dim == 1:
        d.efc_J[at] = normal
    elif m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
        edge_pair(m, d, at, normal, d.contact_friction[5 * c] * along(row1(frame), move))
        edge_pair(m, d, at + 2 * m.nv, normal, d.contact_friction[5 * c + 1] * along(row2(frame), move))
        if dim > 3:
            edge_pair(m, d, at + 4 * m.nv, normal, d.contact_friction[5 * c + 2] * along(row0(frame), turn))
        if dim > 4:
            edge_pair(m, d, at + 6 * m.nv, normal, d.contact_friction[5 * c + 3] * along(row1(frame), turn))
            edge_pair(m, d, at + 8 * m.nv, normal, d.contact_friction[5 * c + 4] * along(row2(frame), turn))
    else:
        d.efc_J[at] = normal
        d.efc_J[at + m.nv] = along(row1(frame), move)
        d.efc_J[at + 2 * m.nv] = along(row2(frame), move)
        if dim > 3:
            d.efc_J[at + 3 * m.nv] = along(row0(frame), turn)
        if dim > 4:
            d.efc_J[at + 4 * m.nv] = along(row1(frame), turn)
            d.efc_J[at + 5 * m.nv] = along(row2(frame), turn)


@kernel(per_world=True)
def edge_pair(m, d, at, normal, tangential):
    """The two opposite edges of the pyramid whose first row holds address `at`."""
    d.efc_J[at] = normal + tangential
    d.efc_J[at + m.nv] = normal - tangential
