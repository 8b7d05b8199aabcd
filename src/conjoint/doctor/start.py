"""Checks of the initial poses: penetrations, and positions and controls outside of their limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.doctor.finding import Finding, finding, worst_first
from conjoint.doctor.subject import Subject
from conjoint.schema.enums import mjtJoint

DEEP = 0.1
"""Penetration depth above which a contact is flagged, relative to the bounding radius of the smaller geom."""
LEAST_DEPTH = 1e-3
"""Penetration depth up to which no contact is flagged (m)."""
BEYOND = 0.02
"""Distance beyond a limit above which a value is flagged, as a fraction of the range."""

Pair = tuple[int, int]


def check_penetrations(subject: Subject) -> Iterator[Finding]:
    """Find geoms that overlap in an initial pose."""
    against_others: dict[Pair, tuple[float, str]] = {}
    inside: dict[Pair, tuple[float, str]] = {}
    model = subject.model
    # a model with keyframes starts from one of them
    for name, key in subject.starts[1:] or subject.starts:
        for pair, depth in deep_contacts(subject, key).items():
            first, second = (int(model.body_rootid[model.geom_bodyid[g]]) for g in pair)
            depths = inside if first == second else against_others
            if depth > depths.get(pair, (0.0, ""))[0]:
                depths[pair] = depth, name
    if against_others:
        yield finding(
            "penetration",
            "Bodies overlap at the start, so contacts push them apart violently.",
            _texts(subject, against_others),
            "Move the body, add a keyframe whose pose only touches, or exclude a pair that always overlaps.",
            "where-it-starts",
        )
    if inside:
        yield finding(
            "self-collision",
            "Links of the robot overlap at the start, so contacts push against its joints.",
            _texts(subject, inside),
            "Exclude pairs that always overlap: <contact><exclude body1=... body2=.../>; or use smaller geoms.",
            "self-collision",
        )


def deep_contacts(subject: Subject, key: int | None) -> dict[Pair, float]:
    """Return the depths (m) of deep penetrations by geom pair, in an initial pose (a keyframe or None)."""
    data, model = subject.begin(key), subject.model
    if key is None:
        clamp(subject, data)
    depths: dict[Pair, float] = {}
    for first, second, distance in zip(*np.transpose(data.contact.geom), data.contact.dist, strict=True):
        if first < 0 or second < 0:
            continue
        radii = [float(model.geom_rbound[g]) for g in (first, second) if model.geom_rbound[g] > 0]
        if -distance > max(LEAST_DEPTH, DEEP * min(radii, default=0.0)):
            pair = int(first), int(second)
            depths[pair] = max(depths.get(pair, 0.0), float(-distance))
    return depths


def clamp(subject: Subject, data: MjData) -> None:
    """Move joints that are beyond their limits to the limits, as programs do that load the model."""
    model = subject.model
    for j in subject.hinges:
        if model.jnt_limited[j]:
            address = int(model.jnt_qposadr[j])
            data.qpos[address] = np.clip(data.qpos[address], *model.jnt_range[j])
    mj_forward(model, data)


def _texts(subject: Subject, depths: dict[Pair, tuple[float, str]]) -> list[str]:
    """Return descriptions of penetrating geom pairs, the deepest first."""
    deepest = sorted(depths.items(), key=lambda item: -item[1][0])
    return [
        f"{subject.label('geom', first)} and {subject.label('geom', second)}: {1000 * depth:.3g} mm deep in {name}"
        for (first, second), (depth, name) in deepest
    ]


def check_start_limits(subject: Subject) -> Iterator[Finding]:
    """Find joints and controls that start beyond their limits, in keyframes or else in the reference pose."""
    model = subject.model
    odd = []
    poses = subject.starts[1:] or subject.starts
    for name, key in poses:
        data = subject.begin(key)
        for j in subject.hinges:
            if model.jnt_limited[j]:
                value, unit = float(data.qpos[model.jnt_qposadr[j]]), _unit(subject, j)
                odd += _beyond(value, model.jnt_range[j], f"{subject.label('joint', j)}: {{}} {unit} in {name}")
        for u in range(model.nu):
            if key is not None and model.actuator_ctrllimited[u]:
                value = float(data.ctrl[u])
                odd += _beyond(
                    value, model.actuator_ctrlrange[u], f"{subject.label('actuator', u)}: control {{}} in {name}"
                )
    if odd:
        yield finding(
            "start-limits",
            "Positions or controls start outside their limits, which push back at once.",
            worst_first(odd),
            "Add a keyframe whose positions and controls are within their ranges, and start from it.",
            "where-it-starts",
        )


def _unit(subject: Subject, joint: int) -> str:
    """Return the unit of a joint's position."""
    return "rad" if subject.model.jnt_type[joint] == mjtJoint.mjJNT_HINGE else "m"


def _beyond(value: float, limits: np.ndarray, text: str) -> list[tuple[float, str]]:
    """Return a list with a value's excess beyond its limits and a text about it; an empty list within the limits."""
    low, high = (float(limit) for limit in limits)
    width = high - low
    excess = max(low - value, value - high)
    if excess <= BEYOND * width:
        return []
    return [(excess / max(width, 1e-9), text.format(f"{value:.4g} outside of {low:.4g} to {high:.4g}"))]
