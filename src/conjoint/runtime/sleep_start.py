"""Initial sleep of trees: the reference configuration of models that contain trees with `sleep="init"`."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang.language.name import Name
from conjoint.lang.warn import warn
from conjoint.runtime.entry import entry
from conjoint.runtime.pipeline import pipeline
from conjoint.runtime.plan import Plan, Plans
from conjoint.runtime.sleep import sleep_states
from conjoint.runtime.world import World
from conjoint.schema.enums_newer import mjtSleepPolicy

_begin_asleep = entry(Name("conjoint.physics").sleep.fall.begin_asleep)


def start_asleep(world: World, plans: Plans) -> None:
    """Put to sleep the trees that are marked as initially asleep; warn if some of them cannot sleep.

    Args:
        world: a world in the reference configuration.
        plans: plans of its model.
    """
    if not plans.current.begins_asleep:
        return
    pipeline(world, plans, "mj_forward").go(world)
    _begin_asleep(world.plan, world)
    requested = world.model.view("tree_sleep_policy") == mjtSleepPolicy.mjSLEEP_INIT
    awake = np.flatnonzero(requested & (sleep_states(world) < 0))
    if len(awake):
        body = int(np.argmax(world.model.view("body_treeid") == awake[0]))
        count = int(requested.sum())
        warn(
            f"{count} trees were marked as sleep='init' but only {count - len(awake)} could sleep. Body {body} is "
            "the root of the first that could not: it is connected with a tree that is awake, or forces act on it"
        )


def resting_start(plan: Plan) -> dict[str, Any]:
    """Return the initial values, by field name, for batch worlds whose model has trees that are initially asleep."""
    if not plan.begins_asleep:
        return {}
    plans = Plans(plan.structure)
    world = World(plans.current)
    start_asleep(world, plans)
    return {name: world.data.view(name).copy() for name in ("tree_rest", "rest_qpos")}
