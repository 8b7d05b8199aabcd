"""Time of the first and of later calls to `rollout`: trajectories from one state under random controls.

python -m benchmarks.rollout [--model models/humanoid.xml] [--count 256] [--steps 10 50] [--threads 1] [--json FILE]

The times are compared with MuJoCo. The first call creates a batch, which later calls reuse. Times are CPU times for one
thread, and wall-clock times for several threads. Kernels are already compiled: with an empty cache, a first call would
also compile them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np

import conjoint
import conjoint.rollout
from benchmarks.report import write_report
from conjoint.rollout.trajectories import forget

ROUNDS = 7


def call(package: ModuleType, path: str, count: int, steps: int, threads: int) -> Callable[[], Any]:
    """Return a function that calls `rollout` of a package in the way that programs usually do."""
    m = package.MjModel.from_xml_path(path)
    worlds = [package.MjData(m) for _ in range(threads)]
    spec = int(package.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(package.mj_stateSize(m, spec))
    package.mj_getState(m, worlds[0], state, spec)
    low, high = np.where(m.actuator_ctrllimited[:, None], m.actuator_ctrlrange, [-1.0, 1.0]).T
    control = np.random.default_rng(0).uniform(low, high, (count, steps, m.nu))
    states = np.tile(state, (count, 1))
    data = worlds if threads > 1 else worlds[0]
    return lambda: package.rollout.rollout(m, data, states, control)


def seconds(function: Callable[[], Any], threads: int) -> float:
    """Return the duration of a call in seconds: CPU time for one thread, elapsed time for several."""
    clock = time.process_time if threads == 1 else time.perf_counter
    start = clock()
    function()
    return clock() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--count", type=int, default=256)
    parser.add_argument("--steps", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for steps in options.steps:
        sizes = options.model, options.count, steps, options.threads
        ours, official = call(conjoint, *sizes), call(mujoco, *sizes)
        ours()
        official()
        turns = []
        for _ in range(ROUNDS):
            forget()
            turns.append([seconds(function, options.threads) for function in (ours, ours, official)])
        firsts, laters, theirs = zip(*turns, strict=True)
        rows.append({
            "benchmark": "rollout", "model": options.model, "count": options.count, "steps": steps,
            "threads": options.threads, "first ms": 1e3 * min(firsts), "later ms": 1e3 * min(laters),
            "official ms": 1e3 * min(theirs), "first ratio": median(o / f for f, _, o in turns),
            "later ratio": median(o / f for _, f, o in turns),
        })  # fmt: skip
    write_report(f"rollout, {Path(options.model).name}", rows, list(rows[0])[2:], options.json)


if __name__ == "__main__":
    main()
