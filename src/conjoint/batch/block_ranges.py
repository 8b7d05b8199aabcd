"""Which blocks a thread takes: first those of its own range, then those that other threads have left.

Worlds stay with their thread from call to call, so that their memory stays in its cache: what another processor wrote
last takes as long to fetch as a small model takes to step. The hardest blocks of a range come first; so what is left
for others at the end is little.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np

from conjoint.lang import kernel
from conjoint.lang.calls.compiled import routine
from conjoint.lang.calls.driver import Run
from conjoint.lang.calls.fast_call import machine_call
from conjoint.lang.calls.transfer import FieldTransfer, WorldTransfer
from conjoint.lang.routines.addresses import call_stage, longs

LINE = 8
"""Words of a cache line: numbers of the blocks that are due lie in different ones."""


def ranges_of(count: int, nthread: int) -> list[tuple[int, int]]:
    """Where the blocks of each thread begin and end, of so many."""
    ends = [count * k // nthread for k in range(nthread + 1)]
    return list(itertools.pairwise(ends))


@kernel
def drive_ranges(address, count, at):
    """Take the blocks of one range after the other, unless a stage answers other than 0; then go on there.

    A range has four words: a function and its three arguments (`lang.routines.transfer_code.drive_worlds`).
    """
    ranges = longs(address)
    stopped = longs(at)
    for r in range(stopped[0], count):
        answer = call_stage(ranges[4 * r], ranges[4 * r + 1], ranges[4 * r + 2], ranges[4 * r + 3])
        if answer != 0:
            stopped[0] = r
            return answer
    stopped[0] = 0
    return 0


class RangeTransfer:
    """Worlds through a block, as `WorldTransfer`, but range by range.

    Args:
        run: the stages, on the memory of the block.
        fields: the fields that move.
        worlds: (nblock, lanes) indices of the worlds of every block.
        due: a row for each thread, whose first number is that of the block of its range that is due.
        own: the thread, whose range comes first.

    Attributes:
        go_on: begin, or go on where the last call stopped; 0, or the answer of the stage that stopped it.
    """

    def __init__(self, run: Run, fields: Sequence[FieldTransfer], worlds: np.ndarray, due: np.ndarray, own: int):
        self.worlds = worlds
        ranges = ranges_of(len(worlds), len(due))
        order = [*range(own, len(due)), *range(own)]
        self._begins = [ranges[k][0] for k in order]
        self._parts = [WorldTransfer(run, fields, worlds[slice(*ranges[k])], due[k]) for k in order]
        self._table = np.array([part.arguments for part in self._parts], np.int64)
        self._at = np.zeros(1, np.int64)
        places = int(self._table.ctypes.data), len(order), int(self._at.ctypes.data)
        self.arguments = routine(drive_ranges), *places
        self.go_on = functools.partial(machine_call(), *self.arguments)

    @property
    def block(self) -> int:
        """Block at which the last call stopped."""
        k = int(self._at[0])
        return self._begins[k] + self._parts[k].block

    def begin(self, nstep: int) -> None:
        """The next call runs the stages `nstep` times with every block that is due."""
        self._at[...] = 0
        for part in self._parts:
            part.begin(nstep)
