"""Where everything of the worlds of a batch is that can be seen, for their state as it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conjoint.batch.arrays import READABLE, Arrays
from conjoint.batch.pipeline import BlockPipeline, Share
from conjoint.batch.thread_pool import Crew
from conjoint.batch.varied_models import Varied
from conjoint.batch.workspace import Workspace
from conjoint.lang.compiled import jit_enabled
from conjoint.lang.realisation import lanes, world_view
from conjoint.lang.transfer import INTO, OUT_OF, FieldTransfer
from conjoint.runtime.functions import SIGHT, stages_of
from conjoint.schema.ray_picture import POSES


class Poses:
    """Kinematics for the worlds of a batch, which leaves these as they are.

    Args:
        arrays: state and inputs of the worlds.
        varied: numbers of the model of which worlds have their own.
        spaces: memory of a block, for each thread.
        precision: of reals.
        crew: the threads.
    """

    def __init__(self, arrays: Arrays, varied: Varied, spaces: Sequence[Workspace], precision: str, crew: Crew):
        self.arrays, self.varied, self.spaces, self.crew = arrays, varied, spaces, crew
        width, plan = spaces[0].data.layout.lanes, spaces[0].plan
        stages = stages_of(SIGHT, plan)
        block, world = lanes(precision, width), world_view(precision, width)
        self._parts = [BlockPipeline(stages, space, block, world, None) for space in spaces]
        self._found = {name: arrays._new(READABLE[name]) for name, size in POSES.items() if plan.sizes[size]}
        self._worlds = np.full((-(-arrays.nworld // width), width), arrays.nworld - 1, np.int64)
        self._worlds.reshape(-1)[: arrays.nworld] = np.arange(arrays.nworld)

    def find(self) -> np.ndarray:
        """Poses of all worlds: a row for each, with the numbers of those of `POSES` that it has, one after another."""
        due = np.zeros(1, np.int64)
        shares = [self._share(part, due) for part in self._parts]
        for share in shares:
            share.transfer.begin(1)
        # uncompiled, threads would wait for each other: the first share takes all blocks
        self.crew.run(shares if jit_enabled() else shares[:1])
        nworld = self.arrays.nworld
        rows = [np.zeros((nworld, 0)), *(array.reshape(nworld, -1) for array in self._found.values())]
        return np.concatenate(rows, axis=1, dtype=np.float64)

    def _share(self, part: BlockPipeline, due: np.ndarray) -> Share:
        space = part.workspace
        ways = [(name, array, INTO) for name, array in self.arrays.lasting.items()]
        ways += [(name, array, OUT_OF) for name, array in self._found.items()]
        fields = [FieldTransfer(array, space.data.view(name), way) for name, array, way in ways if array.size]
        fields += self.varied.transfers(part.uses(self.varied.all), space.model.own)
        return part.share(fields, self._worlds, due)
