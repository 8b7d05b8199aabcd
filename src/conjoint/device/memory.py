"""Device memory of a batch: the worlds, interleaved in groups, and one copy of the model for all worlds.

A group has the memory layout of a block of a CPU batch, with one difference: fields that a block stores once, such as
the near pairs, are stored per world, because each thread computes its own. All groups have the same layout, so one
table of field offsets serves all of them. Model fields that vary between worlds are stored in the groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from conjoint.lang.memory.layout import ALIGNMENT, BEHIND, Buffer, Field, Layout
from conjoint.lang.objects.unit import rows_of
from conjoint.once import made_once
from conjoint.runtime.block_memory import CAPACITY_FIELDS, BlockMemory
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import reset
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import allocate_arena, data_layout
from conjoint.schema.model import MODEL_ROWS

SIDE_BY_SIDE = 64
"""Number of worlds in a group; neighboring threads, in two warps or one wavefront, read neighboring numbers."""

FIRST_CONTACTS = 24
"""Initial capacity of the arena, in contacts per world; it grows on demand."""


@made_once
def _own_rows(name: str) -> tuple[Field, ...]:
    rows = {"data": DATA_ROWS, "arena": ARENA_ROWS}[name]
    return tuple(replace(row, uniform=False) for row in rows)


class Place(NamedTuple):
    """Location of a field in a group.

    Attributes:
        first: offset of the field in bytes.
        nbytes: size of the field in bytes, for all worlds of the group.
        shape: shape of the field in one world.
        dtype: element type.
    """

    first: int
    nbytes: int
    shape: tuple[int, ...]
    dtype: np.dtype


class Group:
    """Host memory of one group of worlds: the initial content of all groups, and later a copy of one of them.

    Attributes:
        plan: plan of the model.
        width: number of worlds in a group.
        own: memory of the model fields that vary between worlds.
    """

    plan: Plan
    width: int
    own: Buffer

    @property
    def parts(self) -> Sequence[Buffer]:
        """Buffers whose fields are attributes of a kernel's argument `d`."""
        raise NotImplementedError

    @property
    def model_buffers(self) -> Sequence[Buffer]:
        """Buffers whose fields are attributes of a kernel's argument `m`."""
        return self.plan.buffers

    @property
    def sections(self) -> list[Buffer]:
        """All buffers of the group, in the order of their memory."""
        return [*self.parts, self.own]

    @property
    def nbytes(self) -> int:
        """Size of a group in bytes."""
        return sum(aligned(len(buffer.bytes)) for buffer in self.sections)

    def bytes(self) -> np.ndarray:
        """Return the memory of the group as an array of bytes, shape (nbytes,)."""
        found = np.zeros(self.nbytes, np.uint8)
        for start, buffer in zip(starts(self.sections), self.sections, strict=True):
            found[start : start + len(buffer.bytes)] = buffer.bytes
        return found

    def load(self, found: np.ndarray) -> None:
        """Overwrite the memory of this group with the bytes of another group."""
        for start, buffer in zip(starts(self.sections), self.sections, strict=True):
            buffer.bytes[...] = found[start : start + len(buffer.bytes)]

    def place(self, name: str) -> Place:
        """Return the location of a field in a group.

        Raises:
            KeyError: the field does not exist.
        """
        for start, buffer in zip(starts(self.sections), self.sections, strict=True):
            if name in buffer.layout.index:
                shape, dtype, first = buffer.layout.place(name)
                one = shape if self.width == 1 else shape[:-1]
                return Place(start + first, int(np.prod(shape)) * dtype.itemsize, one, dtype)
        raise KeyError(name)


class GroupMemory(BlockMemory, Group):
    """Host memory of one group of simulated worlds.

    Args:
        plan: plan of the model.
        real: numpy.float64 or numpy.float32.
        width: number of worlds in a group.
        own: memory of the model fields that vary between worlds.
    """

    def __init__(self, plan: Plan, real: type, width: int, own: Buffer):
        layout = data_layout(plan.model, real, width, nsolverstat=0)
        data = Buffer(Layout(_own_rows("data"), layout.sizes, real, width))
        reset(data, plan)
        self.width, self.own = width, own
        super().__init__(plan, data, FIRST_CONTACTS, 4 * FIRST_CONTACTS + 16)

    def _new_arena(self, capacities: Mapping[str, int]) -> Buffer:
        real = self.data.layout.real.type
        sizes = allocate_arena(self.plan.model, capacities, self.plan.room, real, self.width).layout.sizes
        return Buffer(Layout(_own_rows("arena"), sizes, real, self.width))

    @property
    def parts(self) -> Sequence[Buffer]:
        """Two buffers: the fields of fixed size, and the arena."""
        return self.data, self.arena


def aligned(nbytes: int) -> int:
    """Round a size in bytes up to a multiple of `ALIGNMENT`."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def starts(parts: Sequence[Buffer]) -> list[int]:
    """Return the byte offsets of buffers that are stored one after another."""
    ends = np.cumsum([aligned(len(part.bytes)) for part in parts]).tolist()
    return [0, *ends[:-1]]


def offsets(parts: Sequence[Buffer], first: int = 0) -> np.ndarray:
    """Return the byte offsets of all fields of buffers that are stored one after another, starting at byte `first`."""
    each = [first + start + part.layout.starts[:-1] for start, part in zip(starts(parts), parts, strict=True)]
    return np.concatenate(each).astype(np.int64)


class DeviceMemory:
    """Memory of a batch on a device: status words, groups of worlds, and the model.

    Args:
        device: device that allocates the memory.
        group: initial content of every group.
        nworld: number of worlds.

    Attributes:
        width: number of worlds in a group.
        ngroup: number of groups.
        model, worlds, words: memory of the model, of the groups, and of the status words, on the device.
        nbytes: size of a group in bytes.
    """

    def __init__(self, device: Any, group: Group, nworld: int):
        self.device, self.group, self.nworld, self.width = device, group, nworld, group.width
        self.ngroup = -(-nworld // self.width)
        self.words = device.memory(12 * nworld)
        self._put_model()
        self._make_worlds()

    def _put_model(self) -> None:
        """Copy the table of field offsets and the model to the device."""
        buffers, parts = self.group.model_buffers, self.group.parts
        rows = sum(len(buffer.table) for buffer in (*buffers, *parts))
        first = aligned(8 * rows)
        table = np.concatenate([offsets(buffers, first), offsets(parts)])
        # varying model fields are stored in the groups of worlds
        places = rows_of(MODEL_ROWS).places
        for name in self.group.own.layout.index:
            table[places[name]] = self.group.place(name).first
        found = np.zeros(first + sum(aligned(len(b.bytes)) for b in buffers) + BEHIND, np.uint8)
        found[: 8 * rows] = table.view(np.uint8)
        for start, part in zip(starts(buffers), buffers, strict=True):
            found[first + start : first + start + len(part.bytes)] = part.bytes
        self.model = self.device.memory(len(found))
        self.device.write(self.model, found[np.newaxis])

    def _make_worlds(self) -> None:
        """Allocate the groups, and fill each with the initial content."""
        self.nbytes = self.group.nbytes
        self.worlds = self.device.memory(self.ngroup * self.nbytes + BEHIND)
        one = self.group.bytes()[np.newaxis]
        for k in range(self.ngroup):
            self.device.write(self.worlds, one, k * self.nbytes)

    def places(self) -> dict[str, Place]:
        """Return the locations, by name, of all fields that are copied to the new memory when memory grows."""
        fields = [f.name for buffer in self.group.sections for f in buffer.layout.fields if not f.area]
        found = {name: self.group.place(name) for name in fields}
        return {name: place for name, place in found.items() if place.nbytes}

    def read(self, name: str) -> np.ndarray:
        """Return the values of a field in all worlds, shape (nworld, ...)."""
        first, nbytes, shape, dtype = self.group.place(name)
        rows = np.empty((self.ngroup, nbytes), np.uint8)
        self.device.read(self.worlds, rows, first, self.nbytes)
        numbers = rows.view(dtype).reshape(self.ngroup, nbytes // self.width // dtype.itemsize, self.width)
        return numbers.transpose(0, 2, 1).reshape(self.ngroup * self.width, *shape)[: self.nworld]

    def write(self, name: str, values: np.ndarray) -> None:
        """Set the values of a field in all worlds."""
        first, nbytes, _, dtype = self.group.place(name)
        if not nbytes:
            return
        padded = np.zeros((self.ngroup * self.width, nbytes // self.width // dtype.itemsize), dtype)
        padded[: self.nworld] = values.reshape(self.nworld, -1)
        padded[self.nworld :] = padded[0]
        numbers = padded.reshape(self.ngroup, self.width, -1).transpose(0, 2, 1)
        rows = np.ascontiguousarray(numbers).view(np.uint8).reshape(self.ngroup, -1)
        self.device.write(self.worlds, rows, first, self.nbytes)

    def array(self, name: str) -> Any:
        """Return a view of a field of all worlds in device memory, shape (ngroup, width, ...).

        Raises:
            KeyError: the field does not exist.
            FatalError: other libraries cannot read device memory.
        """
        first, _, shape, dtype = self.group.place(name)
        apart, size = [], self.width * dtype.itemsize
        for n in reversed(shape):
            apart.append(size)
            size *= n
        strides = (self.nbytes, dtype.itemsize, *reversed(apart))
        return self.device.array(self.worlds, first, (self.ngroup, self.width, *shape), strides, dtype)

    def read_group(self, number: int) -> None:
        """Copy group `number` from the device to the host memory `group`."""
        found = np.empty((1, self.nbytes), np.uint8)
        self.device.read(self.worlds, found, number * self.nbytes)
        self.group.load(found[0])

    def write_group(self, number: int) -> None:
        """Copy the host memory `group` to group `number` on the device."""
        self.device.write(self.worlds, self.group.bytes()[np.newaxis], number * self.nbytes)


class SimulatedMemory(DeviceMemory):
    """Device memory of simulated worlds, whose arenas grow on demand."""

    group: GroupMemory

    def grow(self, enlarge: Callable[[], None]) -> None:
        """Enlarge the arenas of all worlds, and copy all fields that later stages may read.

        Args:
            enlarge: function that enlarges the arena of `group`.
        """
        old, before, places = self.worlds, self.nbytes, self.places()
        enlarge()
        self._put_model()
        self._make_worlds()
        for name, was in places.items():
            now = self.places()[name]
            if was.shape[1:] == now.shape[1:]:
                moves = [(was.first, now.first, min(was.nbytes, now.nbytes))]
            else:
                a, b = was.nbytes // was.shape[0], now.nbytes // now.shape[0]
                moves = [(was.first + k * a, now.first + k * b, min(a, b)) for k in range(was.shape[0])]
            for source, target, size in moves:
                self.device.copy(old, self.worlds, (source, target), (before, self.nbytes), self.ngroup, size)
        for name in CAPACITY_FIELDS:
            self.write(name, np.full((self.nworld, 1), self.group.data.view(name).flat[0]))
