"""Actuators: transmission, ranges, activations (XML Reference, actuator)."""

from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.limit import check_range, limited
from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain, mjtTrn
from conjoint.schema.newer_names import built

JOINT, JOINTINPARENT, TENDON = int(mjtTrn.mjTRN_JOINT), int(mjtTrn.mjTRN_JOINTINPARENT), int(mjtTrn.mjTRN_TENDON)
SITE, BODY, SLIDERCRANK = int(mjtTrn.mjTRN_SITE), int(mjtTrn.mjTRN_BODY), int(mjtTrn.mjTRN_SLIDERCRANK)

TARGETS = {
    JOINT: ("joint", "joint"), JOINTINPARENT: ("joint", "jointinparent"), TENDON: ("tendon", "tendon"),
    SITE: ("site", "site"), BODY: ("body", "body"), SLIDERCRANK: ("site", "cranksite"),
}  # fmt: skip
"""Kind of what a transmission acts on, and the attribute that names it."""

MUSCLE = 2
"""mjGAIN_MUSCLE and mjBIAS_MUSCLE."""

LIMITS = (("ctrllimited", "ctrlrange"), ("forcelimited", "forcerange"), ("actlimited", "actrange"))
"""Tristates, and the ranges that they are inferred from."""

MOST_ACTIVATIONS = 1 << 20
"""Activations of one actuator."""


def resolve_actuators(draft: Draft) -> None:
    """Transmission, ranges and activations; also na, as `draft.na`."""
    na = 0
    for actuator in draft.actuators:
        _check_types(draft, actuator)
        _transmission(draft, actuator)
        _inherit(draft, actuator)
        for flag, interval in LIMITS:
            setattr(actuator, flag, limited(draft, actuator, flag, interval))
            if getattr(actuator, flag):
                check_range(draft, actuator, interval)
        _activation(draft, actuator)
        _muscle(draft, actuator)
        actuator.actadr = na if actuator.actnum else -1
        na += actuator.actnum
    draft.na = na


def _check_types(draft: Draft, actuator: Any) -> None:
    """Refuse types of newer versions that are not built."""
    for name, kinds in (("gaintype", mjtGain), ("biastype", mjtBias), ("dyntype", mjtDyn)):
        if getattr(actuator, name) not in built(kinds):
            draft.problems.about(actuator, f"{kinds(getattr(actuator, name)).name} cannot be simulated yet", name)


def _transmission(draft: Draft, actuator: Any) -> None:
    """Ids of what an actuator acts on: the target; for sites also the site of the slider or of reference."""
    values = actuator.__dict__
    trntype = actuator.trntype = int(values.get("trntype", JOINT))
    if trntype not in TARGETS:
        draft.problems.about(actuator, "it has no trntype: what it acts on is not known")
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


def _inherit(draft: Draft, actuator: Any) -> None:
    """Take the control or activation range from the target, scaled about its middle."""
    scale, kp = actuator.inheritrange, actuator.gainprm[0]
    if scale <= 0 or actuator.trnid[0] < 0:
        return
    if actuator.trntype not in (JOINT, JOINTINPARENT, TENDON):
        draft.problems.about(actuator, "inheritrange needs a joint or tendon, which have ranges", "inheritrange")
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


def _activation(draft: Draft, actuator: Any) -> None:
    """Number of activations: that of the dynamics, and those of a plugin."""
    stateful = actuator.dyntype != mjtDyn.mjDYN_NONE
    own = actuator.plugin is not None
    if actuator.actlimited and not stateful and not own:
        draft.problems.about(actuator, "actrange needs an actuator with dynamics", "actrange")
    if actuator.actdim > MOST_ACTIVATIONS:
        draft.problems.about(actuator, f"actdim {actuator.actdim} is more than {MOST_ACTIVATIONS}", "actdim")
        actuator.actdim = -1
    actuator.actnum = int(stateful) if actuator.actdim < 0 else actuator.actdim
    if not own:
        if bool(actuator.actnum) != stateful:
            draft.problems.about(actuator, f"actdim {actuator.actdim} does not suit the dynamics", "actdim")
        if actuator.actdim > 1 and actuator.dyntype != mjtDyn.mjDYN_USER:
            draft.problems.about(actuator, "actdim above 1 needs dyntype user", "actdim")


def _muscle(draft: Draft, actuator: Any) -> None:
    """Parameters of muscles must make sense."""
    for kind, prm in ((actuator.gaintype, actuator.gainprm), (actuator.biastype, actuator.biasprm)):
        if kind != MUSCLE:
            continue
        low, high, _, scale, lmin, lmax, vmax, fpmax, fvmax = prm[:9]
        if low >= high:
            draft.problems.about(actuator, "muscle: the first number of range must be below the second", "range")
        elif not lmin < 1 < lmax:
            draft.problems.about(actuator, "muscle: lmin must be below 1 and lmax above", "lmin")
        elif min(scale, vmax, fpmax, fvmax) <= 0:
            draft.problems.about(actuator, "muscle: scale, vmax, fpmax and fvmax must be positive", "scale")
        else:
            continue
        return
