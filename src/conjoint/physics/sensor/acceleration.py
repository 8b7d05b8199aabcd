"""Sensors that depend on forces and accelerations (stage 22)."""

from conjoint.lang import cross, kernel, put
from conjoint.physics.motion.support import acceleration_at, object_pose, tree_arm
from conjoint.physics.sensor.store import cut_off
from conjoint.physics.sensor.velocity import limit_reading
from conjoint.schema.enums import mjtConstraint, mjtDisableBit, mjtSensor, mjtStage, mjtTrn


@kernel
def sensor_acc(m, d):
    """Read the sensors of the acceleration stage except touch sensors (mj_sensorAcc).

    mj_rnePostConstraint runs before if they need it.
    """
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_needstage[s] == mjtStage.mjSTAGE_ACC and m.sensor_type[s] != mjtSensor.mjSENS_TOUCH:
            read_acceleration(m, d, s)
            cut_off(m, d, s)


@kernel
def read_acceleration(m, d, s):
    """Write the reading of acceleration sensor s to sensordata."""
    kind = m.sensor_type[s]
    i = m.sensor_objid[s]
    a = m.sensor_adr[s]
    if kind == mjtSensor.mjSENS_ACTUATORFRC:
        for k in range(m.actuator_outnum[i]):
            d.sensordata[a + k] = d.actuator_force[m.actuator_outadr[i] + k]
    elif kind == mjtSensor.mjSENS_JOINTACTFRC:
        d.sensordata[a] = d.qfrc_actuator[m.jnt_dofadr[i]]
    elif kind == mjtSensor.mjSENS_TENDONACTFRC:
        d.sensordata[a] = tendon_force(m, d, i)
    elif kind == mjtSensor.mjSENS_JOINTLIMITFRC:
        d.sensordata[a] = limit_reading(d, mjtConstraint.mjCNSTR_LIMIT_JOINT, i, d.efc_force)
    elif kind == mjtSensor.mjSENS_TENDONLIMITFRC:
        d.sensordata[a] = limit_reading(d, mjtConstraint.mjCNSTR_LIMIT_TENDON, i, d.efc_force)
    elif kind == mjtSensor.mjSENS_ACCELEROMETER:
        # an accelerometer measures the force on a mass, which includes gravity
        felt = acceleration_at(m, d, m.site_bodyid[i], d.site_xpos[i])
        put(d.sensordata, a, d.site_xmat[i].T @ felt.linear)
    elif kind == mjtSensor.mjSENS_FORCE:
        put(d.sensordata, a, d.site_xmat[i].T @ d.cfrc_int[m.site_bodyid[i]].linear)
    elif kind == mjtSensor.mjSENS_TORQUE:
        b = m.site_bodyid[i]
        wrench = d.cfrc_int[b]
        torque = wrench.angular - cross(tree_arm(m, d, b, d.site_xpos[i]), wrench.linear)
        put(d.sensordata, a, d.site_xmat[i].T @ torque)
    elif kind == mjtSensor.mjSENS_FRAMELINACC or kind == mjtSensor.mjSENS_FRAMEANGACC:
        body, position, _ = object_pose(m, d, m.sensor_objtype[s], i)
        acceleration = acceleration_at(m, d, body, position)
        if kind == mjtSensor.mjSENS_FRAMELINACC:
            put(d.sensordata, a, acceleration.linear)
        else:
            put(d.sensordata, a, acceleration.angular)


@kernel
def tendon_force(m, d, t):
    """Return the sum of the actuator forces on tendon t."""
    total = 0.0
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == mjtTrn.mjTRN_TENDON and m.actuator_trnid[u, 0] == t:
            total = total + d.actuator_force[m.actuator_outadr[u]]
    return total
