"""sensor: one row of the table per type."""

from dataclasses import replace

from conjoint.schema.enums import mjtDataType, mjtSensor, mjtStage
from conjoint.schema.mjcf.asset import CONFIG
from conjoint.schema.mjcf.shared import HISTORY, NAME, OBJECT_TYPES, USER
from conjoint.schema.mjcf.table import Attribute, Element, choice, element, flag, integer, real, upto, word, words

FRAMES = {word: OBJECT_TYPES[word] for word in ("body", "xbody", "geom", "site", "camera")}
"""Objects that have a frame."""

_HISTORY = (
    *HISTORY,
    upto(
        "interval",
        (0.0, 0.0),
        "Time between readings, and when the last one was before the beginning; both may be 0: "
        "every step, and one at the beginning.",
        unit="s",
    ),
)
_COMMON = (
    NAME,
    *_HISTORY,
    real("cutoff", 0.0, "Value is clamped to this, if positive."),
    real("noise", 0.0, "Standard deviation of noise, for users."),
    USER,
)
_OBJECT = (
    word("objtype", "Type of the object.", lands="", required=True, choices=FRAMES),
    word("objname", "Object.", lands="", required=True),
)
_REFERENCE = (
    word("reftype", "Type of the frame of reference.", lands="", choices=FRAMES),
    word("refname", "Frame of reference.", lands=""),
)
_ENCLOSED = (flag("enclosed", False, "How far it juts out is reported, not whether its origin is inside.", lands=""),)
_PAIR = tuple(word(name, "One of the two.", lands="") for name in ("geom1", "geom2", "body1", "body2"))

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
"""Sensors that measure a fixed set of numbers."""


CONTACT_DATA = {
    "found": 1, "force": 3, "torque": 3, "dist": 1, "pos": 3, "normal": 3, "tangent": 3, "linvel": 3, "angvel": 3,
}  # fmt: skip
"""Data of each contact that a contact sensor can report, and their sizes."""
RAY_DATA = {"dist": 1, "dir": 3, "origin": 3, "point": 3, "normal": 3, "depth": 1}
"""Data of each ray that a rangefinder can report, and their sizes."""

CONTACT_REDUCTIONS = "none mindist maxforce netforce"


_OTHER_WORDS = {
    "jointactuatorfrc": "jointactfrc", "tendonactuatorfrc": "tendonactfrc", "distance": "geomdist",
    "normal": "geomnormal", "fromto": "geomfromto",
}  # fmt: skip
"""Words of mjtSensor that are not the tag."""


def sensor_type(tag: str) -> int:
    """Return the number of the sensor written as `tag`."""
    return int(mjtSensor["mjSENS_" + _OTHER_WORDS.get(tag, tag).upper()])


_ATTACHED = {
    "object": (FRAMES,), "object reference": (FRAMES, FRAMES), "object site enclosed": (FRAMES, ("site",)),
    "site camera": (("site",), ("camera",)), "site or camera": (("site", "camera"),),
    "pair": (("body", "geom"), ("body", "geom")),
}  # fmt: skip
ATTACHED_TO = {sensor_type(tag): _ATTACHED.get(what, ((what,),)) for tag, (what, *_) in SENSOR_TYPES.items() if what}
"""Kinds of the first, and the second, object of a sensor, by its type."""
SENSOR_DIMENSIONS = {sensor_type(tag): count for tag, (_, count, *_) in SENSOR_TYPES.items() if tag != "rangefinder"}
"""Numbers of a sensor, by its type, where that fixes them."""


def _attachment(what: str) -> tuple[Attribute, ...]:
    """Declare the attributes that name what a sensor is attached to."""
    rows: tuple[Attribute, ...] = ()
    for name in what.split():
        groups = {"object": _OBJECT, "reference": _REFERENCE, "pair": _PAIR, "enclosed": _ENCLOSED}
        rows += groups.get(name, (word(name, f"The {name}.", lands="", required=True),))
    return rows


def _any_object(rows: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Declare `rows` for objects of any kind, that may be left out."""
    return tuple(replace(row, required=False, choices=OBJECT_TYPES if row.choices else {}) for row in rows)


def _sensors() -> tuple[Element, ...]:
    """Return an element for each row of the table."""
    rows = []
    for tag, (what, count, _, _) in SENSOR_TYPES.items():
        if tag == "rangefinder":
            # it has a row of its own
            continue
        kind = mjtSensor(sensor_type(tag)).name.removeprefix("mjSENS_")
        meaning = f"Sensor of {count} number{'s' if count > 1 else ''} ({kind})."
        rows.append(element(tag, meaning, *_COMMON, *_attachment(what), kind="sensor"))
    return tuple(rows)


SENSOR = element(
    "sensor", "Sensors.",
    _sensors(),
    element(
        "contact", "Data of contacts that match.",
        *_COMMON,
        *_PAIR,
        *(word(name, "What the contacts touch.", lands="") for name in ("subtree1", "subtree2", "site")),
        integer("num", 1, "Number of contacts.", lands=""),
        words("data", "What to report, of: " + ", ".join(CONTACT_DATA) + ".", lands=""),
        choice("reduce", CONTACT_REDUCTIONS, "none", "Which contacts to report.", lands=""),
        kind="sensor",
    ),
    element(
        "rangefinder", "What rays meet: one of a site, or one for each pixel of a camera.",
        *_COMMON,
        word("site", "Site, along whose z axis a ray goes.", lands=""),
        word("camera", "Camera, of whose pixels rays go.", lands=""),
        words("data", "What to report, of: " + ", ".join(RAY_DATA) + ".", lands=""),
        kind="sensor",
    ),
    element(
        "user", "Sensor computed by a callback.", *_COMMON,
        _any_object(_OBJECT),
        choice("datatype", "real positive axis quaternion", "real", "Kind of data."),
        choice("needstage", {"pos": 1, "vel": 2, "acc": 3}, "acc", "Stage after which it is computed."),
        integer("dim", 0, "Numbers.", required=True),
        kind="sensor",
    ),
    element(
        "tactile", "Field of tactile sensors.", NAME, *_HISTORY,
        word("geom", "Geom.", lands="", required=True),
        word("mesh", "Mesh of the sensors.", lands="", required=True),
        USER, kind="sensor",
    ),
    element(
        "plugin", "Sensor of a plugin.",
        *(row for row in _COMMON if row.name != "noise" and row not in _HISTORY),
        word("plugin", "Name of the plugin.", lands=""),
        word("instance", "Name of the instance.", lands=""),
        _any_object((*_OBJECT, *_REFERENCE)),
        CONFIG, kind="sensor",
    ),
)  # fmt: skip
