"""Rows of friction loss and limits, and what every row has in common."""

from conjoint.lang import formula, kernel, maximum
from conjoint.physics.constraint.impedance import row_parameters
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtConstraint, mjtJoint

FRICTION_DOF = int(mjtConstraint.mjCNSTR_FRICTION_DOF)
FRICTION_TENDON = int(mjtConstraint.mjCNSTR_FRICTION_TENDON)
LIMIT_JOINT = int(mjtConstraint.mjCNSTR_LIMIT_JOINT)
LIMIT_TENDON = int(mjtConstraint.mjCNSTR_LIMIT_TENDON)


@kernel(per_world=True)
def label_row(d, r, kind, owner, pos, margin, frictionloss):
    """What row r is: its type, the element it belongs to, its position, margin and friction loss."""
    d.efc_type[r] = kind
    d.efc_id[r] = owner
    d.efc_pos[r] = pos
    d.efc_margin[r] = margin
    d.efc_frictionloss[r] = frictionloss


@kernel(per_world=True)
def weigh_row(d, r, act, R):
    """How row r acts: stiffness, damping, impedance and its derivative, regularization R.

    `efc_diagApprox` is what makes R = (1 - imp) / imp * diagApprox.
    """
    d.efc_KBIP[r] = act
    d.efc_R[r] = R
    d.efc_D[r] = 1.0 / R
    d.efc_diagApprox[r] = R * act.I / (1.0 - act.I)


@formula("KBIP", "KBIP")
def without_stiffness(act):
    """How a row of friction acts: there is no position to return to."""
    return (0.0, *act[1:])


@kernel
def regularization(imp, diagonal):
    """R of a row from its impedance and the diagonal of the inverse inertia it meets."""
    return maximum(mjMINVAL, (1.0 - imp) * maximum(mjMINVAL, diagonal) / imp)


@kernel(per_world=True)
def dof_friction_rows(m, d):
    """Rows of dry friction in degrees of freedom; returns the first free row."""
    r = d.ne
    for i in range(m.nv):
        if m.dof_frictionloss[i] > 0.0:
            d.efc_J[r, i] = 1.0
            label_row(d, r, FRICTION_DOF, i, 0.0, 0.0, m.dof_frictionloss[i])
            act = row_parameters(m, m.dof_solref[i], m.dof_solimp[i], 0.0)
            weigh_row(d, r, without_stiffness(act), regularization(act.I, m.dof_invweight0[i]))
            r += 1
    return r


@kernel(per_world=True)
def tendon_friction_rows(m, d, r):
    """Rows of dry friction in tendons from row r on; returns the first free row."""
    for t in range(m.ntendon):
        if m.tendon_frictionloss[t] > 0.0:
            tendon_jacobian(m, d, r, t, 1.0)
            label_row(d, r, FRICTION_TENDON, t, 0.0, 0.0, m.tendon_frictionloss[t])
            act = row_parameters(m, m.tendon_solref_fri[t], m.tendon_solimp_fri[t], 0.0)
            weigh_row(d, r, without_stiffness(act), regularization(act.I, m.tendon_invweight0[t]))
            r += 1
    return r


@kernel(per_world=True)
def tendon_jacobian(m, d, r, t, sign):
    """Row r of the Jacobian: moment arms of tendon t, times `sign`."""
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t, k]
        d.efc_J[r, i] = sign * d.ten_J[t, i]


@kernel(per_world=True)
def joint_limit_rows(m, d, r):
    """Rows of the joint limits within their margin, from row r on; returns the first free row."""
    for j in range(m.njnt):
        if m.jnt_limited[j]:
            i = m.jnt_dofadr[j]
            if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
                if d.jnt_limit_dist[j, 0] < m.jnt_margin[j]:
                    axis = d.jnt_limit_axis[j]
                    for k in range(3):
                        d.efc_J[r, i + k] = -axis[k]
                    joint_limit_row(m, d, r, j, d.jnt_limit_dist[j, 0])
                    r += 1
            else:
                for side in range(2):
                    if d.jnt_limit_dist[j, side] < m.jnt_margin[j]:
                        d.efc_J[r, i] = 1.0 - 2.0 * side
                        joint_limit_row(m, d, r, j, d.jnt_limit_dist[j, side])
                        r += 1
    return r


@kernel(per_world=True)
def joint_limit_row(m, d, r, j, dist):
    """Everything but the Jacobian of the row r of a limit of joint j, which is `dist` away."""
    label_row(d, r, LIMIT_JOINT, j, dist, m.jnt_margin[j], 0.0)
    act = row_parameters(m, m.jnt_solref[j], m.jnt_solimp[j], dist - m.jnt_margin[j])
    weigh_row(d, r, act, regularization(act.I, m.dof_invweight0[m.jnt_dofadr[j]]))


@kernel(per_world=True)
def tendon_limit_rows(m, d, r):
    """Rows of the tendon limits within their margin, from row r on; returns the first free row."""
    for t in range(m.ntendon):
        if m.tendon_limited[t]:
            for side in range(2):
                dist = d.tendon_limit_dist[t, side]
                if dist < m.tendon_margin[t]:
                    tendon_jacobian(m, d, r, t, 1.0 - 2.0 * side)
                    label_row(d, r, LIMIT_TENDON, t, dist, m.tendon_margin[t], 0.0)
                    violation = dist - m.tendon_margin[t]
                    act = row_parameters(m, m.tendon_solref_lim[t], m.tendon_solimp_lim[t], violation)
                    weigh_row(d, r, act, regularization(act.I, m.tendon_invweight0[t]))
                    r += 1
    return r
