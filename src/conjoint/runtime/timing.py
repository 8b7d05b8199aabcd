"""Timers: where the parts of the pipeline begin and end, for `mjcb_time` (Programming chapter, Diagnostics)."""

from __future__ import annotations

from collections.abc import Sequence

from conjoint.physics import status
from conjoint.physics.collision.broadphase import broadphase
from conjoint.physics.collision.sweep import sweep
from conjoint.physics.collision.sweep_misses import drop_missed_pairs
from conjoint.physics.collision.visited_boxes import note_visits_due
from conjoint.runtime.stage import Stage
from conjoint.schema.enums import mjtTimer

Path = tuple[mjtTimer, ...]
"""Timers that run at the same time, the outermost first."""

POSITION = mjtTimer.mjTIMER_POSITION
KINEMATICS = (POSITION, mjtTimer.mjTIMER_POS_KINEMATICS)
INERTIA = (POSITION, mjtTimer.mjTIMER_POS_INERTIA)
BROAD = (POSITION, mjtTimer.mjTIMER_POS_COLLISION, mjtTimer.mjTIMER_COL_BROAD)
NARROW = (POSITION, mjtTimer.mjTIMER_POS_COLLISION, mjtTimer.mjTIMER_COL_NARROW)
VELOCITY = (mjtTimer.mjTIMER_VELOCITY,)
ACTUATION = (mjtTimer.mjTIMER_ACTUATION,)
ADVANCE = (mjtTimer.mjTIMER_ADVANCE,)
INVERSE = (mjtTimer.mjTIMER_INVERSE,)
CONSTRAINT = (mjtTimer.mjTIMER_CONSTRAINT,)
STEP = (mjtTimer.mjTIMER_STEP,)
FORWARD = (mjtTimer.mjTIMER_FORWARD,)

PARTS: dict[str, Path] = {
    "mj_kinematics": KINEMATICS, "mj_comPos": KINEMATICS, "mj_camlight": KINEMATICS, "mj_flex": KINEMATICS,
    "mj_tendon": KINEMATICS, "mj_makeM": INERTIA, "mj_factorM": INERTIA, "mj_collision": NARROW,
    "mjcb_contactfilter": NARROW, "mj_makeConstraint": (POSITION, mjtTimer.mjTIMER_POS_MAKE),
    "mj_island": (POSITION, mjtTimer.mjTIMER_POS_MAKE),
    "mj_transmission": (POSITION,), "mj_fwdVelocity": VELOCITY, "mj_comVel": VELOCITY, "mj_passive": VELOCITY,
    "mjcb_passive": VELOCITY, "mj_referenceConstraint": VELOCITY, "mj_rne": VELOCITY, "mj_fwdActuation": ACTUATION,
    "mjcb_act": ACTUATION, "mj_fwdConstraint": CONSTRAINT, "mj_invConstraint": CONSTRAINT, "mj_Euler": ADVANCE,
    "mj_implicit": ADVANCE,
}  # fmt: skip
"""Timers of a stage, by its name."""

BOUNDING = (note_visits_due, broadphase, sweep, drop_missed_pairs)
"""Kernels of the broad phase."""

BACKWARD = ("mj_inverse", "mj_invConstraint", "mj_compareFwdInv")
"""Stages of a step that are inverse dynamics."""

NOT_FORWARD = (
    *BACKWARD, "check", "mj_checkPos", "mj_resetData", "mj_checkAcc", "mj_Euler", "mj_implicit", "mj_RungeKutta",
    "warnings",
)  # fmt: skip
"""Stages of a step that are no forward dynamics."""


def timed(function: str, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages of a documented function, with stages where timers begin and end."""
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
    """Where a timer begins or ends."""
    return Stage("mjcb_time", status.timer_begins if begins else status.timer_ends, stage=timer)


def _path(function: str, stage: Stage) -> Path:
    """The timers that run during a stage of a documented function."""
    path = BROAD if stage.kernel in BOUNDING else PARTS.get(stage.name, ())
    if stage.name in BACKWARD or function.startswith("mj_inverse"):
        path = INVERSE + path
    elif function.startswith(("mj_step", "mj_forward")) and stage.name not in NOT_FORWARD:
        whole = function not in ("mj_step1", "mj_step2")
        path = (FORWARD if whole else ()) + path
    return (STEP if function.startswith("mj_step") else ()) + path
