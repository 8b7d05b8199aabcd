"""Sensors of the smallest distance between two geoms, or between the geoms of two bodies (stage 12).

There is one kernel for each distance function; each updates the smallest distances found so far.
"""

from conjoint.lang import Kernel, kernel, norm, normalize3, put, vec3, where
from conjoint.physics.collision.distance import UNSORTED_POINTS
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.enums import mjtDisableBit, mjtGeom, mjtObj, mjtSensor


@kernel
def measures(m, s):
    """Return True if sensor s measures a distance that the previous sensor does not already measure."""
    return is_distance(m, s) and not repeats(m, s)


@kernel
def is_distance(m, s):
    """Return True if sensor s has a type that measures distances."""
    return m.sensor_type[s] >= mjtSensor.mjSENS_GEOMDIST and m.sensor_type[s] <= mjtSensor.mjSENS_GEOMFROMTO


@kernel
def repeats(m, s):
    """Return True if the previous sensor measures the same distance as sensor s."""
    if s == 0 or not is_distance(m, s - 1) or m.sensor_cutoff[s] != m.sensor_cutoff[s - 1]:
        return False
    same_object = m.sensor_objtype[s] == m.sensor_objtype[s - 1] and m.sensor_objid[s] == m.sensor_objid[s - 1]
    return same_object and m.sensor_reftype[s] == m.sensor_reftype[s - 1] and m.sensor_refid[s] == m.sensor_refid[s - 1]


@kernel
def begin_distances(m, d):
    """Initialize the distances to the cutoff."""
    for s in range(m.nsensor):
        if measures(m, s):
            d.sensed_dist[s] = m.sensor_cutoff[s]
            d.sensed_pair[s] = -1
            d.sensed_from[s] = vec3(0.0, 0.0, 0.0)
            d.sensed_to[s] = vec3(0.0, 0.0, 0.0)


@kernel
def geoms_of(m, kind, i):
    """Return the index of the first geom and the number of geoms of object i, which is a body or a geom."""
    if kind == mjtObj.mjOBJ_BODY:
        return m.body_geomadr[i], m.body_geomnum[i]
    return i, 1


@kernel
def measure_number(m, first, second):
    """Return the index of the distance function for geoms of two types; the first type is the smaller one."""
    return m.types_distance[first * mjtGeom.mjNGEOMTYPES + second]


def measure_of(number: int, geom_distance: Kernel) -> Kernel:
    """Return the kernel that updates the sensor distances that are computed by `geom_distance`."""

    sorted_back = geom_distance not in UNSORTED_POINTS

    @kernel
    def measure(m, d):
        """Update sensor distances between geoms of those type pairs that use this distance function."""
        if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
            return
        for s in range(m.nsensor):
            if measures(m, s):
                adr1, count1 = geoms_of(m, m.sensor_objtype[s], m.sensor_objid[s])
                adr2, count2 = geoms_of(m, m.sensor_reftype[s], m.sensor_refid[s])
                for pair in range(count1 * count2):
                    g1 = adr1 + pair // count2
                    g2 = adr2 + pair % count2
                    swapped = m.geom_type[g1] > m.geom_type[g2]
                    if not swapped and measure_number(m, m.geom_type[g1], m.geom_type[g2]) == number:
                        dist, start, end = geom_distance(m, d, g1, g2, m.sensor_cutoff[s])
                        keep_nearest(d, s, pair, dist, start, end)
                    if swapped and measure_number(m, m.geom_type[g2], m.geom_type[g1]) == number:
                        dist, end, start = geom_distance(m, d, g2, g1, m.sensor_cutoff[s])
                        if sorted_back:
                            keep_nearest(d, s, pair, dist, start, end)
                        else:
                            keep_nearest(d, s, pair, dist, end, start)

    measure.__name__ = f"measure_{geom_distance.__name__}"
    return measure


@kernel
def keep_nearest(d, s, pair, dist, start, end):
    """Store the distance of a geom pair for sensor s if it is the smallest so far; the first of equal ones is kept."""
    if dist < d.sensed_dist[s] or (dist == d.sensed_dist[s] and pair < d.sensed_pair[s]):
        d.sensed_dist[s] = dist
        d.sensed_pair[s] = pair
        d.sensed_from[s] = start
        d.sensed_to[s] = end


@kernel
def sensor_distance(m, d):
    """Read all distance sensors: the distance, its direction, or its end points."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    source = 0
    for s in range(m.nsensor):
        if is_distance(m, s):
            if not repeats(m, s):
                source = s
            a = m.sensor_adr[s]
            start = d.sensed_from[source]
            end = d.sensed_to[source]
            if m.sensor_type[s] == mjtSensor.mjSENS_GEOMDIST:
                d.sensordata[a] = d.sensed_dist[source]
            elif m.sensor_type[s] == mjtSensor.mjSENS_GEOMNORMAL:
                apart = norm(end - start) > 0.0
                put(d.sensordata, a, where(apart, normalize3(end - start), vec3(0.0, 0.0, 0.0)))
            else:
                put(d.sensordata, a, start)
                put(d.sensordata, a + 3, end)
            cut_off(m, d, s)
