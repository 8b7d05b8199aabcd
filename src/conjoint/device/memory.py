"""Memory of worlds on a device: groups of worlds side by side, and the model that they share.

A group lies as a block of a batch does, but every world has its own of what a block has once, since threads find their
own near pairs. What is where in a group is the same in all groups: one table of offsets serves all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conjoint.lang.memory.layout import ALIGNMENT, BEHIND, Buffer, Field, Layout
from conjoint.once import made_once
from conjoint.runtime.block_memory import TOLD, BlockMemory
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import reset
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import allocate_arena, data_layout

SIDE_BY_SIDE = 64
"""Worlds of a group: neighboring threads read neighboring numbers, in two warps or one wavefront."""

FIRST_CONTACTS = 24
"""Contacts in each world that memory has room for at first; it grows on its own."""


@made_once
def _own_rows(name: str) -> tuple[Field, ...]:
    rows = {"data": DATA_ROWS, "arena": ARENA_ROWS}[name]
    return tuple(replace(row, uniform=False) for row in rows)


class GroupMemory(BlockMemory):
    """Memory of a group on the host: what a new group holds, and a place where one from the device is looked at.

    Args:
        plan: the model as kernels see it.
        real: numpy.float64 or numpy.float32.
    """

    def __init__(self, plan: Plan, real: type):
        layout = data_layout(plan.model, real, SIDE_BY_SIDE, nsolverstat=0)
        data = Buffer(Layout(_own_rows("data"), layout.sizes, real, SIDE_BY_SIDE))
        reset(data, plan)
        super().__init__(plan, data, FIRST_CONTACTS, 4 * FIRST_CONTACTS + 16)

    def _new_arena(self, capacities: Mapping[str, int]) -> Buffer:
        real = self.data.layout.real.type
        sizes = allocate_arena(self.plan.model, capacities, self.plan.room, real, SIDE_BY_SIDE).layout.sizes
        return Buffer(Layout(_own_rows("arena"), sizes, real, SIDE_BY_SIDE))

    @property
    def parts(self) -> list[Buffer]:
        """Buffers of a group, in order."""
        return [self.data, self.arena]

    @property
    def nbytes(self) -> int:
        """Bytes of a group."""
        return sum(aligned(len(part.bytes)) for part in self.parts)

    def bytes(self) -> np.ndarray:
        """Return the bytes of the group, shape (nbytes,)."""
        found = np.zeros(self.nbytes, np.uint8)
        for start, part in zip(starts(self.parts), self.parts, strict=True):
            found[start : start + len(part.bytes)] = part.bytes
        return found

    def take(self, found: np.ndarray) -> None:
        """Take over the bytes of a group."""
        for start, part in zip(starts(self.parts), self.parts, strict=True):
            part.bytes[...] = found[start : start + len(part.bytes)]

    def place(self, name: str) -> tuple[int, int, tuple[int, ...], np.dtype]:
        """Return first byte, bytes, shape (lanes last) and type of a field in a group."""
        for start, part in zip(starts(self.parts), self.parts, strict=True):
            if name in part.layout.index:
                shape, dtype, first = part.layout.place(name)
                return start + first, int(np.prod(shape)) * dtype.itemsize, shape, dtype
        raise KeyError(name)


def aligned(nbytes: int) -> int:
    """Return the bytes that a part takes, so that the next begins aligned."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def starts(parts: Sequence[Buffer]) -> list[int]:
    """Return where parts begin that lie one after the other."""
    ends = np.cumsum([aligned(len(part.bytes)) for part in parts]).tolist()
    return [0, *ends[:-1]]


def offsets(parts: Sequence[Buffer], first: int = 0) -> np.ndarray:
    """Return the offsets of all fields of parts that lie one after the other, in order."""
    each = [first + start + part.layout.starts[:-1] for start, part in zip(starts(parts), parts, strict=True)]
    return np.concatenate(each).astype(np.int64)


class DeviceWorldsMemory:
    """Words, groups of worlds and the model in the memory of a device.

    Args:
        device: where it lies.
        group: memory of one group, as all are at first.
        nworld: number of worlds.

    Attributes:
        ngroup: number of groups.
        model, worlds, words: memory of the device.
    """

    def __init__(self, device: Any, group: GroupMemory, nworld: int):
        self.device, self.group, self.nworld = device, group, nworld
        self.ngroup = -(-nworld // SIDE_BY_SIDE)
        self.words = device.memory(12 * nworld)
        self._put_model()
        self._make_worlds()

    def _put_model(self) -> None:
        """Put the model and the table of offsets where kernels find both."""
        buffers, parts = self.group.plan.buffers, self.group.parts
        rows = sum(len(buffer.table) for buffer in (*buffers, *parts))
        first = aligned(8 * rows)
        found = np.zeros(first + sum(aligned(len(b.bytes)) for b in buffers) + BEHIND, np.uint8)
        found[: 8 * rows] = np.concatenate([offsets(buffers, first), offsets(parts)]).view(np.uint8)
        for start, part in zip(starts(buffers), buffers, strict=True):
            found[first + start : first + start + len(part.bytes)] = part.bytes
        self.model = self.device.memory(len(found))
        self.device.write(self.model, found[np.newaxis])

    def _make_worlds(self) -> None:
        """Make all groups as the first one."""
        self.nbytes = self.group.nbytes
        self.worlds = self.device.memory(self.ngroup * self.nbytes + BEHIND)
        one = self.group.bytes()[np.newaxis]
        for k in range(self.ngroup):
            self.device.write(self.worlds, one, k * self.nbytes)

    def grow(self, enlarge: Callable[[], None]) -> None:
        """Follow an arena that `enlarge` lets grow: everything stays that later stages may read."""
        old, before, places = self.worlds, self.nbytes, self.places()
        enlarge()
        self._put_model()
        self._make_worlds()
        for name, (first, nbytes, shape) in places.items():
            start, size, now = self.places()[name]
            if shape[1:] == now[1:]:
                moves = [(first, start, min(nbytes, size))]
            else:
                a, b = nbytes // shape[0], size // now[0]
                moves = [(first + k * a, start + k * b, min(a, b)) for k in range(shape[0])]
            for source, target, width in moves:
                self.device.copy(old, self.worlds, (source, target), (before, self.nbytes), self.ngroup, width)
        for name in TOLD:
            self.write(name, np.full((self.nworld, 1), self.group.data.view(name).flat[0]))

    def places(self) -> dict[str, tuple[int, int, tuple[int, ...]]]:
        """Return first byte, bytes and shape of all fields that growing memory must carry over."""
        fields = [f.name for part in self.group.parts for f in part.layout.fields if not f.area]
        found = {name: self.group.place(name)[:3] for name in fields}
        return {name: place for name, place in found.items() if place[1]}

    def read(self, name: str) -> np.ndarray:
        """Return a field of all worlds, shape (nworld, ...)."""
        first, nbytes, shape, dtype = self.group.place(name)
        rows = np.empty((self.ngroup, nbytes), np.uint8)
        self.device.read(self.worlds, rows, first, self.nbytes)
        numbers = rows.view(dtype).reshape(self.ngroup, nbytes // SIDE_BY_SIDE // dtype.itemsize, SIDE_BY_SIDE)
        return numbers.transpose(0, 2, 1).reshape(self.ngroup * SIDE_BY_SIDE, *shape[:-1])[: self.nworld]

    def write(self, name: str, values: np.ndarray) -> None:
        """Write a field of all worlds."""
        first, nbytes, _, dtype = self.group.place(name)
        if not nbytes:
            return
        padded = np.zeros((self.ngroup * SIDE_BY_SIDE, nbytes // SIDE_BY_SIDE // dtype.itemsize), dtype)
        padded[: self.nworld] = values.reshape(self.nworld, -1)
        padded[self.nworld :] = padded[0]
        numbers = padded.reshape(self.ngroup, SIDE_BY_SIDE, -1).transpose(0, 2, 1)
        self.device.write(
            self.worlds, np.ascontiguousarray(numbers).view(np.uint8).reshape(self.ngroup, -1), first, self.nbytes
        )

    def read_group(self, number: int) -> None:
        """Copy a group to the host."""
        found = np.empty((1, self.nbytes), np.uint8)
        self.device.read(self.worlds, found, number * self.nbytes)
        self.group.take(found[0])

    def write_group(self, number: int) -> None:
        """Copy a group from the host."""
        self.device.write(self.worlds, self.group.bytes()[np.newaxis], number * self.nbytes)
