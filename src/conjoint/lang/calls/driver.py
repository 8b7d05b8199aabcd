"""The driver: runs a table of compiled stages, step by step, for one world or block."""

from __future__ import annotations

import functools

import numpy as np

from ..routines.driver_code import NSTEP, STEP, drive
from .compiled import routine
from .fast_call import machine_call


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
