"""Rows of friction loss and limits, and what every row has in common."""

from conjoint.lang import kernel, maximum
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
def weigh_row(d, r, K, B, imp, derivative, R):
    """How row r acts: stiffness, damping, impedance and its derivative, regularization R.

    `efc_diagApprox` is what makes R = (1 - imp) / imp * diagApprox.
    """
    d.efc_KBIP[4 * r] = K
    d.efc_KBIP[4 * r + 1] = B
    d.efc_KBIP[4 * r + 2] = imp
    d.efc_KBIP[4 * r + 3] = derivative
    d.efc_R[r] = R
    d.efc_D[r] = 1.0 / R
    d.efc_diagApprox[r] = R * imp / (1.0 - imp)


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
            d.efc_J[r * m.nv + i] = 1.0
            label_row(d, r, FRICTION_DOF, i, 0.0, 0.0, m.dof_frictionloss[i])
            _K, B, imp, derivative = row_parameters(
                m, m.dof_solref[2 * i], m.dof_solref[2 * i + 1], m.dof_solimp[5 * i], m.dof_solimp[5 * i + 1],
                m.dof_solimp[5 * i + 2], m.dof_solimp[5 * i + 3], m.dof_solimp[5 * i + 4], 0.0,
            )  # fmt: skip
            weigh_row(d, r, 0.0, B, imp, derivative, regularization(imp, m.dof_invweight0[i]))
            r += 1
    return r


@kernel(per_world=True)
def tendon_friction_rows(m, d, r):
    """Rows of dry friction in tendons from row r on; returns the first free row."""
    for t in range(m.ntendon):
        if m.tendon_frictionloss[t] > 0.0:
            tendon_jacobian(m, d, r, t, 1.0)
            label_row(d, r, FRICTION_TENDON, t, 0.0, 0.0, m.tendon_frictionloss[t])
            _K, B, imp, derivative = row_parameters(
                m, m.tendon_solref_fri[2 * t], m.tendon_solref_fri[2 * t + 1], m.tendon_solimp_fri[5 * t],
                m.tendon_solimp_fri[5 * t + 1], m.tendon_solimp_fri[5 * t + 2], m.tendon_solimp_fri[5 * t + 3],
                m.tendon_solimp_fri[5 * t + 4], 0.0,
            )  # fmt: skip
            weigh_row(d, r, 0.0, B, imp, derivative, regularization(imp, m.tendon_invweight0[t]))
            r += 1
    return r


@kernel(per_world=True)
def tendon_jacobian(m, d, r, t, sign):
    """Row r of the Jacobian: moment arms of tendon t, times `sign`."""
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t * m.nv + k]
        d.efc_J[r * m.nv + i] = sign * d.ten_J[t * m.nv + i]


@kernel(per_world=True)
def joint_limit_rows(m, d, r):
    """Rows of the joint limits within their margin, from row r on; returns the first free row."""
    for j in range(m.njnt):
        if m.jnt_limited[j]:
            i = m.jnt_dofadr[j]
            if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
                if d.jnt_limit_dist[2 * j] < m.jnt_margin[j]:
                    axis = d.jnt_limit_axis[j]
                    for k in range(3):
                        d.efc_J[r * m.nv + i + k] = -axis[k]
                    joint_limit_row(m, d, r, j, d.jnt_limit_dist[2 * j])
                    r += 1
            else:
                for side in range(2):
                    if d.jnt_limit_dist[2 * j + side] < m.jnt_margin[j]:
                        d.efc_J[r * m.nv + i] = 1.0 - 2.0 * side
                        joint_limit_row(m, d, r, j, d.jnt_limit_dist[2 * j + side])
                        r += 1
    return r


@kernel(per_world=True)
def joint_limit_row(m, d, r, j, dist):
    """Everything but the Jacobian of the row r of a limit of joint j, which is `dist` away."""
    label_row(d, r, LIMIT_JOINT, j, dist, m.jnt_margin[j], 0.0)
    K, B, imp, derivative = row_parameters(
        m, m.jnt_solref[2 * j], m.jnt_solref[2 * j + 1], m.jnt_solimp[5 * j], m.jnt_solimp[5 * j + 1],
        m.jnt_solimp[5 * j + 2], m.jnt_solimp[5 * j + 3], m.jnt_solimp[5 * j + 4], dist - m.jnt_margin[j],
    )  # fmt: skip
    weigh_row(d, r, K, B, imp, derivative, regularization(imp, m.dof_invweight0[m.jnt_dofadr[j]]))


@kernel(per_world=True)
def tendon_limit_rows(m, d, r):
    """Rows of the tendon limits within their margin, from row r on; returns the first free row."""
    for t in range(m.ntendon):
        if m.tendon_limited[t]:
            for side in range(2):
                dist = d.tendon_limit_dist[2 * t + side]
                if dist < m.tendon_margin[t]:
                    tendon_jacobian(m, d, r, t, 1.0 - 2.0 * side)
                    label_row(d, r, LIMIT_TENDON, t, dist, m.tendon_margin[t], 0.0)
                    K, B, imp, derivative = row_parameters(
                        m, m.tendon_solref_lim[2 * t], m.tendon_solref_lim[2 * t + 1], m.tendon_solimp_lim[5 * t],
                        m.tendon_solimp_lim[5 * t + 1], m.tendon_solimp_lim[5 * t + 2], m.tendon_solimp_lim[5 * t + 3],
                        m.tendon_solimp_lim[5 * t + 4], dist - m.tendon_margin[t],
                    )  # fmt: skip
                    weigh_row(d, r, K, B, imp, derivative, regularization(imp, m.tendon_invweight0[t]))
                    r += 1
    return r
