"""Ranges of actuator lengths, found by simulation (Modeling chapter, "Length range"; XML Reference, lengthrange).

A force through its transmission drives the actuator to its shortest, then to its longest length. Velocities are scaled
down at every step, so that the model comes to rest where joint limits, tendon limits or its geometry stop it. The
caller should disable gravity, contacts, passive and actuator forces in the options.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from math import exp, inf
from typing import Any

from conjoint.lang.errors import FatalError, SimulationWarning
from conjoint.runtime.pipeline import pipeline
from conjoint.runtime.plan import Plans
from conjoint.runtime.world import World
from conjoint.schema.enums import mjtWarning

SHORTEST_TIMECONST = 0.01
"""Minimum time constant (s) of the decay of velocities."""

RESETTING = (mjtWarning.mjWARN_BADQPOS, mjtWarning.mjWARN_BADQVEL, mjtWarning.mjWARN_BADQACC)
"""Warning types after which the state is reset."""

MOST_STEPS = 50_000
"""Maximum number of steps of a simulation in one direction."""


def length_range(world: World, plans: Plans, actuator: int, search: Any) -> tuple[float, float]:
    """Return the minimum and maximum length of an actuator (mj_setLengthRange); `world` ends in an arbitrary state.

    Args:
        world: memory for the simulation.
        plans: the model.
        actuator: the actuator.
        search: settings of the search, with the attributes of `schema.option.LENGTH_RANGE_FIELDS`.

    Raises:
        FatalError: the simulation is unstable, or does not settle, or the model cannot be simulated.
    """
    steps = search.inttotal / timestep if (timestep := float(plans.current.view("opt.timestep"))) > 0 else inf
    if not steps <= MOST_STEPS:
        raise FatalError(f"inttotal {search.inttotal:g} over timestep {timestep:g} is more than {MOST_STEPS} steps")
    with warnings.catch_warnings():
        # a simulation that diverges is an error
        warnings.simplefilter("ignore", SimulationWarning)
        pulled, pushed = (_settle(world, plans, actuator, sign, search) for sign in (-1.0, 1.0))
    low, high = pulled[0], pushed[1]
    if high <= low:
        raise FatalError(f"the length range found by simulation is empty: ({low:g}, {high:g})")
    for least, greatest in (pulled, pushed):
        if greatest - least > search.tolrange * (high - low):
            raise FatalError(
                f"the simulation that looks for the length range does not settle: after {search.inttotal:g} s the "
                f"length still moves between {least:g} and {greatest:g}, and the range so far is ({low:g}, {high:g})"
            )
    return low, high


def _settle(world: World, plans: Plans, actuator: int, sign: float, search: Any) -> tuple[float, float]:
    """Simulate with a force of the given sign along the actuator; return the range of its lengths near the end."""
    world.reset()
    view, timestep = world.data.view, float(plans.current.view("opt.timestep"))
    drive = {
        "actuator": actuator, "accel": sign * search.accel, "maxforce": search.maxforce,
        "decay": exp(-timestep / max(SHORTEST_TIMECONST, search.timeconst)),
        "watched": search.inttotal - search.interval, "least": inf, "greatest": -inf,
    }  # fmt: skip
    for name, value in drive.items():
        view("drive." + name)[...] = value
    pipeline(world, plans, "mj_setLengthRange").go(world, _steps(search.inttotal, timestep))
    if view("warning.number")[list(RESETTING)].any():
        raise FatalError("the simulation that looks for the length range is unstable")
    least, greatest = float(view("drive.least")), float(view("drive.greatest"))
    return (least, greatest) if least <= greatest else (0.0, 0.0)


@lru_cache
def _steps(duration: float, timestep: float) -> int:
    """Return the number of steps until the sum of their times is at least `duration`."""
    count, time = 0, 0.0
    while time < duration:
        count, time = count + 1, time + timestep
    return count
