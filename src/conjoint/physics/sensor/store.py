"""Writing readings to sensordata."""

from conjoint.lang import clip, kernel, minimum
from conjoint.schema.enums import mjtDataType, mjtSensor


@kernel
def store_vec3(d, a, v):
    """Three numbers from address a on."""
    d.sensordata[a] = v.x
    d.sensordata[a + 1] = v.y
    d.sensordata[a + 2] = v.z


@kernel
def store_quat(d, a, q):
    """Four numbers from address a on."""
    d.sensordata[a] = q.w
    d.sensordata[a + 1] = q.x
    d.sensordata[a + 2] = q.y
    d.sensordata[a + 3] = q.z


@kernel
def cut_off(m, d, s):
    """Limit the readings of sensor s to its cutoff, if it has one; axes, quaternions and contacts have none."""
    limit = m.sensor_cutoff[s]
    kind = m.sensor_type[s]
    if limit <= 0.0 or kind == mjtSensor.mjSENS_CONTACT or kind == mjtSensor.mjSENS_GEOMFROMTO:
        return
    first = m.sensor_adr[s]
    for a in range(first, first + m.sensor_dim[s]):
        if m.sensor_datatype[s] == mjtDataType.mjDATATYPE_REAL:
            d.sensordata[a] = clip(d.sensordata[a], -limit, limit)
        elif m.sensor_datatype[s] == mjtDataType.mjDATATYPE_POSITIVE:
            d.sensordata[a] = minimum(limit, d.sensordata[a])
