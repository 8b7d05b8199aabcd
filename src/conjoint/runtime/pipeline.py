"""Pipelines: stages bound to the memory of a world, and the handling of stages that stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from conjoint.lang import FatalError
from conjoint.lang.calls.driver import Run
from conjoint.lang.memory.layout import Buffer
from conjoint.lang.routines.driver_code import RUNS_OFTEN
from conjoint.lang.threads.caller import fitting, heed
from conjoint.once import renew_in_child
from conjoint.physics import status
from conjoint.runtime.block_memory import BlockMemory
from conjoint.runtime.functions import NUMBERS, advances, after_falling, after_waking, beginning, stages_of
from conjoint.runtime.on_demand import FINDERS
from conjoint.runtime.plan import Plans
from conjoint.runtime.reset import poison, reset_diverged, with_poison
from conjoint.runtime.run import PlainRun, bound
from conjoint.runtime.stage import Stage
from conjoint.runtime.warning_report import note_divergence, report_warnings
from conjoint.runtime.world import World

AT_ONCE = 16
"""Number of steps in one call of machine code, if their duration is unknown."""


def in_parts(count: int, go: Callable[[int], None], first: int = AT_ONCE) -> int:
    """Call `go` repeatedly until `count` steps have run, with as many steps per call as the time limit allows.

    Args:
        count: number of steps.
        go: function that runs a given number of steps.
        first: number of steps of the first call.

    Returns:
        The number of steps that fit into the time limit of one call.
    """
    most = first
    while count > 0:
        heed()
        steps = min(most, count)
        start = time.perf_counter()
        go(steps)
        most = fitting(steps, time.perf_counter() - start)
        count -= steps
    return most


Position = tuple[int, int, int]
"""Position at which a run stopped: step, stage, lane."""

FULL = (status.NEAR_FULL, status.FILL_FULL, status.DUAL_FULL, status.CONTACTS_FULL, status.ROWS_FULL)
"""Statuses of stages whose memory was too small."""

AGAIN = (status.CONTACTS_FULL, status.ROWS_FULL)
"""Statuses after which the stages that fill an overflowed list must run again."""


def attended(
    memory: BlockMemory, stages: Sequence[Stage], answer: int, position: Position, own: Buffer | None = None
) -> Position | None:
    """Handle the request of a stopped stage, if it is a request that all pipelines handle in the same way.

    Return the position at which to resume, or None for other requests.

    Args:
        memory: memory of the stages.
        stages: stages of the pipeline.
        answer: status of the stage that stopped (`physics.status`).
        position: position at which it stopped.
        own: model rows that differ between worlds.

    Raises:
        FatalError: there is not enough memory for more contacts.
    """
    step, stage, _ = position
    if answer in FULL:
        memory.enlarge(answer)
        # lists that overflowed are filled again in every world
        return (step, beginning(stages, stage), 0) if answer in AGAIN else position
    if answer == status.WOKEN:
        return step, after_waking(stages), 0
    if answer == status.SLEPT:
        return step, after_falling(stages, stage), 0
    if answer == status.POISON_REQUESTED:
        poison(memory)
        return step, stage + 1, 0
    if answer == status.DIVERGED:
        note_divergence(memory)
        reset_diverged(memory.data, memory.data.view("was_reset"), memory.plan, own)
        return step, stage + 1, 0
    return None


class Pipeline:
    """A documented function, ready to run on one world.

    The world owns the pipeline, which stores no reference to it, so that an unreferenced world is freed at once.
    Every call passes the world.

    Args:
        name: the function (`mj_step`).
        world: the memory on which it runs.
        plans: plans of its model.
        callbacks: names of the callbacks at which it stops.

    Attributes:
        plan: plan to which the stages are bound; the reference keeps its memory alive.
    """

    __slots__ = ("__weakref__", "callbacks", "name", "plan", "plans", "run", "stages")

    def __init__(self, name: str, world: World, plans: Plans, callbacks: tuple[str, ...] = ()):
        self.name, self.plans, self.callbacks = name, plans, callbacks
        self.prepare(world)
        renew_in_child(self)

    def prepare(self, world: World) -> None:
        """Select the stages for the current model, compile missing ones, and bind them to memory.

        Raises:
            FatalError: the model needs a feature that a stage lacks, or a change has made it impossible to simulate.
        """
        plan = self.plans.holding()
        world.calls.remove(NUMBERS[self.name])
        self.stages, self.plan = with_poison(self.name, stages_of(self.name, plan, self.callbacks)), plan
        self.run: Run | PlainRun = bound(self.stages, plan, world)

    def go(
        self,
        world: World,
        nstep: int = 1,
        ask: Callable[[Stage], None] | None = None,
        at_once: bool = False,
        answer: int = 0,
    ) -> None:
        """Run the function `nstep` times.

        Args:
            world: the memory that the stages are bound to.
            nstep: number of runs.
            ask: function that runs the callback of a stage; an exception from it ends the call.
            at_once: True to run all steps in one call of machine code, which cannot be interrupted.
            answer: status of the stage at which the run has stopped; 0 if the run is at its beginning.

        Raises:
            FatalError: the model cannot be simulated, or the arena cannot grow.
        """
        if nstep > AT_ONCE and not at_once:
            self._go_in_parts(world, nstep, ask)
            return
        requested = False
        try:
            while answer := answer or self.advance(world, nstep):
                requested = answer == status.CALLBACK_REQUESTED
                self.attend(world, answer, ask)
                requested, answer = False, 0
        except BaseException as error:
            try:
                if isinstance(error, KeyboardInterrupt) and not requested:
                    self._end_step(world, ask)
            finally:
                # the next call starts at the first stage
                self.run.position = (0, 0, 0)
            raise

    def _go_in_parts(self, world: World, nstep: int, ask: Callable[[Stage], None] | None) -> None:
        """Run the function `nstep` times in several calls of machine code."""
        in_parts(nstep, lambda steps: self.go(world, steps, ask, True))

    def _end_step(self, world: World, ask: Callable[[Stage], None] | None) -> None:
        """Finish an interrupted step, but do not start a new one."""
        step, stage, _ = self.run.position
        if (step, stage) != (0, 0):
            while answer := self.advance(world, step + 1):
                self.attend(world, answer, ask)

    def advance(self, world: World, nstep: int) -> int:
        """Run the stages, from where they stopped, until `nstep` runs are complete; use all threads of the world.

        Returns:
            The status of the stage that stopped the run, or 0.
        """
        run = self.run
        return world.go(run, nstep) if isinstance(run, Run) else run.go(nstep)

    def attend(self, world: World, answer: int, ask: Callable[[Stage], None] | None = None) -> None:
        """Handle the request of the stage that stopped, so that the pipeline can resume."""
        position = step, stage, lane = self.run.position
        behind = step, stage + 1, lane
        if answer == status.CALLBACK_REQUESTED and ask is not None:
            ask(self.stages[stage])
            position = behind
        elif answer == RUNS_OFTEN and isinstance(self.run, Run):
            self.run.optimize()
        elif answer == status.PLAN_STALE:
            self.follow(world)
        elif answer == status.WARNED:
            elapsed = float(self.plan.view("opt.timestep")) if advances(self.stages) else 0.0
            report_warnings(world, elapsed)
        elif answer in FINDERS:
            FINDERS[answer](self.plan, world)
            position = behind
        elif answer == status.WAS_RESET:
            world.data.view("was_reset")[...] = 0
            pipeline(world, self.plans, "mj_forward", self.callbacks).go(world, 1, ask)
        elif (found := attended(world, self.stages, answer, position)) is not None:
            position = found
        else:
            raise FatalError(f"stage {self.stages[stage].name} answered {answer}")
        self.run.position = position

    def renew(self) -> None:
        """Restart at the first stage, because no thread of a forked child process continues the parent's work."""
        self.run.position = (0, 0, 0)

    def follow(self, world: World) -> None:
        """Update the pipeline after the model has changed.

        Raises:
            FatalError: the model needs a feature that a stage lacks. The next call checks again.
        """
        self.prepare(world)
        world.adopt(self.plan)


def pipeline(world: World, plans: Plans, name: str, callbacks: tuple[str, ...] = ()) -> Pipeline:
    """Return the pipeline of function `name` on `world` with the model of `plans`; it is created on first use."""
    key = (name, id(plans), callbacks)
    found = world.pipelines.get(key)
    if found is None:
        found = world.pipelines[key] = Pipeline(name, world, plans, callbacks)
    world.calls.remove(NUMBERS[name])
    world.latest[name] = found
    return found
