"""Checks of actuators: missing ones, and forces that cannot hold the robot's weight."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.api.functions.jacobian import mj_jac
from conjoint.api.objects.data import MjData
from conjoint.doctor.finding import Finding, finding, worst_first
from conjoint.doctor.start import clamp
from conjoint.doctor.subject import Subject
from conjoint.schema.enums import mjtJoint

POSES = 64
"""Number of random poses, within joint limits, for which gravity forces are computed."""
STANDING = 0.05
"""Height above the lowest geom up to which geoms count as feet, relative to the robot's height."""
LEAST_JOINTS = 2
"""Minimum number of limited joints for which an MJCF model without actuators is flagged."""


def check_actuators(subject: Subject) -> Iterator[Finding]:
    """Find robots without actuators."""
    model = subject.model
    joints = subject.hinges
    # exclude ropes and cloth, whose joints have no limits, and robots that a mocap body moves by a weld
    limited = [j for j in joints if model.jnt_limited[j]]
    robot = bool(joints) if subject.urdf else len(limited) >= LEAST_JOINTS
    if model.nu == 0 and model.nmocap == 0 and robot:
        yield finding(
            "actuators",
            "There are no actuators to move the joints." + (" URDF does not define any." if subject.urdf else ""),
            [subject.label("joint", j) for j in joints],
            "Add them: spec.add_actuator(...), or <actuator><position joint=... kp=... kv=.../></actuator>.",
            "actuators",
        )


def check_forces(subject: Subject) -> Iterator[Finding]:
    """Find joints whose actuators are too weak for the weight that they carry."""
    model = subject.model
    most: dict[int, float] = defaultdict(float)
    for servo in subject.servos:
        most[servo.joint] += servo.most
    joints = [j for j, force in most.items() if 0 < force < math.inf]
    if not joints:
        return
    hanging = [j for j in joints if is_carried(subject, j)]
    weights = dict(zip(hanging, largest_weights(subject, hanging), strict=True)) | standing_weights(subject, joints)
    odd = []
    for j, weight in weights.items():
        if most[j] < weight:
            unit = "N m" if model.jnt_type[j] == mjtJoint.mjJNT_HINGE else "N"
            text = (
                f"{subject.label('joint', j)}: at most {most[j]:.3g} {unit}, its weight needs up to {weight:.3g} {unit}"
            )
            odd.append((weight / most[j], text))
    if odd:
        yield finding(
            "force-range",
            "Actuators are too weak to hold the robot against gravity.",
            worst_first(odd),
            "Raise forcerange, ctrlrange or gear (URDF: the effort of <limit>), or lower masses.",
            "actuators",
        )


def is_carried(subject: Subject, joint: int) -> bool:
    """Return True if actuators drive all joints from a joint up to the world; other parts float or swing freely."""
    model = subject.model
    moved = {servo.joint for servo in subject.servos}
    body = int(model.jnt_bodyid[joint])
    while body:
        first = int(model.body_jntadr[body])
        if any(j not in moved for j in range(first, first + int(model.body_jntnum[body]))):
            return False
        body = int(model.body_parentid[body])
    return True


def standing_weights(subject: Subject, joints: list[int]) -> dict[int, float]:
    """Return the joint forces of floating robots that stand on their lowest geoms, which share the weight equally.

    Only a third of each force counts, because a robot may place its feet differently.
    """
    model = subject.model
    forces: dict[int, float] = {}
    for root in subject.floating:
        tree = subject.below(root)
        geoms = np.flatnonzero(tree[model.geom_bodyid] & subject.collides & (model.geom_rbound > 0))
        own = [j for j in joints if tree[model.jnt_bodyid[j]]]
        if not len(geoms) or not own:
            continue
        data = subject.begin(0 if model.nkey else None)
        if not model.nkey:
            clamp(subject, data)
        heights = np.array([lowest_point(subject, data, int(g)) for g in geoms])
        height = float(np.ptp(data.geom_xpos[geoms, 2]))
        feet = [int(g) for g in geoms[heights < heights.min() + STANDING * height]]
        share = float(model.body_mass[tree].sum()) * float(np.linalg.norm(model.opt.gravity)) / len(feet)
        jacobian = np.zeros((3, model.nv))
        force = np.zeros(model.nv)
        for foot in feet:
            point = data.geom_xpos[foot].copy()
            point[2] = lowest_point(subject, data, foot)
            mj_jac(model, data, jacobian, None, point, int(model.geom_bodyid[foot]))
            force += share * jacobian[2]
        forces |= {j: abs(float(force[model.jnt_dofadr[j]])) / 3 for j in own}
    return forces


def lowest_point(subject: Subject, data: MjData, geom: int) -> float:
    """Return the height of the lowest point of a geom's bounding box (m)."""
    turn, (center, half) = data.geom_xmat[geom].reshape(3, 3), np.split(subject.model.geom_aabb[geom], 2)
    return float(data.geom_xpos[geom, 2] + turn[2] @ center - np.abs(turn[2]) @ half)


def largest_weights(subject: Subject, joints: list[int]) -> np.ndarray:
    """Return the largest gravity force on each joint, over random poses within the joint limits."""
    model = subject.model
    rng = np.random.default_rng(0)
    data = subject.begin()
    start = data.qpos.copy()
    dofs = [int(model.jnt_dofadr[j]) for j in joints]
    largest = np.zeros(len(joints))
    for pose in range(POSES + 1):
        data.qpos[:] = start
        for j in subject.hinges if pose else ():
            turning = model.jnt_type[j] == mjtJoint.mjJNT_HINGE
            limits = model.jnt_range[j] if model.jnt_limited[j] else np.array([-math.pi, math.pi]) * turning
            data.qpos[model.jnt_qposadr[j]] = rng.uniform(*limits) if limits[0] < limits[1] else limits[0]
        data.qvel[:] = 0
        mj_forward(model, data)
        # exclude the weight that springs and gravity compensation support
        held = data.qfrc_bias - data.qfrc_passive
        largest = np.maximum(largest, np.abs(held[dofs]))
    return largest
