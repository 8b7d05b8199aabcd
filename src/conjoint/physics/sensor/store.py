"""Writing readings to sensordata."""

from conjoint.lang import any, clip, kernel, minimum, where
from conjoint.schema.enums import mjtDataType, mjtSensor


@kernel
def cut_off(m, d, s):
    """Limit the readings of sensor s to its cutoff, if it has one; axes, quaternions and segments have none."""
    limit = m.sensor_cutoff[s]
    limited = limit > 0.0
    if not any(limited) or m.sensor_type[s] == mjtSensor.mjSENS_GEOMFROMTO:
        return
    first = m.sensor_adr[s]
    for a in range(first, first + m.sensor_dim[s]):
        if m.sensor_datatype[s] == mjtDataType.mjDATATYPE_REAL:
            d.sensordata[a] = where(limited, clip(d.sensordata[a], -limit, limit), d.sensordata[a])
        elif m.sensor_datatype[s] == mjtDataType.mjDATATYPE_POSITIVE:
            d.sensordata[a] = where(limited, minimum(limit, d.sensordata[a]), d.sensordata[a])


@kernel
def cut_off_plugins(m, d):
    """Limit the readings of the sensors of plugins; those that are limited stay as they are."""
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_PLUGIN:
            cut_off(m, d, s)
