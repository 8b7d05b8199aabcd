"""Scaling of elements that refer to scaled elements: pairs, tendons, equalities, actuators, sensors, flexes, skins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from conjoint.compiler.actuator import TARGETS
from conjoint.compiler.draft import NAMED, Draft
from conjoint.compiler.kinds import Actuator, Equality, Sensor, Tendon
from conjoint.compiler.passes import declared
from conjoint.compiler.scale import ONE, WIDTH, Scale, multiply, polynomial, powers, spring_like
from conjoint.schema.enums import mjtBias, mjtDyn, mjtEq, mjtGain, mjtObj, mjtSensor, mjtTrn, mjtWrap
from conjoint.schema.kinds import FREE, SLIDE
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec import Element
from conjoint.spec.actuator_size import INPUTS, inputs

SERVOS = ("position", "velocity", "intvelocity", "pid")
"""Actuator shortcuts whose control is a position or velocity of the target."""


class Measure(NamedTuple):
    """Scale of the quantity on which an actuator acts.

    Attributes:
        scale: scale factors of the target.
        power: exponent of length in the dimension of the target's position.
    """

    scale: Scale
    power: int

    @property
    def length(self) -> float:
        """Scale factor for the target's position."""
        return (self.scale.along or self.scale.length) ** self.power

    @property
    def force(self) -> float:
        """Scale factor for a force on the target."""
        return self.scale.unit(2 - self.power)

    @property
    def stiffness(self) -> float:
        """Scale factor for a force per position."""
        return self.scale.unit(2 - 2 * self.power)

    @property
    def pressure(self) -> float:
        """Scale factor for a force per area."""
        return self.scale.unit(-1)


@declared(
    early="actuator: ctrlspec trntype; joint: bodyid; sensor: objtype reftype; wrap: type",
    changes=(
        "actuator: actrange armature biasprm cranklength ctrlrange damping dynprm ffrange forcerange gainprm gear "
        "lengthrange velrange; draft: scales; equality: data solimp; pair: adhesion friction gap margin solimp; "
        "sensor: cutoff noise; tendon: actfrcrange armature damping frictionloss margin range solimp_friction "
        "solimp_limit springlength springyield stiffness width wraps; wrap: prm"
    ),
    writes="actuator: measure; tendon: power",
)
def scale_relations(draft: Draft) -> None:
    """Scale elements that refer to scaled elements."""
    if not draft.scales:
        return
    for pair in draft.pairs:
        _pair(draft, pair)
    for tendon in draft.tendons:
        _tendon(draft, tendon)
    for equality in draft.equalities:
        _equality(draft, equality)
    for actuator in draft.actuators:
        _actuator(draft, actuator)
    for sensor in draft.sensors:
        factor = _sensor(draft, sensor)
        multiply(sensor, "cutoff", factor)
        # the cutoff of a contact normal is a distance, but its noise has no dimension
        multiply(sensor, "noise", 1.0 if sensor.type == mjtSensor.mjSENS_GEOMNORMAL else factor)


def _named(draft: Draft, kind: str, name: str) -> Any:
    """Return the element of type `kind` called `name`, or None."""
    number = draft.ids.get(kind, {}).get(name)
    return None if number is None else draft.__dict__[NAMED[kind]][number]


def _scale_of(draft: Draft, kind: str, name: str) -> Scale:
    """Return the scale of the element of type `kind` called `name`."""
    found: Scale = draft.scales.get(id(_named(draft, kind, name)), ONE)
    return found


def _joint(draft: Draft, name: str) -> Measure:
    """Return the scale of a joint, with the exponent of length in the dimension of its position."""
    joint = _named(draft, "joint", name)
    return Measure(draft.scales.get(id(joint), ONE), int(joint is not None and joint.type == SLIDE))


def _mean(first: Scale, second: Scale) -> float:
    """Return the scale factor for a length that two elements share: the common factor, or the geometric mean."""
    return first.length if first.factors == second.factors else sqrt(first.length * second.length)


def _between(first: Scale, second: Scale) -> Scale:
    """Return the scale of an element that refers to two others: their common factors, or the geometric means."""
    if first.factors == second.factors:
        return first
    length, mass, unit_length, unit_mass = (sqrt(a * b) for a, b in zip(first.factors, second.factors, strict=True))
    return Scale(length, mass, unit_length, unit_mass)


# --- contacts, tendons, equalities ---


def _pair(draft: Draft, pair: Element) -> None:
    first, second = (_scale_of(draft, "geom", name) for name in (pair.geomname1, pair.geomname2))
    length = _mean(first, second)
    for name in ("margin", "gap"):
        multiply(pair, name, length)
    multiply(pair, "friction", powers(length, (0, 0, 1, 1, 1)))
    multiply(pair, "solimp", powers(length, WIDTH))
    multiply(pair, "adhesion", sqrt(first.unit(1) * second.unit(1)))


def _tendon(draft: Draft, tendon: Tendon) -> None:
    """Scale a tendon if all elements along its path have the same scale."""
    fixed = any(wrap.type == mjtWrap.mjWRAP_JOINT for wrap in tendon.wraps)
    kinds = {int(mjtWrap.mjWRAP_JOINT): "joint", int(mjtWrap.mjWRAP_SITE): "site"}
    path = [
        _scale_of(draft, kinds.get(wrap.type, "geom"), wrap.target)
        for wrap in tendon.wraps
        if wrap.type != mjtWrap.mjWRAP_PULLEY
    ]
    scale = path[0]._replace(along=0.0) if path and all(one.factors == path[0].factors for one in path) else ONE
    joints = [_joint(draft, wrap.target) for wrap in tendon.wraps] if fixed else []
    power = max((joint.power for joint in joints), default=0) if fixed else 1
    if fixed and any(one is not ONE for one in path):
        tendon.wraps = [wrap.copy() for wrap in tendon.wraps]
        for wrap, joint in zip(tendon.wraps, joints, strict=True):
            multiply(wrap, "prm", scale.length**power / joint.length)
    if scale is ONE:
        return
    draft.scales[id(tendon)] = scale
    tendon.power = power
    if not fixed:
        # only spatial tendons are drawn; fixed tendons cannot have a width in a file
        multiply(tendon, "width", scale.length)
    for name in ("range", "margin"):
        multiply(tendon, name, scale.length**power)
    if tuple(tendon.springlength) != (-1.0, -1.0):
        multiply(tendon, "springlength", scale.length**power)
    spring_like(tendon, scale, power)


def _tendon_measure(draft: Draft, name: str) -> Measure:
    """Return the scale of a tendon, with the exponent of length in the dimension of the tendon length."""
    tendon = _named(draft, "tendon", name)
    return Measure(draft.scales.get(id(tendon), ONE), tendon.__dict__.get("power", 0) if tendon is not None else 0)


def _equality(draft: Draft, equality: Equality) -> None:
    names = equality.name1, equality.name2
    if equality.type in (mjtEq.mjEQ_CONNECT, mjtEq.mjEQ_WELD):
        kind = "site" if equality.objtype == mjtObj.mjOBJ_SITE else "body"
        first, second = (_scale_of(draft, kind, name) for name in names)
        width = first.length if (kind, equality.type) == ("body", mjtEq.mjEQ_CONNECT) else _mean(first, second)
        if kind == "body" and (first.stretch or second.stretch):
            _vectors(equality, first, second)
        elif kind == "body" and equality.type == mjtEq.mjEQ_CONNECT:
            multiply(equality, "data", (first.length,) * 3)
        elif equality.type == mjtEq.mjEQ_WELD:
            # anchor in the second body, pose in the first, and the length that converts angles to lengths
            anchor, pose = ((second.length,) * 3, (first.length,) * 3) if kind == "body" else ((1.0,) * 3, (1.0,) * 3)
            multiply(equality, "data", (*anchor, *pose, 1.0, 1.0, 1.0, 1.0, width))
        multiply(equality, "solimp", powers(width, WIDTH))
    elif equality.type in (mjtEq.mjEQ_JOINT, mjtEq.mjEQ_TENDON):
        measure = _joint if equality.type == mjtEq.mjEQ_JOINT else _tendon_measure
        one, other = (measure(draft, name).length for name in names)
        multiply(equality, "data", tuple(one / other**order for order in range(5)))
        multiply(equality, "solimp", powers(one, WIDTH))
    elif equality.type == mjtEq.mjEQ_FLEX:
        multiply(equality, "solimp", powers(_scale_of(draft, "flex", equality.name1).length, WIDTH))


def _vectors(equality: Equality, first: Scale, second: Scale) -> None:
    """Scale the vectors of a connect or weld constraint, each by the scale of the body in which it is fixed."""
    data = tuple(equality.data)
    if equality.type == mjtEq.mjEQ_CONNECT:
        equality.data = (*first.moved(data[:3]), *data[3:])
        return
    equality.data = (*second.moved(data[:3]), *first.moved(data[3:6]), *data[6:])
    multiply(equality, "data", (1.0,) * 10 + (_mean(first, second),))


# --- actuators ---


def shortcut_of(actuator: Actuator) -> str:
    """Return the tag with which an actuator was created, such as position or motor."""
    return str(actuator.__dict__.get("shortcut") or (actuator.place.tag if actuator.place is not None else "general"))


def _transmission(draft: Draft, actuator: Actuator) -> Measure:
    """Return the scale of an actuator's target, with the exponent of length in the dimension of its position."""
    kind, _ = TARGETS.get(int(actuator.trntype), ("", ""))
    if kind == "joint":
        joint = _named(draft, "joint", actuator.target)
        if joint is None or joint.type != FREE:
            return _joint(draft, actuator.target)
        # a free joint itself is not scaled, but its body is
        scale = draft.scales.get(id(draft.bodies[joint.bodyid]), ONE)
        return Measure(scale, int(any(actuator.gear[:3])))
    if kind == "tendon":
        return _tendon_measure(draft, actuator.target)
    moves = actuator.trntype != mjtTrn.mjTRN_SITE or any(actuator.gear[:3])
    scale = _scale_of(draft, kind, actuator.target)
    if actuator.trntype == mjtTrn.mjTRN_SLIDERCRANK:
        scale = _between(scale, _scale_of(draft, kind, actuator.slidersite))
    return Measure(scale, int(moves and actuator.gaintype != mjtGain.mjGAIN_SO3))


def _actuator(draft: Draft, actuator: Actuator) -> None:
    measure = _transmission(draft, actuator)
    if measure.scale is ONE:
        return
    draft.scales[id(actuator)] = measure.scale
    actuator.measure = measure
    scale, power = measure.scale, measure.power
    similar = (scale.unit_length, scale.unit_mass) != (1.0, 1.0)
    unknown = (mjtGain.mjGAIN_USER, mjtGain.mjGAIN_DCMOTOR), (mjtDyn.mjDYN_USER, mjtDyn.mjDYN_DCMOTOR)
    if similar and (
        actuator.gaintype in unknown[0] or actuator.dyntype in unknown[1] or actuator.biastype == mjtBias.mjBIAS_USER
    ):
        draft.problems.about(actuator, "its parameters cannot be scaled by a frame: set scaling='geometry' there")
    multiply(actuator, "forcerange", measure.force)
    multiply(actuator, "lengthrange", measure.length)
    multiply(actuator, "cranklength", scale.length)
    if power and actuator.trntype in (mjtTrn.mjTRN_SITE, mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT):
        turns = actuator.trntype == mjtTrn.mjTRN_SITE or _named(draft, "joint", actuator.target).type == FREE
        multiply(actuator, "gear", (1.0,) * 3 + (scale.length if turns else 1.0,) * 3)
    multiply(actuator, "armature", measure.stiffness)
    polynomial(actuator, "damping", scale, power)
    _gains(actuator, measure)
    multiply(actuator, "ctrlrange", control_factor(actuator, measure, 0))
    # activations have the dimension of controls
    multiply(actuator, "actrange", control_factor(actuator, measure, 0))
    multiply(actuator, "velrange", measure.length)
    multiply(actuator, "ffrange", measure.force)


def _gains(actuator: Actuator, measure: Measure) -> None:
    """Scale the parameters of an actuator's gain, bias and dynamics."""
    force, stiffness, shortcut = measure.force, measure.stiffness, shortcut_of(actuator)
    if actuator.gaintype == mjtGain.mjGAIN_MUSCLE:
        _muscle(actuator, "gainprm", force)
    elif actuator.gaintype == mjtGain.mjGAIN_AFFINE:
        multiply(actuator, "gainprm", (force, stiffness, stiffness))
    elif shortcut in (*SERVOS, "orientation"):
        multiply(actuator, "gainprm", (stiffness,))
    elif shortcut == "cylinder":
        multiply(actuator, "gainprm", (force / measure.pressure,))
    else:
        multiply(actuator, "gainprm", (force,))
    if actuator.biastype == mjtBias.mjBIAS_MUSCLE:
        _muscle(actuator, "biasprm", force)
    elif actuator.biastype != mjtBias.mjBIAS_NONE:
        # a third parameter above zero is a damping ratio
        ratio = len(actuator.biasprm) > 2 and actuator.biasprm[2] > 0
        multiply(actuator, "biasprm", (force, stiffness, 1.0 if ratio else stiffness))
    if shortcut == "pid":
        multiply(actuator, "dynprm", (measure.length, measure.length))
    elif actuator.gaintype == mjtGain.mjGAIN_DCMOTOR:
        # periods of cogging, Stribeck velocity, rate of set points, integral of the controller
        multiply(actuator, "biasprm", (1.0, 1 / measure.length, 1.0, 1.0, 1.0, measure.length))
        multiply(actuator, "dynprm", (1.0,) * 7 + (measure.length, measure.length))


def _muscle(actuator: Actuator, name: str, force: float) -> None:
    """Scale the peak force of a muscle, unless the compiler computes it from the actuator's acceleration."""
    if actuator.__dict__[name][2] >= 0:
        multiply(actuator, name, (1.0, 1.0, force))


def control_factor(actuator: Actuator, measure: Measure, number: int) -> float:
    """Return the scale factor for control `number` of an actuator."""
    shortcut = shortcut_of(actuator)
    if shortcut == "cylinder":
        return measure.pressure
    if shortcut in ("pid", "dcmotor"):
        given = [word for word, bit in INPUTS.items() if inputs(actuator) & bit]
        word = given[number] if number < len(given) else ""
        return 1.0 if word == "voltage" else measure.force if word == "ff" else measure.length
    return measure.length if shortcut in SERVOS else 1.0


# --- sensors ---

_POSITIONS = ("JOINTPOS", "JOINTVEL", "JOINTLIMITPOS", "JOINTLIMITVEL")
_TENDONS = ("TENDONPOS", "TENDONVEL", "TENDONLIMITPOS", "TENDONLIMITVEL")
_LENGTHS = (
    "ACCELEROMETER", "VELOCIMETER", "RANGEFINDER", "FRAMEPOS", "FRAMELINVEL", "FRAMELINACC", "SUBTREECOM",
    "SUBTREELINVEL",
)  # fmt: skip


def _numbers(*groups: Sequence[str]) -> frozenset[int]:
    return frozenset(int(mjtSensor["mjSENS_" + name]) for group in groups for name in group)


OF_JOINTS, OF_TENDONS, LENGTHS = _numbers(_POSITIONS), _numbers(_TENDONS), _numbers(_LENGTHS)
JOINT_FORCES = _numbers(("JOINTACTFRC", "JOINTLIMITFRC"))
TENDON_FORCES = _numbers(("TENDONACTFRC", "TENDONLIMITFRC"))
OF_ACTUATORS, FORCES, TORQUES = (
    _numbers(("ACTUATORPOS", "ACTUATORVEL")), _numbers(("FORCE", "TOUCH")), _numbers(("TORQUE", "SUBTREEANGMOM")),
)  # fmt: skip
DISTANCES = _numbers(("GEOMDIST", "GEOMNORMAL", "GEOMFROMTO"))


def _sensor(draft: Draft, sensor: Sensor) -> float:
    """Return the scale factor for a sensor's measurement."""
    kind, name = sensor.type, sensor.__dict__.get("objname", "")
    if kind in OF_JOINTS or kind in JOINT_FORCES:
        joint = _joint(draft, name)
        return joint.length if kind in OF_JOINTS else joint.force
    if kind in OF_TENDONS or kind in TENDON_FORCES:
        tendon = _tendon_measure(draft, name)
        return tendon.length if kind in OF_TENDONS else tendon.force
    if kind in OF_ACTUATORS or kind == mjtSensor.mjSENS_ACTUATORFRC:
        actuator = _named(draft, "actuator", name)
        measure = actuator.__dict__.get("measure", Measure(ONE, 0)) if actuator is not None else Measure(ONE, 0)
        return measure.length if kind in OF_ACTUATORS else measure.force
    scale = _scale_of(draft, _object(sensor.__dict__.get("objtype", 0)), name)
    if kind in DISTANCES:
        return _mean(scale, _scale_of(draft, _object(sensor.reftype), sensor.refname))
    if kind in LENGTHS:
        return scale.length
    return scale.unit(1) if kind in FORCES else scale.unit(2) if kind in TORQUES else 1.0


def _object(objtype: Any) -> str:
    """Return the element type of an object, given as a number or a word."""
    word = mjtObj(objtype).name.removeprefix("mjOBJ_").lower() if isinstance(objtype, int) else str(objtype)
    return "body" if word == "xbody" else word


FLEX_LENGTHS: dict[str, Any] = {
    "radius": 1, "vert": 1, "node": 1, "thickness": 1, "margin": 1, "gap": 1, "friction": (0, 1, 1), "solimp": WIDTH,
}  # fmt: skip
"""Exponents of length in the dimensions of the values of a flex."""


def _common_scale(draft: Draft, element: Element, bodies: Iterable[str]) -> Scale:
    """Return the scale of the bodies of a flex or skin. Report a problem unless all bodies have the same scale."""
    known = draft.ids["body"]
    found = [draft.scales.get(id(draft.bodies[known[name]]), ONE) for name in bodies if name in known]
    if len({scale.factors for scale in found}) > 1:
        draft.problems.about(element, f"frames must scale all bodies of a {element.kind} alike")
    if any(scale.stretch is not None for scale in found):
        draft.problems.about(element, f"a {element.kind} cannot be stretched by a frame")
    return found[0] if found else ONE


@declared(
    changes=("draft: scales; flex: edgedamping edgestiffness friction gap margin radius solimp thickness vert young"),
)
def scale_flexes(draft: Draft) -> None:
    """Scale flexes. Their scales are stored in `draft.scales`."""
    for flex in draft.flexes:
        scale = _common_scale(draft, flex, (*flex.vertbody, *flex.nodebody))
        if scale is ONE:
            continue
        draft.scales[id(flex)] = scale
        for name, exponents in FLEX_LENGTHS.items():
            # a negative number means no thickness
            if name != "thickness" or flex.thickness > 0:
                multiply(flex, name, powers(scale.length, exponents))
        multiply(flex, "young", scale.unit(-1))
        for name in ("edgestiffness", "edgedamping"):
            multiply(flex, name, scale.unit(0))


@declared(
    reads="draft: scales; skin: compiled",
    changes="skin: inflate",
    writes="skin: bones face file texcoord vert",
)
def scale_skins(draft: Draft) -> None:
    """Scale skins after they were loaded. Data from a file become explicit numbers."""
    for skin in draft.skins if draft.scales else ():
        read = skin.compiled
        scale = _common_scale(draft, skin, [bone.bodyname for bone in read.bones]) if read is not None else ONE
        if scale is ONE:
            continue
        multiply(skin, "inflate", scale.length)
        read.vert = read.vert * np.float32(scale.length)
        skin.file, skin.bones = "", []
        for name in ("vert", "texcoord", "face"):
            setattr(skin, name, tuple(getattr(read, name).ravel().tolist()))
        for bone in read.bones:
            bone.bindpos = bone.bindpos * np.float32(scale.length)
            numbers = {
                name: tuple(np.ravel(value).tolist()) for name, value in vars(bone).items() if name != "bodyname"
            }
            made: Any = Element("bone", {**defaults("bone"), "bodyname": bone.bodyname, **numbers})
            skin.bones.append(made)
