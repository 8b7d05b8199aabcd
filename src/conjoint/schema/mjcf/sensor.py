"""Grammar of sensor, with a table that has one row per type."""

from dataclasses import replace

from conjoint.schema.enums import mjtDataType, mjtSensor, mjtStage
from conjoint.schema.mjcf.asset import CONFIG
from conjoint.schema.mjcf.shared import HISTORY, NAME, OBJECT_TYPES, USER
from conjoint.schema.mjcf.table import Attribute, Element, choice, element, flag, integer, real, upto, word, words

FRAMES = {word: OBJECT_TYPES[word] for word in ("body", "xbody", "geom", "site", "camera")}
"""Types of objects that have a frame, with their numbers."""

_HISTORY = (
    *HISTORY,
    upto(
        "interval", (0.0, 0.0),
        "Time between readings, and time between the last reading and the start; 0: a reading in every step.", unit="s",
    ),
)  # fmt: skip
_COMMON = (
    NAME,
    *_HISTORY,
    real(
        "cutoff", 0.0,
        "Maximum magnitude of readings, if positive; axes and quaternions have none. For distances: the maximum "
        "search distance.",
    ),
    real("noise", 0.0, "Standard deviation of noise, for programs; the engine adds none."),
    USER,
)  # fmt: skip
_OBJECT = (
    word(
        "objtype", "Type of the object: `xbody` is the frame of a body, `body` the inertial frame at its center of "
                   "mass.", lands="",
        required=True, choices=FRAMES,
    ),
    word("objname", "Name of the object to measure.", lands="", required=True),
)  # fmt: skip
_REFERENCE = (
    word(
        "reftype",
        "Type of the reference frame; if absent, readings are in the world frame.", lands="", choices=FRAMES,
    ),
    word("refname", "Name of the reference frame, relative to which the object is measured.", lands=""),
)  # fmt: skip
_ENCLOSED = (
    flag(
        "enclosed", False,
        "Report how far the object extends beyond the site (m), instead of 1 or 0 for its origin.", lands="",
    ),
)  # fmt: skip
_SIDES = (("geom", "1", "First"), ("geom", "2", "Second"), ("body", "1", "First"), ("body", "2", "Second"))
_PAIR = tuple(
    word(
        kind + side, f"{number} of the two geoms." if kind == "geom" else
        f"{number} body, with all its geoms, instead of a geom.", lands="",
    )
    for kind, side, number in _SIDES
)  # fmt: skip

REAL, POSITIVE, AXIS, QUATERNION = (
    mjtDataType.mjDATATYPE_REAL, mjtDataType.mjDATATYPE_POSITIVE, mjtDataType.mjDATATYPE_AXIS,
    mjtDataType.mjDATATYPE_QUATERNION,
)  # fmt: skip
POS, VEL, ACC = mjtStage.mjSTAGE_POS, mjtStage.mjSTAGE_VEL, mjtStage.mjSTAGE_ACC

# tag: (what it is attached to, numbers, kind of data, stage that computes it)
SENSOR_TYPES: dict[str, tuple[str, int, mjtDataType, mjtStage]] = {
    "touch": ("site", 1, POSITIVE, ACC), "accelerometer": ("site", 3, REAL, ACC),
    "velocimeter": ("site", 3, REAL, VEL), "gyro": ("site", 3, REAL, VEL), "force": ("site", 3, REAL, ACC),
    "torque": ("site", 3, REAL, ACC), "magnetometer": ("site", 3, REAL, POS),
    "rangefinder": ("site or camera", 1, POSITIVE, POS), "camprojection": ("site camera", 2, REAL, POS),
    "jointpos": ("joint", 1, REAL, POS), "jointvel": ("joint", 1, REAL, VEL), "tendonpos": ("tendon", 1, REAL, POS),
    "tendonvel": ("tendon", 1, REAL, VEL), "actuatorpos": ("actuator", 1, REAL, POS),
    "actuatorvel": ("actuator", 1, REAL, VEL), "actuatorfrc": ("actuator", 1, REAL, ACC),
    "jointactuatorfrc": ("joint", 1, REAL, ACC), "tendonactuatorfrc": ("tendon", 1, REAL, ACC),
    "ballquat": ("joint", 4, QUATERNION, POS), "ballangvel": ("joint", 3, REAL, VEL),
    "jointlimitpos": ("joint", 1, REAL, POS), "jointlimitvel": ("joint", 1, REAL, VEL),
    "jointlimitfrc": ("joint", 1, REAL, ACC), "tendonlimitpos": ("tendon", 1, REAL, POS),
    "tendonlimitvel": ("tendon", 1, REAL, VEL), "tendonlimitfrc": ("tendon", 1, REAL, ACC),
    "framepos": ("object reference", 3, REAL, POS), "framequat": ("object reference", 4, QUATERNION, POS),
    "framexaxis": ("object reference", 3, AXIS, POS), "frameyaxis": ("object reference", 3, AXIS, POS),
    "framezaxis": ("object reference", 3, AXIS, POS), "framelinvel": ("object reference", 3, REAL, VEL),
    "frameangvel": ("object reference", 3, REAL, VEL), "framelinacc": ("object", 3, REAL, ACC),
    "frameangacc": ("object", 3, REAL, ACC), "subtreecom": ("body", 3, REAL, POS),
    "subtreelinvel": ("body", 3, REAL, VEL), "subtreeangmom": ("body", 3, REAL, VEL),
    "insidesite": ("object site enclosed", 1, POSITIVE, POS), "distance": ("pair", 1, REAL, POS),
    "normal": ("pair", 3, AXIS, POS), "fromto": ("pair", 6, REAL, POS), "e_potential": ("", 1, REAL, POS),
    "e_kinetic": ("", 1, REAL, POS), "clock": ("", 1, REAL, POS),
}  # fmt: skip
"""Sensors with a fixed number of readings: objects to which they are attached, number of readings, data type, stage."""


CONTACT_DATA = {
    "found": 1, "force": 3, "torque": 3, "dist": 1, "pos": 3, "normal": 3, "tangent": 3, "linvel": 3, "angvel": 3,
}  # fmt: skip
"""Data that a contact sensor can report for each contact, each with its number of values."""
RAY_DATA = {"dist": 1, "dir": 3, "origin": 3, "point": 3, "normal": 3, "depth": 1}
"""Data that a rangefinder can report for each ray, each with its number of values."""

CONTACT_REDUCTIONS = "none mindist maxforce netforce"


_SITE = "Site where the sensor is mounted; readings are in its frame."
_TARGETS = {
    "site": _SITE,
    "camera": "Camera of the image.",
    "joint": "Hinge or slide that is measured.",
    "tendon": "Tendon that is measured.",
    "actuator": "Actuator that is measured.",
    "body": "Body at the root of the subtree.",
}
"""Descriptions of attributes that name the object to which a sensor is attached."""

_BALL = {"joint": "Ball joint that is measured."}
_LIMIT = {"joint": "Joint whose limit is measured."}
_SPECIAL_TARGETS: dict[str, dict[str, str]] = {
    "touch": {"site": "Site whose shape is the sensitive zone; contacts of the site's body are measured."},
    "camprojection": {"site": "Site that is projected to the image."},
    "insidesite": {"site": "Site whose shape is the zone."},
    "ballquat": _BALL, "ballangvel": _BALL,
    "jointlimitpos": _LIMIT, "jointlimitvel": _LIMIT, "jointlimitfrc": _LIMIT,
}  # fmt: skip
"""Descriptions that replace those in `_TARGETS`, by sensor tag and attribute."""

_AXIS = "axis of the frame of an object: a unit vector in the world or reference frame. It shows how upright it is."
SENSOR_MEANINGS = {
    "touch": (
        "Normal force (N) of all contacts in a zone: one number, at least 0. Use it for tactile pads, foot contact and "
        "switches."
    ),
    "accelerometer": (
        "Linear acceleration (m/s^2) of a site in its own frame, gravity included: at rest it reads 9.81 upward. With "
        "`gyro` at the same site it makes an IMU."
    ),
    "velocimeter": (
        "Linear velocity (m/s) of a site in its own frame. Use it for wheel odometry, flow sensors and speed rewards."
    ),
    "gyro": (
        "Angular velocity (rad/s) of a site in its own frame. With `accelerometer` at the same site it makes an IMU."
    ),
    "force": (
        "Force (N) between a body and its parent, in the frame of a site of that body, pointing from child to parent. "
        "Use it for wrist and foot sensors; for one inside a rigid part, split that into two bodies."
    ),
    "torque": (
        "Torque (N m) between a body and its parent at a site of that body, in its frame. Together with `force` it "
        "is a six-axis sensor."
    ),
    "magnetometer": "Magnetic flux (`option/magnetic`) in the frame of a site. Use it as a compass.",
    "camprojection": (
        "Pixel coordinates (column, row) of a site in the image of a camera, from the top left corner. They are not "
        "clipped, and points behind the camera have coordinates, too. The camera needs a `resolution`."
    ),
    "jointpos": "Position of a hinge (rad) or slide (m): its element of `qpos`. Use it as an encoder.",
    "jointvel": "Velocity of a hinge (rad/s) or slide (m/s): its element of `qvel`. Use it as a tachometer.",
    "tendonpos": (
        "Length of a tendon (m; for a fixed tendon, the unit of its sum). Use it for cable encoders and muscle lengths."
    ),
    "tendonvel": "Velocity of the length of a tendon (m/s). Use it for winches and stretch reflexes.",
    "actuatorpos": (
        "Length of an actuator: position of its target, times `gear`. Use it as an encoder on the motor's side of a "
        "gear."
    ),
    "actuatorvel": (
        "Velocity of an actuator: velocity of its target, times `gear`. Use it as a tachometer on the motor's side."
    ),
    "actuatorfrc": (
        "Force (N, or N m) of an actuator itself, before `gear` distributes it to joints. Use it to measure effort and "
        "power."
    ),
    "jointactuatorfrc": (
        "Force (N, or N m) of all actuators on one hinge or slide, and of gravity compensation if the joint has "
        "`actuatorgravcomp`. Use it for torque sensors in joints."
    ),
    "tendonactuatorfrc": "Force (N) of all actuators on one tendon. Use it as a load cell in a cable drive.",
    "ballquat": (
        "Orientation of a ball joint as a unit quaternion (w, x, y, z), relative to the pose of the file. It is "
        "`jointpos` for ball joints."
    ),
    "ballangvel": (
        "Angular velocity (rad/s) of a ball joint in the frame of its body. It is `jointvel` for ball joints."
    ),
    "jointlimitpos": (
        "Distance of a joint from its limit minus the margin (rad, or m): negative if the limit is violated, 0 if "
        "it is not active. Use it to measure how hard an end stop is hit."
    ),
    "jointlimitvel": (
        "Velocity (rad/s, or m/s) of the distance from an active limit of a joint; 0 if none is active. It is negative "
        "while the joint moves into the stop."
    ),
    "jointlimitfrc": (
        "Force (N, or N m) of the limit of a joint; 0 if it is not active. Use it to detect and penalize end stops."
    ),
    "tendonlimitpos": (
        "Distance (m) of the length of a tendon from its limit minus the margin; 0 if it is not active. Use it to "
        "detect whether a rope is tight."
    ),
    "tendonlimitvel": (
        "Velocity (m/s) of the distance from an active limit of a tendon; 0 if none is active. It is negative while a "
        "rope is being stretched."
    ),
    "tendonlimitfrc": "Force (N) of the limit of a tendon; 0 if it is not active. Use it as the tension of a rope.",
    "framepos": (
        "Position (m) of an object in the world frame, or in a reference frame. Use it for end effectors and targets."
    ),
    "framequat": (
        "Orientation of an object in the world or reference frame, as a unit quaternion (w, x, y, z). Use it with "
        "`framepos` for poses."
    ),
    "framexaxis": f"X {_AXIS}",
    "frameyaxis": f"Y {_AXIS}",
    "framezaxis": f"Z {_AXIS}",
    "framelinvel": (
        "Linear velocity (m/s) of an object in world axes; with a reference frame, relative to it and in its axes. "
        "Use it for the speed of an end effector."
    ),
    "frameangvel": (
        "Angular velocity (rad/s) of an object in world axes; with a reference frame, relative to it and in its "
        "axes. Use it for the spin of an object."
    ),
    "framelinacc": (
        "Linear acceleration (m/s^2) of an object in world axes, gravity included as in `accelerometer`. Use it for "
        "geoms, cameras and bodies without a site."
    ),
    "frameangacc": (
        "Angular acceleration (rad/s^2) of an object in world axes. Use it to measure how smoothly something turns."
    ),
    "subtreecom": "Center of mass (m) of a body and all bodies below it, in the world frame. Use it for balance.",
    "subtreelinvel": (
        "Velocity (m/s) of the center of mass of a body and all bodies below it, in the world frame. Use it for the "
        "speed of a walking robot."
    ),
    "subtreeangmom": (
        "Angular momentum (kg m^2/s) of a body and all bodies below it about their center of mass, in world axes. "
        "Use it for balance and acrobatics."
    ),
    "insidesite": (
        "1 if the origin of an object is inside a site, else 0; or with `enclosed`, how far the object extends "
        "beyond the site (m). Use it for goals and zones."
    ),
    "distance": (
        "Smallest distance (m) between the surfaces of two geoms or bodies, negative if they overlap. Distances beyond "
        "`cutoff` read as `cutoff`, so make it positive."
    ),
    "normal": (
        "Direction from the first to the second geom at their smallest distance, a unit vector in the world frame; 0 0 "
        "0 beyond `cutoff`. Use it with `distance` for obstacle avoidance."
    ),
    "fromto": (
        "Nearest points of two geoms or bodies: x, y, z on the first, then on the second (m, world frame); zeros "
        "beyond `cutoff`. Viewers draw the segment with the rays of rangefinders."
    ),
    "e_potential": (
        "Potential energy (J) of gravity and springs. With `e_kinetic` it checks how well a simulation conserves "
        "energy."
    ),
    "e_kinetic": "Kinetic energy (J). With `e_potential` it checks how well a simulation conserves energy.",
    "clock": "Simulation time (s), for readings with a time stamp.",
}
"""Descriptions of the sensors in `SENSOR_TYPES`, by tag."""

_OTHER_WORDS = {
    "jointactuatorfrc": "jointactfrc", "tendonactuatorfrc": "tendonactfrc", "distance": "geomdist",
    "normal": "geomnormal", "fromto": "geomfromto",
}  # fmt: skip
"""Names in mjtSensor that differ from the tag of the sensor, by tag."""


def sensor_type(tag: str) -> int:
    """Return the number (mjtSensor) of the sensor with the tag `tag`."""
    return int(mjtSensor["mjSENS_" + _OTHER_WORDS.get(tag, tag).upper()])


_ATTACHED = {
    "object": (FRAMES,), "object reference": (FRAMES, FRAMES), "object site enclosed": (FRAMES, ("site",)),
    "site camera": (("site",), ("camera",)), "site or camera": (("site", "camera"),),
    "pair": (("body", "geom"), ("body", "geom")),
}  # fmt: skip
ATTACHED_TO = {sensor_type(tag): _ATTACHED.get(what, ((what,),)) for tag, (what, *_) in SENSOR_TYPES.items() if what}
"""Allowed types of a sensor's first and second object, by sensor type."""
SENSOR_DIMENSIONS = {sensor_type(tag): count for tag, (_, count, *_) in SENSOR_TYPES.items() if tag != "rangefinder"}
"""Number of readings of a sensor, for sensor types that determine this number."""


def _attachment(tag: str) -> tuple[Attribute, ...]:
    """Declare the attributes for the objects to which the sensor `tag` is attached."""
    rows: tuple[Attribute, ...] = ()
    targets = _TARGETS | _SPECIAL_TARGETS.get(tag, {})
    for name in SENSOR_TYPES[tag][0].split():
        groups = {"object": _OBJECT, "reference": _REFERENCE, "pair": _PAIR, "enclosed": _ENCLOSED}
        rows += groups[name] if name in groups else (word(name, targets[name], lands="", required=True),)
    return rows


def _any_object(rows: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Declare `rows` as optional attributes for objects of any type."""
    return tuple(replace(row, required=False, choices=OBJECT_TYPES if row.choices else {}) for row in rows)


def _sensors() -> tuple[Element, ...]:
    """Return an element for each row of the table except the rangefinder, which has its own attributes."""
    return tuple(
        element(tag, SENSOR_MEANINGS[tag], *_COMMON, *_attachment(tag), kind="sensor")
        for tag in SENSOR_TYPES
        if tag != "rangefinder"
    )


SENSOR = element(
    "sensor",
    "Sensors: quantities that a model measures, stored in `mjData.sensordata` in the order of the file. The physics "
    "does not use them. They provide the measurements of a real machine to programs and learned policies.",
    _sensors(),
    element(
        "contact",
        "Data of the contacts of chosen geoms, bodies or subtrees, in a fixed number of slots. Use it instead of a "
        "loop over `mjData.contact`, to find out which foot touches the floor, how hard, and where.",
        *_COMMON,
        *_PAIR,
        word("subtree1", "First body with all bodies below it, instead of a geom.", lands=""),
        word("subtree2", "Second body with all bodies below it, instead of a geom.", lands=""),
        word("site", "Site whose shape contains the contacts that match, instead of a first geom.", lands=""),
        integer("num", 1, "Number of contacts to report; unused slots are zero.", lands=""),
        words(
            "data",
            "Quantities reported for each contact, in this order: found (1; number of matching contacts), force "
            "(3), torque (3), dist (1), pos (3), normal (3), tangent (3), linvel (3), angvel (3). If absent: found. "
            "Forces are in the contact frame.",
            lands="",
        ),
        choice(
            "reduce", CONTACT_REDUCTIONS, "none",
            "Order of contacts: as listed, nearest or strongest first, or a single total force in the world frame "
            "(`netforce`).",
            lands="",
        ),
        kind="sensor",
    ),
    element(
        "rangefinder",
        "Distance (m) to the first surface along a ray, -1 if there is none: from a site along its z axis, or from "
        "all pixels of a camera. Geoms of its own body and invisible geoms are ignored. Use it for lidars, and for "
        "feelers of mobile robots.",
        *_COMMON,
        word("site", "Site where the ray starts; it points along the z axis.", lands=""),
        word("camera", "Camera whose `resolution` determines the rays, row by row, instead of a site.", lands=""),
        words(
            "data",
            "Quantities reported for each ray, in this order: dist (1), dir (3), origin (3), point (3), normal (3), "
            "depth (1). If absent: dist.",
            lands="",
        ),
        kind="sensor",
    ),
    element(
        "user",
        "Sensor whose readings a callback provides (`mjcb_sensor`). Use it for quantities that no other sensor "
        "measures.",
        *_COMMON,
        _any_object(_OBJECT),
        choice(
            "datatype", "real positive axis quaternion", "real",
            "Type of readings, which determines how `cutoff` applies.",
        ),
        choice("needstage", {"pos": 1, "vel": 2, "acc": 3}, "acc",
               "Stage of the step after which the callback is called."),
        integer("dim", 0, "Number of readings of the sensor.", required=True),
        kind="sensor",
    ),
    element(
        "tactile",
        "Field of pressures and sliding speeds on the surface of a geom, at the vertices of a mesh: all pressures (0 "
        "to 1), then the speeds along both tangents. Use it for robot skin and fingertips.",
        NAME, *_HISTORY,
        word("geom", "Geom whose contacts are measured.", lands="", required=True),
        word("mesh", "Mesh whose vertices are the tactile points.", lands="", required=True),
        USER, kind="sensor",
    ),
    element(
        "plugin", "Sensor that a plugin computes. Use it for devices that no built-in sensor can model.",
        *(row for row in _COMMON if row.name != "noise" and row not in _HISTORY),
        word("plugin", "Name of the plugin, to create an instance for this sensor alone.", lands=""),
        word("instance", "Name of an instance in `extension`.", lands=""),
        _any_object((*_OBJECT, *_REFERENCE)),
        CONFIG, kind="sensor",
    ),
)  # fmt: skip
