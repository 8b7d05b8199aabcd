"""Pipelines: stages bound to the memory of a world, and what happens when one of them stops the pipeline."""

from __future__ import annotations

import time
from collections.abc import Callable

from conjoint.lang import FatalError
from conjoint.lang.driver import Run
from conjoint.lang.errors import DivergenceWarning, SimulationWarning
from conjoint.lang.warn import warn
from conjoint.physics import status
from conjoint.runtime.bvh_active import find_volumes
from conjoint.runtime.functions import advances, beginning, stages_of
from conjoint.runtime.nonzeros import find_nonzeros
from conjoint.runtime.plan import Plans
from conjoint.runtime.reset import reset_diverged
from conjoint.runtime.run import PlainRun, bound
from conjoint.runtime.stage import Stage
from conjoint.runtime.world import World, kinds_counted, kinds_of
from conjoint.schema.enums import mjtWarning

WARNING_TEXTS = {
    mjtWarning.mjWARN_INERTIA: (
        "the inertia matrix is too close to singular at dof {}: check the masses and armatures of the model"
    ),
    mjtWarning.mjWARN_CONTACTFULL: "more than {} contacts: the model's nconmax leaves out the rest; raise it",
    mjtWarning.mjWARN_CNSTRFULL: "more than {} constraint rows: the model's njmax leaves out the rest; raise it",
    mjtWarning.mjWARN_VGEOMFULL: "the scene is full: no room for more than {} visual geoms; raise its maxgeom",
    mjtWarning.mjWARN_BADQPOS: "NaN, infinite or huge value in qpos at coordinate {}: the simulation is unstable",
    mjtWarning.mjWARN_BADQVEL: "NaN, infinite or huge value in qvel at dof {}: the simulation is unstable",
    mjtWarning.mjWARN_BADQACC: "NaN, infinite or huge value in qacc at dof {}: the simulation is unstable",
    mjtWarning.mjWARN_BADCTRL: "NaN, infinite or huge value in ctrl at actuator {}: all controls were set to zero",
}
"""One sentence per kind of warning, with its last information."""


AT_ONCE = 16
"""Steps in one call of machine code, if nothing is known of the time that they take."""

LONGEST = 0.2
"""Seconds that one call of machine code should take at most: Python is asked for interrupts in between."""


def in_parts(count: int, go: Callable[[int], None], first: int = AT_ONCE) -> int:
    """Call `go` with numbers of steps that add up to `count`, each as large as time allows.

    Args:
        count: number of steps.
        go: takes steps.
        first: how many it begins with.

    Returns:
        how many steps fit into the time that one call may take.
    """
    most = first
    while count > 0:
        steps = min(most, count)
        start = time.perf_counter()
        go(steps)
        spent = time.perf_counter() - start
        # no more than four times as many: the first steps may be unlike the others
        most = max(1, min(4 * most, int(LONGEST * steps / max(spent, 1e-9))))
        count -= steps
    return most


class Pipeline:
    """A documented function, ready to run on one world.

    It is kept by its world, which it is given in every call: so that a world that nobody holds is gone at once.

    Args:
        name: the function (`mj_step`).
        world: the memory it works on.
        plans: those of the model it works with.
        callbacks: names of the callbacks at which it stops.

    Attributes:
        plan: what the stages are bound to; it is held, so that its memory stays while they run.
    """

    __slots__ = ("callbacks", "name", "plan", "plans", "run", "stages")

    def __init__(self, name: str, world: World, plans: Plans, callbacks: tuple[str, ...] = ()):
        self.name, self.plans, self.callbacks = name, plans, callbacks
        self.prepare(world)

    def prepare(self, world: World) -> None:
        """Choose the stages for the model as it is now, compile what is missing, bind them to memory.

        Raises:
            FatalError: the model asks for something that a stage lacks, or was changed to what cannot be simulated.
        """
        plan = self.plans.holding()
        self.stages, self.plan = stages_of(self.name, plan, self.callbacks), plan
        self.bind(world)

    def bind(self, world: World) -> None:
        """Bind the stages to memory as it lies now."""
        self.run: Run | PlainRun = bound(self.stages, self.plan, world)

    def go(
        self, world: World, nstep: int = 1, ask: Callable[[Stage], None] | None = None, at_once: bool = False
    ) -> None:
        """Run the function `nstep` times.

        Args:
            world: the memory that the stages are bound to.
            nstep: how often.
            ask: runs the callback of a stage; whatever it raises ends the call.
            at_once: whether all steps shall be one call of machine code, which nothing interrupts.

        Raises:
            FatalError: the model cannot be simulated, or the arena cannot grow.
        """
        if nstep > AT_ONCE and not at_once:
            self._go_in_parts(world, nstep, ask)
            return
        if self.run.__class__ is PlainRun:
            # the arena may have been replaced since
            self.bind(world)
        asked = False
        try:
            answer = self.advance(world, nstep) if world.shares else self.run.go(nstep)
            while answer:
                asked = answer == status.CALLBACK_ASKED
                self.attend(world, answer, ask)
                asked = False
                answer = self.advance(world, nstep)
        except BaseException as error:
            try:
                if isinstance(error, KeyboardInterrupt) and not asked:
                    self._end_step(world, ask)
            finally:
                # the next call starts anew
                self.run.position = (0, 0, 0)
            raise

    def _go_in_parts(self, world: World, nstep: int, ask: Callable[[Stage], None] | None) -> None:
        """Run the function `nstep` times in several calls of machine code."""
        in_parts(nstep, lambda steps: self.go(world, steps, ask, True))

    def _end_step(self, world: World, ask: Callable[[Stage], None] | None) -> None:
        """Bring the step that was interrupted to its end; one that has not begun stays so."""
        step, stage, _ = self.run.position
        if (step, stage) != (0, 0):
            while answer := self.advance(world, step + 1):
                self.attend(world, answer, ask)

    def advance(self, world: World, nstep: int) -> int:
        """Run the stages `nstep` times from where they stopped, with the threads of the world; what they answer."""
        run = self.run
        return world.go(run, nstep) if isinstance(run, Run) else run.go(nstep)

    def attend(self, world: World, answer: int, ask: Callable[[Stage], None] | None = None) -> None:
        """Do what the stage that stopped asks for, and let the pipeline go on."""
        step, stage, lane = self.run.position
        if answer in (status.CONTACTS_FULL, status.ROWS_FULL):
            self.enlarge(world, answer)
            stage = beginning(self.stages, stage)
        elif answer in (status.NEAR_FULL, status.FILL_FULL):
            self.enlarge(world, answer)
        elif answer == status.PLAN_STALE:
            self.renew(world)
        elif answer == status.DIVERGED:
            world.note_divergence()
            reset_diverged(world.data, world.data.view("was_reset"), self.plan)
            stage += 1
        elif answer == status.WARNED:
            elapsed = float(self.plan.view("opt.timestep")) if advances(self.stages) else 0.0
            report_warnings(world, elapsed)
        elif answer == status.CALLBACK_ASKED and ask is not None:
            ask(self.stages[stage])
            stage += 1
        elif answer == status.VOLUMES_ASKED:
            find_volumes(self.plan, world)
            stage += 1
        elif answer == status.NONZEROS_ASKED:
            find_nonzeros(self.plan, world)
            stage += 1
        elif answer == status.WAS_RESET:
            world.data.view("was_reset")[...] = 0
            pipeline(world, self.plans, "mj_forward", self.callbacks).go(world, 1, ask)
        else:
            raise FatalError(f"stage {self.stages[stage].name} answered {answer}")
        self.run.position = (step, stage, lane)

    def enlarge(self, world: World, answer: int) -> None:
        """Make room for the near pairs, contacts or rows that a stage asked for."""
        data = world.data
        if answer == status.NEAR_FULL:
            world.grow(nnear=int(1.5 * int(data.view("nnear_needed"))))
        elif answer == status.FILL_FULL:
            world.grow(nfill=int(1.5 * int(data.view("nfill_needed"))))
        elif answer == status.CONTACTS_FULL:
            world.grow(ncon=int(1.5 * int(data.view("ncon_needed"))) + 8)
        else:
            world.grow(nefc=int(1.5 * int(data.view("nefc_needed"))) + 16, nJ=2 * int(data.view("nJ_needed")))
        if isinstance(self.run, PlainRun):
            self.bind(world)

    def renew(self, world: World) -> None:
        """Follow a change of the model.

        Raises:
            FatalError: the model asks for something that a stage lacks; the next call looks again.
        """
        self.prepare(world)
        world.adopt(self.plan)
        if isinstance(self.run, PlainRun):
            # the arena may have been replaced
            self.bind(world)


def pipeline(world: World, plans: Plans, name: str, callbacks: tuple[str, ...] = ()) -> Pipeline:
    """The pipeline of function `name` on `world` with the model of `plans`, made on first use."""
    key = (name, id(plans), callbacks)
    found = world.pipelines.get(key)
    if found is None:
        found = world.pipelines[key] = Pipeline(name, world, plans, callbacks)
    world.latest[name] = found
    return found


BAD_VALUES = (
    mjtWarning.mjWARN_BADQPOS, mjtWarning.mjWARN_BADQVEL, mjtWarning.mjWARN_BADQACC, mjtWarning.mjWARN_BADCTRL
)  # fmt: skip


def category_of(kind: int) -> type[SimulationWarning]:
    """The class of Python's warnings of a kind (mjtWarning)."""
    return DivergenceWarning if kind in BAD_VALUES else SimulationWarning


warning_handler: Callable[[int, int, float], None] | None = None
"""Gets kind (mjtWarning), information and time (s) of a single world's warning; None: Python's warnings do."""


def report_warnings(world: World, elapsed: float = 0.0) -> None:
    """Report every kind of warning that was counted and not told since it was last zero.

    Args:
        world: where it was counted.
        elapsed: how far its time has been advanced since, s.
    """
    data = world.data
    numbers, infos, told = (data.view(name) for name in ("warning.number", "warning.lastinfo", "warning_reported"))
    counted = int(kinds_counted(numbers))
    fresh, told[...] = counted & ~int(told), counted
    for kind in kinds_of(fresh):
        time = world.diverged.pop(kind, float(data.view("time")) - elapsed)
        if warning_handler is not None:
            warning_handler(kind, int(infos[kind]), time)
        else:
            text = WARNING_TEXTS[mjtWarning(kind)].format(int(infos[kind]))
            warn(f"{text} (time = {time:g} s)", category_of(kind))
