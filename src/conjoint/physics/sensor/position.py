"""Sensors that depend on positions (stage 12)."""

from conjoint.lang import (
    abs,
    conj_quat,
    cos,
    dot,
    kernel,
    load,
    mul_quat,
    put,
    rotate,
    sin,
    vec2,
    vec3,
    where,
    x_axis,
    y_axis,
    z_axis,
)
from conjoint.physics.dynamics.energy import energy_pos, energy_vel
from conjoint.physics.geometry.shape import inside_shape
from conjoint.physics.motion.support import object_pose, object_quat, quat_at
from conjoint.physics.sensor.store import cut_off
from conjoint.physics.sensor.velocity import limit_reading
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtConstraint, mjtDisableBit, mjtGeom, mjtSensor, mjtStage

HALF_DEGREE = 0.008726646259971648
"""Half a degree, in radians."""


@kernel
def sensor_pos(m, d):
    """Read the sensors of the position stage (mj_sensorPos)."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_needstage[s] == mjtStage.mjSTAGE_POS:
            read_position(m, d, s)
            cut_off(m, d, s)


@kernel
def read_position(m, d, s):
    """Write the reading of position sensor s to sensordata."""
    kind = m.sensor_type[s]
    i = m.sensor_objid[s]
    a = m.sensor_adr[s]
    if kind == mjtSensor.mjSENS_JOINTPOS:
        d.sensordata[a] = d.qpos[m.jnt_qposadr[i]]
    elif kind == mjtSensor.mjSENS_TENDONPOS:
        d.sensordata[a] = d.ten_length[i]
    elif kind == mjtSensor.mjSENS_ACTUATORPOS:
        for k in range(m.actuator_outnum[i]):
            d.sensordata[a + k] = d.actuator_length[m.actuator_outadr[i] + k]
    elif kind == mjtSensor.mjSENS_BALLQUAT:
        put(d.sensordata, a, quat_at(d, m.jnt_qposadr[i]))
    elif kind == mjtSensor.mjSENS_JOINTLIMITPOS:
        d.sensordata[a] = limit_position(d, mjtConstraint.mjCNSTR_LIMIT_JOINT, i)
    elif kind == mjtSensor.mjSENS_TENDONLIMITPOS:
        d.sensordata[a] = limit_position(d, mjtConstraint.mjCNSTR_LIMIT_TENDON, i)
    elif kind == mjtSensor.mjSENS_MAGNETOMETER:
        put(d.sensordata, a, d.site_xmat[i].T @ m.opt.magnetic)
    elif kind == mjtSensor.mjSENS_SUBTREECOM:
        put(d.sensordata, a, d.subtree_com[i])
    elif kind == mjtSensor.mjSENS_CLOCK:
        d.sensordata[a] = d.time
    elif kind == mjtSensor.mjSENS_E_POTENTIAL:
        energy_pos(m, d)
        d.sensordata[a] = d.energy[0]
    elif kind == mjtSensor.mjSENS_E_KINETIC:
        energy_vel(m, d)
        d.sensordata[a] = d.energy[1]
    elif kind == mjtSensor.mjSENS_CAMPROJECTION:
        put(d.sensordata, a, camera_pixel(m, d, m.sensor_refid[s], d.site_xpos[i]))
    elif kind == mjtSensor.mjSENS_INSIDESITE:
        _body, point, _axes = object_pose(m, d, m.sensor_objtype[s], i)
        d.sensordata[a] = where(inside_site(m, d, m.sensor_refid[s], point), 1.0, 0.0)
    elif kind >= mjtSensor.mjSENS_FRAMEPOS and kind <= mjtSensor.mjSENS_FRAMEZAXIS:
        read_frame(m, d, s)


@kernel
def inside_site(m, d, site, point):
    """Return True if a point is inside the volume of a site."""
    p = d.site_xmat[site].T @ (point - d.site_xpos[site])
    if m.site_type[site] == mjtGeom.mjGEOM_MESH and m.site_dataid[site] >= 0:
        return inside_hull(m, m.site_dataid[site], p)
    return inside_shape(m.site_type[site], m.site_size[site], p)


@kernel
def inside_hull(m, mesh, p):
    """Return True if a point, given in the frame of the mesh file, is inside the hull of a mesh."""
    turn = m.mesh_quat[mesh]
    q = rotate(conj_quat(turn), p - m.mesh_pos[mesh])
    inside = dot(p, p) >= 0.0
    for k in range(m.mesh_polynum[mesh]):
        polygon = m.mesh_polyadr[mesh] + k
        corner = load(vec3, m.mesh_vert, (m.mesh_vertadr[mesh] + m.mesh_polyvert[m.mesh_polyvertadr[polygon]], 0))
        inside = inside & (dot(m.mesh_polynormal[polygon], q - corner) < 0.0)
    return inside


@kernel
def camera_pixel(m, d, camera, point):
    """Return the image of a point in a pinhole camera, in pixels from the left edge and from the top edge.

    A camera looks along its negative z axis, with x to the right and y up. Points behind it are projected, too.
    """
    p = d.cam_xmat[camera].T @ (point - d.cam_xpos[camera])
    width = 1.0 * m.cam_resolution[camera, 0]
    height = 1.0 * m.cam_resolution[camera, 1]
    half = m.cam_fovy[camera] * HALF_DEGREE
    up = 0.5 * height * cos(half) / sin(half)
    across = up
    if m.cam_sensorsize[camera, 0] != 0.0 and m.cam_sensorsize[camera, 1] != 0.0:
        # focal lengths in pixels
        across = m.cam_intrinsic[camera, 0] / m.cam_sensorsize[camera, 0] * width
        up = m.cam_intrinsic[camera, 1] / m.cam_sensorsize[camera, 1] * height
    depth = where(abs(p.z) < mjMINVAL, where(p.z < 0.0, -mjMINVAL, mjMINVAL), p.z)
    return vec2(0.5 * width - across * p.x / depth, 0.5 * height + up * p.y / depth)


@kernel
def limit_position(d, kind, i):
    """Return the distance of joint or tendon i from its active limit, minus the margin, or 0 if no limit is active."""
    return limit_reading(d, kind, i, d.efc_pos) - limit_reading(d, kind, i, d.efc_margin)


@kernel
def read_frame(m, d, s):
    """Write the position or orientation of a frame, relative to the reference frame if the sensor has one."""
    kind = m.sensor_type[s]
    i = m.sensor_objid[s]
    a = m.sensor_adr[s]
    base = m.sensor_refid[s]
    if kind == mjtSensor.mjSENS_FRAMEQUAT:
        q = object_quat(m, d, m.sensor_objtype[s], i)
        if base >= 0:
            q = mul_quat(conj_quat(object_quat(m, d, m.sensor_reftype[s], base)), q)
        put(d.sensordata, a, q)
    else:
        _, pos, rotation = object_pose(m, d, m.sensor_objtype[s], i)
        if base >= 0:
            _, origin, axes = object_pose(m, d, m.sensor_reftype[s], base)
            pos = axes.T @ (pos - origin)
            rotation = axes.T @ rotation
        if kind == mjtSensor.mjSENS_FRAMEPOS:
            put(d.sensordata, a, pos)
        elif kind == mjtSensor.mjSENS_FRAMEXAXIS:
            put(d.sensordata, a, x_axis(rotation))
        elif kind == mjtSensor.mjSENS_FRAMEYAXIS:
            put(d.sensordata, a, y_axis(rotation))
        elif kind == mjtSensor.mjSENS_FRAMEZAXIS:
            put(d.sensordata, a, z_axis(rotation))
