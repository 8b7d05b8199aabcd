"""One block of worlds: as many as a vector register has lanes, side by side in memory ([element][component][lane])."""

from __future__ import annotations

import numpy as np

from conjoint.engine.plan import Plan
from conjoint.lang import PlainStruct
from conjoint.lang.layout import Buffer
from conjoint.schema.memory import allocate_arena

PER_CONTACT = 4
"""Constraint rows to make room for, for every contact that there is room for."""


class Block:
    """Memory of the worlds of a block.

    Attributes:
        plan: the model as kernels see it.
        data: fields of fixed size, a part of the batch's memory.
        arena: contacts and constraint rows; replaced when it grows.
        table: addresses of the rows of `data`, then of `arena`; stays in place.
    """

    def __init__(self, plan: Plan, data: Buffer, ncon: int, nefc: int, dual: bool):
        self.plan, self.data, self.dual = plan, data, dual
        self.table = np.zeros(len(data.table), np.int64)
        self._allocate(ncon, nefc)

    def _allocate(self, ncon: int, nefc: int) -> None:
        layout = self.data.layout
        npair = int(self.plan.view("npair_candidate"))
        dual = nefc if self.dual else 0
        real, lanes = layout.real.type, layout.lanes
        self.ncon, self.nefc = ncon, nefc
        self.arena = allocate_arena(self.plan.model, ncon, nefc, dual, npair=npair, real=real, lanes=lanes)
        table = np.concatenate([self.data.table, self.arena.table])
        if len(self.table) != len(table):
            self.table = table
        self.table[...] = table
        for name, capacity in (("ncon_capacity", ncon), ("nefc_capacity", nefc), ("nefc_dual", dual)):
            self.data.view(name)[...] = capacity

    @property
    def address(self) -> int:
        """What kernels receive as `d`."""
        return int(self.table.ctypes.data)

    def grow(self, ncon: int = 0, nefc: int = 0) -> None:
        """Replace the arena by one for at least so many contacts and rows in each world, keeping its contents."""
        old = self.arena
        self._allocate(max(ncon, self.ncon), max(nefc, self.nefc))
        for field in old.layout.fields:
            kept = old.view(field.name)
            self.arena.view(field.name)[tuple(slice(n) for n in kept.shape)] = kept

    def worlds(self) -> list[PlainStruct]:
        """The worlds as uncompiled kernels see them, one by one."""
        return [PlainStruct([self.data, self.arena], lane) for lane in range(self.data.layout.lanes)]
