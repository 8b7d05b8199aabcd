"""Rows of friction loss and limits, and what every row has in common."""

from conjoint.lang import formula, kernel, maximum
from conjoint.physics.constraint.columns import columns_of_dofs, columns_of_tendons
from conjoint.physics.constraint.impedance import row_parameters
from conjoint.physics.constraint.jacobian import element_of
from conjoint.physics.motion.support import is_sparse
from conjoint.physics.sleep.filter import dof_rests, tendon_rests
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtConstraint, mjtJoint

FRICTION_DOF = int(mjtConstraint.mjCNSTR_FRICTION_DOF)
FRICTION_TENDON = int(mjtConstraint.mjCNSTR_FRICTION_TENDON)
LIMIT_JOINT = int(mjtConstraint.mjCNSTR_LIMIT_JOINT)
LIMIT_TENDON = int(mjtConstraint.mjCNSTR_LIMIT_TENDON)


@kernel
def label_row(d, r, kind, owner, pos, margin):
    """What row r is: its type, the element it belongs to, its position and margin."""
    d.efc_type[r] = kind
    d.efc_id[r] = owner
    d.efc_pos[r] = pos
    d.efc_margin[r] = margin


@kernel
def weigh_row(d, r, act, R):
    """How row r acts: stiffness, damping, impedance and its derivative, regularization R; see `finish_rows`."""
    d.efc_KBIP[r] = act
    d.efc_R[r] = R


@formula("KBIP", "KBIP")
def without_stiffness(act):
    """How a row of friction acts: there is no position to return to."""
    return (0.0, *act[1:])


@kernel
def regularization(imp, diagonal):
    """R of a row from its impedance and the diagonal of the inverse inertia it meets."""
    return maximum(mjMINVAL, (1.0 - imp) * diagonal / imp)


@kernel
def moves_something(m, d, r, count, reached):
    """1 if rows r .. r + count - 1 of one constraint belong in the list, else 0: nothing can move them.

    The official engine looks at the elements of a dense Jacobian, and at the structure of a compressed one: whether
    any dof is `reached`.
    """
    if is_sparse(m):
        if reached:
            return 1
        return 0
    for a in range(r * m.nv, (r + count) * m.nv):
        if d.efc_J[a] != 0.0:
            return 1
    return 0


@kernel
def friction_rows(m, d, J, r):
    """Rows of dry friction in degrees of freedom and in tendons, from row r on; returns the first free row."""
    for i in range(m.nv):
        if m.dof_frictionloss[i] > 0.0 and not dof_rests(m, d, i):
            columns_of_dofs(m, d, J, r, i, 1)
            d.efc_J[element_of(m, d, J, r, i)] = 1.0
            label_row(d, r, FRICTION_DOF, i, 0.0, 0.0)
            d.efc_frictionloss[r] = m.dof_frictionloss[i]
            act = row_parameters(m, m.dof_solref[i], m.dof_solimp[i], 0.0)
            weigh_row(d, r, without_stiffness(act), regularization(act.I, m.dof_invweight0[i]))
            r += 1
    for t in range(m.ntendon):
        if m.tendon_frictionloss[t] > 0.0 and not tendon_rests(m, d, t):
            columns_of_tendons(m, d, J, r, t, -1)
            tendon_jacobian(m, d, J, r, t, 1.0)
            if moves_something(m, d, r, 1, m.ten_J_rownnz[t] > 0):
                label_row(d, r, FRICTION_TENDON, t, 0.0, 0.0)
                d.efc_frictionloss[r] = m.tendon_frictionloss[t]
                act = row_parameters(m, m.tendon_solref_fri[t], m.tendon_solimp_fri[t], 0.0)
                weigh_row(d, r, without_stiffness(act), regularization(act.I, m.tendon_invweight0[t]))
                r += 1
    return r


@kernel
def tendon_jacobian(m, d, J, r, t, scale):
    """Add the moment arms of tendon t, times `scale`, to row r of the Jacobian."""
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t, k]
        a = element_of(m, d, J, r, i)
        d.efc_J[a] = d.efc_J[a] + scale * d.ten_J[t, i]


@kernel
def joint_limit_rows(m, d, J, r):
    """Rows of the joint limits within their margin, from row r on; returns the first free row."""
    for k in range(d.nlimit_near):
        j = d.jnt_limit_near[k]
        i = m.jnt_dofadr[j]
        if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
            if d.jnt_limit_dist[j, 0] < m.jnt_margin[j]:
                axis = d.jnt_limit_axis[j]
                columns_of_dofs(m, d, J, r, i, 3)
                for c in range(3):
                    d.efc_J[element_of(m, d, J, r, i + c)] = -axis[c]
                joint_limit_row(m, d, r, j, d.jnt_limit_dist[j, 0])
                r += 1
        else:
            for side in range(2):
                if d.jnt_limit_dist[j, side] < m.jnt_margin[j]:
                    columns_of_dofs(m, d, J, r, i, 1)
                    d.efc_J[element_of(m, d, J, r, i)] = 1.0 - 2.0 * side
                    joint_limit_row(m, d, r, j, d.jnt_limit_dist[j, side])
                    r += 1
    return r


@kernel
def joint_limit_row(m, d, r, j, dist):
    """Everything but the Jacobian of the row r of a limit of joint j, which is `dist` away."""
    label_row(d, r, LIMIT_JOINT, j, dist, m.jnt_margin[j])
    act = row_parameters(m, m.jnt_solref[j], m.jnt_solimp[j], dist - m.jnt_margin[j])
    weigh_row(d, r, act, regularization(act.I, m.dof_invweight0[m.jnt_dofadr[j]]))


@kernel
def tendon_limit_rows(m, d, J, r):
    """Rows of the tendon limits within their margin, from row r on; returns the first free row."""
    for t in range(m.ntendon):
        if m.tendon_limited[t] and not tendon_rests(m, d, t):
            for side in range(2):
                dist = d.tendon_limit_dist[t, side]
                if dist < m.tendon_margin[t]:
                    r = tendon_limit_row(m, d, J, r, t, dist, 1.0 - 2.0 * side)
    return r


@kernel
def tendon_limit_row(m, d, J, r, t, dist, sign):
    """Row r: tendon t is `dist` away from a limit, growing with its length if `sign` is 1, shrinking if it is -1.

    Returns the first free row.
    """
    columns_of_tendons(m, d, J, r, t, -1)
    tendon_jacobian(m, d, J, r, t, sign)
    if moves_something(m, d, r, 1, m.ten_J_rownnz[t] > 0) == 0:
        return r
    label_row(d, r, LIMIT_TENDON, t, dist, m.tendon_margin[t])
    act = row_parameters(m, m.tendon_solref_lim[t], m.tendon_solimp_lim[t], dist - m.tendon_margin[t])
    weigh_row(d, r, act, regularization(act.I, m.tendon_invweight0[t]))
    return r + 1
