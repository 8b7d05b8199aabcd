"""How fast simulated time passes."""

from __future__ import annotations

import math
import time

SLOWEST, PER_DECADE = 0.001, 10
"""The slowest rate that can be chosen, and how many rates there are between one and its tenth."""

MISALIGNED = 0.5
"""Real time (s) that may be made up for: what a model that is slower misses beyond that is forgotten."""

BOUT = 0.012
"""Real time (s) that steps without a look at commands take about, at most."""


def nice(rate: float) -> float:
    """A rate with two digits."""
    return float(f"{rate:.2g}")


RATES = tuple(nice(10 ** (-k / PER_DECADE)) for k in range(round(-PER_DECADE * math.log10(SLOWEST)) + 1))
"""Rates relative to real time that can be chosen."""


class Pace:
    """Tells how many steps are due.

    Attributes:
        rate: wanted rate of simulated time, relative to real time.
        measured: the rate of late.
        cost: real time of a step (s), of late.
    """

    def __init__(self, rate: float = 1.0):
        self.rate, self.measured, self.cost = rate, 0.0, 0.0
        self._start: tuple[float, float, float] | None = None
        self._mark: tuple[float, float] | None = None

    def rest(self) -> None:
        """The clock stops: what is missing then is not made up for."""
        self._start = self._mark = None
        self.measured = 0.0

    def due(self, simulated: float, timestep: float) -> int:
        """Steps to make now.

        Args:
            simulated: time of the world (s).
            timestep: length of a step (s).
        """
        now = time.perf_counter()
        if self._start is None or self._start[2] != self.rate:
            self._start = now, simulated, self.rate
        missing = (now - self._start[0]) * self.rate - (simulated - self._start[1])
        if not abs(missing) <= MISALIGNED * self.rate:
            # the world was reset, or cannot keep up
            self._start = now, simulated, self.rate
            missing = timestep
        if timestep <= 0:
            return 1
        most = max(1, int(BOUT / self.cost)) if self.cost > 0 else 1
        return min(int(missing / timestep), most)

    def made(self, steps: int, seconds: float, simulated: float) -> None:
        """Take notice of steps that took so long, after which the world has this time."""
        each = seconds / steps
        # the first step may have loaded or compiled something
        much_less = each < 0.5 * self.cost
        self.cost = each if self.cost == 0 or much_less else 0.9 * self.cost + 0.1 * each
        now = time.perf_counter()
        if self._mark is None or simulated < self._mark[1]:
            self._mark = now, simulated
        elif now - self._mark[0] > 0.5:
            self.measured = (simulated - self._mark[1]) / (now - self._mark[0])
            self._mark = now, simulated


def faster(rate: float) -> float:
    """The next larger rate that can be chosen."""
    return min((known for known in RATES if known > rate * 1.001), default=RATES[0])


def slower(rate: float) -> float:
    """The next smaller rate that can be chosen."""
    return max((known for known in RATES if known < rate * 0.999), default=RATES[-1])
