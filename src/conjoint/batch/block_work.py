"""Execution of work on the worlds of a batch, whose blocks are processed in the workspaces of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from conjoint.batch.pipeline import BlockPipeline, Share, Workspace
from conjoint.batch.varied_models import BlockModel, Varied
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.calls.transfer import INTO, LINE, OUT_OF, FieldTransfer
from conjoint.lang.memory.realisation import lanes, world_view
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.once import derived
from conjoint.runtime.reset import reset
from conjoint.runtime.stage import Stage

Way = tuple[str, np.ndarray, int, np.ndarray | None]
"""Parameters of a field transfer: name, array, directions (in, out), and an array for a copy of the input."""


def in_blocks(worlds: np.ndarray, width: int) -> np.ndarray:
    """Arrange world ids in blocks of `width`, one block per row; padding repeats the last world."""
    blocks = np.full((-(-len(worlds) // width), width), worlds[-1], np.int64)
    blocks.reshape(-1)[: len(worlds)] = worlds
    return blocks


class BlockWork:
    """Workspaces of a batch, one for each thread, and the pool of threads.

    Args:
        spaces: memory of a block, for each thread.
        precision: "float64" or "float32".
        varied: model fields that vary between worlds.

    Attributes:
        width: number of worlds in a block.
        due: index of the next block in the range of each thread.
        pool: the threads, shared by all computations on these worlds.
    """

    def __init__(self, spaces: Sequence[Workspace], precision: str, varied: Varied):
        self.spaces, self.varied = spaces, varied
        self.width = spaces[0].data.layout.lanes
        self.due = np.zeros((len(spaces), LINE), np.int64)
        self.pool = ThreadPool("conjoint batch")
        self._compiled = jit_enabled()
        self._realisations = lanes(precision, self.width), world_view(precision, self.width)

    def pipelines(
        self,
        stages: Sequence[Stage],
        model: Callable[[Workspace], BlockModel] = lambda space: space.model,
        forward: Callable[[int], Callable[[], BlockPipeline] | None] = lambda i: None,
    ) -> list[BlockPipeline]:
        """Return pipelines of the given stages, one for each workspace.

        Args:
            stages: the stages, in order.
            model: function that returns the model that the stages read, given a workspace.
            forward: function that returns, for workspace i, the pipeline that recomputes everything after a reset; or
                None.
        """
        return [
            BlockPipeline(stages, space, *self._realisations, forward(i), model(space))
            for i, space in enumerate(self.spaces)
        ]

    def shares(self, parts: Iterable[BlockPipeline], ways: Iterable[Way], blocks: np.ndarray) -> list[Share]:
        """Return each thread's share of the work: its pipeline, the blocks to step, and the fields to transfer."""
        ways = [way for way in ways if way[1].size]
        shares = []
        for own, part in enumerate(parts):
            space = part.workspace
            fields = [FieldTransfer(array, space.data.view(name), way, copy) for name, array, way, copy in ways]
            fields += self.varied.transfers(part.uses(self.varied.all), space.model.own)
            shares.append(part.share(fields, blocks, self.due, own))
        return shares

    def go(self, shares: Sequence[Share], nstep: int = 1) -> None:
        """Run stages `nstep` times on all worlds, each share in its own thread."""
        self.due.fill(0)
        for share in shares:
            share.transfer.begin(nstep)
        # without compilation, threads would wait for each other, so the first share processes all blocks
        self.pool.run(shares if self._compiled else shares[:1])

    def close(self) -> None:
        """Stop the threads; further work starts them again."""
        self.pool.close()


class Constants:
    """Derived constants of the worlds of a batch (mj_setConst).

    Args:
        varied: model fields that vary between worlds.
        work: runner of stages on the worlds.
    """

    def __init__(self, varied: Varied, work: BlockWork):
        self.varied, self.work = varied, work

    def follow(self) -> None:
        """Recompute the constants of the worlds whose inputs have changed."""
        if not self.varied.all:
            return
        changed = self.varied.changed()
        if not len(changed):
            return
        worlds = in_blocks(changed, self.work.width)
        self.work.go([part.share(self._transfers(part), worlds, self.work.due[:1]) for part in self._parts])
        for name in self.varied.all:
            self.varied.note(name)
        for space in self.work.spaces:
            # restore inputs without an array to their initial values, and restore rows that are equal in all worlds
            reset(space.data, space.plan)
            self.varied.fill(space.model.own)

    @derived
    def _parts(self) -> list[BlockPipeline]:
        """Pipelines of the stages, one for each workspace."""
        # discard outputs that are the same in all worlds
        spare = [name for name in self.varied.computed if name not in self.varied.arrays]
        width = self.work.width
        return self.work.pipelines(self.varied.stages, lambda space: BlockModel(space.model, spare, width))

    def _transfers(self, part: BlockPipeline) -> list[FieldTransfer]:
        """Return the field transfers for a run that starts from the initial state.

        Model rows are copied to the workspace, and constants that the stages compute are copied back.
        """
        varied, data, own = self.varied, part.workspace.data, part.workspace.model.own
        ways = dict.fromkeys(varied.computed, INTO | OUT_OF)
        rows = part.uses(varied.arrays)
        found = [FieldTransfer(varied.arrays[name], own.view(name), ways.get(name, INTO)) for name in rows]
        reset(data, part.workspace.plan)
        found += [FieldTransfer(value, data.view(name), INTO) for name, value in varied.initial_values()]
        return [field for field in found if field.array.size]
