"""Constants of worlds whose models differ: found anew, in lanes, where what they follow from has changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conjoint.batch.pipeline import BlockPipeline
from conjoint.batch.thread_pool import Crew
from conjoint.batch.varied_models import BlockModel, Varied
from conjoint.batch.workspace import Workspace
from conjoint.lang.compiled import jit_enabled
from conjoint.lang.realisation import lanes, world_view
from conjoint.lang.transfer import INTO, OUT_OF, FieldTransfer
from conjoint.runtime.reset import reset


class Constants:
    """mj_setConst for the worlds of a batch.

    Args:
        varied: numbers of the model of which worlds have their own.
        spaces: memory of a block, for each thread.
        precision: of reals.
        crew: the threads.
    """

    def __init__(self, varied: Varied, spaces: Sequence[Workspace], precision: str, crew: Crew):
        self.varied, self.spaces, self.precision, self.crew = varied, spaces, precision, crew
        self._parts: list[BlockPipeline] = []

    def follow(self) -> None:
        """Find the constants of the worlds in which something has changed that they follow from."""
        if not self.varied.all:
            return
        changed = self.varied.changed()
        if not len(changed):
            return
        width = self.spaces[0].data.layout.lanes
        # places behind the last world repeat it
        worlds = np.full((-(-len(changed) // width), width), changed[-1], np.int64)
        worlds.reshape(-1)[: len(changed)] = changed
        due = np.zeros(1, np.int64)
        shares = []
        for part in self._pipelines():
            shares.append(part.share(self._transfers(part), worlds, due))
            shares[-1].transfer.begin(1)
        # uncompiled, threads would wait for each other: the first share takes all blocks
        self.crew.run(shares if jit_enabled() else shares[:1])
        for name in self.varied.all:
            self.varied.note(name)
        for space in self.spaces:
            # inputs that no batch array has are as they begin again, and what is alike in all worlds as it was
            reset(space.data, space.plan)
            self.varied.fill(space.model.own)

    def _pipelines(self) -> list[BlockPipeline]:
        """The stages for every workspace."""
        if not self._parts:
            width = self.spaces[0].data.layout.lanes
            block, world = lanes(self.precision, width), world_view(self.precision, width)
            for space in self.spaces:
                # what stages write and worlds share is thrown away
                spare = [name for name in self.varied.computed if name not in self.varied.arrays]
                model = BlockModel(space.model, spare, width)
                self._parts.append(BlockPipeline(self.varied.stages, space, block, world, None, model))
        return self._parts

    def _transfers(self, part: BlockPipeline) -> list[FieldTransfer]:
        """Rows of the model come in, constants go out; the worlds are where they begin."""
        varied, data, own = self.varied, part.workspace.data, part.workspace.model.own
        rows = part.uses(varied.arrays)
        computed = set(varied.computed)
        found = [
            FieldTransfer(varied.arrays[name], own.view(name), INTO | (OUT_OF if name in computed else 0))
            for name in rows
        ]
        reset(data, part.workspace.plan)
        found += [FieldTransfer(value, data.view(name), INTO) for name, value in varied.initial_values()]
        return [field for field in found if field.array.size]
