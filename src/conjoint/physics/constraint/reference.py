"""The acceleration that each constraint row asks for."""

from conjoint.lang import kernel, lanes_max


@kernel
def row_velocity(m, d, r):
    """Velocity of row r: its Jacobian times `qvel`."""
    # four sums that do not wait for each other
    n = m.nv // 4 * 4
    at = r * m.nv
    v0 = 0.0
    v1 = 0.0
    v2 = 0.0
    v3 = 0.0
    for i in range(0, n, 4):
        v0 += d.efc_J[at + i] * d.qvel[i]
        v1 += d.efc_J[at + i + 1] * d.qvel[i + 1]
        v2 += d.efc_J[at + i + 2] * d.qvel[i + 2]
        v3 += d.efc_J[at + i + 3] * d.qvel[i + 3]
    for i in range(n, m.nv):
        v0 += d.efc_J[at + i] * d.qvel[i]
    return (v0 + v1) + (v2 + v3)


@kernel
def reference_constraint(m, d):
    """`efc_vel` and `efc_aref` = -B vel - K I (pos - margin): a spring-damper in acceleration."""
    for r in range(lanes_max(d.nefc)):
        velocity = row_velocity(m, d, r)
        stiffness = d.efc_KBIP[4 * r] * d.efc_KBIP[4 * r + 2]
        d.efc_vel[r] = velocity
        d.efc_aref[r] = -d.efc_KBIP[4 * r + 1] * velocity - stiffness * (d.efc_pos[r] - d.efc_margin[r])
