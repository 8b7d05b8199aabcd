"""Transmission from actuators to joints and tendons: lengths and moment arms (stage 10).

Row o of the sparse `actuator_moment` belongs to output o and starts at `m.moment_rowadr[o]`. The dofs that an output
can move are a property of the model.
"""

from conjoint.lang import dot, kernel, load, minimum, put, quat_to_velocity, rotate_inv, shared, vec3
from conjoint.physics.motion.support import quat_at
from conjoint.schema.enums import mjtDisableBit, mjtJoint, mjtTrn

CHUNK = 512
"""Number of actuators in a chunk of work."""


@kernel
def transmission(m, d):
    """Compute lengths and moment arms of all actuators (mj_transmission)."""
    shared(transmission_of_chunk, m, d, (m.nactuator + CHUNK - 1) // CHUNK)


@kernel
def transmission_of_chunk(m, d, chunk):
    """Compute lengths and moment arms of one chunk of actuators."""
    for u in range(CHUNK * chunk, minimum(m.nactuator, CHUNK * (chunk + 1))):
        kind = m.actuator_trntype[u]
        if kind == mjtTrn.mjTRN_JOINT or kind == mjtTrn.mjTRN_JOINTINPARENT:
            joint_transmission(m, d, u)
        elif kind == mjtTrn.mjTRN_TENDON:
            tendon_transmission(m, d, u)


@kernel
def joint_transmission(m, d, u):
    """Compute length and moment arms of actuator u, which acts on a joint."""
    j = m.actuator_trnid[u, 0]
    kind = m.jnt_type[j]
    q = m.jnt_qposadr[j]
    a = m.moment_rowadr[m.actuator_outadr[u]]
    if kind == mjtJoint.mjJNT_HINGE or kind == mjtJoint.mjJNT_SLIDE:
        gear = m.actuator_gear[m.actuator_outadr[u], 0]
        d.actuator_length[m.actuator_outadr[u]] = d.qpos[q] * gear
        d.actuator_moment[a] = gear
    elif kind == mjtJoint.mjJNT_BALL:
        rotation = quat_at(d, q)
        axis = gear_axis(m, u, 0, rotation)
        d.actuator_length[m.actuator_outadr[u]] = dot(quat_to_velocity(rotation, 1.0), axis)
        put(d.actuator_moment, a, axis)
    else:
        # a free joint has no length; its forces are global, its torques local unless they are given in the parent
        rotation = quat_at(d, q + 3)
        d.actuator_length[m.actuator_outadr[u]] = 0.0
        put(d.actuator_moment, a, load(vec3, m.actuator_gear, (m.actuator_outadr[u], 0)))
        put(d.actuator_moment, a + 3, gear_axis(m, u, 3, rotation))


@kernel
def gear_axis(m, u, k, rotation):
    """Return the torque axis of actuator u in the frame of the child body, from gear elements k, k+1, k+2."""
    gear = load(vec3, m.actuator_gear, (m.actuator_outadr[u], k))
    if m.actuator_trntype[u] == mjtTrn.mjTRN_JOINTINPARENT:
        return rotate_inv(rotation, gear)
    return gear


@kernel
def tendon_transmission(m, d, u):
    """Compute length and moment arms of actuator u, which acts on a tendon."""
    t = m.actuator_trnid[u, 0]
    gear = m.actuator_gear[m.actuator_outadr[u], 0]
    d.actuator_length[m.actuator_outadr[u]] = d.ten_length[t] * gear
    a = m.moment_rowadr[m.actuator_outadr[u]]
    for k in range(m.moment_rownnz[m.actuator_outadr[u]]):
        d.actuator_moment[a + k] = d.ten_J[t, m.moment_colind[a + k]] * gear


@kernel
def actuator_velocity(m, d):
    """Compute actuator_velocity = moment qvel, or zero if actuation is disabled."""
    enabled = (m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION) == 0
    for o in range(m.nout):
        s = 0.0
        if enabled:
            first = m.moment_rowadr[o]
            for a in range(first, first + m.moment_rownnz[o]):
                s = s + d.actuator_moment[a] * d.qvel[m.moment_colind[a]]
        d.actuator_velocity[o] = s


@kernel
def apply_actuator_forces(m, d):
    """Compute qfrc_actuator = moment' actuator_force."""
    for i in range(m.nv):
        d.qfrc_actuator[i] = 0.0
    for o in range(m.nout):
        force = d.actuator_force[o]
        first = m.moment_rowadr[o]
        for a in range(first, first + m.moment_rownnz[o]):
            i = m.moment_colind[a]
            d.qfrc_actuator[i] = d.qfrc_actuator[i] + d.actuator_moment[a] * force
