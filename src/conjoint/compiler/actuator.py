"""Actuators: transmission, ranges, activations (XML Reference, actuator)."""

from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.joint import check_range, limited, split_polynomials
from conjoint.compiler.kinds import Actuator
from conjoint.compiler.passes import declared
from conjoint.compiler.tendon import check_heavy
from conjoint.schema.data import HEAD
from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain, mjtTrn
from conjoint.schema.enums_newer import mjtCtrlChart, mjtCtrlInput
from conjoint.schema.kinds import BALL
from conjoint.schema.newer_names import built
from conjoint.spec import Element
from conjoint.spec.actuator_size import INPUTS, OF_GAIN, activations, controls, inputs, outputs

JOINT, JOINTINPARENT, TENDON = int(mjtTrn.mjTRN_JOINT), int(mjtTrn.mjTRN_JOINTINPARENT), int(mjtTrn.mjTRN_TENDON)
SITE, BODY, SLIDERCRANK = int(mjtTrn.mjTRN_SITE), int(mjtTrn.mjTRN_BODY), int(mjtTrn.mjTRN_SLIDERCRANK)

TARGETS = {
    JOINT: ("joint", "joint"), JOINTINPARENT: ("joint", "jointinparent"), TENDON: ("tendon", "tendon"),
    SITE: ("site", "site"), BODY: ("body", "body"), SLIDERCRANK: ("site", "cranksite"),
}  # fmt: skip
"""Element type of an actuator's target, and name of the attribute that refers to the target, by transmission type."""

MUSCLE = 2
"""Value of both mjGAIN_MUSCLE and mjBIAS_MUSCLE."""

LIMITS = (("ctrllimited", "ctrlrange"), ("forcelimited", "forcerange"), ("actlimited", "actrange"))
"""Tristate limit flags, each with the name of the range from which it is inferred."""

INHERITING = (mjtDyn.mjDYN_NONE, mjtDyn.mjDYN_INTEGRATOR, mjtDyn.mjDYN_FILTEREXACT, mjtDyn.mjDYN_PID)
"""Dynamics types of actuators that may inherit the range of their target."""

SEVERAL = -2
"""Value of `actuatorid` for a joint or tendon to which several actuators add damping or armature."""

CONTROLLED = INPUTS["pos"] | INPUTS["vel"] | INPUTS["ff"]
"""Inputs that a `pid` actuator may have: position, velocity and feedforward."""
PRESSURE = int(mjtCtrlInput.mjINPUT_PRESSURE)
ONE_INPUT = (0, INPUTS["pos"], INPUTS["vel"], PRESSURE)
"""Allowed values of `ctrlspec` for an actuator with a fixed or affine gain."""

MOST_SAMPLES = 1 << 27
"""Maximum number of values in the history of an actuator or sensor (one gigabyte)."""
MOST_ACTIVATIONS = 1 << 20
"""Maximum number of activations of an actuator."""


@declared(
    reads=(
        "actuator: armature biasprm cranklength dynprm ffrange forcerange gainprm gear velrange; body: "
        "id; joint: id range; site: id"
    ),
    changes="actuator: actlimited actrange ctrllimited ctrlrange ctrlspec damping forcelimited trntype",
    writes=(
        "actuator: actadr actnum ctrladr ctrllimits ctrlnum ctrlranges dampingpoly history historyadr outadr "
        "outnum trnid; draft: na nhistory nout nu; joint: actuatorid; tendon: actuatorid"
    ),
)
def resolve_actuators(draft: Draft) -> None:
    """Set the transmission, ranges and activations of every actuator, and the sizes that depend on them."""
    na = nu = nout = nhistory = 0
    for actuator in draft.actuators:
        split_polynomials(actuator, "damping")
        _check_types(draft, actuator)
        _transmission(draft, actuator)
        _inherit(draft, actuator)
        for flag, interval in LIMITS:
            setattr(actuator, flag, limited(draft, actuator, flag, interval))
            if getattr(actuator, flag):
                check_range(draft, actuator, interval)
        nu += _controls(actuator, nu)
        actuator.outnum, actuator.outadr = outputs(actuator), nout
        nout += actuator.outnum
        nhistory += resolve_history(draft, actuator, nhistory, actuator.ctrlnum)
        _activation(draft, actuator)
        _muscle(draft, actuator)
        actuator.actadr = na if actuator.actnum else -1
        na += actuator.actnum
    draft.na, draft.nu, draft.nout, draft.nhistory = na, nu, nout, nhistory
    _motors(draft)


def _controls(actuator: Actuator, first: int) -> int:
    """Assign addresses to the controls of an actuator, starting at `first`.

    Set their ranges, and return their count.
    """
    values = actuator.__dict__
    actuator.ctrlspec, count = inputs(actuator), controls(actuator)
    values["ctrlnum"], values["ctrladr"] = count, first if count else -1
    own = (actuator.ctrllimited, actuator.ctrlrange)
    limits = [own] * count
    if actuator.gaintype == mjtGain.mjGAIN_PID:
        by_input = {"pos": own, **{word: (low < high, (low, high)) for word, (low, high) in (
            ("vel", actuator.velrange), ("ff", actuator.ffrange),
        )}}  # fmt: skip
        limits = [limit for word, limit in by_input.items() if actuator.ctrlspec & INPUTS[word]]
    values["ctrllimits"] = [limited for limited, _ in limits]
    values["ctrlranges"] = [interval for _, interval in limits]
    return count


def resolve_history(draft: Draft, element: Element, first: int, size: int) -> int:
    """Allocate the history of an actuator or sensor, starting at `first`, with samples of `size` numbers.

    Return its length.
    """
    samples, values = element.nsample, element.__dict__
    values["history"] = (samples, element.interp)
    if samples < 0:
        draft.problems.about(element, f"nsample is {samples}, but cannot be negative", "nsample")
    if samples > MOST_SAMPLES // max(size, 1):
        draft.problems.about(element, f"nsample {samples} is too large", "nsample")
        samples = 0
    if element.delay < 0:
        draft.problems.about(element, f"delay is {element.delay:g}, but cannot be negative", "delay")
    if element.delay > 0 and samples <= 0:
        draft.problems.about(element, "delay needs a history: set nsample to the number of samples to store", "delay")
    if samples > 0 and draft.spec.option.timestep <= 0:
        draft.problems.about(element, "a history needs a positive timestep", "nsample")
    values["historyadr"] = first if samples > 0 else -1
    return HEAD + samples * (1 + size) if samples > 0 else 0


def _motors(draft: Draft) -> None:
    """Set `actuatorid` of joints and tendons to the actuator that adds damping or armature to them."""
    for element in (*draft.joints, *draft.tendons):
        element.__dict__["actuatorid"] = -1
    for actuator in draft.actuators:
        what = "armature" if actuator.armature else "damping"
        if not (actuator.armature or actuator.damping or any(actuator.dampingpoly)):
            continue
        if actuator.trntype not in (JOINT, JOINTINPARENT, TENDON):
            draft.problems.about(actuator, f"{what} needs the attribute joint or tendon", what)
        elif actuator.trnid[0] >= 0:
            target: Any = (draft.tendons if actuator.trntype == TENDON else draft.joints)[actuator.trnid[0]]
            target.actuatorid = actuator.id if target.actuatorid == -1 else SEVERAL
            if actuator.trntype == TENDON and actuator.armature:
                check_heavy(draft, target, actuator)


def _check_types(draft: Draft, actuator: Actuator) -> None:
    """Report types that are not implemented, and incompatible combinations of gain, bias and dynamics types."""
    for name, kinds in (("gaintype", mjtGain), ("biastype", mjtBias), ("dyntype", mjtDyn)):
        if getattr(actuator, name) not in built(kinds):
            draft.problems.about(actuator, f"{kinds(getattr(actuator, name)).name} cannot be simulated yet", name)
    gain, bias, dyn = actuator.gaintype, actuator.biastype, actuator.dyntype
    motor = (gain == mjtGain.mjGAIN_DCMOTOR, bias == mjtBias.mjBIAS_DCMOTOR, dyn == mjtDyn.mjDYN_DCMOTOR)
    if any(motor) and not all(motor):
        draft.problems.about(actuator, "gaintype, biastype and dyntype of a dcmotor belong together", "gaintype")
    if all(motor) and not actuator.actearly:
        draft.problems.about(actuator, "a dcmotor uses the next activation: set actearly to true", "actearly")
    if gain == mjtGain.mjGAIN_PID and dyn != mjtDyn.mjDYN_PID and actuator.gainprm[0]:
        draft.problems.about(actuator, "the gain of the integral, the first of gainprm, needs dyntype pid", "gainprm")
    if gain == mjtGain.mjGAIN_PID and bias != mjtBias.mjBIAS_AFFINE:
        draft.problems.about(actuator, "gaintype pid needs biastype affine", "biastype")
    if dyn == mjtDyn.mjDYN_PID and gain != mjtGain.mjGAIN_PID:
        draft.problems.about(actuator, "dyntype pid needs gaintype pid", "dyntype")
    _check_inputs(draft, actuator)
    integrating = dyn == mjtDyn.mjDYN_PID or (all(motor) and actuator.gainprm[5])
    if integrating and not inputs(actuator) & INPUTS["pos"]:
        draft.problems.about(
            actuator, "a controller that integrates, or whose rate is limited, needs the input pos", "input"
        )


def _check_inputs(draft: Draft, actuator: Actuator) -> None:
    """Report inputs that the gain type of the actuator does not accept."""
    said, gain = int(actuator.ctrlspec), int(actuator.gaintype)
    if gain == mjtGain.mjGAIN_PID and said & ~CONTROLLED:
        draft.problems.about(actuator, "the inputs of a pid are some of pos, vel and ff", "input")
    elif gain in (mjtGain.mjGAIN_FIXED, mjtGain.mjGAIN_AFFINE) and said not in ONE_INPUT:
        draft.problems.about(actuator, "an actuator of this gaintype has one input: pos, vel or pressure", "input")
    elif gain == mjtGain.mjGAIN_SO3 and said not in (0, *mjtCtrlChart):
        draft.problems.about(actuator, "the input of so3 is expmap or quat", "input")
    elif gain == mjtGain.mjGAIN_DCMOTOR and said & PRESSURE:
        draft.problems.about(actuator, "the inputs of a dcmotor are some of pos, vel, ff and voltage, or none", "input")
    elif said and gain not in (mjtGain.mjGAIN_FIXED, mjtGain.mjGAIN_AFFINE, *OF_GAIN):
        draft.problems.about(actuator, "actuators of this gaintype have no input", "input")
    if actuator.nsample > 0 and not controls(actuator):
        draft.problems.about(actuator, "a history needs a control, but input is none", "nsample")


def _transmission(draft: Draft, actuator: Actuator) -> None:
    """Set the id of an actuator's target, and the id of its slider site or reference site, if any."""
    values = actuator.__dict__
    trntype = actuator.trntype = int(values.get("trntype", JOINT))
    if actuator.gaintype == mjtGain.mjGAIN_SO3:
        _orientation(draft, actuator)
        return
    if trntype not in TARGETS:
        draft.problems.about(
            actuator, "it has no target: set trntype and target, or the attribute joint, tendon, site or body"
        )
        actuator.trnid = (-1, -1)
        return
    kind, attribute = TARGETS[trntype]
    second = -1
    if trntype == SLIDERCRANK:
        if actuator.slidersite:
            second = draft.find("site", actuator.slidersite, actuator, "slidersite")
        else:
            draft.problems.about(actuator, "a slider-crank needs slidersite")
        if actuator.cranklength <= 0:
            draft.problems.about(actuator, "the cranklength must be positive", "cranklength")
    elif trntype == SITE and actuator.refsite:
        second = draft.find("site", actuator.refsite, actuator, "refsite")
    actuator.trnid = (draft.find(kind, values.get("target", ""), actuator, attribute), second)


def _orientation(draft: Draft, actuator: Actuator) -> None:
    """Resolve the target of an orientation servo: a ball joint, or a site relative to a reference site."""
    problem, actuator.trnid = draft.problems.about, (-1, -1)
    if actuator.biastype != mjtBias.mjBIAS_SO3:
        problem(actuator, "gaintype and biastype must both be so3", "biastype")
    if actuator.gainprm[0] != -actuator.biasprm[1]:
        problem(actuator, "so3 needs gainprm[0] == -biasprm[1]", "gainprm")
    if actuator.dyntype not in (mjtDyn.mjDYN_NONE, mjtDyn.mjDYN_INTEGRATOR):
        problem(actuator, "so3 needs dyntype none or integrator", "dyntype")
    if actuator.dyntype != mjtDyn.mjDYN_NONE and controls(actuator) != outputs(actuator):
        problem(actuator, "an integrator needs input expmap", "input")
    if actuator.forcerange[0]:
        problem(actuator, "the forcerange of so3 bounds a norm: its first number must be 0", "forcerange")
    if tuple(actuator.gear) != (1.0, 0.0, 0.0, 0.0, 0.0, 0.0):
        problem(actuator, "so3 has no gear", "gear")
    if actuator.trntype == JOINT:
        joint = draft.find("joint", actuator.__dict__.get("target", ""), actuator, "joint")
        if joint >= 0 and draft.joints[joint].type != BALL:
            problem(actuator, "so3 needs a ball joint", "joint")
        actuator.trnid = (joint, -1)
    elif actuator.trntype == SITE and actuator.refsite:
        target = draft.find("site", actuator.__dict__.get("target", ""), actuator, "site")
        actuator.trnid = (target, draft.find("site", actuator.refsite, actuator, "refsite"))
    else:
        problem(actuator, "so3 needs a ball joint, or a site with a refsite")
    actuator.trntype = int(mjtTrn.mjTRN_SO3)


def _inherit(draft: Draft, actuator: Actuator) -> None:
    """Set the control or activation range to the range of the target, scaled about its midpoint."""
    scale, kp = actuator.inheritrange, actuator.gainprm[0]
    if scale <= 0 or actuator.trnid[0] < 0:
        return
    if actuator.trntype not in (JOINT, JOINTINPARENT, TENDON):
        draft.problems.about(actuator, "inheritrange needs a joint or tendon, which have ranges", "inheritrange")
        return
    servo = actuator.gaintype == mjtGain.mjGAIN_FIXED and kp == -actuator.biasprm[1]
    if actuator.biastype != mjtBias.mjBIAS_AFFINE or not (servo or actuator.gaintype == mjtGain.mjGAIN_PID):
        return
    targets = draft.tendons if actuator.trntype == TENDON else draft.joints
    low, high = targets[actuator.trnid[0]].range
    if low == high:
        draft.problems.about(actuator, "inheritrange: the target has no range", "inheritrange")
        return
    middle, half = (low + high) / 2, (high - low) / 2 * scale
    interval = "actrange" if actuator.dyntype == mjtDyn.mjDYN_INTEGRATOR else "ctrlrange"
    setattr(actuator, interval, (middle - half, middle + half))
    if actuator.dyntype not in INHERITING:
        draft.problems.about(actuator, "inheritrange needs a position or intvelocity actuator", "inheritrange")


def _activation(draft: Draft, actuator: Actuator) -> None:
    """Compute the number of activations of an actuator from its dynamics type and its plugin, and check it."""
    stateful = actuator.dyntype != mjtDyn.mjDYN_NONE
    own = actuator.plugin is not None
    if actuator.actlimited and not stateful and not own:
        draft.problems.about(actuator, "actrange needs an actuator with dynamics", "actrange")
    if actuator.actdim > MOST_ACTIVATIONS:
        draft.problems.about(actuator, f"actdim {actuator.actdim} is more than {MOST_ACTIVATIONS}", "actdim")
        actuator.actdim = -1
    actuator.actnum = activations(actuator)
    if not own and actuator.dyntype != mjtDyn.mjDYN_DCMOTOR:
        if bool(actuator.actnum) != stateful:
            draft.problems.about(actuator, f"actdim {actuator.actdim} does not suit the dynamics", "actdim")
        single = actuator.dyntype != mjtDyn.mjDYN_USER and actuator.gaintype not in OF_GAIN
        if actuator.actdim > 1 and single:
            draft.problems.about(actuator, "actdim above 1 needs dyntype user", "actdim")


def _muscle(draft: Draft, actuator: Actuator) -> None:
    """Check the parameters of a muscle."""
    for kind, prm in ((actuator.gaintype, actuator.gainprm), (actuator.biastype, actuator.biasprm)):
        if kind != MUSCLE:
            continue
        low, high, _, scale, lmin, lmax, vmax, fpmax, fvmax = prm[:9]
        if low >= high:
            draft.problems.about(actuator, "muscle: the first number of range must be smaller than the second", "range")
        elif not lmin < 1 < lmax:
            draft.problems.about(actuator, "muscle: lmin must be below 1 and lmax above", "lmin")
        elif min(scale, vmax, fpmax, fvmax) <= 0:
            draft.problems.about(actuator, "muscle: scale, vmax, fpmax and fvmax must be positive", "scale")
        else:
            continue
        return
