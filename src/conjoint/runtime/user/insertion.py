"""Insertion of user kernels, user functions and plugins into the stages of a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from conjoint.lang import Kernel
from conjoint.lang.language.name import Name, Work, value_of
from conjoint.physics.collision.collider_table import COLLIDER_NUMBERS, NARROWPHASE, collision, contacts_name, sdf
from conjoint.physics.passive_flags import PASSIVE
from conjoint.physics.plugins import OURS, PLUGINS
from conjoint.runtime.stage import Stage
from conjoint.runtime.user.installed import COLLISION_FUNCTION, FILTER, Replaced
from conjoint.runtime.user.plugins import PluginStage
from conjoint.schema.enums import mjtStage

KERNELS = Name("conjoint.runtime.user.kernels")
"""Module with the functions that create stages from user kernels."""


CALLBACKS = ("mjcb_control", "mjcb_passive", "mjcb_sensor", FILTER, "mjcb_act", COLLISION_FUNCTION)
"""Names of the stages that call a Python function of the user, if one is installed."""

SENSORS = {
    mjtStage.mjSTAGE_POS: "mj_sensorPos", mjtStage.mjSTAGE_VEL: "mj_sensorVel", mjtStage.mjSTAGE_ACC: "mj_sensorAcc",
}  # fmt: skip
"""Name of the function that reads the sensors of a stage (mjtStage), by stage."""


def with_programs(
    stages: Sequence[Stage], replaced: Replaced, callbacks: Sequence[str], plugins: Sequence[int], found: Set[str]
) -> tuple[Stage, ...]:
    """Return the stages of the engine with the additions and replacements of user programs.

    Args:
        stages: stages that a model needs, including those for callbacks and plugins.
        replaced: the user kernels.
        callbacks: names of the installed Python callbacks.
        plugins: slots of the plugins that the model uses.
        found: features of the model that stages may need.
    """
    mine, shapes = dict(replaced.callbacks), _colliders_of_shapes(plugins)
    chosen: list[Stage] = []
    for stage in stages:
        if stage.name == COLLISION_FUNCTION:
            colliders = _colliders(replaced).items()
            chosen += [Stage("mj_collision", kernel, (need,)) for need, kernel in colliders if need in found]
        if isinstance(stage, PluginStage):
            chosen += [one for slot in plugins for one in stage.of(slot)]
        elif own := _callback(stage, mine):
            chosen.append(own)
        elif stage.name not in CALLBACKS or stage.name in callbacks:
            chosen.append(replace(stage, work=shapes[stage.work]) if stage.work in shapes else stage)
    theirs = dict(replaced.stages)
    return tuple(_replaced(stage, theirs) for stage in chosen) if theirs else tuple(chosen)


def _colliders(replaced: Replaced) -> dict[str, Kernel]:
    """Return the narrow phase kernels that run user-defined collider kernels, by the name of the contacts they find."""
    mine = {number: one for number, one in replaced.functions().items() if isinstance(one, Kernel)}
    return {contacts_name(n): value_of(collision.finding).narrowphase_of(n, one) for n, one in mine.items()}


def _colliders_of_shapes(plugins: Sequence[int]) -> dict[Work, Kernel]:
    """Return the colliders for shapes of user plugins that a model uses, by the kernels that they replace.

    The result is empty if the model uses only shapes of the engine's own plugins.
    """
    shapes = {slot: PLUGINS[slot] for slot in plugins if PLUGINS[slot].sdf_distance is not None}
    if shapes.keys() <= set(range(len(OURS))):
        return {}
    found: dict[Work, Kernel] = {}
    narrowphase_of, collider_of = value_of(collision.finding).narrowphase_of, value_of(sdf).collider_of
    for collider, with_mesh in ((sdf.sdf_contacts, False), (sdf.sdf_mesh_contacts, True)):
        number = COLLIDER_NUMBERS[collider]
        found[NARROWPHASE[contacts_name(number)]] = narrowphase_of(number, collider_of(shapes, with_mesh))
    return found


def _callback(stage: Stage, mine: Mapping[str, Kernel]) -> Stage | None:
    """Return a stage that runs the user's kernel for a callback; None if the stage calls no such callback."""
    if not mine:
        return None
    function, make = mine.get(stage.name), value_of(KERNELS)
    if stage.name == "mjcb_act":
        parts = [mine.get(f"mjcb_act_{part}") for part in ("dyn", "gain", "bias")]
        return Stage("mj_fwdActuation", make.actuator_drive(*parts), stage.needs) if any(parts) else None
    if function is None:
        return None
    if stage.name == "mjcb_control":
        # the first half of a step taken in two halves calls it even if actuators are disabled
        flag = 0 if stage.stage == mjtStage.mjSTAGE_NONE else make.ACTUATION
        return Stage("mj_fwdActuation", make.guarded(function, flag), stage.needs)
    if stage.name == "mjcb_passive":
        return Stage("mj_passive", make.guarded(function, PASSIVE), stage.needs)
    if stage.name == "mjcb_sensor":
        return Stage(SENSORS[mjtStage(stage.stage)], make.sensor_reader(function, int(stage.stage)), stage.needs)
    return Stage("mj_collision", make.pair_filter(function), stage.needs)


def _replaced(stage: Stage, theirs: Mapping[str, Kernel]) -> Stage:
    """Return a stage with its kernel replaced by the user kernel of the same name, if there is one."""
    engine = stage.kernel
    if engine.__name__ not in theirs:
        return stage
    return replace(stage, work=theirs[engine.__name__], engine=stage.work, only_for=())
