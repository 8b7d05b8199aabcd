"""Timers at the start and end of the parts of the pipeline, for `mjcb_time` (Programming chapter, Diagnostics)."""

from __future__ import annotations

from collections.abc import Sequence

from conjoint.physics import status
from conjoint.runtime.position_stages import BOUNDING
from conjoint.runtime.stage import Stage
from conjoint.schema.enums import mjtTimer

Path = tuple[mjtTimer, ...]
"""Timers that run at the same time, the outermost one first."""


def path_of(timers: str) -> Path:
    """Return the timers whose names, without their common prefix, are listed in `timers`."""
    return tuple(mjtTimer[f"mjTIMER_{name}"] for name in timers.split())


BROAD = path_of("POSITION POS_COLLISION COL_BROAD")
INVERSE, STEP, FORWARD = map(path_of, ("INVERSE", "STEP", "FORWARD"))
PARTS: dict[str, Path] = {
    stage: path_of(timers)
    for timers, stages in {
        "POSITION POS_KINEMATICS": "mj_kinematics mj_comPos mj_camlight mj_flex mj_tendon",
        "POSITION POS_INERTIA": "mj_makeM mj_factorM",
        "POSITION POS_COLLISION COL_NARROW": "mj_collision mjcb_contactfilter",
        "POSITION POS_MAKE": "mj_makeConstraint mj_island",
        "POSITION": "mj_transmission",
        "VELOCITY": "mj_fwdVelocity mj_comVel mj_passive mjcb_passive mj_referenceConstraint mj_rne",
        "ACTUATION": "mj_fwdActuation mjcb_act",
        "CONSTRAINT": "mj_fwdConstraint mj_invConstraint",
        "ADVANCE": "mj_Euler mj_implicit",
    }.items()
    for stage in stages.split()
}
"""Timers that run during a stage, by stage name."""

BACKWARD = ("mj_inverse", "mj_invConstraint", "mj_compareFwdInv")
"""Stages of a step that belong to inverse dynamics."""

NOT_FORWARD = (
    *BACKWARD, "check", "mj_checkPos", "mj_resetData", "mj_checkAcc", "mj_Euler", "mj_implicit", "mj_RungeKutta",
    "warnings",
)  # fmt: skip
"""Stages of a step that do not belong to forward dynamics."""


def timed(function: str, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """Return the stages of a documented function, with added stages that start and stop timers."""
    found: list[Stage] = []
    running: Path = ()
    for stage in stages:
        path = _path(function, stage)
        same = 0
        while same < min(len(path), len(running)) and path[same] == running[same]:
            same += 1
        found += [_turn(timer, begins=False) for timer in reversed(running[same:])]
        found += [_turn(timer, begins=True) for timer in path[same:]]
        found.append(stage)
        running = path
    return (*found, *(_turn(timer, begins=False) for timer in reversed(running)))


def _turn(timer: mjtTimer, begins: bool) -> Stage:
    """Return a stage that starts a timer if `begins`, and stops it otherwise."""
    return Stage("mjcb_time", status.timer_begins if begins else status.timer_ends, stage=timer)


def _path(function: str, stage: Stage) -> Path:
    """Return the timers that run during a stage of a documented function."""
    path = BROAD if stage.work in BOUNDING else PARTS.get(stage.name, ())
    if stage.name in BACKWARD or function.startswith("mj_inverse"):
        path = INVERSE + path
    elif function.startswith(("mj_step", "mj_forward")) and stage.name not in NOT_FORWARD:
        whole = function not in ("mj_step1", "mj_step2")
        path = (FORWARD if whole else ()) + path
    return (STEP if function.startswith("mj_step") else ()) + path
