"""Sensors: measured objects and data addresses (XML Reference, sensor)."""

from typing import Any

from conjoint.compiler.actuator import resolve_history
from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Sensor
from conjoint.compiler.passes import declared
from conjoint.schema.enums import mjtDataType, mjtSensor, mjtStage
from conjoint.schema.kinds import BALL, BOX, CAPSULE, CYLINDER, ELLIPSOID, FREE, HINGE, MESH, SLIDE, SPHERE
from conjoint.schema.mjcf.sensor import ATTACHED_TO, CONTACT_DATA, CONTACT_REDUCTIONS, FRAMES, RAY_DATA
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.schema.version import STANDS_FOR

SCALAR_JOINT = {
    int(getattr(mjtSensor, "mjSENS_" + name))
    for name in ("JOINTPOS", "JOINTVEL", "JOINTACTFRC")
}  # fmt: skip
LIMIT_JOINT = {int(getattr(mjtSensor, "mjSENS_JOINTLIMIT" + name)) for name in ("POS", "VEL", "FRC")}
LIMIT_TENDON = {int(getattr(mjtSensor, "mjSENS_TENDONLIMIT" + name)) for name in ("POS", "VEL", "FRC")}
OF_ACTUATORS = {int(getattr(mjtSensor, "mjSENS_ACTUATOR" + name)) for name in ("POS", "VEL", "FRC")}
"""Sensor types that report a number for each output of an actuator."""
MOST_NUMBERS = 1 << 27
"""Maximum number of readings of all sensors (one gigabyte)."""
DIMENSIONS = {int(mjtDataType.mjDATATYPE_AXIS): 3, int(mjtDataType.mjDATATYPE_QUATERNION): 4}
"""Number of readings of sensors that report unit vectors or unit quaternions, by data type."""
COMPACT = (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH)
"""Types of geoms that are convex and of finite size. Meshes are represented by their hulls."""
DISTANCES = {int(getattr(mjtSensor, "mjSENS_GEOM" + name)) for name in ("DIST", "NORMAL", "FROMTO")}
BALL_JOINT = {int(mjtSensor.mjSENS_BALLQUAT), int(mjtSensor.mjSENS_BALLANGVEL)}

KINDS = {number: "body" if kind == "xbody" else kind for kind, number in OBJECT_TYPES.items()}
"""Element types of sensor objects, by object type number."""

TOUCHED = ("body", "xbody", "geom")
"""Element types whose contacts a contact sensor can select. `xbody` selects a subtree."""


@declared(
    reads=(
        "actuator: outnum; body: id; camera: id; geom: id; joint: id limited; mesh: compiled id; sensor: cutoff "
        "noise pluginid; site: id; tendon: limited"
    ),
    changes="draft: nhistory; sensor: datatype dim intprm objtype reftype",
    writes="draft: nsensordata; sensor: adr history historyadr needstage objid refid",
)
def resolve_sensors(draft: Draft) -> None:
    """Set the objects and data addresses of sensors, and the total number of their readings, `draft.nsensordata`."""
    address = 0
    nhistory = draft.nhistory
    for sensor in draft.sensors:
        values = sensor.__dict__
        for prefix in ("obj", "ref"):
            number, name = values.get(prefix + "type", 0), values.get(prefix + "name", "")
            values[prefix + "type"] = number if isinstance(number, int) else 0
            values[prefix + "id"] = -1
            if name and values[prefix + "type"] in KINDS:
                values[prefix + "id"] = draft.find(KINDS[number], name, sensor)
        if sensor.type == mjtSensor.mjSENS_TACTILE and sensor.objid >= 0:
            mesh = draft.meshes[sensor.objid].compiled
            sensor.dim = 3 * len(mesh.triangles.vert) if mesh else 0
        _check_sensor(draft, sensor)
        if sensor.type == mjtSensor.mjSENS_RANGEFINDER:
            _count_rays(draft, sensor)
        if draft.newer:
            _as_newer(sensor)
        if sensor.type in OF_ACTUATORS and sensor.objid >= 0:
            sensor.dim = draft.actuators[sensor.objid].outnum
        sensor.adr = address
        address += sensor.dim
        nhistory += resolve_history(draft, sensor, nhistory, sensor.dim)
        _check_interval(draft, sensor)
    if address > MOST_NUMBERS:
        draft.problems.add(f"<sensor>: {address} numbers in total, but at most {MOST_NUMBERS} are possible")
    draft.nsensordata, draft.nhistory = address, nhistory


def _as_newer(sensor: Sensor) -> None:
    """Convert the values of a sensor that MuJoCo 4.0 interprets differently."""
    if sensor.type == mjtSensor.mjSENS_RANGEFINDER and not sensor.intprm[0]:
        # without data in the file, report the distance
        sensor.intprm, sensor.datatype = (1, 0, 0), int(mjtDataType.mjDATATYPE_REAL)
    if sensor.type == mjtSensor.mjSENS_CONTACT:
        bits, reduction, _ = sensor.intprm
        moving = mjtStage.mjSTAGE_VEL if bits & _VELOCITIES else mjtStage.mjSTAGE_POS
        sensor.needstage = int(mjtStage.mjSTAGE_ACC if bits & _FORCES or reduction in _BY_FORCE else moving)


def _check_interval(draft: Draft, sensor: Sensor) -> None:
    """Check the attribute `interval`: the time between readings, and the time of the last reading before the start."""
    period, phase = sensor.interval
    if period < 0:
        draft.problems.about(sensor, "the interval cannot be negative", "interval")
    elif phase > 0:
        draft.problems.about(sensor, "the phase, the second number of interval, cannot be positive", "interval")
    elif 0 < period <= -phase:
        draft.problems.about(
            sensor, "the phase, the second number of interval, must be greater than minus the first", "interval"
        )


def _count_rays(draft: Draft, sensor: Sensor) -> None:
    """Set the number of readings of a rangefinder: its data fields, for each pixel of a camera."""
    bits = int(sensor.intprm[0])
    if bits == 0 and STANDS_FOR.moved:
        draft.problems.about(sensor, "data spec (intprm[0]) must be positive, got 0", "data")
    if bits < 0 or bits >> len(RAY_DATA):
        draft.problems.about(sensor, f"data spec intprm[0]={bits} has bits set beyond {', '.join(RAY_DATA)}", "data")
    sensor.dim = sum(count for i, count in enumerate(RAY_DATA.values()) if (bits or 1) >> i & 1)
    if sensor.objtype == OBJECT_TYPES["camera"] and sensor.objid >= 0:
        width, height = map(int, draft.cameras[sensor.objid].resolution)
        sensor.dim *= width * height


def _check_sensor(draft: Draft, sensor: Sensor) -> None:
    """Check the values of a sensor, and that the sensor can measure its object."""
    if sensor.cutoff < 0 or sensor.noise < 0 or sensor.dim < 0:
        draft.problems.about(sensor, "cutoff, noise and dim cannot be negative")
    if sensor.type == mjtSensor.mjSENS_CONTACT:
        _check_contact(draft, sensor)
    if sensor.type == mjtSensor.mjSENS_PLUGIN and sensor.pluginid < 0:
        draft.problems.about(sensor, "it needs a plugin, or an instance of one", "plugin")
    if not _check_attached(draft, sensor):
        return
    if sensor.type == mjtSensor.mjSENS_INSIDESITE and sensor.intprm[0]:
        _check_enclosed(draft, sensor)
    if sensor.type in DISTANCES:
        # here the cutoff is the maximum distance of the search
        if (sensor.objtype, sensor.objid) == (sensor.reftype, sensor.refid):
            draft.problems.about(sensor, f"the two must differ, but both are '{sensor.objname}'")
    elif sensor.datatype in DIMENSIONS:
        if sensor.cutoff > 0:
            draft.problems.about(sensor, "unit vectors and quaternions cannot have a cutoff", "cutoff")
        if sensor.dim != DIMENSIONS[sensor.datatype]:
            draft.problems.about(sensor, f"its datatype needs dim {DIMENSIONS[sensor.datatype]}", "dim")
    if sensor.objid < 0:
        return
    kind = sensor.type
    if kind in SCALAR_JOINT | LIMIT_JOINT | BALL_JOINT:
        joint = draft.joints[sensor.objid]
        if kind in SCALAR_JOINT and joint.type not in (SLIDE, HINGE):
            draft.problems.about(sensor, "needs a hinge or slide joint", "joint")
        if kind in BALL_JOINT and joint.type != BALL:
            draft.problems.about(sensor, "needs a ball joint", "joint")
        if kind in LIMIT_JOINT and (joint.type == FREE or not joint.limited):
            draft.problems.about(sensor, "needs a joint with limits", "joint")
    camera = draft.cameras[sensor.refid] if kind == mjtSensor.mjSENS_CAMPROJECTION and sensor.refid >= 0 else None
    if camera and min(camera.resolution) <= 0:
        draft.problems.about(sensor, "the camera needs a resolution", "camera")
    if kind in LIMIT_TENDON and not draft.tendons[sensor.objid].limited:
        draft.problems.about(sensor, "needs a tendon with limits", "tendon")


def _check_enclosed(draft: Draft, sensor: Sensor) -> None:
    """Check that the object that a sensor tests for being enclosed has geoms, all of them convex and of finite size."""
    if sensor.objid < 0:
        return
    if sensor.objtype == OBJECT_TYPES["camera"]:
        draft.problems.about(sensor, "enclosed needs an object with a shape, but a camera has none", "objtype")
    elif sensor.objtype != OBJECT_TYPES["site"]:
        geoms = enclosed_geoms(draft, sensor)
        if not geoms:
            draft.problems.about(
                sensor, f"the body '{sensor.objname}' has no geom: enclosed needs an object with a shape", "objname"
            )
        for geom in geoms:
            if geom.type not in COMPACT:
                name = f"the geom '{geom.name}'" if geom.name else "a geom without a name"
                draft.problems.about(sensor, f"{name} is not a convex shape of finite size", "objname")


def enclosed_geoms(draft: Draft, sensor: Sensor) -> list[Any]:
    """Return the geoms that a sensor tests: one geom, the geoms of a body, or all geoms in its subtree."""
    if sensor.objtype == OBJECT_TYPES["geom"]:
        return [draft.geoms[sensor.objid]]
    bodies = {sensor.objid}
    if sensor.objtype == OBJECT_TYPES["xbody"]:
        # parents come before their children
        for body in draft.bodies[sensor.objid + 1 :]:
            bodies |= {body.id} if body.parentid in bodies else set()
    return [geom for number in sorted(bodies) for geom in draft.bodies[number].geoms]


def _check_attached(draft: Draft, sensor: Sensor) -> bool:
    """Return True if a sensor's objects have valid types. Report other types, which only programs can set."""
    for prefix, kinds in zip(("obj", "ref"), ATTACHED_TO.get(sensor.type, ()), strict=False):
        kind, name = getattr(sensor, prefix + "type"), sensor.__dict__.get(prefix + "name", "")
        if kinds == FRAMES and prefix == "ref" and not kind:
            # measured in the world frame
            continue
        if kind not in [OBJECT_TYPES[word] for word in kinds] or not name:
            what = "has no name" if kind and not name else f"must be a {', '.join(kinds)}"
            draft.problems.about(sensor, f"what {prefix}type and {prefix}name refer to {what}", prefix + "name")
            return False
    return True


def _check_contact(draft: Draft, sensor: Sensor) -> None:
    """Check a contact sensor: data bits, reduction, number of contacts, and matching criteria."""
    bits, reduction, number = sensor.intprm
    incomplete = number <= 0 or bits <= 0
    if number <= 0:
        draft.problems.about(sensor, f"num (intprm[2]) must be positive in sensor, got {number}", "num")
    known = (1 << len(CONTACT_DATA)) - 1
    first = f"the first mjNCONDATA bits ({', '.join(CONTACT_DATA)})"
    if bits <= 0:
        draft.problems.about(sensor, f"data spec (intprm[0]) must be positive, got {bits}", "data")
    elif not bits & known:
        draft.problems.about(sensor, f"data spec intprm[0]={bits} must have at least one bit set of {first}", "data")
    elif bits & ~known:
        draft.problems.about(sensor, f"data spec intprm[0]={bits} has bits set beyond {first}", "data")
    if bits & _VELOCITIES and reduction == CONTACT_REDUCTIONS.split().index("netforce"):
        draft.problems.about(sensor, "linvel and angvel cannot be combined with reduce netforce", "reduce")
    if not 0 <= reduction < len(CONTACT_REDUCTIONS.split()):
        draft.problems.about(sensor, f"unknown reduction criterion. got {reduction} (intprm[1])", "reduce")
    for place, prefix, which, allowed, words in _MATCHING:
        kind, element = getattr(sensor, prefix + "type"), getattr(sensor, prefix + "id")
        if kind and kind not in [OBJECT_TYPES[word] for word in allowed]:
            message = f"{which} matching criterion: if set, must be {words}"
            draft.problems.about(sensor, message, prefix + "type")
        elif incomplete and kind == OBJECT_TYPES["xbody"] and element >= 0 and draft.bodies[element].parentid:
            # report the rule of 3.3.5 for programs that test for it; the sensor is rejected anyway
            message = f"in MuJoCo 3.3.5 subtree{place} must be a child of the world; Conjoint allows any body"
            draft.problems.about(sensor, message, f"subtree{place}")


_VELOCITIES = sum(1 << list(CONTACT_DATA).index(word) for word in ("linvel", "angvel"))
"""Data bits that are undefined for sums of contacts (linear and angular velocity)."""

_FORCES = sum(1 << list(CONTACT_DATA).index(word) for word in ("force", "torque"))
_BY_FORCE = [CONTACT_REDUCTIONS.split().index(word) for word in ("maxforce", "netforce")]
"""Reductions that sort or combine contacts by force; like the data bits `_FORCES`, they require contact forces."""

_MATCHING = (
    (1, "obj", "first", (*TOUCHED, "site"), "(x)body, geom or site"),
    (2, "ref", "second", TOUCHED, "(x)body or geom"),
)
"""Matching criteria of contact sensors: number, attribute prefix, ordinal, allowed types, and the types in messages."""
