"""Ranges of actuator lengths, found by simulation (Modeling chapter, "Length range"; XML Reference, lengthrange).

A force through its transmission drives the actuator to its shortest, then to its longest; the velocities are scaled
down at every step, so that the model settles where joint limits, tendon limits or its geometry stop it. What the caller
has disabled in the options plays no part: gravity, contacts, passive and actuator forces should be.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import exp, inf

import numpy as np

from conjoint.engine.pipeline import walk
from conjoint.engine.plan import Plan
from conjoint.engine.world import World
from conjoint.lang.errors import DivergenceWarning, FatalError
from conjoint.schema.constants import mjMINVAL

SHORTEST_TIMECONST = 0.01
"""Velocities do not decay faster than with this time constant, s."""

MOST_STEPS = 200_000
"""Steps of a simulation in one direction."""


@dataclass(frozen=True)
class Search:
    """How to look for a range.

    Attributes:
        accel: norm of the acceleration that the force would cause without constraints, in joint space.
        maxforce: largest norm of the force; 0: any.
        timeconst: time constant of the decay of velocities, s.
        inttotal: duration of the simulation in each direction, s.
        interval: time at its end in which lengths count, s.
        tolrange: largest change of the length in that time, relative to the range.
    """

    accel: float
    maxforce: float
    timeconst: float
    inttotal: float
    interval: float
    tolrange: float


def length_range(world: World, plan: Plan, actuator: int, search: Search) -> tuple[float, float]:
    """Shortest and longest length of an actuator; `world` is reset, and left in some state (mj_setLengthRange).

    Raises:
        FatalError: the simulation is unstable, or does not settle, or the model cannot be simulated.
    """
    steps = search.inttotal / timestep if (timestep := float(plan.view("opt.timestep"))) > 0 else inf
    if not steps <= MOST_STEPS:
        raise FatalError(f"inttotal {search.inttotal:g} over timestep {timestep:g} is more than {MOST_STEPS} steps")
    with warnings.catch_warnings():
        # what diverges is an error
        warnings.simplefilter("ignore", DivergenceWarning)
        pulled, pushed = (_settle(world, plan, actuator, sign, search) for sign in (-1.0, 1.0))
    low, high = pulled[0], pushed[1]
    if high <= low:
        raise FatalError(f"the length range that simulation finds is empty: ({low:g}, {high:g})")
    for least, greatest in (pulled, pushed):
        if greatest - least > search.tolrange * (high - low):
            raise FatalError(
                f"the simulation that looks for the length range does not settle: after {search.inttotal:g} s the "
                f"length still moves between {least:g} and {greatest:g}, and the range so far is ({low:g}, {high:g})"
            )
    return low, high


def _settle(world: World, plan: Plan, actuator: int, sign: float, search: Search) -> tuple[float, float]:
    """Least and greatest length at the end of a simulation in which a force of this sign acts along the actuator."""
    world.reset()
    first, second, solve = (walk(world, plan, name) for name in ("mj_step1", "mj_step2", "mj_solveM"))
    view = world.data.view
    time, qvel, applied, operand = view("time"), view("qvel"), view("qfrc_applied"), view("advance_acc")
    start, count = (int(plan.view(f"moment_{name}")[actuator]) for name in ("rowadr", "rownnz"))
    dofs = plan.view("moment_colind")[start : start + count]
    moment, length = view("actuator_moment")[start : start + count], view("actuator_length")[actuator : actuator + 1]
    decay = exp(-float(plan.view("opt.timestep")) / max(SHORTEST_TIMECONST, search.timeconst))
    least, greatest = inf, -inf
    before = 0.0
    while before < search.inttotal:
        qvel *= decay
        first.go()
        # the force whose acceleration has the norm that was asked for
        operand[...] = 0.0
        operand[dofs] = moment
        solve.go()
        force = moment * (sign * search.accel / max(mjMINVAL, _norm(operand)))
        size = _norm(force)
        if 0 < search.maxforce < size:
            force *= search.maxforce / size
        applied[dofs] = force
        second.go()
        if time <= before:
            # it diverged, and was reset
            raise FatalError("the simulation that looks for the length range is unstable")
        before = float(time)
        if before > search.inttotal - search.interval:
            least, greatest = min(least, float(length[0])), max(greatest, float(length[0]))
    return (least, greatest) if least <= greatest else (0.0, 0.0)


def _norm(x: np.ndarray) -> float:
    return float(np.sqrt(x @ x))
