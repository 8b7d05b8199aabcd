"""Where the time of a step goes: every stage timed in its place in the step, from the same state again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from conjoint.lang.driver import Run
from conjoint.runtime.stage import Stage


def time_stages(
    stages: Sequence[Stage], table: np.ndarray, m: int, d: int, restore: Callable[[], None], repeat: int = 200
) -> list[tuple[str, str, float]]:
    """Documented name, kernel and microseconds of each stage of a pipeline, in order.

    Stages run one by one in the order of the pipeline, so that each meets what those before it wrote: a solver that ran
    twice would start the second time at its own solution. The median counts, less that of an empty pipeline.

    Args:
        stages: those of the pipeline.
        table: their addresses (`runtime.run.stage_table`).
        m, d: addresses of the tables of addresses.
        restore: puts the memory back as it was; called before each repetition and at the end.
        repeat: repetitions of the pipeline.
    """
    runs = [Run(row.reshape(1, 2), m, d) for row in table]
    empty = Run(table[:0], m, d)
    ticks = np.empty((repeat, len(runs) + 1))
    for repetition in ticks:
        restore()
        for i, run in enumerate((*runs, empty)):
            start = time.perf_counter_ns()
            run.go()
            repetition[i] = time.perf_counter_ns() - start
    restore()
    *times, nothing = np.median(ticks, axis=0).tolist()
    return [
        (stage.name, stage.kernel.__name__, max(0.0, nanoseconds - nothing) / 1000)
        for stage, nanoseconds in zip(stages, times, strict=True)
    ]
