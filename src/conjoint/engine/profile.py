"""Where the time of a step goes: every stage alone, many times over, on the state as it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from conjoint.engine.forward import Stage
from conjoint.lang.compiled import Run


def time_stages(
    items: Sequence[Stage], rows: np.ndarray, m: int, d: int, restore: Callable[[], None], repeat: int = 200, best_of: int = 5
) -> list[tuple[str, str, float]]:
    """Documented name, kernel and microseconds of each stage of a program, in order.

    Args:
        items: the stages.
        rows: their program.
        m, d: addresses of the tables of addresses.
        restore: puts the memory back as it was; called before and after each stage.
        repeat: how often a stage runs in one measurement.
        best_of: measurements, of which the shortest counts.
    """
    times = []
    for stage, row in zip(items, rows, strict=True):
        shortest = float("inf")
        for _ in range(best_of):
            restore()
            run = Run(row.reshape(1, 2), m, d)
            start = time.perf_counter()
            run.go(repeat)
            shortest = min(shortest, time.perf_counter() - start)
        restore()
        times.append((stage.name, stage.kernel.__name__, shortest / repeat * 1e6))
    return times
