"""A documented function, ready to run on all blocks of a batch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from conjoint.batch.block import Block
from conjoint.lang import FatalError
from conjoint.lang.compiled import jit_enabled
from conjoint.lang.driver import Run, drive_all
from conjoint.lang.errors import DivergenceWarning
from conjoint.lang.realisation import Realisation
from conjoint.physics import status
from conjoint.runtime.pipeline import WARNING_TEXTS, PlainRun, stage_table
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import is_reset, reset_diverged
from conjoint.runtime.stages import Stage
from conjoint.schema.enums import mjtWarning
from conjoint.schema.memory import copy_buffer


class BatchPipeline:
    """The same stages, for every block.

    Args:
        stages: in order.
        plan: the model.
        blocks: the worlds.
        block: realisation of a whole block.
        world: realisation of one world inside a block.
        forward: the pipeline that recomputes everything after a reset; None for that one itself.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        plan: Plan,
        blocks: Sequence[Block],
        block: Realisation,
        world: Realisation,
        forward: BatchPipeline | None = None,
    ):
        self.stages, self.plan, self.blocks, self.forward = stages, plan, blocks, forward
        self.warned: list[tuple[int, int]] = []
        self.runs: list[Run] | list[PlainRun]
        if jit_enabled():
            table = stage_table(stages, world, block)
            self.runs = [Run(table, plan.address, b.address) for b in blocks]
            self.addresses = np.array([run.address for run in self.runs], np.int64)
        else:
            m = plan.plain()
            self.runs = [PlainRun(stages, m, b.worlds()) for b in blocks]

    def go(
        self,
        nstep: int,
        pool: ThreadPoolExecutor | None,
        bounds: np.ndarray,
        before: Callable[[int], None],
        after: Callable[[int], None],
    ) -> None:
        """Run the stages `nstep` times on every block.

        Args:
            nstep: how often.
            pool: threads, None for the caller's own.
            bounds: first block of every part, and the number of blocks; a part has its own thread and workspace.
            before: called in the thread of a part, with its index, before its blocks run.
            after: called likewise when they have, also after an error.

        Raises:
            FatalError: a stage failed, or there is no memory for more contacts.
        """

        def run(k: int) -> None:
            before(k)
            try:
                self.part(nstep, int(bounds[k]), int(bounds[k + 1]))
            finally:
                after(k)

        if pool is None:
            for k in range(len(bounds) - 1):
                run(k)
        else:
            others = [pool.submit(run, k) for k in range(1, len(bounds) - 1)]
            try:
                # the caller's thread does its part
                run(0)
            finally:
                # let every thread finish before an error of one is raised
                wait(others)
            for part in others:
                part.result()
        self.report()

    def part(self, nstep: int, first: int, last: int) -> None:
        """Run the blocks from `first` to before `last`."""
        if not jit_enabled():
            for i in range(first, last):
                answer = self.runs[i].go(nstep)
                while answer:
                    self.attend(i, answer)
                    answer = self.runs[i].go(nstep)
            return
        for run in self.runs[first:last]:
            assert isinstance(run, Run)
            run.nstep = run.memory[4] = nstep
        index = np.array([first], np.int64)
        answer = drive_all(self.addresses, last, index)
        while answer:
            self.attend(int(index[0]), answer)
            answer = drive_all(self.addresses, last, index)

    def attend(self, i: int, answer: int) -> None:
        """Do what a stage of block i asks for, and let its pipeline go on."""
        run, block = self.runs[i], self.blocks[i]
        step, stage, lane = run.position
        if answer == status.CONTACTS_FULL:
            block.workspace.grow(ncon=int(1.5 * int(block.view("ncon_needed").max())) + 4)
            # the stage before filled the lists: run it again, in every world
            stage, lane = stage - 1, 0
        elif answer == status.ROWS_FULL:
            block.workspace.grow(nefc=int(1.5 * int(block.view("nefc_needed").max())) + 8)
            stage, lane = stage - 1, 0
        elif answer == status.DIVERGED:
            reset_diverged(block.data, block.view("was_reset"), self.plan)
            stage, lane = stage + 1, 0
        elif answer == status.WARNED:
            self.note_warnings(block)
        elif answer == status.WAS_RESET and self.forward is not None:
            self.forward_again(i, self.forward)
        else:
            raise FatalError(f"stage {self.stages[stage].name} answered {answer} in block {i}")
        if isinstance(run, PlainRun):
            run.worlds = block.worlds()
        run.position = (step, stage, lane)

    def forward_again(self, i: int, forward: BatchPipeline) -> None:
        """Run forward dynamics on the worlds of block i that were reset; the others stay as they are."""
        block = self.blocks[i]
        settled = block.view("was_reset") == 0
        before = [copy_buffer(buffer) for buffer in block.buffers]
        block.view("was_reset")[...] = 0
        forward.part(1, i, i + 1)
        for old, new in zip(before, block.buffers, strict=True):
            for field in [field for field in old.layout.fields if is_reset(field)]:
                kept = old.view(field.name)
                # the workspace may have grown
                new.view(field.name)[tuple(slice(n) for n in kept.shape)][..., settled] = kept[..., settled]

    def note_warnings(self, block: Block) -> None:
        """Remember what the worlds of a block warn of, for `report`."""
        numbers, infos = block.data.view("warning.number"), block.data.view("warning.lastinfo")
        total, reported = numbers.sum(axis=0), block.data.view("warning_reported")
        for lane in np.flatnonzero(total > reported):
            self.warned += [(int(kind), int(infos[kind, lane])) for kind in np.flatnonzero(numbers[:, lane])]
        reported[...] = total

    def report(self) -> None:
        """Issue one Python warning for every kind of warning that worlds counted during this call."""
        counts: dict[int, tuple[int, int]] = {}
        for kind, info in self.warned:
            counts[kind] = (counts.get(kind, (0, info))[0] + 1, info)
        self.warned.clear()
        for kind, (worlds, info) in counts.items():
            noun = "world" if worlds == 1 else "worlds"
            text = WARNING_TEXTS[mjtWarning(kind)].format(info)
            warnings.warn(f"{text} (in {worlds} {noun} of the batch)", DivergenceWarning, stacklevel=5)
