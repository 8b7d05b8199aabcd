"""Storage and interpolation of past controls and sensor readings (Modeling chapter, "Delays").

The history of an actuator or sensor is a ring buffer of samples in `d.history`. It consists of two header numbers
(`schema.data`), the times of all samples, then the values of all samples. In the ring, the oldest sample follows the
newest.
"""

from conjoint.lang import abs, integer, kernel, minimum, where
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.data import HEAD, NEWEST, TIME
from conjoint.schema.enums import mjtDisableBit, mjtStage

LINEAR = 1
"""Code for linear interpolation of samples; 0 means no interpolation, 2 cubic interpolation."""


@kernel
def newest_sample(d, adr, samples):
    """Return the index of the newest sample, or 0 if the user wrote an index outside the ring buffer."""
    place = d.history[adr + NEWEST]
    return integer(where(place >= 0.0, where(place < samples, place, 0.0), 0.0))


@kernel
def place_of(d, adr, samples, k):
    """Return the index in the ring buffer of sample k, where sample 0 is the oldest."""
    place = newest_sample(d, adr, samples) + 1 + k
    if place >= samples:
        place -= samples
    return place


@kernel
def time_of(d, adr, samples, k):
    """Return the time of sample k, where sample 0 is the oldest."""
    return d.history[adr + HEAD + place_of(d, adr, samples, k)]


@kernel
def number_of(d, adr, samples, size, k, n):
    """Return component n of sample k, which has `size` components."""
    return d.history[adr + HEAD + samples + place_of(d, adr, samples, k) * size + n]


@kernel
def last_before(d, adr, samples, time):
    """Return the index k of the newest sample at or before `time`, or 0 if there is none."""
    k = samples - 1
    while k > 0 and not time_of(d, adr, samples, k) <= time + mjMINVAL:
        k -= 1
    return k


@kernel
def number_at(d, adr, samples, size, interp, time, n):
    """Interpolate component n of a history at a time; outside all sample times, return the nearest sample's value."""
    k = last_before(d, adr, samples, time)
    here = number_of(d, adr, samples, size, k, n)
    begin = time_of(d, adr, samples, k)
    if interp == 0 or k == samples - 1 or time <= begin or abs(time - begin) < mjMINVAL:
        return here
    there = number_of(d, adr, samples, size, k + 1, n)
    span = time_of(d, adr, samples, k + 1) - begin
    share = (time - begin) / span
    if interp == LINEAR:
        return here + share * (there - here)
    # a cubic with the slopes between the neighbors (Catmull and Rom, A class of local interpolating splines, 1974)
    left = slope_at(d, adr, samples, size, k, n) * span
    right = slope_at(d, adr, samples, size, k + 1, n) * span
    square = share * share
    cube = square * share
    ends = (2.0 * cube - 3.0 * square + 1.0) * here + (3.0 * square - 2.0 * cube) * there
    return ends + (cube - 2.0 * square + share) * left + (cube - square) * right


@kernel
def slope_at(d, adr, samples, size, k, n):
    """Return the slope of component n at sample k, between its neighbors, or zero at either end of the history."""
    if k == 0 or k == samples - 1:
        return 0.0
    change = number_of(d, adr, samples, size, k + 1, n) - number_of(d, adr, samples, size, k - 1, n)
    return change / (time_of(d, adr, samples, k + 1) - time_of(d, adr, samples, k - 1))


@kernel
def read_history(m, d, result, adr, samples, size, interp, time):
    """Set result to all `size` components of a history, interpolated at a time."""
    for n in range(size):
        result[n] = number_at(d, adr, samples, size, interp, time, n)


@kernel
def delay_controls(m, d):
    """Set ctrl_delayed, the controls that actuators use: past controls if there is a delay, else current controls."""
    for u in range(m.nactuator):
        first = m.actuator_ctrladr[u]
        adr = m.actuator_historyadr[u]
        for n in range(m.actuator_ctrlnum[u]):
            if adr >= 0 and m.actuator_delay[u] > 0.0:
                samples, size = m.actuator_history[u, 0], m.actuator_ctrlnum[u]
                time = d.time - m.actuator_delay[u]
                number = number_at(d, adr, samples, size, m.actuator_history[u, 1], time, n)
                d.ctrl_delayed[first + n] = number
            else:
                d.ctrl_delayed[first + n] = d.ctrl[first + n]


@kernel
def is_due(m, d, s, time):
    """Return True if sensor s must be read at a time: in every step, or once per interval."""
    period = m.sensor_interval[s, 0]
    return not period > 0.0 or d.history[m.sensor_historyadr[s] + TIME] + period <= time


@kernel
def delay_readings(m, d, stage):
    """Save the readings of sensors with a history to `reading_now`, and replace them with delayed readings."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        adr = m.sensor_historyadr[s]
        if adr >= 0 and m.sensor_needstage[s] == stage:
            samples, size, first = m.sensor_history[s, 0], m.sensor_dim[s], m.sensor_adr[s]
            due = is_due(m, d, s, d.time)
            for n in range(size):
                # repeated readings after trees fell asleep are not saved
                if d.sleep_again == 0:
                    d.reading_now[adr + n] = d.sensordata[first + n]
                if m.sensor_delay[s] > 0.0 or not due:
                    time = d.time - m.sensor_delay[s]
                    d.sensordata[first + n] = number_at(d, adr, samples, size, m.sensor_history[s, 1], time, n)


@kernel
def delay_positions(m, d):
    """Delay the readings of position sensors, at the end of mj_sensorPos."""
    delay_readings(m, d, mjtStage.mjSTAGE_POS)


@kernel
def delay_velocities(m, d):
    """Delay the readings of velocity sensors, at the end of mj_sensorVel."""
    delay_readings(m, d, mjtStage.mjSTAGE_VEL)


@kernel
def delay_accelerations(m, d):
    """Delay the readings of acceleration and force sensors, at the end of mj_sensorAcc."""
    delay_readings(m, d, mjtStage.mjSTAGE_ACC)


@kernel
def keep_history(m, d):
    """Add the controls and readings of this step to the histories, before the state is integrated."""
    keep_samples(m, d, d.time)


@kernel
def keep_history_of_start(m, d):
    """Add the controls and readings of a Runge-Kutta step, which began at `rk4_time`, to the histories."""
    keep_samples(m, d, d.rk4_time)


@kernel
def keep_samples(m, d, time):
    """Add the current controls and readings, with a given time, to the histories."""
    keep_controls(m, d, time)
    for s in range(m.nsensor):
        adr = m.sensor_historyadr[s]
        if adr >= 0 and is_due(m, d, s, time):
            insert(d, adr, m.sensor_history[s, 0], m.sensor_dim[s], time, d.reading_now, adr)
            if m.sensor_interval[s, 0] > 0.0:
                d.history[adr + TIME] = d.history[adr + TIME] + m.sensor_interval[s, 0]


@kernel
def keep_controls(m, d, time):
    """Add the current controls, with a given time, to the histories."""
    for u in range(m.nactuator):
        adr = m.actuator_historyadr[u]
        if adr >= 0:
            size = m.actuator_ctrlnum[u]
            insert(d, adr, m.actuator_history[u, 0], size, time, d.ctrl, m.actuator_ctrladr[u])


@kernel
def insert(d, adr, samples, size, time, field, first):
    """Replace the oldest sample with a new one, whose `size` components start at field[first].

    Samples remain sorted by time; a sample with the same time is overwritten.
    """
    if time > time_of(d, adr, samples, samples - 1):
        # the normal case: the new sample is the newest
        d.history[adr + NEWEST] = 1.0 * place_of(d, adr, samples, 0)
        k = samples - 1
    else:
        k = last_before(d, adr, samples, time)
        if not abs(time_of(d, adr, samples, k) - time) < mjMINVAL:
            for older in range(minimum(k, samples - 1)):
                take_over(d, adr, samples, size, older)
    place = place_of(d, adr, samples, k)
    d.history[adr + HEAD + place] = time
    for n in range(size):
        d.history[adr + HEAD + samples + place * size + n] = field[first + n]


@kernel
def take_over(d, adr, samples, size, k):
    """Overwrite sample k with sample k + 1."""
    place = place_of(d, adr, samples, k)
    other = place_of(d, adr, samples, k + 1)
    d.history[adr + HEAD + place] = d.history[adr + HEAD + other]
    for n in range(size):
        number = d.history[adr + HEAD + samples + other * size + n]
        d.history[adr + HEAD + samples + place * size + n] = number
