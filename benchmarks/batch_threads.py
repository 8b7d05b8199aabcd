"""Batches on one thread and on several threads, run alternately, for models given by their paths.

python -m benchmarks.batch_threads MODEL.xml ... [--threads 2] [--worlds 256] [--precision float64] [--json out/x.jsonl]

Worlds have random controls. Times are wall-clock times, so the processors should be idle. If they are not, and the
system permits it, `--realtime` prevents other programs from interrupting a timed segment on any of its threads.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np

import conjoint
from benchmarks.report import write_report
from conjoint.batch import Batch

TITLE = "batches on more threads (time: best segment of one; gain: median of pairs, and of the best segments)"
COLUMNS = ["model", "nv", "nefc", "ncon", "worlds", "precision", "threads", "us/step/world", "gain", "gain of the best"]


def hurry(policy: int, priority: int) -> None:
    """Set the scheduling policy and priority of all threads of this process."""
    for thread in threading.enumerate():
        os.sched_setscheduler(thread.native_id or 0, policy, os.sched_param(priority))


def segment(batch: Batch, controls: np.ndarray, realtime: bool) -> float:
    """Return the time in seconds that a batch takes for all steps, starting from its initial state."""
    batch.reset()
    if realtime:
        hurry(os.SCHED_FIFO, 1)
    begin = time.perf_counter()
    for step in controls:
        batch.ctrl[:] = step
        batch.step(1)
    seconds = time.perf_counter() - begin
    if realtime:
        hurry(os.SCHED_OTHER, 0)
    return seconds


def measure(path: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure how much faster several threads step a model than one thread; return a row of the report."""
    m = conjoint.MjModel.from_xml_path(path)
    controls = np.random.default_rng(0).uniform(-1, 1, (options.steps, options.worlds, m.nu))
    batches = [Batch(m, options.worlds, precision=options.precision, nthread=n) for n in (1, options.threads)]
    seconds: list[list[float]] = []
    for _ in range(options.segments + 1):
        seconds.append([segment(batch, controls, options.realtime) for batch in batches])
    assert np.array_equal(batches[0].qpos, batches[1].qpos)
    alone, together = zip(*seconds[1:], strict=True)
    return {
        "benchmark": "batch threads", "model": Path(path).name, "nv": m.nv, "worlds": options.worlds,
        "precision": options.precision, "threads": options.threads, "nefc": float(np.mean(batches[0].nefc)),
        "ncon": float(np.mean(batches[0].ncon)), "us/step/world": 1e6 * min(alone) / options.steps / options.worlds,
        "gain": median(a / b for a, b in seconds[1:]), "gain of the best": min(alone) / min(together),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--segments", type=int, default=9)
    parser.add_argument("--precision", choices=("float64", "float32"), default="float64")
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [measure(path, options) for path in options.models]
    write_report(TITLE, rows, COLUMNS, options.json)
    print(f"geometric mean of gains {geometric_mean(row['gain'] for row in rows):.2f}")


if __name__ == "__main__":
    main()
