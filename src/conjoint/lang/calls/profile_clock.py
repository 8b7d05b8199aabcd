"""The clock that profiled code reads (`objects.profile_counters`): its tick rate, and the duration of a reading."""

from __future__ import annotations

import time

import numpy as np

from conjoint.once import made_once

from ..memory.realisation import WORLD, profiled
from ..objects.profile_counters import CALLS, LAST, READINGS, TICKS, counters
from ..routines.profile_code import read_clock
from .compiled import routine
from .fast_call import machine_call

TRIALS, CALLS_IN_TRIAL = 20, 1000
"""Number of series of readings, and of readings in each series. The fastest series determines a reading's duration."""

CALIBRATION = 0.02
"""Seconds over which the rate of the clock is measured."""

SECONDS, READING, COUNT = range(3)
"""Columns of a counter: seconds spent in its code, seconds spent in clock readings inside it, and number of calls."""


class ProfileClock:
    """The clock of profiled code, calibrated against Python's clock.

    Attributes:
        rate: duration of one tick in seconds.
        cost: duration of one reading in ticks.
    """

    def __init__(self) -> None:
        self._call, self._routine = machine_call(), routine(read_clock, profiled(WORLD))
        self.cost = min(self._ticks_of_reading() for _ in range(TRIALS))
        begin, first = time.perf_counter(), self._now()
        time.sleep(CALIBRATION)
        end, last = time.perf_counter(), self._now()
        self.rate = (end - begin) / (last - first)

    def _now(self, count: int = 1) -> int:
        """Read the clock twice in each of `count` iterations, and return the last reading."""
        self._call(self._routine, count, 0, 0)
        return int(counters().state[LAST])

    def _ticks_of_reading(self) -> float:
        """Return the duration of one reading in ticks."""
        first = self._now()
        return (self._now(CALLS_IN_TRIAL) - first) / (2 * CALLS_IN_TRIAL)

    def read(self, stages: list[str]) -> np.ndarray:
        """Return the counters as an array indexed by stage, label and column (`SECONDS`, `READING` or `COUNT`)."""
        found = counters()
        words = found.table[[found.rows[stage] for stage in stages]]
        readings = self.cost * words[..., READINGS]
        return np.stack([self.rate * (words[..., TICKS] - readings), self.rate * readings, words[..., CALLS]], axis=-1)


@made_once
def profile_clock() -> ProfileClock:
    """Return the calibrated clock of this processor."""
    return ProfileClock()


def labels() -> list[str]:
    """Return the labels, in the order of the label axis of `ProfileClock.read`; the first is "", for unlabeled code."""
    return [*counters().places]
