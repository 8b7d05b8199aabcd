"""The driver: runs a table of compiled stages, step by step, for one world or block."""

from __future__ import annotations

import functools

import numpy as np

from .addresses import call_stage, longs
from .compiled import routine
from .fast_call import machine_call
from .kernel import kernel

TABLE, NSTAGE, MODEL, DATA, NSTEP, STEP, STAGE, LANE = range(8)
"""Words of a run: the table of stages, how many there are, addresses of `m` and `d`, steps; and where it stands."""


@kernel
def drive(address):
    """For each step, for each stage, for each lane that it runs in (its count; 1 for one that runs all at once).

    A stage that answers other than 0 stops the run, whose words say where; the next call goes on from there.
    """
    run = longs(address)
    table = longs(run[TABLE])
    # a stage may write anywhere, as far as the compiler knows: what it does not change is read before
    nstep = run[NSTEP]
    nstage = run[NSTAGE]
    m = run[MODEL]
    d = run[DATA]
    step = run[STEP]
    stage = run[STAGE]
    lane = run[LANE]
    while step < nstep:
        while stage < nstage:
            function = table[2 * stage]
            count = table[2 * stage + 1]
            while lane < count:
                answer = call_stage(function, m, d, lane)
                if answer != 0:
                    run[STEP] = step
                    run[STAGE] = stage
                    run[LANE] = lane
                    return answer
                lane += 1
            lane = 0
            stage += 1
        stage = 0
        step += 1
    run[STEP] = 0
    run[STAGE] = 0
    run[LANE] = 0
    return 0


class Run:
    """A table of stages, for one world or block: what the driver reads, and where it stands.

    Args:
        table: rows (stage address, number of lanes to run it in); kept alive by this object.
        m, d: addresses of the tables of addresses.

    Attributes:
        nstep: how many steps the last call was for.
        again: runs as many.
    """

    __slots__ = ("address", "again", "memory", "nstep", "table")

    def __init__(self, table: np.ndarray, m: int, d: int):
        self.table = np.ascontiguousarray(table, np.int64)
        self.memory = np.array([self.table.ctypes.data, len(self.table), m, d, 1, 0, 0, 0], np.int64)
        self.nstep = 1
        self.address = int(self.memory.ctypes.data)
        self.again = functools.partial(machine_call(), routine(drive), self.address, 0, 0)

    def go(self, nstep: int = 1) -> int:
        """Run the stages `nstep` times; 0, or the status of the stage that stopped it (see `position`)."""
        if nstep != self.nstep:
            self.nstep = self.memory[NSTEP] = nstep
        return self.again()

    @property
    def position(self) -> tuple[int, int, int]:
        """(step, stage, lane) at which the last run stopped, zeros if it came to its end."""
        step, stage, lane = self.memory[STEP:].tolist()
        return step, stage, lane

    @position.setter
    def position(self, value: tuple[int, int, int]) -> None:
        self.memory[STEP:] = value
