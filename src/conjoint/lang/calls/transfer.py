"""Transfer of many worlds through one block: copy worlds from arrays to lanes, step, and copy them back.

The state of the worlds is stored in NumPy arrays, one row for each world. The block is the workspace of a thread and
stays in its cache. A list of indices assigns worlds to lanes, so that similar worlds can be put side by side.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..memory.realisation import WORLD, Realisation
from ..routines.driver_code import NSTEP
from ..routines.transfer_code import drive_worlds
from .compiled import routine
from .driver import Run
from .fast_call import machine_call

INTO, OUT_OF = 1, 2
"""Flags: copy a field into the lanes, or out of them."""


@dataclass(frozen=True)
class FieldTransfer:
    """A field that is copied between an array and the lanes.

    Attributes:
        array: one contiguous row for each world; it may contain only the first numbers of the field.
        lanes: memory of the field in the block, [number][lane].
        ways: directions of the copy: `INTO`, `OUT_OF` or their sum.
        before: array that also receives the values copied into the lanes, or None.
        first, apart: first index and stride of the field's components that the array contains.
    """

    array: np.ndarray
    lanes: np.ndarray
    ways: int
    before: np.ndarray | None = None
    first: int = 0
    apart: int = 1

    def words(self, beside: int) -> list[int]:
        """Return the words that describe this field to the driver, for `beside` worlds interleaved in memory."""
        size = self.array.itemsize
        count = self.array.size // max(1, len(self.array))
        before = 0 if self.before is None else self.before.ctypes.data
        lanes = self.lanes.ctypes.data + self.first * beside * size
        return [self.array.ctypes.data, self.array.strides[0], count, size, lanes, before, self.ways, self.apart]


LINE = 8
"""Number of words in a cache line. Each thread writes to a line of its own."""


def ranges_of(count: int, nthread: int) -> list[tuple[int, int]]:
    """Divide `count` blocks among threads; return the first block and the end of each thread's range."""
    ends = [count * k // nthread for k in range(nthread + 1)]
    return list(itertools.pairwise(ends))


class WorldTransfer:
    """Transfer of worlds through a block of lanes: first a thread's own range, then the rest of other threads' ranges.

    A world stays with its thread from call to call, so that its memory stays in that thread's cache. Fetching memory
    that another processor wrote last takes as long as a step of a small model. The hardest blocks of a range come
    first, so that little work remains for other threads at the end.

    Args:
        run: the stages, on the memory of the block.
        fields: the fields to copy.
        worlds: (nblock, lanes) indices of the worlds of every block; a world may occur several times in a block.
        due: one row per thread, which all threads access; its first number counts the blocks of that thread's range
            that have been started.
        own: index of the thread, whose range comes first.

    Attributes:
        go_on: function that begins the transfer, or continues where the last call stopped. It returns 0, or the status
            of the stage that stopped it.
    """

    def __init__(self, run: Run, fields: Sequence[FieldTransfer], worlds: np.ndarray, due: np.ndarray, own: int):
        self.run, self.fields, self.worlds, self.due = run, fields, worlds, due
        ranges = [(row.ctypes.data, *ends) for row, ends in zip(due, ranges_of(len(worlds), len(due)), strict=True)]
        self._ranges = np.array(ranges[own:] + ranges[:own], np.int64)
        self._rows = np.array([p.words(worlds.shape[1]) for p in fields], np.int64)
        places = [run.address, self._rows.ctypes.data, len(self._rows), worlds.ctypes.data, worlds.shape[1]]
        self._task = np.array([*places, self._ranges.ctypes.data], np.int64)
        self._at = np.zeros(3, np.int64)
        self._words = int(self._task.ctypes.data), len(due), int(self._at.ctypes.data)
        self.use()

    def use(self, realisation: Realisation = WORLD) -> None:
        """Use the code of this compiled variant for all later transfers."""
        self.arguments = routine(drive_worlds, realisation), *self._words
        self.go_on = functools.partial(machine_call(), *self.arguments)

    @property
    def block(self) -> int:
        """Index of the block at which the last call stopped."""
        return int(self._at[1])

    def begin(self, nstep: int) -> None:
        """Prepare a transfer: the next call to `go_on` runs the stages `nstep` times on every block not yet started."""
        self._at.fill(0)
        self.run.memory[NSTEP] = nstep


class PlainTransfer:
    """Counterpart of `WorldTransfer` for kernels that run as plain Python; `run.go` returns the driver's status."""

    # no machine code
    arguments = 0, 0, 0, 0

    def __init__(self, run: Any, fields: Sequence[FieldTransfer], worlds: np.ndarray, due: np.ndarray, own: int):
        # one thread processes all blocks
        self.run, self.fields, self.worlds, self.due = run, fields, worlds, due[own]
        self.block, self._nstep, self._begun = 0, 0, False

    def begin(self, nstep: int) -> None:
        """Prepare a transfer: the next call to `go_on` runs the stages `nstep` times on every block not yet started."""
        self._nstep, self._begun = nstep, False

    def go_on(self) -> int:
        """Begin the transfer, or continue where the last call stopped.

        Return 0, or the status of the stage that stopped the transfer.
        """
        while self._begun or self.due[0] < len(self.worlds):
            if not self._begun:
                self.block = int(self.due[0])
                self.due[0] += 1
                self._move(INTO)
            answer = self.run.go(self._nstep)
            self._begun = answer != 0
            if answer:
                return answer
            self._move(OUT_OF)
        return 0

    def _move(self, way: int) -> None:
        """Copy the worlds of the current block into its lanes (`INTO`) or out of them (`OUT_OF`)."""
        worlds = self.worlds[self.block]
        for field in self.fields:
            if field.ways & way:
                rows = field.array.reshape(len(field.array), -1)
                inside = field.lanes.reshape(-1, len(worlds))[field.first :: field.apart][: rows.shape[1]]
                if way == INTO:
                    inside[...] = rows[worlds].T
                    if field.before is not None:
                        field.before.reshape(rows.shape)[worlds] = rows[worlds]
                else:
                    rows[worlds] = inside.T
