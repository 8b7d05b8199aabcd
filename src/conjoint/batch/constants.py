"""Constants of worlds whose models differ: found anew, in lanes, where what they follow from has changed."""

from __future__ import annotations

from conjoint.batch.block_work import BlockWork, in_blocks
from conjoint.batch.pipeline import BlockPipeline
from conjoint.batch.varied_models import BlockModel, Varied
from conjoint.lang.calls.transfer import INTO, OUT_OF, FieldTransfer
from conjoint.once import derived
from conjoint.runtime.reset import reset


class Constants:
    """mj_setConst for the worlds of a batch.

    Args:
        varied: numbers of the model of which worlds have their own.
        work: what runs stages on them.
    """

    def __init__(self, varied: Varied, work: BlockWork):
        self.varied, self.work = varied, work

    def follow(self) -> None:
        """Find the constants of the worlds in which something has changed that they follow from."""
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
            # inputs that no batch array has are as they begin again, and what is alike in all worlds as it was
            reset(space.data, space.plan)
            self.varied.fill(space.model.own)

    @derived
    def _parts(self) -> list[BlockPipeline]:
        """The stages for every workspace."""
        # what stages write and worlds share is thrown away
        spare = [name for name in self.varied.computed if name not in self.varied.arrays]
        width = self.work.width
        return self.work.pipelines(self.varied.stages, lambda space: BlockModel(space.model, spare, width))

    def _transfers(self, part: BlockPipeline) -> list[FieldTransfer]:
        """Rows of the model come in, constants go out; the worlds are where they begin."""
        varied, data, own = self.varied, part.workspace.data, part.workspace.model.own
        ways = dict.fromkeys(varied.computed, INTO | OUT_OF)
        rows = part.uses(varied.arrays)
        found = [FieldTransfer(varied.arrays[name], own.view(name), ways.get(name, INTO)) for name in rows]
        reset(data, part.workspace.plan)
        found += [FieldTransfer(value, data.view(name), INTO) for name, value in varied.initial_values()]
        return [field for field in found if field.array.size]
