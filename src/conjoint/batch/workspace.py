"""The workspace of a thread: memory of one block of worlds, as many as a vector register has lanes, side by side.

Worlds come from the batch's arrays into the lanes, step, and go back (`lang.transfer`); the workspace stays in the
thread's cache. Numbers lie as [element][component][lane].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from conjoint.batch.varied_models import BlockModel
from conjoint.lang import PlainStruct
from conjoint.lang.layout import Buffer, Layout
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import reset
from conjoint.runtime.world import TOLD, enlarged, no_room
from conjoint.schema.memory import allocate_arena, copy_buffer, data_layout

INITIAL_CONTACTS = 12
"""Contacts in each world that a new workspace makes room for; it grows on its own."""


class Workspace:
    """Memory of a block.

    Args:
        plan: the model as kernels see it.
        real: numpy.float64 or numpy.float32.
        lanes: worlds in the block.
        varied: rows of the model of which worlds have their own.

    Attributes:
        model: the model as the worlds of the block see it.
        data: fields of fixed size.
        arena: contacts and constraint rows; replaced when it grows.
        table: addresses of all fields of `d`; stays in place.
    """

    def __init__(self, plan: Plan, real: type, lanes: int, varied: Sequence[str] = ()):
        self.plan, self.model = plan, BlockModel(plan, varied, lanes)
        self.data = Buffer(data_layout(plan.model, real, lanes, nsolverstat=0))
        reset(self.data, plan)
        self.data.view("plan_version")[...] = plan.version
        nefc = 4 * INITIAL_CONTACTS + 16
        self._allocate({"ncon": INITIAL_CONTACTS, "nefc": nefc, **plan.capacities(nefc)})
        self.table = np.concatenate([self.data.table, self.arena.table])

    def _allocate(self, capacities: Mapping[str, int]) -> None:
        layout = self.data.layout
        self.arena = allocate_arena(self.plan.model, capacities, self.plan.room, layout.real.type, layout.lanes)
        for name in TOLD:
            self.data.view(name)[...] = self.arena.layout.sizes[name]

    def grow(self, **least: int) -> None:
        """Make room for at least so much in each world (see `schema.memory.GROWING`); contents are kept.

        Raises:
            FatalError: when there is no memory for it.
        """
        old = self.arena
        wanted = enlarged(self.plan, old.layout.sizes, least)
        try:
            self._allocate(wanted)
        except MemoryError as error:
            raise no_room(wanted) from error
        for field in old.layout.fields:
            kept = old.view(field.name)
            self.arena.view(field.name)[tuple(slice(n) for n in kept.shape)] = kept
        self.table[len(self.data.table) :] = self.arena.table

    @property
    def address(self) -> int:
        """What kernels receive as `d`."""
        return int(self.table.ctypes.data)

    def worlds(self) -> list[PlainStruct]:
        """The worlds as uncompiled kernels see them, one by one."""
        return [PlainStruct([self.data, self.arena], lane) for lane in range(self.data.layout.lanes)]

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
