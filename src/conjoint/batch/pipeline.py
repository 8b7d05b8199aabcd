"""Pipelines of documented functions on all worlds of a batch, and the workspaces of threads in which they run.

A workspace has the memory of one block of worlds, one for each lane of a vector register. Worlds are copied from the
batch's arrays into the lanes, stepped, and copied back (`lang.calls.transfer`). The workspace stays in the thread's
cache. The memory layout is [element][component][lane].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from conjoint.batch.varied_models import BlockModel
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.calls.driver import Run
from conjoint.lang.calls.transfer import FieldTransfer, PlainTransfer, WorldTransfer
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.lang.memory.realisation import Realisation
from conjoint.lang.routines.driver_code import RUNS_OFTEN
from conjoint.lang.warn import warn
from conjoint.once import renew_in_child
from conjoint.physics import status
from conjoint.runtime.block_memory import BlockMemory
from conjoint.runtime.functions import advances
from conjoint.runtime.pipeline import attended
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import initial_sources, is_reset, reset
from conjoint.runtime.run import PlainRun, stage_table
from conjoint.runtime.stage import Stage
from conjoint.runtime.warning_report import category_of, fresh_warnings, text_of
from conjoint.schema.memory import copy_buffer, data_layout

if TYPE_CHECKING:
    from conjoint.runtime.profile import Profile

Warnings = set[tuple[int, int, int, float]]
"""Set of warnings, each with the id of the world, warning type, additional information, and time (s)."""


INITIAL_CONTACTS = 12
"""Number of contacts per world for which a new workspace has capacity; it grows on demand."""


class Workspace(BlockMemory):
    """Memory of a block of worlds.

    Args:
        plan: the model in the form that kernels use.
        real: numpy.float64 or numpy.float32.
        lanes: number of worlds in the block.
        varied: names of model fields that vary between worlds.

    Attributes:
        model: the model, including the values that vary between the worlds of the block.
    """

    def __init__(self, plan: Plan, real: type, lanes: int, varied: Sequence[str] = ()):
        self.model = BlockModel(plan, varied, lanes)
        data = Buffer(data_layout(plan.model, real, lanes, nsolverstat=0))
        reset(data, plan)
        super().__init__(plan, data, INITIAL_CONTACTS, 4 * INITIAL_CONTACTS + 16)

    @property
    def nbytes(self) -> int:
        """Number of bytes of memory."""
        return self.data.layout.nbytes + self.arena.layout.nbytes + self.model.nbytes


def in_precision(model: Buffer, dtype: np.dtype) -> Buffer:
    """Return a copy of the model whose floating-point fields have the type `dtype`."""
    if model.layout.real == dtype:
        return copy_buffer(model)
    copied = Buffer(Layout(model.layout.fields, model.layout.sizes, dtype.type))
    for field in model.layout.fields:
        copied.view(field.name)[...] = model.view(field.name)
    return copied


MOST_NAMED = 8
"""Maximum number of worlds in the text of a warning; its attribute `worlds` contains all of them."""


class BlockPipeline:
    """A documented function that runs in the workspace of one thread.

    Args:
        stages: the stages, in order.
        workspace: memory of a block.
        block: compiled variant for a whole block.
        world: compiled variant for one world inside a block.
        forward: function that returns the pipeline that recomputes everything after a reset; None if this pipeline
            does so.
        model: model that the stages read; by default the model of the workspace.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        workspace: Workspace,
        block: Realisation,
        world: Realisation,
        forward: Callable[[], BlockPipeline] | None,
        model: BlockModel | None = None,
    ):
        self.stages, self.workspace, self.forward = stages, workspace, forward
        self._block, self._world = block, world
        self.warned: Warnings = set()
        self.run: Run | PlainRun
        self.model = model or workspace.model
        if jit_enabled():
            self.run = Run(stage_table(stages, world, block, self.model.rows), self.model.address, workspace.address)
        else:
            self.run = PlainRun(stages, self.model.worlds, workspace.worlds)
        renew_in_child(self)

    def renew(self) -> None:
        """Restart at the first stage, because a forked child process does not have the parent's threads."""
        self.run.position = (0, 0, 0)

    def uses(self, names: Iterable[str]) -> list[str]:
        """Return those model rows among `names` that the stages or a reset may use."""
        names = list(names)
        if not names:
            return names
        words = frozenset().union(*(stage.kernel.attributes for stage in self.stages))
        begun = {source for _, source, _ in initial_sources(self.workspace.plan)}
        return [name for name in names if name in begun or words.issuperset(name.split("."))]

    def profile(self, transfers: Sequence[WorldTransfer]) -> Profile:
        """Return a context manager that times the run's stages and its field transfers."""
        # import it here, because most programs do not need it
        from conjoint.runtime.profile import Profile

        return Profile(self.run, self.stages, self._world, self._block, self.model.rows, transfers)

    def share(self, fields: Sequence[FieldTransfer], worlds: np.ndarray, due: np.ndarray, own: int = 0) -> Share:
        """Return the part of the work on `worlds` that thread `own` does. Blocks of worlds have shape (nblock, lanes).

        The thread processes its own blocks first; see `WorldTransfer`.
        """
        kind: Any = PlainTransfer if isinstance(self.run, PlainRun) else WorldTransfer
        return Share(self, kind(self.run, fields, worlds, due, own))

    def attend(self, answer: int, worlds: np.ndarray) -> None:
        """Handle the request of a stage, so that the run of the block of `worlds` can continue."""
        run, space = self.run, self.workspace
        position = run.position
        if answer == status.WARNED:
            times = self.model.view("opt.timestep").reshape(-1) if advances(self.stages) else 0.0
            fresh = fresh_warnings(space, times)
            self.warned |= {(int(worlds[lane]), kind, info, time) for lane, kind, info, time in fresh}
        elif answer == RUNS_OFTEN and isinstance(run, Run):
            run.optimize()
        elif answer == status.WAS_RESET and self.forward is not None:
            self.forward_again(self.forward(), worlds)
        elif (found := attended(space, self.stages, answer, position, space.model.own)) is not None:
            position = found
        else:
            name = self.stages[position[1]].name
            raise FatalError(f"stage {name} answered {answer} in a block of worlds {worlds}")
        run.position = position

    def forward_again(self, forward: BlockPipeline, worlds: np.ndarray) -> None:
        """Run forward dynamics on the worlds of a block that were reset; other worlds do not change."""
        space = self.workspace
        settled = space.data.view("was_reset").reshape(-1) == 0
        before = [copy_buffer(buffer) for buffer in (space.data, space.arena)]
        space.data.view("was_reset")[...] = 0
        answer = forward.run.go(1)
        while answer:
            forward.attend(answer, worlds)
            answer = forward.run.go(1)
        self.warned |= forward.warned
        forward.warned.clear()
        for old, new in zip(before, (space.data, space.arena), strict=True):
            for field in [field for field in old.layout.fields if is_reset(field)]:
                kept = old.view(field.name)
                # the workspace may have grown
                grown = new.view(field.name)[tuple(slice(n) for n in kept.shape)]
                if field.lanes(new.layout.lanes) > 1:
                    grown[..., settled] = kept[..., settled]
                elif settled[0]:
                    grown[...] = kept


class Share:
    """Work of one thread in a call: the worlds that it steps with a pipeline."""

    def __init__(self, pipeline: BlockPipeline, transfer: WorldTransfer | PlainTransfer):
        self.pipeline, self.transfer = pipeline, transfer

    def attend(self, answer: int) -> None:
        """Handle the request of the stage that stopped the transfer.

        Raises:
            FatalError: a stage failed, or there is no memory for more contacts.
        """
        try:
            self.pipeline.attend(answer, self.transfer.worlds[self.transfer.block])
        except BaseException:
            # the next call starts at the first stage
            self.pipeline.run.position = (0, 0, 0)
            raise


def report(pipelines: Sequence[BlockPipeline]) -> None:
    """Issue one Python warning for each warning type that any world has counted since the last report."""
    warned: Warnings = set()
    for pipeline in pipelines:
        warned |= pipeline.warned
        pipeline.warned.clear()
    report_of(warned)


def report_of(warned: Warnings) -> None:
    """Issue one Python warning for each warning type in `warned`."""
    for kind in sorted({kind for _, kind, _, _ in warned}):
        found = sorted((time, world, info) for world, k, info, time in warned if k == kind)
        worlds = tuple(sorted({world for _, world, _ in found}))
        first = "" if len(worlds) == 1 else "first at "
        when = f"{first}time = {found[0][0]:g} s, {in_words(worlds)} of the batch"
        warning = category_of(kind)(text_of(kind, found[0][2], when))
        warning.worlds = worlds
        warn(warning)


def in_words(worlds: Sequence[int]) -> str:
    """Return a text that lists worlds, such as "in world 3" or "in worlds 3, 5 and 8".

    For many worlds, the text contains the first worlds and the count.
    """
    named = [str(world) for world in worlds[:MOST_NAMED]]
    if len(worlds) == 1:
        return f"in world {named[0]}"
    if len(worlds) > MOST_NAMED:
        return f"in {len(worlds)} worlds ({', '.join(named)}, ...)"
    return f"in worlds {', '.join(named[:-1])} and {named[-1]}"
