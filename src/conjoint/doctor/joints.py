"""Checks of joints: limits in wrong units, missing limits, and missing damping."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.doctor.actuation import damping_of
from conjoint.doctor.finding import Finding, finding, worst_first
from conjoint.doctor.start import deep_contacts
from conjoint.doctor.subject import Subject
from conjoint.schema.enums import mjtJoint, mjtTrn
from conjoint.spec.element import bodies

TURNS = 4 * math.pi
"""Angle above which a limit is flagged (rad), because it is probably in degrees and was read as radians."""
TINY = math.radians(2 * math.pi)
"""Largest range for which a hinge is flagged (rad), because it is probably in radians and was read as degrees."""
WIDE = 50.0
"""Range above which a slide joint is flagged, relative to the model's size: it is probably in millimeters."""
MOSTLY = 2 / 3
"""Minimum fraction of driven hinges with limits for which the driven hinges without limits are flagged."""
CENTERED = 0.1
"""Largest distance of a wheel's center of mass from its hinge axis, relative to the wheel's radius."""
ANGLES = 24
"""Number of angles per full turn at which collisions are tested."""


def driven(subject: Subject) -> list[int]:
    """Return the ids of hinge and slide joints that actuators drive, or of all if this cannot be determined.

    It cannot be determined for actuators that do not act on joints, or for URDF, which has no actuators.
    """
    model = subject.model
    kinds = (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT)
    if subject.urdf or any(kind not in kinds for kind in model.actuator_trntype):
        return subject.hinges
    joints = {int(model.actuator_trnid[u, 0]) for u in range(model.nu) if model.actuator_trntype[u] in kinds}
    return [j for j in subject.hinges if j in joints]


def check_limit_units(subject: Subject) -> Iterator[Finding]:
    """Find limits in degrees instead of radians, in radians instead of degrees, or in millimeters."""
    model = subject.model
    odd, small = [], []
    hinges = [j for j in subject.hinges if model.jnt_limited[j] and model.jnt_type[j] == mjtJoint.mjJNT_HINGE]
    for j in hinges:
        low, high = (float(limit) for limit in model.jnt_range[j])
        if max(abs(low), abs(high)) > TURNS:
            turns = (high - low) / (2 * math.pi)
            odd.append(f"{subject.label('joint', j)}: {low:.4g} to {high:.4g} rad, {turns:.3g} turns")
        elif high - low <= TINY:
            small.append(f"{subject.label('joint', j)}: {math.degrees(low):.3g} to {math.degrees(high):.3g} degrees")
    # a single small range may be intended, such as a kneecap's
    if len(small) > len(hinges) / 2:
        odd += small
    for j in subject.hinges:
        width = float(np.ptp(model.jnt_range[j])) if model.jnt_limited[j] else 0.0
        if model.jnt_type[j] == mjtJoint.mjJNT_SLIDE and width > WIDE * model.stat.extent:
            odd.append(f"{subject.label('joint', j)}: {width:.4g} m, the model has {model.stat.extent:.3g} m")
    if odd:
        yield finding(
            "limit-units",
            "Limits of joints look like numbers in another unit.",
            odd,
            'URDF uses radians; MJCF uses degrees unless <compiler angle="radian"/>; slides use meters.',
            "limits",
        )


def check_limits(subject: Subject) -> Iterator[Finding]:
    """Find driven hinges without limits if their links collide with the robot, or if most other hinges have limits."""
    model = subject.model
    hinges = [j for j in driven(subject) if model.jnt_type[j] == mjtJoint.mjJNT_HINGE]
    free = [j for j in hinges if not (model.jnt_limited[j] or is_continuous(subject, j) or is_wheel(subject, j))]
    mostly = len(hinges) - len(free) >= MOSTLY * len(hinges)
    odd = []
    for j in free:
        hit = first_hit(subject, j)
        if hit is not None:
            odd.append(f"{subject.label('joint', j)}: no limits, and links collide at {math.degrees(hit):.0f} degrees")
        elif mostly:
            odd.append(f"{subject.label('joint', j)}: no limits; {len(hinges) - len(free)} of {len(hinges)} have one")
    if odd:
        yield finding(
            "limits",
            "Driven joints have no limits.",
            odd,
            'Give them range="LOW HIGH" (URDF: type="revolute" with <limit lower=... upper=.../>).',
            "limits",
        )


def is_continuous(subject: Subject, joint: int) -> bool:
    """Return True if a joint intentionally has no limits, which URDF expresses by the type "continuous"."""
    if subject.spec is None:
        return False
    name = subject.model.joint(joint).name
    joints = [each for body in bodies(subject.spec.worldbody) for each in body.joints if each.name == name]
    return any(each.place is not None and each.place.attributes.get("type") == "continuous" for each in joints)


def is_wheel(subject: Subject, joint: int) -> bool:
    """Return True if a hinge's subtree is centered on its axis, or if a velocity servo drives it."""
    model = subject.model
    if any(servo.joint == joint and servo.kp == 0 and servo.kv > 0 for servo in subject.servos):
        return True
    data = subject.begin()
    body = int(model.jnt_bodyid[joint])
    axis, anchor = data.xaxis[joint], data.xanchor[joint]
    offset = data.subtree_com[body] - anchor
    distance = float(np.linalg.norm(offset - (offset @ axis) * axis))
    geoms = np.flatnonzero(subject.below(body)[model.geom_bodyid])
    radius = max((float(np.linalg.norm(data.geom_xpos[g] - anchor) + model.geom_rbound[g]) for g in geoms), default=0.0)
    return distance <= CENTERED * radius


def first_hit(subject: Subject, joint: int) -> float | None:
    """Return the smallest angle (rad) at which the links below a hinge penetrate the rest of the robot deeply.

    Return None if they never do.
    """
    model = subject.model
    turning = subject.below(int(model.jnt_bodyid[joint]))[model.geom_bodyid]
    before = set(deep_contacts(subject, None))
    data = subject.begin()
    address = int(model.jnt_qposadr[joint])
    start = float(data.qpos[address])
    for step in sorted(range(1 - ANGLES // 2, ANGLES // 2 + 1), key=abs):
        angle = 2 * math.pi * step / ANGLES
        data.qpos[address] = start + angle
        mj_forward(model, data)
        roots = model.body_rootid[model.geom_bodyid]
        for first, second, distance in zip(*np.transpose(data.contact.geom), data.contact.dist, strict=True):
            if first < 0 or second < 0 or (first, second) in before or turning[first] == turning[second]:
                continue
            radius = min(float(model.geom_rbound[g]) for g in (first, second))
            if roots[first] == roots[second] and -distance > 0.3 * radius > 0:
                return abs(angle)
    return None


def check_damping(subject: Subject) -> Iterator[Finding]:
    """Find robots whose joints all lack damping, friction and armature, and servos that oscillate."""
    model = subject.model
    dofs = [int(model.jnt_dofadr[j]) for j in subject.hinges]
    resisted = [model.dof_damping[d] or model.dof_frictionloss[d] or model.dof_armature[d] for d in dofs]
    robot = subject.urdf or model.nu > 0
    if robot and len(dofs) >= 3 and not any(resisted) and not any(servo.kv for servo in subject.servos):
        yield finding(
            "damping",
            "No joint has damping, friction or armature: nothing ever comes to rest.",
            [f"{len(dofs)} joints with damping 0, frictionloss 0 and armature 0"],
            "Give joints damping and armature (the inertia of the motor's rotor, times the square of its gear ratio).",
            "damping-and-armature",
        )
        return
    ringing = []
    for servo in subject.servos:
        ratio = damping_of(model, servo)
        if servo.kp > 0 and ratio < 0.05:
            text = f"{subject.label('actuator', servo.actuator)}: kp {servo.kp:.4g}, damping ratio {ratio:.2g}"
            ringing.append((-ratio, text))
    if ringing:
        yield finding(
            "servo-damping",
            "Position servos have almost no damping, so they oscillate.",
            worst_first(ringing),
            'Give the servo kv or dampratio="1", or the joint damping.',
            "gains",
        )
