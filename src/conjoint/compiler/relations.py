"""Pairs, excludes, tendons, actuators, sensors, keyframes, custom: references to ids, and what follows from them."""

from __future__ import annotations

from typing import Any

from conjoint.compiler.draft import NAMED, Draft
from conjoint.compiler.inertia import CONDIMS
from conjoint.compiler.joint import BALL, FREE, HINGE, NQ, SLIDE
from conjoint.compiler.limit import check_range, limited
from conjoint.compiler.rotation import unit_quat
from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain, mjtSensor, mjtTrn, mjtWrap
from conjoint.schema.mjcf import defaults
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element, suggestion

JOINT, JOINTINPARENT, TENDON = int(mjtTrn.mjTRN_JOINT), int(mjtTrn.mjTRN_JOINTINPARENT), int(mjtTrn.mjTRN_TENDON)

MUSCLE = 2
"""mjGAIN_MUSCLE and mjBIAS_MUSCLE."""


MOST_NUMBERS = 500
"""Longest custom array."""


def resolve_contacts(draft: Draft) -> None:
    """Pairs and excludes: ids and signatures; sorted by signature."""
    for pair in draft.pairs if draft.geoms else []:
        if pair.condim not in CONDIMS:
            draft.problems.about(pair, f"condim {pair.condim} is not 1, 3, 4 or 6", "condim")
        pair.geom1 = draft.find("geom", pair.geomname1, pair, "geom1")
        pair.geom2 = draft.find("geom", pair.geomname2, pair, "geom2")
        first, second = draft.geoms[pair.geom1].bodyid, draft.geoms[pair.geom2].bodyid
        if first > second:
            pair.geom1, pair.geom2 = pair.geom2, pair.geom1
        pair.signature = signature(first, second)
    for exclude in draft.excludes:
        first = draft.find("body", exclude.bodyname1, exclude, "body1")
        second = draft.find("body", exclude.bodyname2, exclude, "body2")
        exclude.signature = signature(first, second)
    draft.pairs.sort(key=lambda pair: pair.signature)
    draft.excludes.sort(key=lambda exclude: exclude.signature)
    draft.number("pair")
    draft.number("exclude")


def signature(body1: int, body2: int) -> int:
    """A number that identifies a pair of bodies, in any order."""
    return (min(body1, body2) << 16) + max(body1, body2)


def resolve_tendons(draft: Draft) -> None:
    """Fixed tendons: joints and limits."""
    for tendon in draft.tendons:
        tendon.wraps = [wrap.copy() for wrap in tendon.wraps]
        for wrap in tendon.wraps:
            wrap.type = int(mjtWrap.mjWRAP_JOINT)
            wrap.objid = draft.find("joint", wrap.joint, wrap, "joint")
            if wrap.objid >= 0 and draft.joints[wrap.objid].type not in (SLIDE, HINGE):
                draft.problems.about(wrap, f"the joint '{wrap.joint}' is not a hinge or slide joint", "joint")
        if not tendon.wraps:
            draft.problems.about(tendon, "a tendon needs at least one joint")
        tendon.limited = limited(draft, tendon, "limited", "range")
        tendon.actfrclimited = limited(draft, tendon, "actfrclimited", "actfrcrange")
        for flag, interval in (("limited", "range"), ("actfrclimited", "actfrcrange")):
            if getattr(tendon, flag):
                check_range(draft, tendon, interval)
        if tendon.springlength[0] > tendon.springlength[1]:
            draft.problems.about(tendon, "the first springlength must not be above the second", "springlength")


def resolve_actuators(draft: Draft) -> None:
    """Transmission, ranges and activations; also na, as `draft.na`."""
    na = 0
    for actuator in draft.actuators:
        _transmission(draft, actuator)
        _inherit(draft, actuator)
        actuator.ctrllimited = limited(draft, actuator, "ctrllimited", "ctrlrange")
        actuator.forcelimited = limited(draft, actuator, "forcelimited", "forcerange")
        actuator.actlimited = limited(draft, actuator, "actlimited", "actrange")
        for flag, interval in (
            ("ctrllimited", "ctrlrange"),
            ("forcelimited", "forcerange"),
            ("actlimited", "actrange"),
        ):
            if getattr(actuator, flag):
                check_range(draft, actuator, interval)
        stateful = actuator.dyntype != mjtDyn.mjDYN_NONE
        if actuator.actlimited and not stateful:
            draft.problems.about(actuator, "actrange needs an actuator with dynamics", "actrange")
        actuator.actnum = int(stateful) if actuator.actdim < 0 else actuator.actdim
        if bool(actuator.actnum) != stateful:
            draft.problems.about(actuator, f"actdim {actuator.actdim} does not suit the dynamics", "actdim")
        if actuator.dyntype == mjtDyn.mjDYN_MUSCLE or MUSCLE in (actuator.gaintype, actuator.biastype):
            draft.problems.about(actuator, "muscles are not built yet", "dyntype")
        if actuator.actdim > 1 and actuator.dyntype != mjtDyn.mjDYN_USER:
            draft.problems.about(actuator, "actdim above 1 needs dyntype user", "actdim")
        actuator.actadr = na if actuator.actnum else -1
        na += actuator.actnum
    draft.na = na


def _transmission(draft: Draft, actuator: Any) -> None:
    """Id of what an actuator acts on."""
    kinds = {JOINT: "joint", JOINTINPARENT: "joint", TENDON: "tendon"}
    trntype = getattr(actuator, "trntype", JOINT)
    kind = kinds[int(trntype)]
    attribute = "jointinparent" if trntype == JOINTINPARENT else kind
    actuator.trntype = int(trntype)
    actuator.trnid = (draft.find(kind, getattr(actuator, "target", ""), actuator, attribute), -1)


def _inherit(draft: Draft, actuator: Any) -> None:
    """Take the control or activation range from the target, scaled about its middle."""
    scale, kp = actuator.inheritrange, actuator.gainprm[0]
    if scale <= 0 or actuator.trnid[0] < 0:
        return
    if (
        actuator.gaintype != mjtGain.mjGAIN_FIXED
        or actuator.biastype != mjtBias.mjBIAS_AFFINE
        or kp != -actuator.biasprm[1]
    ):
        return
    targets = draft.tendons if actuator.trntype == TENDON else draft.joints
    low, high = targets[actuator.trnid[0]].range
    if low == high:
        draft.problems.about(actuator, "inheritrange: the target has no range", "inheritrange")
        return
    middle, half = (low + high) / 2, (high - low) / 2 * scale
    interval = "actrange" if actuator.dyntype == mjtDyn.mjDYN_INTEGRATOR else "ctrlrange"
    setattr(actuator, interval, (middle - half, middle + half))
    if actuator.dyntype not in (mjtDyn.mjDYN_NONE, mjtDyn.mjDYN_INTEGRATOR, mjtDyn.mjDYN_FILTEREXACT):
        draft.problems.about(actuator, "inheritrange needs a position or intvelocity actuator", "inheritrange")


SCALAR_JOINT = {
    int(getattr(mjtSensor, "mjSENS_" + name))
    for name in ("JOINTPOS", "JOINTVEL", "JOINTACTFRC")
}  # fmt: skip
LIMIT_JOINT = {int(getattr(mjtSensor, "mjSENS_JOINTLIMIT" + name)) for name in ("POS", "VEL", "FRC")}
LIMIT_TENDON = {int(getattr(mjtSensor, "mjSENS_TENDONLIMIT" + name)) for name in ("POS", "VEL", "FRC")}
UNIT_VECTORS = {
    int(getattr(mjtSensor, "mjSENS_" + name))
    for name in ("BALLQUAT", "FRAMEQUAT", "FRAMEXAXIS", "FRAMEYAXIS", "FRAMEZAXIS")
}
BALL_JOINT = {int(mjtSensor.mjSENS_BALLQUAT), int(mjtSensor.mjSENS_BALLANGVEL)}


def resolve_sensors(draft: Draft) -> None:
    """Objects and addresses; also nsensordata, as `draft.nsensordata`."""
    kinds = {number: "body" if kind == "xbody" else kind for kind, number in OBJECT_TYPES.items()}
    address = 0
    for sensor in draft.sensors:
        values = sensor.__dict__
        for prefix in ("obj", "ref"):
            number, name = values.get(prefix + "type", 0), values.get(prefix + "name", "")
            values[prefix + "type"] = number if isinstance(number, int) else 0
            values[prefix + "id"] = -1
            if name:
                values[prefix + "id"] = draft.find(kinds[number], name, sensor)
        _check_sensor(draft, sensor)
        sensor.adr = address
        address += sensor.dim
    draft.nsensordata = address


def _check_sensor(draft: Draft, sensor: Any) -> None:
    """The joint or tendon must suit the type of sensor."""
    if sensor.cutoff < 0 or sensor.noise < 0 or sensor.dim < 0:
        draft.problems.about(sensor, "cutoff, noise and dim cannot be negative")
    if sensor.cutoff > 0 and sensor.type in UNIT_VECTORS:
        draft.problems.about(sensor, "unit vectors and quaternions cannot have a cutoff", "cutoff")
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
    if kind in LIMIT_TENDON and not draft.tendons[sensor.objid].limited:
        draft.problems.about(sensor, "needs a tendon with limits", "tendon")


def resolve_custom(draft: Draft) -> None:
    """Sizes of numeric arrays and ids of tuple members."""
    for numeric in draft.numerics:
        size = len(numeric.data) if numeric.size is None else numeric.size
        if size < len(numeric.data) or not 0 < size <= MOST_NUMBERS:
            draft.problems.about(numeric, f"size {size} does not fit {len(numeric.data)} numbers", "size")
        numeric.data = tuple(numeric.data) + (0.0,) * (size - len(numeric.data))
    for text in draft.texts:
        if not text.data:
            draft.problems.about(text, "the text is empty", "data")
    for group in draft.tuples:
        group.elements = [member.copy() for member in group.elements]
        if not group.elements:
            draft.problems.about(group, "the tuple is empty")
        for member in group.elements:
            kind = "body" if member.objtype == "xbody" else member.objtype
            if kind not in NAMED:
                hint = suggestion(member.objtype, NAMED)
                draft.problems.about(member, f"unknown object type '{member.objtype}'{hint}", "objtype")
                member.objid = -1
                continue
            member.objid = draft.find(kind, member.objname, member, "objname")
            member.objtype = OBJECT_TYPES[member.objtype]


def resolve_keys(draft: Draft) -> None:
    """Keyframes: lengths, and initial values where nothing is written."""
    mocaps = [body for body in draft.bodies if body.mocap]
    sizes = {
        "qpos": draft.nq, "qvel": draft.nv, "act": draft.na, "ctrl": len(draft.actuators),
        "mpos": 3 * len(mocaps), "mquat": 4 * len(mocaps),
    }  # fmt: skip
    initial = {
        "qpos": draft.qpos0, "qvel": (0.0,) * sizes["qvel"], "act": (0.0,) * sizes["act"],
        "ctrl": (0.0,) * sizes["ctrl"],
        "mpos": [x for body in mocaps for x in body.pos], "mquat": [x for body in mocaps for x in body.quat],
    }  # fmt: skip
    blank = defaults("key")
    for _ in range(draft.spec.size.nkey - len(draft.keys)):
        draft.keys.append(Element("key", blank))
    for key in draft.keys:
        for name, size in sizes.items():
            value = getattr(key, name)
            if not value:
                setattr(key, name, initial[name])
            elif len(value) != size:
                draft.problems.about(key, f"{name} has {len(value)} numbers, expected {size}", name)
                setattr(key, name, initial[name])
        qpos = list(key.qpos)
        for joint in draft.joints:
            if joint.type in (FREE, BALL):
                start, end = joint.qposadr + NQ[joint.type] - 4, joint.qposadr + NQ[joint.type]
                qpos[start:end] = unit_quat(qpos[start:end])
        key.qpos = qpos
        mquat = list(key.mquat)
        for i in range(0, len(mquat), 4):
            mquat[i : i + 4] = unit_quat(mquat[i : i + 4])
        key.mquat = mquat


def initial_qpos(draft: Draft) -> tuple[list[float], list[float]]:
    """qpos0 and qpos_spring."""
    qpos0: list[float] = []
    spring: list[float] = []
    for joint in draft.joints:
        if joint.type == FREE:
            body = draft.bodies[joint.bodyid]
            pose = [*body.pos, *body.quat]
        elif joint.type == BALL:
            pose = [1.0, 0.0, 0.0, 0.0]
        else:
            pose = [joint.ref]
        qpos0 += pose
        spring += pose if joint.type in (FREE, BALL) else [joint.springref]
    return qpos0, spring
