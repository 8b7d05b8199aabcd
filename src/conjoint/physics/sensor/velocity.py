"""Sensors that depend on velocities (stage 16)."""

from conjoint.lang import cross, kernel, load, put, vec3
from conjoint.physics.dynamics.velocity import subtree_vel
from conjoint.physics.motion.support import object_pose, velocity_at
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.enums import mjtConstraint, mjtDisableBit, mjtSensor, mjtStage


@kernel
def sensor_vel(m, d):
    """Read the sensors of the velocity stage (mj_sensorVel)."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    if reads_subtrees(m):
        subtree_vel(m, d)
    for s in range(m.nsensor):
        if m.sensor_needstage[s] == mjtStage.mjSTAGE_VEL:
            read_velocity(m, d, s)
            cut_off(m, d, s)


@kernel
def reads_subtrees(m):
    """Return True if a sensor reads the velocity or momentum of a subtree, or a user sensor may do so."""
    for s in range(m.nsensor):
        kind = m.sensor_type[s]
        if kind == mjtSensor.mjSENS_SUBTREELINVEL or kind == mjtSensor.mjSENS_SUBTREEANGMOM:
            return True
        if kind == mjtSensor.mjSENS_USER and m.sensor_needstage[s] == mjtStage.mjSTAGE_VEL:
            return True
    return False


@kernel
def read_velocity(m, d, s):
    """Write the reading of velocity sensor s to sensordata."""
    kind = m.sensor_type[s]
    i = m.sensor_objid[s]
    a = m.sensor_adr[s]
    if kind == mjtSensor.mjSENS_JOINTVEL:
        d.sensordata[a] = d.qvel[m.jnt_dofadr[i]]
    elif kind == mjtSensor.mjSENS_TENDONVEL:
        d.sensordata[a] = d.ten_velocity[i]
    elif kind == mjtSensor.mjSENS_ACTUATORVEL:
        for k in range(m.actuator_outnum[i]):
            d.sensordata[a + k] = d.actuator_velocity[m.actuator_outadr[i] + k]
    elif kind == mjtSensor.mjSENS_BALLANGVEL:
        k = m.jnt_dofadr[i]
        put(d.sensordata, a, load(vec3, d.qvel, k))
    elif kind == mjtSensor.mjSENS_JOINTLIMITVEL:
        d.sensordata[a] = limit_reading(d, mjtConstraint.mjCNSTR_LIMIT_JOINT, i, d.efc_vel)
    elif kind == mjtSensor.mjSENS_TENDONLIMITVEL:
        d.sensordata[a] = limit_reading(d, mjtConstraint.mjCNSTR_LIMIT_TENDON, i, d.efc_vel)
    elif kind == mjtSensor.mjSENS_SUBTREELINVEL:
        put(d.sensordata, a, d.subtree_linvel[i])
    elif kind == mjtSensor.mjSENS_SUBTREEANGMOM:
        put(d.sensordata, a, d.subtree_angmom[i])
    elif kind == mjtSensor.mjSENS_VELOCIMETER:
        v = velocity_at(m, d, m.site_bodyid[i], d.site_xpos[i])
        put(d.sensordata, a, d.site_xmat[i].T @ v.linear)
    elif kind == mjtSensor.mjSENS_GYRO:
        v = velocity_at(m, d, m.site_bodyid[i], d.site_xpos[i])
        put(d.sensordata, a, d.site_xmat[i].T @ v.angular)
    elif kind == mjtSensor.mjSENS_FRAMELINVEL or kind == mjtSensor.mjSENS_FRAMEANGVEL:
        read_frame_velocity(m, d, s)


@kernel
def limit_reading(d, kind, i, values):
    """Return the element of `values` for the active limit of joint or tendon i, or 0 if no limit is active."""
    # if both limits are active, use the first
    for r in range(d.nefc):
        if d.efc_type[r] == kind and d.efc_id[r] == i:
            return values[r]
    return 0.0


@kernel
def read_frame_velocity(m, d, s):
    """Write the velocity of a frame to sensordata, in global axes.

    If the sensor has a reference frame, the velocity is relative to this moving frame, and in the axes of this frame.
    """
    a = m.sensor_adr[s]
    body, pos, _ = object_pose(m, d, m.sensor_objtype[s], m.sensor_objid[s])
    v = velocity_at(m, d, body, pos)
    linear = v.linear
    angular = v.angular
    if m.sensor_refid[s] >= 0:
        base, base_pos, axes = object_pose(m, d, m.sensor_reftype[s], m.sensor_refid[s])
        u = velocity_at(m, d, base, base_pos)
        linear = axes.T @ (linear - u.linear - cross(u.angular, pos - base_pos))
        angular = axes.T @ (angular - u.angular)
    if m.sensor_type[s] == mjtSensor.mjSENS_FRAMELINVEL:
        put(d.sensordata, a, linear)
    else:
        put(d.sensordata, a, angular)
