"""Sensors on sleeping objects, whose force and acceleration readings stay as in the last awake step.

Positions stay constant and velocities are zero, so the sensors that read them need no special treatment.
"""

from conjoint.lang import kernel
from conjoint.physics.sleep.awake import ASLEEP, AWAKE, STATIC
from conjoint.physics.sleep.wake import first_tree_of_tendon, last_tree_of_tendon
from conjoint.schema.enums import mjtObj, mjtSensor, mjtStage, mjtTrn

UNKNOWN = int(mjtObj.mjOBJ_UNKNOWN)


@kernel
def keep_readings(m, d):
    """Restore the saved readings of sensors on sleeping objects, and save the readings of all sensors."""
    for s in range(m.nsensor):
        held = m.sensor_needstage[s] == mjtStage.mjSTAGE_ACC and is_held(m, d, s)
        for a in range(m.sensor_adr[s], m.sensor_adr[s] + m.sensor_dim[s]):
            if held:
                d.sensordata[a] = d.rest_reading[a]
            d.rest_reading[a] = d.sensordata[a]


@kernel
def is_held(m, d, s):
    """Return True if the reading of sensor s is kept: at least one of its objects sleeps, and none is awake."""
    kind = m.sensor_type[s]
    if kind == mjtSensor.mjSENS_USER or kind == mjtSensor.mjSENS_PLUGIN:
        return False
    first = m.sensor_objtype[s]
    second = m.sensor_reftype[s]
    # contacts inside a site may involve any body
    if kind == mjtSensor.mjSENS_CONTACT and (first == mjtObj.mjOBJ_SITE or second == mjtObj.mjOBJ_SITE):
        return False
    one = state_of(m, d, first, m.sensor_objid[s])
    other = state_of(m, d, second, m.sensor_refid[s])
    if first == UNKNOWN and second == UNKNOWN:
        return False
    if first == UNKNOWN:
        return other == ASLEEP
    if second == UNKNOWN:
        return one == ASLEEP
    return one != AWAKE and other != AWAKE


@kernel
def state_of(m, d, kind, i):
    """Return the sleep state of object i of a given type (mjtObj): awake, asleep or static."""
    if i < 0:
        return AWAKE
    if kind == mjtObj.mjOBJ_BODY or kind == mjtObj.mjOBJ_XBODY:
        return d.body_state[i]
    if kind == mjtObj.mjOBJ_JOINT:
        return d.body_state[m.jnt_bodyid[i]]
    if kind == mjtObj.mjOBJ_GEOM:
        return d.body_state[m.geom_bodyid[i]]
    if kind == mjtObj.mjOBJ_SITE:
        return d.body_state[m.site_bodyid[i]]
    if kind == mjtObj.mjOBJ_CAMERA:
        return d.body_state[m.cam_bodyid[i]]
    if kind == mjtObj.mjOBJ_TENDON:
        return state_of_tendon(m, d, i)
    if kind == mjtObj.mjOBJ_ACTUATOR:
        return state_of_actuator(m, d, i)
    return AWAKE


@kernel
def state_of_tendon(m, d, i):
    """Return the sleep state of tendon i, which is asleep if its first tree and its last tree are asleep."""
    s = first_tree_of_tendon(m, i)
    if s < 0:
        return STATIC
    t = last_tree_of_tendon(m, i)
    return AWAKE if d.tree_state[s] == AWAKE or d.tree_state[t] == AWAKE else ASLEEP


@kernel
def state_of_actuator(m, d, u):
    """Return the sleep state of actuator u: the state of its target; a slider-crank is also awake if its slider is."""
    kind = m.actuator_trntype[u]
    if kind == mjtTrn.mjTRN_TENDON:
        return state_of_tendon(m, d, m.actuator_trnid[u, 0])
    if kind == mjtTrn.mjTRN_SLIDERCRANK and d.body_state[m.site_bodyid[m.actuator_trnid[u, 1]]] == AWAKE:
        return AWAKE
    b = moved_body(m, u)
    return AWAKE if b < 0 else d.body_state[b]


@kernel
def moved_body(m, u):
    """Return the body on which actuator u acts (the crank of a slider-crank), or -1 if it is not a single body."""
    kind = m.actuator_trntype[u]
    i = m.actuator_trnid[u, 0]
    of_joint = kind == mjtTrn.mjTRN_SO3 and m.actuator_trnid[u, 1] < 0
    if of_joint or kind == mjtTrn.mjTRN_JOINT or kind == mjtTrn.mjTRN_JOINTINPARENT:
        return m.jnt_bodyid[i]
    if kind == mjtTrn.mjTRN_BODY:
        return i
    if kind == mjtTrn.mjTRN_SITE or kind == mjtTrn.mjTRN_SO3 or kind == mjtTrn.mjTRN_SLIDERCRANK:
        return m.site_bodyid[i]
    return -1
