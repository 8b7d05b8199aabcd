"""Where everything of the worlds of a batch is that can be seen, for their state as it is."""

from __future__ import annotations

import numpy as np

from conjoint.batch.arrays import READABLE, Arrays
from conjoint.batch.block_work import BlockWork, Way, in_blocks
from conjoint.lang.calls.transfer import INTO, OUT_OF
from conjoint.runtime.functions import SIGHT, stages_of
from conjoint.schema.ray_picture import POSES


class Poses:
    """Kinematics for the worlds of a batch, which leaves these as they are.

    Args:
        arrays: state and inputs of the worlds.
        work: what runs stages on them.
    """

    def __init__(self, arrays: Arrays, work: BlockWork):
        self.arrays, self.work = arrays, work
        plan = work.spaces[0].plan
        self._parts = work.pipelines(stages_of(SIGHT, plan))
        self._found = {name: arrays.new(READABLE[name]) for name, size in POSES.items() if plan.sizes[size]}
        self._blocks = in_blocks(np.arange(arrays.nworld), work.width)

    def find(self) -> np.ndarray:
        """Poses of all worlds: a row for each, with the numbers of those of `POSES` that it has, one after another."""
        ways: list[Way] = [(name, array, INTO, None) for name, array in self.arrays.lasting.items()]
        ways += [(name, array, OUT_OF, None) for name, array in self._found.items()]
        self.work.go(self.work.shares(self._parts, ways, self._blocks))
        nworld = self.arrays.nworld
        rows = [np.zeros((nworld, 0)), *(array.reshape(nworld, -1) for array in self._found.values())]
        return np.concatenate(rows, axis=1, dtype=np.float64)
