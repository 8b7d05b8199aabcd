"""The workspace of a thread: memory of one block of worlds, as many as a vector register has lanes, side by side.

Worlds come from the batch's arrays into the lanes, step, and go back (`lang.calls.transfer`); the workspace stays in
the thread's cache. Numbers lie as [element][component][lane].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conjoint.batch.varied_models import BlockModel
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.runtime.block_memory import BlockMemory
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import reset
from conjoint.schema.memory import copy_buffer, data_layout

INITIAL_CONTACTS = 12
"""Contacts in each world that a new workspace makes room for; it grows on its own."""


class Workspace(BlockMemory):
    """Memory of a block.

    Args:
        plan: the model as kernels see it.
        real: numpy.float64 or numpy.float32.
        lanes: worlds in the block.
        varied: rows of the model of which worlds have their own.

    Attributes:
        model: the model as the worlds of the block see it.
    """

    def __init__(self, plan: Plan, real: type, lanes: int, varied: Sequence[str] = ()):
        self.model = BlockModel(plan, varied, lanes)
        data = Buffer(data_layout(plan.model, real, lanes, nsolverstat=0))
        reset(data, plan)
        super().__init__(plan, data, INITIAL_CONTACTS, 4 * INITIAL_CONTACTS + 16)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.data.layout.nbytes + self.arena.layout.nbytes + self.model.nbytes


def in_precision(model: Buffer, dtype: np.dtype) -> Buffer:
    """A copy of the model with its reals in `dtype`."""
    if model.layout.real == dtype:
        return copy_buffer(model)
    copied = Buffer(Layout(model.layout.fields, model.layout.sizes, dtype.type))
    for field in model.layout.fields:
        copied.view(field.name)[...] = model.view(field.name)
    return copied
