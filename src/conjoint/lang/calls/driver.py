"""The driver, which runs a table of compiled stages, step by step, for one world or block."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from ..routines.driver_code import NSTEP, OFTEN, RUNS_OFTEN, STEP, drive
from .compiled import is_lean, optimized, routine
from .fast_call import machine_call


def table_of(addresses: Sequence[int], lanes: Sequence[int], often: int = OFTEN) -> np.ndarray:
    """Return the table of stages for `Run`.

    Args:
        addresses: addresses of the stages.
        lanes: number of lanes to run each stage in.
        often: number of steps after which code that was compiled without optimization passes is optimized.

    Returns:
        Rows (address, lanes), and a last row with the number of steps before optimization (0 if all stages are
        optimized).
    """
    left = often if is_lean(addresses) else 0
    return np.array([*zip(addresses, lanes, strict=True), (left, 0)], np.int64)


class Run:
    """Table of stages for one world or block, with the memory of the world or block and the driver's position.

    Args:
        table: result of `table_of`; this object keeps it alive.
        m, d: addresses of the tables that contain the field addresses of model and data.
    """

    __slots__ = ("_again", "address", "memory", "table")

    def __init__(self, table: np.ndarray, m: int, d: int):
        self.table = table
        self.memory = np.array([self.table.ctypes.data, len(self.table) - 1, m, d, 1, 0, 0, 0], np.int64)
        self.address = int(self.memory.ctypes.data)
        self._again = functools.partial(machine_call(), routine(drive), self.address, 0, 0)

    def go(self, nstep: int = 1) -> int:
        """Run the stages `nstep` times. Return 0, or the status of the stage that stopped the run (see `position`)."""
        self.memory[NSTEP] = nstep
        answer = self._again()
        while answer == RUNS_OFTEN:
            self.optimize()
            answer = self._again()
        return answer

    def optimize(self) -> None:
        """Replace unoptimized code with optimized code, which computes the same results faster."""
        table = self.table
        table[:-1, 0] = optimized(table[:-1, 0].tolist())
        table[-1, 0] = 0

    @property
    def position(self) -> tuple[int, int, int]:
        """Step, stage and lane at which the last run stopped; zeros if it completed."""
        step, stage, lane = self.memory[STEP:].tolist()
        return step, stage, lane

    @position.setter
    def position(self, value: tuple[int, int, int]) -> None:
        self.memory[STEP:] = value
