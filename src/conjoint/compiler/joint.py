"""Joints, with their axes, units, limits, and addresses in qpos and qvel; limits of tendons and actuators."""

from collections.abc import Sequence
from math import radians
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Body, Joint
from conjoint.compiler.passes import declared
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.kinds import BALL, FREE, HINGE, NQ, NV, SLIDE
from conjoint.schema.mjcf.grammar import written_name
from conjoint.spec import Element
from conjoint.spec.keyframes import rest_size
from conjoint.spec.rotation import unit

AUTO = 2
"""Value of a tristate flag that is inferred from a range."""


def limited(draft: Draft, element: Element, flag: str, interval: str) -> bool:
    """Resolve the tristate `flag` from the range named `interval`. Without autolimits, report an ambiguous range."""
    state, (low, high) = getattr(element, flag), getattr(element, interval)
    if state == AUTO:
        if (low or high) and not draft.settings(element).autolimits:
            given, needed = written_name(element.kind, interval), written_name(element.kind, flag)
            draft.problems.about(
                element, f"has {given} but not {needed}: set one of {needed} and compiler/autolimits", interval
            )
        state = low < high
    return bool(state)


def check_range(draft: Draft, element: Element, interval: str) -> None:
    """Check that the lower end of a range is below the upper end."""
    low, high = getattr(element, interval)
    if low < high:
        return
    name = written_name(element.kind, interval)
    if low == high == 0:
        draft.problems.about(
            element, f"it is limited, but the attribute '{name}' is missing: give it two numbers", interval
        )
        return
    # report the range as written, because the angles of the element itself may have been converted
    low, high = getattr(element.origin, interval, (low, high))
    draft.problems.about(element, f"{name} {low:g} {high:g}: the first must be smaller than the second", interval)


@declared(
    reads="joint: actfrcrange",
    early="body: id parentid",
    changes=("draft: nplastic; joint: actfrclimited axis damping limited range ref springref springyield stiffness"),
    writes="draft: nq nv; joint: dampingpoly dofadr plasticadr pos qposadr stiffnesspoly",
)
def resolve_joints(draft: Draft) -> None:
    """Set addresses, axis and limits of every joint, and the sizes `draft.nq` and `draft.nv`."""
    nq = nv = 0
    for joint in draft.joints:
        joint.qposadr, joint.dofadr = nq, nv
        split_polynomials(joint, "stiffness", "damping")
        nq += NQ[joint.type]
        nv += NV[joint.type]
        _resolve(draft, joint)
    draft.nq, draft.nv = nq, nv
    place_rests(draft, draft.joints)
    for body in draft.bodies:
        _check_combination(draft, body)


def place_rests(draft: Draft, elements: Sequence[Any]) -> None:
    """Assign addresses to the rest positions of springs with plastic deformation."""
    for element in elements:
        element.plasticadr = draft.nplastic if element.springyield > 0 else -1
        draft.nplastic += rest_size(element)


def split_polynomials(element: Element, *names: str) -> None:
    """Split polynomials: keep the first coefficient, and move the others to the attribute whose name ends in "poly"."""
    for name in names:
        coefficients = element.__dict__[name]
        element.__dict__[name], element.__dict__[name + "poly"] = coefficients[0], tuple(coefficients[1:])


def _resolve(draft: Draft, joint: Joint) -> None:
    """Set the axis and the limits of one joint, and convert its angles to radians."""
    kind = joint.type
    if kind in (FREE, BALL):
        joint.axis = (0.0, 0.0, 1.0)
    else:
        try:
            joint.axis = unit(joint.axis)
        except ValueError:
            draft.problems.about(joint, "axis is too short: it needs a length that is not zero", "axis")
    if kind == FREE:
        joint.pos = (0.0, 0.0, 0.0)
    joint.limited = kind != FREE and limited(draft, joint, "limited", "range")
    joint.actfrclimited = kind in (SLIDE, HINGE) and limited(draft, joint, "actfrclimited", "actfrcrange")
    if draft.settings(joint).degree:
        if kind == HINGE:
            joint.ref, joint.springref = radians(joint.ref), radians(joint.springref)
        if kind in (HINGE, BALL):
            joint.springyield = radians(joint.springyield)
            if joint.limited:
                joint.range = radians(joint.range[0]), radians(joint.range[1])
    _check(draft, joint)


def _check(draft: Draft, joint: Joint) -> None:
    """Check that the limits and spring parameters are valid for the joint type."""
    if joint.limited and joint.type in (SLIDE, HINGE):
        check_range(draft, joint, "range")
    if joint.limited and joint.type == BALL and joint.range[0]:
        draft.problems.about(joint, "the range of a ball joint must start at 0", "range")
    if joint.actfrclimited:
        check_range(draft, joint, "actfrcrange")
    if joint.springyield < 0:
        draft.problems.about(joint, "springyield cannot be negative", "springyield")
    if joint.springyield and joint.type == FREE:
        draft.problems.about(joint, "the spring of a free joint cannot yield", "springyield")
    if any(joint.springdamper) and min(joint.springdamper) <= 0:
        draft.problems.about(joint, "springdamper needs a positive time constant and damping ratio", "springdamper")


def _check_combination(draft: Draft, body: Body) -> None:
    """Check the joints of a body: a free joint is alone, no rotation follows a ball, and there are at most six dofs."""
    joints = body.joints
    if body.id == 0 and joints:
        draft.problems.about(joints[0], "the world cannot have joints")
        return
    if body.mocap and (joints or body.parentid):
        draft.problems.about(body, "a mocap body must be a child of the world without joints", "mocap")
    if len(joints) < 2:
        return
    kinds = [joint.type for joint in joints]
    if FREE in kinds and len(kinds) > 1:
        draft.problems.about(joints[kinds.index(FREE)], "a free joint must be the only joint of its body", "type")
    after = joints[kinds.index(BALL) + 1 :] if BALL in kinds else []
    for joint in after:
        if joint.type in (BALL, HINGE):
            draft.problems.about(joint, "a ball joint cannot be followed by another joint that rotates", "type")
    if sum(NV[kind] for kind in kinds) > 6:
        draft.problems.about(body, "more than 6 degrees of freedom in one body: give it a child for some of its joints")


@declared(
    reads="draft: arrays; joint: id",
)
def set_springdampers(draft: Draft) -> None:
    """Compute stiffness and damping of joints with a time constant and a damping ratio (springdamper)."""
    m = draft.arrays
    for joint in draft.joints:
        timeconst, ratio = joint.springdamper
        if timeconst > 0 and ratio > 0:
            start = m.jnt_dofadr[joint.id]
            dofs = slice(start, start + NV[joint.type])
            inertia = 1 / max(mjMINVAL, m.dof_invweight0[dofs].mean())
            m.jnt_stiffness[joint.id] = inertia / max(mjMINVAL, timeconst * timeconst * ratio * ratio)
            m.dof_damping[dofs] = 2 * inertia / max(mjMINVAL, timeconst)
