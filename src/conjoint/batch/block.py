"""One block of worlds, as many as a vector register has lanes, side by side in memory ([element][component][lane]).

What lasts from step to step, and what users read, belongs to the block. What only serves the computation belongs to a
workspace that the blocks of a thread share one after another: it stays in the cache.
"""

from __future__ import annotations

import math

import numpy as np

from conjoint.lang import PlainStruct
from conjoint.lang.layout import Buffer, Layout, Lifetime, Role, aligned_bytes
from conjoint.runtime.plan import Plan
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import allocate_arena, data_layout

KEPT_ROWS = tuple(f for f in DATA_ROWS if f.role is not Role.STRUCTURE and f.lifetime is not Lifetime.STAGE)
"""Fields that every block keeps."""

SHARED_ROWS = tuple(f for f in DATA_ROWS if f not in KEPT_ROWS)
"""Fields of fixed size in the workspace."""


class Blocks:
    """What the blocks of a batch keep: `bytes` of shape (blocks, bytes of a block)."""

    def __init__(self, layout: Layout, count: int):
        self.layout = layout
        self.bytes = aligned_bytes(layout.nbytes * count).reshape(count, -1)

    def view(self, name: str) -> np.ndarray:
        """A field of all blocks, shape (blocks, ..., lanes), sharing memory."""
        shape, dtype, start = self.layout.place(name)
        end = start + math.prod(shape) * dtype.itemsize
        # no copy: the last axis stays contiguous
        return self.bytes[:, start:end].view(dtype).reshape(len(self.bytes), *shape)


class Workspace:
    """Memory that blocks use in turn: scratch rows, contacts and constraint rows.

    Args:
        plan: the model as kernels see it.
        real: numpy.float64 or numpy.float32.
        lanes: worlds in a block.
        ncon: contacts in each world to make room for.
        nefc: constraint rows in each world to make room for.
        dual: whether the solver needs the projected matrix.
    """

    def __init__(self, plan: Plan, real: type, lanes: int, ncon: int, nefc: int, dual: bool):
        self.plan, self.dual = plan, dual
        self.rows = Buffer(data_layout(plan.model, real, lanes, nsolverstat=0, rows=SHARED_ROWS))
        self.blocks: list[Block] = []
        self._allocate(ncon, nefc)

    def _allocate(self, ncon: int, nefc: int) -> None:
        layout = self.rows.layout
        npair = int(self.plan.view("npair_candidate"))
        self.ncon, self.nefc, self.nefc_dual = ncon, nefc, nefc if self.dual else 0
        self.arena = allocate_arena(
            self.plan.model, ncon, nefc, self.nefc_dual, npair=npair, real=layout.real.type, lanes=layout.lanes
        )
        capacities = {"ncon_capacity": ncon, "nefc_capacity": nefc, "nefc_dual": self.nefc_dual}
        for name, capacity in capacities.items():
            self.rows.view(name)[...] = capacity

    def grow(self, ncon: int = 0, nefc: int = 0) -> None:
        """Make room for at least so many contacts and constraint rows in each world, keeping the contents."""
        old = self.arena
        self._allocate(max(ncon, self.ncon), max(nefc, self.nefc))
        for field in old.layout.fields:
            kept = old.view(field.name)
            self.arena.view(field.name)[tuple(slice(n) for n in kept.shape)] = kept
        for block in self.blocks:
            block.bind()


class Block:
    """The worlds of a block.

    Attributes:
        data: the fields that it keeps, a part of the batch's memory.
        workspace: where it computes.
        table: addresses of all fields of `d`, in the order of the schema; stays in place.
    """

    def __init__(self, data: Buffer, workspace: Workspace):
        self.data, self.workspace = data, workspace
        self.table = np.zeros(len(DATA_ROWS) + len(workspace.arena.table), np.int64)
        workspace.blocks.append(self)
        self.bind()

    def bind(self) -> None:
        """Point to the memory of the workspace as it is now."""
        own, shared = self.data, self.workspace.rows
        for i, field in enumerate(DATA_ROWS):
            buffer = own if field.name in own.layout.index else shared
            self.table[i] = buffer.table[buffer.layout.index[field.name]]
        self.table[len(DATA_ROWS) :] = self.workspace.arena.table

    @property
    def address(self) -> int:
        """What kernels receive as `d`."""
        return int(self.table.ctypes.data)

    @property
    def buffers(self) -> tuple[Buffer, Buffer, Buffer]:
        """Memory of all fields."""
        return self.data, self.workspace.rows, self.workspace.arena

    def view(self, name: str) -> np.ndarray:
        """A field of fixed size of the worlds, whoever keeps it."""
        return (self.data if name in self.data.layout.index else self.workspace.rows).view(name)

    def worlds(self) -> list[PlainStruct]:
        """The worlds as uncompiled kernels see them, one by one."""
        return [PlainStruct(self.buffers, lane) for lane in range(self.data.layout.lanes)]


def kept_layout(plan: Plan, real: type, lanes: int) -> Layout:
    """Layout of what a block keeps."""
    return data_layout(plan.model, real, lanes, nsolverstat=0, rows=KEPT_ROWS)
