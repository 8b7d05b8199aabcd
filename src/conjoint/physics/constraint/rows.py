"""Rows of friction loss and limits, and the common parts of all rows."""

from conjoint.lang import KBIP, formula, kernel, maximum, minimum
from conjoint.physics.constraint.impedance import row_parameters
from conjoint.physics.constraint.jacobian import add, open_rows
from conjoint.physics.motion.support import is_sparse
from conjoint.physics.sleep.filter import dof_rests, tendon_rests
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtConstraint, mjtJoint

EQUALITY = int(mjtConstraint.mjCNSTR_EQUALITY)
FRICTION_DOF = int(mjtConstraint.mjCNSTR_FRICTION_DOF)
FRICTION_TENDON = int(mjtConstraint.mjCNSTR_FRICTION_TENDON)
LIMIT_JOINT = int(mjtConstraint.mjCNSTR_LIMIT_JOINT)
LIMIT_TENDON = int(mjtConstraint.mjCNSTR_LIMIT_TENDON)


@kernel
def clear_rows(m, d, first, end):
    """Set the dense rows [first, end) to zero, with spans that contain all their elements."""
    for i in range(first * m.nv, end * m.nv):
        d.efc_J[i] = 0.0
    for r in range(first, end):
        d.efc_span[r, 0] = 0
        d.efc_span[r, 1] = m.nv
        d.efc_pos[r] = 0.0
        d.efc_margin[r] = 0.0
        d.efc_frictionloss[r] = 0.0
        d.efc_R[r] = 0.0
        d.efc_KBIP[r] = KBIP(0.0, 0.0, 0.0, 0.0)


@kernel
def write_row(d, r, kind, owner, pos, margin, act, R):
    """Write all fields of row r except its Jacobian and those that `finish_rows` computes.

    Args:
        d: data.
        r: index of the row.
        kind, owner: type of the row, and index of the constrained element (`efc_type`, `efc_id`).
        pos, margin: position and margin of the constraint (m or rad).
        act: stiffness, damping, impedance and its derivative.
        R: regularization.
    """
    d.efc_type[r] = kind
    d.efc_id[r] = owner
    d.efc_pos[r] = pos
    d.efc_margin[r] = margin
    d.efc_KBIP[r] = act
    d.efc_R[r] = R


@formula("KBIP", "KBIP")
def without_stiffness(act):
    """Return row parameters without stiffness, for friction, which has no position to return to."""
    return (0.0, *act[1:])


@kernel
def regularization(imp, diagonal):
    """Return R of a row from its impedance and its diagonal element of the inverse inertia in constraint space."""
    return maximum(mjMINVAL, (1.0 - imp) * diagonal / imp)


@kernel
def moves_something(m, d, r, count, reached):
    """Return True if rows r .. r + count - 1 of one constraint must be kept, or False if no dof moves them.

    As in MuJoCo, this depends on the elements of a dense Jacobian, but on the sparsity of a compressed one: `reached`
    is True if any dof is in its columns.
    """
    if is_sparse(m):
        return reached
    moves = False
    for a in range(r * m.nv, (r + count) * m.nv):
        if d.efc_J[a] != 0.0:
            moves = True
            break
    return moves


@kernel(label="friction loss")
def friction_rows(m, d, J, r):
    """Fill the rows of dry friction in dofs and in tendons, starting at row r, and return the first free row."""
    for i in range(m.nv):
        if m.dof_frictionloss[i] > 0.0 and not dof_rests(m, d, i):
            open_rows(d, J, r, 1, 1)
            add(m, d, J, r, 0, i, 1.0)
            act = without_stiffness(row_parameters(m, m.dof_solref[i], m.dof_solimp[i], 0.0))
            write_row(d, r, FRICTION_DOF, i, 0.0, 0.0, act, regularization(act.I, m.dof_invweight0[i]))
            d.efc_frictionloss[r] = m.dof_frictionloss[i]
            r += 1
    for t in range(m.ntendon):
        if m.tendon_frictionloss[t] > 0.0 and not tendon_rests(m, d, t):
            tendon_elements(m, d, J, r, t, 1.0, -1, 0.0)
            if moves_something(m, d, r, 1, m.ten_J_rownnz[t] > 0):
                act = without_stiffness(row_parameters(m, m.tendon_solref_fri[t], m.tendon_solimp_fri[t], 0.0))
                write_row(d, r, FRICTION_TENDON, t, 0.0, 0.0, act, regularization(act.I, m.tendon_invweight0[t]))
                d.efc_frictionloss[r] = m.tendon_frictionloss[t]
                r += 1
    return r


@kernel
def tendon_elements(m, d, J, r, t, scale, other, other_scale):
    """Set row r to the moment arms of tendon t times `scale`, plus those of tendon `other` times `other_scale`.

    If `other` is -1, there is no other tendon.
    """
    length = m.ten_J_rownnz[t]
    other_length = m.ten_J_rownnz[other] if other >= 0 else 0
    open_rows(d, J, r, 1, 0)
    n = 0
    a = 0
    b = 0
    while a < length or b < other_length:
        i = m.ten_J_colind[t, a] if a < length else m.nv
        j = m.ten_J_colind[other, b] if b < other_length else m.nv
        k = minimum(i, j)
        value = 0.0
        if i == k:
            value = value + scale * d.ten_J[t, k]
            a += 1
        if j == k:
            value = value + other_scale * d.ten_J[other, k]
            b += 1
        add(m, d, J, r, n, k, value)
        n += 1
    if J.compressed:
        # a dof that moves both tendons has only one column
        d.efc_J_rownnz[r] = n


@kernel(label="limits")
def joint_limit_rows(m, d, J, r):
    """Fill the rows of joint limits within their margin, starting at row r, and return the first free row."""
    for k in range(d.nlimit_near):
        j = d.jnt_limit_near[k]
        i = m.jnt_dofadr[j]
        ball = m.jnt_type[j] == mjtJoint.mjJNT_BALL
        for side in range(1 if ball else 2):
            dist = d.jnt_limit_dist[j, side]
            if dist < m.jnt_margin[j]:
                if ball:
                    open_rows(d, J, r, 1, 3)
                    for c in range(3):
                        add(m, d, J, r, c, i + c, -d.jnt_limit_axis[j][c])
                else:
                    open_rows(d, J, r, 1, 1)
                    add(m, d, J, r, 0, i, 1.0 - 2.0 * side)
                act = row_parameters(m, m.jnt_solref[j], m.jnt_solimp[j], dist - m.jnt_margin[j])
                R = regularization(act.I, m.dof_invweight0[i])
                write_row(d, r, LIMIT_JOINT, j, dist, m.jnt_margin[j], act, R)
                r += 1
    return r


@kernel(label="limits")
def tendon_limit_rows(m, d, J, r):
    """Fill the rows of tendon limits within their margin, starting at row r, and return the first free row."""
    for t in range(m.ntendon):
        if m.tendon_limited[t] and not tendon_rests(m, d, t):
            for side in range(2):
                dist = d.tendon_limit_dist[t, side]
                if dist < m.tendon_margin[t]:
                    # the distance from the lower limit grows with the length, the distance from the upper limit shrinks
                    tendon_elements(m, d, J, r, t, 1.0 - 2.0 * side, -1, 0.0)
                    if moves_something(m, d, r, 1, m.ten_J_rownnz[t] > 0):
                        violation = dist - m.tendon_margin[t]
                        act = row_parameters(m, m.tendon_solref_lim[t], m.tendon_solimp_lim[t], violation)
                        R = regularization(act.I, m.tendon_invweight0[t])
                        write_row(d, r, LIMIT_TENDON, t, dist, m.tendon_margin[t], act, R)
                        r += 1
    return r
