"""Storage of sensor readings: limits on sensordata."""

from conjoint.lang import clip, kernel, minimum
from conjoint.schema.enums import mjtDataType, mjtSensor


@kernel
def cut_off(m, d, s):
    """Clamp the readings of sensor s to its cutoff, if it has one; axes, quaternions and segments have none."""
    limit = m.sensor_cutoff[s]
    if m.sensor_type[s] == mjtSensor.mjSENS_GEOMFROMTO or not limit > 0.0:
        return
    first = m.sensor_adr[s]
    for a in range(first, first + m.sensor_dim[s]):
        if m.sensor_datatype[s] == mjtDataType.mjDATATYPE_REAL:
            d.sensordata[a] = clip(d.sensordata[a], -limit, limit)
        elif m.sensor_datatype[s] == mjtDataType.mjDATATYPE_POSITIVE:
            d.sensordata[a] = minimum(limit, d.sensordata[a])


@kernel
def cut_off_plugins(m, d):
    """Clamp the readings of plugin sensors to their cutoffs; readings that are already clamped do not change."""
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_PLUGIN:
            cut_off(m, d, s)
