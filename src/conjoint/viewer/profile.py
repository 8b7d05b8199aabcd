"""Measurements of the last steps: numbers of constraints, times, and how the solver converged."""

from __future__ import annotations

import time

import numpy as np

from conjoint.api.functions.callback import get_mjcb_time, set_mjcb_time
from conjoint.api.objects.data import MjData
from conjoint.schema.enums import mjtTimer

LENGTH = 200
"""Samples that are kept."""

COUNTS = ("nefc", "ncon", "solver iterations")
"""What is counted."""

TIMERS = {
    "step": mjtTimer.mjTIMER_STEP, "position": mjtTimer.mjTIMER_POSITION, "velocity": mjtTimer.mjTIMER_VELOCITY,
    "actuation": mjtTimer.mjTIMER_ACTUATION, "constraint": mjtTimer.mjTIMER_CONSTRAINT,
    "collision": mjtTimer.mjTIMER_POS_COLLISION,
}  # fmt: skip
"""Timers that are shown."""


def milliseconds() -> float:
    """Time of this thread: what it waits for other threads of the interpreter does not count."""
    return 1000.0 * time.thread_time()


class Profile:
    """Samples of the worlds that a window shows.

    Attributes:
        counts: numbers of constraint rows, contacts and iterations, a row for each, the newest last.
        times: mean times of the steps since the sample before (ms), a row for each timer.
    """

    def __init__(self) -> None:
        self.counts = np.zeros((len(COUNTS), LENGTH))
        self.times = np.zeros((len(TIMERS), LENGTH))
        self._time = np.nan
        self._before = np.zeros((2, len(TIMERS)))

    def start(self) -> None:
        """Let steps measure their times, unless a program does that itself."""
        if get_mjcb_time() is None:
            set_mjcb_time(milliseconds)

    def stop(self) -> None:
        """Measure no more: steps need not stop for it."""
        if get_mjcb_time() is milliseconds:
            set_mjcb_time(None)

    def follow(self, d: MjData) -> None:
        """Take a sample, if the world is another one than before."""
        if d.time == self._time:
            return
        self._time = d.time
        niter = int(np.max(d.solver_niter, initial=0))
        total = np.array([[d.timer[t].duration, d.timer[t].number] for t in TIMERS.values()], float).T
        spent, number = total - self._before if (total[1] >= self._before[1]).all() else total
        self._before = total
        for rows, newest in ((self.counts, (d.nefc, d.ncon, niter)), (self.times, spent / np.maximum(number, 1))):
            rows[:, :-1] = rows[:, 1:]
            rows[:, -1] = newest


def convergence(d: MjData) -> dict[str, np.ndarray]:
    """Improvement, gradient and slope of the line search of the last step's solver, by iteration."""
    statistics = d.world.data
    count = min(int(np.max(d.solver_niter, initial=0)), len(d.solver))
    return {name: statistics.view(f"solver.{name}")[:count].astype(float) for name in CONVERGENCE}


CONVERGENCE = ("improvement", "gradient", "lineslope")
"""What is kept of the iterations of the solver."""
