"""Tendons: lengths, moment arms, velocities (stages 5 and 13).

A fixed tendon is a linear combination of joint positions. Row t of `ten_J` starts at t * nv and is dense; the dofs that
can be non-zero in it are a property of the model, `m.ten_J_colind`.
"""

from conjoint.lang import kernel
from conjoint.schema.enums import mjtWrap


@kernel
def tendon(m, d):
    """Lengths and moment arms of all tendons (mj_tendon)."""
    for t in range(m.ntendon):
        # paths belong to spatial tendons only
        d.ten_wrapadr[t] = 0
        d.ten_wrapnum[t] = 0
        if m.wrap_type[m.tendon_adr[t]] == mjtWrap.mjWRAP_JOINT:
            fixed_tendon(m, d, t)


@kernel
def fixed_tendon(m, d, t):
    """Length of a fixed tendon: the sum of coefficient times joint position."""
    length = 0.0
    first = m.tendon_adr[t]
    for w in range(first, first + m.tendon_num[t]):
        j = m.wrap_objid[w]
        length = length + m.wrap_prm[w] * d.qpos[m.jnt_qposadr[j]]
        d.ten_J[t * m.nv + m.jnt_dofadr[j]] = m.wrap_prm[w] + 0.0
    d.ten_length[t] = length


@kernel
def tendon_velocity(m, d):
    """ten_velocity = J qvel."""
    for t in range(m.ntendon):
        d.ten_velocity[t] = tendon_rate(m, d, t, d.qvel)


@kernel
def tendon_rate(m, d, t, x):
    """Product of tendon t's moment arms with a field of nv reals."""
    s = 0.0
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t * m.nv + k]
        s = s + d.ten_J[t * m.nv + i] * x[i]
    return s


@kernel
def apply_tendon_force(m, d, t, force, qfrc):
    """Add the generalized force of tension -`force` along tendon t to a field of nv reals."""
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t * m.nv + k]
        qfrc[i] = qfrc[i] + d.ten_J[t * m.nv + i] * force
